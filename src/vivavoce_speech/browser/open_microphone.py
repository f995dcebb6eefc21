"""Dialogues by voice with an open microphone: who is talking, who was cut off, what is recorded.

A talk is one stretch of a dialogue in which its page has an open microphone. It outlives lost connections for
a minute; a page that comes back later, or after the service was restarted, begins another talk in the same
dialogue, and the last thing that the system said is said again. Each talk is recorded, a party a channel.
"""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.sound import Samples
from vivavoce.audio.synthesis import Synthesiser, SynthesisError
from vivavoce.connectors.base import CalledSystem, called_system
from vivavoce.core.errors import InputError, LogError
from vivavoce.languages.data import Phrase, phrase
from vivavoce.log.event import Event
from vivavoce.log.events import EndReason
from vivavoce.log.history import DialogueHistory
from vivavoce.log.microphone_events import (
    MicrophoneClosed,
    MicrophoneEnd,
    MicrophoneLost,
    MicrophoneOpened,
    MicrophoneStalled,
)
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.recordings import folder_of
from vivavoce.log.spool import SpooledRecording, TapeFacts, facts_of, sealed, tapes_in
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused
from vivavoce.trial.visits import Visit
from vivavoce_speech.browser.browser_leg import FRAME_S, LONGEST_GAP_S, RATE_HZ, BrowserConnection, BrowserLeg
from vivavoce_speech.dialogue.bridge import BridgedDialogue, Lag
from vivavoce_speech.dialogue.bridge_transcripts import Overheard, recognise_turns
from vivavoce_speech.dialogue.calls import Calls
from vivavoce_speech.dialogue.degraded_line import answers, ears
from vivavoce_speech.dialogue.turn_taking import SpokenDialogue, TurnTaking
from vivavoce_speech.dialogue.voice_turns import Voices

PAGE_LAG: Final = Lag(0.25, 0.8)  # a page tells of what it played one way through the network later

_report = structlog.get_logger("vivavoce.trial")


class BridgedPage:
    """One such dialogue; `run` returns when it is over.

    recogniser  reads the participant's turns afterwards, for the log alone; None: nobody does
    left_as     why the dialogue ended, where the page left it
    """

    def __init__(
        self,
        calls: Calls,
        visit_id: str,
        dialogue: DialogueHistory,
        after: int,
        leg: BrowserLeg,
        phone: CalledSystem,
        *,
        synthesiser: Synthesiser,
        recogniser: Recogniser | None,
        left_as: Callable[[], EndReason],
    ) -> None:
        self._calls, self._visit_id, self._dialogue, self._leg = calls, visit_id, dialogue, leg
        self._synthesiser, self._recogniser = synthesiser, recogniser
        self._overheard = Overheard(RATE_HZ) if recogniser is not None else None
        self._bridge = BridgedDialogue(
            calls,
            visit_id,
            dialogue.dialogue_id,
            after,
            leg,
            phone,
            rate_hz=RATE_HZ,
            overheard=self._overheard,
            lag=PAGE_LAG,
            left_as=left_as,
            answered=lambda: leg.tell("listening"),
        )

    async def run(self) -> None:
        """Ring, talk, and read the words afterwards where the study wants them."""
        self._leg.tell("thinking")
        await self._say("connecting")
        end_reason = await self._bridge.run()
        if end_reason == "not_reached":
            await self._say("nobody_there")
        else:
            self._leg.stop_playing()
        overheard, recogniser = self._overheard, self._recogniser
        if recogniser is not None and overheard is not None and overheard.speech:
            await recognise_turns(
                self._calls,
                self._visit_id,
                self._dialogue.dialogue_id,
                overheard,
                recogniser,
                self._dialogue.language,
            )

    async def _say(self, words: Phrase) -> None:
        language = self._dialogue.language
        try:
            self._leg.play(await self._synthesiser.speak(phrase(words, language), language=language))
        except SynthesisError as error:
            _report.error("synthesiser_failed", error=str(error))
            return
        await self._leg.played()


GONE_S: Final = LONGEST_GAP_S
WRITE_EVERY_S: Final = 1.0
STOP_S: Final = 10.0
SETTLE_S: Final = 0.3

