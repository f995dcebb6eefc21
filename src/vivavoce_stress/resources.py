"""Dictionaries behind the tests, each loaded when it is first asked for."""

import hashlib
import json
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_ENGLISH_NAMES: Final = {"it": "italian", "en": "english", "de": "german", "es": "spanish", "fr": "french"}
SYSTEM_FILES: Final = {
    "apertium-cat-ita": Path("/usr/share/apertium/apertium-cat-ita/ita-cat.automorf.bin"),
    "mythes-it": Path("/usr/share/mythes/th_it_IT_v2.dat"),
    "mythes-en-us": Path("/usr/share/mythes/th_en_US_v2.dat"),
}


def installed(*modules: str) -> bool:
    """True if all these modules can be imported, without importing them."""
    return all(find_spec(module) is not None for module in modules)


@cache
def version_of(package: str) -> str:
    """The installed version of a package, or the digest of a system's file; empty where there is none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return _digest(SYSTEM_FILES.get(package))


def _digest(path: Path | None) -> str:
    if path is None or not path.is_file():
        return ""
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()[:12]


class Frequency:
    """Frequency of words on the Zipf scale (log10 of occurrences in 10^9 words; 0 unknown)."""

    KNOWN: Final = 3.3  # the commonest misspellings of web text stand below: recieve 2.8

    def __init__(self, language: str) -> None:
        import simplemma
        import wordfreq

        self.language = language
        counted = language in wordfreq.available_languages()
        self.zipf = lru_cache(maxsize=200_000)(
            lambda word: wordfreq.zipf_frequency(word, language) if counted else 0.0
        )

        def known(word: str) -> bool:
            try:
                return simplemma.is_known(word, lang=language)
            except ValueError:  # no dictionary of this language: nothing is known
                return False

        self.in_dictionary = lru_cache(maxsize=200_000)(known)

    def is_word(self, word: str) -> bool:
        """True if people know it as a word: in the dictionary, or too common to be a slip."""
        return len(word) == 1 or self.in_dictionary(word) or self.zipf(word) >= self.KNOWN


@cache
def offensive_words(language: str) -> frozenset[str]:
    """Words that no variant may put in, from the dictionaries of glin-profanity (MIT)."""
    folder = files("glin_profanity") / "data" / "dictionaries"
    listed: list[str] = []
    for name in {_ENGLISH_NAMES[language], "english"} if language == "en" else {_ENGLISH_NAMES[language]}:
        listed += json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["words"]
    return frozenset(word.lower() for word in listed if " " not in word)


def has_offensive_words(language: str) -> bool:
    """True if there is such a dictionary of this language."""
    return installed("glin_profanity") and language in _ENGLISH_NAMES
