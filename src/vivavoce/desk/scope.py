"""Scope of a page: visits of people or of programs, never both together.

The scope is the first part of an address, `/people/results` or `/simulated/results`; where there is none it
is `people` as soon as somebody has come. `Scoping` takes it off before anybody else sees the address, `Desk`
reads by it, and every address on a page, or in a redirect, gets it again.
"""

import re
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Asgi

from vivavoce.log.scope import SCOPES, Scope

LOCAL: Final = re.compile(rf'\b(href|src|action|data-[a-z]+)="/(?!/|(?:{"|".join(SCOPES)})[/"])')
HEADER: Final = "Vivavoce-Scope"


def asked_scope(asgi: Asgi) -> Scope | None:
    """Scope in a request's address; None without one."""
    return asgi.get("state", {}).get("scope")


def scoped_addresses(page: str, scope: Scope | None) -> str:
    """Page with the scope added to its own addresses; user text is safe because its quotes are escaped."""
    return page if scope is None else LOCAL.sub(rf'\1="/{scope}/', page)


class Scoping:
    """Remove the scope from an address, and add it to redirects."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, asgi: Asgi, receive: Receive, send: Send) -> None:
        scope, path = _split(asgi["path"]) if asgi["type"] == "http" else (None, "")
        if scope is None:
            await self.app(asgi, receive, send)
            return

        async def send_scoped(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                to = headers.get("location", "")
                if to.startswith("/") and not to.startswith("//") and _split(to)[0] is None:
                    headers["location"] = f"/{scope}{to}"
            await send(message)

        state: dict[str, Any] = {**asgi.get("state", {}), "scope": scope}
        raw = asgi.get("raw_path") or asgi["path"].encode()
        inner = {**asgi, "path": path, "raw_path": raw[len(scope) + 1 :] or b"/", "state": state}
        await self.app(inner, receive, send_scoped)


def _split(path: str) -> tuple[Scope | None, str]:
    for scope in SCOPES:
        if path == f"/{scope}" or path.startswith(f"/{scope}/"):
            return scope, path[len(scope) + 1 :] or "/"
    return None, path
