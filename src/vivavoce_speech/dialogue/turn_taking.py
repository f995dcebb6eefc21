"""Turn taking of a spoken dialogue: who speaks, who is listened to, who is interrupted.

What comes in is listened to all the time. Speech while the system speaks stops it. What was said until a
pause is recognised, and all hypotheses go to the system; its answer is spoken. A system that listens by
itself gets the sound instead, and one that speaks is played while its answer comes. Where nobody says
anything the caller is asked, and after some silence the dialogue ends.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import structlog

from vivavoce.audio.files import read_sound
from vivavoce.audio.recognition import Hypothesis, Recogniser, RecognitionError
from vivavoce.audio.sound import Samples, Sound
from vivavoce.audio.ssml import in_one
from vivavoce.audio.synthesis import Synthesiser, SynthesisError, reads_ssml
from vivavoce.audio.voice_activity import SpeechStream
from vivavoce.languages.data import Phrase, phrase
from vivavoce.log import events as log_events
from vivavoce.log.call_events import SilencePrompted, SpeechMissed
from vivavoce.log.playback_events import SoundDamaged, SoundPlayed, WordsPlayed
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.visits import Visit
from vivavoce_speech.dialogue.calls import Calls
from vivavoce_speech.dialogue.degradation_stream import DamageStream
from vivavoce_speech.dialogue.degraded_line import Answers
from vivavoce_speech.dialogue.playout import Playing
from vivavoce_speech.dialogue.playout_spans import HeardSpan, HeardSpans
from vivavoce_speech.dialogue.streaming_input import Overhearing

MARGIN_S = 0.25  # sound before and after speech that the recogniser gets too
WAIT_S = 20.0
Doing = Literal["hearing", "thinking", "listening"]

_report = structlog.get_logger("vivavoce.trial")


class Incoming(Protocol):
    """Input from the other end: a frame of `sound`, a `key`, or the `end`.

    at_s  where a frame ends, in seconds from the leg's first
    """

    @property
    def kind(self) -> str: ...
    @property
    def samples(self) -> Samples: ...
    @property
    def at_s(self) -> float: ...


class VoiceLeg(Protocol):
    """The person's end of a spoken dialogue: a telephone, a browser.

    play        after what is being played; a system's own sound comes in many short pieces, at the leg's rate
    waiting_s   seconds of sound that were given to it and not played yet
    spans       when what was played under a name was heard
    """

    @property
    def spans(self) -> HeardSpans: ...

    async def hear(self) -> Incoming: ...
    def play(self, sound: Sound, name: str = "") -> None: ...
    def stop_playing(self) -> bool: ...
    @property
    def waiting_s(self) -> float: ...
    @property
    def playing(self) -> bool: ...
    async def played(self) -> None: ...


@dataclass(frozen=True, slots=True)
class TurnTaking:
    """Limits for the end of a turn and for silence, and number of prompts after silence."""

    endpoint_s: float = 0.8
    no_input_s: float = 8.0
    no_input_prompts: int = 2


@dataclass(frozen=True, slots=True)
class _Speech:
    """A stretch of speech, in seconds from the opening of the dialogue."""

    sound: Sound
    onset_s: float
    offset_s: float
    barge_in: bool
    response_delay_s: float | None
    played_s: float | None
    overheard: bool


@dataclass(frozen=True, slots=True)
class _Uttered:
    """An item that the leg plays: a system turn, or words of the platform's own."""

    name: str
    turn_index: int | None = None
    words: str = ""
    playing: Playing | None = None

    def heard(self, dialogue_id: str, began_s: float, span: HeardSpan) -> SoundPlayed | WordsPlayed:
        """Log event of the playing."""
        facts: Any = {
            "dialogue_id": dialogue_id,
            "started_s": round(began_s + span.onset_s, 3),
            "played_s": round(span.duration_s, 3),
        }
        if self.turn_index is None:
            return WordsPlayed(words=self.words, **facts)
        return SoundPlayed(turn_index=self.turn_index, **facts)


