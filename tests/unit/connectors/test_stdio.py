"""The stdio connector with a real program, well-behaved and not."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from scenes.connecting import talked
from scenes.patience import PATIENCE_S
from vivavoce.connectors.base import Connector, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError

BOT = str(Path(__file__).resolve().parents[2] / "plugins" / "counterparts" / "line_bot.py")


def within(talk: Callable[[Connector], Awaitable[Any]], *arguments: str, **settings: Any) -> Any:
    command = [sys.executable, "-S", BOT, *arguments]
    return talked({"connect": "stdio", "command": command, **settings}, talk)


async def send(connector: Connector, text: str, conversation: str = "c") -> list[SystemOutput]:
    turn = UserTurn(key="k", number=1, text=text)
    return [output async for output in connector.send(Conversation(conversation), turn)]


def test_lines_of_json_are_deltas_messages_and_the_end() -> None:
    outputs = within(lambda connector: send(connector, "bye"))
    assert [output.kind for output in outputs] == ["delta", "delta", "message", "extras", "end"]
    assert outputs[2].text == "first was bye"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("die", "closed", "ended with 3: something broke"),
        ("silent", "timeout", "no output after 6 s"),
        ("half", "timeout", "not complete after 7 s"),
        ("garbage", "bad_answer", "not JSON"),
        ("huge", "bad_answer", "larger than"),
        ("notutf8", "bad_answer", "UTF-8"),
    ],
)
def test_a_failing_program_is_named_and_started_again(text: str, kind: str, words: str) -> None:
    async def talk(connector: Connector) -> tuple[SystemUnderTestError, list[SystemOutput]]:
        await send(connector, "before")
        with pytest.raises(SystemUnderTestError) as caught:
            await send(connector, text)
        return caught.value, await send(connector, "after")

    limits = {"first_output_timeout_s": 6, "turn_timeout_s": 7} if kind == "timeout" else {}
    error, outputs = within(talk, **limits)
    assert (error.failure, error.reached) == (kind, True)
    assert words in error.detail
    assert outputs[2].text == "first was after"


@pytest.mark.parametrize("settings", [{"prompt": r"> $"}, {"idle_s": 0.3}])
def test_plain_lines_are_gathered_until_the_prompt_or_silence(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        conversation, texts = Conversation("c"), []
        async for output in connector.open(conversation):
            texts.append(output.text)
        async for output in connector.send(conversation, UserTurn(key="k", number=1, text="a\nb")):
            texts.append(output.text)
        return texts

    texts = within(talk, "plain", plain=True, greets=True, **settings)
    assert [text.removesuffix(">").strip() for text in texts] == ["welcome", "you said a b\nand more"]


async def one_turn(connector: Connector) -> list[str]:
    return [one.text for one in await send(connector, "hello") if one.kind == "message"]


def program(script: str, **settings: Any) -> list[str]:
    """What a program of these lines says in a turn."""
    command = [sys.executable, "-S", "-c", script]
    return talked(
        {"connect": "stdio", "command": command, "turn_timeout_s": PATIENCE_S, **settings}, one_turn
    )


SAID = b'{"type": "bot", "text": "well"}\n'
END = b'{"type": "turn_end"}\n'
ANSWERS = f"import sys\nsys.stdin.readline()\nsys.stdout.write({(SAID + END).decode()!r})"
PLAIN = "import sys\nsys.stdin.readline()\nsys.stdout.write('well > ')"


@pytest.mark.parametrize(
    ("script", "longest", "settings"),
    [(ANSWERS, len(SAID + END), {}), (PLAIN, len("well > "), {"plain": True, "prompt": "> $"})],
)
def test_an_answer_may_be_as_large_as_is_set(script: str, longest: int, settings: dict[str, Any]) -> None:
    assert program(script, longest_answer_bytes=longest, **settings) == ["well"]
    with pytest.raises(SystemUnderTestError, match=f"larger than {longest - 1} bytes"):
        program(script, longest_answer_bytes=longest - 1, **settings)


@pytest.mark.parametrize(
    ("writes", "settings", "said"),
    [
        ("sleep(0.5); write('late')", {"idle_s": 0.1}, ["late"]),
        ("write('a '); sleep(0.5); write('b > ')", {"idle_s": 0.1, "prompt": "> $"}, ["a b"]),
        ("write('a ')", {"idle_s": 60, "prompt": "> $"}, ["a"]),
        ("write(' > ')", {"prompt": "> $"}, []),
    ],
)
def test_only_silence_after_something_ends_a_turn_and_only_where_no_prompt_does(
    writes: str, settings: dict[str, Any], said: list[str]
) -> None:
    begin = "import sys\nfrom time import sleep\nsys.stdin.readline()\n"
    write = "write = lambda text: (sys.stdout.write(text), sys.stdout.flush())\n"
    assert program(begin + write + writes, plain=True, **settings) == said


REPL = """
from time import sleep
write = lambda text: print(text, end="", flush=True)
while True:
    try:
        said = input({asks!r})
    except EOFError:
        break
    {pause}
    write({says!r}.format(said) + "\\n")
