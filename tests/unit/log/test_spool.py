"""A recording that goes on: what was flushed is there after a crash, and gives one and the same recording."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.audio.files import read_tracks
from vivavoce.core.errors import LogError
from vivavoce.log.encryption import KEY, WrongKey, new_key
from vivavoce.log.events import VisitOpened
from vivavoce.log.recordings import RecordingFolder, folder_of
from vivavoce.log.spool import SpooledRecording, TapeFacts, facts_of, sealed, tapes_in, tapes_of
from vivavoce.log.store import Log

FACTS = TapeFacts("recording-1", "visit-1", "dialogue-1", 16_000, 2.5)


def samples(value: int, frames: int = 320) -> np.ndarray:
    return np.full(frames, value, np.int16)


@pytest.fixture
def folder(tmp_path: Path) -> RecordingFolder:
    return RecordingFolder(tmp_path / "recordings")


def test_a_tape_becomes_a_recording_with_a_channel_for_each_party(folder: RecordingFolder) -> None:
    tape = SpooledRecording(folder, FACTS)
    tape.add(samples(7), samples(-3))
    tape.flush()
    tape.add(samples(8), samples(-4))
    tape.close()
    assert tapes_in(folder) == [tape.path]
    assert facts_of(tape.path) == FACTS
    found = sealed(folder, tape.path, FACTS)
    assert found is not None
    kept, sound = found
    assert (sound.media_type, sound.channels, sound.sample_rate_hz, sound.frames) == (
        "audio/flac",
        2,
        16_000,
        640,
    )
    tracks = read_tracks(folder.file(kept.file))
    assert tracks.channel(0).samples.tolist() == [7] * 320 + [8] * 320
    assert tracks.channel(1).samples.tolist() == [-3] * 320 + [-4] * 320
    assert sealed(folder, tape.path, FACTS) == found, "the same tape gave another recording"
    assert oct(folder.file(kept.file).stat().st_mode)[-3:] == "600"


@settings(max_examples=40)
@given(torn=st.integers(0, 1300), added=st.integers(1, 4))
def test_a_file_that_ends_anywhere_keeps_every_whole_frame(tmp_path_factory, torn: int, added: int) -> None:
    folder = RecordingFolder(tmp_path_factory.mktemp("torn"))
    tape = SpooledRecording(folder, FACTS)
    for number in range(added):
        tape.add(samples(number + 1, 80), samples(-number - 1, 80))
    tape.close()
    content = tape.path.read_bytes()
    head = content.index(b"\n") + 1
    left = max(head, len(content) - torn)
    tape.path.write_bytes(content[:left])
    whole = (left - head) // 4
    found = sealed(folder, tape.path, FACTS)
    if not whole:
        assert found is None
        return
    assert found is not None
    tracks = read_tracks(folder.file(found[0].file))
    expected = np.repeat(np.arange(1, added + 1), 80)[:whole]
    assert tracks.channel(0).samples.tolist() == expected.tolist()
    assert tracks.channel(1).samples.tolist() == (-expected).tolist()


def test_a_tape_whose_first_line_was_torn_says_that_it_belongs_to_nobody(folder: RecordingFolder) -> None:
    tape = SpooledRecording(folder, FACTS)
    tape.add(samples(1), samples(2))
    tape.close()
    tape.path.write_bytes(tape.path.read_bytes()[:20])
    assert facts_of(tape.path) is None
    tape.path.write_bytes(b"")
    assert facts_of(tape.path) is None


def test_two_who_flush_at_once_write_nothing_twice(folder: RecordingFolder) -> None:
    tape = SpooledRecording(folder, FACTS)
    for number in range(200):
        tape.add(samples(number, 10), samples(-number, 10))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: tape.flush(), range(50)))
    tape.close()
    found = sealed(folder, tape.path, FACTS)
    assert found is not None
    assert found[1].frames == 2000


def test_a_tape_to_which_nothing_was_added_leaves_no_file(folder: RecordingFolder) -> None:
    SpooledRecording(folder, FACTS).close()
    assert tapes_in(folder) == []


def test_what_a_full_disk_refused_is_written_when_there_is_room(
    folder: RecordingFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = SpooledRecording(folder, FACTS)
    tape.add(samples(5), samples(6))
    really = os.write

    def half(file: int, content: memoryview) -> int:
        if len(content) <= 640:
            raise OSError(28, "No space left on device")
        return really(file, content[:641])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(LogError, match="No space left"):
        tape.flush()
    monkeypatch.setattr(os, "write", really)
    tape.add(samples(7), samples(8))
    tape.close()
    found = sealed(folder, tape.path, FACTS)
    assert found is not None
    tracks = read_tracks(folder.file(found[0].file))
    assert tracks.channel(0).samples.tolist() == [5] * 320 + [7] * 320
    assert tracks.channel(1).samples.tolist() == [6] * 320 + [8] * 320


def test_with_a_key_nothing_of_a_tape_lies_open_and_a_torn_piece_costs_only_itself(
    folder: RecordingFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, new_key())
    tape = SpooledRecording(folder, FACTS)
    for value in (1234, 2345, 3456):
        tape.add(samples(value), samples(-value))
        tape.flush()
    tape.close()
    content = tape.path.read_bytes()
    assert samples(1234).tobytes()[:8] not in content
    assert np.stack([samples(2345, 4), samples(-2345, 4)], axis=1).tobytes() not in content
    facts = facts_of(tape.path)
    assert facts == FACTS._replace(locked=True)
    tape.path.write_bytes(content[:-5])
    found = sealed(folder, tape.path, facts)
    assert found is not None
    tracks = read_tracks(folder.file(found[0].file))
    assert tracks.channel(0).samples.tolist() == [1234] * 320 + [2345] * 320
    assert tracks.channel(1).samples.tolist() == [-1234] * 320 + [-2345] * 320
    monkeypatch.setenv(KEY, new_key())
    with pytest.raises(WrongKey):
        sealed(folder, tape.path, facts)
    monkeypatch.delenv(KEY)
    with pytest.raises(WrongKey, match="no key is set"):
        sealed(folder, tape.path, facts)
    assert tape.path.exists()


def test_tapes_are_those_of_a_study_s_participants_and_of_nobody_else_s(tmp_path: Path) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        assert log.folders() == [tmp_path], "no sound was kept yet"
        assert tapes_of(log, "s") == {}
        folder = folder_of(log)
        for study, visit, person in (("s", "v1", "ann"), ("s", "v2", "ben"), ("other", "v3", "eve")):
            opened = VisitOpened(study=study, revision="r", participant_id=person, pool="link", language="en")
            log.transact_now(lambda tx, visit=visit, opened=opened: tx.append(visit, opened))
        for number, visit in enumerate(("v1", "v1", "v3", "gone")):
            tape = SpooledRecording(folder, FACTS._replace(recording_id=f"r{number}", visit_id=visit))
            tape.add(samples(1), samples(2))
            tape.close()
        whole = tapes_in(folder)
        whole[1].write_bytes(b"torn")
        assert tapes_of(log, "s") == {"ann": [whole[0]]}
        assert tapes_of(log, "other") == {"eve": [whole[2]]}
        assert log.folders() == [tmp_path, folder.path]
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        log.recording_folder = None
        assert tapes_of(log, "s") == {} and log.folders() == [tmp_path]
