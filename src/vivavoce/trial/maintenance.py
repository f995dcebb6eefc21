"""Upkeep of visits: end dialogues that were abandoned or last too long."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

import structlog

from vivavoce.log.store import Log, StoredEvent
from vivavoce.trial.relay import Relay
from vivavoce.trial.visits import Draft, MoveRules, Visit

SWEEP_EVERY_S: Final = 60.0
LOOK_EVERY_S: Final = 1.0
FORGOTTEN_AFTER_S: Final = 3600.0  # a visit that nobody looks at; the log knows it when somebody comes back
PRESENT_S: Final = 300.0  # a page asks twice a minute, a browser without scripts when its reader does

Move = Callable[[Visit, Callable[[Draft], object]], Awaitable[list[StoredEvent]]]

_report = structlog.get_logger("vivavoce.trial")


class Upkeep:
    """Looks after the visits of one engine. A turn in flight is never cut off: its answer comes first."""

    def __init__(
        self,
        log: Log,
        relay: Relay,
        rules: MoveRules,
        visits: dict[str, Visit],
        visit: Callable[[str], Awaitable[Visit]],
        move: Move,
        leads: Callable[[str], bool],
    ) -> None:
        self._log, self._relay, self._rules, self._visits = log, relay, rules, visits
        self._visit, self._move, self._leads = visit, move, leads
        self.tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Look after the visits from now on, in `tasks`."""
        self.tasks = [
            asyncio.create_task(_for_ever(self.sweep, SWEEP_EVERY_S)),
            asyncio.create_task(_for_ever(self.end_overdue, LOOK_EVERY_S)),
        ]

    async def sweep(self) -> int:
        """End dialogues that nobody touched for the study's idle time; returns how many."""
        study = self._rules.study
        before = self._rules.clock.now() - timedelta(minutes=study.limits.idle_minutes)
        idle = await asyncio.to_thread(self._log.idle_visits, study.name, before)
        count = 0
        for visit_id in filter(self._leads, idle):
            visit = await self._visit(visit_id)
            async with visit.lock:
                dialogue = visit.state.dialogue
                if (visit.state.last_at or before) >= before:
                    continue
                if visit.state.bout is not None:
                    await self._move(visit, lambda d: self._rules.end_bout(d, "abandoned"))
                    count += 1
                if dialogue is None or not dialogue.running:
                    continue
                last_s = self._relay.elapsed_s(dialogue)
                await self._move(
                    visit,
                    lambda d, one=dialogue, s=last_s: self._rules.end_dialogue(d, one, "abandoned", s),
                )
                count += 1
            self._relay.close_if_over(visit)
        self._forget()
        return count

    async def end_overdue(self) -> int:
        """End dialogues that have lasted as long as the study allows; returns how many.

        Whose page has not asked for minutes has left: then the dialogue was abandoned.
        """
        count = 0
        for visit in [overdue for overdue in self._visits.values() if self._is_overdue(overdue)]:
            async with visit.lock:
                if not self._is_overdue(visit):  # while the lock was waited for
                    continue
                await self._move(visit, lambda draft, one=visit: self._end_overdue(draft, one))
                count += 1
            self._relay.close_if_over(visit)
        return count

    def _end_overdue(self, draft: Draft, visit: Visit) -> None:
        dialogue = draft.state.dialogue
        if dialogue is None:
            return
        lasted_s = self._relay.elapsed_s(dialogue)
        if self._rules.clock.monotonic_s() - visit.looked_at_s > PRESENT_S:
            self._rules.end_dialogue(draft, dialogue, "abandoned", lasted_s)
        else:
            self._rules.end_dialogue(draft, dialogue, "limit", lasted_s, "minutes")

    def _is_overdue(self, visit: Visit) -> bool:
        dialogue = visit.state.dialogue
        if dialogue is None or not dialogue.running:
            return False
        in_flight = dialogue.unanswered is not None or not dialogue.greeted
        return not in_flight and self._rules.reached_limit(dialogue) == "minutes"

    def _forget(self) -> None:
        """Let go of visits that are over, or that nobody has looked at for long and nothing goes on in."""
        for visit_id, visit in list(self._visits.items()):
            if visit.task is None and not visit.lock.locked() and self._is_done_with(visit):
                del self._visits[visit_id]

    def _is_done_with(self, visit: Visit) -> bool:
        state = visit.state
        if state.phase == "ended":
            return True
        goes_on = state.bout is not None or (state.dialogue is not None and state.dialogue.running)
        if goes_on or visit.conversation is not None or visit.play is not None:
            return False
        return self._rules.clock.monotonic_s() - visit.looked_at_s > FORGOTTEN_AFTER_S


async def _for_ever(work: Callable[[], Awaitable[int]], every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            await work()
        except Exception as error:
            _report.warning("upkeep_failed", error=repr(error))
