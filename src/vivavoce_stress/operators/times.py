"""ST-9 and ST-11 in both languages: the time first in its clause, the part of a day before its day."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from vivavoce_stress.base import LanguagePack, Substitution, Utterance
from vivavoce_stress.english_parser import lowered
from vivavoce_stress.italian.analysis import Token
from vivavoce_stress.italian.inflection import contracted
from vivavoce_stress.words import edit, in_case_of, placed

_EN_DAY: Final = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_EN_PART: Final = "(?:morning|afternoon|evening|night)"
_EN_MONTH: Final = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_EN_SEASON: Final = "(?:spring|summer|autumn|winter)"
_EN_WHEN: Final = re.compile(
    rf"""(?ix)(?<=\w)\ (
    (?:today|tomorrow|tonight|yesterday)(?:\ {_EN_PART})?(?:\ at\ [\w:.]+)?
    |last\ night
    |(?:this|next|last)\ (?:week|weekend|month|year|{_EN_SEASON}|{_EN_DAY}|{_EN_PART})(?:\ {_EN_PART})?
    |(?:a|an|two|three|four|five|six|ten|\d+)\ (?:minutes?|hours?|days?|weeks?|months?|years?)\ ago
    |every\ (?:day|week|month|{_EN_DAY}|{_EN_PART})
    |on\ {_EN_DAY}s?(?:\ {_EN_PART}s?)?(?:\ at\ [\w:.]+)?
    |in\ (?:{_EN_MONTH}|the\ {_EN_PART}|{_EN_SEASON})
    |(?:before|after|during|until|by)\ (?:{_EN_MONTH}|{_EN_DAY}|next\ \w+|the\ \w+|my\ \w+)
    |at\ (?:the\ weekend|night|weekends|Christmas|Easter)
    )(?=[.?!;,]|$)"""
)
_EN_CLAUSE: Final = re.compile(r"(?:^|[.?!;,]\s+)((?:[Hh]i|[Hh]ello|[Pp]lease)[,!]?\s+)?(?=\w)")
_IT_DAY: Final = "(?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)"
_IT_PART: Final = "(?:mattina|pomeriggio|sera|notte)"
_IT_MONTH: Final = (
    "(?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)"
)
_IT_TIME: Final = rf"""(?:
    (?:oggi|domani|dopodomani|ieri)(?:\ {_IT_PART})?(?:\ alle\ [\w:.]+)?|stasera|stamattina|stanotte
    |(?:la|il)\ (?:settimana|mese|anno|weekend)\ (?:scors|prossim)[oa]
    |(?:la|il)\ (?:scors|prossim)[oa]\ (?:settimana|mese|anno|weekend)
    |(?:una?|due|tre|quattro|cinque|dieci|\d+)\ (?:minut|or|giorn|settiman|mes|ann)[aeio]\ fa
    |(?:il\ |la\ |ogni\ )?{_IT_DAY}(?:\ {_IT_PART}|\ (?:scors|prossim)[oa])?(?:\ alle\ [\w:.]+)?
    |(?:in|a|ad)\ {_IT_MONTH}|entro\ (?:{_IT_MONTH}|{_IT_DAY})|in\ (?:estate|inverno|primavera|autunno)
    |(?:prima|dopo)\ (?:del(?:la|lo|l['’])?\ ?)?(?!di\b|che\b|aver)\w+|durante\ (?:il|la|lo|l['’])\ ?\w+
    )"""
_IT_WHEN: Final = re.compile(rf"(?ix)(?<=\w)\ ({_IT_TIME})(?=[.?!;,]|$)")
_IT_ANY: Final = re.compile(rf"(?ix)(?<!\w){_IT_TIME}(?!\w)")
_PARTICIPLE: Final = tuple(vowel + "t" + end for vowel in "aiu" for end in "oaie")
_IT_FIRST: Final = re.compile(rf"(?ix)(?:^|(?<=[,;.!?]\ )|(?<=\be\ ))({_IT_TIME})\ (?=\w)")
_IT_CLAUSE: Final = re.compile(
    r"(?:^|[.?!;,]\s+|\bse\s+)((?:ciao|salve|buongiorno|buonasera)[,!]?\s+)?(?=\w)", re.I
)
_DATES_OBJECT: Final = frozenset(
    {  # their object is dated by it: cancel the lesson on Monday
        "move",
        "change",
        "shift",
        "postpone",
        "reschedule",
        "switch",
        "swap",
        "transfer",
        "delay",
        "bring",
        "cancel",
        "confirm",
        "check",
        "miss",
        "forget",
        "remember",
        "extend",
        "know",
        "tell",
        "send",
        "remind",
        "spostare",
        "cambiare",
        "modificare",
        "annullare",
        "disdire",
        "cancellare",
        "confermare",
        "rimandare",
        "posticipare",
        "anticipare",
        "controllare",
        "verificare",
        "ricordare",
        "dimenticare",
        "sapere",
        "dire",
        "mandare",
        "inviare",
        "prorogare",
        "prolungare",
        "portare",
    }
)
_BOOKING: Final = frozenset(
    {  # what is booked is for that time: book a table on Saturday
        "book",
        "reserve",
        "order",
        "buy",
        "sign",
        "register",
        "enrol",
        "enroll",
        "arrange",
        "schedule",
        "need",
        "hire",
        "rent",
        "prenotare",
        "riservare",
        "ordinare",
        "comprare",
        "iscrivere",
        "fissare",
        "acquistare",
        "segnare",
        "affittare",
        "noleggiare",
        "volere",
    }
)
_CLOSE: Final = frozenset(
    {"straight", "right", "just", "shortly", "only", "even", "immediately", "subito", "solo"}
)
_ASKING: Final = frozenset({"when", "what", "how", "who", "where", "which", "why", "whose"})
_LINKS: Final = frozenset(
    {
        "and",
        "or",
        "but",
        "because",
        "if",
        "that",
        "when",
        "while",
        "so",
        "which",
        "who",
        "where",
        "as",
        "than",
        "e",
        "ed",
        "o",
        "ma",
        "perché",
        "che",
        "quando",
        "mentre",
        "quindi",
        "dove",
        "cui",
        "come",
        "di",
        "until",
        "unless",
    }
)
_BEFORE_TIME: Final = frozenset(
    {
        "from",
        "to",
        "for",
        "of",
        "until",
        "by",
        "since",
        "than",
        "about",
        "like",
        "the",
        "a",
        "an",
        "this",
        "da",
        "di",
        "per",
        "entro",
        "fino",
        "del",
        "dal",
        "al",
        "della",
        "dalla",
        "alla",
        "quella",
        "il",
        "la",
    }
)
_SURE: Final = 0.86
_LESS_USUAL: Final = 0.815  # below a complement that goes before the object
_LONGEST: Final = 14  # words of a clause; in longer ones a time may belong to anything
_NO_FRONT: Final = frozenset({"please", "let", "any", "anything", "looking", "need", "thanks", "no", "yes"})


def _clause_start(pattern: re.Pattern[str], text: str, end: int) -> int:
    starts = [match.end() for match in pattern.finditer(text, 0, end)]
    return starts[-1] if starts else 0


class EnglishTimeFirst:
    """Can I return it on Sunday?: On Sunday, can I return it?"""

    test, language, needs = "ST-11", "en", ("parser",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        for match in _EN_WHEN.finditer(text):
            start = _clause_start(_EN_CLAUSE, text, match.start())
            tree = pack.get("parser").parse(text)
            words = [token for token in tree if start <= token.idx < match.start()]
            if words and _may_wait(words) and not (text[match.end() :].startswith(",") and start == 0):
                clause = text[start : match.start()]
                first = lowered(words[0]) if words[0].idx == start else clause.split()[0]
                if words[0].tag_ not in ("NNP", "NNPS") and words[0].lower_ != "i":
                    first = first[:1].lower() + first[1:]
                comma = "," if start == 0 else ""  # no second comma behind the one before the clause
                after = f"{match.group(1)}{comma} {first}{clause[len(words[0].text) :]}"
                change = edit(text, start, match.end(), in_case_of(text[start : start + 1], after))
                yield Substitution((change,), "the time first in its clause", _SURE, ("spacy",))

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no verb has two adjacent complements, or an object next to a complement"


def _may_wait(words: list[Any]) -> bool:
    """True if a clause can follow its time: an event, no question, no other clause inside."""
    lemmas = {word.lemma_.lower() for word in words}
    low = [word.lower_ for word in words]
    if low[0] in _ASKING or low[0] in _NO_FRONT or low[0] in _LINKS or len(words) > _LONGEST:
        return False
    booked = any(word.lemma_.lower() in _BOOKING and word.tag_ not in ("VBD", "VBN") for word in words)
    if booked or low[-1] in _CLOSE or _EN_WHEN.search(" ".join(("x", *low, "."))) is not None:
        return False
    if not lemmas.isdisjoint(_DATES_OBJECT) or not _LINKS.isdisjoint(low) or low[-1] in _BEFORE_TIME:
        return False
    if any(
        word.dep_ in ("relcl", "acl", "advcl", "ccomp") and word.pos_ in ("VERB", "AUX") for word in words
    ):
        return False
    opens = words[0].tag_ in ("MD", "VB", "VBZ", "VBP", "VBD") or words[0].pos_ in ("AUX", "PRON", "DET")
    opens = opens or any(word.dep_ in ("nsubj", "nsubjpass") for word in words)
    return opens and any(word.pos_ in ("VERB", "AUX") for word in words)


class ItalianTimeFirst:
    """Ho perso la carta ieri: ieri ho perso la carta; ieri ho perso la carta: ho perso ieri la carta."""

    test, language, needs = "ST-11", "it", ("analysis",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        tokens = pack.get("analysis")(text)
        for match in _IT_WHEN.finditer(text):
            start = _clause_start(_IT_CLAUSE, text, match.start())
            words = [token for token in tokens if start <= token.start < match.start()]
            if not _may_wait_it(words):
                continue
            clause = text[start : match.start()]
            opening = clause[:1] if words[0].part == "name" and start else clause[:1].lower()
            after = f"{match.group(1)} {opening}{clause[1:]}"
            change = edit(text, start, match.end(), in_case_of(text[start : start + 1], after))
            yield Substitution((change,), "the time first in its clause", _LESS_USUAL)
        for match in _IT_FIRST.finditer(text):
            yield from self._behind_verb(text, tokens, match)

    def _behind_verb(self, text: str, tokens: list[Token], found: re.Match[str]) -> Iterator[Substitution]:
        behind = [token for token in tokens if token.start >= found.end()]
        verbs = [at for at, token in enumerate(behind) if token.part == "fin"]
        if not verbs or any(token.part not in ("adv", "pron") for token in behind[: verbs[0]]):
            return
        last = verbs[0]
        while last + 1 < len(behind) and behind[last + 1].part in ("part", "inf"):
            last += 1
        if last + 1 >= len(behind) or behind[last + 1].part in ("sign", "conj", "rel", "adv", "adj"):
            return
        clause = text[found.end() : behind[last].end]
        when = found.group(1)
        when = when[:1].lower() + when[1:]
        after = f"{clause} {when}"
        change = edit(text, found.start(), behind[last].end, placed(text, found.start(), after))
        yield Substitution((change,), "the time behind the verb", _LESS_USUAL)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no verb has two adjacent complements, or an object next to a complement"


def _may_wait_it(words: list[Token]) -> bool:
    if not words or len(words) > _LONGEST:
        return False
    low = [word.lower for word in words]
    verbs = [word for word in words if word.part in ("fin", "inf", "part", "ger")]
    booked = any(verb.lemma in _BOOKING and verb.part != "part" for verb in verbs)
    accepted = booked or low[-1] in _CLOSE or _IT_ANY.search(" ".join(low)) is not None
    if (
        not any(word.part == "fin" for word in words)
        or any(verb.lemma in _DATES_OBJECT for verb in verbs)
        or accepted
    ):
        return False
    purpose = len(words) > 1 and words[-1].part == "inf" and words[-2].lower in ("per", "di", "a")
    if purpose or words[-1].lower.endswith(_PARTICIPLE):  # per partire lunedì, comprato la settimana scorsa
        return False
    finite = [at for at, token in enumerate(words) if token.part == "fin"]
    linked = {"che", "perché", "quando", "mentre", "ma", "se"} & set(low) or {"e", "ed", "o"} & set(
        low[: finite[-1]]
    )
    return not linked and len(finite) == 1 and low[-1] not in _BEFORE_TIME


_PART_OF_DAY_IT: Final = re.compile(
    r"(?i)(?:\b(?P<lead>a|di|da|per|entro) )?(?<![\w’'])"
    rf"(?P<day>{_IT_DAY}) (?P<part>mattina|pomeriggio|sera)\b"
)
_PART_OF_DAY_EN: Final = re.compile(
    rf"\b(?P<lead>on|for|to|until|by|from|before) (?P<day>{_EN_DAY}) (?P<part>{_EN_PART})\b"
)
_PRICED_EN: Final = re.compile(
    r"(?<![\w£$€])(?P<lead>[Aa]n?|[Tt]he|[Mm]y|[Yy]our) (?P<sum>[£$€]\d(?:[\d.,]*\d)?) "
    r"(?P<noun>deposit|fee|fine|voucher|refund|bill|charge|discount|budget|donation|payment|penalty)\b"
)


class ItalianPartOfDay:
    """sabato mattina: la mattina di sabato."""

    test, language, needs = "ST-9", "it", ("analysis",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        for match in _PART_OF_DAY_IT.finditer(text):
            lead, part = (match.group("lead") or "").lower(), match.group("part").lower()
            article = "il" if part == "pomeriggio" else "la"
            joined = contracted(lead, article) if lead in ("a", "di", "da") else f"{lead} {article}".strip()
            after = f"{joined} {part} di {match.group('day').lower()}"
            change = edit(text, *match.span(), placed(text, match.start(), after))
            yield Substitution((change,), "the part of the day before its day", 0.84)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no noun is next to an adjective or is measured by another noun"


class EnglishNounFirst:
    """Saturday morning: the morning of Saturday; a £50 deposit: a deposit of £50."""

    test, language, needs = "ST-9", "en", ("parser",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        for match in _PART_OF_DAY_EN.finditer(text):
            after = f"{match.group('lead')} the {match.group('part')} of {match.group('day')}"
            change = edit(text, *match.span(), placed(text, match.start(), after))
            yield Substitution((change,), "the part of the day before its day", 0.84)
        for match in _PRICED_EN.finditer(text):
            lead = "a" if match.group("lead").lower() == "an" else match.group("lead")
            after = f"{lead} {match.group('noun')} of {match.group('sum')}"
            change = edit(text, *match.span(), placed(text, match.start(), after))
            yield Substitution((change,), "the noun before its sum", 0.88)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no noun follows an adjective or is measured by another noun"
