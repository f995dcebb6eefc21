"""Overview, running visits and systems under test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import structlog
from fastapi import APIRouter, HTTPException, Request
from fastapi.encoders import jsonable_encoder
from starlette.responses import JSONResponse, RedirectResponse, Response

from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk, fixed
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.dialogue_query import DialogueQuery
from vivavoce.dashboard.disclosure import declares_comparison, disclosure
from vivavoce.dashboard.language import gettext, language, ngettext, told, worded
from vivavoce.dashboard.page import CostLine, DashboardPage, DueAction, MenuItem
from vivavoce.dashboard.progress import progress, whereabouts
from vivavoce.dashboard.security import Steers, who_of
from vivavoce.dashboard.stopping import LookRow, PairRow, WatchView, make_watch_view
from vivavoce.dashboard.study_size import declared_people, study_size
from vivavoce.dashboard.system_answers import prices_of
from vivavoce.dashboard.systems import changes, healths, standings
from vivavoce.dashboard.visit_list import OUTCOMES, VisitQuery, make_visit_list
from vivavoce.log.models import PEOPLE
from vivavoce.stats.eta import FEWEST
from vivavoce.study.model import Study

ROOM: Final = 0.08  # margin above and below the drawing, as a share of the panel's height


@dataclass(frozen=True, slots=True)
class DrawnLook:
    """One interim analysis of one pair; coordinates in per cent of figure width or panel height."""

    label: str
    x: float
    difference: float | None
    low: float | None
    high: float | None
    evidence: float | None
    boundary: float | None


@dataclass(frozen=True, slots=True)
class LookFigure:
    """One pair, from its first to its last interim analysis.

    zero         where the difference is none
    statistic    |z|, or the e-value; words: the same as a sentence a look
    """

    pair: str
    looks: list[DrawnLook]
    zero: float
    statistic: str
    words: list[str]

    @property
    def has_intervals(self) -> bool:
        return any(look.low is not None for look in self.looks)

    @property
    def has_evidence(self) -> bool:
        return any(look.evidence is not None and look.boundary is not None for look in self.looks)


def look_figures(view: WatchView) -> list[LookFigure]:
    """One figure per pair; empty before the first interim analysis."""
    looks = list(reversed(view.looks))
    pairs = dict.fromkeys(row.pair for look in looks for row in look.rows)
    return [
        _figure(view, pair, [(look, row) for look in looks for row in look.rows if row.pair == pair])
        for pair in pairs
    ]


def _figure(view: WatchView, pair: str, look_rows: Sequence[tuple[LookRow, PairRow]]) -> LookFigure:
    verdicts = [row.verdict for _, row in look_rows]
    limits = [
        value
        for verdict in verdicts
        for value in (verdict.low, verdict.high, verdict.difference)
        if value is not None
    ]
    low, high = min([0.0, *limits]), max([0.0, *limits])
    evidence = [
        value for verdict in verdicts for value in (verdict.statistic, verdict.bar) if value is not None
    ]
    most = max([0.0, *evidence])
    points = [
        DrawnLook(
            label=str(look.participants),
            x=100 * (place + 0.5) / len(look_rows),
            difference=_at(row.verdict.difference, low, high),
            low=_at(row.verdict.low, low, high),
            high=_at(row.verdict.high, low, high),
            evidence=_at(row.verdict.statistic, 0.0, most),
            boundary=_at(row.verdict.bar, 0.0, most),
        )
        for place, (look, row) in enumerate(look_rows)
    ]
    return LookFigure(
        pair,
        points,
        _at(0.0, low, high) or 0.0,
        view.statistic,
        [_words(view, *words) for words in look_rows],
    )


def _at(value: float | None, low: float, high: float) -> float | None:
    """Vertical position of a value in a panel, in per cent from the top."""
    if value is None:
        return None
    share = (value - low) / (high - low) if high > low else 0.5
    return 100 * (1 - ROOM - (1 - 2 * ROOM) * share)


def _words(view: WatchView, look: LookRow, row: PairRow) -> str:
    return gettext(
        "%(look)s, %(participants)s participants: %(difference)s (%(interval)s), %(statistic)s %(evidence)s, "
        "boundary %(boundary)s.",
        look=look.name,
        participants=look.participants,
        difference=row.difference,
        interval=row.interval,
        statistic=view.statistic,
        evidence=row.statistic,
        boundary=row.bar,
    )


FAILS: Final = 3  # consecutive failed turns of a system
_report = structlog.get_logger("vivavoce.dashboard")


def due_actions(request: Request, desk: Desk) -> list[DueAction]:
    """Pending actions on the pages that this account may open, urgent ones first."""
    actions = list[DueAction]()
    for page in _pages(request, desk):
        try:
            actions += page.due(request, desk)
        except Exception as error:
            text = f"{_title(page)}: {_reason(page, error)}"
            actions.append(DueAction(text, _address(page), urgent=True))
    return sorted(actions, key=lambda action: not action.urgent)


def cost_lines(request: Request, desk: Desk) -> list[CostLine]:
    """Costs known to the pages that this account may open."""
    lines = list[CostLine]()
    for page in _pages(request, desk):
        try:
            lines += page.costs(request, desk)
        except Exception as error:
            lines.append(CostLine(_title(page), "", "", _reason(page, error), _address(page)))
    return lines


def _reason(page: DashboardPage, error: Exception) -> str:
    """Reason for a failed page: no page takes the overview down."""
    if isinstance(error, InputError):
        return told(error)
    if isinstance(error, VivavoceError):
        return str(error)
    _report.error("page_failed_on_the_overview", page=page.name, exc_info=error)
    return gettext("not available; see the terminal output for the reason")


def _pages(request: Request, desk: Desk) -> list[DashboardPage]:
    who = who_of(request)
    return [page for page in desk.pages if who.may(page.role) and page.shown(desk.study)]


def _title(page: DashboardPage) -> str:
    return worded(page.menu[0].title) if page.menu else page.name


def _address(page: DashboardPage) -> str:
    return page.menu[0].address if page.menu else "/"


def due_of_systems(request: Request, desk: Desk) -> list[DueAction]:
    """Suspended or unresponsive systems, and today's dialogues with failed turns."""
    return desk.board.see(_due_of_systems)


