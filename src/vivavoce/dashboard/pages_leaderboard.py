"""Leaderboard of an arena: systems by strength, adjusted for length and style."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.page import DashboardPage, MenuItem
from vivavoce.dashboard.results import groupings
from vivavoce.study.model import Study
from vivavoce.study.step_kind import battles_of
from vivavoce.study.steps import BattlePlan

if TYPE_CHECKING:
    from vivavoce.analysis.arena import ArenaResults
    from vivavoce.stats.preferences import NamedWorth

ADDRESS: Final = "/leaderboard"
router, public = APIRouter(), APIRouter()


def battle_plan(study: Study) -> BattlePlan | None:
    """Arena of the study; None if it has none."""
    return next((plan for step in study.visit if (plan := battles_of(step)) is not None), None)


def for_anybody(study: Study) -> APIRouter | None:
    """Public page, if the study publishes its leaderboard."""
    plan = battle_plan(study)
    return public if plan is not None and plan.leaderboard == "public" else None


PAGE: Final = DashboardPage(
    name="leaderboard",
    router=router,
    menu=(MenuItem(ADDRESS, N_("Leaderboard"), 810),),
    shown=lambda study: battle_plan(study) is not None,
    public=for_anybody,
    help="how-to/run-an-arena",
)


class RankedSystem(NamedTuple):
    """One system on the leaderboard; a strength is None if not finite, the mean is 0.

    rank   the first that it may have, jointly with all others; systems that are not ranked come last
    fixed  the worth with length and style held fixed, by which systems are ranked; plain: without
    left, right, dot, zero  where interval, worth and the mean of all stand in the drawing, from 0 to 1
    """

    rank: int
    name: str
    fixed: "NamedWorth | None"
    plain: "NamedWorth | None"
    votes: int
    left: float | None = None
    right: float | None = None
    dot: float | None = None
    zero: float | None = None


def standings(facts: "ArenaResults") -> list[RankedSystem]:
    """Systems by strength; those without a strength by name, after the others."""
    uncontrolled = {worth.name: worth for worth in facts.ranking or ()}
    fixed = {worth.name: worth for worth in facts.controlled or ()} or uncontrolled
    votes = {system.name: system.votes for system in facts.systems}
    places = {name: place for place, name in enumerate(fixed)}
    order = sorted(votes, key=lambda name: (places.get(name, len(places)), name))
    ends = [
        end for worth in fixed.values() for end in (worth.low, worth.high, worth.estimate) if end is not None
    ]
    low, width = min(ends, default=0.0), (max(ends, default=0.0) - min(ends, default=0.0)) or 1.0

    def at(value: float | None) -> float | None:
        return None if value is None else (value - low) / width

    return [
        RankedSystem(
            worth.ranks.best if (worth := fixed.get(name)) and worth.ranks else len(fixed) + 1,
            name,
            fixed.get(name),
            uncontrolled.get(name),
            votes[name],
            *(
                (at(rated.low), at(rated.high), at(rated.estimate), at(0.0))
                if (rated := fixed.get(name))
                else ()
            ),
        )
        for name in order
    ]


def _found(desk: Desk) -> tuple[dict[str, Any], bool]:
    """Context of the page, and True if newer figures are being computed."""
    results, computing = desk.snapshots.results(groupings(desk.study)[0])
    facts: Sequence[Any] = (
        [section.results for section in results.found if section.section.name == "arena"] if results else ()
    )
    plan = battle_plan(desk.study)
    arena: ArenaResults | None = next(iter(facts), None)
    return {
        "facts": arena,
        "rows": standings(arena) if arena else [],
        "known": results,
        "is_public": plan is not None and plan.leaderboard == "public",
        "meet": plan.matchmaking if plan else "",
        "computing": computing,
    }, computing


@router.get(ADDRESS)
def leaderboard(request: Request, desk: ThisDesk) -> Response:
    standing, _ = _found(desk)
    return desk.page(request, "leaderboard.html", **standing)


@router.get(f"{ADDRESS}/state")
def leaderboard_state(desk: ThisDesk) -> JSONResponse:
    return JSONResponse({"computing": desk.snapshots.computing(groupings(desk.study)[0])})


@public.get(f"{ADDRESS}/public")
def public_leaderboard(request: Request, desk: ThisDesk) -> Response:
    """Public version: figures and names of systems, without voters."""
    standing, _ = _found(desk)
    return desk.door(
        request, "leaderboard_public.html", title=desk.title, simulated=desk.scope == "simulated", **standing
    )
