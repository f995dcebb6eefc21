"""Success labels: cases and successes of each rate by dialogue, from a snapshot."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from vivavoce.log.models import Scope

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset


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
    rates: dict[str, tuple[list[float], list[float]]]
    problem: str = ""
    counted: dict[str, list[bool]] = field(default_factory=dict)


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
    from vivavoce.stats.declared_results import HEADLINES, is_rate

    found = sums(dataset)
    names = [measure for measure in found.measures if is_rate(measure)]
    names.sort(key=lambda one: (HEADLINES.index(one) if one in HEADLINES else len(HEADLINES), one))
    rates: dict[str, tuple[list[float], list[float]]] = {}
    for name in names:
        place = found.measures.index(name)
        if found.denominators[place].any():
            rates[name] = found.numerators[place].tolist(), found.denominators[place].tolist()
    for name, told in (beside or {}).items():
        known = [float(dialogue_id in told) for dialogue_id in found.dialogue_ids]
        if any(known):
            successes = [float(told.get(dialogue_id, False)) for dialogue_id in found.dialogue_ids]
            rates[name] = successes, known
    cases = ((name, below > 0) for name, below in zip(found.measures, found.denominators, strict=True))
    counted = {name: own.tolist() for name, own in cases if not is_rate(name) and own.any()}
    for name, answered in answered_dialogues(dataset).items():
        own = [dialogue_id in answered for dialogue_id in found.dialogue_ids]
        counted |= {name: own} if any(own) else {}
    return Verdicts(scope, position, at, found.dialogue_ids, rates, counted=counted)


def title_of(measure: str) -> str:
    """English title of a success rate; default: its name."""
    from vivavoce.measures import MEASURES

    return MEASURES.get(measure).title if measure in MEASURES else measure
