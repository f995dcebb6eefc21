"""Figures of a model of quality: weights, courses of single predictors, calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vivavoce.analysis.prediction.explanation import QualityExplanation
from vivavoce.core.extras import later
from vivavoce.core.result import as_json
from vivavoce.measures import MEASURES
from vivavoce.reports.drawing import ACCENT, INK, SOFT, WARM, Figure, figure, row_names

if TYPE_CHECKING:
    import altair as alt
else:
    alt = later("altair")

MOST_WEIGHTS: Final = 20


def prediction_figures(explanation: QualityExplanation) -> list[Figure]:
    """The figures of what `explain` found; no weights of trees."""
    figures = [_weights(explanation)] if explanation.coefficients else [_worth(explanation)]
    return [*figures, *([_courses(explanation)] if explanation.courses else []), _calibration(explanation)]


def _title(measure: str) -> str:
    return MEASURES.get(measure).title


def _n(explanation: QualityExplanation) -> str:
    return f"{explanation.n} dialogues of {explanation.participants} participants"


def _weights(explanation: QualityExplanation) -> Figure:
    coefficients = [row for row in explanation.coefficients or () if row.weight][:MOST_WEIGHTS]
    rows = [as_json(row) | {"title": _title(row.measure)} for row in coefficients]

    def draw(width: int) -> Any:
        names = row_names([row["title"] for row in rows], width)
        base = alt.Chart(alt.Data(values=rows)).encode(
            y=alt.Y("title:N", sort=None, title=None, axis=names.axis)
        )
        line = base.mark_rule(color=SOFT, strokeWidth=3).encode(
            x=alt.X("low:Q", title="weight"), x2=alt.X2("high:Q")
        )
        dot = base.mark_point(color=ACCENT, filled=True, size=60, opacity=1).encode(x=alt.X("weight:Q"))
        zero = (
            alt.Chart(alt.Data(values=[{"x": 0}]))
            .mark_rule(color=INK, strokeDash=[3, 3])
            .encode(x=alt.X("x:Q"))
        )
        return (zero + line + dot).properties(
            width=width - names.room - 26, height=names.step(22) * len(rows) + 20
        )

    words = "; ".join(
        f"{_title(row.measure)} {row.weight:z.2f} ({row.low:z.2f} to {row.high:z.2f})" for row in coefficients
    )
    title = f"Weights of normalised parameters: {explanation.target}"
    return figure("coefficients", title, f"{words}.", draw, mark=_n(explanation))


def _worth(explanation: QualityExplanation) -> Figure:
    rows_shown = explanation.importance[:MOST_WEIGHTS]
    rows = [as_json(row) | {"title": _title(row.measure)} for row in rows_shown]

    def draw(width: int) -> Any:
        names = row_names([row["title"] for row in rows], width)
        bars = (
            alt.Chart(alt.Data(values=rows))
            .mark_bar(color=ACCENT)
            .encode(
                y=alt.Y("title:N", sort=None, title=None, axis=names.axis),
                x=alt.X("r2_lost:Q", title="R2 of unseen participants lost when shuffled"),
            )
        )
        return bars.properties(width=width - names.room - 26, height=names.step(22) * len(rows) + 20)

    words = "; ".join(f"{_title(row.measure)} {row.r2_lost:.3f}" for row in rows_shown)
    return figure(
        "importance",
        f"What predictors are worth: {explanation.target}",
        f"{words}.",
        draw,
        mark=_n(explanation),
    )


def _courses(explanation: QualityExplanation) -> Figure:
    courses = [(_title(course.measure), course.points) for course in explanation.courses]
    predictions = [point.predicted for _, points in courses for point in points]
    scale = alt.Scale(domain=[min(predictions), max(predictions)], nice=True, zero=False)

    def draw(width: int) -> Any:
        columns = max(1, width // 280)
        panels = [
            alt.Chart(alt.Data(values=as_json(points)), title=alt.TitleParams(title, fontSize=12, color=INK))
            .mark_line(color=ACCENT, point={"color": ACCENT, "size": 12})
            .encode(
                x=alt.X("value:Q", title=None, scale=alt.Scale(zero=False)),
                y=alt.Y("predicted:Q", title="predicted", scale=scale),
            )
            .properties(width=width // columns - 80, height=120)
            for title, points in courses
        ]
        return alt.concat(*panels, columns=columns)

    words = "; ".join(
        f"{title}: from {points[0].predicted:.2f} at {points[0].value:.2f} "
        f"to {points[-1].predicted:.2f} at {points[-1].value:.2f}"
        for title, points in courses
    )
    title = f"Mean prediction over the range of a parameter: {explanation.target}"
    return figure("courses", title, f"{words}.", draw, mark=_n(explanation))


def _calibration(explanation: QualityExplanation) -> Figure:
    tenths, rows = explanation.calibration, as_json(explanation.calibration)
    ends = [
        min(min(row.predicted, row.low) for row in tenths),
        max(max(row.predicted, row.high) for row in tenths),
    ]

    def draw(width: int) -> Any:
        scale = alt.Scale(domain=ends, zero=False, nice=True)
        base = alt.Chart(alt.Data(values=rows)).encode(x=alt.X("predicted:Q", title="predicted", scale=scale))
        line = base.mark_rule(color=SOFT, strokeWidth=3).encode(
            y=alt.Y("low:Q", title="answered", scale=scale), y2=alt.Y2("high:Q")
        )
        dot = base.mark_point(color=ACCENT, filled=True, size=60, opacity=1).encode(y=alt.Y("answered:Q"))
        ideal = alt.Chart(alt.Data(values=[{"at": end} for end in ends])).mark_line(
            color=WARM, strokeDash=[4, 3]
        )
        side = min(width - 80, 360)
        return (ideal.encode(x=alt.X("at:Q"), y=alt.Y("at:Q")) + line + dot).properties(
            width=side, height=side
        )

    words = "; ".join(
        f"predicted {row.predicted:.2f}, answered {row.answered:.2f} ({row.low:.2f} to {row.high:.2f})"
        for row in tenths
    )
    title = f"Calibration for unseen participants: {explanation.target}"
    return figure("calibration", title, f"{words}.", draw, mark=_n(explanation))
