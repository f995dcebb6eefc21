"""The full comparison of a dataset's systems: naive and clustered side by side, checks, items, family."""

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.log.dataset import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import components, sums
from vivavoce.stats.attainable_p import reach_warnings
from vivavoce.stats.clustered_summary import ClusteredSummary
from vivavoce.stats.equivalence import Margins, check_margins_used, equivalences, margin_of
from vivavoce.stats.family import ALPHA, comparison_key, decisive, explore_measure, settled
from vivavoce.stats.groups import Group, groups, natural_grouping
from vivavoce.stats.intervals import signed_difference
from vivavoce.stats.items import compare_items
from vivavoce.stats.models import Cases, check_models
from vivavoce.stats.multiple_testing import ADJUSTMENTS, adjusted, adjustment_words
from vivavoce.stats.proportions import Interval, cohen_h
from vivavoce.stats.rates import HEADLINES, is_rate
from vivavoce.stats.summary import LEVEL, MOST_COMPARED_GROUPS, UNCOMPARED, summarise

Facts = dict[str, Any]
Pair = tuple[str, str]
Places = tuple[int, int]


def compare_systems(
    dataset: Dataset,
    *,
    by: str | None = None,
    measures: Sequence[str] | None = None,
    pairs: Sequence[Pair] | None = None,
    margin: Margins = None,
    correction: str | None = None,
) -> Facts:
    """Compare groups of dialogues on measures, each p adjusted over the family that a report adjusts it over.

    Input   `measures`: the three success rates where not given; `pairs`: every pair of groups; `margin`:
            also test equivalence within it, see `margin_of`; `correction` in place of the declared one, or
            of Holm's
    Output  model, rates, tests, items (Likert answers), families, warnings. A test is of one estimand
            ("per word"): naive, clustered, effect and equivalence beside each other, and its `why` names the
            family of its p; `weighted` holds the same difference by other estimands (per dialogue, per
            participant), `models` by other models, each with an estimate, interval and p of its own
    Note    a measure that no report tests is a family of its own, over all pairs of groups: choosing
            measures and pairs changes no adjusted p
    Raises  UnknownName: a grouping, measure, group or correction that there is not; InputError: a margin
            that nothing can miss, or of what is not compared
    """
    if correction is not None and correction not in ADJUSTMENTS:
        raise UnknownName("correction", correction, list(ADJUSTMENTS))
    grouping = by or natural_grouping(dataset)
    names = [MEASURES.get(name, place="--measure").name for name in measures or HEADLINES]
    check_margins_used(margin, names)
    found = groups(dataset, grouping)
    chosen = _pairs(found, pairs, grouping)
    summary = summarise(dataset, grouping, correction=correction)
    parts = components(dataset)
    parts = pd.DataFrame(parts[parts["measure"].isin(names)])
    nested = ClusteredSummary(sums(dataset), found)
    used = [name for name in names if (parts.loc[parts["measure"] == name, "denominator"] > 0).any()]
    tests = [
        _test(nested, _Values(dataset, parts, found, name), name, pair, grouping, dataset.hash)
        for name in used
        for pair in chosen
    ]
    families = _adjust(summary, nested, tests, chosen, correction or "holm")
    compared = [
        nested.compare(name, *pair, level=LEVEL) if nested.known else None for name in used for pair in chosen
    ]
    for test, equal in zip(tests, equivalences(tests, compared, margin, correction or "holm"), strict=True):
        test["equivalence"] = equal
    items, of_items = _items(dataset, found, chosen, correction or "holm")
    families += of_items
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
        "families": families,
        "warnings": _out_of_reach(summary, tests, families)
        + (_unused(names, used) if summary["all"]["dialogues"] else [])
        + _without_margin(used, margin),
    }


def _adjust(
    summary: Facts, nested: ClusteredSummary, tests: list[Facts], chosen: list[Places], correction: str
) -> list[Facts]:
    """Give each test the adjusted p of its family; the families in the order of the tests."""
    known = settled(summary)
    every = list(combinations(range(len(nested.keys)), 2))
    places = every if len(nested.keys) <= MOST_COMPARED_GROUPS else chosen
    families: dict[str, Facts] = {}
    for test in tests:
        key = comparison_key(test)
        if key not in known:
            name, keys = test["measure"], nested.keys
            rest = [(a, b) for a, b in places if (name, frozenset((keys[a], keys[b]))) not in known]
            known |= explore_measure(nested, name, rest, correction, level=LEVEL)
        found = known.get(key, {"alpha": ALPHA, "p_adjusted": None, "family": None})
        p, family = found["p_adjusted"], found["family"]
        test |= {"alpha": found["alpha"], "significant": None if p is None else p < found["alpha"]}
        test["why"] = family["why"]
        decisive(test)["p_adjusted"] = p
        families[family["why"]] = family
    return list(families.values())


def _out_of_reach(summary: Facts, tests: list[Facts], families: list[Facts]) -> list[str]:
    """The summary's warnings with what was out of reach of these tests in the place of its own."""
    known = {one["why"]: one for one in families}
    others = [one for one in summary["warnings"] if one not in summary["out_of_reach"]]
    return others + reach_warnings((test, known[test["why"]]) for test in tests)


