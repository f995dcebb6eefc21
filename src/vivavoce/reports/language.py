"""The language in which a report is being written, and its words.

English stands in the code; other languages come from their folders (`vivavoce.languages`): the report's own
words in `report.po`, those of the measures in `measures.po`. What the analysis hands over is plain English
too, with its values apart (`core.statement`): `stated` puts them into the language's own words.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from pathlib import Path
from typing import Any, Final

from babel import Locale, UnknownLocaleError
from babel.numbers import get_decimal_symbol

from vivavoce.core.errors import UnknownName
from vivavoce.core.i18n import SOURCE_LANGUAGE
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
