"""One suite that every registered connector must pass, each against a real counterpart.

A new connector adds to SYSTEMS, NOBODY and FAULTY how it reaches a good counterpart, nobody, and a bad one,
or this suite fails.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from scenes.counterparts import FOLDER, Counterparts
from scenes.patience import PATIENCE_S
from scenes.processes import free_port
from vivavoce.api.studies import export_study
from vivavoce.connectors.base import Connector, ConnectorSettings, Conversation, UserTurn, heard_on_the_wire
from vivavoce.connectors.factory import CONNECTORS, make_connector
from vivavoce.connectors.probe import hello
from vivavoce.connectors.wizard_room import Reply, Room
from vivavoce.core.errors import SystemUnderTestError, VivavoceError
from vivavoce.core.secrets import is_secret_name
from vivavoce.dataset.columns import Level
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.testing.connector import ConnectorContract, say
from vivavoce_stress.case import Case, LoggedTurn
from vivavoce_stress.replay import Replayed, replay

Settings = dict[str, Any]
LEX = {"bot": "ABCDEFGHIJ", "access_key": "AKIATEST", "secret_key": "hunter2"}
BEDROCK = {"agent": "ABCDEFGHIJ", "access_key": "AKIATEST", "secret_key": "hunter2"}
WIDGET = {"input": "#chat textarea", "message": "#chat .bot", "typing": "#chat .typing"}
WRITTEN: Settings = {
    "send": {"text": "{{ text }}"},
    "response": {"text": "say"},
    "delta": "piece",
    "turn_end": "done",
}
SECRET = "hunter2secret"
OURS = {name: free_port() for name in ("slack", "whatsapp", "messenger", "teams")}


def on_platform(name: str) -> Callable[[Counterparts], Settings]:
    """A bot that takes us for its platform: it must know where we are before it starts."""

    def settings(all_: Counterparts) -> Settings:
        bot = all_.server("platform_bot.py", name, f"http://127.0.0.1:{OURS[name]}")
        return {"url": f"http://{bot}/", "port": OURS[name], "idle_s": 0.15, **SIGNED[name]}

    return settings


SIGNED: dict[str, Settings] = {
    "slack": {"signing_secret": SECRET},
    "whatsapp": {"app_secret": SECRET, "verify_token": "verifies"},
    "messenger": {"app_secret": SECRET},
    "teams": {},
}
SYSTEMS: dict[str, Callable[[Counterparts], Settings]] = {
    "a2a": lambda all_: {"url": f"http://{all_.server('a2a_agent.py')}"},
    "bedrock": lambda all_: {"url": f"http://{all_.server('assistant_services.py')}", **BEDROCK},
    "browser": lambda all_: {"url": f"http://{all_.server('widget_page.py')}/", "idle_s": 0.2, **WIDGET},
    "dialogflow": lambda all_: {
        "url": f"http://{all_.server('assistant_services.py')}",
        "agent": "projects/p/agent",
    },
    "directline": lambda all_: {
        "url": f"http://{all_.server('assistant_services.py')}",
        "secret": "hunter2secret",
        "greeting_s": 0,
        "poll_s": 0.02,
    },
    "lex": lambda all_: {"url": f"http://{all_.server('assistant_services.py')}", **LEX},
    "http": lambda all_: {"url": f"http://{all_.server('chat_server.py')}/chat"},
    "openai": lambda all_: {"url": f"http://{all_.server('chat_server.py')}/v1", "model": "m"},
    "mcp": lambda all_: {"url": f"http://{all_.server('mcp_server.py')}/mcp", "tool": "chat"},
    "openai-realtime": lambda all_: {
        "url": f"ws://{all_.server('realtime_server.py')}/v1/realtime",
        "model": "m",
    },
    "python": lambda _: {"call": "python_bots:remembers", "path": str(FOLDER)},
    "rasa": lambda all_: {"url": f"http://{all_.server('chat_server.py')}"},
    "rasa-socketio": lambda all_: {
        "url": f"http://{all_.server('rasa_socketio_server.py')}",
        "idle_s": 0.3,
    },
    "scripted": lambda _: {"replies": [{"say": "first was {first}"}]},
    "sse": lambda all_: {"url": f"http://{all_.server('chat_server.py')}/events"},
    "stdio": lambda _: {"command": [sys.executable, str(FOLDER / "line_bot.py")]},
    "discord": lambda all_: {"port": all_.caller("discord_bot.py"), "idle_s": 0.15},
    "telegram": lambda all_: {
        "port": all_.caller("telegram_bot.py"),
        "idle_s": 0.15,
        "start": None,
    },
    "websocket": lambda all_: {
        "url": f"ws://{all_.server('chat_server.py')}/talk",
        "delta": "piece",
        "turn_end": "done",
    },
}
SYSTEMS |= {name: on_platform(name) for name in OURS}
SYSTEMS["wizard"] = lambda _: {}
SYSTEMS["webrtc"] = lambda all_: {"url": f"http://{all_.server('webrtc_server.py')}/offer", **WRITTEN}
SYSTEMS["websocket-audio"] = lambda all_: {"url": f"ws://{all_.server('audio_server.py')}/talk", **WRITTEN}
NOBODY: dict[str, Settings] = {
    "a2a": {"url": "http://127.0.0.1:1"},
    "bedrock": {"url": "http://127.0.0.1:1", **BEDROCK},
    "browser": {"url": "http://127.0.0.1:1", **WIDGET},
    "dialogflow": {"url": "http://127.0.0.1:1", "agent": "projects/p/agent"},
    "directline": {"url": "http://127.0.0.1:1", "secret": "x"},
    "lex": {"url": "http://127.0.0.1:1", **LEX},
    "http": {"url": "http://127.0.0.1:1/chat"},
    "openai": {"url": "http://127.0.0.1:1/v1", "model": "m"},
    "mcp": {"url": "http://127.0.0.1:1/mcp", "tool": "chat"},
    "openai-realtime": {"url": "ws://127.0.0.1:1", "model": "m"},
    "python": {"call": "nobody:bot", "path": str(FOLDER)},
    "rasa": {"url": "http://127.0.0.1:1"},
    "rasa-socketio": {"url": "http://127.0.0.1:1"},
    "scripted": {"replies": [{"fail": "unreachable"}]},
    "sse": {"url": "http://127.0.0.1:1"},
    "stdio": {"command": ["/nobody/here"]},
    "discord": {"port": 0, "connect_timeout_s": 0.2},
    "telegram": {"port": 0, "connect_timeout_s": 0.2},
    "websocket": {"url": "ws://127.0.0.1:1"},
    "websocket-audio": {"url": "ws://127.0.0.1:1", **WRITTEN},
    "webrtc": {"url": "http://127.0.0.1:1", **WRITTEN},
    "wizard": {"pairing_timeout_s": 0.2},
    "phone": {"number": "100"},
}

NOBODY |= {name: {"url": "http://127.0.0.1:1/", "port": 0, "connect_timeout_s": 0.2} for name in OURS}

ALL_FAULTS = ("slow", "silent", "garbage", "half", "huge", "notutf8", "closed")
FAILURES = {
    "slow": {"timeout"},
    "silent": {"timeout"},
    "garbage": {"bad_answer", "closed"},
    "half": {"closed", "bad_answer"},
    "huge": {"bad_answer"},
    "notutf8": {"bad_answer"},
    "closed": {"closed"},
}
PATIENT: Settings = {"connect_timeout_s": PATIENCE_S, "first_output_timeout_s": PATIENCE_S}
HANGS = {("stdio", "half"), ("browser", "half")}  # half of it comes, and nothing that ends it
UNWIRED = {"scripted", "wizard"}  # nothing leaves the process
ENDLESS_S = 60.0  # a silence that does not come between two pieces, however slow the machine


def at_path(scheme: str, script: str, **more: Any) -> Callable[[Counterparts, str], tuple[Settings, str]]:
    """The fault is named by the path."""
    return lambda all_, fault: ({"url": f"{scheme}://{all_.server(script)}/{fault}", **more}, "hello")


def told(name: str, **words: str) -> Callable[[Counterparts, str], tuple[Settings, str] | None]:
    """The fault is named by what is said; a fault without a word cannot happen."""
    return lambda all_, fault: (SYSTEMS[name](all_), words[fault]) if fault in words else None


FAULTY: dict[str, Callable[[Counterparts, str], tuple[Settings, str] | None]] = {
    "a2a": at_path("http", "faulty_server.py"),
    "bedrock": at_path("http", "faulty_server.py", **BEDROCK),
    "browser": at_path("http", "faulty_server.py", **WIDGET),
    "dialogflow": at_path("http", "faulty_server.py", agent="projects/p/agent"),
    "directline": at_path("http", "faulty_server.py", secret="x"),
    "lex": at_path("http", "faulty_server.py", **LEX),
    "http": at_path("http", "faulty_server.py"),
    "openai": at_path("http", "faulty_server.py", model="m"),
    "mcp": at_path("http", "faulty_server.py", tool="chat"),
    "openai-realtime": at_path("ws", "faulty_sockets.py", model="m"),
    "python": lambda _, fault: (
        ({"call": "python_bots:faulty", "path": str(FOLDER)}, word)
        if (word := {"silent": "sleep", "slow": "block", "garbage": "object", "closed": "exit"}.get(fault))
        else None
    ),
    "rasa": at_path("http", "faulty_server.py"),
    "rasa-socketio": told("rasa-socketio", silent="silent", garbage="garbage", closed="closed", slow="slow"),
    "scripted": lambda _, fault: (
        ({"replies": [{"fail": min(FAILURES[fault])}]}, "hello") if fault != "slow" else None
    ),
    "sse": at_path("http", "faulty_server.py"),
    "stdio": told(
        "stdio", silent="silent", garbage="garbage", half="half", huge="huge", notutf8="notutf8", closed="die"
    ),
    "discord": told("discord", silent="silent", slow="slow"),
    "telegram": told("telegram", silent="silent", slow="slow"),
    **{name: told(name, silent="silent", slow="slow") for name in OURS},
    "wizard": told("wizard", silent="silent"),
    "websocket": at_path("ws", "faulty_sockets.py", delta="piece", turn_end="done"),
    "websocket-audio": at_path("ws", "faulty_sockets.py", **WRITTEN),
    "webrtc": at_path("http", "faulty_server.py", **WRITTEN),
    "phone": lambda _, fault: None,
}


@pytest.fixture(scope="module")
def counterparts() -> Iterator[Counterparts]:
    running = Counterparts()
    yield running
    running.stop()


async def play(room: Room) -> None:
    """A wizard who takes every conversation and tells the first thing said in it."""
    seen = 0
    while True:
        for seat in list(room.seats.values()):
            if seat.wizard is None:
                room.take(seat.key, "Merlin")
            if seat.reply is not None and not seat.reply.done() and seat.asked != "silent":
                said = next(line.text for line in seat.lines if line.party == "user")
                room.say(seat.key, Reply(f"first was {said}", "Merlin"))
        seen = await room.changed(seen)


def within(settings: dict[str, Any], talk: Callable[[Connector], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        connector = make_connector({"allow_private": True, **PATIENT, **settings}, {})
        wizard = connector.room is not None and "pairing_timeout_s" not in settings
        playing = asyncio.create_task(play(connector.room)) if wizard else None
        try:
            return await talk(connector)
        finally:
            await connector.shut_down()
            if playing is not None:
                playing.cancel()

    return asyncio.run(run())


@pytest.fixture(params=CONNECTORS.names())
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "webrtc":
        pytest.importorskip("aiortc", reason="aiortc is not installed: pip install 'vivavoce[webrtc]'")
    return request.param


@pytest.fixture
def settings(name: str, counterparts: Counterparts) -> dict[str, Any]:
    if name == "phone":
        pytest.skip("a telephone number takes no text: its calls are tested with the telephones")
    return {"connect": name, **SYSTEMS[name](counterparts)}


def test_every_connector_keeps_its_contract(name: str) -> None:
    contract = ConnectorContract()
    contract.name, contract.settings = name, {}
    contract.test_it_is_found_by_its_name_and_tells_its_facts()
    contract.test_an_unknown_setting_is_answered_with_the_nearest()


def test_a_conversation_goes_on_from_turn_to_turn(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        conversation = Conversation("going-on")
        async for _ in connector.open(conversation):
            pass
        answers = [
            await say(connector, conversation, text, n) for n, text in enumerate(("one", "two", "three"), 1)
        ]
        await connector.close(conversation)
        return answers

    assert within(settings, talk) == ["first was one"] * 3


def test_a_reset_makes_the_system_forget(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        conversation = Conversation("forgetting")
        before = await say(connector, conversation, "one")
        await connector.reset(conversation)
        return [before, await say(connector, conversation, "two", 2)]

    assert within(settings, talk) == ["first was one", "first was two"]


def test_a_logged_interaction_is_replayed_through_it_in_a_conversation_an_arm(
    settings: dict[str, Any],
) -> None:
    case = Case(
        case_id="case",
        test="ST-1",
        family="spelling",
        language="en",
        original="two",
        variant="tow",
        before=(LoggedTurn(text="one"),),
        after=(LoggedTurn(text="three"),),
    )

    async def talk(connector: Connector) -> list[Replayed]:
        return [await replay(connector, case, arm, f"replayed-{arm}") for arm in ("original", "variant")]

    for arm, replayed in zip(("two", "tow"), within(settings, talk), strict=True):
        told = [turn["text"] for turn in replayed.turns if turn["party"] == "user"]
        answers = [turn["text"] for turn in replayed.turns if turn["party"] == "system"]
        assert replayed.failure is None
        assert told == ["one", arm, "three"]
        assert answers[-3:] == ["first was one"] * 3


def test_it_can_be_shut_down_unused_and_twice(settings: dict[str, Any]) -> None:
    async def close(connector: Connector) -> None:
        await connector.shut_down()  # once more when all is done

    within(settings, close)


def test_many_conversations_at_once_do_not_mix(settings: dict[str, Any]) -> None:
    count = {
        "stdio": 8,
        "browser": 4,
        "rasa-socketio": 50,
        "websocket": 100,
        "websocket-audio": 100,
        "webrtc": 4,
        "openai-realtime": 100,
        "lex": 60,
        "bedrock": 60,
        **dict.fromkeys(OURS, 60),
    }.get(settings["connect"], 200)

    async def one(connector: Connector, number: int) -> tuple[str, str]:
        conversation = Conversation(f"many-{number}")
        await say(connector, conversation, f"word-{number}")
        answer = await say(connector, conversation, "again", 2)
        await connector.close(conversation)
        return answer, f"first was word-{number}"

    async def talk(connector: Connector) -> list[tuple[str, str]]:
        return await asyncio.gather(*(one(connector, number) for number in range(count)))

    assert not [one for one in within(settings, talk) if one[0] != one[1]]


EXACT = ('"quoted" \\ {{ text }} {% x %}', "two\nlines", "città ✓ \U0001f600", "${HOME}")


def test_what_a_participant_writes_arrives_as_it_is(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        return [await say(connector, Conversation(f"exact-{text}"), text) for text in EXACT]

    assert within(settings, talk) == [f"first was {text}" for text in EXACT]


def test_a_turn_that_is_given_up_leaves_the_connector_usable(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> str:
        turn = UserTurn(key="given-up", number=1, text="one")
        async with aclosing(connector.send(Conversation("given-up"), turn)) as outputs:  # type: ignore[type-var]
            await anext(outputs)
        return await say(connector, Conversation("afterwards"), "two")

    assert within(settings, talk) == "first was two"


@pytest.mark.parametrize("fault", ALL_FAULTS)
def test_a_faulty_answer_ends_in_a_named_error(name: str, fault: str, counterparts: Counterparts) -> None:
    faulty = FAULTY[name](counterparts, fault)
    if faulty is None:
        return

    async def talk(connector: Connector) -> SystemUnderTestError:
        with pytest.raises(SystemUnderTestError) as caught:
            await say(connector, Conversation(f"faulty-{fault}"), faulty[1])
        await connector.close(Conversation(f"faulty-{fault}"))
        return caught.value

    expected = {"timeout"} if (name, fault) in HANGS else FAILURES[fault]
    limits: Settings = {"first_output_timeout_s": 10} if name == "browser" else {}  # it looks for a widget
    if expected == {"timeout"}:  # only what never ends: an honest answer may take its time
        limits = {"first_output_timeout_s": 0.3, "turn_timeout_s": 0.6}
        if name == "telegram":  # its bot must have come back from the test before, and fetch it in this time
            limits = {"first_output_timeout_s": 1.5, "turn_timeout_s": 1.8}
        limits |= {"idle_s": ENDLESS_S} if "idle_s" in CONNECTORS.get(name).settings.model_fields else {}
    error = within({"connect": name, **faulty[0], **limits}, talk)
    assert error.failure in expected, str(error)
    assert error.detail and error.reached


def test_nobody_there_is_unreachable_and_was_not_reached(name: str) -> None:
    async def talk(connector: Connector) -> None:
        with pytest.raises(SystemUnderTestError) as caught:
            await say(connector, Conversation("nobody"), "one")
        assert (caught.value.failure, caught.value.reached) == ("unreachable", False)
        await connector.close(Conversation("nobody"))

    within({"connect": name, **NOBODY[name]}, talk)


def test_one_hello_tells_whether_the_system_answers(settings: dict[str, Any], name: str) -> None:
    good = within(settings, hello)
    assert (good.ok, good.text, good.problem) == (True, "first was Hello", None)
    assert 0 < good.seconds < PATIENCE_S
    bad = within({"connect": name, **NOBODY[name]}, hello)
    assert (bad.ok, bad.text) == (False, "")
    assert bad.problem.startswith("unreachable: ")


def test_the_exchange_is_noted_beside_the_turn_unless_the_study_says_no(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[dict[str, Any]]:
        conversation = Conversation("noted")
        with heard_on_the_wire([]) as frames:
            await say(connector, conversation, "noteworthy")
        await connector.close(conversation)
        return frames

    frames = within(settings, talk)
    if settings["connect"] not in UNWIRED:
        for way in ("sent", "received"):
            assert "noteworthy" in str([frame for frame in frames if way in frame])
    assert within({**settings, "log_wire": False}, talk) == []


CANARY = "canary4711"
HOST = "bots.intern.example:8443"
PLANTED = {
    "headers": {"Authorization": f"Bearer {CANARY}a", "X-Api-Key": f"{CANARY}b"},
    "environment": {"BOT_TOKEN": f"{CANARY}c"},
    "sign": {"key": f"{CANARY}d"},
    "command": ["/nobody/here", "--token", f"{CANARY}e", f"--api-key={CANARY}f"],
    "body": {"text": "{{ text }}", "api_key": f"{CANARY}g"},
}


def with_canaries(name: str) -> Settings:
    """Settings of a connector with a secret written out wherever it takes one."""
    model: type[ConnectorSettings] = CONNECTORS.get(name).settings
    fields = model.model_fields
    named = {field for field, info in fields.items() if "${NAME}" in (info.description or "")}
    planted = {field: f"{CANARY}/+ {field}" for field in fields if field in named or is_secret_name(field)}
    planted.pop("service_account", None)  # the path of a file
    settings = NOBODY[name] | planted | {key: value for key, value in PLANTED.items() if key in fields}
    if "url" in NOBODY[name]:
        settings["url"] += f"?token={CANARY}z"
        settings.pop("command", None)
    return {"connect": name, **settings}


def test_a_secret_in_the_settings_of_a_bot_reaches_neither_wire_nor_error(name: str) -> None:
    frames: list[dict[str, Any]] = []
    turn = UserTurn(key="k", number=1, text="hello")

    async def talk(connector: Connector) -> None:
        with heard_on_the_wire(frames):
            conversation = Conversation("secret")
            for outputs in (connector.open(conversation), connector.send(conversation, turn)):
                try:
                    async for output in outputs:
                        frames.append({"output": repr(output)})
                except SystemUnderTestError as error:
                    frames.append({"error": str(error)})

    try:
        within({**with_canaries(name), "connect_timeout_s": 0.5, "first_output_timeout_s": 1}, talk)
    except VivavoceError as error:
        frames.append({"refused": str(error)})
    assert CANARY not in repr(frames) and (frames or name in UNWIRED)


def test_no_export_has_a_secret_of_the_study_file_and_the_public_one_no_address(tmp_path: Path) -> None:
    systems = {name: with_canaries(name) for name in CONNECTORS.names() if name != "phone"}
    systems_text = json.dumps(systems).replace("127.0.0.1:1", HOST)
    (tmp_path / "consent.en.md").write_text("Do you agree?", "utf-8")
    text = f"study: s  # kept, but not {CANARY}a\nsystems: {systems_text}\nvisit:\n  - consent: consent.md\n"
    (tmp_path / "study.yaml").write_text(f"{text}  - dialogue: {{repeat: 1, gate: none}}\n", "utf-8")
    study = load_study(tmp_path)
    with Log.open(f"sqlite:///{tmp_path}/log.sqlite") as log:
        log.transact_now(lambda tx: tx.record_study(study.name, study.revision, study.file_text, []))
        for level in Level:
            export_study(study, log, tmp_path / level, level=level.value, mask_all=True)
    written = [file for file in tmp_path.rglob("*") if file.is_file() and file.name != "study.yaml"]
    assert [file.name for file in written if CANARY.encode() in file.read_bytes()] == []
    files = {level: json.loads((tmp_path / level / "dataset.json").read_text())["study"] for level in Level}
    assert all("# kept, but not" in study["file"] for study in files.values())
    assert [HOST in json.dumps(files[level]) for level in Level] == [
        level is not Level.public for level in Level
    ]
