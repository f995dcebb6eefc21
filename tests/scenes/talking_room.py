"""A visit in its dialogue by voice with an open microphone, whose page a test plays, on a time of its own."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np

from scenes.open_page import SILENCE, Page
from scenes.own_time import OwnClock, run_in_own_time
from scenes.patience import eventually_there
from scenes.visits import Parrot, make_study
from scenes.voices import voice
from scenes.whispering import Hummed, Whispered
from vivavoce.audio.files import pcm16, read_tracks
from vivavoce.log.recordings import folder_of
from vivavoce.log.spool import tapes_in
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.browser.browser_leg import FRAME_S
from vivavoce_speech.browser.open_microphone import Microphones
from vivavoce_speech.dialogue.voice_turns import Voices

SPEECH = pcm16(voice("Hello, this is a test of speech.", "rms"))
PAUSE = [SILENCE] * 60
MOST_FRAMES = 3000  # of silence, until what is waited for counts as never coming: a minute


class Room:
    """A visit in its dialogue by voice, the microphones of the service, and a page that a test plays."""

    def __init__(self, engine: SessionEngine, log: Log) -> None:
        self.engine, self.log = engine, log
        self.microphones = Microphones(engine, Voices(engine.study))
        self.visit_id = self.dialogue_id = ""
        self.page, self.talk = Page(), None
        self.system = engine.relay.connectors["one"]

    async def open_visit(self) -> None:
        self.visit_id = (await self.engine.open_visit(language="en")).visit_id
        await self.engine.give_consent(self.visit_id, 0, agreed=True, document="d")
        await self.engine.read_page(self.visit_id, 1)
        dialogue = (await self.engine.state(self.visit_id)).dialogue
        assert dialogue is not None
        self.dialogue_id = dialogue.dialogue_id

    async def connect(self) -> Page:
        self.page = Page()
        self.talk = await self.microphones.connect(self.visit_id, self.dialogue_id, self.page)
        return self.page

    async def hear(self, frames: list[np.ndarray]) -> None:
        """Speak into the microphone, at its own speed."""
        assert self.talk is not None
        for said in frames:
            await asyncio.sleep(FRAME_S)
            self.talk.leg.take(self.page.frame(said))

    async def hear_until(self, holds: Callable[[], bool], what: str) -> None:
        for _ in range(MOST_FRAMES):
            await self.hear([SILENCE])
            if holds():
                return
        raise AssertionError(what)

    async def spoken(self, texts: int) -> None:
        """Listen until the program has said so much and is silent again."""
        leg = self.talk.leg if self.talk else None
        assert leg is not None
        await self.hear_until(lambda: len(Hummed.texts) >= texts and not leg.playing, f"never said: {texts}")

    def drop(self) -> None:
        assert self.talk is not None
        self.talk.disconnect(self.page)

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]

    async def logged(self, kind: str, count: int = 1) -> list[Any]:
        async def there() -> bool:
            return len(self.events(kind)) >= count

        await eventually_there(there, f"{kind} was never logged")
        return self.events(kind)

    async def no_tape_left(self) -> None:
        async def none() -> bool:
            return not tapes_in(folder_of(self.log))

        await eventually_there(none, "the tape was not removed")

    def sound(self, recording: Any) -> np.ndarray:
        return read_tracks(folder_of(self.log).file(recording.file)).samples


def run(
    folder: Path,
    test: Callable[[Room], Awaitable[None]],
    of_study: dict[str, Any] | None = None,
    **settings: Any,
) -> None:
    Whispered.words, Hummed.texts = [], []
    step = DialogueStep(
        repeat=Range(min=1, max=1), gate="dialogue", channel="voice", nontrivial=Nontrivial(user_turns=1)
    )
    plain = make_study(folder)
    voiced = Voice(recogniser="whispered", synthesiser="hummed", microphone="open", **settings)
    study = make_study(folder, visit=(*plain.visit[:2], step), voice=voiced, **(of_study or {}))

    async def inside() -> None:
        clock = OwnClock()
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}", clock=clock) as log:
            parrot = Parrot()
            engine = SessionEngine(study, log, {"one": parrot, "two": parrot}, clock=clock)
            await engine.start()
            room = Room(engine, log)
            await room.microphones.start()
            try:
                if not log.visits("city"):
                    await room.open_visit()
                await test(room)
            finally:
                await room.microphones.stop()
                await engine.stop()

    run_in_own_time(inside())
