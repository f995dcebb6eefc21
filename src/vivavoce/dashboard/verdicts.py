"""Success labels: cases and successes of each rate by dialogue, from a snapshot."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from vivavoce.log.scope import Scope

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset

Floats = np.ndarray[Any, np.dtype[np.float64]]
Truths = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Successes and cases of every rate in each dialogue of a snapshot.

    rates     by measure, those of every report first: numerators and denominators along `dialogue_ids`
    counted   by measure that is no rate: whether it has a case, along them; by item of a questionnaire
              (`answer.cambridge.found_all`): whether it was answered
    position  of the log; `problem`: why there are none
    """

    scope: Scope
    position: int
    at: datetime
    dialogue_ids: list[str]
    rates: dict[str, tuple[Floats, Floats]]
    problem: str = ""
    counted: dict[str, Truths] = field(default_factory=dict[str, "Truths"])


def read_verdicts(
    dataset: "Dataset",
    scope: Scope,
    position: int,
    at: datetime,
    beside: Mapping[str, Mapping[str, bool]] | None = None,
) -> Verdicts:
    """Success labels of a dataset, without excluded and running dialogues.

    beside  successes by name and dialogue that no measure knows
    Empty  a rate without a case in any dialogue is left out
    """
    from vivavoce.analysis.description import answered_dialogues
    from vivavoce.measures.compute import sums
    from vivavoce.stats.rates import HEADLINES, is_rate

    totals = sums(dataset)
    names = [measure for measure in totals.measures if is_rate(measure)]
    names.sort(key=lambda name: (HEADLINES.index(name) if name in HEADLINES else len(HEADLINES), name))
    rates = {}
    for name in names:
        place = totals.measures.index(name)
        if totals.denominators[place].any():
            rates[name] = totals.numerators[place], totals.denominators[place]
    for name, labels in (beside or {}).items():
        labelled = np.array([dialogue_id in labels for dialogue_id in totals.dialogue_ids], dtype=float)
        if labelled.any():
            rates[name] = (
                np.array(
                    [labels.get(dialogue_id, False) for dialogue_id in totals.dialogue_ids], dtype=float
                ),
                labelled,
            )
    cases = ((name, below > 0) for name, below in zip(totals.measures, totals.denominators, strict=True))
    counted = {name: counts for name, counts in cases if not is_rate(name) and counts.any()}
    for name, answered in answered_dialogues(dataset).items():
        has_answer = np.array([dialogue_id in answered for dialogue_id in totals.dialogue_ids], dtype=bool)
        counted |= {name: has_answer} if has_answer.any() else {}
    return Verdicts(scope, position, at, totals.dialogue_ids, rates, counted=counted)


def title_of(measure: str) -> str:
    """English title of a success rate; default: its name."""
    from vivavoce.measures import MEASURES

    return MEASURES.get(measure).title if measure in MEASURES else measure
