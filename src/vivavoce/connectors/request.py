"""Requests that templates make: what a study writes, and what is sent."""

from collections.abc import Set
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ConfigDict, Field

from vivavoce.connectors.templates import Rendered, compile_template
from vivavoce.connectors.urls import WebAddress

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
_HEADER_VARIABLES: Final = {"conversation", "key", "number", "language", "state"}


class _Common(Protocol):
    """Settings shared by all requests of a system."""

    @property
    def headers(self) -> dict[str, str]: ...

    @property
    def query(self) -> dict[str, str]: ...


class Request(BaseModel):
    """One more request of the interface: to open, reset or close a conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    url: WebAddress
    method: Method = "POST"
    body: Any = Field(
        default_factory=lambda: {"conversation": "{{ conversation }}", "language": "{{ language }}"}
    )


class Prepared:
    """A request with its templates compiled."""

    def __init__(self, request: Request, settings: _Common, known: Set[str], place: str = "") -> None:
        self._method = request.method
        self._url = compile_template(request.url, _HEADER_VARIABLES, place=f"{place}url")
        self._headers = compile_template(settings.headers, _HEADER_VARIABLES, place="headers")
        self._query = compile_template(settings.query, set(known), place="query")
        self._body: Rendered = compile_template(request.body, set(known), place=f"{place}body")
        self._has_body = request.body is not None and request.method != "GET"
        self._address = httpx.URL(request.url) if "{" not in request.url else None

    def request(self, client: httpx.AsyncClient, variables: dict[str, Any]) -> httpx.Request:
        query = self._query(variables)
        return client.build_request(
            self._method,
            self._address or str(self._url(_quoted(variables))),
            headers=self._headers(variables),
            params={name: str(value) for name, value in query.items()} or None,
            json=self._body(variables) if self._has_body else None,
        )


def _quoted(variables: dict[str, Any]) -> dict[str, Any]:
    """Variables quoted for use in an address."""
    return {
        **variables,
        **{name: quote(str(variables[name]), safe="") for name in ("conversation", "key", "language")},
        "state": {name: quote(str(value), safe="") for name, value in variables["state"].items()},
    }
