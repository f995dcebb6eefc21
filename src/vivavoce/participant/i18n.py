"""The pages' own words: English in the templates, other languages from the catalogues of their folders.

Catalogues are compiled in memory at the start, so a translator edits the .po file and restarts.
"""

from datetime import UTC, datetime
from gettext import NullTranslations
from typing import Final

from babel.dates import format_datetime

from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.languages.base import language_of, languages_with, locale_of, words

DOMAIN: Final = "participant"
LANGUAGE_COOKIE: Final = "vivavoce-language"  # of annotators, and of the dashboard


def page_languages() -> list[str]:
    """The languages that the pages speak, the source language first."""
    return languages_with(f"{DOMAIN}.po")


def page_language(language: str) -> str:
    """The pages' language nearest to a study's language; English where there is none."""
    installed = language_of(language)
    return (
        installed.name if installed is not None and installed.catalogue(DOMAIN).is_file() else SOURCE_LANGUAGE
    )


def translations(language: str) -> NullTranslations:
    """The words of a language of `page_languages`."""
    return words(language, DOMAIN)


def shown_instant(at: datetime, language: str) -> str:
    """An instant as a page says it, in UTC, in the nearest of the pages' languages."""
    locale = locale_of(page_language(language))
    return format_datetime(at.astimezone(UTC), "d MMMM yyyy, HH:mm 'UTC'", locale=locale)


def accepted_language(header: str, offered: tuple[str, ...]) -> str:
    """The offered language that a browser's Accept-Language header likes best; else the first offered."""
    wishes: list[tuple[float, int, str]] = []
    for place, part in enumerate(header.split(",")[:20]):
        tag, _, weight = part.strip().partition(";q=")
        try:
            wishes.append((-float(weight or 1), place, tag.lower()))
        except ValueError:
            continue
    for _, _, tag in sorted(wishes):
        for language in offered:
            if tag and (language.lower() == tag or language.lower().split("-")[0] == tag.split("-")[0]):
                return language
    return offered[0]
