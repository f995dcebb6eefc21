"""Results from people alone, and from people with a judge corrected for its error against them."""

from collections.abc import Callable
from dataclasses import dataclass

from vivavoce.analysis.judge_estimates import EstimatedDifference, EstimatedGroup, JudgeEstimates, estimate
from vivavoce.core.errors import InputError
from vivavoce.reports.blocks import Block, Bullets, Cell, Heading, Paragraph, Row, TableOfText
from vivavoce.reports.language import (
    MISSING,
    between,
    coefficient,
    count,
    difference,
    differences,
    label,
    p_value,
    percent,
    say,
    stated,
)
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import AnalysisContext, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFound:
    """A judge of one target, with what it gives beside people's answers; None where nobody answered."""

    judge: str
    target: str
    estimates: JudgeEstimates | None


def judge_blocks(judge_results: JudgeFound) -> list[Block]:
    """One judge of one target: people, people and judge, and the judge alone, marked as uncorrected."""
    estimates = judge_results.estimates
    heading = Heading(say("{judge} on {target}", judge=judge_results.judge, target=judge_results.target))
    if estimates is None:
        return [
            heading,
            Paragraph(
                say(
                    "No human ratings exist for this question, so the judge cannot be corrected and no "
                    "figure uses it."
                )
            ),
        ]
    return [
        heading,
        _groups_table(estimates),
        *([_differences_table(estimates)] if estimates.differences else []),
        Bullets(tuple(stated(sentence) for sentence in (*estimates.warnings, *estimates.words))),
    ]


def _groups_table(estimates: JudgeEstimates) -> TableOfText:
    value: Callable[[float | None], str] = percent if estimates.rate else coefficient
    rows = [row for group in estimates.groups for row in _group_rows(group, value)]
    return TableOfText(
        f"judge_{estimates.judge}_{estimates.target}",
        say("People, and people with the judge"),
        heads(
            say("Based on"),
            say("Value"),
            say("95% CI"),
            say("Labels"),
            say("Participants"),
            say("Equivalent labels"),
        ),
        tuple(rows),
        say(
            "Labels are human ratings. Equivalent labels: human labels needed for the same interval width "
            "without the judge. Figures of the judge alone are uncorrected and not results."
        ),
        ((say("People and judge"), estimates.signature),),
    )


def _group_rows(group: EstimatedGroup, value: Callable[[float | None], str]) -> list[Row]:
    name = label(group.key)
    sides = (
        (say("People alone"), group.people, None),
        (say("People and judge"), group.joined, group.effective_labels),
        (say("Judge alone, uncorrected"), group.judge_uncorrected, None),
    )
    return [
        Row(
            words,
            (
                Cell(value(side_estimate.estimate)),
                Cell(between(side_estimate.low, side_estimate.high, value)),
                Cell(count(side_estimate.labels) if place < 2 else MISSING),
                Cell(count(side_estimate.people) if place < 2 else MISSING),
                Cell(MISSING if worth is None else count(worth)),
            ),
            group=name,
        )
        for place, (words, side_estimate, worth) in enumerate(sides)
    ]


def _differences_table(estimates: JudgeEstimates) -> TableOfText:
    unit = "ratio" if estimates.rate else ""
    return TableOfText(
        f"judge_{estimates.judge}_{estimates.target}_differences",
        say("Differences: people, and people with the judge"),
        heads(say("Based on"), say("Difference"), say("95% CI"), "p", say("p (adjusted)")),
        tuple(row for difference in estimates.differences for row in _difference_rows(difference, unit)),
        say(
            "First minus second. Adjusted p (Holm) over the {n} pairs of this table; exploratory.",
            n=count(len(estimates.differences)),
        ),
        ((say("People and judge"), estimates.signature),),
    )


def _difference_rows(estimated: EstimatedDifference, unit: str) -> list[Row]:
    sides = (
        (say("People alone"), estimated.people, None),
        (say("People and judge"), estimated.joined, estimated.p_adjusted),
        (say("Judge alone, uncorrected"), estimated.judge_uncorrected, None),
    )
    return [
        Row(
            words,
            (
                Cell(difference(side.estimate, unit)),
                Cell(differences(side.low, side.high, unit)),
                Cell(p_value(side.p) if place < 2 else MISSING),
                Cell(p_value(adjusted) if place == 1 else MISSING),
            ),
            group=f"{label(estimated.a)} \u2013 {label(estimated.b)}",
        )
        for place, (words, side, adjusted) in enumerate(sides)
    ]


class JudgesSection(Section[list[JudgeFound]]):
    """Only where a judge answered: a person who judges is no judge here, but one of the people."""

    name = "judges"
    order = 850
    title = "People and judges"
    needs = ("judgements",)

    def results(self, material: AnalysisContext) -> list[JudgeFound] | None:
        rows = material.dataset.read("judgements").to_pylist()
        judged = sorted({(row["target"], row["judge"]) for row in rows if row["kind"] != "person"})
        return [_found(material, judge, target) for target, judge in judged] or None

    def blocks(self, results: list[JudgeFound]) -> list[Block]:
        return [block for result in results for block in judge_blocks(result)]


def _found(material: AnalysisContext, judge: str, target: str) -> JudgeFound:
    try:
        estimates = estimate(material.dataset, judge, target, by=material.by)
    except InputError:  # nobody was asked it
        return JudgeFound(judge=judge, target=target, estimates=None)
    return JudgeFound(judge=judge, target=target, estimates=estimates)
