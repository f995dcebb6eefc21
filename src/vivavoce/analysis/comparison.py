"""The full comparison of a dataset's systems: naive and clustered side by side, checks, items, family."""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from vivavoce.analysis.clustered_summary import ClusteredSummary, GroupQuestion, Weighing, signed_difference
from vivavoce.analysis.declared import (
    Margins,
    check_margins_used,
    comparison_key,
    declaration,
    declared_margins,
    equivalences,
    explore_measure,
    margin_of,
    no_worse_tests,
    possible_margins,
    settled,
)
from vivavoce.analysis.summary import LEVEL, MOST_COMPARED_GROUPS, UNCOMPARED, summarise
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.executor import in_pieces
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import Group, components, groups, natural_grouping, sums
from vivavoce.stats.declared_results import HEADLINES, Family, is_rate
from vivavoce.stats.models import Cases, check_models, no_models
from vivavoce.stats.multiple_testing import ADJUSTMENTS, adjusted, adjustment_words
from vivavoce.stats.proportions import Interval, cohen_h
from vivavoce.stats.ranks import clustered_superiority, mann_whitney, ordinal_regression
from vivavoce.stats.summary_results import (
    ClusteredDifference,
    EffectSize,
    GroupSummary,
    GroupValue,
    ItemComparison,
    ModelDifference,
    NaiveDifference,
    NaiveInterval,
    PlainDifference,
    RankSum,
    Summary,
    SystemsCompared,
    SystemTest,
    WeightedDifference,
    reach_warnings,
)

FEWEST_CODES: Final = 3


def compare_items(
    dataset: Dataset, all_groups: Sequence[Group], pairs: Sequence[tuple[int, int]]
) -> list[ItemComparison]:
    """Every item with at least 3 different codes, every pair: Mann-Whitney, clustered superiority, odds.

    Input   raw codes of ratings about dialogues; the codes' order is taken as given (reverse-coded items
            read the other way round)
    Empty   no such item, or no pair: []
    """
    return [
        _compare(all_groups, instrument, item_id, answers, a, b)
        for (instrument, item_id), answers in _answers(dataset, all_groups).items()
        for a, b in pairs
        if answers[a] and answers[b]
    ]


def _answers(
    dataset: Dataset, all_groups: Sequence[Group]
) -> dict[tuple[str, str], list[list[tuple[float, str]]]]:
    """(value, participant) by item and group."""
    place = {
        dialogue_id: index for index, group in enumerate(all_groups) for dialogue_id in group.dialogue_ids
    }
    items: defaultdict[tuple[str, str], list[list[tuple[float, str]]]] = defaultdict(
        lambda: [[] for _ in all_groups]
    )
    for row in dataset.read("ratings").to_pylist():
        if row["value"] is not None and row["role"] is None and row["dialogue_id"] in place:
            person = row["participant_id"] or f"dialogue {row['dialogue_id']}"
            items[row["instrument"], row["item_id"]][place[row["dialogue_id"]]].append((row["value"], person))
    return {
        key: answers
        for key, answers in items.items()
        if len({value for group in answers for value, _ in group}) >= FEWEST_CODES
    }


def _compare(
    all_groups: Sequence[Group],
    instrument: str,
    item_id: str,
    answers: list[list[tuple[float, str]]],
    a: int,
    b: int,
) -> ItemComparison:
    values, people = zip(*(zip(*answers[place], strict=True) for place in (a, b)), strict=True)
    naive = mann_whitney(values[0], values[1])
    return ItemComparison(
        instrument=instrument,
        item_id=item_id,
        a=all_groups[a].key,
        b=all_groups[b].key,
        n_a=len(values[0]),
        n_b=len(values[1]),
        mann_whitney=RankSum(u=naive.u if naive else None, p=naive.p if naive else None),
        cliff_delta=naive.cliff_delta if naive else None,
        superiority=clustered_superiority(*values, *people),
        ordinal=ordinal_regression(*values, *people),
    )


