"""A new version against the last one: two datasets, the same measures, and whether anything got worse."""

from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.stats import t as student

from vivavoce.analysis.clusters import contrast
from vivavoce.analysis.equivalence import equivalence
from vivavoce.analysis.families import holm
from vivavoce.analysis.groups import groups
from vivavoce.log.dataset import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import components

Facts = dict[str, Any]
LEVEL: Final = 0.95
RATES: Final = ("subjective_success", "objective_success_assigned", "objective_success_inferred")
OTHERS: Final = (
    "turns",
    "user_words",
    "words_per_system_turn",
    "dialogue_duration",
    "system_response_delay",
    "word_error_rate",
)
MARGIN: Final = 0.1


def against(new: Dataset, old: Dataset, *, by: str = "system", margin: float = MARGIN) -> Facts:
    """Every measure of `new` minus that of `old`, for the whole and for each group that both have.

    Output  new, old: {study, data, dialogues}; margin, by_what; rows: [{key, measure, unit, new, old,
            new_n, old_n, difference, low, high, p, p_holm, equivalent_p, equivalent_low, equivalent_high,
            equivalent}], p adjusted after Holm over the rates of one group
    Empty   a measure without cases on one side is left out; one that never varied has a difference only
    Note    participants of the two datasets are taken as different people; t over participants, degrees of
            freedom one less than they are; equivalence (two one-sided tests, interval of 90 %) for rates
    Raises  UnknownName: no such grouping; InputError: a margin that is not above 0
    """
    sides = [_Side(new, by, "new"), _Side(old, by, "old")]
    keys = [None, *(key for key in sides[0].members if key in sides[1].members and key != "all")]
    rows: list[Facts] = []
    for key in keys:
        family = [row for name in RATES if (row := _row(name, key, sides, margin))]
        for row, p in zip(family, holm([row["p"] for row in family]), strict=True):
            row["p_holm"] = p
        rows += family + [row for name in OTHERS if (row := _row(name, key, sides, margin))]
    return {
        "new": sides[0].facts,
        "old": sides[1].facts,
        "margin": margin,
        "by_what": by,
        "rows": rows,
    }


class _Side:
    """One of the two datasets: components by measure, dialogues by group, participants as text."""

    def __init__(self, dataset: Dataset, by: str, name: str) -> None:
        found = groups(dataset, by)
        self.members = {group.key: set(group.dialogue_ids) for group in found}
        self.people = {
            one: f"{name} {person if person is not None else f'dialogue {one}'}"
            for group in found
            for one, person in zip(group.dialogue_ids, group.participants, strict=True)
        }
        self.parts: dict[Any, pd.DataFrame] = dict(list(components(dataset).groupby("measure", sort=False)))
        self.facts = {"study": dataset.study, "data": dataset.hash, "dialogues": len(self.people)}

    def cases(self, measure: str, key: str | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = self.parts[measure]
        chosen = rows["dialogue_id"].isin(list(self.people if key is None else self.members[key]))
        people = np.array([self.people[one] for one in rows["dialogue_id"][chosen]], dtype=object)
        return people, rows["numerator"].to_numpy()[chosen], rows["denominator"].to_numpy()[chosen]


def _row(name: str, key: str | None, sides: list[_Side], margin: float) -> Facts | None:
    if any(name not in side.parts for side in sides):
        return None
    (people_a, *a), (people_b, *b) = (side.cases(name, key) for side in sides)
    _, codes = np.unique(np.concatenate([people_a, people_b]).astype(str), return_inverse=True)
    split = np.split(codes, [len(people_a)])
    found = contrast(split[0], split[1], (a[0], a[1]), (b[0], b[1]))
    if found is None:
        return None
    facts: Facts = {
        "key": key,
        "measure": name,
        "unit": MEASURES.get(name).unit,
        "new": float(a[0].sum() / a[1].sum()),
        "old": float(b[0].sum() / b[1].sum()),
        "new_n": round(float(a[1].sum())),
        "old_n": round(float(b[1].sum())),
        "difference": found.difference,
        "clusters": found.clusters,
        **dict.fromkeys(("low", "high", "p", "p_holm", "equivalent_p", "equivalent_low", "equivalent_high")),
        "equivalent": None,
    }
    if found.se is None or found.se <= 1e-12 or found.clusters < 3:
        return facts
    df = found.clusters - 1
    reach = float(student.ppf((1 + LEVEL) / 2, df)) * found.se
    facts |= {"low": found.difference - reach, "high": found.difference + reach}
    facts["p"] = float(2 * student.sf(abs(found.difference / found.se), df))
    if name in RATES:
        same = equivalence(found.difference, found.se, margin, df=df)
        facts |= {"equivalent_p": same.p, "equivalent": same.equivalent}
        facts |= {"equivalent_low": same.interval.low, "equivalent_high": same.interval.high}
    return facts
