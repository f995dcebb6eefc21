"""The figures of the report: inline SVG in a wide and a narrow form, each with a text alternative.

Colours are names for the style sheet: it finds them in the SVG and puts the page's own in their place,
so figures follow light, dark and print.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import vl_convert

from vivavoce.report.numbers import label, percent, plural, span

INK, RULE, ACCENT, SOFT = "#1d2329", "#d9dee3", "#1f5a85", "#9dbdd6"
FONT: Final = "system-ui, sans-serif"
WIDE, NARROW = 860, 280
LONGEST_LABEL_PX: Final = {WIDE: 170, NARROW: 90}
BINS: Final = (1, 2, 3, 4, 5, 10, 20, 50, 100)
MOST_SINGLE_BARS: Final = 12
LABEL_HALVES: Final = "datum.value % 0.5 === 0 ? datum.label : ''"

Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `alternative` says in words what it shows; the two SVGs are trusted markup."""

    name: str
    title: str
    alternative: str
    wide: str
    narrow: str


def success_figure(rows: Sequence[Facts], measures: dict[str, str], *, mark: str = "") -> Figure:
    """Success rates as dots on their intervals, one panel a measure.

    Input   the groups of a summary; `measures` is name -> title of those to show; `mark` goes into the title
    """
    data = {
        name: [
            {"group": label(row["key"]), "shown": percent(row[name]["ratio"]), **_rate(row[name])}
            for row in rows
            if row[name]["ratio"] is not None
        ]
        for name in measures
    }
    data = {name: found for name, found in data.items() if found}
    order = [label(row["key"]) for row in rows]

    def draw(width: int) -> Any:
        side_by_side = width == WIDE
        inner = (width - _label_px(order, width)) // (len(data) if side_by_side else 1) - 26
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
    return _figure("success", "Success rates with 95% intervals", words + ".", draw, mark)


def participants_figure(histogram: dict[str, int], *, mark: str = "") -> Figure:
    """How many participants held how many dialogues; large numbers of dialogues share a bar."""
    bars = _bars({int(size): people for size, people in histogram.items()})

    def draw(width: int) -> Any:
        upright = width == NARROW and any(len(bar["size"]) > 2 for bar in bars)
        base = alt.Chart(alt.Data(values=bars)).encode(
            x=alt.X(
                "size:N", sort=None, title="dialogues held", axis=alt.Axis(labelAngle=-90 if upright else 0)
            ),
            y=alt.Y("people:Q", title="participants", axis=alt.Axis(tickCount=4, format="d")),
        )
        text = base.mark_text(dy=-7, color=INK, fontSize=11).encode(text="people:Q")
        return (base.mark_bar(color=ACCENT) + text).properties(width=width - 60, height=180)

    words = ", ".join(f"{bar['size']}: {plural(bar['people'], 'participant')}" for bar in bars)
    return _figure("participants", "Dialogues per participant", f"Dialogues held: {words}.", draw, mark)


def durations_figure(durations: Sequence[Facts], *, mark: str = "") -> Figure:
    """How long dialogues lasted: median, middle half and middle four fifths of each group."""
    data = [{**fact, "group": label(fact["key"])} for fact in durations]
    order = [fact["group"] for fact in data]

    def draw(width: int) -> Any:
        base = alt.Chart(alt.Data(values=data)).encode(y=_groups_axis(order, width, named=True))
        scale = alt.Scale(zero=True, nice=True)
        outer = base.mark_rule(color=SOFT, strokeWidth=2).encode(
            x=alt.X("p10:Q", title="seconds", scale=scale, axis=alt.Axis(tickCount=5)), x2="p90:Q"
        )
        inner = base.mark_bar(color=SOFT, height=11).encode(x="p25:Q", x2="p75:Q")
        middle = base.mark_point(color=ACCENT, fill=ACCENT, size=70, opacity=1).encode(x="p50:Q")
        return (outer + inner + middle).properties(
            width=width - _label_px(order, width) - 26, height=alt.Step(30)
        )

    words = "; ".join(
        f"{fact['group']}: median {fact['p50']:.0f} s, half of the dialogues between {fact['p25']:.0f} "
        f"and {fact['p75']:.0f} s, four fifths between {fact['p10']:.0f} and {fact['p90']:.0f} s"
        for fact in data
    )
    return _figure("durations", "Duration of dialogues", words + ".", draw, mark)


def _rate(rate: Facts) -> Facts:
    return {"ratio": rate["ratio"], "low": rate["low"], "high": rate["high"]}


def _rate_panel(
    data: list[Facts], title: str, order: list[str], inner: int, width: int, *, named: bool
) -> Any:
    base = alt.Chart(alt.Data(values=data)).encode(y=_groups_axis(order, width, named=named))
    x = alt.X(
        "ratio:Q",
        title=None,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labelExpr=LABEL_HALVES),
    )
    interval = base.mark_rule(color=ACCENT, strokeWidth=2.5).encode(x=alt.X("low:Q"), x2="high:Q")
    dot = base.mark_point(color=ACCENT, fill=ACCENT, size=64, opacity=1).encode(x=x)
    text = base.mark_text(dy=-11, fontSize=11, color=INK).encode(x=x, text="shown:N")
    heading = alt.TitleParams(
        title.split(", "), anchor="start", frame="group", fontSize=12.5, fontWeight=600, color=INK
    )
    return (interval + dot + text).properties(width=inner, height=alt.Step(38), title=heading)


def _groups_axis(order: list[str], width: int, *, named: bool) -> alt.Y:
    room = _label_px(order, width)
    axis = alt.Axis(labelLimit=0.8 * room, minExtent=room, maxExtent=room, grid=False) if named else None
    return alt.Y("group:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=axis)


def _label_px(labels: list[str], width: int) -> int:
    """Room for the longest label, within bounds; a longer one is cut with an ellipsis."""
    return min(LONGEST_LABEL_PX[width], 18 + 8 * max(map(len, labels), default=0))


def _bars(histogram: dict[int, int]) -> list[Facts]:
    """One bar a number of dialogues while there are few, else the bins of BINS."""
    largest = max(histogram, default=0)
    if largest <= MOST_SINGLE_BARS:
        return [{"size": str(size), "people": histogram.get(size, 0)} for size in range(1, largest + 1)]
    bars: list[Facts] = []
    for low, high in zip((0, *BINS), (*BINS, largest), strict=True):
        if low < largest:
            name = str(high) if high == low + 1 else f"{low + 1}\u2013{min(high, largest)}"
            people = sum(n for size, n in histogram.items() if low < size <= high)
            bars.append({"size": name, "people": people})
    return bars


def _figure(name: str, title: str, alternative: str, draw: Any, mark: str) -> Figure:
    whole = f"{title} \u2013 {mark}" if mark else title
    lines = [title, mark] if mark else [title]
    wide, narrow = (_svg(draw(width), lines, f"{name}-{width}") for width in (WIDE, NARROW))
    return Figure(name, whole, alternative, wide, narrow)


def _svg(chart: Any, title: list[str], prefix: str) -> str:
    """The chart as SVG, drawn without a network; its title stays with it when it is copied out."""
    axis = {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": RULE,
        "domain": False,
        "ticks": False,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelPadding": 6,
    }
    spec = (
        chart.properties(
            background="transparent",
            padding=4,
            title=alt.TitleParams(title, anchor="start", fontSize=14, color=INK, offset=14),
        )
        .configure(font=FONT, aria=False, axis=axis, view={"stroke": None})
        .to_dict()
    )
    svg = vl_convert.vegalite_to_svg(spec)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    return svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
