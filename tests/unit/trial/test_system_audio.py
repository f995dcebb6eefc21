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
