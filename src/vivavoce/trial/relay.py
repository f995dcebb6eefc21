"""Carrying turns between a participant and the system under test.

A user turn is committed before the system sees it, a system turn before the participant sees it. What was
left unanswered by a crash is taken up again when the visit is next looked at: sent anew where the system
takes the same key only once or keeps no memory, else logged as interrupted, for it may have been heard. An
answer of which words were shown is interrupted in any case: nobody reads another one in its place.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import structlog

from vivavoce.audio.sound import Sound
from vivavoce.connectors.base import Connector, Conversation, Heard, PastTurn, SystemOutput, UserTurn
from vivavoce.core.clock import Clock
from vivavoce.core.errors import LogError, SystemUnderTestError
from vivavoce.log import events as log_events
from vivavoce.log.history import DialogueHistory, Turn
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log, StoredEvent
from vivavoce.trial.errors import Stale
from vivavoce.trial.outputs import SystemTurn, gather
from vivavoce.trial.streaming_answer import add_words, shown_in_pieces
from vivavoce.trial.system_audio import SystemAudio, as_heard, with_sound
from vivavoce.trial.visits import Draft, MoveRules, Visit, move

FAILURES_UNTIL_END = 3
LONGEST_TURN_S = 900.0
OPENING_PAUSE_S = 1.0

Work = Callable[[Visit, DialogueHistory], Awaitable[None]]

_report = structlog.get_logger("vivavoce.trial")


class Relay:
    """Answers what is unanswered in a visit, one turn at a time."""

    def __init__(self, log: Log, rules: MoveRules, connectors: Mapping[str, Connector], clock: Clock) -> None:
        self.log, self.rules, self.connectors, self.clock = log, rules, connectors, clock
        self._closing: set[asyncio.Task[None]] = set()
        self._suspended: set[str] = set()

    async def start(self) -> None:
        """Let systems that call us find us; one that cannot be listened to fails at its first turn."""
        for stored in self.log.trial_events():
            if isinstance(stored.event, log_events.SystemSuspended):
                self._suspended.add(stored.event.system)
            elif isinstance(stored.event, log_events.SystemRestored):
                self._suspended.discard(stored.event.system)
        turns = self.log.user_turns_by_system(self.rules.study.name)
        for system, connector in self.connectors.items():
            if (charge := getattr(connector, "charge", None)) is not None:
                charge(turns.get(system, 0))
            begin = getattr(connector, "start", None)
            try:
                if begin is not None:
                    await begin()
            except SystemUnderTestError as error:
                _report.error("system_cannot_reach_us", system=system, error=str(error))
            await self._note_suspension(system)

    def suspended(self) -> set[str]:
        """Systems that should get no new dialogue now."""
        return {
            name
            for name, connector in self.connectors.items()
            if getattr(connector, "resting", None) is not None
        }

    async def _note_suspension(self, system: str) -> None:
        """Say in the log that a system is left alone, or may be used again."""
        why = getattr(self.connectors.get(system), "resting", None)
        if (why is not None) == (system in self._suspended):
            return
        if why is not None:
            event: log_events.Event = log_events.SystemSuspended(system=system, reason=why)
            self._suspended.add(system)
        else:
            event = log_events.SystemRestored(system=system)
            self._suspended.discard(system)
        _report.warning(event.kind, system=system, reason=why)
        await self.log.transact(lambda tx: tx.append(log_events.TRIAL, event))

    def tend(self, visit: Visit) -> None:
        """Start the work that the visit's state calls for, unless it is under way."""
        if visit.task is not None and not visit.task.done():
            return
        dialogue = visit.state.dialogues[-1] if visit.state.phase == "chat" else None
        if dialogue is None or not dialogue.running or dialogue.awaits_call:
            return
        if dialogue.unanswered is not None:
            visit.task = asyncio.create_task(self._guarded(visit, self._answer, dialogue))
        elif not dialogue.greeted:
            visit.task = asyncio.create_task(self._guarded(visit, self._greet, dialogue))

    async def _guarded(self, visit: Visit, work: Work, dialogue: DialogueHistory) -> None:
        """Run one piece of work; a defect of ours must not leave the participant waiting for ever."""
        try:
            await work(visit, dialogue)
            await self._note_suspension(dialogue.system)
        except Exception as error:
            _report.exception("relay_failed", visit_id=visit.state.visit_id, error=repr(error))
            with suppress(Exception):
                await self._fail(visit, "internal", "internal error while relaying the turn")
            await asyncio.sleep(OPENING_PAUSE_S)
        visit.task = None
        self.tend(visit)

    def elapsed_s(self, dialogue: DialogueHistory) -> float:
        """Seconds since the dialogue was opened: monotonic, or by the wall clock after a restart."""
        opened = dialogue.opened
        if opened is None:
            return 0.0
        if opened.boot == self.log.boot:
            return self.clock.monotonic_s() - opened.monotonic_s
        return max(0.0, (self.clock.now() - opened.at).total_seconds())

    async def _greet(self, visit: Visit, dialogue: DialogueHistory) -> None:
        if dialogue.opened is None:
            await self._move(visit, lambda draft: draft.add(_opened(dialogue)))
        dialogue = visit.state.dialogue_by_id(dialogue.dialogue_id)
        connector = self.connectors[dialogue.system]
        visit.conversation = Conversation(dialogue.conversation, dialogue.language)
        sent_s = self.elapsed_s(dialogue)
        async with self._turn(visit, dialogue) as turn:
            for attempt in range(2):
                try:
                    await self._listen(connector.open(visit.conversation), dialogue, turn)
                    break
                except SystemUnderTestError as error:
                    if attempt or error.reached:
                        await self._fail(visit, error.failure, error.detail, turn, ends=True)
                        return
                    await asyncio.sleep(OPENING_PAUSE_S)
            if turn.silent and not turn.ends_dialogue:
                await self._keep_silence(visit, dialogue, turn, None)
                return
            await self._log_system_turn(visit, dialogue, turn, None, sent_s)

    @asynccontextmanager
    async def _turn(self, visit: Visit, dialogue: DialogueHistory) -> AsyncIterator[SystemTurn]:
        """A turn of the system's that begins; where the dialogue is spoken, its sound is kept and played."""
        turn = SystemTurn()
        if dialogue.spoken and self.log.recording_folder is not None:

            def play(sound: Sound) -> None:
                if visit.play:
                    visit.play(sound)

            visit.sounding = turn.sound = SystemAudio(folder_of(self.log), play)
        try:
            yield turn
        finally:
            visit.sounding = None
            if turn.sound is not None:
                await turn.sound.close()

    async def _keep_silence(
        self, visit: Visit, dialogue: DialogueHistory, turn: SystemTurn, reply_to: int | None
    ) -> None:
        event = log_events.NoAnswer(dialogue_id=dialogue.dialogue_id, reply_to=reply_to, agent=turn.agent)
        await self._move(visit, lambda draft: draft.add(event))

    async def _answer(self, visit: Visit, dialogue: DialogueHistory) -> None:
        user_turn = dialogue.unanswered
        if user_turn is None or not isinstance(user_turn.event, log_events.UserTurnSent):
            return
        connector = self.connectors[dialogue.system]
        fresh = (dialogue.dialogue_id, user_turn.turn_index) in visit.fresh
        memory = connector.capabilities.memory
        lost = visit.conversation is None and memory == "process"
        unsure = not fresh and not connector.capabilities.idempotent and memory != "caller"
        if lost or unsure or dialogue.growing:
            await self._fail(
                visit, "interrupted", "the server stopped while the system was answering", ends=lost
            )
            return
        sent_s = self.elapsed_s(dialogue)
        async with self._turn(visit, dialogue) as turn:
            try:
                sent = user_turn_of(user_turn)
                if user_turn.event.sound is not None:
                    rate_hz = connector.capabilities.audio_rate_hz
                    sent = await with_sound(
                        sent,
                        self.log,
                        visit.state,
                        user_turn.event.sound,
                        rate_hz,
                        lambda sound: as_heard(sound, self.rules.study, dialogue),
                    )
                conversation = await self._conversation(visit, dialogue, user_turn)
                sent_s = self.elapsed_s(dialogue)
                await self._listen_to_answer(visit, connector.send(conversation, sent), dialogue, turn)
            except SystemUnderTestError as error:
                await self._fail(visit, error.failure, error.detail, turn)
                return
            if turn.silent and not turn.ends_dialogue:
                await self._keep_silence(visit, dialogue, turn, user_turn.turn_index)
                return
            await self._log_system_turn(visit, dialogue, turn, user_turn.turn_index, sent_s)

    async def _conversation(self, visit: Visit, dialogue: DialogueHistory, upto: Turn) -> Conversation:
        """The conversation with the turns before this one; taken up again where another process began it."""
        history = past_turns(dialogue, upto)
        if visit.conversation is None or visit.conversation.key != dialogue.conversation:
            again = Conversation(dialogue.conversation, dialogue.language, history, dict(dialogue.notes))
            await self._listen(self.connectors[dialogue.system].open(again), dialogue, SystemTurn())
            visit.conversation = again
        visit.conversation.history = history
        return visit.conversation

    async def _listen_to_answer(
        self, visit: Visit, outputs: AsyncIterator[SystemOutput], dialogue: DialogueHistory, turn: SystemTurn
    ) -> None:
        """Hear an answer out; where the step streams them, what comes of it is shown meanwhile."""
        state = visit.state
        plan = state.dialogues_due or state.battles_due
        if plan is None or plan.answers != "streamed" or state.simulated:  # programs get whole answers
            await self._listen(outputs, dialogue, turn)
            return

        async def write(words: str) -> None:
            with suppress(Stale, LogError):  # the whole answer follows, and waits for the log
                async with visit.lock:
                    await move(
                        self.log, self.rules, visit, lambda d: add_words(d, dialogue.dialogue_id, words)
                    )

        async with shown_in_pieces(turn, write) as grew:
            await self._listen(outputs, dialogue, turn, grew)

    async def _listen(
        self,
        outputs: AsyncIterator[SystemOutput],
        dialogue: DialogueHistory,
        turn: SystemTurn,
        grew: Callable[[], object] | None = None,
    ) -> None:
        try:
            async with asyncio.timeout(LONGEST_TURN_S):
                opened_s = self.clock.monotonic_s() - self.elapsed_s(dialogue)
                await gather(outputs, self.clock.monotonic_s, turn, grew, since_s=opened_s)
        except TimeoutError:
            raise SystemUnderTestError("timeout", f"no complete turn within {LONGEST_TURN_S:.0f} s") from None

    async def _log_system_turn(
        self, visit: Visit, dialogue: DialogueHistory, turn: SystemTurn, reply_to: int | None, sent_s: float
    ) -> None:
        visit.sounding = None  # who begins to listen now hears the recording
        spoken = None
        if turn.sound is not None:
            turns = visit.state.dialogue_by_id(dialogue.dialogue_id).turns
            spoken = await _kept(dialogue, turn, len(turns))

        def write(draft: Draft) -> None:
            current = draft.state.dialogue_by_id(dialogue.dialogue_id)
            if spoken is not None:
                draft.add(spoken)
            draft.add(
                log_events.SystemTurnReceived(
                    dialogue_id=dialogue.dialogue_id,
                    turn_index=len(current.turns),
                    reply_to=reply_to,
                    messages=turn.messages,
                    sent_s=sent_s if turn.sent_s is None else turn.sent_s,
                    first_output_s=turn.first_output_s,
                    complete_s=turn.complete_s,
                    acts=turn.acts,
                    understood=turn.understood,
                    ends_dialogue=turn.ends_dialogue,
                    notes=notes_of(visit.conversation),
                    raw=turn.raw or None,
                    wire=turn.wire or None,
                    heard=turn.heard,
                    agent=turn.agent,
                    sound=spoken.recording_id if spoken else None,
                )
            )
            current = draft.state.dialogue_by_id(dialogue.dialogue_id)
            if current.running and turn.ends_dialogue:
                self.rules.end_dialogue(draft, current, "system", self.elapsed_s(current))
            elif current.running and (limit := self.rules.reached_limit(current)) is not None:
                self.rules.end_dialogue(draft, current, "limit", self.elapsed_s(current), limit)

        await self._move(visit, write)

    async def _fail(
        self, visit: Visit, failure, detail: str, turn: SystemTurn | None = None, ends: bool = False
    ) -> None:
        """Log that the system gave no usable turn; after three in a row the dialogue is over."""
        dialogue = visit.state.dialogue
        if dialogue is None:
            return
        partial = turn.streamed or "\n".join(message.text for message in turn.messages) if turn else ""
        reply_to = dialogue.unanswered.turn_index if dialogue.unanswered else None
        _report.warning("system_failed", system=dialogue.system, failure=failure, detail=detail)
        spoken = await _kept(dialogue, turn, None) if turn else None

        def write(draft: Draft) -> None:
            if spoken is not None:
                draft.add(spoken)
            growing = draft.state.dialogue_by_id(dialogue.dialogue_id).growing
            draft.add(
                log_events.SystemTurnFailed(
                    dialogue_id=dialogue.dialogue_id,
                    reply_to=reply_to,
                    failure=failure,
                    detail=detail,
                    partial=partial or growing,
                    shown=growing,
                    wire=(turn.wire if turn else None) or None,
                    agent=turn.agent if turn else None,
                )
            )
            current = draft.state.dialogue_by_id(dialogue.dialogue_id)
            if current.running and (ends or current.failures_in_a_row >= FAILURES_UNTIL_END):
                self.rules.end_dialogue(draft, current, "failure", self.elapsed_s(current))

        await self._move(visit, write)

    async def _move(self, visit: Visit, write: Callable[[Draft], object]) -> list[StoredEvent]:
        """Write a move of the system's; what came is kept until the log can be written."""
        pause_s = 0.5
        while True:
            try:
                async with visit.lock:
                    stored = await move(self.log, self.rules, visit, write)
                self.close_if_over(visit)
                return stored
            except Stale:
                continue  # the visit is read anew; what came from the system is written on top
            except LogError as error:
                _report.error("log_not_writable", error=str(error), retry_in_s=pause_s)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, 30.0)

    def close_if_over(self, visit: Visit) -> None:
        """Tell the system that a conversation is over, without making anybody wait for it."""
        conversation = visit.conversation
        if conversation is None:
            return
        dialogue = next(
            candidate for candidate in visit.state.dialogues if candidate.conversation == conversation.key
        )
        if dialogue.running:
            return
        visit.conversation = None
        closing = asyncio.create_task(self._close(self.connectors[dialogue.system], conversation))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _close(self, connector: Connector, conversation: Conversation) -> None:
        try:
            await connector.close(conversation)
        except Exception as error:
            _report.warning("close_failed", error=repr(error))

    async def stop(self) -> None:
        """Wait for conversations that are being closed."""
        if self._closing:
            await asyncio.wait(self._closing, timeout=5)


