"""Pilot of a comparison with simulated judges: power of the study's plan."""

from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.language import gettext
from vivavoce.dashboard.page import DashboardPage
from vivavoce.dashboard.security import OnlyAsks, OwnForm, field
from vivavoce.simulation.planted import WhatIsCompared, compared_in, planted_in
from vivavoce.study.planted_preferences import ALIKE, TIED

if TYPE_CHECKING:
    from vivavoce.analysis.preference_power import PlanPower

router = APIRouter()
PAGE: Final = DashboardPage(name="pilot", router=router, help="how-to/compare-transcripts")
JUDGES: Final = 143
MOST_JUDGES: Final = 2000
TRIALS: Final = 200
TESTS: Final = {"chi_square": N_("chi-square"), "exact": N_("exact binomial")}


@router.get("/pairs/pilot")
def begin(request: Request, desk: ThisDesk) -> Response:
    return _page(request, desk, _step(desk), {"judges": str(JUDGES), "alike": f"{ALIKE:g}"})


@router.post("/pairs/pilot", dependencies=[OnlyAsks])
def pilot(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Page with the results of simulated trials, which are not stored."""
    from vivavoce.analysis.preference_power import power_of_plan

    step, study = _step(desk), desk.study
    typed = {name: field(form, name) for name in ("judges", "alike", *map(_name, step.variables))}
    try:
        prefer = [
            f"{variable}={typed[_name(variable)]}" for variable in step.variables if typed[_name(variable)]
        ]
        judges, alike = _whole(typed["judges"]), _share(typed["alike"])
        declared = study.analysis.preferences
        power = power_of_plan(
            study.name,
            step.variables,
            step.questions,
            planted_in(study, prefer, alike),
            judges=judges,
            tied=TIED if step.ties else 0.0,
            trials=TRIALS,
            correction=study.analysis.correction,
            **({"test": declared.test, "alpha": declared.alpha} if declared else {}),
        )
    except InputError as error:
        return _page(request, desk, step, typed, 422, problem=str(error))
    return _page(request, desk, step, typed, found=power)


def _step(desk: Desk) -> WhatIsCompared:
    try:
        return compared_in(desk.study)
    except InputError:
        raise HTTPException(404, gettext("This study has no transcript comparison.")) from None


def _name(variable: str) -> str:
    return f"share-{variable}"


def _whole(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_JUDGES:
        raise InputError(
            gettext(
                "%(text)s is not a number of judges from 1 to %(most)s", text=repr(text), most=MOST_JUDGES
            )
        )
    return int(text)


def _share(text: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise InputError(gettext("%(text)s is not a number from 0 to below 1", text=repr(text)))
    return value


def _page(
    request: Request,
    desk: Desk,
    step: WhatIsCompared,
    typed: dict[str, str],
    status: int = 200,
    found: "PlanPower | None" = None,
    problem: str = "",
) -> Response:
    facts: dict[str, Any] = {
        "fields": [
            (variable, _name(variable), typed.get(_name(variable), "")) for variable in step.variables
        ],
        "typed": typed,
        "found": found,
        "problem": problem,
        "most": MOST_JUDGES,
        "test": TESTS[found.test] if found else "",
    }
    return desk.page(request, "pairs_pilot.html", status, **facts)
