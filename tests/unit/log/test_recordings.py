"""A recording that the log knows is whole and on disk, and stays so until somebody has it removed."""

import asyncio
import hashlib
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.core.errors import InputError, LogError
from vivavoce.log.events import VisitOpened
from vivavoce.log.export import export_dataset
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.recordings import (
    RecordedSound,
    RecordingFolder,
    check_recordings,
    erase_recordings,
    finish_removals,
    folder_of,
)
from vivavoce.log.store import Log
from vivavoce.log.verification import rebuild

AUDIO = b"RIFF, or whatever a recorder gives out"
SOUND = RecordedSound("audio/wav", 1, 16_000, 24_000)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        log.transact_now(
            lambda tx: tx.append(
                "v1",
                VisitOpened(study="s", revision="r", participant_id="p1", pool="link", language="en"),
            )
        )
        yield log


def store(log: Log, recording_id: str, audio: bytes = AUDIO) -> RecordingStored:
    kept = folder_of(log).keep(recording_id, audio, "audio/wav")
    event = kept.event(recording_id, SOUND, "command", ["user"], step=1, position=0)
    log.transact_now(lambda tx: tx.append("v1", event))
    return event


def test_a_stored_recording_is_found_again_with_its_facts(log: Log) -> None:
    event = store(log, "r1")
    (found,) = log.recordings("s")
    assert (found.recording_id, found.participant_id, found.content, found.item) == ("r1", "p1", "command", 0)
    assert (found.duration_s, found.frames, found.sample_rate_hz) == (1.5, 24_000, 16_000)
    assert found.sha256 == hashlib.sha256(AUDIO).hexdigest() == event.sha256
    path = folder_of(log).file(found.file)
    assert path.read_bytes() == AUDIO
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert check_recordings(log, content=True).lines() == []


def test_the_folder_lies_beside_the_log_and_each_log_has_its_own(tmp_path: Path, log: Log) -> None:
    assert folder_of(log).path == tmp_path / "recordings"
    with Log.open(f"sqlite:///{tmp_path / 'pilot.sqlite'}") as pilot:
        assert folder_of(pilot).path == tmp_path / "pilot-recordings"


def test_a_log_on_a_server_must_be_told_where_recordings_go(postgresql_url: str, tmp_path: Path) -> None:
    with Log.open(postgresql_url) as log, pytest.raises(InputError, match="recording_folder=PATH"):
        folder_of(log)
    with Log.open(postgresql_url, recording_folder=tmp_path / "sound") as log:
        log.transact_now(
            lambda tx: tx.append(
                "v1",
                VisitOpened(study="s", revision="r", participant_id="p1", pool="link", language="en"),
            )
        )
        store(log, "r1")
        before = log.recordings()
        rebuild(log)
        assert log.recordings() == before
        assert len(before) == 1


def test_a_file_without_an_event_is_named_an_orphan(log: Log) -> None:
    kept = folder_of(log).keep("r1", AUDIO, "audio/wav")  # and then the power fails
    problems = check_recordings(log)
    assert problems.orphans == [kept.file]
    assert problems.lines() == [f"recordings/{kept.file}: no event refers to this file"]


def test_the_same_upload_again_makes_no_second_file(log: Log) -> None:
    first, again = (folder_of(log).keep("r1", AUDIO, "audio/wav") for _ in range(2))
    assert first == again
    assert folder_of(log).names() == {first.file}


def test_an_interrupted_recording_leaves_nothing_that_looks_whole(log: Log) -> None:
    with pytest.raises(RuntimeError), folder_of(log).begin("r1", "audio/wav") as unfinished:
        unfinished.file.write(AUDIO)
        raise RuntimeError("the caller hung up and the program broke")
    assert folder_of(log).names() == set()


def test_a_recorder_that_was_killed_is_named(log: Log) -> None:
    unfinished = folder_of(log).begin("r1", "audio/flac").__enter__()
    assert check_recordings(log).unfinished == [unfinished.path.name]
    unfinished.__exit__()


def test_a_folder_that_cannot_be_written_is_an_error_of_the_log(tmp_path: Path, log: Log) -> None:
    (tmp_path / "recordings").write_text("a file in the way")
    with pytest.raises(LogError, match="nothing was saved"):
        folder_of(log).keep("r1", AUDIO, "audio/wav")


def test_files_that_vanish_or_change_are_named(log: Log) -> None:
    gone, changed = store(log, "r1"), store(log, "r2")
    folder = folder_of(log).path
    (folder / gone.file).unlink()
    (folder / changed.file).write_bytes(b"somebody cut this")
    problems = check_recordings(log, content=True)
    assert (problems.missing, problems.altered) == ([gone.file], [changed.file])
    assert check_recordings(log).altered == []  # without reading the files


