"""The answer in plain words: what was declared first, then what was explored, then on what it rests."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from vivavoce.measures import MEASURES
from vivavoce.reports.language import (
    amount,
    count,
    difference,
    differences,
    label,
    listed,
    p_value,
    percent,
    plural,
    points,
    say,
    span,
    stated,
)
from vivavoce.reports.rate_tables import ONE_PERSON, headlines, interval_of, title
from vivavoce.stats.declared_results import DeclaredComparison, DeclaredFamily, NoWorse, is_rate
from vivavoce.stats.multiple_testing import NAMES
from vivavoce.stats.summary_results import GroupTest, Summary

MOST_NAMED: Final = 5


def answer(summary: Summary) -> list[str]:
    """The summary for people who read no tables: the answer first, then how sure, then on what it rests.

    Note    only what was declared in advance is called better; the rest is explored, and looks at every
            comparison of its family
    """
    declared = _declared(summary.declared) if summary.declared else []
    if not (headlines(summary) or declared):
        return []
    explored = _explored(summary, besides=bool(declared))
    sentences = [*declared, *explored] or [_single(summary, next(iter(headlines(summary))))]
    return [*sentences, _ground(summary)]


def question(summary: Summary) -> str:
    """The study question: the declared one, else the first explored; empty without one."""
    primary = _primary(summary)
    if primary:
        groups = dict.fromkeys(label(key) for comparison in primary for key in (comparison.a, comparison.b))
        facts = {"groups": listed(list(groups)), "measure": _facts(_shown(primary[0]))["measure"]}
        if margins := {test.margin for test in _no_worse(primary)}:
            return say(
                "Declared in advance: do {groups} differ in {measure}, and is one non-inferior within "
                "{margin}?",
                **facts,
                margin=_margin(margins.pop(), primary[0].measure),
            )
        return say("Declared in advance: do {groups} differ in {measure}?", **facts)
    name = next(iter(headlines(summary)), None)
    if name is None:
        return ""
    measure = title(name).lower()
    if len(summary.by) < 2:
        return say("No comparison was declared. Exploratory: how high is {measure}?", measure=measure)
    groups = [label(row.key) for row in summary.by]
    kinds = plural(len(groups), summary.by_what.replace("_", " "))
    compared = listed(groups) if len(groups) <= MOST_NAMED else kinds
    explored = {test.measure for test in summary.tests if test.family == "explored"}
    if len(explored) > 1:
        return say(
            "No comparison was declared. Exploratory: do {groups} differ in any of {measures}?",
            groups=compared,
            measures=plural(len(explored), "measure"),
        )
    return say(
        "No comparison was declared. Exploratory: do {groups} differ in {measure}?",
        groups=compared,
        measure=measure,
    )


def spoken_measure(summary: Summary) -> str | None:
    """The measure of which the answer speaks first."""
    if primary := _primary(summary):
        return primary[0].measure if primary[0].measure in MEASURES else None
    largest = _largest_of([test for test in summary.tests if test.family == "explored"])
    return largest.measure if largest else next(iter(headlines(summary)), None)


def _primary(summary: Summary) -> list[DeclaredComparison]:
    return (
        [result for result in summary.declared.results if result.question == "primary"]
        if summary.declared
        else []
    )


def meanings(summary: Summary) -> list[str]:
    """Definitions of the answer's terms, for readers of the answer alone."""
    rates = headlines(summary)
    explanations = {
        "subjective_success": say("Subjective success: the participant reported finding everything."),
        "objective_success_assigned": say(
            "Objective success, assigned goal: the log shows an offer that fits the task, with all "
            "requested information."
        ),
        "objective_success_inferred": say(
            "Objective success, inferred goal: the same, compared with the participant's actual requests."
        ),
    }
    meanings_found = [explanations[name] for name in rates if name in explanations]
    if summary.tests:
        meanings_found.append(
            say(
                "95% CI (confidence interval): the range of values compatible with the data. p: "
                "probability of a difference at least this large by chance. Adjusted p: corrected for "
                "multiple comparisons."
            )
        )
    return meanings_found


