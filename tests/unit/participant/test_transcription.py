"""The page on which recordings are written down: what is played, to whom, and what is kept."""

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scenes.browsing import Visitor, serve
from scenes.transcribing import GOLD, transcribing_study
from scenes.visits import Parrot
from vivavoce.log.events import ResponseGiven
from vivavoce.log.stimulus_rows import WrittenTranscript
from vivavoce.log.store import Log

Come = Callable[..., Visitor]


@pytest.fixture
def come(tmp_path: Path, log: Log) -> Iterator[Come]:
    """Makes visitors of a study that transcribes; the first call says how it is set."""
    made: list = []

    def visitor(**settings: object) -> Visitor:
        if not made:
            study = transcribing_study(tmp_path / "transcripts", **settings)  # pyright: ignore
            made.append(serve(study, log, Parrot()))
            made.append(made[0].__enter__())
        return made[1]()

    yield visitor
    made[0].__exit__(None, None, None)


def start(visitor: Visitor) -> Visitor:
    visitor.look("/?lang=en")
    visitor.press("/start")
    return visitor


def given(log: Log) -> list[WrittenTranscript]:
    found = [one.event for visit in log.visits("transcripts") for one in log.events(visit.visit_id)]
    return [WrittenTranscript(**one.response) for one in found if isinstance(one, ResponseGiven)]


def recording(page: str) -> str:
    found = re.search(r'src="(/presented/[0-9a-f]{32})"', page)
    assert found is not None
    return found[1]


def test_recordings_are_written_down_one_after_another(come: Come, log: Log) -> None:
    visitor = start(come(min_gold=3))  # two answers judge nobody, whichever recordings come first
    assert "Recording 1 of 5" in visitor.html
    visitor.press("/respond", text="  a cheap \n place ")
    assert "Recording 2 of 5" in visitor.html
    visitor.press("/respond", text="", unclear="1")
    assert [one.text for one in given(log)] == ["a cheap place", None]
    visitor.press("/respond", text="   ")
    assert "Please write something first." in visitor.html
    assert "Recording 3 of 5" in visitor.html


def test_the_recording_that_is_due_is_played_and_no_other(come: Come) -> None:
    visitor, stranger = start(come()), come()
    first = recording(visitor.html)
    heard = visitor.client.get(first)
    assert (heard.status_code, heard.content[:4]) == (200, b"RIFF")
    assert heard.headers["content-type"] == "audio/wav"
    assert "text/html" in stranger.client.get(first).headers["content-type"]
    start(stranger)
    assert stranger.client.get(first).status_code == 404
    visitor.press("/respond", text="a")
    assert visitor.client.get(first).status_code == 404
    assert visitor.client.get(recording(visitor.html)).status_code == 200


def test_the_page_does_not_tell_a_known_recording_from_another(come: Come) -> None:
    visitor = start(come(prefill=False))
    for _ in range(5):
        shown = html.unescape(visitor.html)
        for word in ("gold", "call-", ".wav", "dialogue-0", "recognised", *GOLD.values()):
            assert word not in shown
        visitor.press("/respond", text="a cheap thai place") if "/respond" in shown else None
        if "/respond" not in visitor.html:
            break


def test_what_the_recogniser_heard_stands_there_only_when_the_study_wants_it(come: Come, log: Log) -> None:
    visitor = start(come(prefill=True, gold=0, min_gold=0, per_participant=2))
    assert re.search(r">recognised \d</textarea>", visitor.html)
    visitor.press("/respond", text="corrected")
    assert given(log)[0].prefilled


def test_somebody_who_is_refused_comes_to_a_decent_end(come: Come) -> None:
    visitor = start(come(gold=1, per_participant=3, min_gold=2))
    for _ in range(3):
        if "/respond" in visitor.html:
            visitor.press("/respond", text="la la la la")
    assert "/respond" not in visitor.html
    assert "Thank you" in visitor.html
