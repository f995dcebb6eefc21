"""Terminal tables of judges: estimates by source, and a judge compared with people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from vivavoce.api.analysis_tables import chance, in_words, number, plain_table, points, span, span_of_points

if TYPE_CHECKING:
    from vivavoce.analysis.judge_estimates import JudgeCalibration, JudgeEstimates
    from vivavoce.stats.judge_calibration import JudgeFigure
    from vivavoce.stats.prediction_powered import PoweredDifference, PoweredMean


def estimates(found: "JudgeEstimates") -> Iterator[RenderableType]:
    """Estimates by people, by people and judge, and by the judge only; then differences and notes."""
    value, limits = (points, span_of_points) if found.rate else (lambda figure: number(figure, 3), span)
    table = plain_table(
        found.by, "by", found.target.replace("_", " "), "95%", "labels", "participants", "worth"
    )
    for group in found.groups:
        rows: list[tuple[str, PoweredMean, str]] = [
            ("people", group.people, ""),
            (f"people and {found.judge}", group.joined, _worth(group.effective_labels)),
            (f"{found.judge} alone: uncorrected", group.judge_uncorrected, ""),
        ]
        for place, (by, estimate, worth) in enumerate(rows):
            style = "dim" if place == 2 else None
            labels = ("0", "0") if place == 2 else (str(estimate.labels), str(estimate.people))
            table.add_row(
                str(group.key) if place == 0 else "",
                by,
                value(estimate.estimate),
                limits((estimate.low, estimate.high)),
                *labels,
                worth,
                style=style,
            )
    yield table
    if found.differences:
        yield _differences(found, limits)
    yield Text("worth: number of human labels that gives an equally narrow interval", style="dim")
    for line in found.words:
        yield Text(str(line))
    yield Text(found.signature, style="dim")


def _differences(judge_estimates: "JudgeEstimates", limits: object) -> RenderableType:
    table = plain_table("difference", "by", "", "95%", "p", "(Holm)")
    for difference in judge_estimates.differences:
        rows: list[tuple[str, PoweredDifference]] = [
            ("people", difference.people),
            (f"people and {judge_estimates.judge}", difference.joined),
            (f"{judge_estimates.judge} alone: uncorrected", difference.judge_uncorrected),
        ]
        for place, (by, side) in enumerate(rows):
            table.add_row(
                f"{difference.a} - {difference.b}" if place == 0 else "",
                by,
                points(side.estimate) if judge_estimates.rate else number(side.estimate, 3),
                limits((side.low, side.high)),  # type: ignore[operator]
                chance(side.p) if place < 2 else "",
                chance(difference.p_adjusted) if place == 1 else "",
                style="dim" if place == 2 else None,
            )
    return table


def calibration(found: "JudgeCalibration") -> Iterator[RenderableType]:
    """Agreement beside people's own, the diagram in figures, where it is wrong, and the test."""
    table = plain_table(
        found.judge, "cases", "participants", "more than people", "same", "correlation", "alpha"
    )
    for name, agreement in (
        ("with people", found.agreement),
        ("people with people", found.people_with_people),
    ):
        if agreement is not None:
            figures = (agreement.difference, agreement.same, agreement.correlation, agreement.alpha)
            table.add_row(
                name, str(agreement.n), str(agreement.participants), *(_figure(figure) for figure in figures)
            )
    yield table
    diagram = plain_table("the judge says", "people say", "95%", "cases")
    for bin_ in found.reliability:
        diagram.add_row(
            number(bin_.said, 2),
            number(bin_.label.value, 2),
            span((bin_.label.low, bin_.label.high)),
            str(bin_.n),
        )
    yield diagram
    effects = plain_table("more than people, by", "by how much", "95%", "")
    for name, effect in found.effects.items():
        effects.add_row(
            in_words(name),
            number(effect.value, 3),
            span((effect.low, effect.high)),
            "found" if effect.beyond_zero else "",
        )
    yield effects
    test = found.alternative
    if test is not None and test.passes is not None:
        yield Text(
            f"Alternative annotator test: the judge matches or beats {test.winning_rate:.0%} "
            f"of {test.annotators} people (advantage {test.advantage:.2f}, epsilon "
            f"{test.epsilon:g}): "
            + ("it can replace a human annotator." if test.passes else "it cannot replace a human annotator.")
        )
    yield Text(found.signature, style="dim")


def _figure(figure: "JudgeFigure") -> str:
    limits = span((figure.low, figure.high))
    return number(figure.value, 2) + (f" ({limits})" if limits else "")


def _worth(labels: float | None) -> str:
    return "" if labels is None else f"{labels:.0f}"
