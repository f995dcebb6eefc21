"""Rating transcripts in the page: one at a time, a form under each, nothing lost when one is left open."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.browsing import Forms, Visitor, events_of
from scenes.websites import running
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine


@pytest.fixture
def visitor(tmp_path: Path, log: Log) -> Iterator[Visitor]:
    write_study(tmp_path, "guerini-2018", name="city")
    lines = (tmp_path / "study.yaml").read_text().split("visit:")[0]
    (tmp_path / "study.yaml").write_text(lines + "visit:\n  - rate: {pairs: pairs.yaml}\n")
    engine = SessionEngine(load_study(tmp_path), log, {})
    with running(create_app(engine)) as server:
        visitor = Visitor(server)
        yield visitor
        visitor.client.close()


ITEMS = ("item-ease", "item-utility", "item-satisfaction", "item-interaction")


def test_every_transcript_is_read_alone_and_rated(visitor: Visitor, log: Log) -> None:
    page = visitor.look("/")
    assert "You read 10 conversations" in page
    visitor.press("/start")
    for number in range(1, 11):
        assert f"Conversation {number} of 10" in visitor.html
        assert visitor.html.count('<ol class="transcript"') == 1
        visitor.press("/respond", **dict.fromkeys(ITEMS, "4"))
    assert "Thank you" in visitor.html
    events = [one.event for one in events_of(log, "response_given")]
    assert [one.position for one in events] == list(range(10))
    assert {rating["value"] for one in events for rating in one.response["ratings"]} == {4.0}
    assert {one.response["instrument"] for one in events} == {"reading"}


def test_an_open_question_is_asked_again_and_the_others_are_kept(visitor: Visitor, log: Log) -> None:
    visitor.look("/")
    visitor.press("/start")
    read = re.search(r'<ol class="transcript".*?</ol>', visitor.html, re.S)
    visitor.press("/respond", **{"item-ease": "2", "item-utility": "9"})
    assert "3 questions are still open" in visitor.html
    assert re.search(r'name="item-ease" value="2" checked', visitor.html)
    assert read is not None and read[0] in visitor.html
    assert events_of(log, "response_given") == []
    visitor.press("/respond", **dict.fromkeys(ITEMS, "5"))
    assert "Conversation 2 of 10" in visitor.html


def test_a_form_that_comes_late_or_twice_stores_nothing_more(visitor: Visitor, log: Log) -> None:
    visitor.look("/")
    visitor.press("/start")
    late = Forms(visitor.html).forms["/respond"] | dict.fromkeys(ITEMS, "3")
    visitor.press("/respond", **dict.fromkeys(ITEMS, "3"))
    again = visitor.client.post("/respond", data=late)
    assert "Conversation 2 of 10" in again.text
    assert len(events_of(log, "response_given")) == 1


def test_the_page_speaks_italian(visitor: Visitor) -> None:
    visitor.look("/?lang=it")
    visitor.press("/start")
    assert "Leggi questa conversazione fino in fondo." in visitor.html
    assert "Abbastanza" in visitor.html