def test_erasing_deletes_the_file_and_leaves_a_stone(log: Log, tmp_path: Path) -> None:
    event = store(log, "r1")
    store(log, "r2", b"another")
    assert erase_recordings(log, [one for one in log.recordings() if one.recording_id == "r1"]) == 1
    assert event.file not in folder_of(log).names()
    first, second = log.recordings("s")
    assert (first.removal, second.removal) == ("erasure", None)
    assert erase_recordings(log, [first]) == 0
    dataset = export_dataset(log, "s", tmp_path / "data", audio=True)
    rows = dataset.read("recordings").to_pylist()
    assert [row["file"] is None for row in rows] == [True, False]
    assert (dataset.folder / rows[1]["file"]).read_bytes() == b"another"
    assert [path.name for path in (dataset.folder / "recordings").iterdir()] == [second.file]
    assert check_recordings(log, content=True).lines() == []


def test_a_removal_that_a_crash_interrupted_is_finished_later(log: Log) -> None:
    event = store(log, "r1")
    removed = RecordingRemoved(recording_id="r1", reason="withdrawal")
    log.transact_now(lambda tx: tx.append("v1", removed))  # and then the power fails
    assert check_recordings(log).undeleted == [event.file]
    assert finish_removals(log) == 1
    assert folder_of(log).names() == set()
    assert finish_removals(log) == 0


def test_recordings_come_out_of_the_events_again_with_their_stones(log: Log) -> None:
    store(log, "r1")
    store(log, "r2")
    erase_recordings(log, log.recordings()[:1])
    before = log.recordings()
    rebuild(log)
    assert log.recordings() == before
    assert [one.removal for one in before] == ["erasure", None]


def test_an_export_without_sound_names_the_files_and_copies_none(log: Log, tmp_path: Path) -> None:
    event = store(log, "r1")
    dataset = export_dataset(log, "s", tmp_path / "data")
    (row,) = dataset.read("recordings").to_pylist()
    assert row["file"] == f"recordings/{event.file}"
    assert (row["channels"], row["speakers"], row["duration_s"]) == (1, "user", 1.5)
    assert not (dataset.folder / "recordings").exists()
    assert export_dataset(log, "s", tmp_path / "heard", audio=True).hash == dataset.hash


def test_an_export_says_which_recordings_it_lacks(log: Log, tmp_path: Path) -> None:
    gone, changed = store(log, "r1"), store(log, "r2")
    (folder_of(log).path / gone.file).unlink()
    (folder_of(log).path / changed.file).write_bytes(b"cut")
    notes = export_dataset(log, "s", tmp_path / "data", audio=True).manifest["notes"]
    assert notes == [
        "the file of recording r1 is missing",
        "the file of recording r2 was modified and is left out",
    ]


def test_a_name_never_leads_out_of_the_folder(log: Log, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    with pytest.raises(LookupError):
        folder_of(log).file("../secret")
    folder_of(log).remove("../secret")
    assert (tmp_path / "secret").exists()
    with pytest.raises(ValueError, match="not a valid file name"):
        folder_of(log).begin("../r1", "audio/wav")


def test_every_channel_has_one_speaker(log: Log) -> None:
    kept = folder_of(log).keep("r1", AUDIO, "audio/wav")
    with pytest.raises(ValueError, match="2 channels, but 1 speakers"):
        kept.event("r1", RecordedSound("audio/wav", 2, 8000, 8000), "dialogue", ["user"])


@settings(max_examples=15)
@given(st.lists(st.tuples(st.binary(max_size=40).map(b"RIFF".__add__), st.integers(0, 3)), max_size=6))
def test_wherever_storing_breaks_off_nothing_is_half_there(
    tmp_path_factory: pytest.TempPathFactory, takes: list[tuple[bytes, int]]
) -> None:
    """Each take breaks off while it is written (0), before its event (1), or goes through (2, 3)."""
    folder = RecordingFolder(tmp_path_factory.mktemp("takes") / "recordings")
    visible: dict[str, bytes] = {}
    for number, (audio, point) in enumerate(takes):
        with folder.begin(f"r{number}", "audio/wav") as unfinished:
            unfinished.file.write(audio[: len(audio) // 2] if point == 0 else audio)
            kept = unfinished.keep() if point > 0 else None
        if kept is not None and point > 1:
            visible[kept.file] = audio
    assert {name: folder.file(name).read_bytes() for name in visible} == visible
    assert not any(name.endswith(".part") for name in folder.names())


def test_many_recordings_at_once_are_all_kept(log: Log) -> None:
    async def all_of_them() -> None:
        await asyncio.gather(*(asyncio.to_thread(store, log, f"r{n}", bytes([n])) for n in range(20)))

    asyncio.run(all_of_them())
    assert len(log.recordings("s")) == 20
    assert check_recordings(log, content=True).lines() == []
