"""A bot that marks its words up for a synthesiser (SSML) is called: its pause is heard, its marks are not."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from journey.test_telephone_systems import Laboratory
from scenes.patience import eventually
from scenes.processes import free_port
from scenes.telephones import baresip
from scenes.websites import running
from vivavoce.api.studies import make_connectors
from vivavoce.audio.files import read_tracks
from vivavoce.audio.sound import Sound
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.switchboard import Switchboard

pytestmark = pytest.mark.long
SAID = '<speak>The pool opens at nine. <break time="2s"/> It costs <emphasis>four</emphasis> pounds.</speak>'
BOT = f"""import sys
print({SAID!r}, flush=True)
for line in sys.stdin:
    print({SAID!r}, flush=True)
"""
STUDY = """study: calls
systems:
  pool: {{connect: stdio, command: {command}, plain: true, greets: true, idle_s: 0.5}}
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1, gate: code, channel: phone, nontrivial: {{user_turns: 1}}}}
telephone: {{number: "sip:{{pin}}@127.0.0.1:{port}", listen: "127.0.0.1:{port}", synthesiser: {synthesiser}}}
"""


def pauses_s(sound: Sound) -> list[float]:
    """How long it is silent between sounds, longer than a comma."""
    frame = sound.rate_hz // 50
    whole = sound.samples[: len(sound.samples) // frame * frame].reshape(-1, frame).astype(float)
    loud = np.flatnonzero(np.abs(whole).max(axis=1) > 300)
    return [gap / 50 for gap in np.diff(loud) if gap > 30]


@pytest.mark.parametrize(("synthesiser", "pause"), [("espeak-ng", True), ("flite", False)])
def test_the_caller_hears_the_pause_that_the_bot_asked_for_where_the_voice_reads_markup(
    tmp_path: Path, synthesiser: str, pause: bool
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "bot.py").write_text(BOT)
    (study / "consent.md").write_text("# Consent\n\nYour call is recorded.\n")
    command = json.dumps([sys.executable, str(study / "bot.py")])
    (study / "study.yaml").write_text(
        STUDY.format(command=command, port=free_port(), synthesiser=synthesiser)
    )
    loaded = load_study(study)
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        engine = SessionEngine(loaded, log, make_connectors(loaded))
        assert loaded.telephone is not None
        switchboard = Switchboard(engine, loaded.telephone)

        def speaks() -> bool:
            return any(leg.playing for leg in switchboard.answerer._calls.values())

        with (
            running(create_app(engine, lines={"phone": switchboard})) as pages,
            baresip(tmp_path / "caller", "5550101") as caller,
        ):
            lab = Laboratory(pages, engine, log)
            caller.dial(lab.number)
            eventually(lambda: lab.events("system_turn_received") and speaks(), "it did not speak")
            eventually(lambda: not speaks(), "it did not stop")
            caller.hang_up()
            eventually(lambda: lab.events("call_ended"), "the call was not ended")
            (turn, *_) = lab.events("system_turn_received")
            (kept,) = log.recordings()
            tracks = read_tracks(folder_of(log).file(kept.file))
    assert turn.messages[0].text == "The pool opens at nine. It costs four pounds."
    assert turn.messages[0].ssml == SAID
    theirs = pauses_s(tracks.channel(kept.speakers.index("system")))
    asked = [one for one in theirs if 1.7 <= one <= 2.6]
    assert (len(asked) == 1) is pause, theirs
