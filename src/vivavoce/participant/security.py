"""Middleware for every page: headers, a limit on bodies, and refusal of posts from other sites."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_CAP: Final = 1024 * 1024
RECORDING_CAP: Final = 32 * 1024 * 1024  # five minutes of 16 bits at 48 kHz
STRANGERS_CAP: Final = 64 * 1024
BODIES_AT_ONCE: Final = 256 * 1024 * 1024
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; media-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # not no-referrer: browsers would send `Origin: null` with our own forms, like those of other sites
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow",
}


def framed_headers(origins: Sequence[str]) -> dict[str, str]:
    """The headers of pages that these origins may show in a frame, and to which their forms may go."""
    policy, allowed = HEADERS["Content-Security-Policy"], " ".join(origins)
    policy = policy.replace("form-action 'self'", f"form-action 'self' {allowed}")
    policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {allowed}")
    headers = {name: value for name, value in HEADERS.items() if name != "X-Frame-Options"}  # knows no list
    return {**headers, "Content-Security-Policy": policy}


class SecurityHeaders:
    """Adds the headers above; pages are never stored by a cache, files of ours are asked after each time.

    framed_by  origins that may show pages in a frame, but those below the paths `apart`
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        secure: bool = False,
        framed_by: Sequence[str] = (),
        apart: tuple[str, ...] = (),
    ) -> None:
        self.app, self.secure, self.apart = app, secure, apart
        self.framed = framed_headers(framed_by) if framed_by else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        added = HEADERS if scope["path"].startswith(self.apart) else self.framed

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-cache" if "etag" in headers else "no-store")
                if self.secure:
                    headers.setdefault("Strict-Transport-Security", "max-age=31536000")
            await send(message)

        await self.app(scope, receive, with_headers)


class OwnPostsOnly:
    """Refuses what changes something and was not sent from a page of this site (cross-site request forgery).

    Programs other than browsers send neither header and carry no foreign cookie; they are let through.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        changing = scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changing and is_foreign(scope):
            await PlainTextResponse("This request did not come from our own page.", 403)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def is_foreign(scope: Scope) -> bool:
    """True if another site's page made the request, as far as a browser reveals; also for WebSockets."""
    headers = Headers(scope=scope)
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


class BodyCap:
    """Refuses bodies of more than a mebibyte, whether announced or not; `larger` are paths that take more.

    Who is not `known` may send 64 KiB, enough for every form by which one comes in: more is refused before it
    is read. Bodies are held in memory until they are answered. Where all of them together are more than
    `at_once`, the one that came last is asked to come again.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        most: int = BODY_CAP,
        larger: Mapping[str, int] | None = None,
        at_once: int = BODIES_AT_ONCE,
        known: Callable[[Scope], Awaitable[bool]] | None = None,
    ) -> None:
        self.app, self.most, self.larger, self.at_once = app, most, larger or {}, at_once
        self.known = known
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        length = int(declared) if declared.isdecimal() else 0
        pieces: list[bytes] = []
        size, more = 0, True
        most = self.larger.get(scope["path"], self.most)
        free = most if self.known is None else min(STRANGERS_CAP, most)  # what everybody may send
        too_large = length > most or (length > free and not await self._takes(scope))
        free = max(free, length)
        try:
            while more and not too_large and self._held <= self.at_once:
                message = await receive()
                if message["type"] != "http.request":
                    return
                pieces.append(message.get("body", b""))
                size, self._held = size + len(pieces[-1]), self._held + len(pieces[-1])
                more = message.get("more_body", False)
                if size > free:
                    too_large = size > most or not await self._takes(scope)
                    free = most
            if too_large:
                await PlainTextResponse("This request is too large.", 413)(scope, receive, send)
                return
            if more:
                again = PlainTextResponse("Too much comes in at once.", 503, {"Retry-After": "5"})
                await again(scope, receive, send)
                return
            await self.app(scope, _replayed(b"".join(pieces), receive), send)
        finally:
            self._held -= size

    async def _takes(self, scope: Scope) -> bool:
        """True if larger bodies than a stranger's are allowed."""
        return self.known is None or await self.known(scope)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Request with its body already read."""
    messages = [body]

    async def replay() -> Message:
        if messages:
            return {"type": "http.request", "body": messages.pop(), "more_body": False}
        return await receive()

    return replay
