"""The report's tables of results: rates, tests, variants and interaction parameters, as text."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from vivavoce.core.i18n import N_
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Cell, Row, TableOfText
from vivavoce.reports.language import (
    Shown,
    amount,
    between,
    count,
    label,
    p_value,
    percent,
    plural,
    points,
    say,
    span,
    stated,
    z_value,
)
from vivavoce.reports.links import cases_between, successes_of
from vivavoce.stats.declared_results import HEADLINES, is_rate
from vivavoce.stats.summary_results import GroupSummary, GroupTest, MeasuredTotal, SuccessRate, Summary

ONE_PERSON: Final = N_(
    "No interval: the dialogues of one participant do not show how much participants differ."
)
SIGNIFICANT: Final = 0.05
UNIT_NAMES: Final = {
    "dialogue": "dialogues",
    "goal": "goals",
    "call_all": "dialogues, all goals",
    "call_last": "dialogues, last goal",
}


def title(name: str) -> str:
    """A measure's name as people read it; a variant of a rate is told apart by its settings."""
    heading = say(MEASURES.get(name).title)
    return f"{heading} ({settings(name)})" if is_variant(name) else heading


def settings(name: str) -> str:
    """A measure's parameters in words, such as `unit goal, no match drop, offer any`."""
    parameters = MEASURES.get(name).parameters
    return ", ".join(say(f"{key} {value}".replace("_", " ")) for key, value in parameters.items())


def is_variant(name: str) -> bool:
    """True if a measure is another way of counting one of the headline rates."""
    return is_rate(name) and name not in HEADLINES


def headlines(summary: Summary) -> dict[str, str]:
    """The headline rates of which anything was counted, with their titles."""
    return {name: title(name) for name in HEADLINES if (rate := summary.all.rates.get(name)) and rate.n}


def with_all(summary: Summary) -> Sequence[GroupSummary]:
    """The groups, and the whole after them where there is more than one."""
    return [*summary.by, summary.all] if len(summary.by) > 1 else summary.by


def group_name(row: GroupSummary, summary: Summary) -> str:
    """A group's key as people read it; the whole in the report's language."""
    return say("all") if row is summary.all else label(row.key)


def heads(*names: str) -> tuple[Cell, ...]:
    """Plain column headings."""
    return tuple(Cell(name) for name in names)


def is_significant(p: float | None, alpha: float = SIGNIFICANT) -> bool:
    """True if p, adjusted where several were computed, is below alpha; False if it is missing."""
    return p is not None and p < alpha


def adjusted_cell(p: float | None) -> Cell:
    """An adjusted p, bold where it is significant."""
    return Cell(p_value(p), strong=is_significant(p))


def abandoned(left_count: int | None) -> tuple[str, ...]:
    """Note on abandoned dialogues under a number of dialogues: how many; else nothing."""
    return (say("of these abandoned: {abandoned}", abandoned=count(left_count)),) if left_count else ()


def interval_of(rate: SuccessRate) -> tuple[float | None, float | None, bool]:
    """A rate's limits with participants as the unit where they are known, else those of independent cases.

    Empty   one participant: none, for their dialogues say nothing of how far others would differ
    """
    if rate.clustered.low is not None:
        return rate.clustered.low, rate.clustered.high, True
    if of_one(rate):
        return None, None, False
    return rate.low, rate.high, False


def of_one(rate: SuccessRate | MeasuredTotal) -> bool:
    """True if all cases are one participant's."""
    return rate.clustered.clusters == 1


def is_clustered(summary: Summary) -> bool:
    """True if any rate has an interval with participants as the unit, or all dialogues are one person's."""
    rates = [row.rates[name] for row in with_all(summary) for name in headlines(summary)]
    return any(interval_of(rate)[2] for rate in rates) or any(map(of_one, summary.all.rates.values()))


def success_table(summary: Summary) -> TableOfText:
    names = headlines(summary)
    rows = [
        Row(
            group_name(row, summary),
            tuple(
                replace(rate_cell(row.rates[name]), counts=successes_of(summary, row, name)) for name in names
            ),
            (
                plural(row.dialogues, "dialogue"),
                *abandoned(row.abandoned),
                *([plural(row.participants, "participant")] if row.participants else []),
            ),
            total=row is summary.all,
        )
        for row in with_all(summary)
    ]
    columns = (
        *heads(by_what(summary)),
        *(Cell(heading, (unit_of(summary, name),)) for name, heading in names.items()),
    )
    signed = signatures(with_all(summary), names)
    return TableOfText("success", say("Success rates"), columns, tuple(rows), rate_note(summary), signed)


def rate_note(summary: Summary) -> str:
    """Note under a rate."""
    if any(of_one(rate) for rate in summary.all.rates.values()):
        return f"{say('Under each rate: successes / cases.')} {say(ONE_PERSON)}"
    if is_clustered(summary):
        return say(
            "Under each rate: 95% CI clustered by participant, then successes / cases. The last line is "
            "Wilson's interval, which treats cases as independent; for comparison only."
        )
    return say("Under each rate: 95% CI (Wilson), then successes / cases.")


def by_what(summary: Summary) -> str:
    return say(summary.by_what.replace("_", " ").capitalize())


