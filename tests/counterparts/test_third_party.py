"""Systems that nobody here wrote, as they are installed: two people talk to each in the served pages at once.

`make counterparts` installs them and runs these tests; docs/explanation/third-party-systems.md tells more.
"""

from pathlib import Path

import pytest

from scenes.connecting import said, texts, within
from scenes.third_party import SYSTEMS, as_its_guide_says, hold_dialogues
from vivavoce.connectors.base import Connector, Conversation
from vivavoce.log.events import SystemTurnReceived
from vivavoce.log.store import Log

pytestmark = [pytest.mark.counterpart, pytest.mark.long]


@pytest.mark.parametrize("name", SYSTEMS)
def test_people_talk_to_it_in_the_served_pages_and_it_remembers_each(name: str, tmp_path: Path) -> None:
    said = [["one fine day", "and more"], ["another night", "and else"]]
    shown = hold_dialogues(tmp_path, name, said)
    for (first, _), answers in zip(said, shown, strict=True):
        assert len(answers) == 2
        assert all(f"first was {first}" in answer for answer in answers), shown
    if tells := SYSTEMS[name].get("tells"):
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
            events = [one.event for visit in log.visits("city") for one in log.events(visit.visit_id)]
        turns = [one.agent for one in events if isinstance(one, SystemTurnReceived)]
        told = [{name for name, done in turn if done} for turn in turns if turn is not None]
        assert told == [{name.replace("tool_calls", "tools") for name in tells}] * 4


@pytest.mark.parametrize("name", ["ask-sdk", "ask-sdk-js"])
def test_the_entry_that_the_guide_gives_for_a_skill_opens_it_and_talks_to_it(
    name: str, tmp_path: Path
) -> None:
    async def talk(connector: Connector) -> list[str]:
        conversation = Conversation("guide")
        opened = texts([output async for output in connector.open(conversation)])
        return opened + [
            text for word in ("one", "two") for text in texts(await said(connector, conversation, word))
        ]

    with as_its_guide_says(tmp_path, name, "connect-by-kind.md", "skill") as entry:
        assert within(entry, talk) == ["Welcome.", "first was one", "first was one"]
