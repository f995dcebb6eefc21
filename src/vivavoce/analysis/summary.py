"""The summary of a dataset: rates with intervals, tests, measures and warnings, group by group.

`summarise` is the answer of `vivavoce measure --json` and the ground of every report and dashboard.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Final

from vivavoce.analysis.clustered_summary import (
    LEVEL,
    ClusteredSummary,
    GroupQuestion,
    cited,
    signed_difference,
)
from vivavoce.analysis.declared import adjust_tests
from vivavoce.analysis.flow import (
    abandoned_words,
    balance_warnings,
    change_words,
    exclusion_words,
    later_rules_words,
    running_words,
)
from vivavoce.analysis.population_tests import CALLS, DURATION, FURTHER, with_calls
from vivavoce.core.result import installed_version, signature, widened
from vivavoce.core.statement import FormattedNumber, LocalizedText, PluralCount, statement
from vivavoce.dataset.populations import POPULATION, SIMULATED
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.base import Measure
from vivavoce.measures.compute import (
    INVERSE,
    Group,
    Pooled,
    Sums,
    chosen_layers,
    group_keys,
    groups,
    logged_chances,
    pooled,
    sums,
)
from vivavoce.measures.counting import open_places
from vivavoce.stats.clusters import ClusteredRate
from vivavoce.stats.declared_results import FAR_APART, HEADLINES, is_rate
from vivavoce.stats.proportions import wilson
from vivavoce.stats.summary_results import (
    GroupSummary,
    GroupTest,
    MeasuredTotal,
    SignedInterval,
    SuccessRate,
    Summary,
    reach_warnings,
)
from vivavoce.stats.usage_skew import concentration, dominance_warning

TOTALS: Final = ("turns", "user_turns", "system_turns", "user_words", "system_words")
MEANS: Final = {"dialogue_duration": "dialogue_duration_s", "word_error_rate": "word_error_rate"}
MOST_COMPARED_GROUPS: Final = 12
UNCOMPARED: Final = ("participant", "task")
OWN_FAULTS: Final = ("interrupted", "internal")

NO_DIALOGUE: Final = statement("The dataset has no dialogues.")


def summarise(dataset: Dataset, by: str = "system", *, correction: str | None = None) -> Summary:
    """Everything that is known about each group of dialogues.

    Input   a dataset; `by` is system, condition, participant, population, task, channel, language or a
            factor; `correction` in place of the declared one, or of Holm's where none is declared
    Output  rates and tests are signed; `model` is the analysis that the design asks for, with the reason in
            words; a test's `family` is the one of `families` that it belongs to
    Empty   a group without cases has ratio, low and high null and n 0; totals of which nothing is known
            (words nobody wrote down) are null
    Note    low, high and p take dialogues as independent (Wilson; pooled, two-tailed); `clustered` beside
            them takes participants as the unit, and is what counts, and has the adjusted p; where no
            participant is known the other side has it. `significant` goes by it
    Raises  UnknownName: no such grouping in this dataset
    """
    all_groups = groups(dataset, by)
    everything = Group(
        "all",
        [dialogue_id for group in all_groups for dialogue_id in group.dialogue_ids],
        [participant for group in all_groups for participant in group.participants],
    )
    parts = sums(dataset)
    of_groups = _by_key(pooled(parts, group_keys(dataset, by)))
    of_all = _by_key(pooled(parts, group_keys(dataset, None)))
    nested = ClusteredSummary(with_calls(parts, all_groups) if by == POPULATION else parts, all_groups)
    make = partial(_row, dataset, nested, _abandoned(dataset, parts))
    overall = make(None, everything, of_all.get("all", {}), by=None)
    rows = [make(place, group, of_groups.get(group.key, {}), by=by) for place, group in enumerate(all_groups)]
    unadjusted, refusal = _tests(rows, by, nested, dataset.hash)
    tests, declared, families = adjust_tests(dataset, all_groups, unadjusted, correction)
    family_by_name = {family.name: family for family in families}
    out_of_reach = reach_warnings((test, family_by_name[test.family]) for test in tests if test.family)
    return Summary(
        study=dataset.study,
        simulated=dataset.simulated,
        by_what=by,
        data=dataset.hash,
        excluded=dataset.excluded,
        vivavoce=installed_version(),
        level=LEVEL,
        model=nested.model,
        by=rows,
        all=overall,
        tests=tests,
        declared=declared,
        families=families,
        shared_participants=_shared_participants(all_groups),
        out_of_reach=out_of_reach,
        warnings=_warnings(dataset, all_groups, everything, overall, refusal)
        + out_of_reach
        + balance_warnings(dataset, by),
    )


def _by_key(rows: list[Pooled]) -> dict[str | None, dict[str, Pooled]]:
    """Pooled measures as key -> measure -> what was pooled."""
    rows_by_key: dict[str | None, dict[str, Pooled]] = {}
    for row in rows:
        rows_by_key.setdefault(row.key, {})[row.measure] = row
    return rows_by_key


Left = Mapping[str, frozenset[str]]


def _abandoned(dataset: Dataset, parts: Sums) -> Left:
    """The abandoned dialogues in which a measure has cases; only measures with any."""
    gone = dataset.abandoned or frozenset()
    places = [place for place, dialogue_id in enumerate(parts.dialogue_ids) if dialogue_id in gone]
    if not places:
        return {}
    return {
        name: frozenset(parts.dialogue_ids[place] for place in places if cases[place])
        for name, cases in zip(parts.measures, parts.denominators, strict=True)
    }


def _row(
    dataset: Dataset,
    nested: ClusteredSummary,
    abandoned_by_group: Left,
    place: int | None,
    group: Group,
    pooled_by_measure: dict[str, Pooled],
    *,
    by: str | None,
) -> GroupSummary:
    spread, group_ids = concentration(group.participants), frozenset(group.dialogue_ids)
    measured = {
        name: _measured(
            dataset,
            measure,
            pooled_by_measure.get(name),
            nested.rate(name, place, level=LEVEL),
            by,
            group.key,
            weighed=nested.weighs(name),
            abandoned=None
            if dataset.abandoned is None
            else len(group_ids & abandoned_by_group.get(name, frozenset())),
        )
        for name, measure in MEASURES
    }
    names = (*HEADLINES, *sorted(set(measured) - set(HEADLINES)))
    totals = {
        name: round(total.numerator) if (total := pooled_by_measure.get(name)) and total.denominator else None
        for name in TOTALS
    }
    return GroupSummary(
        key=group.key,
        dialogues=len(group.dialogue_ids),
        abandoned=None if dataset.abandoned is None else len(group_ids & dataset.abandoned),
        participants=spread.participants,
        dialogues_per_participant=spread,
        rates={
            name: _rate(MEASURES.get(name), measured[name][0], measured[name][1])
            for name in names
            if is_rate(name) and name in measured
        },
        **{key: _value(measured, name) for name, key in MEANS.items()},
        **totals,
        measures={name: pooled for name, (pooled, _) in measured.items()},
    )


def _value(measured: Mapping[str, tuple[MeasuredTotal, str]], name: str) -> float | None:
    return measured[name][0].value if name in measured else None


def _measured(
    dataset: Dataset,
    measure: Measure,
    pooled_or_none: Pooled | None,
    interval: ClusteredRate,
    by: str | None,
    key: str | None,
    *,
    weighed: bool,
    abandoned: int | None,
) -> tuple[MeasuredTotal, str]:
    """One measure of one group with its interval over participants; and its signature without that."""
    pooled = pooled_or_none or Pooled(key, measure.name, None, None, 0, 0, 0)
    parameters = {
        name: value
        for name, value in measure.parameters.items()
        if name not in ("measure", "unit", "n", "data")
    }
    rate_signature = signature(
        measure.name,
        unit=measure.counted,
        n=round(pooled.denominator or 0),
        data=dataset.hash,
        **parameters,
        **({"open": pooled.open} if pooled.open else {}),
        **({"weights": INVERSE} if weighed else {}),
        **({by: key} if by else {}),
    )
    signed = None if interval.low is None else f"{rate_signature}|{cited(interval)}"
    return MeasuredTotal(
        value=pooled.value,
        macro=pooled.macro,
        numerator=pooled.numerator if pooled.denominator or pooled.numerator else None,
        denominator=pooled.denominator or 0,
        dialogues=pooled.dialogues or 0,
        open=pooled.open if pooled_or_none else None,
        lowest=pooled.lowest,
        highest=pooled.highest,
        unit=measure.unit,
        signature=signed or rate_signature,
        clustered=widened(SignedInterval, interval, signature=signed),
        abandoned=abandoned,
    ), rate_signature


def _rate(measure: Measure, measured: MeasuredTotal, plain_signature: str) -> SuccessRate:
    """One success rate with its Wilson interval, or without where successes are not whole counts."""
    n, successes = measured.denominator, measured.numerator or 0
    counted = float(n).is_integer() and float(successes).is_integer() and 0 <= successes <= n
    interval = wilson(round(successes), round(n), LEVEL) if counted else None
    return SuccessRate(
        unit=measure.counted,
        successes=round(successes) if counted else successes,
        n=round(n) if counted else n,
        ratio=successes / n if n else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        method="wilson",
        signature=plain_signature + f"|interval:wilson {LEVEL}",
        clustered=measured.clustered,
        abandoned=measured.abandoned,
    )


def _tests(
    rows: list[GroupSummary], by: str, nested: ClusteredSummary, data: str
) -> tuple[list[GroupTest], LocalizedText | None]:
    """Every pair of groups on every rate, and a sentence when there are too many groups for that."""
    if by in UNCOMPARED or len(rows) > MOST_COMPARED_GROUPS:
        return [], (
            statement(
                "No tests: {n} groups by {by} would require {k} comparisons.",
                n=len(rows),
                by=by,
                k=math.comb(len(rows), 2),
            )
            if len(rows) > 1
            else None
        )
    questions = [
        GroupQuestion(name, i, j)
        for name in _tested(rows, by)
        for (i, a), (j, b) in combinations(enumerate(rows), 2)
        if _testable(a, name) and _testable(b, name)
    ]
    nested.ask(questions, level=LEVEL)
    tests: list[GroupTest] = []
    for name, i, j, _ in questions:
        test = widened(
            GroupTest,
            nested.naive(name, i, j, level=LEVEL),
            measure=name,
            a=rows[i].key,
            b=rows[j].key,
            unit="participant" if nested.known else "case",
            clustered=nested.test(name, i, j, level=LEVEL),
        )
        signed = signed_difference(
            name,
            test.a,
            test.b,
            method=test.decisive.method,
            clusters=test.decisive.clusters,
            by=by,
            n=nested.cases(name, i) + nested.cases(name, j),
            data=data,
        )
        tests.append(replace(test, signature=signed))
    return tests, None


def _tested(rows: list[GroupSummary], by: str) -> list[str]:
    """The rates; of populations more."""
    return [*(rows[0].rates if rows else ()), *(FURTHER if by == POPULATION else ())]


def _testable(row: GroupSummary, name: str) -> bool:
    """True if a group has a rate of successes, or a case of what else populations are compared on."""
    if is_rate(name):
        return row.rates[name].low is not None
    if name == DURATION and str(row.key).endswith(SIMULATED):
        return False  # how fast this computer is, no difference between people
    return bool(row.participants) and (name == CALLS or row.counted(name))


def _shared_participants(all_groups: list[Group]) -> int:
    """Participants who met more than one group."""
    seen: set[str] = set()
    shared: set[str] = set()
    for group in all_groups:
        people = {person for person in group.participants if person is not None}
        shared |= seen & people
        seen |= people
    return len(shared)


def _warnings(
    dataset: Dataset,
    all_groups: list[Group],
    everything: Group,
    overall: GroupSummary,
    refusal: LocalizedText | None,
) -> list[LocalizedText]:
    """Warnings to read before trusting the numbers, one sentence each."""
    left_out = exclusion_words(dataset)
    if not everything.dialogue_ids:
        nothing = left_out or running_words(dataset) or NO_DIALOGUE
        return [warning for warning in (*dataset.what_is_lost, change_words(dataset), nothing) if warning]
    warnings: list[LocalizedText | None] = [
        *dataset.what_is_lost,
        change_words(dataset),
        left_out,
        later_rules_words(dataset),
        running_words(dataset),
        abandoned_words(dataset),
    ]
    simulated = sum(bool(flag) for flag in dataset.read("dialogues").column("simulated").to_pylist())
    if 0 < simulated < overall.dialogues:
        warnings.append(
            statement(
                "{k} of {n} dialogues are simulated; the figures include both kinds.",
                k=simulated,
                n=overall.dialogues,
            )
        )
    warnings += _dominance(all_groups, everything)
    unknown = overall.dialogues_per_participant.unknown
    if unknown:
        warnings.append(
            statement(
                "The participant is unknown for {k} of {n} dialogues, so repeated participation cannot be "
                "detected there.",
                k=unknown,
                n=overall.dialogues,
            )
        )
    warnings += [doubt_definitions(overall), *open_disputes(dataset), *chosen_labels(dataset)]
    warnings += [*_own_faults(dataset, all_groups), _unrated(overall), _not_counted(overall), refusal]
    return [warning for warning in warnings if warning]


def doubt_definitions(overall: GroupSummary) -> LocalizedText | None:
    """The two definitions of success that disagree most over all dialogues, if that is much (`FAR_APART`)."""
    rates = {name: rate for name in HEADLINES if (rate := overall.rates.get(name)) and rate.ratio is not None}
    pairs = [(a, b) for a, b in combinations(rates, 2) if _gap(rates[a], rates[b]) >= FAR_APART]
    if not pairs:
        return None
    high, low = sorted(
        max(pairs, key=lambda pair: _gap(rates[pair[0]], rates[pair[1]])),
        key=lambda name: -(rates[name].ratio or 0.0),
    )
    return statement(
        "Two definitions of success differ by {bound} percentage points or more: {high}: {most} of "
        "{n_high}; {low}: {least} of {n_low}.",
        high=statement(MEASURES.get(high).title),
        most=FormattedNumber(rates[high].ratio or 0.0, ".1%"),
        n_high=PluralCount(round(rates[high].n), rates[high].unit),
        low=statement(MEASURES.get(low).title),
        least=FormattedNumber(rates[low].ratio or 0.0, ".1%"),
        n_low=PluralCount(round(rates[low].n), rates[low].unit),
        bound=FormattedNumber(100 * FAR_APART, ".0f"),
    ) + statement("Check which one fits your question, and read some dialogues where they disagree.")


def _gap(first: SuccessRate, second: SuccessRate) -> float:
    return abs((first.ratio or 0.0) - (second.ratio or 0.0))


def chosen_labels(dataset: Dataset) -> list[LocalizedText]:
    """Layers where a lot chose the dialogues to annotate, by chances that differ, one sentence a layer."""
    layers = sorted(chosen_layers(dataset))
    rows = dataset.read("annotations", ["dialogue_id", "layer"]).to_pylist() if layers else []
    statements: list[LocalizedText] = []
    for layer in layers:
        chances = logged_chances(dataset, layer)
        selected = {dialogue_id for dialogue_id, (_, fell) in chances.items() if fell}
        judged = selected & {row["dialogue_id"] for row in rows if row["layer"] == layer}
        statements.append(
            statement(
                "Annotators of layer {layer} judged {judged} of {n} dialogues, sampled with logged, "
                "unequal probabilities; {open} sampled dialogues are pending. Measures are Hajek ratios "
                "with inverse-probability weights. Intervals and tests are cluster-robust t tests by "
                "participant, without permutation.",
                layer=layer,
                judged=len(judged),
                n=len(chances),
                open=len(selected - judged),
            )
        )
    return statements


def open_disputes(dataset: Dataset) -> list[LocalizedText]:
    """Open differences of annotators, one sentence a layer that measures read."""
    return [
        statement(
            "Annotators disagree on {k} of {n} items of layer {layer}, without adjudication. The value is "
            "the mean over annotators; the range shows the lowest and highest possible values.",
            k=places.open,
            n=places.judged,
            layer=places.layer,
        )
        for places in open_places(dataset)
        if places.open
    ]


def _dominance(all_groups: list[Group], everything: Group) -> list[LocalizedText | None]:
    """The warning about the whole; the groups are named after it, or warned of where the whole is even."""
    overall = dominance_warning(concentration(everything.participants))
    if len(all_groups) < 2 or any(len(set(group.participants)) < 2 for group in all_groups):
        return [overall]
    warning_of = {
        str(group.key): dominance_warning(concentration(group.participants), of=str(group.key))
        for group in all_groups
    }
    if overall is None:
        return list(warning_of.values())
    same = [key for key, warning in warning_of.items() if warning]
    within = statement("The same applies within {groups}.", groups=", ".join(same))
    return [overall, within if same else None]


def _own_faults(dataset: Dataset, all_groups: list[Group]) -> list[LocalizedText | None]:
    """Dialogues that our own service disturbed; what it did is no merit or fault of a system."""
    incidents = dataset.read("incidents").select(["dialogue_id", "failure"]).to_pydict()
    failed = {
        dialogue_id for dialogue_id, kind in zip(*incidents.values(), strict=True) if kind in OWN_FAULTS
    }
    turns = dataset.read("turns")
    restarted = (
        set(turns.filter(turns["restarted"]).column("dialogue_id").to_pylist())
        if "restarted" in turns.column_names
        else set()
    )
    failure_list = ", ".join(
        f"{group.key} {number}" for group in all_groups if (number := len(failed & set(group.dialogue_ids)))
    )
    return [
        statement(
            "In {n} dialogues a turn failed because of Vivavoce, not the system ({which}).",
            n=len(failed),
            which=failure_list,
        )
        + statement("All rates include them.")
        if failed
        else None,
        statement(
            "Vivavoce restarted during {n} dialogues: their durations and the delays across the restart "
            "are left out.",
            n=len(restarted),
        )
        if restarted
        else None,
    ]


def _unrated(overall: GroupSummary) -> LocalizedText | None:
    rate = overall.rates.get("subjective_success")
    if not rate or not 0 < rate.n < overall.dialogues:
        return None
    return statement(
        "No answer to the success question: {k} of {n} dialogues. Subjective success counts answered "
        "dialogues, objective success all dialogues with a goal.",
        k=FormattedNumber(overall.dialogues - rate.n, ".0f"),
        n=overall.dialogues,
    )


def _not_counted(overall: GroupSummary) -> LocalizedText | None:
    names = [name for name, rate in overall.rates.items() if rate.n and rate.low is None]
    if not names:
        return None
    return statement(
        "Answers for {names} are not yes or no (1 or 0): only the mean is shown, without interval or tests.",
        names=", ".join(names),
    )
