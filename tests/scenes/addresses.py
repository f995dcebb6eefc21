"""The addresses of an application, found from the application itself."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI


def routes_of(app: FastAPI) -> Iterator[Any]:
    """Every route of the routers that an application includes, also those that it describes nowhere."""
    for router in app.routes:
        if hasattr(router, "effective_route_contexts"):
            yield from router.effective_route_contexts()
