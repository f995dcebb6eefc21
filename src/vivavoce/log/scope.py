"""Whose visits are read: people's or programs'. Figures of both together are figures of nobody."""

from typing import Final, Literal

Scope = Literal["people", "simulated"]
PEOPLE: Final = "people"
SIMULATED: Final = "simulated"
SCOPES: Final[tuple[Scope, ...]] = (PEOPLE, SIMULATED)


def usual_scope(people: int, simulated: int) -> Scope:
    """People as soon as there is one, or as long as there is nobody at all."""
    return SIMULATED if simulated and not people else PEOPLE


def scope_of(*, simulated: bool) -> Scope:
    """Where a visit belongs."""
    return SIMULATED if simulated else PEOPLE
