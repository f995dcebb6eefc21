"""A real bot of the Bot Framework behind Direct Line: dialogues, cards, prompts, endings.

`make counterparts` installs them and runs these tests; they are no part of `make test`.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from scenes.installed import RealLine
from scenes.patience import PATIENCE_S
from vivavoce.connectors.base import Choice, Connector, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector

pytestmark = [pytest.mark.counterpart, pytest.mark.long]

PICTURE = "https://example.org/m.png"


@pytest.fixture(scope="module")
def line() -> Iterator[RealLine]:
    running = RealLine(welcomes=True)
    yield running
    running.stop()


def talk(line: RealLine, *told: str, **more: Any) -> list[list[SystemOutput]]:
    """What the bot says when a conversation is opened, and to each turn of it."""

    async def run() -> list[list[SystemOutput]]:
        limits = {"greeting_s": PATIENCE_S, "first_output_timeout_s": PATIENCE_S}
        settings = {"connect": "directline", "url": line.url, "allow_private": True, "idle_s": 1.0, **limits}
        connector: Connector = make_connector(settings | more, {})
        conversation = Conversation("-".join(told))
        try:
            heard = [[output async for output in connector.open(conversation)]]
            for number, text in enumerate(told, 1):
                turn = UserTurn(key=f"k{number}", number=number, text=text)
                heard.append([output async for output in connector.send(conversation, turn)])
            return heard
        finally:
            await connector.close(conversation)
            await connector.shut_down()

    return asyncio.run(run())


def texts(outputs: list[SystemOutput]) -> list[str]:
    return [output.text for output in outputs if output.kind == "message"]


def test_it_welcomes_prompts_with_choices_and_keeps_what_was_chosen(line: RealLine) -> None:
    welcome, asked, answered, again = talk(line, "pizza please", "large", "what did I order")
    assert texts(welcome) == ["Welcome to the trattoria."]
    assert texts(asked) == ["Which size?"]
    assert asked[0].choices == (Choice("small", "small"), Choice("large", "large"))
    assert asked[-1].held_s == 0, "it expects input, so nobody waits for more"
    assert texts(answered) == texts(again) == ["Your pizza is large."]


def test_cards_suggested_actions_and_pictures_arrive(line: RealLine) -> None:
    _, menu, picture = talk(line, "menu", "picture")
    assert (menu[0].text, menu[0].images) == (
        "Today:\nMargherita\n5 euro\nSee https://example.org",
        (PICTURE,),
    )
    assert menu[0].choices == (Choice("Wine", "wine"), Choice("Take it", "take it"))
    assert (picture[0].text, picture[0].images) == ("", (PICTURE,))


def test_what_is_said_after_typing_and_beside_a_question_is_heard(line: RealLine) -> None:
    _, thought, asked = talk(line, "thinking", "a question and more")
    assert texts(thought) == ["Thought of it."]
    assert texts(asked) == ["Which one?", "The choice is yours."]


def test_it_ends_the_dialogue(line: RealLine) -> None:
    _, farewell = talk(line, "bye")
    assert texts(farewell) == ["Goodbye."]
    assert farewell[-1].kind == "end"