WEIGHED_LABELS: Final = "Labels weigh by their chances, which this model does not know."
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
) -> SystemsCompared:
    """Compare groups of dialogues on measures, each p adjusted over the family that a report adjusts it over.

    Input   `measures`: the three success rates where not given; `pairs`: every pair of groups; `margin`:
            also test equivalence within it, see `margin_of`, and whether either is no worse by it; without
            it the declared margins count, as declared; `correction` in place of the declared one, or
            of Holm's
    Output  a test's `why` names the family of its p; `weighted` holds the same difference by other estimands
            (per dialogue, per participant), `models` by other models, each with an estimate, interval and p
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
    system_groups = groups(dataset, grouping)
    chosen = _pairs(system_groups, pairs, grouping)
    summary = summarise(dataset, grouping, correction=correction)
    parts = components(dataset)
    parts = pd.DataFrame(parts[parts["measure"].isin(names)])
    nested = ClusteredSummary(sums(dataset), system_groups)
    used = [name for name in names if (parts.loc[parts["measure"] == name, "denominator"] > 0).any()]
    requests: list[tuple[str, Places, Cases]] = []
    for name in used:
        values = _Values(dataset, parts, system_groups, name)
        requests += [(name, pair, values.pair(*pair)) for pair in chosen]
    nested.ask(
        (
            GroupQuestion(name, *pair, by)
            for name, pair, cases in requests
            for by in (None, *_weights(nested, cases.known()))
        ),
        level=LEVEL,
    )
    models = in_pieces(partial(check_models, level=LEVEL), [cases for *_, cases in requests])
    tests = [
        _test(nested, request, models_of_pair, grouping, dataset.hash)
        for request, models_of_pair in zip(requests, models, strict=True)
    ]
    tests, families = _adjust(summary, nested, tests, chosen, correction or "holm")
    items, of_items = _items(dataset, system_groups, chosen, correction or "holm")
    return SystemsCompared(
        study=summary.study,
        simulated=summary.simulated,
        by_what=grouping,
        data=summary.data,
        vivavoce=summary.vivavoce,
        level=LEVEL,
        model=summary.model,
        rates=[_rate(row, name) for name in used for row in summary.by],
        tests=_within_margins(summary, nested, tests, margin, correction or "holm"),
        items=items,
        families=families + of_items,
        warnings=_out_of_reach(summary, tests, families + of_items)
        + ([*_unused(names, used), *_untested(summary, names)] if summary.all.dialogues else [])
        + _without_margin(used, margin)
        + (_explored(dataset, used, margin) if summary.all.dialogues else []),
    )


def _adjust(
    summary: Summary, nested: ClusteredSummary, tests: list[SystemTest], chosen: list[Places], correction: str
) -> tuple[list[SystemTest], list[Family]]:
    """Each test with the adjusted p of its family; the families in the order of the tests."""
    verdicts = settled(summary)
    all_pairs = list(combinations(range(len(nested.keys)), 2))
    places = all_pairs if len(nested.keys) <= MOST_COMPARED_GROUPS else chosen
    adjusted_tests: list[SystemTest] = []
    families: dict[LocalizedText, Family] = {}
    for test in tests:
        key = comparison_key(test)
        if key not in verdicts:
            name, keys = test.measure, nested.keys
            remaining = [(a, b) for a, b in places if (name, frozenset((keys[a], keys[b]))) not in verdicts]
            verdicts |= explore_measure(nested, name, remaining, correction, level=LEVEL)
        verdict = verdicts[key]
        families[verdict.family.why] = verdict.family
        adjusted_tests.append(_settle(test, verdict.alpha, verdict.p_adjusted, verdict.family.why))
    return adjusted_tests, list(families.values())


def _within_margins(
    summary: Summary, nested: ClusteredSummary, tests: list[SystemTest], margin: Margins, correction: str
) -> list[SystemTest]:
    """Each test with its equivalence and what follows: within a margin that was given, else declared."""
    if margin is None:
        margins_of = declared_margins(summary)
        margin_tests = [margins_of.get((test.measure, test.a, test.b), (None, ())) for test in tests]
        return [
            replace(test, equivalence=equal, no_worse=worse)
            for test, (equal, worse) in zip(tests, margin_tests, strict=True)
        ]
    place = {key: number for number, key in enumerate(nested.keys)}
    compared = [
        (
            test.measure,
            nested.compare(test.measure, place[test.a], place[test.b], level=LEVEL) if nested.known else None,
        )
        for test in tests
    ]
    equal = equivalences(compared, margin, correction)
    worse = no_worse_tests(
        ((test.measure, test.a, test.b, equivalence) for test, equivalence in zip(tests, equal, strict=True)),
        correction,
    )
    return [
        replace(test, equivalence=same, no_worse=no_worse)
        for test, same, no_worse in zip(tests, equal, worse, strict=True)
    ]


def _settle(test: SystemTest, alpha: float, p: float | None, why: LocalizedText) -> SystemTest:
    settled_test = replace(test, alpha=alpha, significant=None if p is None else p < alpha, why=why)
    if test.unit == "participant":
        return replace(settled_test, clustered=replace(test.clustered, p_adjusted=p))
    return replace(settled_test, p_adjusted=p)


def _out_of_reach(summary: Summary, tests: list[SystemTest], families: list[Family]) -> list[LocalizedText]:
    """Warnings of the summary, with those on unreachable p replaced by these tests'."""
    family_by_reason = {family.why: family for family in families}
    other_warnings = [warning for warning in summary.warnings if warning not in summary.out_of_reach]
    return other_warnings + reach_warnings((test, family_by_reason[test.why]) for test in tests)


