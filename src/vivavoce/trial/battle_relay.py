"""Carrying one message to two systems at once and both answers back, each by the rules of any dialogue.

A message is committed to both dialogues before either system sees it, an answer before the participant does.
"""

import asyncio
from typing import Any

import structlog

from vivavoce.connectors.base import Conversation
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.log import events as log_events
from vivavoce.log.history import DialogueHistory, Turn
from vivavoce.trial.outputs import SystemTurn
from vivavoce.trial.relay import OPENING_PAUSE_S, Relay, notes_of, past_turns, user_turn_of
from vivavoce.trial.visits import Draft, Visit

_report = structlog.get_logger("vivavoce.trial")


class ArenaRelay(Relay):
    """Answers what is unanswered on either side of a bout, both sides at the same time."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._sides: dict[str, asyncio.Task[None]] = {}
        self._conversations: dict[str, Conversation] = {}

    def tend(self, visit: Visit) -> None:
        """Start the work that each side calls for, unless it is under way; let go of what is over."""
        if visit.state.phase != "battle" and not self._conversations:
            return
        self._let_go(visit)
        bout = visit.state.bout
        if bout is None:
            return
        for side in bout.sides:
            key = side.dialogue_id
            busy = key in self._sides and not self._sides[key].done()
            if side.running and not busy and (side.unanswered is not None or not side.greeted):
                self._sides[key] = asyncio.create_task(self._side(visit, key))

    def working(self, visit: Visit) -> bool:
        """True if an answer to this visit's battle is awaited."""
        bout = visit.state.bout
        tasks = [self._sides.get(side.dialogue_id) for side in bout.sides] if bout else []
        return any(task is not None and not task.done() for task in tasks)

    async def stop(self) -> None:
        """Leave everything such that another process can go on."""
        tasks = list(self._sides.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().stop()

    async def _side(self, visit: Visit, key: str) -> None:
        """One piece of work; a defect of ours must not leave the participant waiting for ever."""
        side = visit.state.dialogue_by_id(key)
        try:
            if side.unanswered is not None:
                await self._answer_side(visit, side)
            else:
                await self._greet_side(visit, side)
            await self._note_suspension(side.system)
        except Exception as error:
            _report.exception("relay_failed", visit_id=visit.state.visit_id, error=repr(error))
            await asyncio.sleep(OPENING_PAUSE_S)
            await self._fail_side(visit, key, "internal", "internal error while relaying the turn")
        self._sides.pop(key, None)
        self.tend(visit)

    async def _greet_side(self, visit: Visit, side: DialogueHistory) -> None:
        key = side.dialogue_id
        if side.opened is None:
            await self._move(visit, lambda draft: draft.add(log_events.DialogueOpened(dialogue_id=key)))
        side = visit.state.dialogue_by_id(key)
        conversation = self._conversations[key] = Conversation(side.conversation, side.language)
        turn, sent_s = SystemTurn(), self.elapsed_s(side)
        try:
            await self._listen(self.connectors[side.system].open(conversation), side, turn)
        except SystemUnderTestError as error:
            await self._fail_side(visit, key, error.failure, error.detail, turn)
            return
        await self._take_side(visit, key, turn, None, sent_s)

    async def _answer_side(self, visit: Visit, side: DialogueHistory) -> None:
        owed, key = side.unanswered, side.dialogue_id
        if owed is None:
            return
        capabilities = self.connectors[side.system].capabilities
        fresh = (key, owed.turn_index) in visit.fresh
        lost = key not in self._conversations and capabilities.memory == "process"
        unsure = not fresh and not capabilities.idempotent and capabilities.memory != "caller"
        if lost or unsure or side.growing:
            detail = "the server stopped while the system was answering"
            await self._fail_side(visit, key, "interrupted", detail)
            return
        turn, sent_s = SystemTurn(), self.elapsed_s(side)
        try:
            conversation = await self._conversation_of(side, owed)
            sent_s = self.elapsed_s(side)
            sending = self.connectors[side.system].send(conversation, user_turn_of(owed))
            await self._listen_to_answer(visit, sending, side, turn)
        except SystemUnderTestError as error:
            await self._fail_side(visit, key, error.failure, error.detail, turn)
            return
        await self._take_side(visit, key, turn, owed.turn_index, sent_s)

    async def _conversation_of(self, side: DialogueHistory, upto: Turn) -> Conversation:
        """This side's conversation with the turns before this one, taken up again after a restart."""
        history = past_turns(side, upto)
        conversation = self._conversations.get(side.dialogue_id)
        if conversation is None:
            conversation = Conversation(side.conversation, side.language, history, dict(side.notes))
            await self._listen(self.connectors[side.system].open(conversation), side, SystemTurn())
            self._conversations[side.dialogue_id] = conversation
        conversation.history = history
        return conversation

    async def _take_side(
        self, visit: Visit, key: str, turn: SystemTurn, reply_to: int | None, sent_s: float
    ) -> None:
        """Write what a side gave out."""

        def write(draft: Draft) -> None:
            current = draft.state.dialogue_by_id(key)
            if not current.running:
                return
            if turn.silent and not turn.ends_dialogue:
                draft.add(log_events.NoAnswer(dialogue_id=key, reply_to=reply_to, agent=turn.agent))
                return
            draft.add(
                log_events.SystemTurnReceived(
                    dialogue_id=key,
                    turn_index=len(current.turns),
                    reply_to=reply_to,
                    messages=turn.messages,
                    sent_s=sent_s,
                    first_output_s=turn.first_output_s,
                    complete_s=turn.complete_s,
                    acts=turn.acts,
                    understood=turn.understood,
                    ends_dialogue=turn.ends_dialogue,
                    notes=notes_of(self._conversations.get(key)),
                    raw=turn.raw or None,
                    wire=turn.wire or None,
                    agent=turn.agent,
                )
            )

        await self._move(visit, write)

    async def _fail_side(
        self, visit: Visit, key: str, failure: Any, detail: str, turn: SystemTurn | None = None
    ) -> None:
        side = visit.state.dialogue_by_id(key)
        _report.warning("system_failed", system=side.system, failure=failure, detail=detail)
        reply_to = side.unanswered.turn_index if side.unanswered else None
        partial = turn.streamed or "\n".join(message.text for message in turn.messages) if turn else ""

        def write(draft: Draft) -> None:
            current = draft.state.dialogue_by_id(key)
            if current.running:
                draft.add(
                    log_events.SystemTurnFailed(
                        dialogue_id=key,
                        reply_to=reply_to,
                        failure=failure,
                        detail=detail,
                        partial=partial or current.growing,
                        shown=current.growing,
                        wire=(turn.wire if turn else None) or None,
                        agent=turn.agent if turn else None,
                    )
                )

        await self._move(visit, write)

    def _let_go(self, visit: Visit) -> None:
        """Tell systems whose dialogue is over, without making anybody wait for it."""
        for dialogue in visit.state.dialogues:
            if not dialogue.running and (old := self._conversations.pop(dialogue.dialogue_id, None)):
                closing = asyncio.create_task(self._close(self.connectors[dialogue.system], old))
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)