def _due_of_systems(board: Board) -> list[DueAction]:
    actions = list[DueAction]()
    if n := len(board.suspended):
        text = ngettext(
            "%(num)s system suspended; no new dialogues",
            "%(num)s systems suspended; no new dialogues",
            n,
        )
        actions.append(DueAction(text, "/systems", urgent=True))
    for health in healths(board):
        if health.in_a_row >= FAILS and not health.suspended:
            text = gettext(
                "%(system)s is not answering (%(n)s failed turns since its last answer)",
                system=health.system,
                n=health.in_a_row,
            )
            actions.append(DueAction(text, f"/dialogues?{health.dialogues}", urgent=True))
    return [*actions, *_failed_today(board, board.log.clock.now().date())]


def _failed_today(board: Board, today: date) -> list[DueAction]:
    failed = [
        dialogue
        for dialogue in board.dialogues.values()
        if dialogue.errors and dialogue.assigned_at.date() == today
    ]
    if not failed:
        return []
    kinds = tuple(dict.fromkeys(kind for card in failed for kind in card.errors))
    query = DialogueQuery({"errors": kinds}, since=today.isoformat(), until=today.isoformat())
    text = ngettext(
        "%(num)s dialogue with failed turns today",
        "%(num)s dialogues with failed turns today",
        len(failed),
    )
    return [DueAction(text, f"/dialogues?{query.address}")]


def costs_of_systems(request: Request, desk: Desk) -> list[CostLine]:
    """Costs of priced turns and of model calls in the shown dialogues."""
    return desk.board.see(lambda board: [*_cost_of_turns(board), *_cost_of_models(board)])


def _cost_of_turns(board: Board) -> list[CostLine]:
    priced = [
        (standing, standing.price_per_turn)
        for standing in standings(board)
        if standing.price_per_turn is not None
    ]
    if not priced:
        return []
    turns = sum(card.user_turns for card, _ in priced)
    so_far = sum(card.user_turns * price for card, price in priced)
    about = ngettext(
        "%(num)s user turn × price per turn, in the currency of the study file.",
        "%(num)s user turns × price per turn, in the currency of the study file.",
        turns,
    )
    name = gettext("Turns of systems")
    return [CostLine(name, fixed(so_far, 2), _at_size(board, so_far, ""), about, "/systems")]


def _cost_of_models(board: Board) -> list[CostLine]:
    """Cost of model calls; empty without calls or prices."""
    prices, calls = prices_of(board.study), sum(answer.model_calls for answer in board.answers.values())
    if prices is None or not calls:
        return []
    so_far = sum(answer.spent for answer in board.answers.values())
    about = ngettext(
        "%(num)s model call, at the prices in the study file.",
        "%(num)s model calls, at the prices in the study file.",
        calls,
    )
    if unpriced := sum(answer.unpriced for answer in board.answers.values()):
        lacks = ngettext(
            "%(num)s has no price and is not included.",
            "%(num)s have no price and are not included.",
            unpriced,
        )
        about = f"{about} {lacks}"
    name, money = gettext("Models of systems"), f" {prices.currency}"
    return [CostLine(name, fixed(so_far, 2) + money, _at_size(board, so_far, money), about, "/systems")]


def _at_size(board: Board, so_far: float, currency: str) -> str:
    """Cost projected to the sample size; "" if unknown."""
    size = study_size(board)
    if size.declared is None or size.reached < FEWEST:
        return ""
    return fixed(so_far / size.reached * size.declared, 2) + currency


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
        "now": desk.board.see(progress),
        "due": due_actions(request, desk),
        "costs": cost_lines(request, desk),
        "people_size": desk.board.see(declared_people),
        "disclosure": disclosure(request, desk),
        "watch": watch,
        "figures": look_figures(watch) if watch else [],
        "outcomes": OUTCOMES,
        "outcome_keys": {words: key for key, words in OUTCOMES.items()},
        "compares": declares_comparison(desk.study),
        "visits_of": _visits_of,
        "form_titles": lambda names: [_form_title(desk.study, name) for name in names],
    }


def _form_title(study: Study, name: str) -> str:
    """Title of a questionnaire for participants; default: its name."""
    return (study.wording(name, language()).title if name in study.wordings else "") or name


def _visits_of(**wanted: Any) -> str:
    """Address of the list of these visits."""
    return VisitQuery(**wanted).address


@router.get("/api/progress")
def progress_for_programs(desk: ThisDesk) -> JSONResponse:
    """Numbers of the overview for programs, without participants."""
    view = desk.board.see(progress)
    steps = [replace(step, dialogues="") for step in view.flow.steps]
    systems = [replace(system, busiest="") for system in view.systems]
    shareable = replace(
        view, flow=replace(view.flow, steps=steps), systems=systems, all=replace(view.all, busiest="")
    )
    return JSONResponse(jsonable_encoder(shareable))


@router.get("/visits/all")
def all_visits(request: Request, desk: ThisDesk) -> Response:
    """Visits behind a number of the overview."""
    query = VisitQuery.read(request.query_params)
    visits = desk.board.see(lambda board: make_visit_list(board, query, desk.log.clock.now()))
    return desk.page(request, "visits_all.html", found=visits)


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
