"""Do people get better at it? Success by the number of the dialogue among those of its participant."""

from collections import defaultdict
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import components
from vivavoce.stats.clusters import clustered_rate, sum_by_participant

STEPS: Final = (1, 2, 3, 4, 5, 6, 11, 21, 41)
RATES: Final = ("subjective_success", "objective_success_assigned", "objective_success_inferred")


def dialogue_numbers(dataset: Dataset) -> dict[str, tuple[str, int]]:
    """Participant and 1-based number of each dialogue; as logged, else by the order of starting.

    Empty   dialogues of unknown participants, and those without number and start, are left out
    """
    by_person: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    columns = ["dialogue_id", "participant_id", "dialogue_number", "started_at"]
    for row in dataset.read("dialogues").select(columns).to_pylist():
        if row["participant_id"] is not None:
            by_person[row["participant_id"]].append(row)
    number_of_dialogue: dict[str, tuple[str, int]] = {}
    for person, rows in by_person.items():
        if any(row["dialogue_number"] is None for row in rows):
            timed = sorted((row for row in rows if row["started_at"]), key=lambda row: row["started_at"])
            rows = [{**row, "dialogue_number": place} for place, row in enumerate(timed, start=1)]
        number_of_dialogue |= {row["dialogue_id"]: (person, row["dialogue_number"]) for row in rows}
    return number_of_dialogue


class LearningStep(NamedTuple):
    """A rate (0 to 1) over the dialogues from the first to the last number; limits over 2 participants on."""

    measure: str
    first: int
    last: int
    n: int
    participants: int
    ratio: float
    low: float | None
    high: float | None


def learning(dataset: Dataset) -> list[LearningStep]:
    """Success rates by dialogue number, all groups together.

    Empty   nobody held more than one dialogue: []
    """
    numbers = dialogue_numbers(dataset)
    longest = max((number for _, number in numbers.values()), default=0)
    if longest < 2:
        return []
    steps = [step for step in STEPS if step <= longest] + [longest + 1 if longest < STEPS[-1] else 10**9]
    parts = components(dataset)
    learning_steps: list[LearningStep] = []
    for measure in RATES:
        rows = parts[(parts["measure"] == measure) & (parts["denominator"] > 0)]
        cases = [
            (*numbers[dialogue_id], top, bottom)
            for dialogue_id, top, bottom in zip(
                rows["dialogue_id"], rows["numerator"], rows["denominator"], strict=True
            )
            if dialogue_id in numbers
        ]
        if not cases or any(top not in range(int(bottom) + 1) for *_, top, bottom in cases):
            continue
        for first, after in pairwise(dict.fromkeys(steps)):
            chosen = [case for case in cases if first <= case[1] < after]
            if chosen:
                learning_steps.append(_step(measure, first, min(after - 1, longest), chosen))
    return learning_steps


def _step(measure: str, first: int, last: int, cases: list[tuple[str, int, float, float]]) -> LearningStep:
    _, codes = np.unique([person for person, *_ in cases], return_inverse=True)
    tops, bottoms = (np.array([case[place] for case in cases]) for place in (2, 3))
    interval = clustered_rate(sum_by_participant(codes, tops, bottoms))
    return LearningStep(
        measure,
        first,
        last,
        n=int(bottoms.sum()),
        participants=int(codes.max()) + 1,
        ratio=float(tops.sum() / bottoms.sum()),
        low=interval.low,
        high=interval.high,
    )
