"""What a system speaks is on disk while it comes, and nothing but what was kept is left."""

import asyncio
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from vivavoce.connectors.base import Audio
from vivavoce.core.errors import LogError, SystemUnderTestError
from vivavoce.log.recordings import RecordingFolder
from vivavoce.trial.system_audio import SystemAudio

PIECE = Audio(bytes(320), 16_000)


def test_an_answer_that_is_cut_off_while_it_is_written_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, go_on, write = threading.Event(), threading.Event(), SystemAudio._write

    def slowly(self: SystemAudio, samples: bytes) -> None:
        written.set()
        go_on.wait(30)
        write(self, samples)

    monkeypatch.setattr(SystemAudio, "_write", slowly)
    folder = RecordingFolder(tmp_path / "recordings")

    async def work() -> None:
        answer = SystemAudio(folder)
        taking = asyncio.create_task(answer.take(PIECE))
        await asyncio.to_thread(written.wait, 30)
        taking.cancel()
        with suppress(asyncio.CancelledError):
            await taking
        closing = asyncio.create_task(answer.close())
        await asyncio.sleep(0)
        go_on.set()
        await closing

    asyncio.run(work())
    assert folder.names() == set()


def test_who_is_interrupted_twice_leaves_no_file_open(tmp_path: Path) -> None:
    folder, answers = RecordingFolder(tmp_path / "recordings"), []

    async def speak() -> None:
        answers.append(SystemAudio(folder))
        try:
            await answers[0].take(PIECE)
            await asyncio.Event().wait()
        finally:
            await answers[0].close()

    async def work() -> None:
        speaking = asyncio.create_task(speak())
        while not answers or not answers[0].heard:
            await asyncio.sleep(0.01)
        files.append(answers[0]._unfinished.file)
        speaking.cancel()
        await asyncio.sleep(0)  # it is at closing the file now
        speaking.cancel()
        with suppress(asyncio.CancelledError):
            await speaking

    files: list = []
    asyncio.run(work())
    assert files[0].closed and folder.names() == set()


def heard(*pieces: Audio, folder: Path) -> tuple[list[int] | None, int | None]:
    """The samples that somebody hears of pieces, and how many are kept."""

    async def work() -> tuple[list[int] | None, int | None]:
        answer = SystemAudio(RecordingFolder(folder))
        try:
            for piece in pieces:
                await answer.take(piece)
            so_far = answer.so_far
            assert answer.heard is (so_far is not None)
            kept = await answer.keep(dialogue_id="d", step=0, turn_index=0, started_s=0.0)
            return None if so_far is None else so_far.samples.tolist(), kept and kept.frames
        finally:
            await answer.close()

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("pieces", "samples"),
    [
        ((b"\1\0\2\0",), [1, 2]),
        ((b"\1\0\2", b"\0"), [1, 2]),  # a sample may come in two halves
        ((b"\1", b"\0", b"\2\0\3"), [1, 2]),
        ((b"\1",), None),
        ((b"", b""), None),
        ((), None),
    ],
)
def test_whole_samples_are_heard_and_kept(
    tmp_path: Path, pieces: tuple[bytes, ...], samples: list[int] | None
) -> None:
    found = heard(*(Audio(piece, 8_000) for piece in pieces), folder=tmp_path / "recordings")
    assert found == (samples, samples and len(samples))


@pytest.mark.parametrize(
    ("rates", "problem"),
    [
        ((4_000, 4_000), None),
        ((192_000,), None),
        ((3_999,), "its speech has 3999 samples per second$"),
        ((192_001,), "its speech has 192001 samples per second$"),
        ((8_000, 16_000), "its speech has 16000 samples per second, and had 8000"),
    ],
)
def test_speech_has_one_rate_that_is_one(tmp_path: Path, rates: tuple[int, ...], problem: str | None) -> None:
    pieces = [Audio(bytes(8), rate) for rate in rates]
    if problem is None:
        assert heard(*pieces, folder=tmp_path / "recordings")[1] == 4 * len(rates)
        return
    with pytest.raises(SystemUnderTestError, match=problem):
        heard(*pieces, folder=tmp_path / "recordings")


def test_a_turn_lasts_no_longer_than_the_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.trial.system_audio.LONGEST_S", 0.02)
    assert heard(PIECE, PIECE, folder=tmp_path / "recordings")[1] == 320, "two hundredths of a second"
    with pytest.raises(SystemUnderTestError, match="of speech in one turn"):
        heard(PIECE, PIECE, Audio(bytes(2), 16_000), folder=tmp_path / "recordings")


def test_what_was_heard_is_kept_as_soon_as_the_disk_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused, keep = list[float](), RecordingFolder.keep

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    def full(self: RecordingFolder, *facts: str) -> object:
        if len(paused) < 8:
            raise LogError("the disk is full")
        return keep(self, *facts)

    monkeypatch.setattr(asyncio, "sleep", pause)
    monkeypatch.setattr(RecordingFolder, "keep", full)
    assert heard(PIECE, folder=tmp_path / "recordings")[1] == 160
    assert paused == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