def _items(
    dataset: Dataset, all_groups: list[Group], chosen: list[Places], correction: str
) -> tuple[list[ItemComparison], list[Family]]:
    """Answers on scales between the chosen groups; they are a family of their own, over all pairs."""
    all_pairs = (
        list(combinations(range(len(all_groups)), 2)) if len(all_groups) <= MOST_COMPARED_GROUPS else []
    )
    pair_order = {frozenset(pair): pair for pair in chosen}
    pairs = [*(pair for pair in all_pairs if frozenset(pair) not in pair_order), *chosen]
    items = compare_items(dataset, all_groups, pairs) if chosen else []
    p_values = [item.superiority.p for item in items]
    items = [
        replace(item, superiority=replace(item.superiority, p_adjusted=p))
        for item, p in zip(items, adjusted(p_values, correction), strict=True)
    ]
    tested = sum(p is not None for p in p_values)
    words = adjustment_words(correction, tested, "comparison")
    family = Family(
        name="items",
        correction=correction,
        tests=tested,
        untested=len(p_values) - tested,
        why=statement("Questionnaire items, exploratory: {words}.", words=words),
    )
    chosen_keys = {(all_groups[a].key, all_groups[b].key) for a, b in chosen}
    return [item for item in items if (item.a, item.b) in chosen_keys], [family] if items else []


def _pairs(all_groups: list[Group], requested: Sequence[Pair] | None, grouping: str) -> list[tuple[int, int]]:
    keys = [group.key for group in all_groups]
    if requested is None:
        return [] if grouping in UNCOMPARED else list(combinations(range(len(all_groups)), 2))
    for key in [key for pair in requested for key in pair]:
        if key not in keys:
            raise UnknownName(grouping, key, [str(key) for key in keys], place="--pair")
    if any(a == b for a, b in requested):
        raise InputError(
            "a group cannot be compared with itself", place="--pair", hint="name two groups, such as A:B"
        )
    return [(keys.index(a), keys.index(b)) for a, b in requested]


