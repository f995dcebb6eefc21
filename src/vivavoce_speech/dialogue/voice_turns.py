"""Spoken turns: people are recognised, what systems say is spoken.

A system that listens by itself gets the sound, one that speaks is heard as it spoke.
"""

import asyncio
from collections import OrderedDict
from hashlib import sha256
from typing import Final

from vivavoce.audio.files import encode_sound, probe_sound, read_sound
from vivavoce.audio.recognition import Hypothesis, Recogniser
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.audio.ssml import in_one
from vivavoce.audio.synthesis import Synthesiser, reads_ssml
from vivavoce.audio.voice_activity import speech_intervals
from vivavoce.connectors.base import Interruptible
from vivavoce.core.errors import InputError
from vivavoce.log import events as log_events
from vivavoce.log.history import DialogueHistory
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.recordings import RecordedSound, folder_of
from vivavoce.study.model import Study
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import Visit
from vivavoce_speech.dialogue.degraded_line import damages, ears
from vivavoce_speech.dialogue.streaming_input import Overhearing, attentive

LONGEST_TURN_S: Final = 60.0
MARGIN_S: Final = 2.0  # a page stops at the limit, give or take what its sound card had buffered
SPOKEN_KEPT: Final = 200
RATES: Final = range(8000, 192_001)


class Voices:
    """The recognisers and synthesisers of a study, one a language, made when first needed."""

    def __init__(self, study: Study) -> None:
        self._study, self._settings = study, study.voice or Voice.model_validate({})
        self._listeners: dict[str, Recogniser] = {}
        self._speakers: dict[str, Synthesiser] = {}
        self._spoken: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def listener(self, language: str) -> Recogniser:
        """Recogniser of this language. Raises InputError: it cannot be made."""
        if language not in self._listeners:
            raw = self._settings.listener(language)
            self._listeners[language] = make_recogniser(
                raw, folder=self._study.folder, place="voice recogniser"
            )
        return self._listeners[language]

    def speaker(self, language: str) -> Synthesiser:
        """Synthesiser of this language. Raises InputError: it cannot be made."""
        if language not in self._speakers:
            raw = self._settings.speaker(language)
            self._speakers[language] = make_synthesiser(
                raw, folder=self._study.folder, place="voice synthesiser"
            )
        return self._speakers[language]

    async def recognise(
        self, audio: bytes, language: str, dialogue: DialogueHistory | None = None
    ) -> tuple[Hypothesis, ...]:
        """Recognise a WAV file, best first; () where nothing was understood."""
        listener = ears(self.listener(language), self._study, dialogue)
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

    async def say(self, state: VisitState, seq: int) -> bytes:
        """A system's turn as a WAV file. Raises LookupError: it is none of this dialogue."""
        marked = reads_ssml(self.speaker(state.language))
        return await self.speak(words_of(state, seq, marked=marked), state.language)

    async def close(self) -> None:
        """Free what the recognisers and synthesisers hold."""
        for engine in (*self._listeners.values(), *self._speakers.values()):
            await engine.close()


def _take(audio: bytes) -> RecordedSound:
    """Read the header of a take. Raises Refused: `bad_audio`, `empty`, `too_long`."""
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
    return RecordedSound("audio/wav", 1, facts.rate_hz, facts.frames)


