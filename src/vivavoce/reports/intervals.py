"""Values as dots on their intervals, a panel each: rates, parameters, differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.extras import later
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.drawing import (
    ACCENT,
    HOVER,
    INK,
    LABEL_HALVES,
    LETTER_PX,
    NARROW,
    WARM,
    Figure,
    RowNames,
    figure,
    groups_axis,
    row_names,
)
from vivavoce.reports.language import count, label, measured, say
from vivavoce.reports.links import cases_of
from vivavoce.stats.summary_results import Summary

if TYPE_CHECKING:
    import altair as alt
else:
    alt = later("altair")

STEP: Final = 38
CLOSE_STEP: Final = 30
MOST_APART: Final = 8  # lines that stand as far from one another as is good to read
GAP: Final = 22
SIDE: Final = 26


@dataclass(frozen=True, slots=True)
class DrawnValue:
    """One dot: the line on which it stands, value and limits, and how they are written.

    counted  how many cases it rests on, in words
    counts   the dialogues that it counts
    """

    group: str
    value: float
    low: float | None
    high: float | None
    shown: str
    limits: str
    counted: str = ""
    counts: CountedDialogues | None = None

    @property
    def hover(self) -> str:
        limits = f" ({self.limits})" if self.low is not None else ""
        return f"{self.group}: {self.shown}{limits}{', ' if self.counted else ''}{self.counted}"


@dataclass(frozen=True, slots=True)
class IntervalPanel:
    """Values in one unit; parts of its title that stand in lines of their own are set apart by `, `.

    whole  a share of a whole: the axis goes from 0 to 100 %
    ratio  the axis is written in per cent
    line   where an upright line stands, such as at no difference
    edges  where broken lines stand, such as at a margin to both sides
    """

    title: str
    values: Sequence[DrawnValue]
    whole: bool = False
    ratio: bool = False
    line: float | None = None
    edges: tuple[float, ...] = ()


def interval_figure(
    name: str,
    title: str,
    panels: Sequence[IntervalPanel],
    *,
    caption: str,
    columns: Sequence[str],
    together: int = 3,
    titled: bool = True,
) -> Figure:
    """The panels side by side, at most `together` of them, each with a line a group.

    titled   panels have headings of their own
    columns  what the table of its numbers calls: panel, group, value, interval, cases
    """
    order = list(dict.fromkeys(value.group for panel in panels for value in panel.values))
    alike = all(
        {value.group for value in panel.values} <= {value.group for value in panels[0].values}
        for panel in panels
    )

    def draw(width: int) -> Any:
        beside = 1 if width == NARROW or not alike else min(together, len(panels))
        names = row_names(order, width)
        inner = (width - names.room) // beside - SIDE
        charts = [
            _panel(
                panel,
                names if alike else _own_names(panel, names),
                inner,
                named=place % beside == 0,
                titled=titled,
            )
            for place, panel in enumerate(panels)
        ]
        if beside == 1:
            return alt.vconcat(*charts, spacing=16)
        rows = [
            alt.hconcat(*charts[place : place + beside], spacing=GAP)
            for place in range(0, len(charts), beside)
        ]
        return rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=16)

    words = "; ".join(
        f"{panel.title}: "
        + ", ".join(f"{value.group} {value.shown} ({value.limits})" for value in panel.values)
        for panel in panels
    )
    rows = [
        (panel.title, value.group, value.shown, value.limits, value.counted)
        for panel in panels
        for value in panel.values
    ]
    values = [value for panel in panels for value in panel.values]
    return figure(
        name,
        title,
        words + ".",
        draw,
        caption=caption,
        columns=columns,
        rows=rows,
        labels=[value.hover for value in values],
        counts=[value.counts for value in values],
    )


def columns_of(panel: str, group: str, value: str) -> tuple[str, ...]:
    """The headings of the table behind such a figure."""
    return panel, group, value, say("95% CI"), say("Cases")


def drawn_measure(summary: Summary, name: str) -> list[DrawnValue]:
    """The groups' values of a measure that is no success rate; those without a case are left out."""
    values = []
    for row in summary.by:
        measure = row.measures.get(name)
        if measure is None or measure.value is None:
            continue
        low, high = measure.clustered.low, measure.clustered.high
        text, interval = measured(measure.value, low, high, measure.unit)
        values.append(
            DrawnValue(
                label(row.key),
                measure.value,
                low,
                high,
                text,
                interval,
                count(measure.denominator),
                cases_of(summary, row, name),
            )
        )
    return values


def _panel(panel: IntervalPanel, names: RowNames, inner: int, *, named: bool, titled: bool) -> Any:
    data = [
        {
            "group": value.group,
            "value": value.value,
            "low": value.low,
            "high": value.high,
            "shown": value.shown,
            "hover": value.hover,
        }
        for value in panel.values
    ]
    base = alt.Chart(alt.Data(values=data)).encode(y=groups_axis(names, named=named))
    x = alt.X("value:Q", title=None, **_scale(panel))
    interval = base.mark_rule(color=ACCENT, strokeWidth=2.5).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    dot = base.mark_point(color=ACCENT, fill=ACCENT, size=64, opacity=1, aria=True).encode(
        x=x, description=HOVER
    )
    text = base.mark_text(dy=-11, fontSize=11, color=INK).encode(x=x, text=alt.Text("shown:N"))
    layers, facts = [interval, dot, text], dict[str, Any]()
    if panel.edges:
        edges = alt.Chart(alt.Data(values=[{"edge": edge} for edge in panel.edges]))
        layers = [
            edges.mark_rule(color=WARM, strokeWidth=1.5, strokeDash=[4, 3]).encode(x=alt.X("edge:Q")),
            *layers,
        ]
    if panel.line is not None:
        zero_line = alt.Chart(alt.Data(values=[{"line": panel.line}]))
        line = zero_line.mark_rule(color=WARM, strokeWidth=1.5).encode(x=alt.X("line:Q"))
        layers = [line, alt.layer(*layers)]
    step = names.step(STEP if len(names.lines) <= MOST_APART else CLOSE_STEP)
    if titled:
        facts["title"] = alt.TitleParams(
            _lines(panel.title, inner),
            anchor="start",
            frame="group",
            fontSize=12.5,
            fontWeight=600,
            color=INK,
        )
    return alt.layer(*layers, width=inner, height=alt.Step(step), **facts)


def _own_names(panel: IntervalPanel, names: RowNames) -> RowNames:
    """The names of this panel's own lines, where panels have different ones."""
    groups = {value.group for value in panel.values}
    return RowNames({name: lines for name, lines in names.lines.items() if name in groups}, names.room)


def _scale(panel: IntervalPanel) -> dict[str, Any]:
    if panel.whole:
        return {
            "scale": alt.Scale(domain=[0, 1]),
            "axis": alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labelExpr=LABEL_HALVES),
        }
    axis = alt.Axis(tickCount=4, labelOverlap="greedy", format="%" if panel.ratio else alt.Undefined)
    return {"scale": alt.Scale(zero=False, nice=True, padding=18), "axis": axis}


def _lines(title: str, width: int) -> list[str]:
    """A title in the lines that fit above its panel."""
    return [line for part in title.split(", ") for line in wrap(part, max(12, int(width / LETTER_PX * 1.35)))]