_LEFT_AS: Final[dict[MicrophoneEnd, EndReason]] = {"gone": "abandoned", "stopped": "failure"}


class Talk:
    """One stretch of a dialogue with an open microphone; `reason` says why it ended, once somebody knows."""

    def __init__(
        self, engine: SessionEngine, visit_id: str, dialogue: DialogueHistory, pause_s: float
    ) -> None:
        self.visit_id, self.dialogue_id = visit_id, dialogue.dialogue_id
        self.recording_id = f"recording-{secrets.token_hex(8)}"
        self.leg = BrowserLeg(engine.clock, self._frame, settle_s=pause_s + SETTLE_S, on_gap=self._stall)
        self.noting: set[asyncio.Task[None]] = set()
        self.line: BrowserConnection | None = None
        self.tape: SpooledRecording | None = None
        self.reason: MicrophoneEnd | None = None
        self.task: asyncio.Task[None] | None = None
        self._engine, self._dialogue = engine, dialogue
        self._timers: list[asyncio.TimerHandle] = []

    def connect(self, line: BrowserConnection) -> float:
        """Go on with this connection; seconds that were lost since the last one."""
        if self.line is not None:
            self.disconnect(self.line)
        for timer in self._timers:
            timer.cancel()
        self.line = line
        return self.leg.attach(line)

    def disconnect(self, line: BrowserConnection) -> None:
        """The connection is gone; its page has a minute to come back."""
        if self.line is not line:
            return
        self.line = None
        self.leg.detach(line)
        loop = asyncio.get_running_loop()
        self._timers = [
            loop.call_later(self.leg.settle_s, self.leg.settle),
            loop.call_later(GONE_S, self.leave, "gone"),
        ]

    @property
    def began_s(self) -> float:
        """Time of its first frame, in seconds from the opening of the dialogue; 0 before there is one."""
        return self.tape.facts.started_s if self.tape is not None else 0.0

    def leave(self, reason: MicrophoneEnd) -> None:
        """End the talk, not the dialogue; the first reason counts."""
        self.reason = self.reason or reason
        self.leg.leave()

    def _frame(self, system: Samples, user: Samples) -> None:
        if self.tape is None:
            started_s = max(0.0, self._engine.relay.elapsed_s(self._dialogue) - FRAME_S)
            facts = TapeFacts(
                self.recording_id, self.visit_id, self.dialogue_id, RATE_HZ, round(started_s, 3)
            )
            self.tape = SpooledRecording(folder_of(self._engine.log), facts)
        self.tape.add(system, user)

    def _stall(self, at_s: float, lost_s: float) -> None:
        event = MicrophoneStalled(dialogue_id=self.dialogue_id, at_s=round(at_s, 2), lost_s=round(lost_s, 2))
        noting = asyncio.create_task(Calls(self._engine).note(self.visit_id, event))
        self.noting.add(noting)
        noting.add_done_callback(self.noting.discard)

    async def write(self) -> None:
        """Put what was recorded on disk, again and again."""
        while True:
            await asyncio.sleep(WRITE_EVERY_S)
            if self.tape is not None:
                try:
                    await asyncio.to_thread(self.tape.flush)
                except (LogError, InputError) as error:
                    _report.error("recording_not_written", recording=self.recording_id, error=str(error))


