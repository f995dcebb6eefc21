"""How many visits are under way just now, for researchers."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from vivavoce.dashboard.app_shell import desk_of
from vivavoce.dashboard.page import DashboardPage, MenuItem

router = APIRouter()


@router.get("/queue")
def queue(request: Request, desk: Annotated[Any, Depends(desk_of)]) -> Response:
    waiting = desk.board.see(lambda board: sum(1 for _ in board.running_visits()))
    return desk.page(request, "queue.html", waiting=waiting)


QUEUE = DashboardPage(
    name="queue",
    router=router,
    menu=(MenuItem("/queue", "Queue", 250),),
    role="researcher",
    templates=Path(__file__).parent / "templates",
    shown=lambda study: len(study.systems) > 1,
)
