"""What participants fill in: questionnaires, responses to stimuli.

As everywhere in a session: a repeated request changes nothing, one of an earlier page raises `Stale`, and
whatever a method has returned is on disk.
"""

from pydantic import BaseModel

from vivavoce.log import events as log_events
from vivavoce.log.stimulus_events import QualificationTried, ResponseGiven
from vivavoce.steps.stimulus import Qualification
from vivavoce.trial.battles import Move, VisitOf
from vivavoce.trial.errors import Stale
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import MoveRules


def expect_page(state: VisitState, step: int, *kinds: str) -> None:
    """Raises  Stale: the visit is not at this step, or the step is not of these kinds"""
    current = state.current_step
    if state.phase != "page" or state.step != step or current is None or current.kind not in kinds:
        raise Stale(f"the visit is not at step {step}")


class Forms:
    """The forms of a visit, on the visits of a session engine."""

    def __init__(self, visit_of: VisitOf, move: Move, rules: MoveRules) -> None:
        self._visit_of, self._move, self.rules = visit_of, move, rules

    async def answer(
        self, visit_id: str, *, step: int, round: int | None, position: int, instrument: str, wording: str,
        ratings: list[log_events.LoggedRating],
    ) -> None:  # fmt: skip
        """Store one answered questionnaire. Raises Stale when another one is being asked."""
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            state = visit.state
            if round is None:
                expect_page(state, step, "questionnaire")
            elif (state.phase, state.step, state.round, state.position) != (
                "feedback",
                step,
                round,
                position,
            ):
                raise Stale(f"questionnaire {position} of round {round} is not being asked")
            dialogue = state.dialogue if round is not None else None
            answered = log_events.QuestionnaireAnswered(
                step=step, round=round, position=position, instrument=instrument, wording=wording,
                dialogue_id=dialogue.dialogue_id if dialogue else None, language=state.language,
                ratings=ratings,
            )  # fmt: skip
            await self._move(visit, lambda d: self.rules.answer(d, answered))

    async def respond(
        self, visit_id: str, *, step: int, position: int, response: BaseModel, attempt: int | None = None
    ) -> None:
        """Store the response to the stimulus that is due, or to a try of the check before the first.

        Raises  Stale: another stimulus is due, or another try, or none
                Rejected: the step cannot take the response yet
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            state = visit.state
            due = (state.phase, state.step, state.attempt, state.position)
            if due != ("stimulus", step, attempt, position):
                raise Stale(f"stimulus {position} is not due")
            check = state.asking
            if isinstance(check, Qualification):
                tried = QualificationTried(
                    step=step, name=state.stimulus_kind.name, attempt=state.shown.position,
                    response=response.model_dump(mode="json"),
                    passed=check.passed(state.shown.stimulus, response),
                )  # fmt: skip
                await self._move(visit, lambda draft: draft.add(tried))
                return
            since = max(0.0, (self.rules.clock.now() - state.given[-1].at).total_seconds())
            state.stimulus_kind.check(state.shown, response, None if state.simulated else since)
            event = ResponseGiven(
                step=step, name=state.stimulus_kind.name, position=position, language=state.language,
                response=response.model_dump(mode="json"), response_s=since,
            )  # fmt: skip
            await self._move(visit, lambda draft: draft.add(event))
