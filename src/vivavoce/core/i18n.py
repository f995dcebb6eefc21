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


def N_(message: str) -> str:
    """Mark words that are looked up later, when they are shown: whoever extracts messages finds them."""
    return message


def catalogue_file(locale: Path, language: str, domain: str) -> Path:
    """Where a room keeps the words of one language: `<locale>/<language>/LC_MESSAGES/<domain>.po`."""
    return locale / language / "LC_MESSAGES" / f"{domain}.po"


def languages_of(locale: Path, domain: str) -> list[str]:
    """The languages in which a room speaks, the source language first."""
    found = (path.name for path in locale.iterdir() if catalogue_file(locale, path.name, domain).is_file())
    return [SOURCE_LANGUAGE, *sorted(found)]


def read_catalogue(locale: Path, language: str, domain: str) -> NullTranslations:
    """The words of a language of `languages_of`; the source language needs no file."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    return read_words(catalogue_file(locale, language, domain))


@lru_cache
def read_words(file: Path, others: Path | None = None) -> NullTranslations:
    """The words of one file, `.../<language>.po`, and for what it lacks those of another.

    Empty  no such file: the words of the source language, as they are
    """
    if not file.is_file():
        return NullTranslations() if others is None else read_words(others)
    with file.open("rb") as written:
        catalogue = read_po(written, locale=file.stem if len(file.stem) == 2 else file.parts[-3])
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    words = GNUTranslations(compiled)
    if others is not None:
        words.add_fallback(read_words(others))
    return words
