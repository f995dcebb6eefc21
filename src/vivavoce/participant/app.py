"""The participants' web application: one study, served."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from vivavoce.core.errors import LogError
from vivavoce.participant import arena, chat_routes, health, judging, sign_in, stimulus, visit_routes, wizard
from vivavoce.participant.i18n import page_language, translations
from vivavoce.participant.security import HEADERS, RECORDING_CAP, BodyCap, OwnPostsOnly, SecurityHeaders
from vivavoce.participant.site import NoVisit, RateLimits, Site, TooMany, TooManyVisits, site_of, visit_of
from vivavoce.study.channel import Line
from vivavoce.study.model import Study
from vivavoce.study.recruiter import RECRUITERS, framing_origins
from vivavoce.study.step_kind import channels_of
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale

STATIC: Final = Path(__file__).parent / "static"
JSON_PATHS: Final = (
    "/events",
    "/turns",
    "/dialogue/end",
    "/arena/state",
    stimulus.RECORDED,
)

_COOKIES: Final = (sign_in.cookie_of, wizard.cookie_of)
_report = structlog.get_logger("vivavoce.participant")


class EarlierAddresses:
    """Takes what is sent to an earlier address as if it had come to the present one: `now`, by whole path."""

    def __init__(self, app: ASGIApp, *, now: Mapping[str, str]) -> None:
        self.app, self.now = app, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (path := self.now.get(scope["path"])) is not None:
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self.app(scope, receive, send)


def create_app(
    engine: SessionEngine,
    *,
    base_path: str = "",
    secure_cookies: bool = False,
    notice: str | None = None,
    rates: RateLimits | None = None,
    lines: Mapping[str, Line] | None = None,
) -> FastAPI:
    """The application; its lifespan starts and stops the engine.

    base_path       where the pages stand, such as /study; "" at the root of the host
    secure_cookies  the pages are reached by https
    notice          a line on top of every page, such as SIMULATED; `demonstration` is said in its language
    lines           what carries dialogues beside the pages, by channel; it starts and stops with them. None:
                    each channel of the study opens its own
    """
    base = "/" + base_path.strip("/") if base_path.strip("/") else ""

    channels = channels_of(engine.study)
    recruiters = [RECRUITERS.get(name) for name in engine.study.recruitment]
    if lines is None:
        lines = {channel.name: channel.open(engine) for channel in channels}

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await engine.start()
        try:
            for line in lines.values():
                await line.start()
            yield
        finally:
            for line in lines.values():
                await line.stop()
            await engine.stop()

    app = FastAPI(title="Vivavoce", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    for language in engine.study.languages:  # a mistake in a catalogue is told before anybody comes
        translations(page_language(language))
    app.state.site = Site(engine, base, secure_cookies, notice, rates or _rates(engine.study), lines)
    static = StaticFiles(directory=STATIC)
    app.mount(f"{base}/static", static, name="static")
    app.add_api_route("/favicon.ico", lambda: FileResponse(STATIC / "icon.svg"), include_in_schema=False)
    for router in (
        visit_routes.router,
        stimulus.router,
        arena.router,
        chat_routes.router,
        sign_in.router,
        wizard.router,
        health.router,
        *(source.router for source in (*channels, *recruiters) if source.router is not None),
    ):
        app.include_router(router, prefix=base)
    for kind in engine.study.judgement_kinds:
        app.include_router(kind.router(), prefix=base)
        static.all_directories.append(kind.folder / "static")
    app.include_router(judging.router, prefix=base)
    static.all_directories += [source.folder / "static" for source in (*channels, *recruiters)]
    uploads = [path for channel in channels for path in channel.uploads]
    uploads += [stimulus.RECORDED] if stimulus.takes_recordings(engine.study) else []
    larger = {f"{base}{path}": RECORDING_CAP for path in uploads}
    app.add_middleware(BodyCap, larger=larger, known=_known)
    app.add_middleware(OwnPostsOnly)
    experts = (f"{base}{sign_in.HOME}", f"{base}{wizard.HOME}")
    origins = framing_origins(engine.study.recruitment)
    app.add_middleware(SecurityHeaders, secure=secure_cookies, framed_by=origins, apart=experts)
    if earlier := stimulus.earlier_addresses(engine.study):
        now = {f"{base}{path}": f"{base}{address}" for path, address in earlier.items()}
        app.add_middleware(EarlierAddresses, now=now)
    for kind, handler in (
        (NoVisit, _no_visit),
        (Stale, _stale),
        (Refused, _refused),
        (TooMany, _too_many),
        (LogError, not_saved),
        (sign_in.NotSignedIn, _not_signed_in),
        (wizard.NoWizard, wizard.no_wizard),
        (wizard.NotYours, wizard.not_yours),
        (RequestValidationError, _bad_request),
        (HTTPException, _http_error),
        (Exception, _defect),
    ):
        app.add_exception_handler(kind, handler)
    return app


def _rates(study: Study) -> RateLimits:
    return RateLimits(visits_per_hour=study.limits.visits_per_hour)


async def _known(scope: Scope) -> bool:
    """True if a request comes from a participant of this study, from an expert or from a wizard."""
    request = Request(scope)
    try:
        await visit_of(request)
        return True
    except NoVisit:
        access = sign_in.access_of(request)
        for cookie_of in _COOKIES:
            token = request.cookies.get(cookie_of(site_of(request)))
            if token and await asyncio.to_thread(access.who, token) is not None:
                return True
        return False


def _for_script(request: Request) -> bool:
    base = site_of(request).base
    accepted = request.headers.get("accept", "")
    return accepted.startswith("application/json") or request.url.path.removeprefix(base) in JSON_PATHS


def _message(request: Request, kind: str, status: int) -> Response:
    """A page, or for scripts a word, that says what is wrong without saying how the house is built."""
    if _for_script(request):
        return JSONResponse({"error": kind}, status)
    site = site_of(request)
    language = visit_routes.wanted_language(site, request, request.query_params.get("lang"))
    return site.page("message", language, status=status, kind=kind)


async def _no_visit(request: Request, _: Exception) -> Response:
    return _message(request, "no_visit", 401) if _for_script(request) else site_of(request).to("/")


async def _not_signed_in(request: Request, error: Exception) -> Response:
    return sign_in.not_signed_in(request, error)


async def _stale(request: Request, _: Exception) -> Response:
    return _message(request, "stale", 409) if _for_script(request) else site_of(request).to("/visit")


async def _refused(request: Request, refusal: Exception) -> Response:
    reason = refusal.reason if isinstance(refusal, Refused) else ""
    if reason == "unknown_visit":
        return await _no_visit(request, refusal)
    return (
        _message(request, reason, 409)
        if _for_script(request)
        else site_of(request).to(f"/visit?problem={reason}")
    )


async def _too_many(request: Request, error: Exception) -> Response:
    many = isinstance(error, TooManyVisits)
    response = _message(request, "many_visits" if many else "too_fast", 429)
    response.headers["Retry-After"] = "600" if many else "60"
    return response


async def not_saved(request: Request, error: Exception) -> Response:
    _report.error("log_unavailable", error=repr(error))
    response = _message(request, "not_saved", 503)
    response.headers["Retry-After"] = "5"
    return response


async def _bad_request(request: Request, _: Exception) -> Response:
    return _message(request, "bad_request", 422)


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _message(request, "not_found" if status in (404, 405) else "bad_request", status)


async def _defect(request: Request, error: Exception) -> Response:
    _report.error("page_failed", path=request.url.path, error=repr(error))
    response = _message(request, "defect", 500)
    response.headers.update(HEADERS)  # this answer is made outside the middleware
    return response