def _declared(declared: DeclaredFamily) -> list[str]:
    """The primary comparison, how many of the secondary ones differ, and the family of both."""
    primary, secondary = (
        [result for result in declared.results if result.question == question]
        for question in ("primary", "secondary")
    )
    if not primary:
        return []
    differing = [_shown(comparison) for comparison in primary if comparison.significant]
    undecided = [_as_decided(comparison) for comparison in primary if comparison.significant is False]
    sentences = [_differs(comparison) for comparison in differing]
    if undecided and not differing and len(undecided) == 1:
        sentences.append(_alike(undecided[0]))
    elif undecided:
        sentences.append(_others_alike(undecided, among=bool(differing)))
    untested = len(primary) - len(differing) - len(undecided)
    if untested:
        sentences.append(
            say("The declared primary comparison could not be tested: {n}.", n=plural(untested, "comparison"))
        )
    sentences += [sentence for comparison in primary if (sentence := _margin_met(comparison))]
    if any(_ends_at_most(comparison) for comparison in primary):
        sentences.append(
            say(
                "An interval that ends at 100 points reaches the maximum possible difference: there are "
                "too few participants to exclude it."
            )
        )
    if secondary:
        sentences.append(_secondary(secondary))
    return [*sentences, stated(declared.family.why)]


def _ends_at_most(comparison: DeclaredComparison) -> bool:
    """True if an interval of two rates extends to their largest possible difference."""
    return is_rate(comparison.measure) and any(
        end is not None and abs(end) >= 1 for end in (comparison.low, comparison.high)
    )


def _no_worse(primary: Sequence[DeclaredComparison]) -> list[NoWorse]:
    return [test for comparison in primary for test in comparison.no_worse]


def decisive_margin(comparison: DeclaredComparison) -> NoWorse | None:
    """The test by which a margin is told: the only one that is shown, else of the system that is named last.

    Empty   None: no margin was declared
    """
    met = [test for test in comparison.no_worse if test.shown]
    return met[0] if len(met) == 1 else next(iter(comparison.no_worse[::-1]), None)


def _margin(margin: float, measure: str) -> str:
    return _gap(margin, MEASURES.get(measure).unit)


def _margin_met(comparison: DeclaredComparison) -> str:
    """Non-inferiority verdict for each system; "" where no margin was declared."""
    if not comparison.no_worse:
        return ""
    met = [test for test in comparison.no_worse if test.shown]
    decisive = decisive_margin(comparison) or comparison.no_worse[-1]
    unit = MEASURES.get(comparison.measure).unit
    facts = {
        "b": label(decisive.system),
        "a": label(decisive.than),
        "measure": _facts(_shown(comparison))["measure"],
        "margin": _margin(decisive.margin, comparison.measure),
        "difference": _signed_gap(decisive.difference, unit),
        "interval": differences(decisive.interval.low, decisive.interval.high, unit),
        "p": p_value(decisive.p_adjusted),
    }
    if len(met) == len(comparison.no_worse):
        return say(
            "Each is non-inferior to the other within the declared margin of {margin}: {b} minus {a} "
            "{difference} (90% CI {interval}).",
            **facts,
        )
    if not met:
        return say(
            "Non-inferiority within the declared margin of {margin} was not shown for {a} or {b}: {b} "
            "minus {a} {difference} (90% CI {interval}).",
            **facts,
        )
    sentence = say(
        "{b} is non-inferior to {a} in {measure} within the declared margin of {margin}: {b} minus {a} "
        "{difference} (90% CI {interval}; adjusted one-sided p {p}).",
        **facts,
    )
    return f"{sentence} {say('Non-inferiority of {a} to {b} was not shown.', **facts)}"


def _secondary(secondary: list[DeclaredComparison]) -> str:
    """Number of declared secondary comparisons that differ, and number not tested."""
    untested = sum(comparison.significant is None for comparison in secondary)
    facts = {
        "k": count(sum(bool(comparison.significant) for comparison in secondary)),
        "comparisons": plural(len(secondary), "secondary comparison"),
        "n": count(untested),
    }
    if untested == len(secondary):
        return say("Also declared, but not testable: {comparisons}.", **facts)
    if len(secondary) == 1:
        if secondary[0].significant:
            return say("Secondary, declared: the only comparison is significant.")
        return say("Secondary, declared: the only comparison is not significant.")
    if untested:
        return say(
            "Secondary, declared: {k} of {comparisons} significant; {n} not testable.",
            **facts,
        )
    return say("Secondary, declared: {k} of {comparisons} significant.", **facts)


