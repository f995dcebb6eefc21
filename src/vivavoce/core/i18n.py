"""Gettext catalogues: English in the code, other languages from .po files that are compiled in memory.

A translator edits the .po file and restarts; no compiled file is ever committed.
"""

from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

SOURCE_LANGUAGE: Final = "en"


def catalogue_file(locale: Path, language: str, domain: str) -> Path:
    """Where a room keeps the words of one language: `<locale>/<language>/LC_MESSAGES/<domain>.po`."""
    return locale / language / "LC_MESSAGES" / f"{domain}.po"


def languages_of(locale: Path, domain: str) -> list[str]:
    """The languages in which a room speaks, the source language first."""
    found = (path.name for path in locale.iterdir() if catalogue_file(locale, path.name, domain).is_file())
    return [SOURCE_LANGUAGE, *sorted(found)]


@lru_cache
def read_catalogue(locale: Path, language: str, domain: str) -> NullTranslations:
    """The words of a language of `languages_of`; the source language needs no file."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    with catalogue_file(locale, language, domain).open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
