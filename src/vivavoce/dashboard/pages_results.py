"""Results: success rates with intervals and tests, computed in the background from a snapshot."""

from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import JSONResponse, RedirectResponse, Response

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.core.result import as_json
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.disclosure import EARLY, Disclosure, disclosure, refuse_withheld
from vivavoce.dashboard.language import gettext
from vivavoce.dashboard.page import DashboardPage, MenuItem
from vivavoce.dashboard.results import groupings, make_view
from vivavoce.dashboard.security import OnlyAsks, own_form
from vivavoce.dashboard.study_editor.edited_study import EditedStudy
from vivavoce.dashboard.study_size import study_size

if TYPE_CHECKING:
    from vivavoce.reports.blocks import DocumentSection
    from vivavoce.reports.section import ReportSummary

router = APIRouter()
NOTHING: Final = "nothing was logged yet"
WITHHELD: Final = "kept back until the trial ends (early=1 looks before, which is noted):"
PAGE: Final = DashboardPage(
    name="results",
    router=router,
    menu=(MenuItem("/results", N_("Results"), 800),),
    help="explanation/statistics",
)


@router.get("/results")
def results(request: Request, desk: ThisDesk) -> Response:
    by = _grouping(request, desk)
    results_so_far, computing = desk.snapshots.results(by)
    policy = disclosure(request, desk)
    view = (
        make_view(results_so_far.summary, pooled=policy.withheld)
        if results_so_far and results_so_far.summary
        else None
    )
    problem = results_so_far.problem if results_so_far else ""
    sections: tuple[DocumentSection, ...] = ()
    front: ReportSummary | None = None
    try:
        if results_so_far and not policy.withheld:
            sections, front = results_so_far.sections(), results_so_far.front()
    except VivavoceError as error:
        problem = str(error)
    return desk.page(
        request,
        "results.html",
        by=by,
        groupings=groupings(desk.study),
        known=results_so_far,
        view=view,
        computing=computing,
        problem=problem,
        sections=sections,
        nothing=desk.snapshots.nothing,
        front=front,
        size=desk.board.see(study_size),
        disclosure=policy,
        here=_address(by, policy),
        file=EditedStudy.of(desk.study.folder).text if view and view.dialogues else "",
        newest="newest" in request.query_params and not computing,
    )


@router.get("/results/state")
def results_state(request: Request, desk: ThisDesk) -> JSONResponse:
    """State of the results: computing or ready."""
    return JSONResponse({"computing": desk.snapshots.computing(_grouping(request, desk))})


FIGURE_KINDS: Final = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "csv": "text/csv; charset=utf-8",
    "vl.json": "application/json",
}


@router.get("/results/figures/{file}")
def figure(request: Request, desk: ThisDesk, file: str) -> Response:
    """Figure of the results as a file: SVG, PNG, CSV or Vega-Lite."""
    from vivavoce.reports.tables import FIGURE_FORMS

    refuse_withheld(request, desk)
    name, _, form = file.partition(".")
    results, _ = desk.snapshots.results(_grouping(request, desk))
    chart = (
        next((candidate for candidate in results.figures() if candidate.name == name), None)
        if results
        else None
    )
    if chart is None or results is None or form not in FIGURE_KINDS:
        raise HTTPException(404, gettext("This figure does not exist."))
    return Response(
        FIGURE_FORMS[form](chart, results.mark),
        media_type=FIGURE_KINDS[form],
        headers={"content-disposition": f'attachment; filename="{file}"'},
    )


@router.get("/api/results")
def results_for_programs(request: Request, desk: ThisDesk) -> JSONResponse:
    """Summary for programs; `computing`: newer results follow, ask again.

    While the trial goes on the declared comparison is kept back; `early=1` asks for it, which is noted.
    """
    by = _grouping(request, desk)
    results, computing = desk.snapshots.results(by)
    policy = disclosure(request, desk)
    summary = as_json(results.summary) if results and results.summary and not policy.withheld else None
    problem = results.problem if results else NOTHING if desk.snapshots.nothing else ""
    if policy.withheld and not desk.snapshots.nothing:
        problem = f"{WITHHELD} {policy.why}"
    return JSONResponse({"by": by, "computing": computing, "problem": problem, "summary": summary})


@router.post("/results", dependencies=[OnlyAsks])
def recompute(
    request: Request, desk: ThisDesk, form: Annotated[FormData, Depends(own_form)]
) -> RedirectResponse:
    by = _grouping(request, desk)
    results, computing = desk.snapshots.results(by, at_once=True)
    newest = "&newest=1" if results and not computing else ""
    return RedirectResponse(f"/results?{_address(by, disclosure(request, desk))}{newest}", 303)


def _address(by: str, policy: Disclosure) -> str:
    """Query string of the same results, keeping an early view."""
    return urlencode({"by": by, **({EARLY: 1} if policy.address else {})})


def _grouping(request: Request, desk: Desk) -> str:
    """Requested grouping, or else the study's first."""
    available = groupings(desk.study)
    requested = request.query_params.get("by", "")
    return requested if requested in available else available[0]
