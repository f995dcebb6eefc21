"""Layer before the router: a short path for frequent requests, and old addresses."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

Endpoint = Callable[[Request], Awaitable[Response]]
Handler = Callable[[Request, Exception], Awaitable[Response]]


class EarlierAddresses:
    """Takes what is sent to an earlier address as if it had come to the present one: `now`, by whole path."""

    def __init__(self, app: ASGIApp, *, now: Mapping[str, str]) -> None:
        self.app, self.now = app, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (path := self.now.get(scope["path"])) is not None:
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self.app(scope, receive, send)


class QuickRoutes:
    """Answers some requests itself and hands the others on.

    routes    endpoints by method and whole path
    handlers  what answers an exception, by its class, nearest first; others are raised
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        routes: Mapping[tuple[str, str], Endpoint],
        handlers: Mapping[type[Exception], Handler],
    ) -> None:
        self.app, self._routes, self._handlers = app, routes, handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = (scope["method"], scope["path"]) if scope["type"] == "http" else ("", "")
        endpoint = self._routes.get(route)
        if endpoint is None:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive, send)
        try:
            response = await endpoint(request)
        except Exception as error:
            handler = self._handler(error)
            if handler is None:
                raise
            response = await handler(request, error)
        await response(scope, receive, send)

    def _handler(self, error: Exception) -> Handler | None:
        return next((self._handlers[kind] for kind in type(error).__mro__ if kind in self._handlers), None)
