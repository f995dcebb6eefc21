"""Figures of questionnaires as text."""

from typing import Final

from vivavoce.core.rounding import half_up

MISSING: Final = "–"


def shown(value: float | None, digits: int = 2) -> str:
    """The figure as text, rounded half up; a missing one is a dash."""
    return MISSING if value is None else str(half_up(value, digits))
