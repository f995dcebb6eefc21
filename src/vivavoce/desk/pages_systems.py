"""The systems under test: in use or resting, and when that changed."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from vivavoce.desk.app_shell import Desk, desk_of
from vivavoce.desk.security import Needs
from vivavoce.desk.systems import changes, standings

router = APIRouter(dependencies=[Depends(Needs("viewer"))])
Desk_ = Annotated[Desk, Depends(desk_of)]


@router.get("/systems")
def systems(request: Request, desk: Desk_) -> Response:
    return desk.page(request, "systems.html", **_systems(desk))


@router.get("/systems/table")
def systems_table(request: Request, desk: Desk_) -> Response:
    """The part of the page that changes."""
    return desk.page(request, "systems_table.html", **_systems(desk))


def _systems(desk: Desk) -> dict[str, Any]:
    standing, changed = desk.board.see(lambda board: (standings(board), changes(board)))
    return {"standing": standing, "changed": changed, "at": desk.log.clock.now()}
