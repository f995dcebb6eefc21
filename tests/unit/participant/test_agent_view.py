"""What participants see of an agent's work is the study's choice: nothing, unless the step says so."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from scenes.browsing import Visitor, serve, study_with_texts
from scenes.visits import Parrot
from vivavoce.connectors.base import Conversation, Retrieval, SystemOutput, ToolCall, UserTurn
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep

HOSTILE = "<img src=x onerror=alert(1)>"
CALL = ToolCall(key="1", name="find_venue", arguments='{"food": "thai"}', result=HOSTILE)
FOUND = Retrieval(rank=0, document=f"Opening hours {HOSTILE}", source="hours.md", query="when")


class Agent(Parrot):
    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="extras", tools=(CALL,), retrievals=(FOUND,))
        yield SystemOutput(kind="message", text="It is open.")


def seen(folder: Path, shows: tuple[str, ...]) -> tuple[dict[str, Any], str, str]:
    """The agent's turn as news, the page, and the page of the questionnaire about the dialogue."""
    study = study_with_texts(folder)
    steps = [
        step.model_copy(update={"shows": shows}) if isinstance(step, DialogueStep) else step
        for step in study.visit
    ]
    study = study.model_copy(update={"visit": tuple(steps)})
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log, serve(study, log, Agent()) as open_browser:
        visitor: Visitor = open_browser()
        dialogue_id = visitor.into_dialogue()
        said = {"key": "key-00000001", "dialogue_id": dialogue_id, "text": "hours?"}
        visitor.client.post("/turns", json=said).raise_for_status()
        visitor.settled()
        news = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).json()
        return news["events"][-1], visitor.look(), json.dumps(news)


@pytest.mark.parametrize(
    ("shows", "there", "hidden"),
    [
        ((), (), ("find_venue", "thai", "onerror", "hours.md", "Opening hours")),
        (("tools",), ("find_venue",), ("thai", "onerror", "hours.md", "Opening hours")),
        (("details",), ("find_venue", "thai", "onerror"), ("hours.md", "Opening hours")),
        (("documents",), ("hours.md", "Opening hours"), ("find_venue", "thai")),
    ],
)
def test_the_page_and_its_news_hold_what_the_step_shows_and_no_more(
    tmp_path: Path, shows: tuple[str, ...], there: tuple[str, ...], hidden: tuple[str, ...]
) -> None:
    _, page, news = seen(tmp_path, shows)
    for part in there:
        assert part in page and part in news
    for part in hidden:
        assert part not in page and part not in news
    assert HOSTILE not in page, "what agents say is data"


def test_details_are_folded(tmp_path: Path) -> None:
    turn, page, _ = seen(tmp_path, ("details", "documents"))
    assert page.count('<details class="work">') == 2
    assert turn["tools"] == [{"name": "find_venue", "parts": ['{"food": "thai"}', HOSTILE], "failed": False}]
