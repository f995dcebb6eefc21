"""A new version against the last one: the same measures of two datasets, and whether anything got worse.

Warnings say what makes a difference between the two datasets doubtful.

Source  Schuirmann 1987; non-inferiority by one test against a margin named beforehand: Piaggio et al. 2012
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from vivavoce.analysis.declared import RATES as ALL_RATES
from vivavoce.analysis.declared import check_margin
from vivavoce.core.result import signature
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import components, groups
from vivavoce.stats.difference import compare_clusters
from vivavoce.stats.multiple_testing import holm


def doubts(a: Dataset, b: Dataset) -> list[LocalizedText]:
    """Reasons why the two may not be comparable, one sentence each.

    Empty   nothing is doubtful: []
    """
    if a.hash == b.hash:
        return [statement("Both datasets have the same rows: this compares a dataset with itself.")]
    warnings: list[LocalizedText | None] = [
        _programs(a, b),
        None
        if a.study == b.study
        else statement("The datasets come from different studies: {a} and {b}.", a=a.study, b=b.study),
        None if _systems(a) & _systems(b) else statement("The datasets have no systems in common."),
        None if _measures(a) & _measures(b) else statement("No measure has values in both datasets."),
    ]
    return [warning for warning in warnings if warning]


def _programs(a: Dataset, b: Dataset) -> LocalizedText | None:
    if a.simulated == b.simulated:
        return None
    programs, people = (a, b) if a.simulated else (b, a)
    return statement(
        "SIMULATED against real: dataset {programs} is simulated, dataset {people} is real.",
        programs=_short(programs),
        people=_short(people),
    )


def _short(dataset: Dataset) -> str:
    """The digits of a dataset, without the rules of exclusion."""
    return dataset.hash.split("|")[0]


def _systems(dataset: Dataset) -> set[str]:
    return set(dataset.read("dialogues").column("system").to_pylist())


def _measures(dataset: Dataset) -> set[str]:
    parts = components(dataset)
    return set(parts.loc[parts["denominator"] > 0, "measure"])


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTest:
    """A test against the margin: `shown` by the adjusted p. Empty: no rate, or nothing varied: all None."""

    p: float | None = None
    p_holm: float | None = None
    shown: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """A measure of a group (None: of the whole): new minus old, in the unit of the measure.

    tested            over how many p is adjusted; 0 of measures that are no rates, as their p_holm is None
    low_90, high_90   by which is decided whether a rate is no worse, or equivalent
    """

    key: str | None
    measure: str
    unit: str
    new: float
    old: float
    new_n: int
    old_n: int
    difference: float
    clusters: int
    signature: str
    low: float | None = None
    high: float | None = None
    p: float | None = None
    tested: int = 0
    p_holm: float | None = None
    low_90: float | None = None
    high_90: float | None = None
    no_worse: MarginTest = MarginTest()
    equivalent: MarginTest = MarginTest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSide:
    """One of the two datasets."""

    study: str
    data: str
    dialogues: int
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseComparison:
    """A new version against the last one; `doubts`: see `dataset_pairs.doubts`."""

    new: ReleaseSide
    old: ReleaseSide
    margin: float
    by_what: str
    rows: Sequence[ReleaseRow]
    doubts: Sequence[LocalizedText]


def against(new: Dataset, old: Dataset, *, by: str = "system", margin: float = MARGIN) -> ReleaseComparison:
    """Every measure of `new` minus that of `old`, for the whole and for each group that both have.

    Empty   a measure without cases on one side is left out; one that never varied has a difference only
    Note    three families, each adjusted after Holm by itself over the rates of the whole, and apart from
            them over those of all groups: difference, no worse (one test: not worse by the margin),
            equivalence (two one-sided tests). Participants of the two datasets are taken as different people
    Raises  UnknownName: no such grouping; InputError: a margin outside 0 to 1
    """
    check_margin(ALL_RATES, margin)
    sides = [_Side(new, by, "new"), _Side(old, by, "old")]
    keys = [key for key in sides[0].members if key in sides[1].members and key != "all"]
    rows = _rows([None], sides, margin)
    parts = _rows(keys, sides, margin)
    return ReleaseComparison(
        new=sides[0].facts,
        old=sides[1].facts,
        margin=margin,
        by_what=by,
        rows=rows + parts,
        doubts=doubts(new, old),
    )


def _rows(keys: Sequence[str | None], sides: "list[_Side]", margin: float) -> list[ReleaseRow]:
    """The rows of these groups; their rates are one family."""
    names = [(key, name) for key in keys for name in (*RATES, *OTHERS)]
    rows = [row for key, name in names if (row := _row(name, key, sides, margin))]
    rates = [row for row in rows if row.measure in RATES]
    tested = sum(rate.p is not None for rate in rates)
    p_holm, no_worse, equivalent = (
        holm([of(row) for row in rates])
        for of in (lambda row: row.p, lambda row: row.no_worse.p, lambda row: row.equivalent.p)
    )
    settled = {
        (row.key, row.measure): replace(
            row,
            tested=tested,
            p_holm=p,
            no_worse=_settled(row.no_worse, worse),
            equivalent=_settled(row.equivalent, same),
        )
        for row, p, worse, same in zip(rates, p_holm, no_worse, equivalent, strict=True)
    }
    return [settled.get((row.key, row.measure), row) for row in rows]


def _settled(test: MarginTest, p_holm: float | None) -> MarginTest:
    return replace(test, p_holm=p_holm, shown=None if p_holm is None else p_holm < ALPHA)


class _Side:
    """One of the two datasets: components by measure, dialogues by group, participants as text."""

    def __init__(self, dataset: Dataset, by: str, name: str) -> None:
        all_groups = groups(dataset, by)
        self.members = {group.key: set(group.dialogue_ids) for group in all_groups}
        self.people = {
            dialogue_id: f"{name} {person if person is not None else f'dialogue {dialogue_id}'}"
            for group in all_groups
            for dialogue_id, person in zip(group.dialogue_ids, group.participants, strict=True)
        }
        self.parts: dict[Any, pd.DataFrame] = dict(list(components(dataset).groupby("measure", sort=False)))
        self.facts = ReleaseSide(
            study=dataset.study, data=dataset.hash, dialogues=len(self.people), simulated=dataset.simulated
        )

    def cases(self, measure: str, key: str | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = self.parts[measure]
        chosen = rows["dialogue_id"].isin(list(self.people if key is None else self.members[key]))
        people = np.array(
            [self.people[dialogue_id] for dialogue_id in rows["dialogue_id"][chosen]], dtype=object
        )
        return people, rows["numerator"].to_numpy()[chosen], rows["denominator"].to_numpy()[chosen]


def _row(name: str, key: str | None, sides: list[_Side], margin: float) -> ReleaseRow | None:
    if any(name not in side.parts for side in sides):
        return None
    (people_a, *a), (people_b, *b) = (side.cases(name, key) for side in sides)
    _, codes = np.unique(np.concatenate([people_a, people_b]).astype(str), return_inverse=True)
    split = np.split(codes, [len(people_a)])
    comparison = compare_clusters(split[0], split[1], (a[0], a[1]), (b[0], b[1]))
    if comparison is None:
        return None
    row = ReleaseRow(
        key=key,
        measure=name,
        unit=MEASURES.get(name).unit,
        new=float(a[0].sum() / a[1].sum()),
        old=float(b[0].sum() / b[1].sum()),
        new_n=round(float(a[1].sum())),
        old_n=round(float(b[1].sum())),
        difference=comparison.estimate,
        clusters=comparison.clusters,
        signature=signature(
            f"{name}_difference",
            unit="participant",
            n=comparison.clusters,
            data=sides[0].facts.data,
            against=sides[1].facts.data,
            group=key,
            interval=f"{comparison.method} {LEVEL}",
            margin=margin if name in RATES else None,
        ),
        low=comparison.low,
        high=comparison.high,
        p=comparison.p,
    )
    same = comparison.equivalence(margin, alpha=ALPHA) if name in RATES else None
    if same is None:
        return row
    lower_is_better = MEASURES.get(name).direction == "lower"
    return replace(
        row,
        low_90=same.interval.low,
        high_90=same.interval.high,
        equivalent=MarginTest(p=same.p),
        no_worse=MarginTest(p=same.p_upper if lower_is_better else same.p_lower),
    )
