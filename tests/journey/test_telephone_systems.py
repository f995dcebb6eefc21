"""A system that is a telephone number: a person calls, a telephone elsewhere rings, both are recorded."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port
from scenes.telephones import baresip
from scenes.voices import voice
from scenes.websites import Running, running
from vivavoce.api.studies import make_connectors
from vivavoce.audio.files import pcm16, read_tracks
from vivavoce.audio.sound import Sound, joined, silence
from vivavoce.cli.main import app
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.switchboard import Switchboard

CALLER_HZ, SYSTEM_HZ = 440, 1000
STUDY = """study: calls
systems:
  hotline: {{connect: phone, number: "{number}", keys: "5", connect_timeout_s: {patience}}}
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1, gate: code, channel: phone, nontrivial: {{user_turns: 1}}}}
telephone: {{number: "sip:{{pin}}@127.0.0.1:{port}", listen: "127.0.0.1:{port}", silence_s: 60}}
"""


def written(folder: Path, number: str, patience: float = PATIENCE_S) -> Path:
    folder.mkdir(parents=True)
    (folder / "consent.md").write_text("# Consent\n\nYour call is recorded.\n")
    file = folder / "study.yaml"
    file.write_text(STUDY.format(number=number, port=free_port(), patience=patience))
    return file


class Laboratory:
    """The study served, and a participant whose page shows a number."""

    def __init__(self, pages: Running, engine: SessionEngine, log: Log) -> None:
        self.pages, self.engine, self.log = pages, engine, log
        self.visit_id = pages.call(self._opened())

    async def _opened(self) -> str:
        visit_id = (await self.engine.open_visit(language="en")).visit_id
        await self.engine.give_consent(visit_id, 0, agreed=True, document="d")
        return visit_id

    @property
    def number(self) -> str:
        dialogue = self.pages.call(self.engine.state(self.visit_id)).dialogue
        telephone = self.engine.study.telephone
        assert dialogue is not None and telephone is not None
        return telephone.shown_number(dialogue.pin or "")

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]


@contextmanager
def laboratory(folder: Path, number: str) -> Iterator[Laboratory]:
    study = load_study(written(folder, number).parent)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, make_connectors(study))
        assert study.telephone is not None
        with running(create_app(engine, lines={"phone": Switchboard(engine, study.telephone)})) as pages:
            yield Laboratory(pages, engine, log)


def speech(text: str, name: str, hertz: int) -> Sound:
    """Words, then a tone by which a channel can be told from the other."""
    times = np.arange(8000) / 8000
    tone = Sound((9000 * np.sin(2 * np.pi * hertz * times)).astype(np.int16), 8000)
    return joined([Sound(pcm16(voice(text, name)), 16_000), silence(0.3, 8000), tone], 8000)


def share(sound: Sound, hertz: int) -> float:
    """The share of the energy within 10 Hz of a tone."""
    power = np.abs(np.fft.rfft(sound.samples.astype(float))) ** 2
    near = np.abs(np.fft.rfftfreq(len(sound.samples), 1 / sound.rate_hz) - hertz) < 10
    return float(power[near].sum() / max(power.sum(), 1.0))


def test_two_telephones_talk_over_us_each_on_its_own_channel_and_a_code_is_earned(tmp_path: Path) -> None:
    with (
        baresip(tmp_path / "system", "hotline", answers=True) as system,
        laboratory(tmp_path / "study", system.address) as lab,
        baresip(tmp_path / "caller", "5550101") as caller,
    ):
        caller.dial(lab.number)
        system.wait_until_called()
        assert system.wait_for_key() == "5", "the system was not given its own keys"
        caller.press("7")
        assert system.wait_for_key() == "7"
        caller.say(speech("I would like a table for two please.", "slt", CALLER_HZ))
        eventually(lambda: lab.events("speech_heard"), "the caller was not heard")
        system.say(speech("There is one at eight o'clock.", "rms", SYSTEM_HZ))
        eventually(lambda: len(lab.events("speech_heard")) > 1, "the system was not heard")
        eventually(lambda: share(caller.heard(), SYSTEM_HZ) > 0.02, "the caller did not hear the system")
        system.hang_up()
        eventually(lambda: lab.events("code_issued"), "there is no code")
        caller.hang_up()  # in the middle of the code: that it is spoken to its end is tested elsewhere
        eventually(lambda: lab.events("call_ended"), "the call was not ended")

        assert [one.party for one in lab.events("speech_heard")] == ["user", "system"]
        (ended,) = lab.events("dialogue_ended")
        assert ended.reason == "system"
        (issued,) = lab.events("code_issued")
        assert lab.pages.call(lab.engine.enter_code(lab.visit_id, issued.code)).accepted
        (kept,) = lab.log.recordings()
        tracks = read_tracks(folder_of(lab.log).file(kept.file))
        ours, theirs = (tracks.channel(kept.speakers.index(party)) for party in ("user", "system"))
        assert share(ours, CALLER_HZ) > 0.02 > 0.005 > share(ours, SYSTEM_HZ)
        assert share(theirs, SYSTEM_HZ) > 0.02 > 0.005 > share(theirs, CALLER_HZ)


def test_check_asks_the_number_without_ringing_and_says_when_nobody_is_there(tmp_path: Path) -> None:
    with baresip(tmp_path / "system", "hotline", answers=True) as system:
        there = CliRunner().invoke(app, ["check", str(written(tmp_path / "there", system.address)), "--json"])
    (told,) = json.loads(there.output)["systems"]
    assert told["ok"], told
    assert "SIP" in told["text"]
    nobody = f"sip:{secrets.token_hex(4)}@127.0.0.1:{free_port()}"
    away = CliRunner().invoke(app, ["check", str(written(tmp_path / "away", nobody, patience=2)), "--json"])
    (told,) = json.loads(away.output)["systems"]
    assert not told["ok"]
    assert "no answer" in told["problem"]
