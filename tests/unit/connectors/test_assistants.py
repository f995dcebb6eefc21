"""Buttons, pictures, intents and endings of assistants behind their own interfaces."""

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import jwt

from scenes.connecting import PATIENT, within
from scenes.counterparts import Counterparts
from vivavoce.connectors.base import Act, Choice, Conversation, SystemOutput, Understood, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.trial.outputs import SystemTurn
from vivavoce_platforms import dialogflow, directline

LEX = {"bot": "ABCDEFGHIJ", "access_key": "${KEY}", "secret_key": "${SECRET}"}
BEDROCK = {"agent": "ABCDEFGHIJ", "access_key": "${KEY}", "secret_key": "${SECRET}"}
SECRETS = {"KEY": "AKIATEST", "SECRET": "hunter2secret"}
PICTURE = "https://example.org/a.png"


@pytest.fixture(scope="module")
def counterparts() -> Iterator[Counterparts]:
    running = Counterparts()
    yield running
    running.stop()


def said(settings: dict[str, Any], text: str) -> list[SystemOutput]:
    async def run() -> list[SystemOutput]:
        connector = make_connector({"allow_private": True, **PATIENT, **settings}, SECRETS)
        turn = UserTurn(key="k", number=1, text=text)
        try:
            return [one async for one in connector.send(Conversation(f"said-{text}"), turn)]
        finally:
            await connector.shut_down()

    return asyncio.run(run())


def services(counterparts: Counterparts) -> str:
    return f"http://{counterparts.server('assistant_services.py')}"


@pytest.mark.parametrize(
    ("connect", "script"), [("rasa", "chat_server.py"), ("rasa-socketio", "rasa_socketio_server.py")]
)
def test_rasas_buttons_and_images_arrive(counterparts: Counterparts, connect: str, script: str) -> None:
    settings = {"connect": connect, "url": f"http://{counterparts.server(script)}"}
    messages = [one for one in said(settings, "menu") if one.kind == "message"]
    assert [(one.text, one.choices, one.images) for one in messages] == [
        ("Well?", (Choice("Yes", "/affirm"),), ()),
        ("", (), (PICTURE,)),
    ]


def test_a_direct_line_bots_cards_and_actions_arrive_and_it_ends(counterparts: Counterparts) -> None:
    settings = {
        "connect": "directline",
        "url": services(counterparts),
        "secret": "${SECRET}",
        "idle_s": 0.1,
        "typing_s": 0.1,
        "poll_s": 0.02,
    }
    outputs = said(settings, "menu")
    assert (outputs[0].text, outputs[0].images) == ("Well?\nA card\nSee https://example.org", (PICTURE,))
    assert outputs[0].choices == (Choice("Yes", "yes"), Choice("More", "more"), Choice("Call me", "call"))
    assert 0.1 <= outputs[-1].held_s < PATIENT["first_output_timeout_s"]
    assert [one.kind for one in said(settings, "bye")] == ["end"]


def test_what_a_direct_line_bot_says_beside_its_question_is_heard(counterparts: Counterparts) -> None:
    settings = {"connect": "directline", "url": services(counterparts), "secret": "${SECRET}", "poll_s": 0.02}
    outputs = said(settings, "a question and more")
    assert [one.text for one in outputs if one.kind == "message"] == ["Which one?", "The choice is yours."]
    assert outputs[-1].held_s == 0  # it has asked: nobody waits whether more comes


def test_a_direct_line_bot_that_types_is_waited_for_longer_than_one_that_is_idle(
    counterparts: Counterparts,
) -> None:
    settings = {
        "connect": "directline",
        "url": services(counterparts),
        "secret": "${SECRET}",
        "idle_s": 0.1,
        "typing_s": 60,
        "poll_s": 0.02,
    }
    outputs = said(settings, "take your time")
    assert [one.text for one in outputs if one.kind == "message"] == ["One moment.", "Here it is."]


