"""A dialogue with a system that is a telephone number: two calls, each heard in the other, nobody between.

Sound and keys of each end go to the other as they come. No recogniser stands in the way, so the log knows who
spoke when, and no words. Whoever hangs up ends the dialogue. A turn of the participant after which the system
speaks counts as answered: so a dialogue is told to be trivial, or to have reached its limit, without a word.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
import structlog

from vivavoce.audio.degradation import Values
from vivavoce.audio.files import StreamResampler
from vivavoce.audio.sound import Samples, Sound
from vivavoce.audio.voice_activity import SpeechStream
from vivavoce.connectors.base import CalledSystem
from vivavoce.core.clock import Clock
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.log import events as log_events
from vivavoce.log.call_events import SpeechHeard, SystemCalled
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.visits import Draft
from vivavoce_speech.dialogue.bridge_transcripts import Overheard
from vivavoce_speech.dialogue.calls import Calls
from vivavoce_speech.dialogue.turn_taking import VoiceLeg

TAPS: Final = 63
CUT: Final = 0.2375  # of the higher rate: 3800 Hz of 16 kHz
_AT: Final = np.arange(TAPS) - TAPS // 2
_SHAPE: Final = 2 * CUT * np.sinc(2 * CUT * _AT) * np.hamming(TAPS)
_LOW_PASS: Final = _SHAPE / _SHAPE.sum()


class ByTwo:
    """Changes the rate of one channel that comes piece by piece; `up` doubles it, else it is halved."""

    def __init__(self, *, up: bool) -> None:
        self._up = up
        self._before: Values = np.zeros(TAPS - 1)
        self._odd = 0

    def feed(self, samples: Samples) -> Samples:
        """The piece at the other rate."""
        values = samples.astype(np.float64)
        if self._up:
            values, narrow = np.zeros(2 * len(samples)), values
            values[::2] = 2 * narrow
        if not len(values):
            return np.zeros(0, np.int16)
        padded = np.concatenate([self._before, values])
        self._before = padded[len(padded) - (TAPS - 1) :]
        filtered = np.convolve(padded, _LOW_PASS, "valid")
        if not self._up:
            filtered, self._odd = filtered[self._odd :: 2], (self._odd + len(filtered)) % 2
        return np.clip(np.rint(filtered), -32768, 32767).astype(np.int16)


PAUSE_S: Final = 0.6
WAIT_S: Final = 20.0

Party = Literal["user", "system"]
Ended = Literal["user", "system", "elsewhere", "not_reached"]


class Lag(NamedTuple):
    """Seconds of sound that may wait to be heard: what is more is caught up with in the next silence; what is
    more than the longest is left out."""

    usual_s: float = 0.06
    longest_s: float = 0.4


CALL_LAG: Final = Lag()

_report = structlog.get_logger("vivavoce.trial")


class LineLeg(VoiceLeg, Protocol):
    """The system's end: a call that we made."""

    @property
    def call_id(self) -> str: ...
    def press(self, keys: str) -> None: ...
    async def hang_up(self) -> None: ...


class _Pieces:
    """One's sound at the other's rate, in whole frames of 20 ms, for legs fill up what is less."""

    def __init__(self, rate_hz: int, other_hz: int) -> None:
        by_two = rate_hz in (2 * other_hz, other_hz / 2)
        self._change = ByTwo(up=rate_hz < other_hz) if by_two else StreamResampler(rate_hz, other_hz)
        self._frame = other_hz // 50
        self._rest: Samples = np.zeros(0, np.int16)

    def feed(self, samples: Samples) -> Samples:
        ready = np.concatenate([self._rest, self._change.feed(samples)])
        ready_length = len(ready) // self._frame * self._frame
        self._rest = ready[ready_length:]
        return ready[:ready_length]