class VoiceTurns:
    """Stores what was said in a dialogue by voice, each turn a recording."""

    def __init__(self, engine: SessionEngine) -> None:
        self._engine, self._relay = engine, engine.relay

    def listens(self, dialogue: DialogueHistory) -> bool:
        """True if this dialogue's system takes sound instead of words."""
        return self._relay.connectors[dialogue.system].capabilities.audio

    def overhearing(self, visit: Visit, dialogue_id: str, rate_hz: int) -> Overhearing | None:
        """Stream of the turn being spoken to its system; None without one."""
        dialogue = visit.state.dialogue
        if dialogue is None or dialogue.dialogue_id != dialogue_id or damages(self._engine.study, dialogue):
            return None
        stream = attentive(self._relay.connectors[dialogue.system], visit.conversation)
        return Overhearing(stream[0], rate_hz, stream[1]) if stream is not None else None

    async def interrupt(self, visit_id: str, dialogue_id: str, played_s: float) -> None:
        """Tell the system that somebody spoke into its answer, where it can be told."""
        visit = await self._engine.visit(visit_id)
        conversation, dialogue = visit.conversation, visit.state.dialogue
        if conversation is None or dialogue is None or dialogue.dialogue_id != dialogue_id:
            return
        connector = self._relay.connectors[dialogue.system]
        if isinstance(connector, Interruptible):
            await connector.interrupt(conversation, played_s)

    async def note_recognised(
        self, visit_id: str, dialogue_id: str, turn_index: int, heard: tuple[Hypothesis, ...]
    ) -> None:
        """Log what our recogniser made of a turn whose sound went to the system; once for each turn."""
        visit = await self._engine.visit(visit_id)
        event = log_events.TurnRecognised(dialogue_id=dialogue_id, turn_index=turn_index, heard=logged(heard))
        async with visit.lock:
            if event not in visit.state.of(log_events.TurnRecognised):
                await self._engine.move(visit, lambda draft: draft.add(event))

    async def spoken_by_system(self, visit_id: str, seq: int) -> bytes | None:
        """The recording of what the system spoke in the turn of this event; None where it only wrote.

        Raises  LookupError: no turn of this visit, or its recording is gone
        """
        state = (await self._engine.visit(visit_id)).state
        recording_id = system_turn(state, seq).sound
        if recording_id is None:
            return None
        path = folder_of(self._engine.log).file(state.recordings.get(recording_id, ""))
        return await asyncio.to_thread(path.read_bytes)

    async def keep(
        self, visit_id: str, dialogue_id: str, *, key: str, audio: bytes, started_s: float | None = None
    ) -> str:
        """Put the sound of the next user turn on disk; the same key again writes nothing.

        started_s  when it began after the opening of the dialogue, as the page has it; None: it does not know
        Output  the recording's key
        Raises  Refused: `not_running`, `bad_audio`, `empty`, `too_long`
        """
        sound, mark = await asyncio.to_thread(_take, audio), f"sound-{key}"
        recording_id = "recording-" + sha256(f"{visit_id} {key}".encode()).hexdigest()[:16]
        visit = await self._engine.visit(visit_id)
        async with visit.lock:
            if visit.state.with_key(mark) is not None:
                return recording_id
            dialogue = visit.state.dialogue
            if dialogue is None or dialogue.dialogue_id != dialogue_id or not dialogue.running:
                raise Refused("not_running")
            if started_s is not None:  # it is here already, so it ended before now
                ended_s = self._relay.elapsed_s(dialogue)
                started_s = round(max(0.0, min(started_s, ended_s - sound.duration_s)), 3)
            stored = await asyncio.to_thread(
                folder_of(self._engine.log).keep, recording_id, audio, sound.media_type
            )
            event = stored.event(
                recording_id,
                sound,
                "turn",
                ["user"],
                step=visit.state.step,
                dialogue_id=dialogue_id,
                turn_index=len(dialogue.turns),
                started_s=started_s,
            )
            await self._engine.move(visit, lambda draft: draft.add(event, client_key=mark))
        return recording_id

    async def spoken(self, visit_id: str, recording_id: str, audio: bytes) -> tuple[float, float] | None:
        """From when to when somebody speaks in a turn's recording.

        Output  seconds from the opening of the dialogue
        Empty   None: nobody knows when the recording began. No speech is found in it: all of it
        """
        visit = await self._engine.visit(visit_id)
        stored = visit.state.of(RecordingStored)
        began = [recording.started_s for recording in stored if recording.recording_id == recording_id]
        if not began or began[0] is None:
            return None
        sound = await asyncio.to_thread(read_sound, audio)
        speech = await asyncio.to_thread(speech_intervals, sound)
        onset_s, offset_s = (speech[0].onset_s, speech[-1].offset_s) if speech else (0.0, sound.duration_s)
        return round(began[0] + onset_s, 3), round(began[0] + offset_s, 3)


def logged(hypotheses: tuple[Hypothesis, ...]) -> list[log_events.LoggedHypothesis]:
    """Hypotheses as a turn stores them."""
    return [
        log_events.LoggedHypothesis(text=hypothesis.text, score=hypothesis.confidence)
        for hypothesis in hypotheses
        if hypothesis.text.strip()
    ]


def words_of(state: VisitState, seq: int, *, marked: bool = False) -> str:
    """System text in the turn of this event. Raises LookupError: it is none of this dialogue.

    marked  as the system marked it up for a synthesiser (SSML), where it did
    """
    messages = system_turn(state, seq).messages
    if marked and any(message.ssml for message in messages):
        return in_one([(message.text, message.ssml) for message in messages])
    return " ".join(message.text for message in messages if message.text)


def system_turn(state: VisitState, seq: int) -> log_events.SystemTurnReceived:
    """The system turn of this event. Raises LookupError: it is none of the dialogue that is going on."""
    for turn in state.dialogue.turns if state.dialogue else ():
        if turn.stored.seq == seq and isinstance(turn.event, log_events.SystemTurnReceived):
            return turn.event
    raise LookupError(f"system turn {seq} not found")