async def _kept(
    dialogue: DialogueHistory, turn: SystemTurn, turn_index: int | None
) -> RecordingStored | None:
    """The recording of what the system spoke, on disk; None where it spoke not by itself."""
    if turn.sound is None:
        return None
    return await turn.sound.keep(
        dialogue_id=dialogue.dialogue_id,
        step=dialogue.step,
        turn_index=turn_index,
        started_s=turn.first_output_s,
    )


def _opened(dialogue: DialogueHistory) -> log_events.DialogueOpened:
    return log_events.DialogueOpened(dialogue_id=dialogue.dialogue_id)


def past_turns(dialogue: DialogueHistory, upto: Turn) -> tuple[PastTurn, ...]:
    """Conversation before a turn as the system got it, as far as its text is known."""
    before = [turn for turn in dialogue.turns if turn.turn_index < upto.turn_index]
    return tuple(PastTurn(turn.party, text) for turn in before if (text := _received_text(turn)))


def _received_text(turn: Turn) -> str:
    """Recognised text of a user turn if a channel changed it, otherwise the text of the turn."""
    event = turn.event
    heard = event.heard if isinstance(event, log_events.UserTurnSent) else ()
    return turn.text if not heard or heard[0].text is None else heard[0].text


def notes_of(conversation: Conversation | None) -> dict[str, Any] | None:
    """Loggable part of the connector's memory: names without underscore and JSON values."""
    state = conversation.state if conversation else {}
    notes = {name: value for name, value in state.items() if not name.startswith("_")}
    try:
        json.dumps(notes)
    except (TypeError, ValueError):
        return None
    return notes or None


def user_turn_of(turn: Turn) -> UserTurn:
    event = turn.event
    if not isinstance(event, log_events.UserTurnSent):
        raise TypeError("only a user turn can be sent")
    hypotheses = tuple(
        Heard(hypothesis.text, hypothesis.score) for hypothesis in event.heard if hypothesis.text is not None
    )
    return UserTurn(
        key=turn.stored.client_key or f"{event.dialogue_id}:{event.turn_index}",
        number=event.turn_index,
        text=_received_text(turn),
        payload=event.payload,
        heard=hypotheses,
        overheard=event.overheard,
    )
