"""How dialogues spread over participants, and a warning where few of them dominate."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, median
from typing import Final

TOP_SHARE: Final = 0.1
TOP_LIMIT: Final = 0.4
SINGLE_LIMIT: Final = 0.1
FEWEST_DIALOGUES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Concentration:
    """Dialogues per participant, over the dialogues whose participant is known.

    histogram         number of dialogues -> number of participants with so many, ascending
    top_participants  how many make up the top tenth (rounded up)
    top_ratio         share of the dialogues that they hold
    largest           dialogues of the busiest participant
    size_star         sum of squares over sum: the group size that a dialogue sees on average (m*);
                      the design effect is 1 + (m* - 1) ICC
    """

    dialogues: int
    unknown: int
    participants: int
    mean: float | None
    median: float | None
    largest: int
    largest_ratio: float | None
    top_participants: int
    top_ratio: float | None
    size_star: float | None
    histogram: dict[int, int]


def concentration(participants: Iterable[str | None]) -> Concentration:
    """Dialogues per participant, from one participant key a dialogue.

    Input   one key a dialogue; None where the participant is unknown
    Empty   no known participant: counts are 0, ratios and means missing
    Source  Kish 1965 for m*; golden case m* = 3.7 in tests/golden/statistics-concentration.json
    """
    keys = list(participants)
    sizes = sorted(Counter(key for key in keys if key is not None).values(), reverse=True)
    known = sum(sizes)
    top = math.ceil(round(len(sizes) * TOP_SHARE, 9))
    return Concentration(
        dialogues=known,
        unknown=len(keys) - known,
        participants=len(sizes),
        mean=mean(sizes) if sizes else None,
        median=median(sizes) if sizes else None,
        largest=sizes[0] if sizes else 0,
        largest_ratio=sizes[0] / known if sizes else None,
        top_participants=top,
        top_ratio=sum(sizes[:top]) / known if sizes else None,
        size_star=sum(size * size for size in sizes) / known if sizes else None,
        histogram=dict(sorted(Counter(sizes).items())),
    )


def dominance_warning(spread: Concentration, *, of: str = "") -> str | None:
    """One sentence where few participants dominate, else None.

    The rule: at least 20 dialogues, and either the top tenth of the participants hold more than 40 % of
    them, or a single participant holds more than 10 %.
    """
    if spread.dialogues < FEWEST_DIALOGUES or spread.top_ratio is None or spread.largest_ratio is None:
        return None
    facts: list[str] = []
    if spread.top_ratio > TOP_LIMIT and spread.top_participants < spread.participants:
        who = (
            "the busiest participant holds"
            if spread.top_participants == 1
            else f"the {spread.top_participants} busiest of {spread.participants} participants hold"
        )
        facts.append(f"{who} {spread.top_ratio:.0%} of the {spread.dialogues} dialogues")
    if spread.largest_ratio > SINGLE_LIMIT:
        facts.append(
            f"one participant alone had {spread.largest} of {spread.dialogues} ({spread.largest_ratio:.0%})"
        )
    if not facts:
        return None
    return (
        f"Few participants dominate{f' in {of}' if of else ''}: {' and '.join(facts)}. Read "
        "the intervals and tests that are clustered by participant: those that treat dialogues as "
        "independent look more certain than they are."
    )
