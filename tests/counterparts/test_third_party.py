"""Systems that nobody here wrote, as they are installed: two people talk to each in the served pages at once.

`make counterparts` installs them and runs these tests; docs/explanation/third-party-systems.md tells more.
"""

from pathlib import Path

import pytest

from scenes.third_party import SYSTEMS, hold_dialogues
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
