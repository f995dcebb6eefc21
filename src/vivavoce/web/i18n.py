"""The pages' own words: English in the templates, other languages from gettext catalogues.

Catalogues are compiled in memory at the start, so a translator edits the .po file and restarts.
"""

from gettext import NullTranslations
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError

from vivavoce.core import i18n
from vivavoce.core.i18n import SOURCE_LANGUAGE

LOCALE: Final = Path(__file__).parent / "locale"
DOMAIN: Final = "participant"
LANGUAGE_COOKIE: Final = "vivavoce-language"  # of annotators, and of the dashboard


def catalogue_file(language: str) -> Path:
    return i18n.catalogue_file(LOCALE, language, DOMAIN)


def page_languages() -> list[str]:
    """The languages that the pages speak, the source language first."""
    return i18n.languages_of(LOCALE, DOMAIN)


def page_language(language: str) -> str:
    """The pages' language nearest to a study's language; English where there is none."""
    for candidate in (language, language.split("-")[0]):
        if candidate in page_languages():
            return candidate
    return SOURCE_LANGUAGE


def translations(language: str) -> NullTranslations:
    """The words of a language of `page_languages`."""
    return i18n.read_catalogue(LOCALE, language, DOMAIN)


def language_name(language: str) -> str:
    """What a language calls itself, such as Italiano; the tag where it is unknown."""
    try:
        name = Locale.parse(language, sep="-").get_display_name(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return language
    return name[:1].upper() + name[1:] if name else language


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
