"""The dashboard as an application: its gate, its pages, and what a mistake looks like."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Lifespan

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.desk import pages_help, pages_sign_in
from vivavoce.desk.app_shell import AppShell, Desk, desk_of, page_environment
from vivavoce.desk.board import Board
from vivavoce.desk.label_choosing import LabelWatch
from vivavoce.desk.language import LanguageChoice, gettext, told, worded
from vivavoce.desk.page import DASHBOARD_PAGES
from vivavoce.desk.security import Gate, Needs, desk_cookie
from vivavoce.desk.snapshot import Snapshots
from vivavoce.desk.stopping_worker import EVERY_S, Watch
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.web.accounts import Access

__all__ = ["create_desk", "serve_pages"]

OF_STARLETTE: Final = (N_("Not Found"), N_("Method Not Allowed"))
HEADINGS: Final = {
    401: N_("Sign in first"), 403: N_("Not allowed"), 404: N_("Not found"), 405: N_("Not possible"),
    409: N_("Not possible now"),
}  # fmt: skip


def create_desk(
    study: Study,
    log: Log,
    *,
    work_dir: Path,
    secure_cookies: bool = False,
    simulated_notice: str | None = None,
    participant_url: str | None = None,
    account_optional: bool | None = None,
    watch_every_s: float = EVERY_S,
) -> FastAPI:
    """The dashboard of one study, reading this log.

    work_dir          where snapshots and downloads are made; what is left there is removed at the end
    secure_cookies    the dashboard is reached by https only
    simulated_notice  the text of the SIMULATED strip, which stands where programs' visits are shown
    participant_url   where participants begin, to be shown to the researcher
    account_optional  whoever comes by a link may look around before making an account; left out, that is so
                      where a simulated notice is given, as in the demonstration
    watch_every_s     how often the study's stopping rule, where it has one, asks whether a look is due, and
                      what chooses dialogues for annotators whether any have ended
    """
    free = simulated_notice is not None if account_optional is None else account_optional
    board = Board(study, log)
    cookie = desk_cookie(log, secure=secure_cookies)
    snapshots = Snapshots(board, work_dir / "desk-snapshot")
    pages = tuple(page for _, page in DASHBOARD_PAGES)
    desk = Desk(
        study=study, log=log, board=board, access=Access(log, study.name), snapshots=snapshots,
        watch=Watch(board.of("people"), snapshots.of("people"), every_s=watch_every_s), work_dir=work_dir,
        labels=LabelWatch(study, log, snapshots, every_s=watch_every_s),
        cookie=cookie, secure=secure_cookies, simulated_notice=simulated_notice,
        participant_url=participant_url, account_optional=free, pages=pages,
        templates=page_environment(*(one.templates for one in pages if one.templates)),
    )  # fmt: skip

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        desk.watch.start()
        desk.labels.start()
        yield
        desk.labels.close()
        desk.watch.close()
        desk.snapshots.close()

    routers = [guarded(one.router, one.role, one.help) for one in pages]
    public = [found for one in pages if (found := one.public(study)) is not None]
    return serve_pages(desk, *routers, public=public, lifespan=lifespan)


def guarded(router: APIRouter, role: str, help: str = "") -> APIRouter:
    """A page's addresses, for those who have its role, with what explains them."""

    def explained(request: Request) -> None:
        request.scope["state"]["help"] = help

    found = APIRouter(dependencies=[Depends(Needs(role)), Depends(explained)])
    found.include_router(router)
    return found


def serve_pages(
    desk: AppShell,
    *routers: APIRouter,
    public: Sequence[APIRouter] = (),
    lifespan: Lifespan[FastAPI] | None = None,
) -> FastAPI:
    """Pages behind the door: signing in, what a mistake looks like, the reader's language.

    public  what anybody may read, and only read, without signing in
    """
    app = FastAPI(
        title="Vivavoce dashboard", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.state.desk = desk
    for router in (pages_sign_in.router, pages_help.router, *public, *routers):
        app.include_router(router)
    app.add_exception_handler(HTTPException, _mistake)
    app.add_exception_handler(InputError, _not_possible)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_middleware(
        Gate, access=desk.access, cookie=desk.cookie, secure=desk.secure,
        account_optional=desk.account_optional,
        public=frozenset(route.path for one in public for route in one.routes if isinstance(route, APIRoute)),
    )  # fmt: skip
    for middleware in desk.middleware:
        app.add_middleware(middleware)
    app.add_middleware(LanguageChoice, secure=desk.secure)
    return app


async def _mistake(request: Request, error: Exception) -> Response:
    """A page where one was wanted, else a line."""
    if not isinstance(error, HTTPException):
        raise error
    return _answer(request, error.status_code, str(error.detail))


async def _not_possible(request: Request, error: Exception) -> Response:
    return _answer(request, 409, told(error) if isinstance(error, InputError) else str(error))


async def _unreadable(request: Request, error: Exception) -> Response:
    return _answer(
        request, 404, gettext("This address is not one of the dashboard's. Start from the overview.")
    )


def _answer(request: Request, status: int, detail: str) -> Response:
    who = request.scope["state"].get("who")
    if who is None or "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse(detail, status)
    page: HTMLResponse = desk_of(request).page(
        request,
        "mistake.html",
        status,
        heading=worded(HEADINGS.get(status, N_("Not possible"))),
        detail=worded(detail),
    )
    return page
