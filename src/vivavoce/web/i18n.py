"""The pages' own words: English in the templates, other languages from gettext catalogues.

Catalogues are compiled in memory at the start, so a translator edits the .po file and restarts.
"""

from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE: Final = Path(__file__).parent / "locale"
SOURCE_LANGUAGE: Final = "en"


def catalogue_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "participant.po"


def page_languages() -> list[str]:
    """The languages that the pages speak, the source language first."""
    return [
        SOURCE_LANGUAGE,
        *sorted(path.name for path in LOCALE.iterdir() if catalogue_file(path.name).is_file()),
    ]


def page_language(language: str) -> str:
    """The pages' language nearest to a study's language; English where there is none."""
    for candidate in (language, language.split("-")[0]):
        if candidate in page_languages():
            return candidate
    return SOURCE_LANGUAGE


@lru_cache
def translations(language: str) -> NullTranslations:
    """The words of a language of `page_languages`."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    with catalogue_file(language).open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


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
