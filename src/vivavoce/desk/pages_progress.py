"""Overview, running visits and systems under test."""

from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request
from fastapi.encoders import jsonable_encoder
from starlette.responses import JSONResponse, RedirectResponse, Response

from vivavoce.core.i18n import N_
from vivavoce.desk.app_shell import Desk, ThisDesk
from vivavoce.desk.disclosure import declares_comparison, disclosure
from vivavoce.desk.due import cost_lines, costs_of_systems, due_actions, due_of_systems
from vivavoce.desk.language import gettext, language
from vivavoce.desk.look_figure import look_figures
from vivavoce.desk.page import DashboardPage, MenuItem
from vivavoce.desk.progress import progress, whereabouts
from vivavoce.desk.security import Steers
from vivavoce.desk.stopping import make_watch_view
from vivavoce.desk.study_size import declared_people
from vivavoce.desk.systems import changes, standings
from vivavoce.desk.visit_list import OUTCOMES, VisitQuery, make_visit_list
from vivavoce.log.scope import PEOPLE
from vivavoce.study.model import Study

router = APIRouter()
PAGE: Final = DashboardPage(
    name="progress",
    router=router,
    menu=(
        MenuItem("/", N_("Overview"), 100),
        MenuItem("/visits", N_("Running visits"), 200),
        MenuItem("/systems", N_("Systems"), 400),
    ),
    help="how-to/serve-a-trial",
    due=due_of_systems,
    costs=costs_of_systems,
)


@router.get("/")
def overview(request: Request, desk: ThisDesk) -> Response:
    return desk.page(request, "overview.html", **_overview(request, desk))


@router.get("/try", dependencies=[Steers])
def try_out(desk: ThisDesk) -> Response:
    """Open the participants' pages for a preview visit of the team, which is not counted."""
    if desk.participant_url is None:
        raise HTTPException(409, gettext("The address of the participants’ pages is not configured."))
    return RedirectResponse(desk.access.try_out(desk.participant_url), 303)


@router.get("/overview/numbers")
def overview_numbers(request: Request, desk: ThisDesk) -> Response:
    """Fragment of the overview that is updated."""
    return desk.page(request, "overview_numbers.html", **_overview(request, desk))


def _overview(request: Request, desk: Desk) -> dict[str, Any]:
    watch = make_watch_view(desk.study, desk.watch) if desk.scope == PEOPLE else None
    return {
        "now": desk.board.see(progress), "due": due_actions(request, desk),
        "costs": cost_lines(request, desk), "people_size": desk.board.see(declared_people),
        "disclosure": disclosure(request, desk), "watch": watch,
        "figures": look_figures(watch) if watch else [], "outcomes": OUTCOMES,
        "outcome_keys": {words: key for key, words in OUTCOMES.items()},
        "compares": declares_comparison(desk.study), "visits_of": _visits_of,
        "form_titles": lambda names: [_form_title(desk.study, one) for one in names],
    }  # fmt: skip


def _form_title(study: Study, name: str) -> str:
    """Title of a questionnaire for participants; default: its name."""
    return (study.wording(name, language()).title if name in study.wordings else "") or name


def _visits_of(**wanted: Any) -> str:
    """Address of the list of these visits."""
    return VisitQuery(**wanted).address


@router.get("/api/progress")
def progress_for_programs(desk: ThisDesk) -> JSONResponse:
    """Numbers of the overview for programs, without participants."""
    shown = desk.board.see(progress)
    steps = [replace(one, dialogues="") for one in shown.flow.steps]
    systems = [replace(one, busiest="") for one in shown.systems]
    told = replace(
        shown, flow=replace(shown.flow, steps=steps), systems=systems, all=replace(shown.all, busiest="")
    )
    return JSONResponse(jsonable_encoder(told))


@router.get("/visits/all")
def all_visits(request: Request, desk: ThisDesk) -> Response:
    """Visits behind a number of the overview."""
    query = VisitQuery.read(request.query_params)
    found = desk.board.see(lambda board: make_visit_list(board, query, desk.log.clock.now()))
    return desk.page(request, "visits_all.html", found=found)


@router.get("/visits")
def visits(request: Request, desk: ThisDesk) -> Response:
    return desk.page(request, "visits.html", **_visits(desk))


@router.get("/visits/table")
def visits_table(request: Request, desk: ThisDesk) -> Response:
    """Fragment of the running visits that is updated."""
    return desk.page(request, "visits_table.html", **_visits(desk))


def _visits(desk: Desk) -> dict[str, Any]:
    active, idle = desk.board.see(whereabouts)
    return {"active": active, "idle": idle, "at": desk.log.clock.now()}


@router.get("/systems")
def systems(request: Request, desk: ThisDesk) -> Response:
    return desk.page(request, "systems.html", **_systems(desk))


@router.get("/systems/table")
def systems_table(request: Request, desk: ThisDesk) -> Response:
    """Fragment of the systems page that is updated."""
    return desk.page(request, "systems_table.html", **_systems(desk))


def _systems(desk: Desk) -> dict[str, Any]:
    standing, changed = desk.board.see(lambda board: (standings(board), changes(board)))
    return {"standing": standing, "changed": changed, "at": desk.log.clock.now()}