class BridgedDialogue:
    """One dialogue from the ringing at the system's to its end; `run` says who ended it.

    rate_hz    of the participant's leg; system_rate_hz: of the system's
    overheard  gets what the participant says, for who reads it afterwards; None: nobody does
    lag        of what the participant hears
    left_as    why the dialogue ended, where the participant's leg did
    answered   learns that the system answered the call
    """

    def __init__(
        self,
        calls: Calls,
        visit_id: str,
        dialogue_id: str,
        after: int,
        leg: VoiceLeg,
        phone: CalledSystem,
        *,
        rate_hz: int,
        system_rate_hz: int = 8000,
        overheard: Overheard | None = None,
        lag: Lag = CALL_LAG,
        left_as: Callable[[], log_events.EndReason] = lambda: "user",
        answered: Callable[[], None] = lambda: None,
    ) -> None:
        self._calls, self._engine = calls, calls.engine
        self._visit_id, self._dialogue_id, self._after = visit_id, dialogue_id, after
        self._leg, self._phone, self._overheard = leg, phone, overheard
        self._rates: dict[Party, int] = {"user": rate_hz, "system": system_rate_hz}
        self._lags: dict[Party, Lag] = {"user": lag, "system": CALL_LAG}
        self._left_as, self._answered = left_as, answered
        self._spoken: asyncio.Queue[SpeechHeard] = asyncio.Queue()
        self._clock: Clock = self._engine.clock
        self._early = ""  # keys that were pressed while it rang

    async def run(self) -> Ended:
        """Call the system and let the two talk until one hangs up or the dialogue is ended elsewhere."""
        following = asyncio.create_task(self._follow())
        answered = asyncio.create_task(self._called())
        gone = asyncio.create_task(self._until_gone(answered))
        try:
            await asyncio.wait((answered, following, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (answered, gone):
                task.cancel()
        (system, _) = await asyncio.gather(answered, gone, return_exceptions=True)
        if isinstance(system, asyncio.CancelledError):
            return await self._over("elsewhere" if following.done() else "user", following)
        if isinstance(system, SystemUnderTestError):
            return await self._not_reached(system, following)
        if isinstance(system, BaseException):
            following.cancel()
            raise system
        try:
            end_reason = await self._talk(system, following)
        finally:
            await system.hang_up()
        return await self._over(end_reason, following)

    # --- the system's telephone -----------------------------------------------------------------------

    async def _called(self) -> LineLeg:
        """The system's leg. Raises SystemUnderTestError."""
        began_s = self._clock.monotonic_s()
        leg: LineLeg = await self._phone.call()
        rang_s = round(self._clock.monotonic_s() - began_s, 2)
        event = SystemCalled(dialogue_id=self._dialogue_id, call_id=leg.call_id, rang_s=rang_s)
        try:
            await self._calls.note(self._visit_id, event)
        except BaseException:
            await leg.hang_up()
            raise
        return leg

    async def _until_gone(self, answered: asyncio.Task[LineLeg]) -> None:
        """Until the participant hangs up while it still rings; what they say then is said to nobody."""
        while not answered.done() and (incoming := await self._leg.hear()).kind != "end":
            self._early += getattr(incoming, "key", "")

    async def _not_reached(self, error: SystemUnderTestError, following: asyncio.Task[None]) -> Ended:
        following.cancel()
        _report.warning("system_not_reached", failure=error.failure, detail=error.detail)
        failed = log_events.SystemTurnFailed(
            dialogue_id=self._dialogue_id,
            reply_to=None,
            failure=error.failure,
            detail=error.detail,
            partial="",
            wire=None,
        )
        await self._end("failure", failed)
        return "not_reached"

    # --- the conversation -----------------------------------------------------------------------------

    async def _talk(self, system: LineLeg, following: asyncio.Task[None]) -> Ended:
        """Carry sound and keys between the two; who hung up."""
        opened_s = await self._elapsed_s()
        self._answered()
        system.press(self._early)
        if self._overheard is not None:
            self._overheard.began_s = opened_s
        directions = {
            asyncio.create_task(self._carry("user", self._leg, system, opened_s)): "user",
            asyncio.create_task(self._carry("system", system, self._leg, opened_s)): "system",
        }
        logging = asyncio.create_task(self._log())
        tasks = {*directions, following, logging}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            first = next((directions[task] for task in directions if task in done), None)
            return "elsewhere" if first is None else "user" if first == "user" else "system"
        finally:
            for task in directions:
                task.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            await self._spoken.join()
            logging.cancel()
            await asyncio.gather(logging, return_exceptions=True)

    async def _carry(self, party: Party, source: VoiceLeg, sink: VoiceLeg, opened_s: float) -> None:
        """Carry one party's sound to the other; ends with the speaker's call."""
        other_party: Party = "system" if party == "user" else "user"
        rate_hz, other_hz, lag = self._rates[party], self._rates[other_party], self._lags[other_party]
        stream = SpeechStream(rate_hz, pause_s=PAUSE_S)
        pieces = _Pieces(rate_hz, other_hz)
        heard_s, onset_s = 0.0, None
        try:
            while (incoming := await source.hear()).kind != "end":
                if incoming.kind == "key" and (press := getattr(sink, "press", None)) is not None:
                    press(getattr(incoming, "key", ""))
                if incoming.kind != "sound":
                    continue
                samples = pieces.feed(incoming.samples)
                if len(samples) and sink.waiting_s <= (lag.longest_s if stream.speaking else lag.usual_s):
                    sink.play(Sound(samples, other_hz))
                if self._overheard is not None and party == "user":
                    self._overheard.frames.append(incoming.samples)
                heard_s += len(incoming.samples) / rate_hz
                for change in stream.feed(incoming.samples):
                    if change.kind == "began":
                        onset_s = change.at_s
                    elif onset_s is not None:
                        self._note(party, opened_s + onset_s, opened_s + change.at_s)
                        onset_s = None
        finally:  # who hangs up in the middle of a word has said it
            if onset_s is not None:
                self._note(party, opened_s + onset_s, opened_s + max(onset_s, heard_s - stream.quiet_s))

    def _note(self, party: Party, onset_s: float, offset_s: float) -> None:
        event = SpeechHeard(
            dialogue_id=self._dialogue_id, party=party, onset_s=round(onset_s, 3), offset_s=round(offset_s, 3)
        )
        self._spoken.put_nowait(event)

    async def _log(self) -> None:
        """Write down who spoke, and end the dialogue when it has had as many turns as it may."""
        while True:
            event = await self._spoken.get()
            try:
                await self._write(event)
            finally:
                self._spoken.task_done()

    async def _write(self, event: SpeechHeard) -> None:
        visit = await self._engine.visit(self._visit_id)
        rules, elapsed_s = self._engine.rules, await self._elapsed_s()
        speech_heards: list[SpeechHeard] = []

        def heard(draft: Draft) -> None:
            if not draft.state.dialogue_by_id(self._dialogue_id).running:
                return
            draft.add(event)
            speech_heards.append(event)
            dialogue = draft.state.dialogue_by_id(self._dialogue_id)
            limit = rules.reached_limit(dialogue) if event.party == "system" else None
            if limit is not None:
                rules.end_dialogue(draft, dialogue, "limit", elapsed_s, limit)

        async with visit.lock:
            await self._engine.move(visit, heard)
        if self._overheard is not None:
            self._overheard.speech += speech_heards[-1:]

    async def _follow(self) -> None:
        """Until the dialogue is ended by a limit, on the page, or because nobody is there."""
        while True:
            for stored in await self._engine.updates(self._visit_id, self._after, WAIT_S):
                self._after = stored.seq
                event = stored.event
                if isinstance(event, log_events.DialogueEnded) and event.dialogue_id == self._dialogue_id:
                    return

    # --- the end --------------------------------------------------------------------------------------

    async def _over(self, end_reason: Ended, following: asyncio.Task[None]) -> Ended:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        if end_reason in ("user", "system"):
            await self._end(self._left_as() if end_reason == "user" else "system")
        return end_reason

    async def _end(self, reason: log_events.EndReason, *before: log_events.Event) -> None:
        visit = await self._engine.visit(self._visit_id)
        elapsed_s = await self._elapsed_s()

        def write(draft: Draft) -> None:
            dialogue = draft.state.dialogue_by_id(self._dialogue_id)
            if dialogue.running:
                for event in before:
                    draft.add(event)
                self._engine.rules.end_dialogue(draft, dialogue, reason, elapsed_s)

        with suppress(Stale, Refused):
            async with visit.lock:
                await self._engine.move(visit, write)

    async def _elapsed_s(self) -> float:
        state = (await self._engine.visit(self._visit_id)).state
        return self._engine.relay.elapsed_s(state.dialogue_by_id(self._dialogue_id))
