"""Italian words of closed classes, with gender and number where they have them, from words.yaml."""

from pathlib import Path
from typing import Any, Final

from vivavoce.core.yaml_source import read_yaml

_WORDS: Final[dict[str, Any]] = read_yaml(Path(__file__).parent / "words.yaml").data


def _by_form(name: str) -> dict[str, tuple[str, str]]:
    """(gender, number) by word; "" where the word does not tell."""
    return {
        word: (agrees.strip("sp") if agrees != "any" else "", agrees.strip("mf") if agrees != "any" else "")
        for agrees, words in _WORDS[name].items()
        for word in words
    }


DETERMINERS: Final = _by_form("determiners")
POSSESSIVES: Final = _by_form("possessives")
PREPOSITIONS: Final = frozenset(_WORDS["prepositions"])
CONJUNCTIONS: Final = frozenset(_WORDS["conjunctions"])
PRONOUNS: Final = frozenset(_WORDS["pronouns"])
ADVERBS: Final = frozenset(_WORDS["adverbs"])
TIMES: Final = frozenset(_WORDS["times"])
BEFORE_NOUN: Final = frozenset(_WORDS["before_noun"])
PARTICIPLES: Final[dict[str, str]] = _WORDS["participles"]
PLAIN_IRE: Final = frozenset(_WORDS["plain_ire"])
PARTICIPLE_ENDINGS: Final[dict[str, str]] = _WORDS["participle_endings"]
CONDITIONAL_ENDINGS: Final[dict[str, str]] = _WORDS["conditional_endings"]
PRESENT_LIKE: Final[tuple[str, ...]] = tuple(_WORDS["present_like"])
COMPOUNDS: Final = {verb: base for base, verbs in _WORDS["compounds"].items() for verb in verbs}
REGULAR: Final = frozenset(_WORDS["regular"])
STRESSED_IARE: Final = frozenset(_WORDS["stressed_iare"])
COMMON_VERBS: Final = frozenset(_WORDS["present"])
PRESENT: Final[dict[str, dict[str, str]]] = _WORDS["present"] | _WORDS["present_more"]

_ENDINGS: Final = {
    "l": ("m", "s"),
    "llo": ("m", "s"),
    "lla": ("f", "s"),
    "ll'": ("", "s"),
    "i": ("m", "p"),
    "gli": ("m", "p"),
    "lle": ("f", "p"),
}
CONTRACTED: Final[dict[str, tuple[str, str, str]]] = {
    stem + ending: (preposition, *agrees)
    for preposition, stem in (("a", "a"), ("da", "da"), ("di", "de"), ("in", "ne"), ("su", "su"))
    for ending, agrees in _ENDINGS.items()
}
