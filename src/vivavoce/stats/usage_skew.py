"""Spread of dialogues over participants, and a warning where few of them dominate."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, median
from typing import Final

from vivavoce.core.statement import FormattedNumber, LocalizedText, statement

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
    n_dialogues = sum(sizes)
    top = math.ceil(round(len(sizes) * TOP_SHARE, 9))
    return Concentration(
        dialogues=n_dialogues,
        unknown=len(keys) - n_dialogues,
        participants=len(sizes),
        mean=mean(sizes) if sizes else None,
        median=median(sizes) if sizes else None,
        largest=sizes[0] if sizes else 0,
        largest_ratio=sizes[0] / n_dialogues if sizes else None,
        top_participants=top,
        top_ratio=sum(sizes[:top]) / n_dialogues if sizes else None,
        size_star=sum(size * size for size in sizes) / n_dialogues if sizes else None,
        histogram=dict(sorted(Counter(sizes).items())),
    )


def dominance_warning(spread: Concentration, *, of: str = "") -> LocalizedText | None:
    """Warning in two sentences if few participants dominate; else None.

    The rule: at least 20 dialogues, and either the top tenth of the participants hold more than 40 % of
    them, or a single participant holds more than 10 %.
    """
    if spread.dialogues < FEWEST_DIALOGUES or spread.top_ratio is None or spread.largest_ratio is None:
        return None
    facts: list[LocalizedText] = []
    if spread.top_ratio > TOP_LIMIT and spread.top_participants < spread.participants:
        top_facts = {"share": FormattedNumber(spread.top_ratio, ".0%"), "n": spread.dialogues}
        facts.append(
            statement("the most active participant had {share} of the {n} dialogues", **top_facts)
            if spread.top_participants == 1
            else statement(
                "the {k} most active of {m} participants had {share} of the {n} dialogues",
                k=spread.top_participants,
                m=spread.participants,
                **top_facts,
            )
        )
    if spread.largest_ratio > SINGLE_LIMIT:
        facts.append(
            statement(
                "one participant had {k} of {n} ({share})",
                k=spread.largest,
                n=spread.dialogues,
                share=FormattedNumber(spread.largest_ratio, ".0%"),
            )
        )
    if not facts:
        return None
    what = facts[0] if len(facts) == 1 else statement("{some} and {last}", some=facts[0], last=facts[1])
    return (
        statement("Few participants dominate in {group}: {what}.", group=of, what=what)
        if of
        else statement("Few participants dominate: {what}.", what=what)
    ) + statement(
        "Use the intervals and tests clustered by participant; those that treat dialogues as independent "
        "are too optimistic."
    )
