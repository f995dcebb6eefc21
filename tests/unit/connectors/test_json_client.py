"""Questions in JSON: what is asked a second time, and what is not."""

import asyncio
from typing import Any

import httpx
import pytest

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import SystemUnderTestError

GONE = httpx.ConnectError("nobody there"), httpx.RemoteProtocolError("closed without an answer")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.connectors.json_client._PAUSES_S", (0.0, 0.0))


def answered(*answers: httpx.Response | Exception, idempotent: bool) -> tuple[Any, int]:
    """What is answered in the end, or how it failed, and how often it was asked."""
    waiting = list(answers)

    def answer(_: httpx.Request) -> httpx.Response:
        given = waiting.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    async def run() -> Any:
        asking = Asking(ConnectorSettings(connect="test"), Vault({}, {}), 1000)
        asking.client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        try:
            return await asking.ask("POST", "http://bot.example/", json={}, idempotent=idempotent)
        except SystemUnderTestError as error:
            return error.failure
        finally:
            await asking.close()

    found = asyncio.run(run())
    return found, len(answers) - len(waiting)


OK = {"text": "hello"}


@pytest.mark.parametrize(
    ("answers", "idempotent", "found"),
    [
        ((GONE[0],), False, (OK, 2)),  # it was not reached: asking again does no harm
        ((GONE[0], GONE[0]), False, (OK, 3)),
        ((GONE[0], GONE[0], GONE[0]), False, ("unreachable", 3)),
        ((GONE[1],), True, (OK, 2)),
        ((GONE[1],), False, ("closed", 1)),  # perhaps it was heard
        ((httpx.Response(500),), True, ("bad_answer", 1)),
        ((httpx.Response(404),), True, ("refused", 1)),
    ],
)
def test_a_question_is_asked_again_only_where_it_was_not_heard_or_harms_nobody(
    answers: tuple[httpx.Response | Exception, ...], idempotent: bool, found: tuple[Any, int]
) -> None:
    assert answered(*answers, httpx.Response(200, json=OK), idempotent=idempotent) == found


def test_an_empty_answer_is_none() -> None:
    assert answered(httpx.Response(204), idempotent=False) == (None, 1)
