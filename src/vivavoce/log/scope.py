"""Scopes of visits: people, programs or the team. Figures that mix two of them describe nobody."""

from typing import Final, Literal

Scope = Literal["people", "simulated", "team"]
PEOPLE: Final = "people"
SIMULATED: Final = "simulated"
TEAM: Final = "team"
SCOPES: Final[tuple[Scope, ...]] = (PEOPLE, SIMULATED, TEAM)


def usual_scope(people: int, simulated: int, team: int = 0) -> Scope:
    """People as soon as there is one, or as long as there is nobody at all; the team's only where asked."""
    return SIMULATED if simulated and not people else PEOPLE


def scope_of(*, simulated: bool) -> Scope:
    """Scope of a participant's visit."""
    return SIMULATED if simulated else PEOPLE


def team_study(study: str) -> str:
    """The study under which the log keeps visits by which the team tried this one out.

    Whatever counts a study's visits counts none of these; no study can be called so.
    """
    return f"{study} (team)"


def logged_study(study: str, scope: Scope | None) -> str:
    """The study under which the log keeps the visits of a scope; None: those of participants."""
    return team_study(study) if scope == TEAM else study
