"""The figures of rates, of dialogues per participant and of durations."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from vivavoce.report.content import interval_of
from vivavoce.report.drawing import ACCENT, INK, NARROW, SOFT, Figure, figure, label_px
from vivavoce.report.language import say
from vivavoce.report.numbers import count, label, percent, plural, span

BINS: Final = (1, 2, 3, 4, 5, 10, 20, 50, 100)
MOST_SINGLE_BARS: Final = 12
LABEL_HALVES: Final = "datum.value % 0.5 === 0 ? datum.label : ''"

Facts = dict[str, Any]


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
        mark=mark,
        caption=say("Dot: share of successes; line: its 95% interval. The numbers are in the table below."),
    )


def participants_figure(histogram: dict[str, int], *, mark: str = "") -> Figure:
    """How many participants held how many dialogues; large numbers of dialogues share a bar."""
    bars = _bars({int(size): people for size, people in histogram.items()})

    def draw(width: int) -> Any:
        upright = width == NARROW and any(len(bar["size"]) > 2 for bar in bars)
        base = alt.Chart(alt.Data(values=bars)).encode(
            x=alt.X(
                "size:N",
                sort=None,
                title=say("dialogues held"),
                axis=alt.Axis(labelAngle=-90 if upright else 0),
            ),
            y=alt.Y("people:Q", title=say("participants"), axis=alt.Axis(tickCount=4, format="d")),
        )
        text = base.mark_text(dy=-7, color=INK, fontSize=11).encode(text="people:Q")
        return (base.mark_bar(color=ACCENT) + text).properties(width=width - 60, height=180)

    words = ", ".join(f"{bar['size']}: {plural(bar['people'], 'participant')}" for bar in bars)
    return figure(
        "participants",
        say("Dialogues per participant"),
        say("Dialogues held: {words}.", words=words),
        draw,
        mark=mark,
        caption=say("How many participants held how many dialogues, all groups together."),
    )


def durations_figure(durations: Sequence[Facts], *, mark: str = "") -> Figure:
    """How long dialogues lasted: median, middle half and middle four fifths of each group."""
    data = [{**fact, "group": label(fact["key"])} for fact in durations]
    order = [fact["group"] for fact in data]

    def draw(width: int) -> Any:
        base = alt.Chart(alt.Data(values=data)).encode(y=_groups_axis(order, width, named=True))
        scale = alt.Scale(zero=True, nice=True)
        outer = base.mark_rule(color=SOFT, strokeWidth=2).encode(
            x=alt.X("p10:Q", title=say("seconds"), scale=scale, axis=alt.Axis(tickCount=5)), x2="p90:Q"
        )
        inner = base.mark_bar(color=SOFT, height=11).encode(x="p25:Q", x2="p75:Q")
        middle = base.mark_point(color=ACCENT, fill=ACCENT, size=70, opacity=1).encode(x="p50:Q")
        return (outer + inner + middle).properties(
            width=width - label_px(order, width) - 26, height=alt.Step(30)
        )

    words = "; ".join(
        say(
            "{group}: median {p50} s, half of the dialogues between {p25} and {p75} s, four fifths between "
            "{p10} and {p90} s",
            group=fact["group"],
            **{name: count(fact[name]) for name in ("p10", "p25", "p50", "p75", "p90")},
        )
        for fact in data
    )
    return figure(
        "durations",
        say("Duration of dialogues"),
        words + ".",
        draw,
        mark=mark,
        caption=say("Dot: median; bar: middle half; line: middle four fifths of the dialogues."),
    )


def _rate(rate: Facts) -> Facts:
    low, high, _ = interval_of(rate)
    return {"ratio": rate["ratio"], "low": low, "high": high}


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
    room = label_px(order, width)
    axis = alt.Axis(labelLimit=0.8 * room, minExtent=room, maxExtent=room, grid=False) if named else None
    return alt.Y("group:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=axis)


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
