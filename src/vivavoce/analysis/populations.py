"""Two populations on the same systems, as a crowd against a laboratory: do they tell the same story?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import kendalltau, spearmanr

from vivavoce.analysis.declared import Margins, check_margins_used, margin_of
from vivavoce.analysis.summary import LEVEL
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import components, compute, groups
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.stats.difference import compare_clusters
from vivavoce.stats.interval import Interval
from vivavoce.stats.usage_skew import concentration


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Kendall's tau and Spearman's rho of the systems' values, and whether their order is the same."""

    systems: int
    tau: float | None
    rho: float | None
    same_order: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationDifference:
    """a minus b of a measure in a group, participants of the two being different people.

    Empty  a side without cases: all None; no margin or interval: no equivalence
    """

    measure: str
    key: str | None
    difference: float | None = None
    se: float | None = None
    interval_90: Interval | None = None
    p_equivalent: float | None = None
    equivalent: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationTrial:
    """One of the two trials; None: no participant known, no cost given."""

    study: str
    dialogues: int
    participants: int
    calls_per_user: float | None
    cost_per_call: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationComparison:
    """Two trials on the same systems; margins and ranks by measure."""

    margins: Mapping[str, float | None]
    level: float
    by: Sequence[PopulationDifference]
    ranks: Mapping[str, RankAgreement]
    trials: Sequence[PopulationTrial]


def rank_agreement(a: Mapping[Any, float], b: Mapping[Any, float]) -> RankAgreement:
    """Agreement of two populations on the ranking of the systems that both met.

    Empty   fewer than 2 common systems, or a population in which all are equal: tau and rho missing
    """
    names = [name for name in a if name in b]
    first, second = [a[name] for name in names], [b[name] for name in names]
    order = sorted(names, key=lambda name: -a[name]) == sorted(names, key=lambda name: -b[name])
    if len(set(first)) < 2 or len(set(second)) < 2:
        return RankAgreement(len(names), None, None, order)
    tau: Any = kendalltau(first, second)
    rho: Any = spearmanr(first, second)
    return RankAgreement(len(names), float(tau.statistic), float(rho.statistic), order)


def compare_populations(
    a: Dataset,
    b: Dataset,
    *,
    by: str = "system",
    margin: Margins = 0.1,
    costs: tuple[float | None, float | None] = (None, None),
) -> PopulationComparison:
    """Two datasets of the same systems: success rates, WER, ranks, calls per user, cost per call.

    Input   `costs`: what each trial cost in all, in one currency
    Output  differences with equivalence within the measure's margin, where `margin_of` knows one
    Raises  InputError: no system in common
    """
    groups_by_key = [{group.key: group for group in groups(dataset, by)} for dataset in (a, b)]
    common = [key for key in groups_by_key[0] if key in groups_by_key[1]]
    if not common:
        raise InputError("the two datasets have no system in common", hint=f"choose another --by than {by}")
    names = [*HEADLINES, "word_error_rate"]
    check_margins_used(margin, names)
    parts = [components(dataset, names).set_index(["measure", "dialogue_id"]) for dataset in (a, b)]
    rows = [
        _difference(name, key, groups_by_key, parts, margin_of(name, margin))
        for name in names
        for key in common
    ]
    ranks = {}
    for name in names:
        values = [_values(dataset, name, by) for dataset in (a, b)]
        shared = [{key: value[key] for key in common if key in value} for value in values]
        ranks[name] = rank_agreement(*shared)
    return PopulationComparison(
        margins={name: margin_of(name, margin) for name in names},
        level=LEVEL,
        by=rows,
        ranks=ranks,
        trials=[_trial(dataset, cost) for dataset, cost in zip((a, b), costs, strict=True)],
    )


def _difference(
    name: str, key: str | None, groups_by_key: list[Any], parts: list[Any], margin: float | None
) -> PopulationDifference:
    sides, people = [], []
    for side, (side_groups, part) in enumerate(zip(groups_by_key, parts, strict=True)):
        rows = part.loc[name].loc[side_groups[key].dialogue_ids]
        sides.append((rows["numerator"].to_numpy(dtype=float), rows["denominator"].to_numpy(dtype=float)))
        names = [
            f"{side} {person or dialogue}"
            for person, dialogue in zip(
                side_groups[key].participants, side_groups[key].dialogue_ids, strict=True
            )
        ]
        people.append(names)
    code_of = {person: code for code, person in enumerate(dict.fromkeys(people[0] + people[1]))}
    codes = [_codes(person, code_of) for person in people]
    test = compare_clusters(codes[0], codes[1], sides[0], sides[1])
    if test is None:
        return PopulationDifference(measure=name, key=key)
    result_so_far = PopulationDifference(measure=name, key=key, difference=test.estimate, se=test.se)
    equal = test.equivalence(margin) if margin is not None else None
    if equal is None:
        return result_so_far
    return replace(
        result_so_far, interval_90=equal.interval, p_equivalent=equal.p, equivalent=equal.equivalent
    )


def _codes(people: list[str], code_of: dict[str, int]) -> Any:
    return np.array([code_of[person] for person in people])


def _trial(dataset: Dataset, cost: float | None) -> PopulationTrial:
    people = dataset.read("dialogues").column("participant_id").to_pylist()
    spread = concentration(people)
    return PopulationTrial(
        study=dataset.study,
        dialogues=len(people),
        participants=spread.participants,
        calls_per_user=spread.mean,
        cost_per_call=cost / len(people) if cost is not None and people else None,
    )


def _values(dataset: Dataset, name: str, by: str) -> dict[str | None, float]:
    """The value of a measure by group, groups without any left out."""
    rows = compute(dataset, [name], by)
    pairs = zip(rows["key"].tolist(), rows["value"].tolist(), strict=True)
    return {key: float(value) for key, value in pairs if value is not None and value == value}
