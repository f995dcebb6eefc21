"""kill -9 of the service while a system speaks: the turn is there once, and what was heard is on disk."""

import asyncio
import re
import signal
from pathlib import Path

import httpx
import numpy as np
import pytest

from scenes.browserless import into_chat, patiently
from scenes.counterparts import Counterparts
from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port, process, wait_for_port
from scenes.speaking import SPEECH
from vivavoce.audio.files import encode_sound, read_sound
from vivavoce.log.recordings import UNFINISHED, check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.study.scaffold import write_study

SERVER = str(Path(__file__).with_name("server_process.py"))
MODEL = "model: long, speech: true"
HEARD_BYTES = 50_000  # a second of the answer


def study_of(folder: Path, url: str) -> Path:
    """The scaffold by voice, its systems a model that speaks without end."""
    write_study(folder, "cambridge-2011", name="speaks")
    file = folder / "study.yaml"
    text = file.read_text("utf-8").replace("generate: 200", "generate: 20")
    start = text.index("systems:")
    systems = "".join(
        f'  {name}: {{connect: openai-realtime, url: "{url}", allow_private: true, {MODEL}}}\n'
        for name in ("nbest", "onebest")
    )
    text = f"{text[:start]}systems:\n{systems}{text[text.index(chr(10) * 2, start) :]}"
    assert "gate: code" in text
    file.write_text(re.sub("gate: code", "gate: dialogue, channel: voice", text), encoding="utf-8")
    return file


def heard_on_disk(folder: Path) -> list[Path]:
    """The answers that are being spoken, as far as their sound is on disk."""
    found = (folder / "recordings").glob(f"*{UNFINISHED}")
    return [path for path in found if path.stat().st_size > HEARD_BYTES]


class Participant:
    """Walks to the dialogue and speaks once."""

    def __init__(self, base: str) -> None:
        self.base, self.cookies = base, httpx.Cookies()

    async def speak(self) -> None:
        async with httpx.AsyncClient(base_url=self.base, follow_redirects=True, timeout=PATIENCE_S) as client:
            dialogue = await into_chat(client)
            sound, query = encode_sound(SPEECH), {"dialogue_id": dialogue, "key": "the-only-turn"}
            told = await patiently(client.post, "/voice/turn", params=query, content=sound)
            assert told.status_code == 200, told.text
            self.cookies = client.cookies

    async def come_back(self) -> None:
        async with httpx.AsyncClient(base_url=self.base, cookies=self.cookies, timeout=PATIENCE_S) as client:
            assert (await patiently(client.get, "/visit")).status_code == 200


@pytest.mark.long
def test_a_kill_while_the_system_speaks_loses_no_turn_and_makes_none_double(tmp_path: Path) -> None:
    counterparts, port, folder = Counterparts(), free_port(), tmp_path / "study"
    url = f"ws://{counterparts.server('realtime_server.py')}/v1/realtime"
    file, log_url = study_of(folder, url), f"sqlite:///{folder / 'log.sqlite'}"
    participant = Participant(f"http://127.0.0.1:{port}")
    try:
        with process(SERVER, str(file), log_url, str(port)) as server:
            wait_for_port(port, server)
            asyncio.run(participant.speak())
            eventually(lambda: heard_on_disk(folder), "nothing of the answer is on disk")
            server.send_signal(signal.SIGKILL)
            server.wait(PATIENCE_S)
        with Log.open(log_url) as log:
            (left,) = check_recordings(log, content=True).unfinished
            heard = read_sound(folder_of(log).file(left))
        assert heard.duration_s > 0.9 and set(np.unique(heard.samples)) == {0x2000}
        with process(SERVER, str(file), log_url, str(port)) as server:
            wait_for_port(port, server)
            asyncio.run(participant.come_back())
            eventually(lambda: len(heard_on_disk(folder)) == 2, "the answer was not asked for again")
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE_S)
        with Log.open(log_url) as log:
            (visit,) = log.visits("speaks")
            kinds = [one.event.kind for one in log.events(visit.visit_id)]
            assert check_recordings(log, content=True).missing == []
        assert kinds.count("user_turn_sent") == 1
        assert kinds.count("recording_stored") == 1, "what was said, before anybody heard it"
        assert "system_turn_failed" not in kinds
    finally:
        counterparts.stop()