class _Shown(NamedTuple):
    """A comparison that had a test, as a sentence tells it."""

    measure: str
    a: str
    b: str
    difference: float
    low: float | None
    high: float | None
    p_adjusted: float | None


def _shown(comparison: DeclaredComparison) -> _Shown:
    return _Shown(
        comparison.measure,
        comparison.a,
        comparison.b,
        comparison.difference or 0.0,
        comparison.low,
        comparison.high,
        comparison.p_adjusted,
    )


def _as_decided(declared: DeclaredComparison) -> _Shown:
    """The comparison in the direction in which its margin is told, so that both sentences say it one way."""
    comparison, margin_test = _shown(declared), decisive_margin(declared)
    return _turned(comparison) if margin_test is not None and margin_test.system != declared.a else comparison


def _facts(comparison: _Shown) -> dict[str, str]:
    measure = MEASURES.get(comparison.measure) if comparison.measure in MEASURES else None
    unit = measure.unit if measure else ""
    return {
        "a": label(comparison.a),
        "b": label(comparison.b),
        "measure": title(comparison.measure).lower() if measure else comparison.measure,
        "gap": _gap(comparison.difference, unit),
        "difference": _signed_gap(comparison.difference, unit),
        "interval": differences(comparison.low, comparison.high, unit),
        "p": p_value(comparison.p_adjusted),
    }


def _turned(comparison: _Shown) -> _Shown:
    """The comparison with the other group first."""
    low, high = (None if end is None else -end for end in (comparison.high, comparison.low))
    return comparison._replace(
        a=comparison.b, b=comparison.a, difference=-comparison.difference, low=low, high=high
    )


def _gap(value: float, unit: str) -> str:
    """The size of a difference, with the word for its unit."""
    if unit == "ratio":
        return say("{n} points", n=points(abs(value)).lstrip("+"))
    return amount(abs(value), unit)


def _signed_gap(value: float, unit: str) -> str:
    """A difference with its sign, and the word for its unit."""
    return say("{n} points", n=points(value)) if unit == "ratio" else difference(value, unit)


def _differs(comparison: _Shown) -> str:
    """One declared comparison that differs; better is said only where the measure has a direction."""
    direction = MEASURES.get(comparison.measure).direction
    if direction is None:
        return say(
            "{a} and {b} differ in {measure} (declared comparison): {a} minus {b} {difference} (95% CI "
            "{interval}; adjusted p {p}).",
            **_facts(comparison),
        )
    better_first = (comparison.difference > 0) == (direction == "higher")
    facts = _facts(comparison if better_first else _turned(comparison))
    return say(
        "{a} performs better than {b} in {measure} (declared comparison): {a} minus {b} {difference} (95% "
        "CI {interval}; adjusted p {p}).",
        **facts,
    )


def _alike(comparison: _Shown) -> str:
    return say(
        "{a} and {b} do not differ significantly in {measure} (declared comparison): {a} minus {b} "
        "{difference} (95% CI {interval}; adjusted p {p}).",
        **_facts(comparison),
    )


def _others_alike(comparisons: list[_Shown], *, among: bool) -> str:
    """Declared comparisons that did not come out, in one sentence."""
    pairs = listed([f"{label(comparison.a)} \u2013 {label(comparison.b)}" for comparison in comparisons])
    measure = _facts(comparisons[0])["measure"]
    if among:
        return say("The other declared pairs do not differ significantly: {pairs}.", pairs=pairs)
    return say(
        "No declared pair differs significantly in {measure}: {pairs}.",
        measure=measure,
        pairs=pairs,
    )


