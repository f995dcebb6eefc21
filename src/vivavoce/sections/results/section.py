"""The success rates: how often each group succeeded, and which differ."""

from typing import Final

from vivavoce.analysis.summary import doubt_definitions
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Paragraph
from vivavoce.reports.drawing import MOST_DRAWN_GROUPS, Figure
from vivavoce.reports.intervals import DrawnValue, IntervalPanel, columns_of, drawn_measure, interval_figure
from vivavoce.reports.language import (
    amount,
    between,
    count,
    difference,
    differences,
    label,
    percent,
    points,
    say,
    span,
    stated,
)
from vivavoce.reports.links import cases_between, successes_of
from vivavoce.reports.rate_tables import by_what, headlines, interval_of, success_table, tests_table, title
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary
from vivavoce.sections.results.answer import answer, decisive_margin, meanings, question, spoken_measure
from vivavoce.stats.declared_results import is_rate
from vivavoce.stats.summary_results import GroupTest, Summary


def success_figure(summary: Summary, measures: dict[str, str]) -> Figure:
    """Success rates of the groups as dots on their intervals, one panel a measure.

    Input   `measures` is name -> title of those to show
    """
    panels = [
        IntervalPanel(measure_title, values, whole=True)
        for name, measure_title in measures.items()
        if (values := _rates(summary, name))
    ]
    return interval_figure(
        "success",
        say("Success rates with 95% CIs"),
        panels,
        caption=say("Dot: success rate; line: 95% CI. The table below has the numbers."),
        columns=columns_of(say("Measure"), say("Group"), say("Rate")),
    )


def answer_figure(summary: Summary, name: str) -> Figure | None:
    """The one measure that the answer speaks of, group by group; None where it has no value to be drawn."""
    values = _rates(summary, name) if is_rate(name) else drawn_measure(summary, name)
    if not values:
        return None
    is_whole = is_rate(name) and values[0].low is not None
    panel = IntervalPanel(title(name), values, whole=is_whole, ratio=MEASURES.get(name).unit == "ratio")
    margin = _margin_panel(summary, name)
    caption = say("Dot: value over all cases; line: 95% CI.")
    if margin:
        caption += " " + say(
            "Lower panel: difference with 90% CI for the non-inferiority test. Dashed lines: the margin on "
            "both sides. The first is non-inferior if the whole CI lies on the better side of its lower "
            "margin."
        )
    return interval_figure(
        "answer",
        say("{measure} with its 95% CI", measure=title(name)),
        [panel, margin] if margin else [panel],
        titled=margin is not None,
        caption=caption,
        columns=columns_of(say("Measure"), by_what(summary), say("Value")),
    )


def _margin_panel(summary: Summary, name: str) -> IntervalPanel | None:
    """The declared difference of two groups between its margins; None where none was declared for them."""
    declared = summary.declared.results if summary.declared else []
    primary = [test for test in declared if test.question == "primary" and test.measure == name]
    margin_test = decisive_margin(primary[0]) if len(primary) == 1 else None
    if margin_test is None:
        return None
    unit = MEASURES.get(name).unit
    times = 100 if unit == "ratio" else 1
    value, low, high, edge = (
        times * bound
        for bound in (
            margin_test.difference,
            margin_test.interval.low,
            margin_test.interval.high,
            margin_test.margin,
        )
    )
    margin_value = DrawnValue(
        f"{label(margin_test.system)} \u2212 {label(margin_test.than)}",
        value,
        low,
        high,
        difference(margin_test.difference, unit),
        f"{differences(margin_test.interval.low, margin_test.interval.high, unit)} (90%)",
    )
    heading = (
        say("Difference in percentage points, with the margin")
        if unit == "ratio"
        else say("Difference, with the margin")
    )
    return IntervalPanel(heading, [margin_value], line=0.0, edges=(-edge, edge))


def differences_figure(summary: Summary, headings: dict[str, str]) -> Figure | None:
    """Differences of rates with their intervals, one panel a measure; None where no interval was found."""
    panels = [
        IntervalPanel(heading, values, line=0.0)
        for name, heading in headings.items()
        if (
            values := [
                _difference(summary, test)
                for test in summary.tests
                if test.measure == name and _drawable(test)
            ]
        )
    ]
    if not panels:
        return None
    return interval_figure(
        "differences",
        say("Differences of the success rates"),
        panels,
        caption=say(
            "Dot: first minus second, in percentage points; line: unadjusted 95% CI. A line that crosses 0 "
            "shows no significant difference."
        ),
        columns=columns_of(say("Measure"), say("Compared"), say("Difference")),
    )


def _rates(summary: Summary, name: str) -> list[DrawnValue]:
    values = []
    for row in summary.by:
        rate = row.rates[name]
        if rate.ratio is None:
            continue
        low, high, _ = interval_of(rate)
        text = percent(rate.ratio) if rate.low is not None else amount(rate.ratio, "")
        counted = say("{k} of {n}", k=count(rate.successes), n=count(rate.n))
        values.append(
            DrawnValue(
                label(row.key),
                rate.ratio,
                low,
                high,
                text,
                span(low, high),
                counted,
                successes_of(summary, row, name),
            )
        )
    return values


def _drawable(test: GroupTest) -> bool:
    return test.difference is not None and test.decisive.low is not None


def _difference(summary: Summary, test: GroupTest) -> DrawnValue:
    """In percentage points."""
    decisive = test.decisive
    value, low, high = (100 * (bound or 0.0) for bound in (test.difference, decisive.low, decisive.high))
    return DrawnValue(
        f"{label(test.a)} \u2013 {label(test.b)}",
        value,
        low,
        high,
        points(test.difference),
        between(decisive.low, decisive.high, points),
        counts=cases_between(summary, (test.a, test.b), test.measure),
    )


MOST_AT_THE_FRONT: Final = 12  # lines of a figure that leave the first page one screen


class ResultsSection(LeadingSection[Summary]):
    """Rates by group with their tests; at the front, the answer of the whole report."""

    name = "results"
    order = 100
    title = "Results"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> Summary:
        return material.summary

    def blocks(self, results: Summary) -> list[Block]:
        rates = headlines(results)
        if not rates:
            missing = say("No success rate: the dataset has no answers to a success question and no goals.")
            return [Paragraph(missing)]
        drawable = {
            name: title
            for name, title in rates.items()
            if all(row.rates[name].low is not None or not row.rates[name].n for row in results.by)
        }
        is_drawn = drawable and len(results.by) <= MOST_DRAWN_GROUPS
        blocks: list[Block] = [success_figure(results, drawable)] if is_drawn else []
        blocks.append(success_table(results))
        if tests := tests_table(results):
            forest = differences_figure(results, rates) if is_drawn else None
            blocks += [forest, tests] if forest else [tests]
        return blocks

    def front(self, results: Summary) -> ReportSummary:
        sentences = answer(results)
        name = spoken_measure(results) if sentences and len(results.by) <= MOST_AT_THE_FRONT else None
        doubt = doubt_definitions(results.all)
        return ReportSummary(
            question=question(results),
            answer=tuple(sentences),
            meanings=tuple(meanings(results)) if sentences else (),
            figure=answer_figure(results, name) if name else None,
            before=() if doubt is None else (stated(doubt),),
        )
