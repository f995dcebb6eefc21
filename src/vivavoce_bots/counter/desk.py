"""A turn at the library's desk as its clauses: what each wants, names, refuses, points at or asks."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce_bots.counter.books import Marked, bare_name, marked, plain, reads
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import threatens, with_apostrophes
from vivavoce_bots.dialogue.speech import read_data

KINDS: Final = ("reserve", "renew", "borrow")
OPENS: Final = {one: wording("library", f"opens_{one}") for one in ("en", "it")}
"""How a question begins."""
_TELLS: Final = {
    "en": re.compile(r"\W*(?:(?:and|but|so|oh|well)\W+)*(?:i|i'\w+|my|he|she|we|they|because|it's)\b", re.I),
    "it": re.compile(r"\W*(?:(?:e|ma|che|perché)\W+)*(?:io|ho|mi[oa]|lui|lei|perché|che)\b", re.I),
}
_RETRACTS: Final = wording("library", "retracts")
_VOCATIVE: Final = wording("library", "vocative")
_SENTENCES: Final = re.compile(r"(?<=[.!?;…])\s+")
_CUTS: Final = {
    "en": re.compile(
        r",\s+|:\s+|\s+[-–—]+\s+|\s+(?=(?:and|but|so|or(?! (?:not|so)\b)|then|because|cause)\s)|\.{2,}\s*",
        re.I,
    ),
    "it": re.compile(
        r",\s+|:\s+|\s+[-–—]+\s+|\.{2,}\s*"
        r"|\s+(?=(?:e|ed|ma|o(?! (?:no|meno)\b)|però|allora|perché|quindi)\s)",
        re.I,
    ),
}
_YES: Final = wording("library", "yes")
_NO: Final = re.compile(r"\W*(?:oh |ah |ehm? |well,? )*(?:no|nope|nah|neither|none|nessuno)\b", re.I)
_ALSO: Final = re.compile(r"\b(?:also|too|as well|plus|another|anche|pure|inoltre|poi|and then)\b", re.I)
_STOPS: Final = wording("library", "stops")
_TAKES: Final = wording("library", "takes")
_DENIED_VERB: Final = wording("library", "denied_verb")
_ABOUT_IT: Final = re.compile(
    r"\b(?:ce l'|ce lo|ce la|lo |la |l'|\w+rlo\b|\w+rla\b|\w+melo\b|\w+temelo\b|me lo|me la)", re.I
)
_PAST: Final = re.compile(
    r"(?:renewed|reserved|borrowed|lent|rinnovat[oai]|prenotat[oai]|prorogat[oai])$", re.I
)
_WISHES: Final = re.compile(r"\b(?:want|like|need|please|vorrei|voglio|volevo)\b", re.I)
_LEAD: Final = wording("library", "lead")
_SAME: Final = wording("library", "same")
_IN_VAIN: Final = re.compile(
    r"^(?:for|please|per|di|con|da|to|so|that|which|who|che|because|at|on|in|of|about|if|today|tomorrow|anche|too|as|oggi|domani|adesso)$",
    re.I,
)


@dataclass
class Clause:
    """A clause of a turn; books are by their values, `names` are those that nobody here has.

    weak     words with capitals that may be a title where one is asked for
    ruled    whether it was a question that was answered, so that its verbs want nothing
    """

    text: str
    asks: bool
    kinds: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    author: str = ""
    subject: str = ""
    author_name: str = ""
    subject_name: str = ""
    finds: bool = False
    wants: bool = False
    joins: bool = False
    undo: bool = False
    it: bool = False
    it_verb: bool = False
    nth: int | None = None
    both: bool = False
    other: bool = False
    choice: bool = False
    chooses: bool = False
    takes: bool = False
    story: bool = False
    own: bool = False
    corrects: bool = False
    also: bool = False
    brief: bool = False
    ruled: bool = False
    same: bool = False
    repeats_search: bool = False
    retracts: bool = False
    small: bool = False

    def searches(self, session: Any) -> bool:
        """Whether it looks for books by an author, on a subject, or for others than those that were told."""
        if self.titles or self.names or self.own:
            return False
        if self.author_name or self.subject_name or self.same:
            return True
        if self.author or self.subject:
            return (
                self.finds
                or self.wants
                or self.other
                or self.brief
                or bool(self.kinds)
                or session.asking in ("title", "work")
            )
        return (
            self.other
            and bool(session.search)
            and not session.wanted
            and (self.finds or self.asks or self.brief)
        )


@dataclass
class Turn:
    """A turn as its clauses, and what holds for all of it."""

    marked: Marked
    clauses: list[Clause]
    leaves: bool
    threat: bool
    yes: bool
    no: bool
    alone: bool
    wrong: bool
    stops: bool
    vague_book: bool

    @property
    def kinds(self) -> list[str]:
        return [kind for one in self.clauses for kind in one.kinds]

    @property
    def titles(self) -> list[str]:
        return [title for one in self.clauses for title in one.titles]

    @property
    def finds(self) -> bool:
        return any(one.finds for one in self.clauses)

    @property
    def adds(self) -> bool:
        return any(one.also for one in self.clauses)

    @property
    def wants(self) -> bool:
        return any(
            one.kinds or one.titles or one.names or one.author or one.subject or one.subject_name
            for one in self.clauses
        )

    def behind(self, at: int) -> bool:
        """Whether a title stands behind a clause."""
        return any(one.titles or one.names for one in self.clauses[at + 1 :])

    def story_of(self, title: str) -> bool:
        """Whether a title is only told of: I saw the film."""
        of = [one for one in self.clauses if title in one.titles]
        return all(one.story for one in of) and not any(one.finds for one in self.clauses)


def read_turn(text: str, language: str, open_: bool) -> Turn:
    """The clauses of a turn; `open_`: whether a title was asked for."""
    text = _VOCATIVE.sub("", with_apostrophes(text, language))
    whole, forms = marked(text, language), reads(language)
    clauses: list[Clause] = []
    for sentence in _SENTENCES.split(whole.text):
        asks = sentence.rstrip().endswith("?")
        parts = [one.strip() for one in _CUTS[language].split(sentence) if one and re.search(r"\w", one)]
        for at, part in enumerate(parts):
            opens = OPENS[language].match(part) is not None and len(part.split()) > 1
            asking = opens or (
                asks and (at == len(parts) - 1 or (len(parts) == 2 and not _TELLS[language].match(part)))
            )
            clauses.append(_clause(part, language, whole, asks=asking, open_=open_, only=len(parts) == 1))
    said = " ".join(one.text for one in clauses)
    bye = [*forms["bye"].finditer(whole.text)]
    bye = [
        one for one in bye if one[0].casefold() != "ciao" or one.start() > 2 or len(whole.text.split()) <= 2
    ]  # ciao, avete Emma?
    asked_bye = bye and re.search(r"\?\s*$", whole.text[bye[-1].end() :][:3] or "") is not None
    story = bye and re.search(r"\b(?:said|says|ha detto|dice)\W*$", whole.text[: bye[-1].start()])
    names = [one for one in clauses if one.names and not one.small]
    for one in clauses if names else ():
        if one.small:
            one.names = []
    leaves = bool(bye) and not asked_bye and not story
    alone = not any(
        one.titles
        or one.names
        or one.kinds
        or one.author
        or one.subject
        or one.subject_name
        or one.asks
        or one.other
        or one.nth is not None
        for one in clauses
    ) and not re.search(r"\d", said)
    first = clauses[0].text if clauses else ""
    vague = (
        re.search(r"\b(?:a|some|another|the|un|il|altro|mio|my) (?:\w+ )?(?:book|libro)\b", said, re.I)
        is not None
    )
    return Turn(
        whole, clauses, leaves, bool(bye) and threatens(whole.text[: bye[-1].start()]),
        _YES.match(first) is not None, _NO.match(first) is not None, alone,
        forms["wrong"].search(whole.text) is not None, _STOPS.search(whole.text.rstrip(" .!?")) is not None,
        vague,
    )  # fmt: skip


def _clause(text: str, language: str, whole: Marked, *, asks: bool, open_: bool, only: bool) -> Clause:
    forms = reads(language)
    one = Clause(text, asks)
    for found in re.finditer(r"\b([TASN])_(\w+)", text):
        before = text[: found.start()]
        if found[1] == "T":
            (one.refused if forms["refuses"].search(before) else one.titles).append(found[2])
        elif found[1] == "A":
            refused = forms["refuses"].search(before) is not None
            one.author = "" if refused else found[2]
            books = read_data("library")["facts"].items()
            one.refused += [title for title, book in books if refused and book["author"] == found[2]]
        elif found[1] == "S":
            one.subject = one.subject or ("" if forms["refuses"].search(before) else found[2])
        elif int(found[2]) < len(whole.names):
            name = whole.names[int(found[2])]
            if forms["by"].search(before) and not (one.titles or one.names):
                one.author_name = name
            elif forms["about"].search(before + " ") or forms["about"].search(before.rstrip()):
                one.subject_name = name
            elif int(found[2]) in whole.sure and not forms["refuses"].search(before):
                one.names.append(name)
            elif not forms["people"].search(before):
                one.weak.append(name)
    words = text.split()
    one.brief = len(words) <= 4
    one.it = forms["it"].search(text) is not None
    one.it_verb = language == "it" and _ABOUT_IT.search(text) is not None
    for kind in KINDS:
        found = forms[kind].search(text)
        past = found and _PAST.search(found[0]) and not _WISHES.search(text)  # renewed or reserved?
        if found and not past and not _DENIED_VERB.search(text[: found.start()]) and kind not in one.kinds:
            if kind == "borrow" and one.kinds:
                continue
            one.kinds.append(kind)
    one.finds = forms["find"].search(text) is not None
    one.wants = forms["wants"].search(text) is not None
    one.joins = forms["join"].search(text) is not None
    one.undo = forms["undo"].search(text) is not None
    one.both = forms["both"].search(text) is not None
    one.other = forms["other"].search(text) is not None
    one.nth = next(
        (at for name, at in (("first", 0), ("second", 1), ("last", -1)) if forms[name].search(text)), None
    )
    one.chooses = forms["choose"].search(text) is not None
    one.takes = _TAKES.search(text) is not None
    one.choice = (
        one.it
        and bool(re.search(r"\b(?:that one|this one|it|quello|quella|lo|la)\b", text, re.I))
        and not one.names
    )
    one.own = forms["own"].search(text) is not None and not asks
    one.story = forms["story"].search(text) is not None and not asks
    one.corrects = forms["wrong"].search(text) is not None
    one.same = _SAME.search(text) is not None and (one.finds or one.other or one.asks)
    one.retracts = _RETRACTS.search(text) is not None
    one.also = _ALSO.search(text) is not None
    _small_names(one, text, language, open_=open_, only=only)
    return one


def _small_names(one: Clause, text: str, language: str, *, open_: bool, only: bool) -> None:
    """Names that are written small: on dragons, dragon books, have you got dune, the hobbit."""
    forms = reads(language)
    if not one.subject and not one.titles and not one.names and not one.author:
        if about := forms["about"].search(text):
            one.subject_name = one.subject_name or _object(text[about.end() :], language)
        if not one.subject_name and (kinds := forms["kinds"].search(text)):
            word = next((each for each in kinds.groups() if each), "")
            one.subject_name = "" if plain(word, language) else word
        if not one.subject_name and (genre := forms["genres"].search(text)):
            one.subject_name = genre[0]
        if by := forms["by"].search(text):
            one.author_name = one.author_name or _object(text[by.end() :], language)
    if (
        one.titles
        or one.names
        or one.weak
        or one.author
        or one.subject
        or one.subject_name
        or one.author_name
        or one.refused
    ):
        return
    for lead in (
        *forms["find"].finditer(text),
        *(found for kind in KINDS for found in forms[kind].finditer(text)),
    ):
        rest = re.sub(r"^\W*(?:il libro|the book|a copy of|una copia di)\s+", "", text[lead.end() :])
        name = _object(rest, language)
        if name and not one.it_verb and not _DENIED_VERB.search(text[: lead.start()]):
            one.names.append(name)
            one.small = True
            return
    if (open_ and not one.kinds) or (
        only and text[:1].isupper() and len(text.split()) <= 2 and not one.finds
    ):
        lead = _LEAD.sub("", text)
        if name := bare_name(lead.strip(" .!?,"), language):
            if open_ and not (one.asks and name.islower()):
                one.names.append(name)
                one.small = True
            else:
                one.weak.append(name)


def _object(text: str, language: str) -> str:
    """The few words behind a verb or a preposition that name a thing; `` where they name none."""
    kept: list[str] = []
    if re.match(
        r"\W*(?:in|nell?[oa']?|nei|nelle|da|dal\w*|sul\w*|on|at|under|out|up|al|alla|tra|per|for|with|con)\b",
        text,
        re.I,
    ):
        return ""
    for word in re.findall(r"[\w'’-]+", text.split("?")[0]):
        low = word.casefold()
        if re.fullmatch(r"[TASN]_\w+", word) or (kept and _IN_VAIN.match(low)):
            break
        if reads(language)["verbs"].fullmatch(low) or len(kept) > 4:
            return "" if not kept or len(kept) > 4 else _trimmed(kept, language)
        kept.append(word)
    return _trimmed(kept, language)


def _trimmed(words: list[str], language: str) -> str:
    while words and reads(language)["vague"].fullmatch(words[0]) and words[0].islower():
        words = words[1:]
    while words and plain(words[-1], language):
        words = words[:-1]
    named = [one for one in words if not plain(one, language) and len(one) > 2]
    return " ".join(words) if named else ""