class _Values:
    """One measure as arrays by group, for the models."""

    def __init__(self, dataset: Dataset, parts: pd.DataFrame, all_groups: list[Group], name: str) -> None:
        table = dataset.read("dialogues").select(["dialogue_id", "participant_id", "task_id"]).to_pandas()
        rows = parts[parts["measure"] == name].merge(table, on="dialogue_id")
        has_participant = rows["participant_id"].notna()
        self._rows = rows.set_index("dialogue_id")
        people = rows["participant_id"].where(has_participant, "\0" + rows["dialogue_id"])
        self._rows["person"] = pd.factorize(people, sort=True)[0]
        self._rows["task"] = pd.factorize(rows["task_id"].fillna(""), sort=True)[0]
        self._found = all_groups

    def pair(self, a: int, b: int) -> Cases:
        first, second = (self._rows.loc[self._found[place].dialogue_ids] for place in (a, b))
        frame = pd.concat([first, second])
        return Cases(
            frame["numerator"].to_numpy(dtype=float),
            frame["denominator"].to_numpy(dtype=float),
            frame["person"].to_numpy(),
            frame["task"].to_numpy(),
            np.arange(len(frame)) < len(first),
        )


def _test(
    nested: ClusteredSummary,
    request: tuple[str, Places, Cases],
    models: dict[str, ModelDifference],
    grouping: str,
    data: str,
) -> SystemTest:
    """One difference: by its own estimand, by others, and by other models."""
    name, pair, cases = request
    a, b = pair
    used = cases.known()
    per = f"per {MEASURES.get(name).counted}"
    clustered = nested.test(name, a, b, level=LEVEL)
    weighed = nested.weighs(name)
    naive, effect = (PlainDifference(), EffectSize()) if weighed else _naive(nested, name, pair, used)
    models = no_models(WEIGHED_LABELS) if weighed else models
    side = clustered if nested.known else naive
    return SystemTest(
        measure=name,
        a=nested.keys[a],
        b=nested.keys[b],
        unit="participant" if nested.known else "case",
        estimand=per,
        n=len(used.people),
        naive=naive,
        clustered=clustered,
        effect=effect,
        weighted=_weighted(nested, name, pair, used),
        models=_with_estimands(models, per),
        signature=signed_difference(
            name,
            nested.keys[a],
            nested.keys[b],
            method=side.method,
            clusters=side.clusters,
            by=grouping,
            n=len(used.people),
            data=data,
        ),
    )


def _weighted(nested: ClusteredSummary, name: str, pair: Places, used: Cases) -> list[WeightedDifference]:
    """Difference with equal weights of dialogues, or of participants."""
    return [
        WeightedDifference(
            estimand=f"per {weight}", found=nested.weighted(name, *pair, by=weight, level=LEVEL)
        )
        for weight in _weights(nested, used)
    ]


def _weights(nested: ClusteredSummary, used: Cases) -> list[Weighing]:
    several = len(used.denominators) > 0 and np.ptp(used.denominators) > 0
    return [*(["dialogue"] if several else []), *(["participant"] if nested.known else [])]


def _with_estimands(models: dict[str, ModelDifference], per: str) -> dict[str, ModelDifference]:
    """Models with their estimand: each model weighs cases differently."""
    counted = models["mixed"].method == "mixed_logistic"
    estimands = {
        "bootstrap": per,
        "gee": f"{per if counted else 'per dialogue'}, weighted by the model",
        "mixed": "per participant, by the model" if counted else "per dialogue, weighted by the model",
    }
    return {name: replace(difference, estimand=estimands[name]) for name, difference in models.items()}