"""


@pytest.mark.parametrize("pause", ["sleep(0.2)", "pass"])  # the prompt comes alone, or with the answer
@pytest.mark.parametrize(
    ("asks", "says", "settings", "heard"),
    [
        ("> ", "Bot: well, {}", {"prompt": "> $", "prefix": "Bot: ?"}, "well, {}"),
        ("You> ", "Bot> well\nBot> {}", {"prompt": "You> ", "prefix": "Bot> ?"}, "well\n{}"),
        ("\x1b[32m>>> \x1b[0m", "\x1b[1mwell\x1b[0m", {"prompt": ">>> $"}, "well"),
        ("$ ", "I said: Bot: {}", {"prompt": r"\$ ", "prefix": "Bot: "}, "I said: Bot: {}"),
        ("", "> well, {}", {"idle_s": 1.0, "prefix": "> "}, "well, {}"),
    ],
)
def test_a_program_that_asks_by_a_prompt_before_it_was_told_anything_answers_each_turn_by_its_own_words(
    asks: str, says: str, settings: dict[str, Any], heard: str, pause: str
) -> None:
    async def talk(connector: Connector) -> list[list[str]]:
        return [[one.text for one in await send(connector, word)] for word in ("one", "two")]

    script = REPL.format(asks=asks, says=says, pause=pause)
    command = [sys.executable, "-S", "-c", script]
    wanted = {"connect": "stdio", "command": command, "plain": True, **settings}
    assert talked(wanted, talk) == [[heard.format(word)] for word in ("one", "two")]


def test_a_program_that_greets_and_is_told_something_at_once_has_not_answered_by_its_greeting() -> None:
    async def talk(connector: Connector) -> list[str]:
        return [*await one_turn(connector), *await one_turn(connector)]

    texts = within(talk, "plain", plain=True, greets=True, prompt=r"> $")
    assert texts == ["you said hello\nand more"] * 2


@pytest.mark.parametrize("plain", [True, False])
def test_a_program_of_plain_lines_neither_streams_nor_offers(plain: bool) -> None:
    told = make_connector({"connect": "stdio", "command": ["x"], "plain": plain}, {}).capabilities
    assert told.streaming == told.choices == (not plain)


def test_nothing_is_left_of_a_program_and_its_children_after_closing() -> None:
    async def talk(connector: Connector) -> list[psutil.Process]:
        before = set(psutil.Process().children(recursive=True))
        await send(connector, "child")
        started = list(set(psutil.Process().children(recursive=True)) - before)
        await connector.close(Conversation("c"))
        return started

    started = within(talk)
    assert len(started) == 2
    _, alive = psutil.wait_procs(started, timeout=PATIENCE_S)
    assert not alive


def test_a_program_that_cannot_be_started_is_unreachable() -> None:
    async def run() -> SystemUnderTestError:
        connector = make_connector({"connect": "stdio", "command": ["/no/such/program"]}, {})
        with pytest.raises(SystemUnderTestError) as caught:
            await send(connector, "hello")
        return caught.value

    error = asyncio.run(run())
    assert (error.failure, error.reached) == ("unreachable", False)


def test_a_command_line_as_text_is_refused() -> None:
    with pytest.raises(InputError, match="a list is expected"):
        make_connector({"connect": "stdio", "command": "python bot.py; rm x"}, {})
