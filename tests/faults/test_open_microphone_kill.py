"""kill -9 of the service while somebody talks: what was on disk becomes a recording, the dialogue goes on."""

import asyncio
import re
import signal
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect

from scenes.browserless import dialogue_of, to_the_dialogue
from scenes.open_page import Page
from scenes.open_talking import talking_study
from scenes.patience import PATIENCE_S, eventually, eventually_there
from scenes.processes import free_port, process, wait_for_port
from vivavoce.audio.files import read_tracks
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.spool import TAPE
from vivavoce.log.store import Log
from vivavoce_speech.browser.browser_leg import FRAME

pytestmark = pytest.mark.long  # `make test-long` runs it; kills of the server stay in `make test`

SERVER = str(Path(__file__).with_name("server_process.py"))
ON_DISK, MORE = 300, 50  # frames that are waited for, and frames between them and the kill


class Talker:
    """A page that hums into its microphone: each frame another, so that one sees which of them are kept."""

    def __init__(self, base: str) -> None:
        self.base, self.cookies, self.dialogue, self.tab = base, "", "", ""

    async def begin(self) -> None:
        async with httpx.AsyncClient(base_url=self.base, follow_redirects=True, timeout=PATIENCE_S) as client:
            page = await to_the_dialogue(client)
            self.dialogue = dialogue_of(page)
            found = re.search(r'data-tab="(\w+)"', page.text)
            assert found is not None
            self.tab = found[1]
            self.cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[ClientConnection, Page]]:
        url = f"ws{self.base[4:]}/voice/microphone?dialogue_id={self.dialogue}&tab={self.tab}"
        headers = {"Cookie": self.cookies}
        async with connect(
            url, additional_headers=headers, proxy=None, open_timeout=PATIENCE_S, ping_timeout=PATIENCE_S
        ) as socket:
            page = Page()
            told = await socket.recv()
            assert isinstance(told, str) and '"hello"' in told
            taking = asyncio.create_task(self._take(socket, page))
            yield socket, page
            taking.cancel()

    async def _take(self, socket: ClientConnection, page: Page) -> None:
        async for message in socket:
            if isinstance(message, bytes):
                page.post_sound(struct.unpack("<I", message[:4])[0], message[4:])

    async def hum(self, socket: ClientConnection, page: Page, frames: int) -> None:
        for _ in range(frames):
            await socket.send(page.frame(np.full(FRAME, page.number + 1, np.int16)))


def tape_frames(folder: Path) -> int:
    """How many frames of the microphone are on disk."""
    tapes = list((folder / "recordings").glob(f"*{TAPE}"))
    return max((path.stat().st_size // (4 * FRAME) for path in tapes), default=0)


async def talk_and_be_killed(talker: Talker, folder: Path, kill) -> None:
    async with talker.connected() as (socket, page):
        await eventually_there(lambda: page.waiting.size > 0, "the program never spoke")
        await talker.hum(socket, page, ON_DISK)
        await asyncio.to_thread(eventually, lambda: tape_frames(folder) >= ON_DISK, "nothing on disk")
        await talker.hum(socket, page, MORE)
        kill()


def kept(log: Log) -> list:
    (visit,) = log.visits("talks")
    return [one.event for one in log.events(visit.visit_id) if one.event.kind == "recording_stored"]


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.long)])
def test_what_was_on_disk_when_the_service_was_killed_is_a_recording_at_the_next_start(
    tmp_path: Path, kills: int
) -> None:
    port = free_port()
    talker = Talker(f"http://127.0.0.1:{port}")
    with talking_study(tmp_path / "study") as folder:
        log_url = f"sqlite:///{folder / 'log.sqlite'}"
        for kill in range(kills + 1):
            with process(SERVER, str(folder / "study.yaml"), log_url, str(port)) as server:
                wait_for_port(port, server)
                if not kill:
                    asyncio.run(talker.begin())
                if kill < kills:
                    asyncio.run(
                        talk_and_be_killed(talker, folder, lambda one=server: one.send_signal(signal.SIGKILL))
                    )
                server.send_signal(signal.SIGTERM)
                server.wait(PATIENCE_S)
        with Log.open(log_url) as log:
            recordings = kept(log)
            assert len(recordings) == kills
            for event in recordings:
                samples = read_tracks(folder_of(log).file(event.file)).samples
                frames = len(samples) // FRAME
                assert ON_DISK <= frames <= ON_DISK + MORE
                assert samples[::FRAME, 1].tolist() == list(range(1, frames + 1)), (
                    "what was said is not as said"
                )
                assert np.abs(samples[:, 0]).max() > 1000, "the greeting was not recorded"
            began = [event.started_s for event in recordings]
            assert began == sorted(began)
            assert check_recordings(log, content=True).lines() == []
