"""The python connector with good and bad functions in a real worker process."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from scenes.connecting import PATIENT, talked
from scenes.patience import PATIENCE_S, eventually_there
from vivavoce.connectors.base import Connector, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError

FOLDER = str(Path(__file__).resolve().parents[2] / "plugins" / "counterparts")
HANGS_AFTER_S = 2.0  # an honest answer takes a thousandth of it


def within(call: str, talk: Callable[[Connector], Awaitable[Any]], **settings: Any) -> Any:
    raw = {"connect": "python", "call": f"python_bots:{call}", "path": FOLDER}
    return talked({**raw, **settings}, talk, {"KEY": "hunter2secret"})


async def send(connector: Connector, text: str, conversation: str = "c") -> list[SystemOutput]:
    turn = UserTurn(key="k", number=1, text=text)
    return [output async for output in connector.send(Conversation(conversation), turn)]


async def failure(connector: Connector, text: str) -> SystemUnderTestError:
    with pytest.raises(SystemUnderTestError) as caught:
        await send(connector, text)
    return caught.value


@pytest.mark.parametrize("in_process", [False, True])
@pytest.mark.parametrize(
    ("call", "texts"), [("streams", ["all ", "well", "all well"]), ("generates", ["one ", "two", "one two"])]
)
def test_pieces_come_as_deltas_and_then_whole(call: str, texts: list[str], in_process: bool) -> None:
    outputs = within(call, lambda connector: send(connector, "hello"), in_process=in_process)
    assert [output.text for output in outputs] == texts


@pytest.mark.parametrize("in_process", [False, True])
def test_a_mapping_brings_choices_acts_and_the_end(in_process: bool) -> None:
    outputs = within("mapping", lambda connector: send(connector, "bye"), in_process=in_process)
    assert [output.kind for output in outputs] == ["message", "extras", "end"]
    assert [choice.title for choice in outputs[0].choices] == ["north", "south"]
    assert outputs[1].acts[0].slot == "area"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("raise", "bad_answer", "ValueError: no such thing, ${KEY}"),
        ("exit", "closed", "process ended"),
        ("object", "bad_answer", "not JSON"),
        ("none", "bad_answer", "no text"),
        ("sleep", "timeout", "2 s"),
        ("block", "timeout", "2 s"),
    ],
)
def test_a_failing_bot_is_named_and_answers_the_next_turn(text: str, kind: str, words: str) -> None:
    async def talk(connector: Connector) -> tuple[SystemUnderTestError, list[SystemOutput]]:
        return await failure(connector, text), await send(connector, "again")

    settings = {"environment": {"MINE": "${KEY}"}, "first_output_timeout_s": HANGS_AFTER_S}
    error, outputs = within("faulty", talk, **settings)
    assert (error.failure, error.reached) == (kind, True)
    assert words in error.detail
    assert outputs[0].text == "well"


def test_a_function_that_blocks_is_killed_and_others_are_served_again() -> None:
    async def talk(connector: Connector) -> list[SystemOutput]:
        await failure(connector, "block")
        return await send(connector, "again")

    assert within("blocking", talk, first_output_timeout_s=HANGS_AFTER_S)[0].text == "said again"


def test_one_cancelled_turn_does_not_cost_the_others_their_sessions() -> None:
    async def talk(connector: Connector) -> str:
        await send(connector, "hello", "other")
        await failure(connector, "sleep")
        return (await send(connector, "environment", "other"))[0].text

    assert within("faulty", talk, first_output_timeout_s=HANGS_AFTER_S) == "nothing nothing"


def bot_that_takes(seconds: float, folder: Path) -> dict[str, Any]:
    """The settings of a bot that takes so long to be loaded, once it has left a file `begun`."""
    begun = f"__import__('pathlib').Path({str(folder / 'begun')!r}).touch()"
    bot = f"import time\n\n{begun}\ntime.sleep({seconds})\n\ndef bot(text, session): return text\n"
    (folder / "late_bot.py").write_text(bot)
    return {"connect": "python", "call": "late_bot:bot", "path": str(folder)}


def test_the_time_in_which_a_worker_starts_is_not_its_answers(tmp_path: Path) -> None:
    settings = bot_that_takes(1.5, tmp_path) | {"first_output_timeout_s": 1.2}
    assert talked(settings, lambda connector: send(connector, "hello"))[0].text == "hello"


def test_nothing_is_left_of_a_worker_whose_start_nobody_waited_for(tmp_path: Path) -> None:
    async def talk(connector: Connector) -> list[psutil.Process]:
        before = set(psutil.Process().children())
        sending = asyncio.create_task(send(connector, "hello"))
        await eventually_there((tmp_path / "begun").exists, "nothing was started")
        started = set(psutil.Process().children()) - before
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        _, alive = await asyncio.to_thread(psutil.wait_procs, started, 2 * HANGS_AFTER_S)
        return alive

    assert talked(bot_that_takes(PATIENCE_S, tmp_path), talk) == []


def test_the_worker_sees_only_the_secrets_that_its_settings_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "42")
    (message, _) = within("faulty", lambda c: send(c, "environment"), environment={"MINE": "yes"})
    assert message.text == "nothing yes"
    assert os.environ["SECRET_OF_THE_SERVER"] == "42"


@pytest.mark.parametrize("call", ["python_bots:nothing", "no_such_module:bot"])
def test_a_function_that_is_not_there_is_unreachable(call: str) -> None:
    async def run() -> SystemUnderTestError:
        connector = make_connector({"connect": "python", "call": call, "path": FOLDER, **PATIENT}, {})
        try:
            return await failure(connector, "hello")
        finally:
            await connector.shut_down()

    error = asyncio.run(run())
    assert (error.failure, error.reached, call in error.detail) == ("unreachable", False, True)


def test_the_folder_of_a_function_in_this_process_is_looked_in_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(sys.path)
    monkeypatch.setattr(sys, "path", list(before))
    (tmp_path / "bot_of_this_process.py").write_text("def bot(text, session): return text\n")
    settings = {"connect": "python", "in_process": True}
    make_connector({**settings, "call": "builtins:str"}, {})
    assert sys.path == before
    for _ in range(2):
        make_connector({**settings, "call": "bot_of_this_process:bot", "path": str(tmp_path)}, {})
    assert sys.path == [str(tmp_path), *before]


def test_a_conversation_may_end_before_anything_was_said() -> None:
    async def talk(connector: Connector) -> None:
        await connector.close(Conversation("never"))

    within("remembers", talk)


def test_a_wrong_name_is_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"package\.module:function"):
        make_connector({"connect": "python", "call": "python_bots.remembers"}, {})
    with pytest.raises(InputError, match="cannot load"):
        make_connector({"connect": "python", "call": "no_such:thing", "in_process": True}, {})
