"""Which addresses a bot may have, and what is done with a name that has several."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import GuardedTransport, check_status, is_public, permitted, reported
from vivavoce.core.errors import SystemUnderTestError


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "::1",
        "::",
        "224.0.0.1",
        "fe80::1",
        "fc00::1",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "2002:7f00:1::",
        "2001:0:1::",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "ff02::1",
        "255.255.255.255",
    ],
)
def test_what_is_not_everybodys_is_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    assert not permitted(ipaddress.ip_address(address), allow_private=False)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"])
def test_public_addresses_are_permitted(address: str) -> None:
    assert permitted(ipaddress.ip_address(address), allow_private=False)


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "0.0.0.0", "224.0.0.1"]
)
def test_some_addresses_are_refused_even_in_a_laboratory(address: str) -> None:
    assert not permitted(ipaddress.ip_address(address), allow_private=True)


class Resolver:
    """Answers for getaddrinfo, counted."""

    def __init__(self, *addresses: str) -> None:
        self.addresses, self.asked = addresses, 0

    async def __call__(self, host: str, port: int, **_: Any) -> list[Any]:
        self.asked += 1
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in self.addresses]


def fetch(resolver: Resolver, url: str, *, allow_private: bool, times: int = 1) -> list[httpx.Response]:
    async def run() -> list[httpx.Response]:
        asyncio.get_running_loop().getaddrinfo = resolver  # type: ignore[method-assign]
        transport = GuardedTransport(allow_private=allow_private, longest_bytes=10_000)
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            return [await client.get(url) for _ in range(times)]

    return asyncio.run(run())


def test_one_private_address_among_public_ones_is_refused_before_connecting() -> None:
    with pytest.raises(SystemUnderTestError) as caught:
        fetch(Resolver("8.8.8.8", "127.0.0.1"), "http://bot.example/", allow_private=False)
    assert (caught.value.failure, caught.value.reached) == ("refused", False)
    assert "bot.example (127.0.0.1)" in caught.value.detail


def test_a_name_is_resolved_once_and_the_checked_address_is_connected_to(restaurant_bot: str) -> None:
    port = restaurant_bot.rpartition(":")[2]
    resolver = Resolver("127.0.0.1")
    answers = fetch(resolver, f"http://bot.example:{port}/health", allow_private=True, times=3)
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert resolver.asked == 1


def test_a_name_is_looked_up_anew_after_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver, clock = Resolver("8.8.8.8"), SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr("vivavoce.connectors.transport.time", clock)

    async def run() -> list[int]:
        asyncio.get_running_loop().getaddrinfo = resolver  # type: ignore[method-assign]
        transport, asked = GuardedTransport(allow_private=False, longest_bytes=1), []
        for now_s in (100.0, 129.5, 130.0, 159.5):
            clock.monotonic = lambda now_s=now_s: now_s
            assert await transport._addresses("bot.example") == ["8.8.8.8"]
            asked.append(resolver.asked)
        return asked

    assert asyncio.run(run()) == [1, 1, 2, 2]


def test_the_problem_of_the_last_address_is_told(closed_port: Callable[[], int]) -> None:
    with pytest.raises(httpx.ConnectError, match=r"127\.0\.0\.1"):
        fetch(Resolver("127.0.0.9", "127.0.0.1"), f"http://bot.example:{closed_port()}/", allow_private=True)


def test_the_next_address_is_tried_when_one_does_not_answer(restaurant_bot: str) -> None:
    port = restaurant_bot.rpartition(":")[2]
    resolver = Resolver("127.0.0.9", "127.0.0.1")
    (answer,) = fetch(resolver, f"http://bot.example:{port}/health", allow_private=True)
    assert answer.json()["status"] == "ok"


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (200, b"", None),
        (299, b"", None),
        (199, b"", "refused: HTTP 199"),
        (300, b"", "refused: HTTP 300: redirects to elsewhere; write the final address"),
        (399, b"", "refused: HTTP 399: redirects to elsewhere; write the final address"),
        (400, b"no  such\nthing", "refused: HTTP 400: no such thing"),
        (499, b"", "refused: HTTP 499"),
        (500, b"busy", "bad_answer: HTTP 500: busy"),
        (404, b"<html>", "refused: HTTP 404: Not Found, as a web page"),
        (400, b"x" * 301, "refused: HTTP 400: " + "x" * 300),
    ],
)
def test_a_status_is_an_answer_or_says_what_is_wrong(status: int, body: bytes, told: str | None) -> None:
    response = httpx.Response(status)
    if told is None:
        check_status(response, body)
    else:
        with pytest.raises(SystemUnderTestError) as caught:
            check_status(response, body)
        assert str(caught.value) == told


@pytest.mark.parametrize(
    ("status", "written", "seconds"),
    [
        (429, "1.5", 1.5),
        (503, "2", 2.0),
        (429, "-3", 0.0),
        (429, "", None),
        (429, "soon", None),
        (500, "2", None),
        (404, "2", None),
        (429, "Mon, 01 Jan 2024 00:00:00 GMT", 0.0),
    ],
)
def test_a_busy_system_says_when_it_wants_to_be_asked_again(
    status: int, written: str, seconds: float | None
) -> None:
    with pytest.raises(SystemUnderTestError) as caught:
        check_status(httpx.Response(status, headers={"retry-after": written}), b"")
    assert caught.value.retry_after_s == seconds


def test_a_date_to_be_asked_again_counts_from_now() -> None:
    written = format_datetime(datetime.now(UTC) + timedelta(hours=1))
    with pytest.raises(SystemUnderTestError) as caught:
        check_status(httpx.Response(503, headers={"retry-after": written}), b"")
    assert caught.value.retry_after_s is not None and 1800 < caught.value.retry_after_s <= 3600


@pytest.mark.parametrize(
    ("error", "told", "reached"),
    [
        (httpx.ConnectError("no key1 there"), "unreachable: no ${KEY} there", False),
        (httpx.ConnectTimeout(""), "unreachable: the connection timed out", False),
        (httpx.ReadTimeout("key1"), "timeout: the answer timed out", True),
        (httpx.ReadError(""), "closed: the connection was closed before the end", True),
        (httpx.RemoteProtocolError("key1 cut"), "closed: ${KEY} cut", True),
        (httpx.InvalidURL("key1 is none"), "bad_answer: ${KEY} is none", True),
    ],
)
def test_what_goes_wrong_on_the_way_is_told_without_secrets(
    error: Exception, told: str, reached: bool
) -> None:
    with pytest.raises(SystemUnderTestError) as caught, reported(Vault({"KEY": "key1"}, {"KEY": "key1"})):
        raise error
    assert (str(caught.value), caught.value.reached) == (told, reached)


@pytest.mark.parametrize(("longest", "whole"), [(10, True), (9, False)])
def test_an_answer_may_be_as_large_as_is_set(
    longest: int, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> int:
        async with httpx.AsyncClient(
            transport=GuardedTransport(allow_private=True, longest_bytes=longest), trust_env=False
        ) as client:
            return len((await client.get("http://127.0.0.1:9/")).content)

    async def carried(_: object, request: httpx.Request) -> httpx.Response:
        async def body() -> Any:
            yield b"12345"
            yield b"67890"

        return httpx.Response(200, content=body())

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", carried)
    if whole:
        assert asyncio.run(run()) == 10
    else:
        with pytest.raises(SystemUnderTestError, match="larger than 9 bytes"):
            asyncio.run(run())
