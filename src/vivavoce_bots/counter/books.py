"""Names in what is said to a library that nobody there knows: titles, authors, subjects.

What the catalogue has becomes one word first, so that the words around it are read alike.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, Literal, NamedTuple

from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.speech import read_data
from vivavoce_bots.dialogue.spotting import forms_of

_CAP: Final = r"[A-ZÀ-Ý][\w'’-]+"
_SMALL: Final = (
    r"(?:of|on|the|a|an|in|and|to|for|with|di|del|della|dei|delle|degli|dell|nel|nella|e|il|la|lo|le|i|gli|"
    r"un|una|in|per|con|da|dal|al|alla|che|è)"
)
_QUOTED: Final = re.compile(r"[\"“«‘]([^\"”»“«]{2,60})[\"”»]|(?<![\w])'([A-ZÀ-Ý][^']{3,60})'(?!\w)")
_RUN: Final = re.compile(rf"(?<![\w'’])(?:{_CAP})(?:\s(?:{_SMALL}\s){{0,3}}{_CAP})*")
_ARTICLE: Final = {
    "en": re.compile(r"(?<=[a-z,:] )The(?: [a-z']+){1,4}(?=\s*(?:[.,;!?]|$))"),
    "it": re.compile(
        r"(?:(?<=[a-zà-ù,:] )|^)(?:Il|La|Lo|I|Gli|Le|Un|Una|Se)(?: ?[a-zà-ù']+){1,4}(?=\s*(?:[.,;!?]|$))"
        r"|(?<![\w'])Se una? [a-zà-ù']+(?: ?[a-zà-ù']+){1,6}(?=\s*(?:[.,;!?]|$))"
        r"|(?<![\w'])(?:Il|La|Lo|I|Gli|Le|Un|Una|Se) (?:[a-zà-ù']+ ){1,4}[A-ZÀ-Ý][a-zà-ù]{2,}"
        r"|(?<![\w'])L'[a-zà-ù]+(?: (?:del|della|dello|dell'|dei|delle|degli|di) ?[a-zà-ù]+)+"
    ),
}
_ARTICLES: Final = frozenset(
    ["The", "To", "A", "An", "Il", "La", "Lo", "Le", "Gli", "I", "Un", "Una", "Uno", "Se", "L"]
)
_WORD: Final = re.compile(r"[\w']+")
_FIRST: Final = re.compile(r"(?:^|[.!?;…:]\s+)\W*$")
_MARK: Final = re.compile(r"\b[TASN]_\w+")
_CUTS: Final = re.compile(r"(?<=[.!?;…])\s+|,\s+|:\s+|\s[-–—]+\s|\s+(?=(?:and|but|so|e|ed|ma|però)\s)")
_STOPS: Final = re.compile(
    r"^(?:for|please|per|di|con|da|to|so|that|which|who|che|because|at|on|in|of|about|if|anche|too|as|or|o)$",
    re.I,
)
_PLACE: Final = re.compile(
    r"\W*(?:in|nel\w*|da|dal\w*|sul\w*|on|at|under|out|up|al\w*|tra|per|for|with|con)\b", re.I
)
_OF_SOMEBODY: Final = re.compile(
    r"\b(?:figli[oa]|marito|moglie|nipote|amic[oa]|sorella|fratello|son|daughter|husband|wife|friend|"
    r"neighbour|grandson|granddaughter|sister|brother)\b[^.;!?]{0,4}\b(?:si chiama|(?:is )?called|named)\W*$"
    r"|\b(?:a nome(?: di)?|under|in the name of|mi chiamo|my name is|i am|i'm)\W*$"
    r"|^\W*(?:(?:hello|hi|hiya|good \w+|buongiorno|buonasera|salve|pronto)\W+)?(?:it's|this is|sono)\W*$",
    re.I,
)
"""Whose name it is: my son, he is called Tom."""
_TO: Final = re.compile(r"\b(?:in|to|from|at|near|via|ad?|da|verso|live in|sono di)\s+$", re.I)
_LONGEST: Final = 8  # words of a name
_OBJECT: Final = 4
Kind = Literal["title", "author", "subject"]


class Name(NamedTuple):
    """A name that nobody here knows; `sure` where it is surely one, `told` where it is only told of."""

    text: str
    kind: Kind
    sure: bool
    told: bool


@cache
def _reads(language: str) -> Mapping[str, re.Pattern[str]]:
    held: Mapping[str, str] = read_data("library")["names"][language]
    forms = {**held, "of": held["by"]}
    ends = {"titled": rf"(?:{forms['titled']})\W+(?:(?:the|a|copy of|il|lo|la|un|di|also|anche|me|mi)\s+)*$",
            "by": rf"(?:{forms['by']})\s+$", "people": rf"(?:{forms['people']})\W+$",
            "refuses": forms["refuses"]}  # fmt: skip
    return {
        name: re.compile(rf"(?<![\w'])(?:{ends.get(name, form)})" + ("" if name in ends else r"(?!\w)"), re.I)
        for name, form in forms.items()
    }


@cache
def _known(language: str) -> list[tuple[str, re.Pattern[str]]]:
    """What the catalogue has, longest phrases first."""
    found: list[tuple[str, re.Pattern[str]]] = []
    needs: Mapping[str, Any] = read_data("library")["needs"]
    for mark, need in (("T", "title"), ("A", "author"), ("S", "subject")):
        phrases = [
            form for by in needs[need]["values"].values() for one in by[language] for form in forms_of(one)
        ]
        phrases += [one[0] for by in needs[need]["values"].values() for one in by.values()]
        words = "|".join(re.escape(one) for one in sorted({*phrases}, key=len, reverse=True) if len(one) > 1)
        found.append((mark, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I)))
    return found


@lru_cache(maxsize=64)
def names_in(text: str, language: str, *, open_: bool) -> tuple[Name, ...]:
    """The names of a turn that are in no catalogue, in their order; `open_`: a title was asked for."""
    names: list[tuple[str, bool]] = []
    text = re.sub(r"\s+", " ", text)
    for mark, form in _known(language):
        text = form.sub(f"{mark}_x", text)

    def put(name: str, *, sure: bool) -> str:
        names.append((name.strip(" .,!?"), sure))
        return f"N_{len(names) - 1}"

    def quoted(one: re.Match[str]) -> str:
        inner = one[1] or one[2]
        return inner if _MARK.search(inner) else put(inner, sure=True)

    def articled(one: re.Match[str]) -> str:
        return one[0] if _MARK.search(one[0]) or _is_clause(one[0], language) else put(one[0], sure=True)

    text = _ARTICLE[language].sub(articled, _QUOTED.sub(quoted, text))
    text = _RUN.sub(lambda one: _capitals(one, language, put), text)
    found: list[Name] = []
    parts = [one for one in _CUTS.split(text) if re.search(r"\w", one)]
    wants = [_reads(language)["wants"].search(one) is not None for one in parts]
    alone = len(parts) == 1 or (len(parts) == 2 and wants[1])  # Gomorra, have you got it?
    for part in parts:
        found += _of_clause(part, language, names, wanted=open_ or any(wants), open_=open_, alone=alone)
    return tuple([one for one in found if one.sure] or found)


def _of_clause(
    part: str, language: str, names: list[tuple[str, bool]], *, wanted: bool, open_: bool, alone: bool
) -> list[Name]:
    forms, found = _reads(language), list[Name]()
    wants = forms["wants"].search(part) is not None
    told = forms["story"].search(part) is not None and not wanted
    for one in re.finditer(r"\bN_(\d+)", part):
        name, sure = names[int(one[1])]
        before = part[: one.start()]
        if forms["refuses"].search(before):
            continue
        if re.search(r"(?:\b(?:on|about|su|sul|sulla|sui|sugli|sulle)|sull')\s*$", before, re.I):
            found.append(Name(name, "subject", sure, told))
        elif forms["by"].search(before):
            found.append(Name(name, "author", sure, told))
        elif sure or (wanted and not forms["people"].search(before)):
            found.append(Name(name, "title", sure, told))
    if found or _MARK.search(part):
        return found
    for kind in ("about", "genres", "kinds", "of"):
        if lead := forms[kind].search(part):
            groups = [one for one in lead.groups() if one]
            name = (
                lead[0]
                if kind == "genres"
                else groups[0]
                if kind == "kinds"
                else _object(part[lead.end() :], language)
            )
            if name and not is_plain(name, language):
                return [Name(name, "author" if kind == "of" else "subject", False, told)]
    for lead in forms["leads"].finditer(part):
        if not forms["refuses"].search(part[: lead.start()]) and (
            name := _object(part[lead.end() :], language)
        ):
            return [Name(name, "title", False, told)]
    brief = alone and part[:1].isupper() and len(part.split()) <= 2 and not (wants or part.endswith("?"))
    if (open_ or brief) and (name := _bare(_LEAD.sub("", part).strip(" .!,"), language)):
        return [Name(name, "title", False, told)]
    return found


_LEAD: Final = re.compile(
    r"^\W*(?:(?:oh|ah|um|uh|er|erm|ehm|eh|well|so|no|yes|sì|ok|okay|and|or|but|e|o|ma|allora|dunque|beh|mah|"
    r"it's|it is|that's|it was|was it|è|era|titolo|title|the title is|il titolo è|i think|credo|maybe|magari|"
    r"forse|ecco|i said|ho detto|dicevo|i mean|called|si chiama)\b[\s,.…:]*)+",
    re.I,
)


def _capitals(found: re.Match[str], language: str, put: Callable[..., str]) -> str:
    """A run of words with capitals: a name, unless it only begins a sentence, or is a person."""
    run, before = found[0], found.string[: found.start()]
    if _MARK.search(run):
        return run
    lead, words = "", run.split()
    first = _FIRST.search(before) is not None or not before.strip()
    small = [one for one in words if one.islower()]
    while words and is_plain(words[-1], language):
        words = words[:-1]
    while words and (
        (is_plain(words[0], language) and (first or not small) and words[0] not in _ARTICLES)
        or (first and not lead and len(words) == 1)
    ):
        lead, words = f"{lead}{words[0]} ", words[1:]
    while words and (words[0].islower() or re.match(r"I(?:'\w+)?$", words[0])):
        lead, words = f"{lead}{words[0]} ", words[1:]
    if len(words) == 1 and _TO.search(before + lead):
        return run  # the train to Edinburgh
    whole = " ".join(words)
    if not words or all(is_plain(one, language) for one in words) or _OF_SOMEBODY.search(before):
        return run
    article = words[0] in _ARTICLES and len(words) > 1
    inner = any(one.islower() for one in words[1:])
    led = _reads(language)["titled"].search(before) is not None
    person = _reads(language)["people"].search(before) is not None and not led
    person = person or _reads(language)["by"].search(before) is not None
    return f"{lead}{put(whole, sure=(inner or article or led) and not person)}"


def is_plain(word: str, language: str) -> bool:
    """Whether a word names no book: a verb, a filler, a day, a number."""
    low = word.casefold().strip("'’.")
    forms = _reads(language)
    return (
        forms["vague"].fullmatch(low) is not None
        or forms["verbs"].fullmatch(low) is not None
        or names_nothing(low, language)
        or any(letter.isdigit() for letter in low)
    )


def _is_clause(text: str, language: str) -> bool:
    """Whether words behind an article are a clause of their own, and no title."""
    words = [each for one in _WORD.findall(text) for each in one.split("'") if each][1:]
    if words and not text.startswith("Se ") and is_plain(words[0], language):
        return True  # la tessera di Carla
    verbs = _reads(language)["verbs"]
    return any(verbs.fullmatch(one.casefold()) for one in words) or all(
        is_plain(one, language) for one in words
    )


def _bare(clause: str, language: str) -> str:
    """The words of a clause that may be a name written small: `the hobbit`; `` where it is something else."""
    words, forms = _WORD.findall(clause), _reads(language)
    if not words or len(words) > _LONGEST or _MARK.search(clause) or forms["parts"].match(clause):
        return ""
    if clause.endswith("?") and len(words) > _OBJECT - 1:
        return ""
    if any(
        forms["verbs"].fullmatch(each)
        for one in words
        for each in (one.casefold(), *one.casefold().split("'"))
    ):
        return ""
    kept = [one for one in words if not is_plain(one, language)]
    return clause.strip(" ?") if kept and max(map(len, kept)) > 2 else ""


def _object(text: str, language: str) -> str:
    """The few words behind a verb or a preposition that name a thing; `` where they name none."""
    kept: list[str] = []
    forms = _reads(language)
    if re.match(
        r"\W*(?:in|nel\w*|da|dal\w*|sul\w*|on|at|under|out|up|al\w*|tra|per|for|with|con)\b", text, re.I
    ):
        return ""
    for word in re.findall(r"[\w'’-]+", re.split(r"[?!.,;]", text)[0]):
        low = word.casefold()
        if _MARK.match(word) or (kept and _STOPS.match(low)):
            break
        if forms["verbs"].fullmatch(low) or len(kept) > _OBJECT:
            return "" if len(kept) > _OBJECT else _trimmed(kept, language)
        kept.append(word)
    return _trimmed(kept, language)


def _trimmed(words: list[str], language: str) -> str:
    vague = _reads(language)["vague"]
    while words and vague.fullmatch(words[0]) and words[0].islower():
        words = words[1:]
    while words and is_plain(words[-1], language):
        words = words[:-1]
    named = [one for one in words if not is_plain(one, language) and len(one) > 2]
    return " ".join(words) if named else ""
