"""The dashboard application: its gate, its pages and its error pages."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Lifespan

from vivavoce.core.errors import InputError
from vivavoce.core.extras import missing
from vivavoce.core.i18n import N_
from vivavoce.dashboard import pages_help, pages_sign_in
from vivavoce.dashboard.app_shell import AppShell, Desk, desk_of, page_environment
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.label_choosing import LabelWatch
from vivavoce.dashboard.language import LanguageChoice, gettext, told, worded
from vivavoce.dashboard.page import DASHBOARD_PAGES
from vivavoce.dashboard.security import Gate, Needs, desk_cookie
from vivavoce.dashboard.snapshot import Snapshots
from vivavoce.dashboard.stopping_worker import EVERY_S, Watch
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access
from vivavoce.study.model import Study

__all__ = ["create_desk", "serve_pages"]

OF_STARLETTE: Final = (N_("Not Found"), N_("Method Not Allowed"))
HEADINGS: Final = {
    401: N_("Sign-in required"),
    403: N_("Not allowed"),
    404: N_("Not found"),
    405: N_("Not possible"),
    409: N_("Not possible now"),
}


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
    """Create the dashboard of one study from its log.

    work_dir          folder for snapshots and downloads, emptied at the end
    secure_cookies    the dashboard is reached by https only
    simulated_notice  text of the SIMULATED strip on pages with simulated visits
    participant_url   invite link of the study, shown to the researcher
    account_optional  allow viewing with an invite link before creating an account (default: only with a
                      simulated notice, as in the demonstration)
    watch_every_s     interval of the checks for due interim analyses and for finished dialogues to annotate
    """
    free = simulated_notice is not None if account_optional is None else account_optional
    board = Board(study, log)
    cookie = desk_cookie(log, secure=secure_cookies)
    snapshots = Snapshots(board, work_dir / "desk-snapshot")
    pages = tuple(page for _, page in DASHBOARD_PAGES)
    desk = Desk(
        study=study,
        log=log,
        board=board,
        access=Access(log, study.name),
        snapshots=snapshots,
        watch=Watch(board.of("people"), snapshots.of("people"), every_s=watch_every_s),
        work_dir=work_dir,
        labels=LabelWatch(study, log, snapshots, every_s=watch_every_s),
        cookie=cookie,
        secure=secure_cookies,
        simulated_notice=simulated_notice,
        participant_url=participant_url,
        account_optional=free,
        pages=pages,
        templates=page_environment(*(page.templates for page in pages if page.templates)),
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        desk.watch.start()
        desk.labels.start()
        yield
        desk.labels.close()
        desk.watch.close()
        desk.snapshots.close()

    routers = [guarded(page.router, page.role, page.help) for page in pages]
    public = [public_router for page in pages if (public_router := page.public(study)) is not None]
    return serve_pages(desk, *routers, public=public, lifespan=lifespan)


def guarded(router: APIRouter, role: str, help: str = "") -> APIRouter:
    """Router of a page, restricted to its role, with its help page."""

    def explained(request: Request) -> None:
        request.scope["state"]["help"] = help

    guarded_router = APIRouter(dependencies=[Depends(Needs(role)), Depends(explained)])
    guarded_router.include_router(router)
    return guarded_router


def serve_pages(
    desk: AppShell,
    *routers: APIRouter,
    public: Sequence[APIRouter] = (),
    lifespan: Lifespan[FastAPI] | None = None,
) -> FastAPI:
    """Serve pages behind a sign-in, with error pages and the reader's language.

    public  routes readable without signing in
    """
    app = FastAPI(
        title="Vivavoce dashboard", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.state.desk = desk
    for router in (pages_sign_in.router, pages_help.router, *public, *routers):
        app.include_router(router)
    app.add_exception_handler(HTTPException, _mistake)
    app.add_exception_handler(InputError, _not_possible)
    app.add_exception_handler(ModuleNotFoundError, _not_installed)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_middleware(
        Gate,
        access=desk.access,
        cookie=desk.cookie,
        secure=desk.secure,
        account_optional=desk.account_optional,
        public=frozenset(
            route.path for router in public for route in router.routes if isinstance(route, APIRoute)
        ),
    )
    for middleware in desk.middleware:
        app.add_middleware(middleware)
    app.add_middleware(LanguageChoice, secure=desk.secure)
    return app


async def _mistake(request: Request, error: Exception) -> Response:
    """Error page for browsers, one line for programs."""
    if not isinstance(error, HTTPException):
        raise error
    return _answer(request, error.status_code, str(error.detail))


async def _not_possible(request: Request, error: Exception) -> Response:
    return _answer(request, 409, told(error) if isinstance(error, InputError) else str(error))


async def _not_installed(request: Request, error: Exception) -> Response:
    """Which extra to install, where a page needs one."""
    lacks = missing(getattr(error, "name", None) or "")
    if lacks is None:
        raise error
    return await _not_possible(request, lacks)


async def _unreadable(request: Request, error: Exception) -> Response:
    return _answer(request, 404, gettext("This page does not exist. Go to the overview."))


async def _gone(request: Request, error: Exception) -> Response:
    """Nobody reads this: the browser left in the middle of its form."""
    return Response(status_code=400)


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