def test_a_direct_line_bot_that_greets_nobody_is_not_waited_for_and_a_late_answer_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bot that says nothing at the first look is silent for long enough as a greeting, not as an answer."""
    looks: list[list[dict[str, Any]]] = [[], [], [{"type": "message", "text": "Here."}]]

    async def run() -> list[SystemOutput]:
        settings = {"url": "http://line.example", "greeting_s": 0.001, "idle_s": 0.001, "poll_s": 0.002}
        bot = make_connector({"connect": "directline", "allow_private": True, **settings}, {}).inner
        monkeypatch.setattr(bot, "_news", lambda _: asyncio.sleep(0, looks.pop(0) if looks else []))
        talk = Conversation("silent", state={"id": "c"})
        assert [one async for one in bot.open(talk)] == []
        looks[:] = [[], [], [{"type": "message", "text": "Here."}]]
        return [one async for one in bot._heard(talk, None)]

    assert asyncio.run(asyncio.wait_for(run(), 20))[0].text == "Here."


SAID: dict[str, Any] = {"type": "message", "text": "hi"}
TYPES = {"type": "typing"}


@pytest.mark.parametrize(
    ("silent_ok_s", "looks", "kinds", "held_s"),
    [
        (None, [(100.5, [SAID]), (101.0, []), (101.5, [])], ["message", "extras", "extras"], 1.0),
        (None, [(150.0, []), (151.0, [SAID]), (152.5, [])], ["message", "extras", "extras"], 1.5),
        (
            None,
            [(101.0, [SAID]), (101.5, [TYPES]), (102.0, []), (107.0, []), (107.5, [])],
            ["message", "extras", "extras"],
            6.5,
        ),
        (
            None,
            [(101.0, [SAID]), (101.5, [TYPES]), (102.0, [SAID]), (103.0, [])],
            ["message", "extras", "message", "extras", "extras"],
            1.0,
        ),
        (
            None,
            [(101.0, [SAID, {**SAID, "inputHint": "expectingInput"}, SAID])],
            ["message", "extras"] * 3,
            0.0,
        ),
        (None, [(101.0, [{"type": "event"}, {"type": "endOfConversation"}])], ["end"], 0.0),
        (3.0, [(102.5, []), (103.0, [])], [], 0.0),
        (3.0, [(102.5, [TYPES]), (103.5, []), (108.0, []), (108.5, [])], [], 0.0),
        (3.0, [(102.5, [SAID]), (103.0, []), (103.5, [])], ["message", "extras", "extras"], 1.0),
    ],
)
def test_a_direct_line_bots_turn_ends_when_it_asks_ends_or_is_idle_and_types_no_more(
    silent_ok_s: float | None,
    looks: list[tuple[float, list[dict[str, Any]]]],
    kinds: list[str],
    held_s: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a clock that stands at each look; the turn begins at 100 s."""
    clock = SimpleNamespace(monotonic=lambda: 100.0)
    left = list(looks)

    async def look(_: Conversation) -> list[dict[str, Any]]:
        at_s, activities = left.pop(0)
        clock.monotonic = lambda: at_s
        return activities

    async def run() -> list[SystemOutput]:
        settings = {"url": "http://line.example", "idle_s": 1.0, "typing_s": 6.0, "poll_s": 0.001}
        bot: Any = make_connector({"connect": "directline", **settings}, {}).inner
        bot._news = look
        return [one async for one in bot._heard(Conversation("c"), silent_ok_s)]

    monkeypatch.setattr(directline, "time", SimpleNamespace(monotonic=lambda: clock.monotonic()))
    outputs = asyncio.run(run())
    assert [one.kind for one in outputs] == kinds and left == []
    assert (outputs[-1].held_s if outputs else 0.0) == held_s


def test_a_direct_line_server_of_ones_own_has_another_path_and_no_secret(counterparts: Counterparts) -> None:
    settings = {"connect": "directline", "url": services(counterparts) + "/directline", "poll_s": 0.02}
    assert said(settings, "hello")[0].text == "first was hello"


def test_direct_line_in_the_cloud_asks_for_a_secret() -> None:
    with pytest.raises(InputError, match=r"secret.*is missing.*Direct Line channel"):
        make_connector({"connect": "directline"}, {})


