"""Overview and running visits."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from vivavoce.desk.app_shell import Desk, desk_of
from vivavoce.desk.progress import progress, whereabouts
from vivavoce.desk.security import Needs

router = APIRouter(dependencies=[Depends(Needs("viewer"))])
Desk_ = Annotated[Desk, Depends(desk_of)]


@router.get("/")
def overview(request: Request, desk: Desk_) -> Response:
    return desk.page(request, "overview.html", now=desk.board.see(progress))


@router.get("/overview/numbers")
def overview_numbers(request: Request, desk: Desk_) -> Response:
    """The part of the overview that changes."""
    return desk.page(request, "overview_numbers.html", now=desk.board.see(progress))


@router.get("/visits")
def visits(request: Request, desk: Desk_) -> Response:
    return desk.page(request, "visits.html", **_visits(desk))


@router.get("/visits/table")
def visits_table(request: Request, desk: Desk_) -> Response:
    """The part of the running visits that changes."""
    return desk.page(request, "visits_table.html", **_visits(desk))


def _visits(desk: Desk) -> dict[str, Any]:
    active, idle = desk.board.see(whereabouts)
    return {"active": active, "idle": idle, "at": desk.log.clock.now()}
