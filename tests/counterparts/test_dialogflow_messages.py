"""Dialogflow ES and CX by Google's own definitions of their messages: what they do not define is refused.

The service itself is Google's cloud alone. `make counterparts` installs the definitions and runs the tests.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from plugins.test_every_connector import (  # noqa: F401  (the laws, collected here once more)
    test_a_conversation_goes_on_from_turn_to_turn,
    test_a_reset_makes_the_system_forget,
    test_many_conversations_at_once_do_not_mix,
    test_what_a_participant_writes_arrives_as_it_is,
)
from scenes.installed import TypedDialogflow
from vivavoce.connectors.base import Act, Conversation, SystemOutput, Understood, UserTurn
from vivavoce.connectors.factory import make_connector

pytestmark = [pytest.mark.counterpart, pytest.mark.long]

AGENTS = {"es": "projects/p/agent", "cx": "projects/p/locations/global/agents/a"}
ALSO_SAID = {"es": ["A card"], "cx": []}
CHOICES = {"es": ["Yes", "No", "More", "Wine"], "cx": ["Wine"]}
FAREWELL = {"es": "Goodbye.", "cx": "first was bye"}
CONFIDENCE = {"es": 0.75, "cx": 0.5}


@pytest.fixture(scope="module")
def agent() -> Iterator[TypedDialogflow]:
    running = TypedDialogflow()
    yield running
    running.stop()


@pytest.fixture(params=sorted(AGENTS))
def version(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def settings(version: str, agent: TypedDialogflow) -> dict[str, Any]:
    return {"connect": "dialogflow", "url": agent.url, "agent": AGENTS[version], "allow_private": True}


def heard(settings: dict[str, Any], text: str | None) -> list[SystemOutput]:
    """What it says to a text; to its opening event, where there is none."""

    async def run() -> list[SystemOutput]:
        connector, conversation = make_connector(settings, {}), Conversation(f"heard-{text}")
        turn = UserTurn(key="k", number=1, text=text or "")
        outputs = connector.open(conversation) if text is None else connector.send(conversation, turn)
        try:
            return [output async for output in outputs]
        finally:
            await connector.shut_down()

    return asyncio.run(run())


def test_an_event_opens_the_conversation(settings: dict[str, Any]) -> None:
    outputs = heard(settings | {"start": "WELCOME"}, None)
    assert [output.text for output in outputs if output.kind == "message"] == ["Welcome."]


def test_messages_choices_and_what_was_understood_arrive(settings: dict[str, Any], version: str) -> None:
    *messages, extras = heard(settings, "menu")
    assert [output.text for output in messages] == ["Well?", *ALSO_SAID[version]]
    assert [choice.title for choice in messages[-1].choices] == CHOICES[version]
    assert extras.understood == (Understood((Act("inform", "food", "thai", "="),), CONFIDENCE[version]),)


def test_it_ends_the_dialogue(settings: dict[str, Any], version: str) -> None:
    outputs = heard(settings, "bye")
    assert outputs[0].text == FAREWELL[version]
    assert [output.kind for output in outputs] == ["message", "extras", "end"]
