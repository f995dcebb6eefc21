"""Signed requests, against examples that other services have published."""

import asyncio
import base64
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.hmac import HMAC

from scenes.replying import replying
from vivavoce.connectors.base import Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.signing import Signature, Signer
from vivavoce.core.errors import InputError

SLACK_BODY = (
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
    "&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
    "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
    "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)


def signed(body: str, key: str, now_s: float = 0.0, **settings: Any) -> httpx.Headers:
    request = httpx.Request("POST", "https://bot.example/turns", content=body)
    vault = Vault({"KEY"}, {"KEY": key})
    Signer(Signature(key="${KEY}", **settings), vault, lambda: now_s, "sign").sign(request)
    return request.headers


def test_a_signature_is_that_of_githubs_webhooks() -> None:
    """Source: GitHub documentation, "Validating webhook deliveries", section on testing."""
    headers = signed(
        "Hello, World!", "It's a Secret to Everybody", header="X-Hub-Signature-256", prefix="sha256="
    )
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert headers["X-Hub-Signature-256"] == expected


def test_a_signature_is_that_of_slacks_requests() -> None:
    """Source: Slack documentation, "Verifying requests from Slack", step-by-step example."""
    headers = signed(
        SLACK_BODY,
        "8f742231b10e8888abcd99yyyzzz85a5",
        now_s=1531420618.9,
        prefix="v0=",
        text="v0:{{ timestamp }}:{{ body }}",
        timestamp="X-Slack-Request-Timestamp",
    )
    expected = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    assert headers["X-Signature"] == expected
    assert headers["X-Slack-Request-Timestamp"] == "1531420618"


@pytest.mark.parametrize("kind", [hashes.SHA1(), hashes.SHA256(), hashes.SHA512()])
def test_a_signature_in_base64_is_what_another_library_makes_of_it(kind: hashes.HashAlgorithm) -> None:
    body, key = "città & {{ text }}", "hunter2"
    made = HMAC(key.encode(), kind)
    made.update(body.encode())
    written = signed(body, key, hash=kind.name, encoding="base64")["X-Signature"]
    assert base64.b64decode(written) == made.finalize()


def test_the_turn_that_arrives_carries_the_signature_of_its_body() -> None:
    got: list[tuple[dict[str, str], bytes]] = []

    async def run() -> None:
        async with replying(got) as address:
            settings = {
                "connect": "http",
                "url": address,
                "allow_private": True,
                "sign": {"key": "${KEY}"},
            }
            connector = make_connector(settings, {"KEY": "hunter2"})
            turn = UserTurn(key="k", number=1, text="città")
            assert "good" in [one.text async for one in connector.send(Conversation("c"), turn)]
            await connector.shut_down()

    asyncio.run(run())
    ((headers, body),) = got
    assert headers["x-signature"] == signed(body.decode(), "hunter2")["X-Signature"]


def test_a_wrong_template_is_named() -> None:
    settings = {"connect": "http", "url": "https://bot.example/", "sign": {"key": "k", "text": "{{ bdy }}"}}
    with pytest.raises(InputError, match=r"sign.text: unknown variable 'bdy'.*Did you mean 'body'"):
        make_connector(settings, {})
