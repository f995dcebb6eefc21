"""What participants read about the time of a dialogue: how much there is, and that it is over."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scenes.browsing import Visitor, serve, study_with_texts
from scenes.patience import eventually
from scenes.visits import Parrot
from vivavoce.log.store import Log
from vivavoce.study.model import Limits

Browsers = Callable[[], Visitor]
WORDS = {
    "en": ("This conversation can last 7.5 minutes.", "Time is up."),
    "it": ("Questa conversazione può durare 7,5 minuti.", "Il tempo è scaduto."),
}


@pytest.fixture
def browsers(tmp_path: Path) -> Iterator[Browsers]:
    study = study_with_texts(tmp_path, limits=Limits(dialogue_minutes=7.5))
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log, serve(study, log, Parrot()) as opened:
        yield opened


def let_time_pass(visitor: Visitor) -> None:
    """From now on every dialogue of this process has lasted for long."""
    visitor.engine.rules.elapsed_s = lambda _: 60 * 7.5


def standing(visitor: Visitor, dialogue_id: str) -> dict[str, object]:
    return visitor.client.get("/events", params={"after": 0, "dialogue_id": dialogue_id}).json()


@pytest.mark.parametrize("language", ["en", "it"])
def test_participants_are_told_beforehand_and_at_the_end(browsers: Browsers, language: str) -> None:
    visitor, (before, over) = browsers(), WORDS[language]
    dialogue_id = visitor.into_dialogue(language)
    assert before in visitor.html
    assert standing(visitor, dialogue_id)["running"]
    visitor.say("a thai place")
    visitor.say("its phone number")
    let_time_pass(visitor)
    eventually(lambda: not standing(visitor, dialogue_id)["running"])
    assert standing(visitor, dialogue_id)["limit"] == "minutes"
    page = visitor.look()
    assert over in page and 'name="entered"' in page  # the code is earned all the same


def test_who_had_too_little_time_to_count_reads_why_the_dialogue_is_over(browsers: Browsers) -> None:
    visitor = browsers()
    dialogue_id = visitor.into_dialogue()
    let_time_pass(visitor)
    eventually(lambda: not standing(visitor, dialogue_id)["running"])
    page = visitor.look()
    assert "too short to count" in page and WORDS["en"][1] in page


def test_who_ends_the_dialogue_reads_nothing_of_time(browsers: Browsers) -> None:
    visitor = browsers()
    visitor.into_dialogue()
    visitor.hold_dialogue()
    assert WORDS["en"][1] not in visitor.html
