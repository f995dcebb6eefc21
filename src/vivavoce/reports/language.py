"""The language of a report: translation, and numbers in that language's format.

The code is in English; other languages come from their folders (`vivavoce.languages`): the report's words in
`report.po`, those of the measures in `measures.po`. The analysis returns English sentences with their values
apart (`core.statement`); `stated` translates them. Numbers are rounded half up; a missing one is a dash,
never 0.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from gettext import NullTranslations
from math import floor, isfinite, log10
from pathlib import Path
from typing import Any, Final

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import get_decimal_symbol

from vivavoce.core.errors import UnknownName
from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.rounding import half_up
from vivavoce.core.statement import FormattedNumber, LocalizedText, PluralCount, Value
from vivavoce.languages.base import languages_with, locale_of, words

DOMAIN: Final = "report"
MEASURES_DOMAIN: Final = "measures"
_SENTENCES: Final = re.compile(r"(?<=[.!?]) (?=[A-Z0-9`])")
_LANGUAGE: ContextVar[str] = ContextVar("report_language", default=SOURCE_LANGUAGE)
_OWN: ContextVar[Path | None] = ContextVar("own_words", default=None)  # of the section being written


def report_languages() -> list[str]:
    """The languages in which reports can be written."""
    return languages_with(f"{DOMAIN}.po")


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Everything written inside comes out in this language.

    Raises  UnknownName: no catalogue for it
    """
    if language not in report_languages():
        raise UnknownName("language", language, report_languages(), place="report")
    token = _LANGUAGE.set(language)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def language() -> str:
    """The language being written."""
    return _LANGUAGE.get()


@contextmanager
def with_words(locale: Path) -> Iterator[None]:
    """Everything written inside is looked up in `<language>.po` of this folder before the report's own."""
    token = _OWN.set(locale)
    try:
        yield
    finally:
        _OWN.reset(token)


def _words() -> NullTranslations:
    return words(language(), DOMAIN, MEASURES_DOMAIN, own=_OWN.get())


class Shown(str):
    """A number as people read it, which still knows what was computed: `values` by name, None: missing."""

    values: Mapping[str, float | None]

    def __new__(cls, text: str, /, **values: float | None) -> "Shown":
        text_with_values = super().__new__(cls, text)
        text_with_values.values = values
        return text_with_values


def say(template: str, /, **values: Any) -> str:
    """A phrase in the report's language; `{places}` are filled in afterwards.

    Output  a `Shown` where places are filled by numbers, which it then knows by the places' names; of two
            limits or more in one place, by the place's name and their own (`interval_low`)
    """
    phrase = _words().gettext(template) if template else ""
    if not values:
        return phrase
    numbers = {
        name if len(value.values) == 1 else f"{name}_{key}": number
        for name, value in values.items()
        if isinstance(value, Shown)
        for key, number in value.values.items()
    }
    text = phrase.format(**values)
    return Shown(text, **numbers) if numbers else text


def noun(one: str, several: str, n: int) -> str:
    """The form of a noun that goes with n."""
    return _words().ngettext(one, several, n)


def by_sentence(text: str) -> str:
    """A declared text in the report's language, sentence by sentence, as catalogues have it."""
    return " ".join(map(say, _SENTENCES.split(text)))


def stated(told: LocalizedText) -> str:
    """Render a text of the analysis in the report's language; text without a translation stays English."""
    return say(told.template, **{name: _filled(value) for name, value in told.values})


def _filled(value: Value) -> str:
    if isinstance(value, LocalizedText):
        return stated(value)
    if isinstance(value, PluralCount):
        return f"{value.n} {noun(value.noun, value.noun + 's', value.n)}"
    return localised(str(value)) if isinstance(value, FormattedNumber) else str(value)


def localised(number: str) -> str:
    """A number written with a point, with the decimal sign of the language."""
    return number.replace(".", get_decimal_symbol(locale_of(language())))


def named_language(tag: str) -> str:
    """Name of a language in the report's language; the tag where it is unknown."""
    try:
        return Locale.parse(tag, sep="-").get_display_name(locale_of(language())) or tag
    except (UnknownLocaleError, ValueError):
        return tag


MISSING: Final = "–"
THIN: Final = "\u202f"  # between a number and its unit
MONEY: Final = "currency units"
_SMALL: Final = 0.005
_MINUTE_S: Final = 60


def percent(ratio: float | None) -> str:
    """A ratio as a percentage with one decimal, such as 84.6%."""
    return Shown(MISSING if ratio is None else f"{localised(_rounded(100 * ratio, 1))}%", ratio=ratio)


def span(low: float | None, high: float | None) -> str:
    """The limits of a ratio's interval in percent, such as 79.5 to 88.6."""
    return between(low, high, lambda value: _signed(100 * value))


def between(low: Any, high: Any, write: Any) -> str:
    """Two limits, each written by `write`."""
    if low is None or high is None:
        return Shown(MISSING, low=None, high=None)
    return _between(low, high, [write(low), write(high)])


def _between(low: float, high: float, ends: list[str]) -> str:
    return Shown(say("{low} to {high}", low=ends[0], high=ends[1]), low=low, high=high)


def points(difference: float | None) -> str:
    """A difference of two ratios in percentage points, with its sign."""
    text = MISSING if difference is None else _signed(100 * difference, plus=True)
    return Shown(text, difference=difference)


def p_value(p: float | None) -> str:
    """Three decimals, in English without the leading zero; smaller ones as a bound."""
    return Shown(_p_value(p), p=p)


