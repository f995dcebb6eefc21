"""Success against the assigned task: only the system's acts count, not what the user said."""

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.measures.success.model import Goal, ScoredTurn, Venues
from vivavoce.measures.success.scoring import OfferRule, record, serves


@dataclass(frozen=True, slots=True)
class AssignedOutcome:
    """The task's goal and whether the dialogue served it, by offer rule.

    alternative  the goal is the task's second one, for nothing meets the first
    """

    dialogue_id: str
    goal: Goal
    alternative: bool
    served: dict[OfferRule, bool]
    offers: tuple[str, ...]

    def score(self, offer_rule: OfferRule = "last") -> int:
        return int(self.served[offer_rule])


def counting_goal(goals: Sequence[Goal], venues: Venues) -> int:
    """Index of the goal that counts: the first that some venue meets, or the task's own."""
    return next((number for number, goal in enumerate(goals) if venues.matching(goal)), 0)


def assigned_outcome(
    dialogue_id: str,
    goals: Sequence[Goal],
    turns: Sequence[ScoredTurn],
    venues: Venues,
    *,
    verify_values: bool = True,
) -> AssignedOutcome:
    """Score one dialogue against its task.

    Input   goals: the task's goal, then its alternatives, of which the first that some venue meets is scored
    Empty   a task that no venue meets cannot be served: 0
    Source  Jurčíček et al. 2011, section 4
    """
    index = counting_goal(goals, venues)
    answer_record = record(venues.as_named_here(turns))
    last, lenient = (
        serves(goals[index], answer_record, venues, offer_rule=rule, verify_values=verify_values)
        for rule in ("last", "any")
    )
    return AssignedOutcome(
        dialogue_id, goals[index], index > 0, {"last": last, "any": lenient}, tuple(answer_record.offers)
    )