def _naive(
    nested: ClusteredSummary, name: str, pair: Places, used: Cases
) -> tuple[NaiveDifference | ClusteredDifference | PlainDifference, EffectSize]:
    """The comparison as if every case were independent, of the same estimand, and the effect size."""
    if used.is_a.all() or not used.is_a.any():
        return PlainDifference(), EffectSize()
    if used.counted:
        sides = (used.is_a, ~used.is_a)
        counts = [round(float(part[side].sum())) for side in sides for part in used[:2]]
        h = cohen_h(counts[0], counts[1], counts[2], counts[3])
        naive = replace(nested.naive(name, *pair, level=LEVEL), method="z_pooled, newcombe")
        return naive, EffectSize(name="cohen_h", value=h)
    if np.ptp(used.denominators):
        naive = nested.weighted(name, *pair, by="case", level=LEVEL)
        return replace(naive, method="ratio_of_independent_dialogues"), EffectSize()
    return _welch(used)


def _welch(used: Cases) -> tuple[PlainDifference, EffectSize]:
    """Means of the dialogues' own values by Welch's t, and Cohen's d."""
    values = used.numerators / used.denominators
    first, second = values[used.is_a], values[~used.is_a]
    unadjusted = PlainDifference(difference=float(first.mean() - second.mean()), method="welch")
    if min(len(first), len(second)) < 2 or np.ptp(values) == 0:
        return unadjusted, EffectSize(name="cohen_d")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)  # one group holds one value alone
        t_test: Any = ttest_ind(first, second, equal_var=False)
    span = Interval(*(float(end) for end in t_test.confidence_interval(LEVEL)))
    spread = float(np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2))
    d = unadjusted.difference / spread if spread and unadjusted.difference is not None else None
    tested = replace(unadjusted, low=span.low, high=span.high, p=float(t_test.pvalue))
    return tested, EffectSize(name="cohen_d", value=d)


def _rate(row: GroupSummary, name: str) -> GroupValue:
    measured, rate = row.measures[name], row.rates.get(name)
    naive = NaiveInterval(
        low=rate and rate.low, high=rate and rate.high, method="wilson" if is_rate(name) else "none"
    )
    return GroupValue(
        measure=name,
        key=row.key,
        value=measured.value,
        n=measured.denominator or 0,
        naive=naive,
        clustered=measured.clustered,
    )


def _without_margin(names: list[str], margin: Margins) -> list[LocalizedText]:
    """Measures that a margin was given beside, and not for."""
    without = [name for name in names if margin_of(name, margin) is None] if margin is not None else []
    return [
        statement("No margin for {name}: add --margin {name}=VALUE, in the unit of the measure.", name=name)
        for name in without
    ]


def _explored(dataset: Dataset, names: list[str], margin: Margins) -> list[LocalizedText]:
    """Note that a margin was named after the data, where none like it was declared."""
    if margin is None:
        return []
    frozen = declaration(dataset)
    declared = possible_margins(frozen.analysis.margins) if frozen else None
    late = [
        name
        for name in names
        if (own_margin := margin_of(name, margin)) is not None
        and (declared is None or margin_of(name, declared) != own_margin)
    ]
    if not late:
        return []
    return [
        statement(
            "The margin of {names} was not declared in the study file before data collection, so these "
            "results are exploratory.",
            names=", ".join(late),
        )
    ]


def _unused(names: list[str], used: list[str]) -> list[LocalizedText]:
    return [
        statement(
            "No cases for {name}. Rule of the measure: {rule}.",
            name=name,
            rule=statement(MEASURES.get(name).empty),
        )
        for name in names
        if name not in used
    ]


def _untested(summary: Summary, names: list[str]) -> list[LocalizedText]:
    """Declared comparisons of other measures than these that could not be tested, and why."""
    declared = [] if summary.declared is None else summary.declared.results
    return [
        statement(
            "Declared but not testable: {name}, {a} - {b}. {why}",
            name=declared_comparison.measure,
            a=declared_comparison.a,
            b=declared_comparison.b,
            why=declared_comparison.why,
        )
        for declared_comparison in declared
        if declared_comparison.p is None
        and declared_comparison.unknown is None
        and declared_comparison.measure not in names
    ]
