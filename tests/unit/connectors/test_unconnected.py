"""What a researcher reads when no connection comes about, or a web page comes instead of an answer."""

import asyncio

import httpx
import pytest

from scenes.processes import free_port
from vivavoce.connectors.transport import GuardedTransport, check_status
from vivavoce.core.errors import SystemUnderTestError


def test_a_bot_that_is_down_is_told_with_its_address_and_the_reason_alone() -> None:
    port = free_port()

    async def ask() -> None:
        transport = GuardedTransport(allow_private=True, longest_bytes=1000)
        async with httpx.AsyncClient(transport=transport) as client:
            await client.get(f"http://127.0.0.1:{port}/")

    with pytest.raises(httpx.ConnectError) as failed:
        asyncio.run(ask())
    assert str(failed.value) == f"no connection to 127.0.0.1:{port} (Connection refused)"


def test_of_a_web_page_only_its_status_is_told() -> None:
    page = b"<!DOCTYPE HTML>\n<html><head><title>Error response</title></head></html>"
    with pytest.raises(SystemUnderTestError) as failed:
        check_status(httpx.Response(501), page)
    assert failed.value.detail == "HTTP 501: Not Implemented, as a web page"
