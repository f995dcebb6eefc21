"""Protection of the dashboard: security headers, same-origin check and a gate that denies by default."""

import hashlib
import hmac
from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.dashboard.language import gettext, worded
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access, SignedIn
from vivavoce.participant.rate_limit import MINUTE_S, RateLimit

PUBLIC: Final = frozenset(("/sign-in", "/door.css", "/door.svg", "/favicon.ico"))
LINK: Final = "/link/"
WITHOUT_ACCOUNT: Final = frozenset(("/account", "/sign-out", "/static/dashboard.css", "/static/dashboard.js"))
SAFE_METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
LARGEST_FORM: Final = 64 * 1024
MOST_FIELDS: Final = 100
# addresses open to API tokens, by required scope
OF_PROGRAMS: Final = {"/api/progress": "progress", "/api/results": "results", "/api/export/": "export"}
READS_A_MINUTE: Final = 60
WRONG_TOKENS_A_MINUTE: Final = 10
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types desk pairs",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class Gate:
    """Gate that requires a valid session for every page.

    Every answer carries the security headers. Every request that changes something must come from our own
    pages. After an invite link, users are led to create an account unless accounts are optional.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        *,
        cookie: str,
        secure: bool,
        account_optional: bool,
        public: frozenset[str] = frozenset(),
    ) -> None:
        self.app, self.access, self.cookie, self.public = app, access, cookie, public
        self.secure, self.account_optional = secure, account_optional
        self._reads = RateLimit(READS_A_MINUTE, MINUTE_S)
        self._wrong = RateLimit(WRONG_TOKENS_A_MINUTE, MINUTE_S)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self.secure:
                    headers.setdefault("Strict-Transport-Security", "max-age=31536000")
                await self._note(scope, message["status"])
            await send(message)

        answer = await self._refusal(scope)
        await (answer or self.app)(scope, receive, send_guarded)

    async def _note(self, scope: Scope, status: int) -> None:
        """Log a change or export before it is answered."""
        who, details = scope["state"].get("who"), scope["state"].get("told")
        path, changes = scope["path"], scope["method"] not in SAFE_METHODS
        nothing = scope["state"].get("only_asks", False) or not (changes or details is not None)
        if who is None or status >= 400 or nothing or _is_door(path):
            return
        await run_in_threadpool(self.access.note, who, f"{scope['method']} {path}", details or {})

    async def _refused_program(self, scope: Scope, token: str) -> Response | None:
        """Refusal of a program's token; None if it may read this address."""
        client = scope.get("client")
        address, key = client[0] if client else "", hashlib.sha256(token.encode()).hexdigest()
        who = await run_in_threadpool(self.access.program, token)
        limit, of_whom = (self._wrong, address) if who is None else (self._reads, key)
        if not limit.passes(of_whom):
            return PlainTextResponse("Too many requests.", 429, {"Retry-After": "60"})
        if who is None:
            wrong = {"WWW-Authenticate": "Bearer"}
            return PlainTextResponse("This token is unknown, revoked or expired.", 401, wrong)
        needed = [scope_ for path, scope_ in OF_PROGRAMS.items() if scope["path"].startswith(path)]
        if scope["method"] not in SAFE_METHODS or not set(needed) & set(who.scopes):
            return PlainTextResponse(f"This token may read: {', '.join(who.scopes)}.", 403)
        scope["state"]["who"] = who
        return None

    async def _refusal(self, scope: Scope) -> Response | None:
        """Refusal in place of the page; None lets the request through."""
        headers, path = Headers(scope=scope), scope["path"]
        scope.setdefault("state", {})["who"] = None
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return await self._refused_program(scope, token.strip())
        if scope["method"] not in SAFE_METHODS:
            if not same_origin(headers):
                return PlainTextResponse(
                    gettext("This request did not come from a page of the dashboard."), 403
                )
            if not 0 <= _length(headers) <= LARGEST_FORM:
                return PlainTextResponse(gettext("This form is too large."), 413)
        request = Request(scope)
        token = request.cookies.get(self.cookie)
        who = await run_in_threadpool(self.access.who, token) if token else None
        scope["state"]["who"] = who
        if _is_door(path) or (path in self.public and scope["method"] in SAFE_METHODS):
            return None
        if who is None:
            wants_page = "text/html" in headers.get("accept", "")
            return (
                RedirectResponse("/sign-in", 303)
                if wants_page
                else PlainTextResponse(gettext("Please sign in."), 401)
            )
        if who.account_id is None and not self.account_optional and path not in WITHOUT_ACCOUNT:
            return RedirectResponse("/account", 303)
        return None


