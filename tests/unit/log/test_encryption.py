"""Locked recordings: read like others with their key, told in one line without it, never half locked."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.audio.files import encode_sound, read_sound
from vivavoce.audio.sound import Sound as Samples
from vivavoce.core.errors import InputError
from vivavoce.log.encryption import (
    HEAD,
    KEY,
    Altered,
    Lock,
    WrongKey,
    is_locked,
    lock_of,
    new_key,
    require_keys,
)
from vivavoce.log.events import VisitOpened
from vivavoce.log.export import export_dataset
from vivavoce.log.recordings import RecordedSound, check_recordings, erase_recordings, folder_of
from vivavoce.log.soundtrack import dialogue_recordings, soundtrack
from vivavoce.log.store import Log

SPOKEN = Samples((3000 * np.sin(np.arange(16_000) / 9)).astype(np.int16), 16_000)
AUDIO = encode_sound(SPOKEN)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    made = new_key()
    monkeypatch.setenv(KEY, made)
    return made


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        opened = VisitOpened(study="s", revision="r", participant_id="p1", pool="link", language="en")
        log.transact_now(lambda tx: tx.append("v1", opened))
        yield log


def store(log: Log, recording_id: str = "r1") -> Path:
    """A turn of a dialogue, kept; where its file lies."""
    kept = folder_of(log).keep(recording_id, AUDIO, "audio/wav")
    sound = RecordedSound("audio/wav", 1, 16_000, 16_000)
    event = kept.event(recording_id, sound, "turn", ["user"], dialogue_id="d1", turn_index=0)
    log.transact_now(lambda tx: tx.append("v1", event))
    return folder_of(log).path / kept.file


def test_with_its_key_everybody_reads_a_locked_recording_as_any_other(log: Log, tmp_path: Path) -> None:
    path = store(log)
    assert is_locked(path)
    assert AUDIO not in path.read_bytes()
    assert AUDIO[44:200] not in path.read_bytes()
    opened = folder_of(log).file(path.name)
    assert opened.read_bytes() == AUDIO
    assert np.array_equal(read_sound(opened).samples, SPOKEN.samples)
    assert opened == folder_of(log).file(path.name), "it is opened once"
    (found,) = dialogue_recordings(log, "d1")
    assert soundtrack(log, "d1", found)["duration_s"] == 1.0
    dataset = export_dataset(log, "s", tmp_path / "D", audio=True)
    (row,) = dataset.read("recordings").to_pylist()
    assert (tmp_path / "D" / row["file"]).read_bytes() == AUDIO
    assert row["byte_count"] == len(AUDIO)
    assert check_recordings(log, content=True).lines() == []


def test_nothing_but_the_locked_file_is_left_behind(log: Log) -> None:
    path = store(log)
    with folder_of(log).begin("r2", "audio/wav") as unfinished:
        unfinished.file.write(AUDIO)
        kept = unfinished.keep()
    assert folder_of(log).names() == {path.name, kept.file}
    assert folder_of(log).file(kept.file).read_bytes() == AUDIO
    assert kept.byte_count == len(AUDIO)


def test_without_the_key_one_line_says_so(log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store(log)
    monkeypatch.delenv(KEY)
    with pytest.raises(WrongKey) as caught:
        folder_of(log).file(path.name).read_bytes()
    assert (
        str(caught.value)
        == f"{path.name}: the recording is encrypted, and {KEY} is not set. Set {KEY} to the key"
    )
    with pytest.raises(WrongKey):
        export_dataset(log, "s", tmp_path / "D", audio=True)
    (line,) = check_recordings(log, content=True).lines()
    assert line == f"recordings/{path.name}: encrypted, and {KEY} does not hold its key"
    assert check_recordings(log).lines() == [], "without reading files nothing is wrong"


def test_another_key_is_not_taken_for_damage(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store(log)
    monkeypatch.setenv(KEY, new_key())
    with pytest.raises(WrongKey, match=f"encrypted with a different key than {KEY}"):
        folder_of(log).file(path.name)
    assert check_recordings(log, content=True).closed == [path.name]


def test_a_service_starts_with_the_key_of_all_its_recordings_only(
    log: Log, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(log).path
    require_keys(folder)  # it is not even there
    path = store(log)
    (folder / "notes").mkdir()
    (folder / "older.wav").write_bytes(AUDIO)  # from before there was a key
    require_keys(folder)
    for wrong in ("", new_key()):
        monkeypatch.setenv(KEY, wrong)
        with pytest.raises(WrongKey, match=path.name):
            require_keys(folder)
    assert dialogue_recordings(log, "d1") == [], "the dashboard goes on without it"
    monkeypatch.setenv(KEY, key)
    assert len(dialogue_recordings(log, "d1")) == 1


def test_an_altered_file_is_told_from_a_wrong_key(log: Log, tmp_path: Path) -> None:
    path, other = store(log), store(log, "r2")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(Altered, match="modified"):
        folder_of(log).file(path.name)
    found = check_recordings(log, content=True)
    assert (found.altered, found.closed) == ([path.name], [])
    path.write_bytes(other.read_bytes())
    assert check_recordings(log, content=True).altered == [path.name], "another recording in its place"
    dataset = export_dataset(log, "s", tmp_path / "D", audio=True)
    assert any("modified" in note for note in dataset.manifest["notes"])


def test_what_was_stored_before_there_was_a_key_stays_readable(
    log: Log, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY)
    path = store(log)
    monkeypatch.setenv(KEY, key)
    assert not is_locked(path)
    assert folder_of(log).file(path.name) == path
    assert check_recordings(log, content=True).lines() == []


def test_an_erased_recording_cannot_be_read_from_memory(log: Log) -> None:
    path = store(log)
    opened = folder_of(log).file(path.name)
    erase_recordings(log, log.recordings("s"))
    assert not path.exists()
    assert not opened.exists()


@pytest.mark.parametrize("written", ["secret", "AAAA", "!!!!" * 11])
def test_what_is_no_key_is_refused_without_showing_it(
    written: str, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, written)
    with pytest.raises(InputError, match="key of 32 bytes") as caught:
        store(log)
    assert written not in str(caught.value)
    assert folder_of(log).names() == set()


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=300), st.integers(min_value=0), st.integers(0, 255))
def test_whatever_byte_is_changed_is_noticed(content: bytes, place: int, change: int) -> None:
    lock = lock_of({KEY: new_key()})
    assert isinstance(lock, Lock)
    locked = bytearray(lock.close(content, "a.wav"))
    assert lock.open(bytes(locked), "a.wav") == content
    place = len(HEAD) + place % (len(locked) - len(HEAD))
    locked[place] ^= change or 1
    with pytest.raises((Altered, WrongKey)):
        lock.open(bytes(locked), "a.wav")
    with pytest.raises((Altered, WrongKey)):
        lock.open(bytes(locked[: place or 1]), "a.wav")
