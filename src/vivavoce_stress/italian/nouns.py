"""Italian nouns: gender and plural, by ending and by the lists of nouns.yaml."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from vivavoce.core.yaml_source import read_yaml

_NOUNS: Final[dict[str, Any]] = read_yaml(Path(__file__).parent / "nouns.yaml").data
_FEMININE: Final = frozenset(_NOUNS["feminine"])
_MASCULINE: Final = frozenset(_NOUNS["masculine"])
_FEMININE_IONE: Final = tuple(_NOUNS["feminine_ione"])
_FEMININE_ISTA: Final = frozenset(_NOUNS["feminine_ista"])
_PLURAL: Final[dict[str, str]] = _NOUNS["plural"]
_PLURAL_IN_A: Final = frozenset(_NOUNS["plural_in_a"])
_ONE_PLURAL: Final = frozenset(_NOUNS["one_plural"])
_HARD: Final = frozenset(_NOUNS["hard"])
_SOFT: Final = frozenset(_NOUNS["soft"])
_STRESSED_IO: Final = frozenset(_NOUNS["stressed_io"])

_FEMININE_ENDS: Final = (
    "zione",
    "sione",
    "gione",
    "stione",
    "ità",
    "tà",
    "tù",
    "trice",
    "ice",
    "udine",
    "agine",
    "igine",
    "ggine",
    "enza",
    "anza",
    "essa",
    "si",
    "poli",
    "ie",
    "ship",
    "tion",
    "ance",
    "ette",
    "nave",
)
_MASCULINE_ENDS: Final = (
    "o",
    "ore",
    "ale",
    "iere",
    "ame",
    "one",
    "ante",
    "ente",
    "ese",
    "ile",
    "ume",
    "ere",
    "are",
    "ire",
    "ime",
    "ine",
    "eme",
    "ome",
    "age",
    "oide",
    "mbre",
    "estre",
    "enne",
    "mane",
    "gene",
    "i",
    "à",
    "è",
    "é",
    "ì",
    "ò",
    "ù",
)
_GREEK: Final = ("gramma", "dramma", "ema", "oma", "iatra", "icida", "nauta")  # masculine in -a
_NOT_GREEK: Final = ("crema", "chioma", "soma")
_INFLAMED: Final = 7  # letters; artrite and gastrite, but not lite
_ONE_FORM: Final = ("age", "ette", "que", "ware", "ance", "phone")
_HARD_C: Final = ("sc", "nc", "rc", "lc", "cc", "oc", "uc", "ec")
_STRESSED: Final = ("ergia", "urgia", "algia")  # energie, but spiagge


@cache
def gender_of(noun: str) -> str:
    """The gender of a noun's singular by list and ending; "" where neither tells."""
    if noun in _FEMININE or noun in _MASCULINE:
        return "f" if noun in _FEMININE else "m"
    if noun.endswith("ista"):
        return "f" if noun in _FEMININE_ISTA else "m"
    if noun.endswith(_GREEK) and not noun.endswith(_NOT_GREEK):
        return "m"
    medical = noun.endswith("ite") and len(noun) >= _INFLAMED
    if noun.endswith(("a", *_FEMININE_ENDS, *_FEMININE_IONE)) or medical:
        return "f"
    return "m" if noun.endswith(_MASCULINE_ENDS) or noun[-1:] not in "aeiou" else ""


@cache
def plural(noun: str, gender: str) -> str:
    """The plural of a noun's singular."""
    if noun in _PLURAL:
        return _PLURAL[noun]
    if noun in _ONE_PLURAL or noun[-1] not in "aeo" or noun.endswith(_ONE_FORM):
        return noun
    if noun in _PLURAL_IN_A:
        return noun[:-1] + "a"
    if noun.endswith("a"):
        return _of_a(noun, gender)
    if noun.endswith("o"):
        return _of_o(noun)
    return noun[:-1] if noun.endswith("ie") else noun[:-1] + "i"


def plural_gender(noun: str) -> str:
    """The gender of a noun's plural: l'uovo, le uova."""
    return "f" if noun in _PLURAL_IN_A else gender_of(noun)


@cache
def irregular_plurals() -> dict[str, str]:
    """The listed nouns by their plurals, which no reader would trace back by the ending."""
    irregular = (*_PLURAL, *_PLURAL_IN_A)
    return {plural(noun, gender_of(noun)): noun for noun in irregular}


def _of_a(noun: str, gender: str) -> str:
    stem = noun[:-1]
    if gender == "m":
        return stem + ("hi" if stem[-1] in "cg" else "i")
    if noun.endswith(("cia", "gia")) and not noun.endswith(_STRESSED):
        return noun[:-2] + "e" if noun[-4:-3] not in "aeiou" else stem + "e"
    return stem + ("he" if stem[-1] in "cg" else "e")


def _of_o(noun: str) -> str:
    stem = noun[:-1]
    if stem.endswith("i"):
        return stem + "i" if noun in _STRESSED_IO else stem
    if stem[-1:] not in ("c", "g"):
        return stem + "i"
    learned = stem.endswith(("olog", "fag")) and noun not in _HARD
    hard = noun in _HARD or stem.endswith(_HARD_C) or (stem[-1] == "g" and not learned)
    return stem + ("hi" if hard and noun not in _SOFT else "i")
