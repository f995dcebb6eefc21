"""Which addresses a bot may have, and what is done with a name that has several."""

import asyncio
import ipaddress
import socket
from typing import Any

import httpx
import pytest

from vivavoce.connectors.transport import GuardedTransport, is_public, permitted
from vivavoce.core.errors import SystemUnderTestError


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1", "::",
     "224.0.0.1", "fe80::1", "fc00::1", "64:ff9b::7f00:1", "64:ff9b::808:808", "2002:7f00:1::", "2001:0:1::",
     "::ffff:127.0.0.1", "::ffff:8.8.8.8", "ff02::1", "255.255.255.255"],
)  # fmt: skip
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


def test_the_next_address_is_tried_when_one_does_not_answer(restaurant_bot: str) -> None:
    port = restaurant_bot.rpartition(":")[2]
    resolver = Resolver("127.0.0.9", "127.0.0.1")
    (answer,) = fetch(resolver, f"http://bot.example:{port}/health", allow_private=True)
    assert answer.json()["status"] == "ok"