def unit_of(summary: Summary, name: str) -> str:
    return f"n = {unit_name(summary.all.rates[name].unit)}"


def unit_name(unit: str) -> str:
    """Unit of a rate, in words."""
    return say(UNIT_NAMES.get(unit, unit.replace("_", " ")))


def rate_cell(rate: SuccessRate) -> Cell:
    if rate.ratio is None:
        return Cell(percent(None), (say("no case"),))
    if rate.low is None:
        return Cell(amount(rate.ratio, ""), (say("mean of {n}", n=count(rate.n)),))
    low, high, clustered = interval_of(rate)
    if low is None:
        facts = {"k": count(rate.successes), "n": count(rate.n)}
        return Cell(percent(rate.ratio), (say("no interval: one participant"), say("{k} of {n}", **facts)))
    counted = say("{k} of {n}", k=count(rate.successes), n=count(rate.n))
    naive = [_wilson(rate)] if clustered else []
    return Cell(percent(rate.ratio), (span(low, high), counted, *abandoned(rate.abandoned), *naive))


def _wilson(rate: SuccessRate) -> str:
    return Shown(f"Wilson {span(rate.low, rate.high)}", wilson_low=rate.low, wilson_high=rate.high)


def signature_of(measured: SuccessRate | MeasuredTotal) -> str:
    """The signature of a rate or measure, which cites the interval that `interval_of` gives."""
    if of_one(measured):
        return measured.signature.partition("|interval:")[0]
    return measured.clustered.signature or measured.signature


def signatures(rows: Iterable[GroupSummary], names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Signatures of measures `names` for every row that has a number."""
    measures = list(names)
    return tuple(
        (
            f"{label(row.key)}, {title(name).lower()}",
            signature_of(row.rates[name] if is_rate(name) else row.measures[name]),
        )
        for row in rows
        for name in measures
        if row.counted(name)
    )


def tests_table(summary: Summary) -> TableOfText | None:
    """The tests of the headline rates, or None with one group."""
    clustered = any(test.unit == "participant" for test in summary.tests)
    rows = [
        Row(
            f"{label(test.a)} \u2013 {label(test.b)}",
            _opened(_clustered_cells(test) if clustered else _naive_cells(test), summary, test),
            (say("declared in advance"),) if test.family == "declared" else (),
            group=heading,
        )
        for name, heading in headlines(summary).items()
        for test in summary.tests
        if test.measure == name
    ]
    if not rows:
        return None
    families = " ".join(stated(family.why) for family in summary.families)
    if not clustered:
        note = say(
            "Difference (first minus second) in percentage points with 95% CI (Newcombe). Two-tailed "
            "pooled z-test. Bold: significant after adjustment. Dash: no variation, so no test."
        )
        columns = heads(say("Compared"), say("Difference"), say("95% CI"), "z", "p", say("p (adjusted)"))
    else:
        note = say(
            "Difference (first minus second) in percentage points, clustered by participant; p is "
            "two-tailed. Bold: significant after adjustment. Dash: no test was possible. The last column "
            "is the unadjusted pooled z-test with Newcombe's interval, which treats cases as independent; "
            "for comparison only."
        )
        columns = (
            *heads(say("Compared"), say("Difference"), say("95% CI"), "p", say("p (adjusted)")),
            Cell(say("Independent cases"), (say("interval; p, not adjusted"),)),
        )
    caption = (
        say("Comparisons of the success rates")
        if clustered
        else say("Two-tailed z-tests of the success rates")
    )
    return TableOfText(
        "tests", caption, columns, tuple(rows), f"{note} {families}".strip(), _signed_tests(summary)
    )


def _opened(cells: tuple[Cell, ...], summary: Summary, test: GroupTest) -> tuple[Cell, ...]:
    """The cells of a comparison, of which the difference counts the cases of both groups."""
    first, *others_cells = cells
    return replace(first, counts=cases_between(summary, (test.a, test.b), test.measure)), *others_cells


def _signed_tests(summary: Summary) -> tuple[tuple[str, str], ...]:
    return tuple(
        (f"{label(test.a)} \u2013 {label(test.b)}, {title(test.measure).lower()}", test.signature)
        for name in headlines(summary)
        for test in summary.tests
        if test.measure == name
    )


def _clustered_cells(test: GroupTest) -> tuple[Cell, ...]:
    return (
        *_counted_cells(test),
        Cell(between(test.low, test.high, points), (p_value(test.p),)),
    )


def _naive_cells(test: GroupTest) -> tuple[Cell, ...]:
    difference, interval, *ps = _counted_cells(test)
    return (difference, interval, Cell(z_value(test.z)), *ps)


def _counted_cells(test: GroupTest) -> tuple[Cell, ...]:
    """The side of a test that counts."""
    decisive = test.decisive
    return (
        Cell(points(test.difference)),
        Cell(between(decisive.low, decisive.high, points)),
        Cell(p_value(decisive.p)),
        Cell(p_value(decisive.p_adjusted), strong=bool(test.significant)),
    )


def family_title(name: str) -> str:
    """The name of a measure's family, to be shown."""
    return say(MEASURES.get(name).family.replace("_", " ").capitalize())
