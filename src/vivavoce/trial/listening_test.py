"""Listening tests: a participant's hearing, and what each judgement becomes in the log."""

from collections.abc import Awaitable, Callable
from typing import Final

from vivavoce.log.listening_events import Choice, ClipJudged, HearingChecked, LoggedTrial
from vivavoce.log.store import StoredEvent
from vivavoce.study.steps import ListenStep
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.visits import Draft, MoveRules, Visit

VisitOf = Callable[[str], Awaitable[Visit]]
Move = Callable[[Visit, Callable[[Draft], object]], Awaitable[list[StoredEvent]]]

BEST: Final = 5
HEARD: Final = 0.95  # of a clip's length must have gone by since it was due; players round


class ListeningMoves:
    """The moves of the step `listen`, on the visits of a session engine."""

    def __init__(self, visit_of: VisitOf, move: Move, rules: MoveRules) -> None:
        self._visit_of, self._move, self.rules = visit_of, move, rules

    async def hear(self, visit_id: str, *, step: int, attempt: int, counted: int) -> None:
        """Store how many tones were counted.

        Raises  Stale: no check of hearing is due, or another try of it
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            state = visit.state
            if (state.phase, state.step, state.tones_due) != ("listen", step, attempt):
                raise Stale(f"try {attempt} of the hearing check is not due")
            tones = state.tones[attempt]
            event = HearingChecked(step=step, attempt=attempt, tones=tones, counted=counted)
            await self._move(visit, lambda draft: draft.add(event))

    async def judge(
        self, visit_id: str, *, step: int, position: int, value: int | None = None,
        choice: Choice | None = None, plays: int = 1,
    ) -> None:  # fmt: skip
        """Store what was said of the clip, or pair of clips, that is due.

        Raises  Stale: another trial is due; Refused: `empty` without a fitting answer, `unheard` before
                all of it can have been heard
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            state = visit.state
            due = (state.phase, state.step, state.tones_due, state.position)
            if due != ("listen", step, None, position):
                raise Stale(f"trial {position} is not due")
            trial, written = state.trials[position], state.listen_step
            allowed = ("first", "second", "tie") if written.ties else ("first", "second")
            single = trial.second is None
            if (value not in range(1, BEST + 1)) if single else (choice not in allowed):
                raise Refused("empty")
            since = (self.rules.clock.now() - state.listening[-1].at).total_seconds()
            if not state.simulated and since < HEARD * self._length_s(written, trial):
                raise Refused("unheard")
            event = ClipJudged(
                step=step, position=position, trial=trial, language=state.language,
                value=value if single else None, choice=None if single else choice, plays=plays,
                response_s=max(0.0, since),
            )  # fmt: skip
            await self._move(visit, lambda draft: draft.add(event))

    def _length_s(self, step: ListenStep, trial: LoggedTrial) -> float:
        known = {clip.audio: clip.duration_s for clip in self.rules.study.clips[step.clips]}
        names = [trial.first.audio, *([trial.second.audio] if trial.second else [])]
        return sum(known.get(name, 0.0) for name in names)
