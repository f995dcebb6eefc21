"""The answer in plain words: what was declared first, then what was explored, then on what it rests."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from vivavoce.measures import MEASURES
from vivavoce.reports.language import say, stated
from vivavoce.reports.numbers import (
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
    span,
)
from vivavoce.reports.rate_tables import ONE_PERSON, headlines, interval_of, title
from vivavoce.stats.declared_results import DeclaredComparison, DeclaredFamily, NoWorse
from vivavoce.stats.multiple_testing import NAMES
from vivavoce.stats.rates import is_rate
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
    """What was asked: what was declared in advance, else what is explored first; empty where nothing is."""
    primary = _primary(summary)
    if primary:
        groups = dict.fromkeys(label(key) for one in primary for key in (one.a, one.b))
        facts = {"groups": listed(list(groups)), "measure": _facts(_shown(primary[0]))["measure"]}
        if margins := {one.margin for one in _no_worse(primary)}:
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
    shown = listed(groups) if len(groups) <= MOST_NAMED else kinds
    explored = {test.measure for test in summary.tests if test.family == "explored"}
    if len(explored) > 1:
        return say(
            "No comparison was declared. Exploratory: do {groups} differ in any of {measures}?",
            groups=shown,
            measures=plural(len(explored), "measure"),
        )
    return say(
        "No comparison was declared. Exploratory: do {groups} differ in {measure}?",
        groups=shown,
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
    """What the words of the answer mean, for who reads nothing else."""
    shown = headlines(summary)
    known = {
        "subjective_success": say("Subjective success: the participant reported finding everything."),
        "objective_success_assigned": say(
            "Objective success, assigned goal: the log shows an offer that fits the task, with all "
            "requested information."
        ),
        "objective_success_inferred": say(
            "Objective success, inferred goal: the same, compared with the participant's actual requests."
        ),
    }
    found = [known[name] for name in shown if name in known]
    if summary.tests:
        found.append(
            say(
                "95% CI (confidence interval): the range of values compatible with the data. p: "
                "probability of a difference at least this large by chance. Adjusted p: corrected for "
                "multiple comparisons."
            )
        )
    return found


def _declared(declared: DeclaredFamily) -> list[str]:
    """The primary comparison, how many of the secondary ones differ, and the family of both."""
    primary, secondary = (
        [result for result in declared.results if result.question == question]
        for question in ("primary", "secondary")
    )
    if not primary:
        return []
    differing = [_shown(one) for one in primary if one.significant]
    others = [_as_decided(one) for one in primary if one.significant is False]
    sentences = [_differs(one) for one in differing]
    if others and not differing and len(others) == 1:
        sentences.append(_alike(others[0]))
    elif others:
        sentences.append(_others_alike(others, among=bool(differing)))
    untested = len(primary) - len(differing) - len(others)
    if untested:
        sentences.append(
            say("The declared primary comparison could not be tested: {n}.", n=plural(untested, "comparison"))
        )
    sentences += [said for one in primary if (said := _margin_met(one))]
    if any(_ends_at_most(one) for one in primary):
        sentences.append(
            say(
                "An interval that ends at 100 points reaches the maximum possible difference: there are "
                "too few participants to exclude it."
            )
        )
    if secondary:
        sentences.append(_secondary(secondary))
    return [*sentences, stated(declared.family.why)]


def _ends_at_most(one: DeclaredComparison) -> bool:
    """Whether an interval of two rates goes on to where they could not differ more."""
    return is_rate(one.measure) and any(end is not None and abs(end) >= 1 for end in (one.low, one.high))


def _no_worse(primary: Sequence[DeclaredComparison]) -> list[NoWorse]:
    return [test for one in primary for test in one.no_worse]


def decisive_margin(one: DeclaredComparison) -> NoWorse | None:
    """The test by which a margin is told: the only one that is shown, else of the system that is named last.

    Empty   None: no margin was declared
    """
    shown = [test for test in one.no_worse if test.shown]
    return shown[0] if len(shown) == 1 else next(iter(one.no_worse[::-1]), None)


def _margin(margin: float, measure: str) -> str:
    return _gap(margin, MEASURES.get(measure).unit)


def _margin_met(one: DeclaredComparison) -> str:
    """Of each system, whether it is shown to be no worse than the other; "" where no margin was declared."""
    if not one.no_worse:
        return ""
    shown = [test for test in one.no_worse if test.shown]
    told = decisive_margin(one) or one.no_worse[-1]
    unit = MEASURES.get(one.measure).unit
    facts = {
        "b": label(told.system),
        "a": label(told.than),
        "measure": _facts(_shown(one))["measure"],
        "margin": _margin(told.margin, one.measure),
        "difference": _signed_gap(told.difference, unit),
        "interval": differences(told.interval.low, told.interval.high, unit),
        "p": p_value(told.p_adjusted),
    }
    if len(shown) == len(one.no_worse):
        return say(
            "Each is non-inferior to the other within the declared margin of {margin}: {b} minus {a} "
            "{difference} (90% CI {interval}).",
            **facts,
        )
    if not shown:
        return say(
            "Non-inferiority within the declared margin of {margin} was not shown for {a} or {b}: {b} "
            "minus {a} {difference} (90% CI {interval}).",
            **facts,
        )
    said = say(
        "{b} is non-inferior to {a} in {measure} within the declared margin of {margin}: {b} minus {a} "
        "{difference} (90% CI {interval}; adjusted one-sided p {p}).",
        **facts,
    )
    return f"{said} {say('Non-inferiority of {a} to {b} was not shown.', **facts)}"


def _secondary(secondary: list[DeclaredComparison]) -> str:
    """How many of all that were declared differ, and how many could not be tested."""
    untested = sum(one.significant is None for one in secondary)
    facts = {
        "k": count(sum(bool(one.significant) for one in secondary)),
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


def _shown(one: DeclaredComparison) -> _Shown:
    return _Shown(one.measure, one.a, one.b, one.difference or 0.0, one.low, one.high, one.p_adjusted)


def _as_decided(one: DeclaredComparison) -> _Shown:
    """The comparison in the direction in which its margin is told, so that both sentences say it one way."""
    found, told = _shown(one), decisive_margin(one)
    return _turned(found) if told is not None and told.system != one.a else found


def _facts(one: _Shown) -> dict[str, str]:
    measure = MEASURES.get(one.measure) if one.measure in MEASURES else None
    unit = measure.unit if measure else ""
    return {
        "a": label(one.a),
        "b": label(one.b),
        "measure": title(one.measure).lower() if measure else one.measure,
        "gap": _gap(one.difference, unit),
        "difference": _signed_gap(one.difference, unit),
        "interval": differences(one.low, one.high, unit),
        "p": p_value(one.p_adjusted),
    }


def _turned(one: _Shown) -> _Shown:
    """The same comparison with the other group first."""
    low, high = (None if end is None else -end for end in (one.high, one.low))
    return one._replace(a=one.b, b=one.a, difference=-one.difference, low=low, high=high)


def _gap(value: float, unit: str) -> str:
    """The size of a difference, with the word for its unit."""
    if unit == "ratio":
        return say("{n} points", n=points(abs(value)).lstrip("+"))
    return amount(abs(value), unit)


def _signed_gap(value: float, unit: str) -> str:
    """A difference with its sign, and the word for its unit."""
    return say("{n} points", n=points(value)) if unit == "ratio" else difference(value, unit)


def _differs(one: _Shown) -> str:
    """One declared comparison that differs; better is said only where the measure has a direction."""
    direction = MEASURES.get(one.measure).direction
    if direction is None:
        return say(
            "{a} and {b} differ in {measure} (declared comparison): {a} minus {b} {difference} (95% CI "
            "{interval}; adjusted p {p}).",
            **_facts(one),
        )
    better_first = (one.difference > 0) == (direction == "higher")
    facts = _facts(one if better_first else _turned(one))
    return say(
        "{a} performs better than {b} in {measure} (declared comparison): {a} minus {b} {difference} (95% "
        "CI {interval}; adjusted p {p}).",
        **facts,
    )


def _alike(one: _Shown) -> str:
    return say(
        "{a} and {b} do not differ significantly in {measure} (declared comparison): {a} minus {b} "
        "{difference} (95% CI {interval}; adjusted p {p}).",
        **_facts(one),
    )


def _others_alike(others: list[_Shown], *, among: bool) -> str:
    """Declared comparisons that did not come out, in one sentence."""
    pairs = listed([f"{label(one.a)} \u2013 {label(one.b)}" for one in others])
    measure = _facts(others[0])["measure"]
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
    differing = [one for one in tested if one.significant]
    if not tested or (besides and not differing):
        return (
            [say("Exploratory, not declared in advance: no tests were possible.")]
            if tests and not besides
            else []
        )
    family = next(one for one in summary.families if one.name == "explored")
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
    differing = [one for one in tested if one.significant]
    return max(differing or tested, key=lambda one: abs(one.difference or 0.0), default=None)


def _largest(summary: Summary, test: GroupTest) -> str:
    name, found = test.measure, test.decisive
    rows = {str(row.key): row.rates[name] for row in summary.by}
    one = _Shown(
        name, str(test.a), str(test.b), test.difference or 0.0, found.low, found.high, found.p_adjusted
    )
    one = one if one.difference > 0 else _turned(one)
    facts = _facts(one) | {
        "high": percent(rows[one.a].ratio),
        "low": percent(rows[one.b].ratio),
    }
    if found.low is None:
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
        said = say("{measure}: {ratio}.", measure=title(name), ratio=percent(rate.ratio))
        return f"{said} {say(ONE_PERSON)}"
    return say(
        "{measure}: {ratio} (95% CI {interval}).",
        measure=title(name),
        ratio=percent(rate.ratio),
        interval=span(low, high),
    )


def _ground(summary: Summary) -> str:
    """How many dialogues of how many people the answer's measure has, and all rates of all."""
    whole = summary.all
    rates = [
        say("{measure} {ratio}", measure=heading.lower(), ratio=percent(whole.rates[name].ratio))
        for name, heading in headlines(summary).items()
        if whole.rates[name].low is not None
    ]
    spoken = whole.measures.get(spoken_measure(summary) or "")
    held = spoken.dialogues if spoken and spoken.dialogues else whole.dialogues
    people = (spoken.clustered.clusters if spoken else None) or whole.participants
    facts = {"dialogues": plural(held, "dialogue"), "participants": plural(people, "participant")}
    if not whole.participants:
        ground = say("Based on {dialogues}; participants are unknown.", **facts)
    elif summary.simulated:
        ground = say("Based on SIMULATED data: {dialogues} of {participants}.", **facts)
    else:
        ground = say("Based on {dialogues} of {participants}.", **facts)
    if held < whole.dialogues:
        missing = plural(whole.dialogues - held, "dialogue")
        ground += " " + say("Missing values, not included: {dialogues}.", dialogues=missing)
    return f"{ground} {say('Overall: {rates}.', rates='; '.join(rates))}" if rates else ground