def _explored(summary: Summary, *, besides: bool) -> list[str]:
    """Everything that was tested without a declaration: how much of it differs, and the largest of it."""
    tests = [test for test in summary.tests if test.family == "explored"]
    tested = [test for test in tests if test.significant is not None]
    differing = [test for test in tested if test.significant]
    if not tested or (besides and not differing):
        return (
            [say("Exploratory, not declared in advance: no tests were possible.")]
            if tests and not besides
            else []
        )
    family = next(family for family in summary.families if family.name == "explored")
    facts = {
        "how": say(NAMES[family.correction]),
        "comparisons": plural(len(tested), "comparison"),
        "k": count(len(differing)),
    }
    if differing:
        first = say(
            "Exploratory, not declared in advance: {k} of {comparisons} significant after adjustment "
            "({how}).",
            **facts,
        )
    else:
        first = say(
            "Exploratory, not declared in advance: none of {comparisons} significant after adjustment "
            "({how}).",
            **facts,
        )
    largest = _largest_of(tests)
    return [f"{first} {_largest(summary, largest)}" if largest and largest.difference else first]


def _largest_of(tests: list[GroupTest]) -> GroupTest | None:
    """The test of a rate with the largest difference: of those that differ, else of all that were tested."""
    tested = [test for test in tests if test.significant is not None and is_rate(test.measure)]
    differing = [test for test in tested if test.significant]
    return max(differing or tested, key=lambda test: abs(test.difference or 0.0), default=None)


def _largest(summary: Summary, test: GroupTest) -> str:
    name, decisive = test.measure, test.decisive
    rows = {str(row.key): row.rates[name] for row in summary.by}
    largest = _Shown(
        name,
        str(test.a),
        str(test.b),
        test.difference or 0.0,
        decisive.low,
        decisive.high,
        decisive.p_adjusted,
    )
    largest = largest if largest.difference > 0 else _turned(largest)
    facts = _facts(largest) | {
        "high": percent(rows[largest.a].ratio),
        "low": percent(rows[largest.b].ratio),
    }
    if decisive.low is None:
        return say(
            "The largest difference is in {measure}: {a} {high}, {b} {low} ({a} minus {b} {difference}; "
            "adjusted p {p}).",
            **facts,
        )
    return say(
        "The largest difference is in {measure}: {a} {high}, {b} {low} ({a} minus {b} {difference}; 95% CI "
        "{interval}, adjusted p {p}).",
        **facts,
    )


def _single(summary: Summary, name: str) -> str:
    rate = summary.all.rates[name]
    low, high, _ = interval_of(rate)
    if rate.low is None:
        return say("{measure}: mean {mean}.", measure=title(name), mean=amount(rate.ratio, ""))
    if low is None:
        sentence = say("{measure}: {ratio}.", measure=title(name), ratio=percent(rate.ratio))
        return f"{sentence} {say(ONE_PERSON)}"
    return say(
        "{measure}: {ratio} (95% CI {interval}).",
        measure=title(name),
        ratio=percent(rate.ratio),
        interval=span(low, high),
    )


def _ground(summary: Summary) -> str:
    """Number of dialogues and people behind the answer's measure, and all rates of all."""
    overall = summary.all
    rates = [
        say("{measure} {ratio}", measure=heading.lower(), ratio=percent(overall.rates[name].ratio))
        for name, heading in headlines(summary).items()
        if overall.rates[name].low is not None
    ]
    spoken = overall.measures.get(spoken_measure(summary) or "")
    dialogues = spoken.dialogues if spoken and spoken.dialogues else overall.dialogues
    people = (spoken.clustered.clusters if spoken else None) or overall.participants
    facts = {"dialogues": plural(dialogues, "dialogue"), "participants": plural(people, "participant")}
    if not overall.participants:
        ground = say("Based on {dialogues}; participants are unknown.", **facts)
    elif summary.simulated:
        ground = say("Based on SIMULATED data: {dialogues} of {participants}.", **facts)
    else:
        ground = say("Based on {dialogues} of {participants}.", **facts)
    if dialogues < overall.dialogues:
        missing = plural(overall.dialogues - dialogues, "dialogue")
        ground += " " + say("Missing values, not included: {dialogues}.", dialogues=missing)
    return f"{ground} {say('Overall: {rates}.', rates='; '.join(rates))}" if rates else ground