def _p_value(p: float | None) -> str:
    if p is None:
        return MISSING
    if p < 0.001:
        return f"< {_without_zero('0.001')}"
    return "1" if p > 0.9995 else _without_zero(_rounded(p, 3))


def z_value(z: float | None) -> str:
    return Shown(MISSING if z is None else _signed(z, decimals=2), z=z)


def coefficient(value: float | None, decimals: int = 2) -> str:
    """A coefficient such as a correlation, with its sign and its leading zero."""
    return Shown(MISSING if value is None else _signed(value, decimals=decimals), value=value)


def durations(*seconds: float | None, plus: bool = False) -> list[str]:
    """Durations that stand together, such as 35 ms, 4.2 s, 2 min 7 s; missing ones are dashes.

    All are in the unit of the longest, with as many decimals as tell apart those that differ.
    """
    present = [second for second in seconds if second is not None]
    most = max(map(abs, present), default=0.0)
    if most >= _MINUTE_S and len({round(second) for second in present}) == len(set(present)):
        write = _minutes
    else:
        unit, times, decimals = ("ms", 1000, 0) if 0 < most < 1 else ("s", 1, 2 if most < 10 else 1)
        while decimals < 4 and len({half_up(times * second, decimals) for second in present}) < len(
            set(present)
        ):
            decimals += 1
        if unit == "ms" and decimals == 0 and most < 0.01:
            decimals = 1

        def write(value: float, sign: str) -> str:
            digits = localised(_rounded(abs(value) * times, decimals)) if value else "0"
            return f"{sign}{digits}{THIN}{unit}"

    def signed(value: float) -> str:
        return write(value, "\u2212" if value < 0 else "+" if plus and value > 0 else "")

    return [Shown(MISSING if second is None else signed(second), duration=second) for second in seconds]


def duration(value: float | None) -> str:
    """One duration, such as 35 ms, 4.2 s or 2 min 7 s."""
    return durations(value)[0]


def _minutes(value: float, sign: str) -> str:
    minutes, seconds = divmod(round(abs(value)), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (0 if hours else seconds, "s")]
    return sign + "\u00a0".join(f"{n}{THIN}{unit}" for n, unit in parts if n)


def amount(value: float | None, unit: str) -> str:
    """A measure's value in its unit: percent for ratios, else up to three significant decimals.

    Money that two decimals would show as nothing has two significant digits.
    """
    if value is None or unit == "ratio":
        return percent(value)
    if unit == "s":
        return duration(value)
    decimals = 1 if abs(value) >= 10 else 2
    if 0 < abs(value) < _SMALL and unit == MONEY:
        decimals = 1 - floor(log10(abs(value)))
    return Shown(f"{_signed(value, decimals=decimals)}{' ' + unit if unit == 'ms' else ''}", value=value)


def measured(value: float | None, low: float | None, high: float | None, unit: str) -> tuple[str, str]:
    """A measure's value and its interval; durations in one unit, and told apart. "": no interval."""
    if low is None or high is None:
        return amount(value, unit), ""
    if unit == "ratio":
        return percent(value), span(low, high)
    if unit != "s":
        return amount(value, unit), between(low, high, lambda number: amount(number, ""))
    text, *ends = durations(value, low, high)
    if all(string.count(THIN) == 1 for string in (text, *ends)):  # their unit stands with the value
        ends = [end.partition(THIN)[0] for end in ends]
    return text, _between(low, high, ends)


def difference(value: float | None, unit: str) -> str:
    """A difference of two measures: points for ratios, else in the unit, with its sign."""
    if value is None or unit == "ratio":
        return points(value)
    if unit == "s":
        return durations(value, plus=True)[0]
    return Shown(_signed(value, decimals=2, plus=True), difference=value)


def differences(low: float | None, high: float | None, unit: str) -> str:
    """The limits of a difference of two measures, written as it is."""
    if unit == "s" and low is not None and high is not None:
        return _between(low, high, durations(low, high, plus=True))
    return between(low, high, lambda value: difference(value, unit))


def distance(value: float, unit: str) -> str:
    """Distance of two measures: a difference without its sign."""
    text = difference(value, unit)
    return Shown(text.lstrip("+"), distance=value)


def count(n: float | None) -> str:
    """A whole number with thin spaces between thousands."""
    return Shown(MISSING if n is None else f"{round(n):,}".replace(",", THIN), n=n)


def plural(n: int, one: str, several: str | None = None) -> str:
    """`1 dialogue`, `240 dialogues`; as a number it goes by the noun."""
    several = several or one + "s"
    return Shown(f"{count(n)} {noun(one, several, n)}", **{several: n})


def instant(at: datetime | None) -> str:
    """A day in UTC, such as 3 March 2026."""
    return MISSING if at is None else format_date(at, "d\u00a0MMMM\u00a0y", locale=locale_of(language()))


def label(key: Any) -> str:
    """A group's key as people read it."""
    return say("unknown") if key is None else str(key)


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return say("{some} and {last}", some=", ".join(names[:-1]), last=names[-1])


def _without_zero(text: str) -> str:
    return text.removeprefix("0") if language() == "en" else localised(text)


def _rounded(value: float, decimals: int) -> str:
    return str(half_up(value, decimals)) if isfinite(value) else f"{value}"


def _signed(value: float, *, decimals: int = 1, plus: bool = False) -> str:
    text = _rounded(abs(value), decimals)
    if float(text) == 0:
        return localised(text)
    return ("\u2212" if value < 0 else "+" if plus else "") + localised(text)