class SpokenDialogue:
    """One dialogue from its first word to its end; `run` returns when it is over, for whatever reason.

    ends  the dialogue is over when the leg is, or after too much silence; else it waits for another leg
    told  learns what the participant is to be shown of what goes on
    recognise_for_log  what a system hears by itself is recognised as well, for the log alone
    answers  what becomes of the system's sound before the participant hears it; None: nothing
    began_s  when the first frame of the leg was, in seconds from the opening of the dialogue
    """

    def __init__(
        self,
        calls: Calls,
        visit_id: str,
        dialogue_id: str,
        after: int,
        leg: VoiceLeg,
        *,
        rate_hz: int,
        recogniser: Recogniser,
        synthesiser: Synthesiser,
        language: str,
        turn_taking: TurnTaking = TurnTaking(),
        ends: bool = True,
        told: Callable[[Doing], None] = lambda doing: None,
        recognise_for_log: bool = False,
        answers: Answers | None = None,
        began_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._calls, self._engine = calls, calls.engine
        self._visit_id, self._dialogue_id, self._after = visit_id, dialogue_id, after
        self._leg, self._rate_hz, self._language, self._turn_taking = leg, rate_hz, language, turn_taking
        self._recogniser, self._synthesiser = recogniser, synthesiser
        self._ends, self._told = ends, told
        self._said: asyncio.Queue[_Speech] = asyncio.Queue()
        self._settled = asyncio.Event()
        self._working = 0
        self._quiet_s, self._prompted = 0.0, 0
        self._fell_silent_s: float | None = None
        self._listens, self._recognise_for_log = False, recognise_for_log
        self._playing: Playing | None = None
        self._answers = answers or Answers(None, dialogue_id)
        self._visit: Visit | None = None
        self._asides: set[asyncio.Task[None]] = set()
        self._began_s = began_s
        self._uttered: list[_Uttered] = []
        self._utterances = 0

    async def run(self) -> None:
        """Talk until the system or the caller has enough, the limits are reached, or silence goes on."""
        visit = await self._engine.visit(self._visit_id)
        self._listens = await self._calls.listens(self._visit_id, self._dialogue_id)
        self._visit = visit
        visit.play = player = self._play_piece
        if visit.sounding is not None and (started := visit.sounding.so_far) is not None:
            player(started)
        tasks = [asyncio.create_task(work) for work in (self._listen(), self._follow(), self._understand())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            if visit.play == player:
                visit.play = None
            for task in tasks:
                task.cancel()
            self._note_heard(over=True)
            await asyncio.gather(*tasks, *self._asides, return_exceptions=True)
            if self._ends:
                with suppress(Stale, Refused):
                    await self._engine.end_dialogue(self._visit_id, self._dialogue_id)

    # --- the caller -----------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Cut what is heard into stretches of speech; ends with the call, or with too much silence."""
        stream = SpeechStream(self._rate_hz, pause_s=self._turn_taking.endpoint_s)
        frames: list[Samples] = []
        samples = forgotten = 0
        began_s = 0.0
        onset_s, barge_in, delay_s, played_s = 0.0, False, None, None
        overhearing: Overhearing | None = None
        while (incoming := await self._leg.hear()).kind != "end":
            if incoming.kind != "sound":
                continue
            frames.append(incoming.samples)
            samples += len(incoming.samples)
            now_s = samples / self._rate_hz
            # sound that waited for too long to be heard is in the recording, and not here
            began_s = self._began_s() + incoming.at_s - now_s
            self._note_heard()
            if overhearing is not None:
                overhearing.hear([incoming.samples])
            for change in stream.feed(incoming.samples):
                if change.kind == "began":
                    onset_s, (barge_in, played_s) = change.at_s, self._interrupt()
                    fell = self._fell_silent_s
                    delay_s = None if fell is None or barge_in else max(0.0, onset_s - fell)
                    self._told("hearing")
                    if (overhearing := self._overhearing()) is not None:
                        overhearing.hear(frames[max(0, self._frame_at(onset_s, frames[0]) - forgotten) :])
                else:
                    if overhearing is not None:
                        overhearing.hear([], last=True)
                    overheard, overhearing = overhearing is not None and overhearing.whole, None
                    sound = self._cut(frames, forgotten, onset_s, change.at_s)
                    self._working += 1
                    self._told("thinking")
                    self._said.put_nowait(
                        _Speech(
                            sound,
                            began_s + onset_s,
                            began_s + change.at_s,
                            barge_in,
                            delay_s,
                            played_s,
                            overheard,
                        )
                    )
                    forgotten += len(frames)
                    frames.clear()
            if not stream.speaking and len(frames) > 400:
                forgotten += 200
                del frames[:200]
            passed_s = len(incoming.samples) / self._rate_hz
            if await self._too_quiet(stream.speaking, passed_s, now_s, began_s):
                return

    def _overhearing(self) -> Overhearing | None:
        """The way of this turn to a system that hears it while it is spoken, and owes no answer just now."""
        visit = self._visit
        if visit is None or not self._listens or self._working or not self._settled.is_set():
            return None
        return self._calls.turns.overhearing(visit, self._dialogue_id, self._rate_hz)

    def _frame_at(self, at_s: float, frame: Samples) -> int:
        """The number of the frame a margin before a moment."""
        return max(0, round((at_s - MARGIN_S) * self._rate_hz / len(frame)))

    def _interrupt(self) -> tuple[bool, float | None]:
        """Stop what is being played; whether anything was, and the seconds heard of the system's turn."""
        playing = self._playing
        if playing is None:
            return self._leg.stop_playing(), None
        cut, heard_s = playing.hush()
        if cut and playing.own_voice:
            telling = self._calls.turns.interrupt(self._visit_id, self._dialogue_id, heard_s)
            self._aside(telling)
        return cut, heard_s if cut else None

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for before the dialogue is over."""
        task = asyncio.create_task(work)
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)

    def _cut(self, frames: list[Samples], forgotten: int, onset_s: float, offset_s: float) -> Sound:
        samples = np.concatenate(frames)
        start = forgotten * len(frames[0]) / self._rate_hz
        first = max(0, round((onset_s - MARGIN_S - start) * self._rate_hz))
        last = max(first, round((offset_s + MARGIN_S - start) * self._rate_hz))
        return Sound(samples[first:last], self._rate_hz)

    async def _too_quiet(self, speaking: bool, passed_s: float, now_s: float, began_s: float) -> bool:
        """Count silence in which it is the caller's turn; ask, and at last give up."""
        if self._leg.playing:
            self._fell_silent_s = None
        elif self._fell_silent_s is None:
            self._fell_silent_s = now_s
        if speaking or self._leg.playing or self._working or not self._settled.is_set():
            self._quiet_s = 0.0
            self._prompted = 0 if speaking else self._prompted
            return False
        self._quiet_s += passed_s
        if self._quiet_s < self._turn_taking.no_input_s:
            return False
        if self._prompted >= self._turn_taking.no_input_prompts:
            return self._ends
        self._prompted, self._quiet_s = self._prompted + 1, 0.0
        event = SilencePrompted(dialogue_id=self._dialogue_id, at_s=round(began_s + now_s, 2))
        await self._calls.note(self._visit_id, event)
        await self._speak("still_there")
        return False

    async def _understand(self) -> None:
        """Recognise one stretch of speech after the other, and hand it to the system when that may listen."""
        while True:
            speech = await self._said.get()
            try:
                await self._take(speech)
            finally:
                self._working -= 1
                if self._settled.is_set() and not self._working:
                    self._told("listening")

    async def _take(self, speech: _Speech) -> None:
        if self._listens:
            turn_index = await self._say(speech, (), speech.sound)
            if self._recognise_for_log and turn_index is not None:
                self._aside(self._note_recognised(turn_index, speech.sound))
            return
        hypotheses, reason = await self._recognise(speech.sound)
        if not hypotheses:
            event = SpeechMissed(
                dialogue_id=self._dialogue_id,
                onset_s=round(speech.onset_s, 3),
                offset_s=round(speech.offset_s, 3),
                reason=reason,
            )
            await self._calls.note(self._visit_id, event)
            await self._speak("not_heard")
            return
        await self._say(speech, hypotheses)

    async def _recognise(self, sound: Sound) -> tuple[tuple[Hypothesis, ...], str]:
        """Recognise the sound; on failure, the reason."""
        try:
            hypotheses = await self._recogniser.recognise(sound, language=self._language)
        except RecognitionError as error:
            _report.warning("recogniser_failed", error=str(error))
            return (), "recogniser_failed"
        return tuple(hypothesis for hypothesis in hypotheses if hypothesis.text.strip()), ""

    async def _note_recognised(self, turn_index: int, sound: Sound) -> None:
        hypotheses, _ = await self._recognise(sound)
        await self._calls.turns.note_recognised(self._visit_id, self._dialogue_id, turn_index, hypotheses)

    async def _say(
        self, speech: _Speech, hypotheses: tuple[Hypothesis, ...], sound: Sound | None = None
    ) -> int | None:
        """Hand a turn to the system when that may listen; its index, None where the dialogue is over."""
        while True:
            await self._settled.wait()
            try:
                return await self._calls.say(
                    self._visit_id,
                    self._dialogue_id,
                    hypotheses,
                    barge_in=speech.barge_in,
                    response_delay_s=speech.response_delay_s,
                    sound=sound,
                    played_s=speech.played_s,
                    overheard=speech.overheard,
                    onset_s=round(speech.onset_s, 3),
                    offset_s=round(speech.offset_s, 3),
                )
            except Refused as refusal:
                if refusal.reason != "busy":
                    return None
                self._settled.clear()

    # --- the system -----------------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Speak what the system answers; ends when the dialogue has ended and everything was played."""
        while True:
            for stored in await self._engine.updates(self._visit_id, self._after, WAIT_S):
                self._after = stored.seq
                event = stored.event
                if getattr(event, "dialogue_id", None) != self._dialogue_id:
                    continue
                if isinstance(event, log_events.UserTurnSent):
                    self._settled.clear()
                    self._told("thinking")
                elif isinstance(event, log_events.SystemTurnReceived):
                    await self._let_hear(stored.seq, event)
                    self._settle()
                elif isinstance(event, log_events.SystemTurnFailed):
                    await self._speak("trouble")
                    self._settle()
                elif isinstance(event, log_events.NoAnswer):
                    self._settle()
                elif isinstance(event, log_events.DialogueEnded):
                    await self._leg.played()
                    return

    def _settle(self) -> None:
        self._settled.set()
        self._told("listening")

    def _play_piece(self, sound: Sound) -> None:
        """A piece of the answer that is coming; the first one begins it."""
        if self._playing is None or self._playing.finished:
            turns = self._visit.state.dialogue_by_id(self._dialogue_id).turns if self._visit else ()
            damage = self._answers.stream(len(turns), self._rate_hz)
            self._playing = self._utter(len(turns), own_voice=True, damage=damage)
        self._playing.feed(sound)

    async def _let_hear(self, seq: int, turn: log_events.SystemTurnReceived) -> None:
        """A system turn that is complete: what was not played while it came is played or spoken now."""
        if self._playing is not None and not self._playing.finished:
            self._playing.finish()
            if self._playing.damage is not None:
                self._note(self._answers.streamed(turn.turn_index, self._playing.damage))
            return
        sound = await self._calls.turns.spoken_by_system(self._visit_id, seq) if turn.sound else None
        full_sound = await asyncio.to_thread(read_sound, sound) if sound is not None else None
        if (
            full_sound is None
            and (
                full_sound := await self._synthesised(spoken_text(turn, marked=reads_ssml(self._synthesiser)))
            )
            is None
        ):
            return
        full_sound, damaged = await self._answers.heard(full_sound, turn.turn_index)
        self._playing = self._utter(turn.turn_index, own_voice=sound is not None)
        self._playing.feed(full_sound, last=True)
        if damaged is not None:
            self._note(damaged)

    def _note(self, damaged: SoundDamaged) -> None:
        self._aside(self._calls.note(self._visit_id, damaged))

    def _utter(self, turn_index: int, *, own_voice: bool, damage: DamageStream | None = None) -> Playing:
        """The way of a system's turn to the ear."""
        name = self._named()
        playing = Playing(self._leg, self._rate_hz, own_voice=own_voice, name=name, damage=damage)
        self._uttered.append(_Uttered(name, turn_index, playing=playing))
        return playing

    def _named(self) -> str:
        self._utterances += 1
        return f"{self._dialogue_id}/{self._utterances}"

    def _note_heard(self, *, over: bool = False) -> None:
        """Log when what was played to its end was heard; `over`: all that was heard of anything."""
        waiting: list[_Uttered] = []
        for utterance in self._uttered:
            if not over and (
                (utterance.playing is not None and not utterance.playing.over)
                or self._leg.spans.waits(utterance.name)
            ):
                waiting.append(utterance)
            elif (span := self._leg.spans.of(utterance.name)) is not None:
                event = utterance.heard(self._dialogue_id, self._began_s(), span)
                self._aside(self._calls.note(self._visit_id, event))
        self._uttered = waiting

    async def _speak(self, words: Phrase) -> None:
        """Words of the platform's own."""
        self._playing = None
        sound = await self._synthesised(phrase(words, self._language))
        if sound is not None:
            name = self._named()
            self._uttered.append(_Uttered(name, words=words))
            self._leg.play(sound, name)

    async def _synthesised(self, text: str) -> Sound | None:
        try:
            return await self._synthesiser.speak(text, language=self._language)
        except SynthesisError as error:
            _report.error("synthesiser_failed", error=str(error))
            return None


def spoken_text(turn: log_events.SystemTurnReceived, *, marked: bool = False) -> str:
    """Spoken text of a system turn: its messages, and the choices that a page would show as buttons.

    marked  as the system marked it up for a synthesiser (SSML), where it did
    """
    parts: list[tuple[str, str | None]] = []
    for message in turn.messages:
        parts.append((message.text, message.ssml if marked else None))
        titles = [choice.get("title", "") for choice in message.choices]
        parts += [(", ".join(title for title in titles if title), None)] if titles else []
    return in_one(parts)
