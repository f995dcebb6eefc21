"""ST-7: days, dates and months by a description: tomorrow, the day after today."""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, Final

from babel import Locale

from vivavoce_stress.base import LanguagePack, Substitution, Utterance
from vivavoce_stress.italian.inflection import contracted
from vivavoce_stress.words import edit, placed, places_of

_RULE: Final = "the day by a description"
_SURE: Final = 0.85
_UNSURE: Final = 0.6
_BESIDE: Final = re.compile(  # a date or today told by the day beside it: a riddle, which nobody writes
    r"\b(?:giorno (?:dopo|prima di)|day (?:after|before)) (?:oggi|today|(?:l['’]|il |the )\w)"
)
_NESTED: Final = re.compile(r"\b(?:before|after|prima|dopo)\s+$", re.IGNORECASE)
_ORDINALS: Final = {
    "it": (
        "primo",
        "secondo",
        "terzo",
        "quarto",
        "quinto",
        "sesto",
        "settimo",
        "ottavo",
        "nono",
        "decimo",
        "undicesimo",
        "dodicesimo",
    ),
    "en": (
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
    ),
}
_TOLD_BY_DAY: Final = re.compile(r"\b(?:giorno (?:dopo|prima)|day (?:after|before))\b")
_PART_OF_MORE: Final = re.compile(
    r"\s+(?:\d|day\b|eve\b|food|menu|dinner|lunch|party|"
    r"nights|mornings|evenings|dopo\b)|['’]s\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r"\b(il|la|del|al|dal|nel|sul|della|alla|dalla|di|a|da|in|su)\s+$", re.IGNORECASE)
_ELIDED: Final = re.compile(r"\b(l|dell|all|dall|nell|sull)['’]$", re.IGNORECASE)
_STEMS: Final = {"de": "di", "a": "a", "da": "da", "ne": "in", "su": "su"}
_PART_IT: Final = re.compile(r"\s+(mattina|pomeriggio|sera|notte)\b", re.IGNORECASE)
_NEXT_IT: Final = re.compile(r"\s+(prossim|scors)[oa]\b", re.IGNORECASE)
_PART_EN: Final = re.compile(r"\s+(morning|afternoon|evening|night)\b", re.IGNORECASE)
_NEXT_EN: Final = re.compile(r"\bnext\s+$", re.IGNORECASE)
_TOLD_EN: Final = re.compile(r"\b(?:this|last|every|each)\s+$", re.IGNORECASE)
_LAST_DAY: Final = 31


class DatesDescribed:
    """Days and feasts by the language file's descriptions; dates by the day before; months by number."""

    test, language, needs = "ST-7", "*", ("described",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, language = utterance.text, utterance.language
        days = pack.get("described").items()
        if language == "it":
            replacements = (*_italian_days(text, days), *_italian_dates(text))
        elif language == "en":
            replacements = (*_english_days(text, days), *_english_dates(text))
        else:
            replacements = tuple(
                (start, end, described) for word, described in days for start, end in places_of(word, text)
            )
        for start, end, after in replacements:
            change = edit(text, start, end, placed(text, start, after))
            beside = _BESIDE.search(after) or (_TOLD_BY_DAY.search(after) and _NESTED.search(text[:start]))
            yield Substitution((change,), _RULE, _UNSURE if beside else _SURE)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no name has a known description, and the previous turn mentions none"


_Found = Iterator[tuple[int, int, str]]


@cache
def _months(language: str) -> tuple[str, ...]:
    month_names = Locale.parse(language).months["format"]["wide"]
    return tuple(month_names[number] for number in range(1, 13))


def _italian_days(text: str, days: Any) -> _Found:
    for word, described in days:
        for start, end in places_of(word, text):
            if _PART_OF_MORE.match(text[end:]):
                continue
            part, nearest = _PART_IT.match(text[end:]), _NEXT_IT.match(text[end:])
            phrase = described
            if part:
                end += part.end()
                part_of_day = part.group(1).lower()
                phrase = (
                    f"{'il' if part_of_day == 'pomeriggio' else 'la'} {part_of_day} {_led('di', described)}"
                )
            elif nearest:
                end += nearest.end()
                phrase = f"{described} {nearest.group(1).lower()}{'o' if described.endswith('ì') else 'a'}"
            yield _behind_lead(text, start, end, phrase)


def _italian_dates(text: str) -> _Found:
    months = "|".join(_months("it"))
    for match in re.finditer(rf"(?<![\d/.:])\b(\d{{1,2}}|primo|1°)\s+({months})\b", text, re.IGNORECASE):
        day = int(match.group(1)) if match.group(1).isdigit() else 1
        month = match.group(2).lower()
        weekday = re.search(r"(?:ì|sabato|domenica)\s+$", text[: match.start()])
        if not 0 < day <= _LAST_DAY or weekday:
            continue
        before = day - 1
        eve = "il primo" if before == 1 else f"l'{before}" if before in (8, 11) else f"il {before}"
        phrase = f"il giorno dopo {eve} {month}" if before else f"il primo giorno di {month}"
        yield _behind_lead(text, *match.span(), phrase)
    for match in re.finditer(rf"\b(di|a|in|entro|da|per)\s+({months})\b(?!\s+\d)", text, re.IGNORECASE):
        number = _months("it").index(match.group(2).lower())
        preposition = {"a": "in"}.get(match.group(1).lower(), match.group(1).lower())
        yield (*match.span(), _led(preposition, f"il {_ORDINALS['it'][number]} mese dell'anno"))


def _behind_lead(text: str, start: int, end: int, phrase: str) -> tuple[int, int, str]:
    """The phrase with its article, contracted with the preposition before it: del giorno dopo oggi."""
    lead = _LEAD.search(text[:start]) or _ELIDED.search(text[:start])
    if lead is None:
        return start, end, phrase
    preposition = lead.group(1).lower()
    stem = (
        preposition
        if preposition in ("di", "a", "da", "in", "su")
        else re.sub(r"l(?:l|la)?$", "", preposition)
    )
    stem = _STEMS.get(stem, stem)
    return lead.start(), end, _led(stem, phrase) if stem in _STEMS.values() else phrase


def _led(preposition: str, phrase: str) -> str:
    """A phrase with article behind a preposition: di, la sera gives della sera; di, domenica stays."""
    article, bare = ("l'", phrase[2:]) if phrase.startswith("l'") else phrase.split(" ", 1)
    if article not in ("il", "la", "l'"):
        return f"{preposition} {phrase}"
    joined = contracted(preposition, article)
    return joined + ("" if joined.endswith("'") else " ") + bare


def _english_days(text: str, days: Any) -> _Found:
    for word, described in days:
        for start, end in places_of(word, text):
            part, nearest = _PART_EN.match(text[end:]), _NEXT_EN.search(text[:start])
            if _PART_OF_MORE.match(text[end:]) or _TOLD_EN.search(text[:start]):
                continue
            phrase = described
            if nearest:
                start = nearest.start()
                *lead, last = described.split()
                phrase = " ".join((*lead, "next", last))
            if part:
                end += part.end()
                phrase = f"the {part.group(1).lower()} of {phrase}"
            if _PART_OF_MORE.match(text[end:]):
                continue
            yield start, end, phrase


def _english_dates(text: str) -> _Found:
    months = "|".join(_months("en"))
    pattern = rf"\b(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+({months})\b(?!\s+\d)"
    turned = rf"\b({months})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*[\d:])"
    matches = [(match.span(), match.group(1), match.group(2)) for match in re.finditer(pattern, text)]
    matches += [(match.span(), match.group(2), match.group(1)) for match in re.finditer(turned, text)]
    for (start, end), day, month in matches:
        if 0 < int(day) <= _LAST_DAY:
            before = int(day) - 1
            eve = f"the day after the {before}{_suffix(before)} of {month}"
            yield start, end, eve if before else f"the first day of {month}"
    single = rf"\b(in|before|after|by|until|since|from|during)\s+({months})\b(?!\s+\d)"
    for month_match in re.finditer(single, text):
        number = _months("en").index(month_match.group(2))
        yield month_match.start(2), month_match.end(2), f"the {_ORDINALS['en'][number]} month of the year"


def _suffix(day: int) -> str:
    teens = 10 < day < 14
    return "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
