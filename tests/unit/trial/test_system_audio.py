"""What a system speaks is on disk while it comes, and nothing but what was kept is left."""

import asyncio
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from vivavoce.connectors.base import Audio
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
