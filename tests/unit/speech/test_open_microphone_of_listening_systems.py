"""An open microphone before a system that listens and speaks by itself."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.open_page import SILENCE, Page, frames_of
from scenes.own_time import OwnClock, run_in_own_time
from scenes.patience import eventually_there
from scenes.speaking import SPEECH, Singer, loudness_at
from scenes.visits import make_study
from vivavoce.audio.files import read_tracks
from vivavoce.audio.sound import Sound
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.browser.browser_leg import FRAME_S
from vivavoce_speech.browser.open_microphone import Microphones
from vivavoce_speech.dialogue.voice_turns import Voices


def test_the_system_hears_the_open_microphone_and_is_heard_through_the_page(tmp_path: Path) -> None:
    step = DialogueStep(
        repeat=Range(min=1, max=1), gate="dialogue", channel="voice", nontrivial=Nontrivial(user_turns=1)
    )
    study = make_study(tmp_path, visit=(step,), voice=Voice(microphone="open"))
    system = Singer(rate_hz=24_000)

    async def inside() -> None:
        clock, page = OwnClock(), Page()
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock=clock) as log:
            engine = SessionEngine(study, log, {"one": system, "two": system}, clock=clock)  # type: ignore[dict-item]
            await engine.start()
            visit_id = (await engine.open_visit(language="en")).visit_id
            microphones = Microphones(engine, Voices(study))

            def events(kind: str) -> list[Any]:
                return [one.event for one in log.events(visit_id) if one.event.kind == kind]

            async def hear(frames: list[np.ndarray]) -> None:
                for said in frames:
                    await asyncio.sleep(FRAME_S)
                    talk.leg.take(page.frame(said))

            async def turns(count: int) -> None:
                for _ in range(3000):
                    await hear([SILENCE])
                    if len(events("system_turn_received")) >= count and not talk.leg.playing:
                        return
                raise AssertionError(f"no turn {count}")

            dialogue_id = (await engine.state(visit_id)).dialogues[-1].dialogue_id
            talk = await microphones.connect(visit_id, dialogue_id, page)
            await turns(1)
            await hear([*frames_of(SPEECH.samples), *[SILENCE] * 60])
            await turns(2)
            await hear([SILENCE] * 20)
            await engine.end_dialogue(visit_id, dialogue_id)
            await eventually_there(lambda: events("microphone_closed"), "the microphone stayed open")
            await microphones.stop()
            await engine.stop()
            (turn,) = system.sent
            assert turn.audio is not None and (turn.audio.rate_hz, turn.text) == (24_000, "")
            assert len(turn.audio.samples) / 48_000 == pytest.approx(SPEECH.duration_s + 0.5, abs=0.25)
            assert loudness_at(Sound(np.concatenate(page.played), 16_000), 440) == pytest.approx(
                0.6, abs=0.04
            )
            contents = sorted((one.content, *one.speakers) for one in events("recording_stored"))
            assert contents == [("dialogue", "system", "user"), ("turn", "system"), ("turn", "user")]
            (whole,) = [one for one in events("recording_stored") if one.content == "dialogue"]
            tracks = read_tracks(folder_of(log).file(whole.file))
            assert loudness_at(tracks.channel(0), 440) == pytest.approx(0.6, abs=0.04)
            assert check_recordings(log, content=True).lines() == []

    run_in_own_time(inside())
