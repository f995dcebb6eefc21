"""Actions of a participant in a battle of the arena: write to both sides, vote, finish.

As everywhere in a session: a repeated request changes nothing, one of an earlier page raises `Stale`, and
whatever a method has returned is on disk.
"""

from collections.abc import Awaitable, Callable

from vivavoce.log import events as log_events
from vivavoce.log.arena_events import Vote, VoteCast
from vivavoce.log.store import StoredEvent
from vivavoce.trial.arena import SIDES, VOTES, BoutState
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.masking import leaks, names_to_mask
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import Draft, MoveRules, Visit, check_text

VisitOf = Callable[[str], Awaitable[Visit]]
Move = Callable[[Visit, Callable[[Draft], object]], Awaitable[list[StoredEvent]]]


class BattleMoves:
    """The moves of a bout, on the visits of a session engine."""

    def __init__(self, visit_of: VisitOf, move: Move, rules: MoveRules) -> None:
        self._visit_of, self._move, self.rules = visit_of, move, rules

    async def say(self, visit_id: str, bout_id: str, *, key: str, text: str) -> None:
        """Take a message to both sides. When this returns it is on disk, and both are being asked.

        The same key again writes nothing.

        Raises  Refused: empty, too_long, not_running, or busy while an answer or a vote is awaited
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if visit.state.with_key(f"{key}-left") is not None:
                return
            bout = visit.state.bout
            if bout is None or bout.event.bout_id != bout_id:
                raise Refused("not_running")
            check_text(text, self.rules.study.limits)
            if not bout.settled or bout.vote_due:
                raise Refused("busy")

            def write(draft: Draft) -> None:
                for name, side in zip(SIDES, bout.sides, strict=True):
                    turn = log_events.UserTurnSent(
                        dialogue_id=side.dialogue_id, turn_index=len(side.turns), text=text
                    )
                    visit.fresh.add((side.dialogue_id, turn.turn_index))
                    draft.add(turn, client_key=f"{key}-{name}")

            await self._move(visit, write)

    async def vote(self, visit_id: str, bout_id: str, *, exchange: int, choice: Vote) -> None:
        """Store the vote on the answers to the last message.

        Raises  Stale: no vote, or another one, is due; Refused: `empty` for a vote that is not offered
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            bout = _bout(visit.state, bout_id)
            if not bout.vote_due or bout.exchange != exchange:
                raise Stale(f"exchange {exchange} is not being voted on")
            if choice not in VOTES or (choice == "both_bad" and not visit.state.battle_plan.both_bad):
                raise Refused("empty", choice)
            event = self._cast(bout, names_to_mask(self.rules.study, visit.state.battle_plan), choice)
            await self._move(visit, lambda draft: draft.add(event))

    def _cast(self, bout: BoutState, names: tuple[str, ...], choice: Vote) -> VoteCast:
        answers = [bout.answer(side) for side in bout.sides]
        now = self.rules.clock.now()
        since = bout.answered.at if bout.answered else now
        left_index, right = (answer.turn_index if answer else 0 for answer in answers)
        return VoteCast(
            bout_id=bout.event.bout_id,
            exchange=bout.exchange,
            choice=choice,
            left_turn_index=left_index,
            right_turn_index=right,
            response_s=max(0.0, (now - since).total_seconds()),
            leaks=[
                name
                for name, answer in zip(SIDES, answers, strict=True)
                if answer and leaks(answer.text, names)
            ],
        )

    async def finish(self, visit_id: str, bout_id: str) -> None:
        """Say no more in a bout. Raises Stale, or Refused before anything was voted on."""
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if not _bout(visit.state, bout_id).may_finish:
                raise Refused("too_short", "vote first")
            await self._move(visit, lambda draft: self.rules.end_bout(draft, "user"))


def _bout(state: VisitState, bout_id: str) -> BoutState:
    if state.bout is None or state.bout.event.bout_id != bout_id:
        raise Stale("this battle is over")
    return state.bout
