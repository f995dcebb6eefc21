"""From the goals of a call to a numerator and a denominator by unit of analysis, or to one of seven codes."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from vivavoce.measures.success.inferred import InferredOutcome, NoMatchPolicy
from vivavoce.measures.success.scoring import OfferRule

Unit = Literal["goal", "call_all", "call_last"]
UNITS: Final[tuple[Unit, ...]] = ("goal", "call_all", "call_last")


def inferred_components(
    goals: Sequence[InferredOutcome],
    unit: Unit = "goal",
    policy: NoMatchPolicy = "credit",
    offer_rule: OfferRule = "last",
) -> tuple[int, int]:
    """Successes and their number in one call.

    Output  goal: each goal that counts; call_all: 1 when all that count were served; call_last: the last one
    Empty   no goal that counts (void, or dropped by the policy): (0, 0)
    """
    scores = [score for goal in goals if (score := goal.score(policy, offer_rule)) is not None]
    if not scores:
        return 0, 0
    if unit == "goal":
        return sum(scores), len(scores)
    return (min(scores) if unit == "call_all" else scores[-1]), 1


Code = Literal["S", "SCs", "SCu", "SCsCu", "SN", "Fs", "Fu"]
CODES: Final[tuple[Code, ...]] = ("S", "SCs", "SCu", "SCsCu", "SN", "Fs", "Fu")
FAILURES: Final = frozenset({"Fs", "Fu"})


def call_code(goals: Sequence[InferredOutcome], *, assigned: bool | None = None) -> Code | None:
    """The code of a call.

    Input   the goals inferred from what the user asked; whether the assigned goal was served, None: unknown
    Output  Fs: a goal failed. S: no constraint had to go. Fu: the same, but the assigned goal was not served,
            the user asked for something else. SN: rightly nothing, and the user left it at that. SCs, SCu,
            SCsCu: a goal that nothing matched was followed by one that took up the system's own offer, by
            one of the user's, by both
    Empty   every goal is void: None
    """
    counted = [goal for goal in goals if not goal.void]
    if not counted:
        return None
    if any(goal.code == "F" for goal in counted):
        return "Fs"
    if counted[-1].no_match:
        return "SN"
    by_system = by_user = False
    for before, after in pairwise(counted):
        if before.no_match:
            proposed = bool(set(before.offers) & set(after.offers))
            by_system, by_user = by_system or proposed, by_user or not proposed
    if not (by_system or by_user):
        return "Fu" if assigned is False else "S"
    return "SCsCu" if by_system and by_user else "SCs" if by_system else "SCu"