class Microphones:
    """The open microphones of one study's pages.

    Raises  InputError: a log without a folder for recordings
    """

    def __init__(self, engine: SessionEngine, voices: Voices) -> None:
        folder_of(engine.log)
        self._engine, self._voices, self._calls = engine, voices, Calls(engine)
        self._settings = engine.study.voice or Voice.model_validate({})
        self._talks: dict[str, Talk] = {}
        self._beginning = asyncio.Lock()

    async def start(self) -> None:
        """Make recordings of what a process that died has left."""
        for path in await asyncio.to_thread(tapes_in, folder_of(self._engine.log)):
            facts = facts_of(path)
            if facts is None:
                path.unlink(missing_ok=True)
                continue
            try:
                await self._seal(path, facts, "failure", None)
            except (Refused, LogError, InputError) as error:
                _report.error("recording_not_kept", recording=facts.recording_id, error=str(error))

    async def stop(self) -> None:
        """End every talk and keep what was recorded; the dialogues go on when the pages come back."""
        talks = list(self._talks.values())
        for talk in talks:
            talk.leave("stopped")
        tasks = [talk.task for talk in talks if talk.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def connect(self, visit_id: str, dialogue_id: str, line: BrowserConnection) -> Talk:
        """A page's connection for this dialogue; takes the place of another one of the same visit.

        Raises  Refused: `not_running`, or `full` while too many microphones are open
                InputError: the recogniser or synthesiser cannot be made
                LogError: nothing can be logged
        """
        async with self._beginning:
            talk = self._talks.get(visit_id)
            if talk is not None and (talk.reason is not None or talk.dialogue_id != dialogue_id):
                if talk.task is not None:
                    talk.leave("left")
                    await asyncio.wait([talk.task])
                talk = None
            if talk is None:
                talk = await self._begin(visit_id, dialogue_id)
        before = talk.line
        lost_s = talk.connect(line)
        if before is not None:
            before.post("superseded")
        if lost_s >= FRAME_S:
            at_s = round(talk.leg.broke_off_s, 2)
            event = MicrophoneLost(dialogue_id=dialogue_id, at_s=at_s, lost_s=round(lost_s, 2))
            await self._calls.note(visit_id, event)
        return talk

    async def _begin(self, visit_id: str, dialogue_id: str) -> Talk:
        visit = await self._engine.visit(visit_id)
        dialogue = visit.state.dialogue
        if dialogue is None or dialogue.dialogue_id != dialogue_id or not dialogue.running:
            raise Refused("not_running")
        if dialogue.channel != "voice":
            raise Refused("not_running", "not a voice dialogue")
        if len(self._talks) >= self._settings.max_concurrency:
            raise Refused("full", f"{len(self._talks)} microphones are already open")
        talk = Talk(self._engine, visit_id, dialogue, self._settings.pause_s)
        phone = called_system(self._engine.relay.connectors[dialogue.system])
        spoken = self._bridged(talk, dialogue, phone) if phone else self._spoken(talk, dialogue)
        lost_s = _unheard_s(visit, dialogue_id, self._engine.relay.elapsed_s(dialogue))
        event = MicrophoneOpened(
            dialogue_id=dialogue_id,
            recording_id=talk.recording_id,
            again=lost_s is not None,
            lost_s=round(lost_s or 0.0, 2),
        )
        await self._calls.note(visit_id, event)
        self._talks[visit_id] = talk
        talk.task = asyncio.create_task(self._hold(talk, spoken))
        return talk

    def _bridged(self, talk: Talk, dialogue: DialogueHistory, phone: CalledSystem) -> BridgedPage:
        """A dialogue with a system that is called."""
        language, for_log = dialogue.language, self._settings.recognise_for_log
        return BridgedPage(
            self._calls,
            talk.visit_id,
            dialogue,
            _heard_before(dialogue),
            talk.leg,
            phone,
            synthesiser=self._voices.speaker(language),
            recogniser=self._voices.listener(language) if for_log else None,
            left_as=lambda: _LEFT_AS.get(talk.reason or "left", "user"),
        )

    def _spoken(self, talk: Talk, dialogue: DialogueHistory) -> SpokenDialogue:
        return SpokenDialogue(
            self._calls,
            talk.visit_id,
            talk.dialogue_id,
            _heard_before(dialogue),
            talk.leg,
            rate_hz=RATE_HZ,
            recogniser=ears(self._voices.listener(dialogue.language), self._engine.study, dialogue),
            synthesiser=self._voices.speaker(dialogue.language),
            language=dialogue.language,
            ends=False,
            told=talk.leg.tell,
            recognise_for_log=self._settings.recognise_for_log,
            answers=answers(self._engine.study, dialogue),
            began_s=lambda: talk.began_s,
            turn_taking=TurnTaking(
                self._settings.pause_s, self._settings.silence_s, self._settings.silence_prompts
            ),
        )

    async def _hold(self, talk: Talk, spoken: SpokenDialogue | BridgedPage) -> None:
        writing = asyncio.create_task(talk.write())
        try:
            await spoken.run()
        except Exception as error:
            _report.exception("talk_failed", visit=talk.visit_id, error=repr(error))
            talk.leave("failure")
        finally:
            talk.leave("over")
            self._talks.pop(talk.visit_id, None)
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            if talk.line is not None:
                talk.line.post("over", reason=talk.reason)
        await asyncio.gather(*talk.noting, return_exceptions=True)
        try:
            await self._keep(talk)
        except Exception as error:  # the tape stays, and the next start makes a recording of it
            _report.exception("recording_not_kept", recording=talk.recording_id, error=repr(error))

    # --- what was recorded ----------------------------------------------------------------------------

    async def _keep(self, talk: Talk) -> None:
        reason = talk.reason or "over"
        if talk.tape is not None:
            await asyncio.to_thread(talk.tape.close)
            await self._seal(talk.tape.path, talk.tape.facts, reason, talk.leg.lost_s)
            return
        event = MicrophoneClosed(
            dialogue_id=talk.dialogue_id, recording_id=talk.recording_id, reason=reason, duration_s=0.0
        )
        await self._calls.note(talk.visit_id, event)

    async def _seal(self, path: Path, facts: TapeFacts, reason: MicrophoneEnd, lost_s: float | None) -> None:
        """Make a tape a recording of its visit, once; the sound of who takes part no more goes with it.

        lost_s  None: what the log knows of it
        """
        visit = await self._engine.visit(facts.visit_id)
        lost_s = _logged_loss_s(visit, facts.recording_id) if lost_s is None else lost_s
        recording_ids = [recording.recording_id for recording in visit.state.of(RecordingStored)]
        if facts.recording_id not in recording_ids and visit.state.outcome not in ("withdrew", "no_consent"):
            await self._store(visit, path, facts, reason, lost_s)
        with suppress(OSError):
            path.unlink()

    async def _store(
        self, visit: Visit, path: Path, facts: TapeFacts, reason: MicrophoneEnd, lost_s: float
    ) -> None:
        folder = folder_of(self._engine.log)
        sealed_sound = (
            await asyncio.to_thread(sealed, folder, path, facts) if path.exists() else None
        )  # else erased
        duration_s = sealed_sound[1].duration_s if sealed_sound else 0.0
        closed = MicrophoneClosed(
            dialogue_id=facts.dialogue_id,
            recording_id=facts.recording_id,
            reason=reason,
            duration_s=round(duration_s, 2),
            lost_s=round(lost_s, 2),
        )
        events: list[Event] = [closed]
        if sealed_sound is not None:
            kept_file, sound = sealed_sound
            stored = kept_file.event(
                facts.recording_id,
                sound,
                "dialogue",
                ["system", "user"],
                dialogue_id=facts.dialogue_id,
                started_s=facts.started_s,
            )
            events.insert(0, stored)
        async with visit.lock:
            if sealed_sound is not None and visit.state.outcome in ("withdrew", "no_consent"):
                await asyncio.to_thread(folder.remove, sealed_sound[0].file)
                return
            await self._engine.move(visit, lambda draft: [draft.add(event) for event in events])


def _heard_before(dialogue: DialogueHistory) -> int:
    """The number of the event before the last turn: a talk begins with that turn."""
    return dialogue.turns[-1].stored.seq - 1 if dialogue.turns else 0


def _logged_loss_s(visit: Visit, recording_id: str) -> float:
    """Seconds in which nothing was heard while this recording went on, as the log has them."""
    lost_s, within = 0.0, False
    for event in (stored.event for stored in visit.state.events):
        if isinstance(event, MicrophoneOpened):
            within = event.recording_id == recording_id
        elif within and isinstance(event, MicrophoneLost | MicrophoneStalled):
            lost_s += event.lost_s
    return lost_s


def _unheard_s(visit: Visit, dialogue_id: str, now_s: float) -> float | None:
    """Seconds since a microphone was last open in this dialogue; None where none was."""
    dialogue = visit.state.dialogue_by_id(dialogue_id)
    opened = {microphone.recording_id for microphone in dialogue.of(MicrophoneOpened)}
    if not opened:
        return None
    recordings = [recording for recording in dialogue.of(RecordingStored) if recording.recording_id in opened]
    ends = [(recording.started_s or 0.0) + recording.duration_s for recording in recordings]
    return max(0.0, now_s - max(ends)) if ends else 0.0