def test_a_wrong_secret_is_refused_and_not_shown(counterparts: Counterparts) -> None:
    settings = {"connect": "directline", "url": services(counterparts), "secret": "${KEY}"}
    with pytest.raises(SystemUnderTestError, match="refused: HTTP 403") as caught:
        said(settings, "hello")
    assert "AKIATEST" not in str(caught.value)


def test_what_dialogflow_es_understood_is_kept(counterparts: Counterparts) -> None:
    settings = {"connect": "dialogflow", "url": services(counterparts), "agent": "projects/p/agent"}
    outputs = said(settings, "menu")
    assert [one.text for one in outputs[:2]] == ["Well?", "A card"], "what is for Telegram is not shown"
    assert [one.title for one in outputs[1].choices] == ["Yes", "No", "More", "Wine"]
    assert outputs[1].images == (PICTURE,)
    assert outputs[2].understood == (Understood((Act("inform", "food", "thai", "="),), 0.75),)


def test_dialogflow_es_ends_the_dialogue_by_the_mark_of_its_intent(counterparts: Counterparts) -> None:
    settings = {"connect": "dialogflow", "url": services(counterparts), "agent": "projects/p/agent"}
    outputs = said(settings, "bye")
    assert [one.kind for one in outputs] == ["message", "extras", "end"]
    assert outputs[0].text == "Goodbye."


def test_a_turn_that_dialogflow_es_cannot_take_is_refused_not_cut(counterparts: Counterparts) -> None:
    settings = {"connect": "dialogflow", "url": services(counterparts), "agent": "projects/p/agent"}
    with pytest.raises(SystemUnderTestError, match="exceeds the 256") as caught:
        said(settings, "x" * 257)
    assert not caught.value.reached
    assert said(settings, "x" * 256)[0].text.startswith("first was x")


@pytest.mark.parametrize("agent", ["agent", "agents/a"])
def test_a_dialogflow_agent_of_a_region_is_asked_in_its_region(agent: str) -> None:
    async def asked() -> str:
        connector = make_connector(
            {"connect": "dialogflow", "agent": f"projects/p/locations/europe-west2/{agent}"}, {}
        )
        await connector.shut_down()
        return connector.inner._base  # type: ignore[attr-defined]

    assert asyncio.run(asked()).startswith("https://europe-west2-dialogflow.googleapis.com/")


def test_dialogflow_cx_ends_the_dialogue(counterparts: Counterparts) -> None:
    agent = "projects/p/locations/global/agents/a"
    outputs = said({"connect": "dialogflow", "url": services(counterparts), "agent": agent}, "bye")
    assert [one.kind for one in outputs] == ["message", "extras", "end"]
    assert outputs[1].understood == (Understood((Act("inform", "food", "thai", "="),), 0.5),)


def test_an_agent_that_cannot_be_is_answered_with_how_to_write_one() -> None:
    with pytest.raises(InputError, match="projects/P/agent"):
        make_connector({"connect": "dialogflow", "agent": "my-agent"}, {})


def test_lex_cards_slots_and_endings_arrive(counterparts: Counterparts) -> None:
    settings = {"connect": "lex", "url": services(counterparts), **LEX}
    card, extras = said(settings, "menu")
    assert (card.text, card.choices, card.images) == (
        "Well?\nChoose",
        (Choice("Yes", "yes"),),
        (PICTURE,),
    )
    assert extras.understood == (Understood((Act("inform", "food", "thai", "="),), 0.9),)
    assert said(settings, "bye")[-1].kind == "end"


def test_a_turn_that_lex_cannot_take_is_refused_not_cut(counterparts: Counterparts) -> None:
    with pytest.raises(SystemUnderTestError, match="exceeds the 1024") as caught:
        said({"connect": "lex", "url": services(counterparts), **LEX}, "x" * 1025)
    assert not caught.value.reached
    assert said({"connect": "lex", "url": services(counterparts), **LEX}, "x" * 1024)[0].kind == "message"