def _is_door(path: str) -> bool:
    return path in PUBLIC or path.startswith(LINK)


def _length(headers: Headers) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() else -1


def same_origin(headers: Headers) -> bool:
    """True if the browser sends the request from a page of this origin.

    A request that carries neither Sec-Fetch-Site nor Origin is refused.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    return bool(origin) and urlsplit(origin or "").netloc == headers.get("host")


def desk_cookie(log: Log, *, secure: bool = False) -> str:
    """Name of the session cookie, by port, because dashboards of one machine share cookies."""
    suffix = hashlib.sha256(log.address.encode()).hexdigest()[:8]
    return f"{'__Host-' if secure else ''}vivavoce-desk-{suffix}"


def csrf_token(token: str) -> str:
    """Form token bound to the session of this cookie token."""
    return hmac.new(token.encode(), b"form of the dashboard", hashlib.sha256).hexdigest()


def who_of(request: Request) -> SignedIn:
    """Account of the request; the gate guarantees one."""
    who = request.scope["state"]["who"]
    if who is None:
        raise HTTPException(401, gettext("Please sign in."))
    return who


def needs_role(required: str, role: str) -> str:
    """Message for a role that may not open a page."""
    return gettext(
        "You need the role “%(wanted)s”; your role is “%(role)s”.", wanted=required, role=worded(role)
    )


class Needs:
    """Dependency: minimum role of a page. Viewers read; researchers also steer and export."""

    def __init__(self, role: str) -> None:
        self.role = role

    def __call__(self, request: Request) -> SignedIn:
        who = who_of(request)
        if not who.scopes and not who.may(self.role):  # the gate has checked API tokens
            raise HTTPException(403, needs_role(worded(self.role), who.role))
        return who


def tell(request: Request, **about: str) -> None:
    """Describe a request in the activity log; otherwise reading is not logged."""
    state = request.scope["state"]
    state["told"] = {**(state.get("told") or {}), **about}


def takes_out(request: Request) -> None:
    """Dependency: log the request as an export."""
    tell(request)


def only_asks(request: Request) -> None:
    """Dependency: a form without changes, which is not logged."""
    request.scope["state"]["only_asks"] = True


async def own_form(request: Request) -> FormData:
    """Dependency: fields of a form made by our pages for this session."""
    who = who_of(request)
    form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    token = form.get("form_token")
    if not isinstance(token, str) or not hmac.compare_digest(token.encode(), csrf_token(who.token).encode()):
        raise HTTPException(
            403, gettext("This form has expired. Go back, reload the page and send it again.")
        )
    return form


OwnForm = Annotated[FormData, Depends(own_form)]
Steers: Final = Depends(Needs("researcher"))
OnlyAsks: Final = Depends(only_asks)


async def door_form(request: Request) -> FormData:
    """Dependency: fields of a form before sign-in; the gate has checked its origin."""
    return await request.form(max_files=0, max_fields=10)


def field(form: FormData, name: str, *, most: int = 200) -> str:
    """One text field, trimmed and cut to `most` characters; "" if absent."""
    value = form.get(name)
    return value.strip()[:most] if isinstance(value, str) else ""
