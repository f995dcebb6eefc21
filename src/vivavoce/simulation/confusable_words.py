"""Which words a recogniser takes for one another: those spelt alike, or those that sound alike.

English sounds by Metaphone (Philips 1990), from the package jellyfish, which comes with `vivavoce[sound]`.
Italian is spelt nearly as it sounds: there the letters are folded to sounds by rule.
"""

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from rapidfuzz import fuzz
from rapidfuzz.process import extract

from vivavoce.core.errors import InputError

Confusions = Literal["spelling", "sound"]
_ALIKE: Final = 6
_ITALIAN: Final = (
    (r"ch(?=[ei])", "k"), (r"gh(?=[ei])", "G"), (r"gn", "N"), (r"gli", "L"), (r"sc(?=[ei])", "S"),
    (r"c(?=[ei])", "C"), (r"g(?=[ei])", "J"), (r"[cq]u(?=[aeio])", "kw"), (r"[cq]", "k"), (r"h", ""),
    (r"[àá]", "a"),
    (r"[èé]", "e"), (r"ì", "i"), (r"ò", "o"), (r"ù", "u"), (r"(.)\1", r"\1"),
)  # fmt: skip


def neighbours(word: str, known: Sequence[str], language: str, by: Confusions) -> list[str]:
    """The known words most like a word, best first, without the word itself; at most six.

    Raises  InputError: English sounds are asked for, and the package that knows them is not installed
    """
    if by == "spelling":
        return [found[0] for found in extract(word, known, limit=_ALIKE) if found[0] != word]
    sound = _sound(word, language)
    ranked = sorted(
        (one for one in known if one != word),
        key=lambda one: (-fuzz.ratio(sound, _sound(one, language)), -fuzz.ratio(word, one), one),
    )
    return ranked[: _ALIKE - 1]


def _sound(word: str, language: str) -> str:
    if language != "it":
        return _metaphone(word)
    for form, sound in _ITALIAN:
        word = re.sub(form, sound, word)
    return word


def _metaphone(word: str) -> str:
    try:
        import jellyfish
    except ImportError:
        raise InputError(
            "English sounds need the package jellyfish", place="--confusions sound",
            hint="pip install 'vivavoce[sound]', or leave confusions by spelling",
        ) from None  # fmt: skip
    module: Any = jellyfish
    return str(module.metaphone(word))
