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
    known, computing = desk.snapshots.results(by)
    told = disclosure(request, desk)
    view = make_view(known.summary, pooled=told.withheld) if known and known.summary else None
    problem = known.problem if known else ""
    sections: tuple[DocumentSection, ...] = ()
    front: ReportSummary | None = None
    try:
        if known and not told.withheld:
            sections, front = known.sections(), known.front()
    except VivavoceError as error:
        problem = str(error)
    return desk.page(
        request,
        "results.html",
        by=by,
        groupings=groupings(desk.study),
        known=known,
        view=view,
        computing=computing,
        problem=problem,
        sections=sections,
        nothing=desk.snapshots.nothing,
        front=front,
        size=desk.board.see(study_size),
        disclosure=told,
        here=_address(by, told),
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
    known, _ = desk.snapshots.results(_grouping(request, desk))
    drawn = next((one for one in known.figures() if one.name == name), None) if known else None
    if drawn is None or known is None or form not in FIGURE_KINDS:
        raise HTTPException(404, gettext("This figure does not exist."))
    return Response(
        FIGURE_FORMS[form](drawn, known.mark),
        media_type=FIGURE_KINDS[form],
        headers={"content-disposition": f'attachment; filename="{file}"'},
    )


@router.get("/api/results")
def results_for_programs(request: Request, desk: ThisDesk) -> JSONResponse:
    """Summary for programs; `computing`: newer results follow, ask again.

    While the trial goes on the declared comparison is kept back; `early=1` asks for it, which is noted.
    """
    by = _grouping(request, desk)
    known, computing = desk.snapshots.results(by)
    told = disclosure(request, desk)
    found = as_json(known.summary) if known and known.summary and not told.withheld else None
    problem = known.problem if known else NOTHING if desk.snapshots.nothing else ""
    if told.withheld and not desk.snapshots.nothing:
        problem = f"{WITHHELD} {told.why}"
    return JSONResponse({"by": by, "computing": computing, "problem": problem, "summary": found})


@router.post("/results", dependencies=[OnlyAsks])
def recompute(
    request: Request, desk: ThisDesk, form: Annotated[FormData, Depends(own_form)]
) -> RedirectResponse:
    by = _grouping(request, desk)
    known, computing = desk.snapshots.results(by, at_once=True)
    newest = "&newest=1" if known and not computing else ""
    return RedirectResponse(f"/results?{_address(by, disclosure(request, desk))}{newest}", 303)


def _address(by: str, told: Disclosure) -> str:
    """Query string of the same results, keeping an early view."""
    return urlencode({"by": by, **({EARLY: 1} if told.address else {})})


def _grouping(request: Request, desk: Desk) -> str:
    """Requested grouping, or else the study's first."""
    known = groupings(desk.study)
    wanted = request.query_params.get("by", "")
    return wanted if wanted in known else known[0]
