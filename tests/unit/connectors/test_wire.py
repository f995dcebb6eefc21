"""What went over the wire is kept for whoever listens, without secrets."""

import asyncio

import pytest

from scenes.connecting import PATIENT
from vivavoce.connectors.base import ConnectorSettings, Conversation, UserTurn, heard_on_the_wire
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.wire import LONGEST, Wire

TURN = UserTurn(key="k-1", number=1, text="città")


def wire_of(settings: dict, secrets: dict | None = None, turn: UserTurn = TURN) -> list[dict]:
    async def run() -> list[dict]:
        connector = make_connector(PATIENT | settings, secrets or {})
        frames: list[dict] = []
        try:
            with heard_on_the_wire(frames):
                async for _ in connector.send(Conversation(f"wire-{len(turn.text)}"), turn):
                    pass
        finally:
            await connector.shut_down()
        return frames

    return asyncio.run(run())


def test_request_and_answer_stand_beside_the_turn(chat_server: str) -> None:
    frames = wire_of({"connect": "http", "url": f"{chat_server}/chat", "allow_private": True})
    assert frames[0]["sent"] == f"POST {chat_server}/chat"
    assert '"text":"città"' in frames[0]["body"]
    assert frames[1] == {"received": "HTTP 200", "body": '{"text":"first was città"}'}


def test_a_stream_is_kept_as_it_came(chat_server: str) -> None:
    settings = {"connect": "openai", "url": f"{chat_server}/v1", "model": "m", "allow_private": True}
    frames = wire_of(settings)
    assert frames[1]["body"].count("data: ") == 4


def test_secrets_never_stand_on_the_wire_as_it_is_kept(faulty: str) -> None:
    settings = {
        "connect": "http",
        "url": f"{faulty}/echokey",
        "allow_private": True,
        "query": {"key": "${KEY}"},
        "body": {"text": "{{ text }}", "key": "${KEY}"},
    }
    frames = wire_of(settings, {"KEY": "hunter2secret"})
    assert "hunter2secret" not in str(frames)
    assert "your key is ${KEY}" in frames[1]["body"]


def test_nothing_is_kept_where_the_settings_say_so(chat_server: str) -> None:
    settings = {"connect": "http", "url": f"{chat_server}/chat", "allow_private": True, "log_wire": False}
    assert wire_of(settings) == []


def test_what_is_long_is_cut_and_its_length_told(chat_server: str) -> None:
    settings = {"connect": "http", "url": f"{chat_server}/chat", "allow_private": True}
    frames = wire_of(settings, turn=UserTurn(key="k", number=1, text="x" * 30_000))
    assert [len(frame["body"]) for frame in frames] == [LONGEST, LONGEST]
    assert frames[0]["characters"] > 30_000


@pytest.mark.parametrize(("length", "told"), [(LONGEST, None), (LONGEST + 1, LONGEST + 1)])
def test_what_is_as_long_as_may_be_is_kept_whole(length: int, told: int | None) -> None:
    wire = Wire(ConnectorSettings(connect="http"), Vault((), {}))
    with heard_on_the_wire([]) as frames:
        wire.sent("POST", "x" * length)
    assert (len(frames[0]["body"]), frames[0].get("characters")) == (LONGEST, told)
