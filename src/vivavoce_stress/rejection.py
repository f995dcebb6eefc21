"""Whether a system turn asks about what was just said: to be told again, or which of several is meant."""

from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce_stress.evidence import asks_again


def rejects(text: str, acts: Sequence[Mapping[str, Any]] | None, language: str) -> bool:
    """Whether the system asks to be told again; a system that tells its acts is believed."""
    if acts is not None:
        return any(act["act"] in ("repeat", "reject") for act in acts)
    return asks_again(text, language)


def asks_which(acts: Sequence[Mapping[str, Any]] | None) -> bool:
    """Whether the system asks which of several values is meant; never of a system that tells no acts."""
    return any(act["act"] == "select" for act in acts or ())
