"""Sound is deleted when the study says so, not before; its hashes stay, whatever kills the deletion."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vivavoce.core.clock import ManualClock
from vivavoce.log.events import (
    DialogueAssigned,
    DialogueOpened,
    ResponseGiven,
    StepFinished,
    StimuliPlanned,
    UserTurnSent,
    VisitOpened,
)
from vivavoce.log.models import Recording
from vivavoce.log.recordings import RecordedSound, check_recordings, folder_of
from vivavoce.log.retention import Keeping, due, expire
from vivavoce.log.store import Log

DAY_S = 86_400


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as log:
        opened = VisitOpened(study="s", revision="r", participant_id="p1", pool="link", language="en")
        log.transact_now(lambda tx: tx.append("v1", opened))
        yield log


def talk(log: Log, *said: str) -> None:
    """A dialogue by telephone in which the user took so many turns, recorded as a whole and turn by turn."""
    assigned = DialogueAssigned(
        dialogue_id="d1",
        step=0,
        round=0,
        system="bot",
        task_id=None,
        task=None,
        channel="phone",
        spoken=True,
        calls_out=True,
        language="en",
        conversation="c",
        condition="bot",
    )
    turns = [UserTurnSent(dialogue_id="d1", turn_index=index, text=text) for index, text in enumerate(said)]
    for event in (assigned, DialogueOpened(dialogue_id="d1"), *turns):
        log.transact_now(lambda tx, event=event: tx.append("v1", event))
    record(log, "whole", "dialogue", None)
    for index in range(len(said)):
        record(log, f"turn{index}", "turn", index)


def record(log: Log, name: str, content: str, turn: int | None, party: str = "user") -> None:
    kept = folder_of(log).keep(name, name.encode(), "audio/wav")
    sound = RecordedSound("audio/wav", 1, 8000, 8000)
    event = kept.event(name, sound, content, [party], dialogue_id="d1", turn_index=turn)  # type: ignore[arg-type]
    log.transact_now(lambda tx: tx.append("v1", event))


def write_down(log: Log, *turns: int, accepted: bool = True) -> None:
    """Somebody writes down what was said in these turns."""
    items = [{"audio": f"{turn}.wav", "dialogue_id": "d1", "turn_index": turn} for turn in turns]
    said = {"step": 0, "name": "transcribe", "response": {"text": "yes"}, "response_s": 1.0}
    given = [ResponseGiven(**said, position=place) for place in range(len(items))]
    opened = VisitOpened(
        study="t", revision="r", participant_id="anna" if accepted else "bob", pool="link", language="en"
    )
    finished = StepFinished(step=0, name="transcribe", accepted=accepted)
    visit = f"v-{'-'.join(map(str, turns))}"
    for event in (opened, StimuliPlanned(step=0, name="transcribe", stimuli=items), *given, finished):
        log.transact_now(lambda tx, event=event: tx.append(visit, event))


def names(found: list[Recording]) -> list[str]:
    return [one.recording_id for one in found]


def test_sound_goes_after_so_many_days_and_its_hash_stays(log: Log, clock: ManualClock) -> None:
    record(log, "old", "turn", 0)
    clock.advance(20 * DAY_S)
    record(log, "new", "turn", 1)
    clock.advance(10 * DAY_S - 1)
    assert names(expire(log, "s", Keeping(days=30))) == []
    clock.advance(1)
    assert names(due(log, "s", Keeping(days=30))) == ["old"]
    assert due(log, "other", Keeping(days=0)) == []
    deleted = expire(log, "s", Keeping(days=30))
    assert names(deleted) == ["old"]
    old, new = log.recordings("s")
    assert (old.removal, old.removed_at, old.sha256) == ("retention", clock.now(), deleted[0].sha256)
    assert new.removed_at is None
    assert folder_of(log).names() == {new.file}
    assert check_recordings(log, content=True).lines() == []
    assert expire(log, "s", Keeping(days=30)) == []


def test_a_turn_goes_when_its_transcript_counts_and_a_call_when_all_do(log: Log) -> None:
    talk(log, "yes", "no")
    keeping = Keeping(until_transcribed=True)
    assert due(log, "s", keeping) == []
    write_down(log, 1, accepted=False)
    assert due(log, "s", keeping) == []
    write_down(log, 0)
    assert names(due(log, "s", keeping)) == ["turn0"]
    assert names(due(log, "s", Keeping())) == []


def test_a_whole_call_goes_when_every_turn_is_written_down(log: Log) -> None:
    talk(log, "yes", "no")
    write_down(log, 0, 1)
    assert names(expire(log, "s", Keeping(until_transcribed=True))) == ["whole", "turn0", "turn1"]
    assert folder_of(log).names() == set()


def test_what_the_system_said_goes_with_the_last_turn_of_the_user(log: Log) -> None:
    talk(log, "yes", "no")
    record(log, "answer", "turn", 2, "system")
    keeping = Keeping(until_transcribed=True)
    write_down(log, 0)
    assert names(due(log, "s", keeping)) == ["turn0"]
    write_down(log, 1)
    assert "answer" in names(due(log, "s", keeping))


KILLED = """
import os, signal, sys
from pathlib import Path
from vivavoce.log.recordings import RecordingFolder
from vivavoce.log.retention import Keeping, expire
from vivavoce.log.store import Log

remove, done = RecordingFolder.remove, []

def dying(self, name):
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(name)
    remove(self, name)

RecordingFolder.remove = dying
with Log.open(sys.argv[1]) as log:
    expire(log, "s", Keeping(days=0))
"""


def test_a_deletion_that_is_killed_in_the_middle_is_finished_by_the_next(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.sqlite'}"
    with Log.open(url, ManualClock(datetime(2020, 1, 1, tzinfo=UTC))) as log:
        opened = VisitOpened(study="s", revision="r", participant_id="p1", pool="link", language="en")
        log.transact_now(lambda tx: tx.append("v1", opened))
        for number in range(5):
            record(log, f"r{number}", "turn", number)
    killed = subprocess.run([sys.executable, "-c", KILLED, url], check=False, timeout=120)
    assert killed.returncode == -9
    with Log.open(url) as log:
        assert all(one.removal == "retention" for one in log.recordings("s")), "all stones, or none"
        assert len(check_recordings(log).undeleted) == 3
        assert expire(log, "s", Keeping(days=0)) == []
        assert folder_of(log).names() == set()
        assert check_recordings(log, content=True).lines() == []
