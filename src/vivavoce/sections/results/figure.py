"""Success rates drawn."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from vivavoce.report.content import interval_of
from vivavoce.report.drawing import ACCENT, INK, LABEL_HALVES, NARROW, Figure, figure, groups_axis, label_px
from vivavoce.report.language import say
from vivavoce.report.numbers import label, percent, span
from vivavoce.stats.summary_results import GroupSummary, SuccessRate


def success_figure(rows: Sequence[GroupSummary], measures: dict[str, str]) -> Figure:
    """Success rates as dots on their intervals, one panel a measure.

    Input   the groups of a summary; `measures` is name -> title of those to show
    """
    data = {
        name: [
            {"group": label(row.key), "shown": percent(row.rates[name].ratio), **_rate(row.rates[name])}
            for row in rows
            if row.rates[name].ratio is not None
        ]
        for name in measures
    }
    data = {name: found for name, found in data.items() if found}
    order = [label(row.key) for row in rows]

    def draw(width: int) -> Any:
        side_by_side = width != NARROW
        inner = (width - label_px(order, width)) // (len(data) if side_by_side else 1) - 26
        panels = [
            _rate_panel(found, measures[name], order, inner, width, named=not side_by_side or number == 0)
            for number, (name, found) in enumerate(data.items())
        ]
        return alt.hconcat(*panels, spacing=22) if side_by_side else alt.vconcat(*panels, spacing=16)

    words = "; ".join(
        f"{measures[name]}: "
        + ", ".join(f"{fact['group']} {fact['shown']} ({span(fact['low'], fact['high'])})" for fact in found)
        for name, found in data.items()
    )
    return figure(
        "success",
        say("Success rates with 95% intervals"),
        words + ".",
        draw,
        caption=say("Dot: share of successes; line: its 95% interval. The numbers are in the table below."),
    )


def _rate(rate: SuccessRate) -> dict[str, float | None]:
    low, high, _ = interval_of(rate)
    return {"ratio": rate.ratio, "low": low, "high": high}


def _rate_panel(
    data: list[dict[str, Any]], title: str, order: list[str], inner: int, width: int, *, named: bool
) -> Any:
    base = alt.Chart(alt.Data(values=data)).encode(y=groups_axis(order, width, named=named))
    x = alt.X(
        "ratio:Q",
        title=None,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labelExpr=LABEL_HALVES),
    )
    interval = base.mark_rule(color=ACCENT, strokeWidth=2.5).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    dot = base.mark_point(color=ACCENT, fill=ACCENT, size=64, opacity=1).encode(x=x)
    text = base.mark_text(dy=-11, fontSize=11, color=INK).encode(x=x, text=alt.Text("shown:N"))
    heading = alt.TitleParams(
        title.split(", "), anchor="start", frame="group", fontSize=12.5, fontWeight=600, color=INK
    )
    return (interval + dot + text).properties(width=inner, height=alt.Step(38), title=heading)
