"""Confidences of recognition: how often what was recognised is right, where how sure."""

from typing import Any

import altair as alt

from vivavoce.analysis.confidence import Calibration, ConfidenceResults, confidence_results, has_confidences
from vivavoce.reports.blocks import Block, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.drawing import ACCENT, NARROW, RULE, Figure, figure
from vivavoce.reports.language import between, coefficient, count, label, percent, plural, say, span
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import AnalysisContext, Section


def recognition_blocks(results: ConfidenceResults) -> list[Block]:
    """Calibration of the first hypotheses."""
    overall = results.all.found
    facts: dict[str, Any] = {
        "hypotheses": plural(overall.n, "turn"),
        "right": percent(overall.right),
        "confidence": percent(overall.confidence),
    }
    if results.noisy == results.dialogues:
        sentence = say(
            "Recognition is simulated: noise changed the typed words of simulated users. {right} of "
            "{hypotheses} (first hypothesis) had every word right; mean confidence was {confidence}. All "
            "recognition figures in this report refer to this noise.",
            **facts,
        )
        return [Paragraph(sentence), reliability_figure(overall), _table(results)]
    sentence = say(
        "{right} of {hypotheses} (first hypothesis) had every word right; mean confidence was {confidence}.",
        **facts,
    )
    if results.noisy:
        mixed = say(
            "Recognition is simulated in {n} of {dialogues}: noise changed the typed words of simulated "
            "users.",
            n=count(results.noisy),
            dialogues=plural(results.dialogues, "dialogue"),
        )
        sentence = f"{sentence} {mixed}"
    return [Paragraph(sentence), reliability_figure(overall), _table(results)]


def reliability_figure(calibration: Calibration, *, mark: str | None = None) -> Figure:
    """Share right over confidence, bin by bin, with intervals; on the diagonal the recogniser is right."""
    data = [
        {
            "confidence": bin_.confidence,
            "right": bin_.right,
            "n": bin_.n,
            "low": bin_.right if bin_.right_low is None else bin_.right_low,
            "high": bin_.right if bin_.right_high is None else bin_.right_high,
        }
        for bin_ in calibration.bins
        if bin_.n
    ]

    def draw(width: int) -> Any:
        axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
        scale = alt.Scale(domain=[0, 1])
        base = alt.Chart(alt.Data(values=data)).encode(
            x=alt.X("confidence:Q", title=say("mean confidence"), scale=scale, axis=axis)
        )
        ideal = (
            alt.Chart(alt.Data(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
            .mark_line(color=RULE, strokeDash=[4, 4])
            .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
        )
        interval = base.mark_rule(color=ACCENT, strokeWidth=2).encode(
            y=alt.Y("low:Q", title=say("share right"), scale=scale, axis=axis), y2=alt.Y2("high:Q")
        )
        dot = base.mark_point(color=ACCENT, fill=ACCENT, opacity=1, size=64).encode(y=alt.Y("right:Q"))
        room = 56 if width == NARROW else 70
        side = min(width - room, 380)
        return alt.layer(ideal, interval, dot, width=side, height=min(side, 300))

    words = "; ".join(
        say(
            "confidence {confidence}: {right} right ({span}), {n}",
            confidence=percent(point["confidence"]),
            right=percent(point["right"]),
            span=span(point["low"], point["high"]),
            n=plural(point["n"], "turn"),
        )
        for point in data
    )
    return figure(
        "reliability",
        say("Recognition accuracy and confidence"),
        words + ".",
        draw,
        mark=mark,
        caption=say(
            "Dot: share of turns with every word right; line: 95% CI clustered by participant. Dashed "
            "line: perfect calibration; below it the recogniser is overconfident."
        ),
        columns=(say("Mean confidence"), say("Right"), say("95% CI"), say("Turns")),
        rows=[
            (
                percent(point["confidence"]),
                percent(point["right"]),
                span(point["low"], point["high"]),
                count(point["n"]),
            )
            for point in data
        ],
    )


def _table(results: ConfidenceResults) -> TableOfText:
    groups = [*results.by, *([results.all] if len(results.by) > 1 else [])]
    names = {id(group): say("all") if group is results.all else label(group.key) for group in groups}
    rows = [
        Row(
            names[id(group)],
            (
                Cell(percent(group.found.right)),
                Cell(percent(group.found.confidence)),
                *(_cell(group.found, name) for name in ("expected_calibration_error", "brier", "auc")),
                Cell(count(group.found.n), (plural(group.found.participants, "participant"),)),
            ),
            total=group is results.all,
        )
        for group in groups
    ]
    columns = heads(
        say("Group"),
        say("Right"),
        say("Mean confidence"),
        say("Calibration error"),
        say("Brier score"),
        say("Area under the curve"),
        say("Turns"),
    )
    note = say(
        "Calibration error: mean distance between confidence and accuracy over ten bins; above 0 with few "
        "turns, even if calibrated. Brier score: mean squared error; 0 is best. Area under the curve: "
        "probability that a right hypothesis has a higher confidence than a wrong one; 0.5 is chance. "
        "Below: 95% CIs by bootstrap over participants."
    )
    signed = tuple((names[id(group)], group.signature) for group in groups)
    return TableOfText("confidence", say("Recognition confidence"), columns, tuple(rows), note, signed)


def _cell(calibration: Calibration, name: str) -> Cell:
    low, high = calibration.limits(name)
    return Cell(
        coefficient(getattr(calibration, name)), () if low is None else (between(low, high, coefficient),)
    )


class RecognitionSection(Section[ConfidenceResults]):
    """Only where a recogniser told confidences of turns that were transcribed."""

    name = "recognition"
    order = 1400
    title = "Recognition confidence"
    menu = "Recognition"
    needs = ("dialogues", "hypotheses")

    def results(self, material: AnalysisContext) -> ConfidenceResults | None:
        if not has_confidences(material.dataset):
            return None
        return confidence_results(material.dataset, material.by)

    def blocks(self, results: ConfidenceResults) -> list[Block]:
        return recognition_blocks(results)
