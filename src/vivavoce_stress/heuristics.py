"""Differences that two equivalent answers must not have: numbers, dates, names, negation, kind of turn.

Guards may only say "suspected": on pairs that they had not seen they agree with people in two cases of three.
"""

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple, cast

from babel import Locale

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, Value, statement

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NUMBER: Final = re.compile(r"(?<![\w.,:])\d+(?:[.,:]\d+)*(?!\w)|\d+")
_UNITS: Final = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici "
    "quindici sedici diciassette diciotto diciannove",
}
_TENS: Final = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
}
_HUNDRED: Final = {"en": "hundred", "it": "cento"}
_ARTICLES: Final = {"en": {"one"}, "it": {"uno", "sei"}}  # a pronoun, an article, a verb: no numbers
_DAYS: Final = {
    "en": {"today": "+0", "tonight": "+0", "tomorrow": "+1", "yesterday": "-1"},
    "it": {"oggi": "+0", "stasera": "+0", "domani": "+1", "dopodomani": "+2", "ieri": "-1"},
}
_NEGATION: Final = {
    "en": r"\b(not|no|never|none|nothing|nobody|without|cannot|unable|unavailable|impossible|failed)\b|n't\b",
    "it": r"\b(non|no|nessun\w*|mai|niente|nulla|senza|né|impossibile|purtroppo|fallit\w+)\b",
}
_QUESTION: Final = {
    "en": r"^(what|which|where|when|who|how|do|does|did|would|could|can|shall|may|is|are|at what"
    r"|for (how|which|what))\b",
    "it": r"^(che|quale|quali|quando|dove|come|chi|quanto|quanti|quante|a che|per (quante|quanti|quale)"
    r"|vuo[il]e?|desidera)\b",
}
_FILLING: Final = 3
_PATTERN: Final = 0.5


class Differences(NamedTuple):
    """Differences of two answers; `speaks_for` is the suspected verdict."""

    found: tuple[LocalizedText, ...]

    @property
    def speaks_for(self) -> str:
        return "fail" if self.found else "pass"


def compare(reference: str, answer: str, language: str) -> Differences:
    """Differences from the original's answer that an equivalent answer must not have."""
    tongue = language.split("-")[0]
    checks = (
        (N_("numbers: {original} / {variant}"), numbers(reference, tongue), numbers(answer, tongue)),
        (N_("dates: {original} / {variant}"), dates(reference, tongue), dates(answer, tongue)),
        (N_("negation: {original} / {variant}"), negated(reference, tongue), negated(answer, tongue)),
        (N_("question: {original} / {variant}"), asks(reference, tongue), asks(answer, tongue)),
    )
    differences = [
        _differs(template, original, variant) for template, original, variant in checks if original != variant
    ]
    mine, answer_names = names(reference), names(answer)
    lost = frozenset(name for name in mine if name not in _folded(answer))
    new = frozenset(name for name in answer_names if name not in _folded(reference))
    if lost and new:
        differences.append(_differs(N_("names: {original} / {variant}"), lost, new))
    filled = filling(reference, answer, tongue)
    if filled and not differences:
        differences.append(_differs(N_("words: {original} / {variant}"), *filled))
    return Differences(tuple(differences))


def _differs(template: str, original: object, variant: object) -> LocalizedText:
    return statement(template, original=_shown(original), variant=_shown(variant))


def filling(reference: str, answer: str, language: str) -> tuple[str, str] | None:
    """Words that differ in answers with the same pattern: `to the cards desk` for `the loans desk`."""
    number_words = _number_words(language)  # numbers have a guard of their own

    def words(text: str) -> list[str]:
        all_words = _WORD.findall(_plain(text))
        return [word for word in all_words if word not in number_words and not any(map(str.isdigit, word))]

    mine, theirs = words(reference), words(answer)
    codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace":
        return None
    _, low, high, other_low, other_high = changed[0]
    common = len(mine) - (high - low)
    if not low or max(high - low, other_high - other_low) > _FILLING or common < _PATTERN * len(mine):
        return None
    return " ".join(mine[low:high]), " ".join(theirs[other_low:other_high])


def numbers(text: str, language: str) -> Counter[str]:
    """Numbers, in figures or words, as they would be written in figures: 20,00 and twenty are 20."""
    counts: Counter[str] = Counter()
    for match in _NUMBER.finditer(text):
        counts[_figures(match.group())] += 1
    number_words = _number_words(language)
    for word in _WORD.findall(text.lower().replace("-", "")):
        if word in number_words and word not in _ARTICLES.get(language, ()):
            counts[str(number_words[word])] += 1
    return counts


def dates(text: str, language: str) -> frozenset[str]:
    """Weekdays, months and days counted from today."""
    date_words = _date_words(language)
    return frozenset(date_words[word] for word in map(str.lower, _WORD.findall(text)) if word in date_words)


def names(text: str) -> frozenset[str]:
    """Capitalised words that begin no sentence, lower-cased and without accents."""
    all_names = set()
    for match in re.finditer(r"[^\W\d_]{3,}", text):
        before = text[: match.start()].rstrip(" \"'«“(")
        if match.group()[0].isupper() and before and before[-1] not in ".!?:\n":
            all_names.add(_plain(match.group()))
    return frozenset(all_names)


def negated(text: str, language: str) -> bool:
    form = _NEGATION.get(language.split("-")[0])
    return form is not None and re.search(form, text.lower().replace("’", "'")) is not None


def asks(text: str, language: str) -> bool:
    """True if the turn ends with a question."""
    last = re.split(r"(?<=[.!])\s+", text.strip())[-1].lower()
    form = _QUESTION.get(language)
    return last.endswith("?") or (form is not None and not last.endswith(".") and bool(re.match(form, last)))


def _figures(number: str) -> str:
    digits = re.sub(r"[.,]0+$", "", number) if ":" not in number else number
    return digits.replace(",", ".")


@lru_cache
def _number_words(language: str) -> dict[str, int]:
    if language not in _UNITS:
        return {}
    units = dict(zip(_UNITS[language].split(), range(20), strict=True))
    number_words, hundred = dict(units), _HUNDRED[language]
    for ten, word in zip(range(20, 100, 10), _TENS[language].split(), strict=True):
        number_words[word] = ten
        for unit, digit in list(units.items())[1:10]:
            stem = word[:-1] if language == "it" and unit[0] in "uo" else word
            number_words[stem + unit] = ten + digit
    return number_words | {hundred: 100}


@lru_cache
def _date_words(language: str) -> dict[str, str]:
    if language not in _DAYS:
        return {}
    locale = Locale(language)
    days = {name.lower(): f"day {number}" for number, name in locale.days["format"]["wide"].items()}
    months = {name.lower(): f"month {number}" for number, name in locale.months["format"]["wide"].items()}
    months.pop("may", None)  # a verb, too
    return days | months | _DAYS[language]


def plain(text: str) -> str:
    """A text for comparison: no case, accents, punctuation or double spaces."""
    return " ".join(re.findall(r"\w+", _plain(text)))


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _folded(text: str) -> set[str]:
    return set(_WORD.findall(_plain(text)))


def _shown(value: object) -> Value:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return LocalizedText(N_("yes") if value else N_("no"))
    several = sorted(
        value.elements() if isinstance(value, Counter) else map(str, cast("frozenset[str]", value))
    )
    return ", ".join(several) or LocalizedText(N_("none"))
