"""A new version against the last one: the same measures of two datasets, and whether anything got worse.

Source  Schuirmann 1987; non-inferiority by one test against a margin named beforehand: Piaggio et al. 2012
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from vivavoce.core.signature import signature
from vivavoce.log.dataset import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import components
from vivavoce.stats.dataset_pairs import doubts
from vivavoce.stats.difference import compare_clusters, interval_facts
from vivavoce.stats.equivalence import RATES as ALL_RATES
from vivavoce.stats.equivalence import check_margin
from vivavoce.stats.groups import groups
from vivavoce.stats.multiple_testing import holm

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
ALPHA: Final = 0.05
DECIDED: Final = ("no_worse", "equivalent")


def against(new: Dataset, old: Dataset, *, by: str = "system", margin: float = MARGIN) -> Facts:
    """Every measure of `new` minus that of `old`, for the whole and for each group that both have.

    Output  new, old: {study, data, dialogues, simulated}; doubts (see `siblings`); margin, by_what;
            rows: [{key, measure, unit, new, old,
            new_n, old_n, difference, clusters, signature, low, high, p}], and for rates: tested (how many p
            is adjusted over), p_holm; low_90, high_90, by which is decided whether one is no worse, or
            equivalent; no_worse_p, no_worse_p_holm, no_worse; equivalent_p, equivalent_p_holm, equivalent
    Empty   a measure without cases on one side is left out; one that never varied has a difference only
    Note    three families, each adjusted after Holm by itself over the rates of the whole, and apart from
            them over those of all groups: difference, no worse (one test: not worse by the margin),
            equivalence (two one-sided tests). Participants of the two datasets are taken as different people
    Raises  UnknownName: no such grouping; InputError: a margin outside 0 to 1
    """
    check_margin(ALL_RATES, margin)
    sides = [_Side(new, by, "new"), _Side(old, by, "old")]
    keys = [key for key in sides[0].members if key in sides[1].members and key != "all"]
    whole = _rows([None], sides, margin)
    parts = _rows(keys, sides, margin)
    return {
        "new": sides[0].facts, "old": sides[1].facts, "margin": margin, "by_what": by, "rows": whole + parts,
        "doubts": doubts(new, old),
    }  # fmt: skip


def _rows(keys: Sequence[str | None], sides: "list[_Side]", margin: float) -> list[Facts]:
    """The rows of these groups; their rates are one family."""
    names = [(key, name) for key in keys for name in (*RATES, *OTHERS)]
    rows = [row for key, name in names if (row := _row(name, key, sides, margin))]
    rates = [row for row in rows if row["measure"] in RATES]
    for p, adjusted in (("p", "p_holm"), *((f"{name}_p", f"{name}_p_holm") for name in DECIDED)):
        for row, value in zip(rates, holm([row[p] for row in rates]), strict=True):
            row[adjusted] = value
    for row in rates:
        row["tested"] = sum(one["p"] is not None for one in rates)
        for name in DECIDED:
            value = row[f"{name}_p_holm"]
            row[name] = None if value is None else value < ALPHA
    return rows


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
        self.facts["simulated"] = dataset.simulated

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
    found = compare_clusters(split[0], split[1], (a[0], a[1]), (b[0], b[1]))
    if found is None:
        return None
    facts: Facts = {
        "signature": signature(
            f"{name}_difference",
            unit="participant",
            n=found.clusters,
            data=sides[0].facts["data"],
            against=sides[1].facts["data"],
            group=key,
            interval=f"{found.method} {LEVEL}",
            margin=margin if name in RATES else None,
        ),
        "key": key,
        "measure": name,
        "unit": MEASURES.get(name).unit,
        "new": float(a[0].sum() / a[1].sum()),
        "old": float(b[0].sum() / b[1].sum()),
        "new_n": round(float(a[1].sum())),
        "old_n": round(float(b[1].sum())),
        "difference": found.estimate,
        "clusters": found.clusters,
        "tested": 0,
        **dict.fromkeys(("low", "high", "p", "p_holm", "low_90", "high_90")),
        **{f"{one}{end}": None for one in DECIDED for end in ("", "_p", "_p_holm")},
    }
    facts |= interval_facts(found)
    same = found.equivalence(margin, alpha=ALPHA) if name in RATES else None
    if same is None:
        return facts
    lower_is_better = MEASURES.get(name).direction == "lower"
    return facts | {
        "low_90": same.interval.low, "high_90": same.interval.high, "equivalent_p": same.p,
        "no_worse_p": same.p_upper if lower_is_better else same.p_lower,
    }  # fmt: skip
