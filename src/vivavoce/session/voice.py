"""Dialogues by voice in the browser, turn by turn: people are recognised, what systems say is spoken."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Final

from vivavoce.audio.files import encode_sound, probe_sound, read_sound
from vivavoce.audio.recognition import Hypothesis, Recogniser
from vivavoce.audio.synthesis import Synthesiser
from vivavoce.connectors.speech import make_recogniser, make_synthesiser
from vivavoce.core.errors import InputError
from vivavoce.log import events as log_events
from vivavoce.log.recordings import Sound, folder_of
from vivavoce.log.store import Log, StoredEvent
from vivavoce.session.errors import Refused
from vivavoce.session.state import VisitState
from vivavoce.session.visits import Draft, Visit
from vivavoce.study.model import Study
from vivavoce.study.voice import Voice

LONGEST_TURN_S: Final = 60.0
MARGIN_S: Final = 2.0  # a page stops at the limit, give or take what its sound card had buffered
SPOKEN_KEPT: Final = 200
RATES: Final = range(8000, 192_001)

VisitOf = Callable[[str], Awaitable[Visit]]
Move = Callable[[Visit, Callable[[Draft], object]], Awaitable[list[StoredEvent]]]


class Voices:
    """The recognisers and synthesisers of a study, one a language, made when first needed."""

    def __init__(self, study: Study) -> None:
        self._study, self._settings = study, study.voice or Voice.model_validate({})
        self._listeners: dict[str, Recogniser] = {}
        self._speakers: dict[str, Synthesiser] = {}
        self._spoken: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def listener(self, language: str) -> Recogniser:
        """Who listens in this language. Raises InputError: it cannot be made."""
        if language not in self._listeners:
            raw = self._settings.listener(language)
            self._listeners[language] = make_recogniser(
                raw, folder=self._study.folder, place="voice recogniser"
            )
        return self._listeners[language]

    def speaker(self, language: str) -> Synthesiser:
        """Who speaks this language. Raises InputError: it cannot be made."""
        if language not in self._speakers:
            raw = self._settings.speaker(language)
            self._speakers[language] = make_synthesiser(
                raw, folder=self._study.folder, place="voice synthesiser"
            )
        return self._speakers[language]

    async def recognise(self, audio: bytes, language: str) -> tuple[Hypothesis, ...]:
        """What was said in a WAV file, best first; () where nothing was understood."""
        listener = self.listener(language)
        sound = await asyncio.to_thread(read_sound, audio)
        return await listener.recognise(sound, language=language)

    async def speak(self, text: str, language: str) -> bytes:
        """A text as a WAV file; the last ones are kept."""
        if (text, language) not in self._spoken:
            sound = await self.speaker(language).speak(text, language=language)
            self._spoken[text, language] = await asyncio.to_thread(encode_sound, sound)
            while len(self._spoken) > SPOKEN_KEPT:
                self._spoken.popitem(last=False)
        return self._spoken[text, language]

    async def close(self) -> None:
        """Free what the recognisers and synthesisers hold."""
        for one in (*self._listeners.values(), *self._speakers.values()):
            await one.close()


def _take(audio: bytes) -> Sound:
    """What the header of a take says. Raises Refused: `bad_audio`, `empty`, `too_long`."""
    try:
        facts = probe_sound(audio)
    except InputError as error:
        raise Refused("bad_audio", error.problem) from None
    if facts.format != "WAV" or facts.channels != 1 or facts.rate_hz not in RATES:
        raise Refused("bad_audio", f"{facts.format}, {facts.channels} channels, {facts.rate_hz} Hz")
    if not facts.frames:
        raise Refused("empty")
    if facts.duration_s > LONGEST_TURN_S + MARGIN_S:
        raise Refused("too_long", f"{facts.duration_s:.1f} of {LONGEST_TURN_S:.0f} s")
    return Sound("audio/wav", 1, facts.rate_hz, facts.frames)


class VoiceTurns:
    """Stores what was said in a dialogue by voice, each turn a recording."""

    def __init__(self, visit_of: VisitOf, move: Move, log: Log) -> None:
        self._visit_of, self._move, self.log = visit_of, move, log

    async def keep(self, visit_id: str, dialogue_id: str, *, key: str, audio: bytes) -> None:
        """Put the sound of the next user turn on disk; the same key again writes nothing.

        Raises  Refused: `not_running`, `bad_audio`, `empty`, `too_long`
        """
        sound, mark = await asyncio.to_thread(_take, audio), f"sound-{key}"
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if any(stored.client_key == mark for stored in visit.events):
                return
            dialogue = visit.state.dialogue
            if dialogue is None or dialogue.dialogue_id != dialogue_id or not dialogue.running:
                raise Refused("not_running")
            recording_id = "recording-" + sha256(f"{visit_id} {key}".encode()).hexdigest()[:16]
            kept = await asyncio.to_thread(folder_of(self.log).keep, recording_id, audio, sound.media_type)
            event = kept.event(
                recording_id, sound, "turn", ["user"], step=visit.state.step, dialogue_id=dialogue_id,
                turn_index=len(dialogue.turns),
            )  # fmt: skip
            await self._move(visit, lambda draft: draft.add(event, client_key=mark))


def logged(hypotheses: tuple[Hypothesis, ...]) -> list[log_events.LoggedHypothesis]:
    """Hypotheses as a turn stores them."""
    return [
        log_events.LoggedHypothesis(text=one.text, score=one.confidence)
        for one in hypotheses
        if one.text.strip()
    ]


def words_of(state: VisitState, seq: int) -> str:
    """What the system said in the turn of this event. Raises LookupError: it is none of this dialogue."""
    for turn in state.dialogue.turns if state.dialogue else ():
        if turn.seq == seq and isinstance(turn.event, log_events.SystemTurnReceived):
            return " ".join(message.text for message in turn.event.messages if message.text)
    raise LookupError(f"no system turn {seq}")