def test_what_a_bedrock_agent_did_arrives_beside_its_words(counterparts: Counterparts) -> None:
    """boto3 reads the frames, with their checksums, by Amazon's definition of the service."""
    settings = {"connect": "bedrock", "url": services(counterparts), **BEDROCK}
    turn = SystemTurn()
    for at_s, output in enumerate(said(settings, "look it up")):
        turn.take(output, float(at_s))
    turn.close(99.0)
    assert [one.text for one in turn.messages] == ["first was look it up"]
    work = turn.agent
    assert work is not None and work.tools is not None
    assert [(one.name, one.arguments, one.result, one.error, one.failed) for one in work.tools] == [
        ("post /tickets", '{"day": "Monday", "people": "2"}', '{"left": 3}', None, False),
        ("code interpreter", "1/0", None, "ZeroDivisionError", True),
    ]
    assert all(one.duration_s == 1.0 for one in work.tools)
    tokens = [(one.model, one.input_tokens, one.output_tokens) for one in work.usage]
    assert tokens == [("anthropic.claude", 9, 4), ("anthropic.claude", 30, 6)]
    assert [(one.rank, one.document, one.source, one.query) for one in work.retrievals] == [
        (0, "Doors open at 9.", "s3://b/doors", "opening"),
        (1, "Pools close.", "https://p.example", "opening"),
    ]
    (quiet,) = [one for one in said({**settings, "trace": False}, "look it up") if one.kind == "extras"]
    assert (quiet.tools, quiet.usage, quiet.retrievals) == (None, (), ())


@pytest.mark.parametrize(
    ("text", "problem"), [("hand it back", "returns control"), ("too much", "slow down")]
)
def test_a_bedrock_agent_that_cannot_go_on_is_a_bad_answer(
    counterparts: Counterparts, text: str, problem: str
) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        said({"connect": "bedrock", "url": services(counterparts), **BEDROCK}, text)


@pytest.mark.parametrize("agent", ["projects/p/agent", "projects/p/locations/global/agents/a"])
def test_a_dialogflow_agent_is_opened_by_its_event(counterparts: Counterparts, agent: str) -> None:
    async def talk(connector: Any) -> list[SystemOutput]:
        return [one async for one in connector.open(Conversation(f"opened-{agent}"))]

    settings = {"connect": "dialogflow", "url": services(counterparts), "agent": agent}
    assert within(settings, talk) == []
    outputs = within({**settings, "start": "WELCOME"}, talk)
    assert any("WELCOME" in one.text for one in outputs if one.kind == "message")


def test_a_token_is_signed_anew_before_the_last_one_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One lasts for an hour."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    key = {"client_email": "bot@example.org", "private_key_id": "1", "token_uri": "https://t.example"}
    path = tmp_path / "key.json"
    path.write_text(json.dumps({**key, "private_key": pem.decode()}))
    clock = SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr(dialogflow, "time", clock)
    signed: list[str] = []
    refresh = jwt.Credentials.refresh

    def counted(credentials: Any, request: Any) -> None:
        refresh(credentials, request)
        signed.append(credentials.token)

    monkeypatch.setattr(jwt.Credentials, "refresh", counted)
    token = dialogflow._signer(str(path))
    for now_s, number in ((10_000.0, 1), (11_800.0, 1), (11_800.5, 2), (13_600.5, 2)):
        clock.monotonic = lambda now_s=now_s: now_s
        assert token().count(".") == 2 and len(signed) == number


def test_a_name_of_a_private_address_is_no_address_for_lex() -> None:
    settings = {"connect": "lex", "url": f"http://{socket.gethostname()}:9", **LEX, "allow_private": False}
    with pytest.raises(SystemUnderTestError, match="private network") as caught:
        said(settings, "hello")
    assert not caught.value.reached


def test_a_direct_line_bot_is_left_in_peace_where_nothing_was_said(counterparts: Counterparts) -> None:
    async def talk(connector: Any) -> None:
        await connector.close(Conversation("never"))

    within({"connect": "directline", "url": "http://127.0.0.1:1"}, talk)


@pytest.mark.parametrize(("given", "missing"), [("access_key", "secret_key"), ("secret_key", "access_key")])
def test_one_key_of_lex_without_the_other_is_refused(given: str, missing: str) -> None:
    with pytest.raises(InputError, match=f"'{missing}' is missing.*Set both"):
        make_connector({"connect": "lex", "bot": LEX["bot"], given: "x"}, {})
