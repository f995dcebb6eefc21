"""Pages for a folder without a valid study, before the trial is served."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Final

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import RedirectResponse, Response

from vivavoce.dashboard.app import guarded, serve_pages
from vivavoce.dashboard.app_shell import AppShell
from vivavoce.dashboard.language import gettext, language
from vivavoce.dashboard.security import OwnForm, Steers, desk_cookie
from vivavoce.dashboard.study_editor.editing import Shell, edited
from vivavoce.dashboard.study_editor.pages import PAGE, study_page
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access, SignedIn

router = APIRouter()
WITHOUT_SCRIPT_S: Final = 8.0  # below the 15 s reload of the page without a script


@dataclass(kw_only=True)
class SetupShell(AppShell):
    """Pages of a study before it is served.

    folder  of the study; start: called once somebody wants it served
    """

    folder: Path
    start: Callable[[], None]
    account_optional: bool = field(default=True)
    begun: bool = False

    def begin(self) -> None:
        """Hand over to the trial at the first request of the waiting page, or after some seconds."""
        self.begun = True
        timer = Timer(WITHOUT_SCRIPT_S, self.start)
        timer.daemon = True
        timer.start()

    @property
    def title(self) -> str:
        says = edited(self).says
        title = says.get("title")
        if isinstance(title, dict):
            title = title.get(language()) or next(iter(title.values()), None)
        return str(title or says.get("study") or self.folder.resolve().name)

    def menu(self, who: SignedIn) -> list[tuple[str, str]]:
        return [("/study", gettext("Study"))] if who.may(PAGE.role) else []


def create_setup(folder: Path, log: Log, start: Callable[[], None]) -> FastAPI:
    """Create the setup pages; sessions stay valid when the dashboard takes over.

    Input   log: where sign-ins are kept, the study's own; start: called when the study is to be served
    """
    shell = SetupShell(access=Access(log), cookie=desk_cookie(log), secure=False, folder=folder, start=start)
    return serve_pages(shell, *(guarded(router, PAGE.role, PAGE.help) for router in (router, PAGE.router)))


@router.get("/")
def home() -> Response:
    return RedirectResponse("/study", 303)


@router.post("/study/start", dependencies=[Steers])
def start(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Start the trial; the returned page waits for the dashboard."""
    study = edited(desk)
    if study.study is None or study.problems:
        return study_page(request, desk, study, 409)
    if isinstance(desk, SetupShell):
        desk.begin()
    return desk.page(request, "study_starting.html")


@router.get("/study/state")
def state(desk: Shell) -> dict[str, bool]:
    """Not-ready signal; the waiting page has then loaded with its script."""
    if isinstance(desk, SetupShell) and desk.begun:
        desk.start()
    return {"computing": True}
