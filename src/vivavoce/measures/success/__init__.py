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

from vivavoce.measures.success.inferred import (
    CODES,
    FAILURES,
    NO_MATCH_POLICIES,
    UNITS,
    AssignedOutcome,
    Code,
    Explanation,
    InferredOutcome,
    NoMatchPolicy,
    Unit,
    assigned_outcome,
    call_code,
    explain,
    inferred_components,
    inferred_outcomes,
)
from vivavoce.measures.success.model import (
    OFFER_RULES,
    Goal,
    OfferRule,
    ScoredAct,
    ScoredTurn,
    ScoredVenue,
    Value,
    Venues,
    serves,
)
from vivavoce.measures.success.outcomes import (
    Disagreement,
    Outcomes,
    ScoringOptions,
    counting_goals,
    disagreements,
    outcomes,
    scored_turns,
)

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
