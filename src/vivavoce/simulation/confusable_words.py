"""Words that a recogniser confuses: similar in spelling or in sound.

A language that is spelt nearly as it sounds brings rules that fold letters to sounds. English, and a language
without rules, by Metaphone (Philips 1990), from the package jellyfish, which comes with `vivavoce[sound]`.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from vivavoce.core.extras import later, require
from vivavoce.languages.data import Rule

if TYPE_CHECKING:
    import rapidfuzz
else:
    rapidfuzz = later("rapidfuzz", "analysis")

Confusions = Literal["spelling", "sound"]
_ALIKE: Final = 6


def neighbours(word: str, known: Sequence[str], sounds: Sequence[Rule], by: Confusions) -> list[str]:
    """The known words most like a word, best first, without the word itself; at most six.

    Input   sounds: what letters of the language sound like, rule by rule; none: as in English
    Raises  InputError: English sounds are asked for, and the package that knows them is not installed
    """
    if by == "spelling":
        return [
            match[0] for match in rapidfuzz.process.extract(word, known, limit=_ALIKE) if match[0] != word
        ]
    sound = _sound(word, sounds)
    ranked = sorted(
        (candidate for candidate in known if candidate != word),
        key=lambda candidate_word: (
            -rapidfuzz.fuzz.ratio(sound, _sound(candidate_word, sounds)),
            -rapidfuzz.fuzz.ratio(word, candidate_word),
            candidate_word,
        ),
    )
    return ranked[: _ALIKE - 1]


def _sound(word: str, sounds: Sequence[Rule]) -> str:
    if not sounds:
        return _metaphone(word)
    for form, sound in sounds:
        word = re.sub(form, sound, word)
    return word


def _metaphone(word: str) -> str:
    require("jellyfish", place="--confusions sound")
    import jellyfish

    module: Any = jellyfish
    return str(module.metaphone(word))
