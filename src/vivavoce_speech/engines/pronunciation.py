"""Phones of English words that a dictionary lacks, guessed by flite's letter-to-sound rules."""

import shutil
import subprocess
from typing import Final

from vivavoce.core.errors import InputError

_OTHER_NAMES: Final[dict[str, str]] = {
    "ax": "ah",
    "axr": "er",
    "ix": "ih",
    "el": "l",
    "em": "m",
    "en": "n",
    "dx": "t",
}
_LONGEST_S: Final = 60


def guessed_pronunciations(words: list[str], *, place: str = "") -> dict[str, str]:
    """Word by word its phones in the alphabet of the CMU dictionary; none asked, none needed.

    Raises  InputError: flite is not installed, or has no phones for a word
    """
    if not words:
        return {}
    if shutil.which("flite") is None:
        raise InputError(
            f"no pronunciation of {words[0]!r}" + (f" and {len(words) - 1} more words" if words[1:] else ""),
            place=place, hint="add it to `pronunciations`, or install flite, which guesses",
        )  # fmt: skip
    return {word: _guess(word, place) for word in words}


def _guess(word: str, place: str) -> str:
    ran = subprocess.run(
        ["flite", "-ps", "-t", word, "none"], capture_output=True, text=True, timeout=_LONGEST_S, check=False
    )
    phones = [phone for phone in ran.stdout.split() if phone.isalpha() and phone != "pau"]
    if ran.returncode or not phones:
        hint = "add it to `pronunciations`"
        raise InputError(f"flite has no pronunciation of {word!r}", place=place, hint=hint)
    return " ".join(_OTHER_NAMES.get(phone, phone).upper() for phone in phones)
