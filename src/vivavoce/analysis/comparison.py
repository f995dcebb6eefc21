"""The full comparison of a dataset's systems: naive and clustered side by side, checks, items, family."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from vivavoce.analysis.equivalence import equivalence
from vivavoce.analysis.families import ADJUSTMENTS
from vivavoce.analysis.groups import Group, groups, natural_grouping
from vivavoce.analysis.items import compare_items
from vivavoce.analysis.models import Cases, check_models
from vivavoce.analysis.nested import Nested
from vivavoce.analysis.proportions import Interval, cohen_h, newcombe, two_proportion_z
from vivavoce.analysis.summary import (
    HEADLINES,
    LEVEL,
    UNCOMPARED,
    is_rate,
    signed_difference,
    summarise,
)
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.log.dataset import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import components, sums

Facts = dict[str, Any]
Pair = tuple[str, str]


def compare_systems(
    dataset: Dataset,
    *,
    by: str | None = None,
    measures: Sequence[str] | None = None,
    pairs: Sequence[Pair] | None = None,
    margin: float | None = None,
    correction: str = "holm",
) -> Facts:
    """Compare groups of dialogues on measures, and adjust over everything that is compared here.

    Input   `measures`: the three success rates where not given; `pairs`: every pair of groups; `margin`:
            also test equivalence within it
    Output  model, rates, tests (naive, clustered, models, equivalence, effect), items (Likert answers),
            family, warnings; `p_adjusted` is over the family, which is all tests of this call
    Raises  UnknownName: a grouping, measure, group or correction that there is not
    """
    if correction not in ADJUSTMENTS:
        raise UnknownName("correction", correction, list(ADJUSTMENTS))
    grouping = by or natural_grouping(dataset)
    names = [MEASURES.get(name, place="--measure").name for name in measures or HEADLINES]
    found = groups(dataset, grouping)
    chosen = _pairs(found, pairs, grouping)
    summary = summarise(dataset, grouping)
    parts = components(dataset)
    parts = pd.DataFrame(parts[parts["measure"].isin(names)])
    nested = Nested(sums(dataset), found)
    used = [name for name in names if (parts.loc[parts["measure"] == name, "denominator"] > 0).any()]
    tests = [
        _test(nested, _Values(dataset, parts, found, name), name, a, b, margin)
        for name in used
        for a, b in chosen
    ]
    for test in tests:
        naive = {**test, "method": test["naive"]["method"]}
        told = test["measure"], grouping, naive, test["clustered"], test["n"]
        test["signature"] = signed_difference(*told, dataset.hash)
    adjust = ADJUSTMENTS[correction]
    for side in ("naive", "clustered"):
        for test, p in zip(tests, adjust([test[side]["p"] for test in tests]), strict=True):
            test[side].pop("p_holm", None)
            test[side]["p_adjusted"] = p
    items = compare_items(dataset, found, chosen)
    for item, p in zip(items, adjust([item["superiority"]["p"] for item in items]), strict=True):
        item["superiority"]["p_adjusted"] = p
    return {
        "study": summary["study"],
        "simulated": summary["simulated"],
        "by_what": grouping,
        "data": summary["data"],
        "vivavoce": summary["vivavoce"],
        "level": LEVEL,
        "model": summary["model"],
        "rates": [
            _rate(summary, nested, name, place, group) for name in used for place, group in enumerate(found)
        ],
        "tests": tests,
        "items": items,
        "family": _family(
            sum(test["clustered"]["p"] is not None for test in tests),
            sum(item["superiority"]["p"] is not None for item in items),
            used,
            correction,
        ),
        "warnings": summary["warnings"] + _unused(names, used),
    }


def _pairs(found: list[Group], asked: Sequence[Pair] | None, grouping: str) -> list[tuple[int, int]]:
    keys = [group.key for group in found]
    if asked is None:
        return [] if grouping in UNCOMPARED else list(combinations(range(len(found)), 2))
    for key in [key for pair in asked for key in pair]:
        if key not in keys:
            raise UnknownName(grouping, key, [str(key) for key in keys], place="--pair")
    if any(a == b for a, b in asked):
        raise InputError("a group against itself", place="--pair", cure="name two groups, such as A:B")
    return [(keys.index(a), keys.index(b)) for a, b in asked]


class _Values:
    """One measure as arrays by group, for the models."""

    def __init__(self, dataset: Dataset, parts: pd.DataFrame, found: list[Group], name: str) -> None:
        table = dataset.read("dialogues").select(["dialogue_id", "participant_id", "task_id"]).to_pandas()
        rows = parts[parts["measure"] == name].merge(table, on="dialogue_id")
        known = rows["participant_id"].notna()
        self._rows = rows.set_index("dialogue_id")
        people = rows["participant_id"].where(known, "\0" + rows["dialogue_id"])
        self._rows["person"] = pd.factorize(people, sort=True)[0]
        self._rows["task"] = pd.factorize(rows["task_id"].fillna(""), sort=True)[0]
        self._found = found

    def pair(self, a: int, b: int) -> Cases:
        first, second = (self._rows.loc[self._found[place].dialogue_ids] for place in (a, b))
        both = pd.concat([first, second])
        return Cases(
            both["numerator"].to_numpy(dtype=float),
            both["denominator"].to_numpy(dtype=float),
            both["person"].to_numpy(),
            both["task"].to_numpy(),
            np.arange(len(both)) < len(first),
        )


def _test(nested: Nested, values: _Values, name: str, a: int, b: int, margin: float | None) -> Facts:
    cases = values.pair(a, b)
    clustered = nested.test(name, a, b, level=LEVEL)
    naive, effect = _naive(cases)
    equal = None
    if margin is not None and clustered["se"]:
        test = equivalence(clustered["difference"], clustered["se"], margin, df=clustered["df"])
        equal = {**test._asdict(), "interval": list(test.interval)}
    return {
        "measure": name,
        "a": nested.keys[a],
        "b": nested.keys[b],
        "n": int((cases.denominators > 0).sum()),
        "naive": naive,
        "clustered": clustered,
        "effect": effect,
        "models": check_models(cases, LEVEL),
        "equivalence": equal,
    }


def _naive(cases: Cases) -> tuple[Facts, Facts]:
    """The comparison as if every case were independent, and the effect size."""
    used = cases.known()
    facts: Facts = dict.fromkeys(("difference", "low", "high", "p"))
    if used.is_a.all() or not used.is_a.any():
        return {**facts, "method": "none"}, {"name": None, "value": None}
    if cases.counted:
        a, n_a, b, n_b = (
            round(float(values[side].sum()))
            for side in (used.is_a, ~used.is_a)
            for values in (used.numerators, used.denominators)
        )
        test, span = two_proportion_z(a, n_a, b, n_b), newcombe(a, n_a, b, n_b, level=LEVEL)
        facts = {
            "difference": a / n_a - b / n_b,
            "low": span.low if span else None,
            "high": span.high if span else None,
            "p": test.p if test else None,
            "method": "z_pooled, newcombe",
        }
        return facts, {"name": "cohen_h", "value": cohen_h(a, n_a, b, n_b)}
    return _welch(used)


def _welch(used: Cases) -> tuple[Facts, Facts]:
    """Means of the dialogues' own values by Welch's t, and Cohen's d."""
    values = used.numerators / used.denominators
    first, second = values[used.is_a], values[~used.is_a]
    difference = float(first.mean() - second.mean())
    facts: Facts = {"difference": difference, "low": None, "high": None, "p": None, "method": "welch"}
    if min(len(first), len(second)) < 2 or np.ptp(values) == 0:
        return facts, {"name": "cohen_d", "value": None}
    found: Any = ttest_ind(first, second, equal_var=False)
    span = Interval(*(float(end) for end in found.confidence_interval(LEVEL)))
    spread = float(np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2))
    facts |= {"low": span.low, "high": span.high, "p": float(found.pvalue)}
    return facts, {"name": "cohen_d", "value": difference / spread if spread else None}


def _rate(summary: Facts, nested: Nested, name: str, place: int, group: Group) -> Facts:
    measured = summary["by"][place]["measures"].get(name, {})
    naive = summary["by"][place].get(name, {}) if is_rate(name) else {}
    return {
        "measure": name,
        "key": group.key,
        "value": measured.get("value"),
        "n": measured.get("denominator") or 0,
        "naive": {
            "low": naive.get("low"),
            "high": naive.get("high"),
            "method": "wilson" if is_rate(name) else "none",
        },
        "clustered": nested.rate(name, place, level=LEVEL),
    }


def _family(tests: int, items: int, names: list[str], correction: str) -> Facts:
    label = correction.replace("_", "-").title() if correction != "holm" else "Holm"
    why = f"{label} over the {_comparisons(tests)} above ({', '.join(names)})"
    why += f", and apart from them over the {_comparisons(items)} of questionnaire items." if items else "."
    return {"correction": correction, "tests": tests, "items": items, "measures": names, "why": why}


def _comparisons(number: int) -> str:
    return f"{number} comparison{'' if number == 1 else 's'}"


def _unused(names: list[str], used: list[str]) -> list[str]:
    return [f"Nothing was counted for {name}." for name in names if name not in used]
