"""The curve: differences in their order on their intervals, and below each the choices that it made."""

from collections.abc import Callable
from typing import Any, Final

import altair as alt

from vivavoce.measures import MEASURES
from vivavoce.report.drawing import (
    ACCENT,
    HOVER,
    INK,
    LONG_NAME_PX,
    NARROW,
    SOFT,
    WARM,
    Figure,
    figure,
    groups_axis,
    row_names,
)
from vivavoce.report.language import say
from vivavoce.report.numbers import difference, differences, label, p_value
from vivavoce.stats.specifications import AnalysisWay, SpecificationCurve

HEIGHT: Final = 190
ROW: Final = 17
EDGE: Final = 12
POINTS: Final = "datum.value ? format(100 * datum.value, '+.3~r') : '0'"
Words = Callable[[AnalysisWay], tuple[str, ...]]
Lines = Callable[[AnalysisWay], dict[str, str]]


def curve_figure(curve: SpecificationCurve, words: Words, lines: Lines) -> Figure:
    """Above the differences, the declared one marked; below, a line for each choice that not all made.

    Input   words: a way in words, for tables; lines: its choices by what they are about, for lines
    """
    unit = MEASURES.get(curve.declared.choice.measure).unit
    told = [words(one.choice) for one in curve.specifications]
    chosen = [lines(one.choice) for one in curve.specifications]
    about = list(max(chosen, key=len))  # those of a measure with most settings
    names = {name: sorted({one[name] for one in chosen if name in one}) for name in about}
    varied = [name for name in about if len(names[name]) > 1]
    order = [line for name in varied for line in names[name]]
    kinds = [
        say("as declared") if one.declared
        else say("difference shown") if one.sign(curve.alpha) else say("no difference shown")
        for one in curve.specifications
    ]  # fmt: skip
    rows = [
        (", ".join(name), difference(one.difference, unit),
         differences(one.low, one.high, unit), p_value(one.p), kind)
        for name, one, kind in zip(told, curve.specifications, kinds, strict=True)
    ]  # fmt: skip
    above = [
        {"rank": rank, "value": one.difference, "low": one.low, "high": one.high, "kind": kind,
         "hover": f"{shown[0]}: {shown[1]} ({shown[2]}), p {shown[3]}"}
        for rank, (one, kind, shown) in enumerate(zip(curve.specifications, kinds, rows, strict=True))
    ]  # fmt: skip
    below = [
        {"rank": rank, "group": one[name], "kind": kinds[rank]}
        for rank, one in enumerate(chosen) for name in varied if name in one
    ]  # fmt: skip

    def draw(width: int) -> Any:
        names = row_names(order, width, longest=LONG_NAME_PX[width])
        room, row = names.room, names.step(ROW)
        x = alt.X("rank:Q", axis=None, scale=alt.Scale(domain=[-1, len(above)], nice=False))
        place: dict[str, Any] = {"orient": "bottom"}
        if width == NARROW:  # below the names, too: beside them there is no room for its words
            place = {"orient": "none", "legendX": 4 - room, "legendY": HEIGHT + row * len(order) + 26}
        colours = alt.Color(
            "kind:N", title=None, legend=alt.Legend(direction="vertical", labelLimit=0, **place),
            scale=alt.Scale(
                domain=[say("as declared"), say("difference shown"), say("no difference shown")],
                range=[WARM, ACCENT, SOFT],
            ),
        )  # fmt: skip
        size = {"width": width - room - EDGE}
        axis = alt.Axis(
            minExtent=room, maxExtent=room, tickCount=5,
            labelExpr=POINTS if unit == "ratio" else alt.Undefined,
        )  # fmt: skip
        base = alt.Chart(alt.Data(values=above)).encode(x=x, color=colours)
        zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=INK, strokeDash=[3, 3])
        top = (
            zero.encode(y=alt.Y("zero:Q"))
            + base.mark_rule(strokeWidth=1, opacity=0.7).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q"))
            + base.mark_point(filled=True, size=26, opacity=1, aria=True).encode(
                y=alt.Y("value:Q", title=None, axis=axis), description=HOVER
            )
        ).properties(height=HEIGHT, **size)
        if unit == "ratio":
            top = top.properties(
                title=alt.TitleParams(
                    say("percentage points"), anchor="start", frame="group", fontSize=12, fontWeight="normal",
                    color=INK,
                )
            )  # fmt: skip
        marks = (
            alt.Chart(alt.Data(values=below))
            .mark_tick(thickness=2 if width != NARROW else 1, height=ROW * 0.6, orient="vertical")
            .encode(x=x, color=colours, y=groups_axis(names, named=True))
            .properties(height=row * len(order), **size)
        )
        return alt.vconcat(top, marks, spacing=8) if order else top

    return figure(
        f"specifications_{curve.a}_{curve.b}",
        say("{a} – {b}: the difference under every way to analyse", a=label(curve.a), b=label(curve.b)),
        "; ".join(f"{one[0]}: {one[1]} ({one[2]})" for one in rows) + ".",
        draw,
        caption=say(
            "A dot a way to analyse, the smallest difference first, with its 95% interval; below it, a line "
            "for what it chose. What all ways have alike is not shown."
        ),
        columns=(say("Way"), say("Difference"), say("95% interval"), "p", say("Conclusion")),
        rows=rows,
    )
