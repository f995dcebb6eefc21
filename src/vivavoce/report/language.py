"""The language in which a report is being written, and its words.

English stands in the code; other languages come from their folders (`vivavoce.languages`): the report's own
words in `report.po`, those of the measures in `measures.po`. What the analysis hands over is plain English
too: a sentence with numbers in it is found by its pattern in the catalogue.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from gettext import NullTranslations
from pathlib import Path
from typing import Any, Final

from babel.numbers import get_decimal_symbol

from vivavoce.core.errors import UnknownName
from vivavoce.core.i18n import SOURCE_LANGUAGE, parse_catalogue
from vivavoce.languages.base import language_of, languages_with, locale_of, package_words, words

DOMAIN: Final = "report"
MEASURES_DOMAIN: Final = "measures"
_SENTENCE: Final = re.compile(r"(?<=[.!?]) (?=[A-Z0-9`])")
_LANGUAGE: ContextVar[str] = ContextVar("report_language", default=SOURCE_LANGUAGE)
_OWN: ContextVar[Path | None] = ContextVar("own_words", default=None)  # of the section being written
_PLACE: Final = re.compile(r"\{(\w+)\}")
_DECIMAL: Final = re.compile(r"(?<=\d)\.(?=\d)")


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
        made = super().__new__(cls, text)
        made.values = values
        return made


def say(template: str, /, **values: Any) -> str:
    """A phrase in the report's language; `{places}` are filled in afterwards.

    Output  a `Shown` where places are filled by numbers, which it then knows by the places' names; of two
            limits or more in one place, by the place's name and their own (`interval_low`)
    """
    phrase = _words().gettext(template) if template else ""
    if not values:
        return phrase
    numbers = {
        name if len(one.values) == 1 else f"{name}_{key}": number
        for name, one in values.items()
        if isinstance(one, Shown)
        for key, number in one.values.items()
    }
    text = phrase.format(**values)
    return Shown(text, **numbers) if numbers else text


def noun(one: str, several: str, n: int) -> str:
    """The form of a noun that goes with n."""
    return _words().ngettext(one, several, n)


def translated(text: str) -> str:
    """Finished English sentences in the report's language; what the catalogue does not know stays."""
    if language() == SOURCE_LANGUAGE or not text:
        return text
    whole = _sentence(text)
    if whole is not None:
        return whole
    parts = _SENTENCE.split(text)
    return " ".join(_sentence(part) or part for part in parts) if len(parts) > 1 else text


def _sentence(sentence: str) -> str | None:
    exact = _words().gettext(sentence)
    if exact != sentence:
        return exact
    for pattern, template in _patterns(language(), _OWN.get()):
        if match := pattern.fullmatch(sentence):
            return say(template, **{name: _part(text) for name, text in match.groupdict().items()})
    return None


def _part(text: str) -> str:
    """A filled-in part: a phrase of its own, or a number with the language's decimal sign."""
    if re.fullmatch(r"[\d.,%]+", text):
        return _DECIMAL.sub(get_decimal_symbol(locale_of(language())), text)
    return translated(text) if " " in text else text


@lru_cache
def _patterns(language: str, own: Path | None) -> list[tuple[re.Pattern[str], str]]:
    """The catalogues' phrases with places in them, those with the longest fixed text first."""
    spoken = language_of(language)
    files = [spoken.catalogue(DOMAIN)] if spoken is not None else []
    files += [folder / f"{language}.po" for folder in (own, *package_words().values()) if folder]
    templates = [template for file in files if file.is_file() for template in _templates(file, language)]
    found = [template for template in templates if _fixed(template) >= 8 and _PLACE.search(template)]
    found.sort(key=_fixed, reverse=True)
    return [(re.compile(_expression(template), re.DOTALL), template) for template in found]


def _templates(file: Path, language: str) -> list[str]:
    return [one.id for one in parse_catalogue(file, language) if isinstance(one.id, str)]


def _fixed(template: str) -> int:
    return len(_PLACE.sub("", template))


def _expression(template: str) -> str:
    parts = _PLACE.split(template)
    seen: set[str] = set()
    expression = ""
    for position, part in enumerate(parts):
        if position % 2 == 0:
            expression += re.escape(part)
        else:
            expression += f"(?P={part})" if part in seen else f"(?P<{part}>(?:(?!{_SENTENCE.pattern}).)+?)"
            seen.add(part)
    return expression
