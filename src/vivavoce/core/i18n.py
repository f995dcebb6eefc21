"""Gettext catalogues: English in the code, other languages from .po files that are compiled in memory.

A translator edits the .po file and restarts; no compiled file is ever committed.
"""

from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

from vivavoce.core.errors import InputError

SOURCE_LANGUAGE: Final = "en"


def N_(message: str) -> str:
    """Mark words that are looked up later, when they are shown: whoever extracts messages finds them."""
    return message


@lru_cache
def read_words(files: tuple[Path, ...], language: str) -> NullTranslations:
    """The words of the first file, and for what it lacks those of the others in turn; a file may be missing.

    Empty  no file is there: the words of the source language, as they are
    """
    if not files:
        return NullTranslations()
    first, fallback = files[0], read_words(files[1:], language)
    if not first.is_file():
        return fallback
    compiled = BytesIO()
    write_mo(compiled, _translated(first, language))
    compiled.seek(0)
    translations = GNUTranslations(compiled)
    translations.add_fallback(fallback)
    return translations


def parse_catalogue(file: Path, language: str | None = None) -> Catalog:
    """The messages of a .po file.

    Raises  InputError: it is no such file; names the line
    """
    place, locale = f"{file.parent.name}/{file.name}", language.replace("-", "_") if language else None
    try:
        with file.open("rb") as stream:
            return read_po(stream, locale=locale, abort_invalid=True)
    except PoFileError as error:
        problem = f"not a gettext catalogue: {str(error).rpartition(' on ')[0]}"
        raise InputError(problem, place=f"{place}:{error.lineno + 1}", hint="correct the line") from None
    except ValueError as error:
        raise InputError(f"not a gettext catalogue: {error}", place=place, hint="correct the file") from None


def _translated(file: Path, language: str) -> Catalog:
    """A catalogue without the messages that are not translated in all their forms."""
    catalogue = parse_catalogue(file, language)
    for message in [entry for entry in catalogue if entry.id]:
        if isinstance(message.string, tuple) and not all(message.string):
            catalogue.delete(message.id, message.context)
    return catalogue
