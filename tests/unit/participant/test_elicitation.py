"""Pages of the step `elicit`: commands given anew, recorded, and cut out of one recording."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scenes.browsing import Forms, Visitor, serve
from scenes.eliciting import commanding_study, wav
from scenes.visits import Parrot
from vivavoce.log.export import export_dataset
from vivavoce.log.models import StoredEvent
from vivavoce.log.recordings import check_recordings
from vivavoce.log.store import Log


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield log


@contextmanager
def visitors(folder: Path, log: Log, **settings: object) -> Iterator[Callable[[], Visitor]]:
    with serve(commanding_study(folder / "study", **settings), log, Parrot()) as visitor:
        yield visitor


def begun(visitor: Visitor) -> Visitor:
    visitor.look("/?lang=en")
    visitor.press("/start")
    return visitor


def found(log: Log, kind: str) -> list[StoredEvent]:
    return [one for one in log.all_events() if one.event.kind == kind]


def commands(log: Log, into: Path) -> list[tuple[str, str | None, float | None]]:
    rows = export_dataset(log, "tea", into, audio=True).read("commands").to_pylist()
    assert check_recordings(log, content=True).lines() == []
    return [(row["frame"], row["text"], row["duration_s"]) for row in rows]


def test_the_last_response_may_be_given_anew_and_of_two_tabs_one_counts(log: Log, tmp_path: Path) -> None:
    with visitors(tmp_path, log, by="text") as visitor:
        person = begun(visitor())
        first = person.html
        person.press("/respond", text="boil")
        person.html = first  # another tab still asks for the first one
        assert "2 of 3" in person.press("/respond", text="heat")
        again = person.look("/visit?view=again")
        assert "1 of 3" in again and "Keep the previous command" in again
        assert "1 of 3" in person.press("/respond", text=" ") and "write something first" in person.html
        assert "2 of 3" in person.press("/respond", text="warm")
        person.html = again
        assert "2 of 3" in person.press("/respond", text="cook")
        assert "Repeat the last command" in person.html
    assert [one.event.response["text"] for one in found(log, "response_given")] == ["boil", "warm"]
    assert commands(log, tmp_path / "data") == [("fill", "warm", None)]


def test_nobody_is_offered_to_give_a_final_response_anew(log: Log, tmp_path: Path) -> None:
    with visitors(tmp_path, log, by="text", redo=False) as visitor:
        person = begun(visitor())
        late = Forms(person.html).forms["/respond"] | {"text": "heat", "key": "another-key"}
        person.press("/respond", text="boil")
        assert "anew" not in person.html and "2 of 3" in person.look("/visit?view=again")
        assert "2 of 3" in person.client.post("/respond", data=late).text
    assert len(found(log, "response_given")) == 1


def test_a_recording_is_a_response_once_and_goes_when_it_is_given_anew(log: Log, tmp_path: Path) -> None:
    with visitors(tmp_path, log) as visitor:
        person = begun(visitor())
        sent = {"step": 0, "position": 0, "key": "first-key", "takes": 2}
        for _ in range(2):  # the acknowledgement got lost
            answered = person.client.post("/respond/recording", params=sent, content=wav(0.5))
        assert answered.json() == {"seq": found(log, "response_given")[0].seq}
        sent |= {"position": 1, "key": "second-key"}
        assert person.client.post("/respond/recording", params=sent, content=b"RIFF").json() == {
            "error": "bad_audio"
        }
        sent |= {"position": 0, "key": "third-key"}
        assert person.client.post("/respond/recording", params=sent, content=wav(0.75)).status_code == 200
    assert [one.event.response["takes"] for one in found(log, "response_given")] == [2, 2]
    assert commands(log, tmp_path / "data") == [("fill", None, 0.75)]
    assert [one.removal for one in log.recordings()] == ["redone", None]


def test_only_a_step_that_is_answered_aloud_takes_recordings(log: Log, tmp_path: Path) -> None:
    with visitors(tmp_path, log, by="text") as visitor:
        person = begun(visitor())
        sent = {"step": 0, "position": 0, "key": "first-key"}
        assert person.client.post("/respond/recording", params=sent, content=wav(0.5)).status_code == 409
    assert log.recordings() == []


def test_borders_that_cannot_be_come_back_as_they_were_moved(log: Log, tmp_path: Path) -> None:
    with visitors(tmp_path, log, single_take=True) as visitor:
        person = begun(visitor())
        sent = {"step": 0, "position": 0, "key": "first-key"}
        person.client.post("/respond/recording", params=sent, content=wav(2.0))
        assert "Mark the commands" in person.look()
        sound = re.search(r'src="(/presented/[0-9a-f]+)"></audio>', person.html)
        assert sound is not None and person.client.get(sound[1]).content == wav(2.0)
        moved = {"onset-0": "1.5", "offset-0": "0.5", "absent-1": "1", "absent-2": "1"}
        person.press("/respond/cut", **moved)
        assert "Check the borders" in person.html and 'value="1.5"' in person.html
        assert "What should the robot do?" in person.look("/visit?view=again")
        person.look()
        late = person.html
        assert "Thank you" in person.press("/respond/cut", **(moved | {"onset-0": "0.25"}))
        person.html = late
        assert "Thank you" in person.press("/respond/cut", **moved)
    assert commands(log, tmp_path / "data") == [("fill", None, 0.25)]


def test_commands_from_pages_that_were_open_at_an_update_still_count(log: Log, tmp_path: Path) -> None:
    with visitors(tmp_path, log) as visitor:
        person = begun(visitor())
        sent = {"step": "0", "position": "0", "key": "first-key"}
        assert person.client.post("/elicit/recording", params=sent, content=wav(0.5)).status_code == 200
        assert (
            "2 of 3"
            in person.client.post("/elicit/typed", data=sent | {"key": "other-key", "text": "boil"}).text
        )
        assert "1 of 3" in person.look("/visit?again=1")
    assert commands(log, tmp_path / "data") == [("fill", "boil", None)]


def test_a_whole_recording_from_a_page_that_was_open_at_an_update_still_counts(
    log: Log, tmp_path: Path
) -> None:
    with visitors(tmp_path, log, single_take=True) as visitor:
        person = begun(visitor())
        sent = {"step": "0", "key": "first-key", "takes": "1"}
        assert person.client.post("/elicit/whole", params=sent, content=wav(2.0)).status_code == 200
        (whole,) = found(log, "whole_recorded")
        borders = {"onset-0": "0", "offset-0": "1", "absent-1": "1", "onset-2": "1.5", "offset-2": "2"}
        left = {"step": "0", "recording": whole.event.recording_id} | borders
        assert "Thank you" in person.client.post("/elicit/cut", data=left).text
    assert commands(log, tmp_path / "data") == [("fill", None, 1.0), ("pour", None, 0.5)]
