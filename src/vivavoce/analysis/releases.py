"""A new version against the last one: the same measures of two datasets, and whether anything got worse.

Warnings say what makes a difference between the two datasets doubtful.

Source  Schuirmann 1987; non-inferiority by one test against a margin named beforehand: Piaggio et al. 2012
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

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
from vivavoce.stats.margins import ScoreTest, clustered_pairs, clustered_rates
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
FEWEST: Final = 2  # people
MOST_UNPAIRED: Final = 0.1  # share of the dialogues of either side


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTest:
    """A test against the margin: `shown` by the adjusted p. Empty: no rate: all None."""

    p: float | None = None
    p_holm: float | None = None
    shown: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """A measure of a group (None: of the whole): new minus old, in the unit of the measure.

    tested            over how many p is adjusted; 0 of measures that are no rates, as their p_holm is None
    low_90, high_90   by which is decided whether a rate is no worse, or equivalent
    pairs             dialogues of the same simulated callers in both datasets, on which all figures rest;
                      None: not paired
    too_few           even without a failure so few people could not show that a rate is no worse
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
    pairs: int | None = None
    too_few: bool = False
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
            equivalence (two one-sided tests). Simulated callers with the same seed, population and number
            are the same; their dialogues are paired by number and task. Others are different people
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
    """One of the two datasets: components by measure, dialogues by group, participants and pair keys."""

    def __init__(self, dataset: Dataset, by: str, name: str) -> None:
        all_groups = groups(dataset, by)
        callers = _callers(dataset)
        self.members = {group.key: set(group.dialogue_ids) for group in all_groups}
        self.people = {
            dialogue_id: callers.get(person or "") or f"{name} {person or f'dialogue {dialogue_id}'}"
            for group in all_groups
            for dialogue_id, person in zip(group.dialogue_ids, group.participants, strict=True)
        }
        self.pair_keys = _pair_keys(dataset, callers)
        self.parts: dict[Any, pd.DataFrame] = dict(list(components(dataset).groupby("measure", sort=False)))
        self.facts = ReleaseSide(
            study=dataset.study, data=dataset.hash, dialogues=len(self.people), simulated=dataset.simulated
        )

    def cases(self, measure: str, key: str | None) -> pd.DataFrame:
        """Cases of a measure in a group: person, pair, numerator, denominator."""
        rows: Any = self.parts[measure]
        rows = rows[rows["dialogue_id"].isin(list(self.people if key is None else self.members[key]))]
        rows = rows[(rows["denominator"] > 0) | (rows["numerator"] != 0)]
        ids = rows["dialogue_id"]
        return rows.assign(person=ids.map(self.people), pair=ids.map(self.pair_keys))


def _callers(dataset: Dataset) -> dict[str, str]:
    """Simulated participants whom a run with the same seed would call again, by what identifies them."""
    rows = dataset.read("participants", ["participant_id", "simulated", "attributes"]).to_pylist()
    callers = {}
    for row in rows:
        attributes = json.loads(row["attributes"] or "{}") if row["simulated"] else {}
        if {"caller", "seed"} <= attributes.keys():
            number, seed, population = (attributes.get(name) for name in ("caller", "seed", "population"))
            callers[row["participant_id"]] = f"caller {number} of {population}, seed {seed}"
    return callers if len(set(callers.values())) == len(callers) else {}


def _pair_keys(dataset: Dataset, callers: dict[str, str]) -> dict[str, str]:
    """What pairs a dialogue with one of another run: its caller, number and task."""
    columns = ["dialogue_id", "participant_id", "dialogue_number", "task_id"]
    return {
        row["dialogue_id"]: f"{callers[row['participant_id']]}, {row['dialogue_number']}, {row['task_id']}"
        for row in dataset.read("dialogues", columns).to_pylist()
        if row["participant_id"] in callers
    }


def _paired(new: pd.DataFrame, old: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """The cases that both sides have, in one order; None where too many have no partner."""
    keys = [side["pair"].dropna() for side in (new, old)]
    common = set(keys[0]) & set(keys[1])
    fewest = (1 - MOST_UNPAIRED) * max(len(new), len(old))
    if len(common) < max(fewest, 1) or any(side.duplicated().any() for side in keys):
        return None
    order = sorted(common)
    return new.set_index("pair").loc[order], old.set_index("pair").loc[order]


def _row(name: str, key: str | None, sides: list[_Side], margin: float) -> ReleaseRow | None:
    if any(name not in side.parts for side in sides):
        return None
    new, old = (side.cases(name, key) for side in sides)
    pairs = _paired(new, old)
    if pairs is not None:
        new, old = pairs
    codes = np.unique([*new["person"], *old["person"]], return_inverse=True)[1]
    people = codes[: len(new)], codes[len(new) :]
    tops, bottoms = (
        [side[column].to_numpy() for side in (new, old)] for column in ("numerator", "denominator")
    )
    comparison = compare_clusters(*people, (tops[0], bottoms[0]), (tops[1], bottoms[1]))
    if comparison is None:
        return None
    row = ReleaseRow(
        key=key,
        measure=name,
        unit=MEASURES.get(name).unit,
        new=float(tops[0].sum() / bottoms[0].sum()),
        old=float(tops[1].sum() / bottoms[1].sum()),
        new_n=round(float(bottoms[0].sum())),
        old_n=round(float(bottoms[1].sum())),
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
            pairs=None if pairs is None else len(new),
        ),
        low=comparison.low,
        high=comparison.high,
        p=comparison.p,
        pairs=None if pairs is None else len(new),
    )
    if name not in RATES or comparison.clusters < FEWEST:
        return row
    tests = _paired_tests(people[0], tops, bottoms) if pairs else _unpaired_tests(people, tops, bottoms)
    if row.p is None or row.low is None:
        low, high = tests.difference.interval(LEVEL)
        row = replace(row, low=low, high=high, p=tests.difference.p())
    return replace(row, **_margin_facts(name, tests, margin))


class _Tests(NamedTuple):
    """Tests of a rate: of a difference, against a margin, and against it had nothing failed."""

    difference: ScoreTest
    margin: ScoreTest
    best: ScoreTest


def _paired_tests(callers: np.ndarray, tops: list[np.ndarray], bottoms: list[np.ndarray]) -> _Tests:
    test = clustered_pairs(tops[0], tops[1], callers)
    return _Tests(test, test, clustered_pairs(bottoms[0], bottoms[1], callers))


def _unpaired_tests(
    people: tuple[np.ndarray, np.ndarray], tops: list[np.ndarray], bottoms: list[np.ndarray]
) -> _Tests:
    size = int(max(codes.max() for codes in people)) + 1
    successes, cases = (
        [np.bincount(codes, values, size).astype(float) for codes, values in zip(people, sides, strict=True)]
        for sides in (tops, bottoms)
    )
    return _Tests(
        clustered_rates(successes[0], cases[0], successes[1], cases[1], correct=True),
        clustered_rates(successes[0], cases[0], successes[1], cases[1]),
        clustered_rates(cases[0], cases[0], cases[1], cases[1]),
    )


def _margin_facts(name: str, tests: _Tests, margin: float) -> dict[str, Any]:
    """Interval and tests against the margin."""
    above, below = tests.margin.p(-margin, "greater"), tests.margin.p(margin, "less")
    low, high = tests.margin.interval(1 - 2 * ALPHA)
    return {
        "low_90": low,
        "high_90": high,
        "equivalent": MarginTest(p=max(above, below)),
        "no_worse": MarginTest(p=below if MEASURES.get(name).direction == "lower" else above),
        "too_few": tests.best.p(-margin, "greater") >= ALPHA,
    }