def _items(
    dataset: Dataset, found: list[Group], chosen: list[Places], correction: str
) -> tuple[list[Facts], list[Facts]]:
    """Answers on scales between the chosen groups; they are a family of their own, over all pairs."""
    every = list(combinations(range(len(found)), 2)) if len(found) <= MOST_COMPARED_GROUPS else []
    shown = {frozenset(pair): pair for pair in chosen}
    pairs = [*(pair for pair in every if frozenset(pair) not in shown), *chosen]
    items = compare_items(dataset, found, pairs) if chosen else []
    given = [item["superiority"]["p"] for item in items]
    for item, p in zip(items, adjusted(given, correction), strict=True):
        item["superiority"]["p_adjusted"] = p
    tested = sum(p is not None for p in given)
    words = adjustment_words(correction, tested, "comparison")
    family = {
        "name": "items",
        "correction": correction,
        "tests": tested,
        "untested": len(given) - tested,
        "measures": [],
        "why": f"Questionnaire items, explored: {words}.",
    }
    asked = {(found[a].key, found[b].key) for a, b in chosen}
    return [item for item in items if (item["a"], item["b"]) in asked], [family] if items else []


def _pairs(found: list[Group], asked: Sequence[Pair] | None, grouping: str) -> list[tuple[int, int]]:
    keys = [group.key for group in found]
    if asked is None:
        return [] if grouping in UNCOMPARED else list(combinations(range(len(found)), 2))
    for key in [key for pair in asked for key in pair]:
        if key not in keys:
            raise UnknownName(grouping, key, [str(key) for key in keys], place="--pair")
    if any(a == b for a, b in asked):
        raise InputError("a group against itself", place="--pair", hint="name two groups, such as A:B")
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


def _test(
    nested: ClusteredSummary, values: _Values, name: str, pair: Places, grouping: str, data: str
) -> Facts:
    """One difference: by its own estimand, by others, and by other models."""
    a, b = pair
    cases = values.pair(a, b)
    used = cases.known()
    unit = MEASURES.get(name).counted
    per = f"per {unit}"
    clustered = nested.test(name, a, b, level=LEVEL)
    naive, effect = _naive(nested, name, pair, used)
    test = {
        "measure": name,
        "a": nested.keys[a],
        "b": nested.keys[b],
        "unit": "participant" if nested.known else "case",
        "estimand": per,
        "n": len(used.people),
        "naive": naive,
        "clustered": clustered,
        "effect": effect,
        "weighted": _weighted(nested, name, pair, used),
        "models": _with_estimands(check_models(cases, LEVEL), per),
    }
    side = clustered if nested.known else naive
    signed = signed_difference({**test, **side}, grouping, len(used.people), data)
    return {**test, "signature": signed}


def _weighted(nested: ClusteredSummary, name: str, pair: Places, used: Cases) -> list[Facts]:
    """The same difference where each dialogue, or each participant, weighs the same."""
    several = len(used.denominators) > 0 and np.ptp(used.denominators) > 0
    weights = [*(["dialogue"] if several else []), *(["participant"] if nested.known else [])]
    return [
        {"estimand": f"per {one}", **nested.weighted(name, *pair, by=one, level=LEVEL)} for one in weights
    ]


def _with_estimands(models: Facts, per: str) -> Facts:
    """What each model's difference is of: it weighs cases in its own way."""
    counted = models["mixed"]["method"] == "mixed_logistic"
    named = {
        "bootstrap": per,
        "gee": f"{per if counted else 'per dialogue'}, weighted by the model",
        "mixed": "per participant, by the model" if counted else "per dialogue, weighted by the model",
    }
    return {name: {**one, "estimand": named[name]} for name, one in models.items()}


def _naive(nested: ClusteredSummary, name: str, pair: Places, used: Cases) -> tuple[Facts, Facts]:
    """The comparison as if every case were independent, of the same estimand, and the effect size."""
    nothing = dict.fromkeys(("difference", "low", "high", "p")) | {"method": "none"}
    if used.is_a.all() or not used.is_a.any():
        return nothing, {"name": None, "value": None}
    if used.counted:
        facts = nested.naive(name, *pair, level=LEVEL)
        sides = (used.is_a, ~used.is_a)
        counts = [round(float(part[side].sum())) for side in sides for part in used[:2]]
        facts["method"] = "z_pooled, newcombe"
        return facts, {"name": "cohen_h", "value": cohen_h(counts[0], counts[1], counts[2], counts[3])}
    if np.ptp(used.denominators):
        facts = nested.weighted(name, *pair, by="case", level=LEVEL)
        return facts | {"method": "ratio_of_independent_dialogues"}, {"name": None, "value": None}
    return _welch(used)


def _welch(used: Cases) -> tuple[Facts, Facts]:
    """Means of the dialogues' own values by Welch's t, and Cohen's d."""
    values = used.numerators / used.denominators
    first, second = values[used.is_a], values[~used.is_a]
    difference = float(first.mean() - second.mean())
    facts: Facts = {"difference": difference, "low": None, "high": None, "p": None, "method": "welch"}
    if min(len(first), len(second)) < 2 or np.ptp(values) == 0:
        return facts, {"name": "cohen_d", "value": None}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)  # one group holds one value alone
        found: Any = ttest_ind(first, second, equal_var=False)
    span = Interval(*(float(end) for end in found.confidence_interval(LEVEL)))
    spread = float(np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2))
    facts |= {"low": span.low, "high": span.high, "p": float(found.pvalue)}
    return facts, {"name": "cohen_d", "value": difference / spread if spread else None}


def _rate(summary: Facts, nested: ClusteredSummary, name: str, place: int, group: Group) -> Facts:
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
        "clustered": summary["by"][place]["measures"][name]["clustered"],
    }


def _without_margin(names: list[str], margin: Margins) -> list[str]:
    """Measures that a margin was given beside, and not for."""
    without = [name for name in names if margin_of(name, margin) is None] if margin is not None else []
    return [f"No margin was given for {name}: say --margin {name}=VALUE in its own unit." for name in without]


def _unused(names: list[str], used: list[str]) -> list[str]:
    return [f"Nothing was counted for {name}." for name in names if name not in used]
