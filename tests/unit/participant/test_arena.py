"""The arena in the page: both answers at once, no name anywhere, a vote before the next message."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.browsing import Forms, Visitor, events_of
from scenes.fighting import SYSTEMS, arena_engine, arena_study
from scenes.patience import eventually
from scenes.visits import Parrot
from scenes.websites import running
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.trial.masking import MASK

GIVEAWAYS = (*SYSTEMS, "beryl", "machine", "scripted", "acme")


@pytest.fixture
def visitor(tmp_path: Path, log: Log) -> Iterator[Visitor]:
    engine = arena_engine(arena_study(tmp_path / "study", battles=2, turns=2), log)
    with running(create_app(engine)) as server:
        visitor = Visitor(server)
        yield visitor
        visitor.client.close()


def wait(visitor: Visitor, action: str) -> None:
    """Look until a form is offered, and see that nothing gives the systems away."""

    def offered() -> bool:
        found = action in Forms(visitor.look()).forms
        check(visitor)
        return found

    eventually(offered)


def check(visitor: Visitor) -> None:
    shown = visitor.html.lower() + visitor.client.get("/arena/state").text.lower()
    assert [word for word in GIVEAWAYS if word in shown] == []


def begin(visitor: Visitor, language: str = "en") -> None:
    visitor.look(f"/?lang={language}")
    check(visitor)
    visitor.press("/start")
    wait(visitor, "/arena/say")


def test_a_whole_visit_shows_no_name_and_asks_for_a_vote_after_every_exchange(
    visitor: Visitor, log: Log
) -> None:
    begin(visitor)
    assert visitor.html.count(f"Hello, I am {MASK}.") == 2
    for number, choice in enumerate(("left", "both_bad", "tie", "right"), 1):
        visitor.press("/arena/say", **{"item-text": f"what is {number}?"})
        wait(visitor, "/arena/vote")
        assert visitor.html.count(f"{MASK} has heard: what is {number}?") == 2
        assert "/arena/say" not in Forms(visitor.html).forms
        visitor.press("/arena/vote", choice=choice)
        if number == 2:
            wait(visitor, "/arena/say")
            assert "Round 2 of 2" in visitor.html
    votes = [one.event for one in events_of(log, "vote_cast")]
    assert [one.choice for one in votes] == ["left", "both_bad", "tie", "right"]
    assert len({one.bout_id for one in votes}) == 2
    assert "Thank you" in visitor.html
    check(visitor)


def test_an_answer_is_shown_only_with_the_other_one(tmp_path: Path, log: Log) -> None:
    systems = {
        "quickly": {"connect": "scripted", "otherwise": "At once: {text}"},
        "slowly": {"connect": "scripted", "otherwise": "never reached"},
    }
    slow = Parrot()
    slow.gate = asyncio.Event()

    async def answer() -> None:
        slow.gate.set()

    engine = arena_engine(arena_study(tmp_path / "study", systems=systems), log, slowly=slow)
    with running(create_app(engine)) as server:
        visitor = Visitor(server)
        visitor.look("/")
        visitor.press("/start")
        wait(visitor, "/arena/say")
        visitor.press("/arena/say", **{"item-text": "hello"})
        received = lambda: events_of(log, "system_turn_received")  # noqa: E731
        eventually(lambda: any(one.event.reply_to is not None for one in received()))
        assert "At once" not in visitor.look()
        server.call(answer())
        wait(visitor, "/arena/vote")
        assert "At once: hello" in visitor.html and "You said: hello" in visitor.html
        visitor.client.close()


def test_an_empty_message_and_a_strange_vote_change_nothing(visitor: Visitor, log: Log) -> None:
    begin(visitor)
    visitor.press("/arena/say", **{"item-text": "   "})
    assert "Please write something first." in visitor.html
    fields = Forms(visitor.look()).forms["/arena/say"]
    refused = visitor.client.post(
        "/arena/vote", data={"bout": fields["bout"], "exchange": "1", "choice": "A"}
    )
    assert refused.status_code == 422
    early = visitor.client.post(
        "/arena/vote", data={"bout": fields["bout"], "exchange": "1", "choice": "left"}
    )
    assert early.status_code == 200  # led back to the page that is due
    assert events_of(log, "vote_cast") == []


def test_what_is_said_is_text(visitor: Visitor) -> None:
    begin(visitor)
    visitor.press("/arena/say", **{"item-text": "<script>alert(1)</script>"})
    wait(visitor, "/arena/vote")
    assert "<script>alert" not in visitor.html
    assert "&lt;script&gt;alert(1)" in visitor.html


def test_the_round_may_be_finished_after_a_vote(visitor: Visitor, log: Log) -> None:
    begin(visitor)
    assert "/arena/finish" not in Forms(visitor.html).forms
    visitor.press("/arena/say", **{"item-text": "hello"})
    wait(visitor, "/arena/vote")
    visitor.press("/arena/vote", choice="left")
    visitor.press("/arena/finish")
    wait(visitor, "/arena/say")
    assert "Round 2 of 2" in visitor.html
    (ended,) = events_of(log, "bout_ended")
    assert ended.event.reason == "user"


def test_the_page_speaks_italian(visitor: Visitor) -> None:
    begin(visitor, "it")
    assert re.search(r"Due programmi rispondono", visitor.html)
    visitor.press("/arena/say", **{"item-text": "ciao"})
    wait(visitor, "/arena/vote")
    assert "Sono entrambe scadenti" in visitor.html


def test_a_side_that_fails_is_said_to_have_said_nothing_and_no_vote_is_asked(
    tmp_path: Path, log: Log
) -> None:
    systems = {
        "steady": {"connect": "scripted", "otherwise": "Heard: {text}"},
        "broken": {"connect": "scripted", "replies": [{"match": ".", "fail": "timeout"}]},
    }
    engine = arena_engine(arena_study(tmp_path / "study", systems=systems), log)
    with running(create_app(engine)) as server:
        visitor = Visitor(server)
        visitor.look("/")
        visitor.press("/start")
        wait(visitor, "/arena/say")
        visitor.press("/arena/say", **{"item-text": "hello"})
        wait(visitor, "/arena/finish")
        assert "This program said nothing." in visitor.html
        assert "Heard: hello" in visitor.html
        assert "/arena/vote" not in Forms(visitor.html).forms
        assert "failure by script" not in visitor.html
        visitor.press("/arena/finish")
        assert "Thank you" in visitor.html
        visitor.client.close()
