"""From the goals of a call to a numerator and a denominator, by unit of analysis."""

from collections.abc import Sequence
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
