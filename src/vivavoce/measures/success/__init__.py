"""Task success against assigned and inferred goals: pure algorithms, and the outcomes of a dataset.

```python
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.success import outcomes

found = outcomes(Dataset("D"))
for goals in found.inferred.values():
    for goal in goals:
        print(goal.dialogue_id, goal.goal_index, goal.code, dict(goal.goal.constraints), goal.offers)
```
"""

from vivavoce.measures.success.assigned import AssignedOutcome, assigned_outcome
from vivavoce.measures.success.explanation import Explanation, explain
from vivavoce.measures.success.inferred import (
    NO_MATCH_POLICIES,
    InferredOutcome,
    NoMatchPolicy,
    inferred_outcomes,
)
from vivavoce.measures.success.inspection import Disagreement, disagreements
from vivavoce.measures.success.model import Goal, ScoredAct, ScoredTurn, ScoredVenue, Value, Venues
from vivavoce.measures.success.outcomes import (
    Outcomes,
    ScoringOptions,
    counting_goals,
    outcomes,
    scored_turns,
)
from vivavoce.measures.success.rates import CODES, FAILURES, UNITS, Code, Unit, call_code, inferred_components
from vivavoce.measures.success.scoring import OFFER_RULES, OfferRule, serves

__all__ = [
    "CODES",
    "FAILURES",
    "NO_MATCH_POLICIES",
    "OFFER_RULES",
    "UNITS",
    "AssignedOutcome",
    "Code",
    "Disagreement",
    "Explanation",
    "Goal",
    "InferredOutcome",
    "NoMatchPolicy",
    "OfferRule",
    "Outcomes",
    "ScoredAct",
    "ScoredTurn",
    "ScoredVenue",
    "ScoringOptions",
    "Unit",
    "Value",
    "Venues",
    "assigned_outcome",
    "call_code",
    "counting_goals",
    "disagreements",
    "explain",
    "inferred_components",
    "inferred_outcomes",
    "outcomes",
    "scored_turns",
    "serves",
]
