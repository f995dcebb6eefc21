"""Questions of a system about what was just said: repeat it, or which of several is meant."""

from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce_stress.evidence import asks_again


def rejects(text: str, acts: Sequence[Mapping[str, Any]] | None, language: str) -> bool:
    """True if the system asks the user to repeat; a system that reports its acts is believed."""
    if acts is not None:
        return any(act["act"] in ("repeat", "reject") for act in acts)
    return asks_again(text, language)


def asks_which(acts: Sequence[Mapping[str, Any]] | None) -> bool:
    """True if the system asks which of several values is meant; False for a system that reports no acts."""
    return any(act["act"] == "select" for act in acts or ())
