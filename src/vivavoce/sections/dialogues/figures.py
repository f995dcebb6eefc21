"""Durations of dialogues, delays, and correlations of their measures, drawn."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

import altair as alt

from vivavoce.analysis.correlations import RankCorrelation
from vivavoce.analysis.description import DialogueDurations
from vivavoce.reports.drawing import (
    ACCENT,
    HOVER,
    INK,
    LABEL_LINE_PX,
    LETTER_PX,
    LONG_NAME_PX,
    NARROW,
    SOFT,
    WARM,
    WARM_SOFT,
    WIDE,
    Figure,
    RowNames,
    figure,
    groups_axis,
    row_names,
)
from vivavoce.reports.intervals import DrawnValue, columns_of
from vivavoce.reports.language import coefficient, count, durations, label, say

STEP: Final = 24
COLOURS: Final = (ACCENT, WARM, INK, SOFT, WARM_SOFT)
MOST_COLOURS: Final = len(COLOURS)
TALLEST_PX: Final = 760  # of the lines of a figure that stands on one printed page
QUANTILES: Final = ("p10", "p25", "p50", "p75", "p90")


def durations_figure(durations: Sequence[DialogueDurations]) -> Figure:
    """Durations of dialogues: median, middle half and middle four fifths of each group."""
    words = "; ".join(
        say(
            "{group}: median {p50}, middle 50% of dialogues {p25} to {p75}, middle 80% {p10} to {p90}",
            group=label(duration.key),
            **_told(duration),
        )
        for duration in durations
    )
    return _spread_figure(
        "durations",
        say("Duration of dialogues"),
        words + ".",
        {"": durations},
        say("Dot: median; bar: middle 50%; line: middle 80% of dialogues."),
    )


def delays_figure(delays: Mapping[str, Sequence[DialogueDurations]]) -> Figure:
    """Answer delays on the average of a dialogue: the spread of each kind of delay, by its title."""
    words = "; ".join(
        say(
            "{measure}, {group}: median {p50}, middle 50% of dialogues {p25} to {p75}",
            measure=measure,
            group=label(row.key),
            **_told(row),
        )
        for measure, rows in delays.items()
        for row in rows
    )
    return _spread_figure(
        "delays",
        say("Delays by dialogue"),
        words + ".",
        delays,
        say(
            "Mean delay per dialogue. Dot: median; bar: middle 50%; line: middle 80% of dialogues. The "
            "table below has the mean over all answers."
        ),
    )


def _spread_figure(
    name: str, title: str, words: str, panels: Mapping[str, Sequence[DialogueDurations]], caption: str
) -> Figure:
    order = list(dict.fromkeys(label(row.key) for panel in panels.values() for row in panel))
    unit, times = _unit_of(panels)

    def draw(width: int) -> Any:
        beside = 1 if width == NARROW else len(panels)
        names = row_names(order, width)
        inner = (width - names.room) // beside - 26
        charts = [
            _spreads(heading, rows, names, inner, unit, times, named=beside == 1 or place == 0)
            for place, (heading, rows) in enumerate(panels.items())
        ]
        if "" in panels:
            return charts[0]
        return alt.hconcat(*charts, spacing=22) if beside > 1 else alt.vconcat(*charts, spacing=16)

    rows = [
        (*([heading] if heading else []), label(row.key), count(row.n), *_told(row).values())
        for heading, rows in panels.items()
        for row in rows
    ]
    columns = (
        *([] if "" in panels else [say("Measure")]),
        say("Group"),
        say("Dialogues"),
        *(say("{n}% below", n=quantile[1:]) for quantile in QUANTILES),
    )
    return figure(name, title, words, draw, caption=caption, columns=columns, rows=rows)


def _spreads(
    heading: str,
    rows: Sequence[DialogueDurations],
    names: RowNames,
    inner: int,
    unit: str,
    times: int,
    *,
    named: bool,
) -> Any:
    data = [
        {
            **{name: times * getattr(row, name) for name in QUANTILES},
            "group": label(row.key),
            "hover": _hover(row),
        }
        for row in rows
    ]
    base = alt.Chart(alt.Data(values=data)).encode(y=groups_axis(names, named=named))
    scale = alt.Scale(zero=True, nice=True)
    outer = base.mark_rule(color=SOFT, strokeWidth=2).encode(
        x=alt.X("p10:Q", title=unit, scale=scale, axis=alt.Axis(tickCount=4 if heading else 5)),
        x2=alt.X2("p90:Q"),
    )
    half = base.mark_bar(color=SOFT, height=11, aria=True).encode(
        x=alt.X("p25:Q"), x2=alt.X2("p75:Q"), description=HOVER
    )
    middle = base.mark_point(color=ACCENT, fill=ACCENT, size=70, opacity=1, aria=True).encode(
        x=alt.X("p50:Q"), description=HOVER
    )
    titled: dict[str, Any] = {}
    if heading:
        lines = wrap(heading, max(12, int(inner / LETTER_PX * 1.35)))
        titled["title"] = alt.TitleParams(
            lines, anchor="start", frame="group", fontSize=12.5, fontWeight=600, color=INK
        )
    return alt.layer(outer, half, middle, width=inner, height=alt.Step(names.step(30)), **titled)


def _hover(row: DialogueDurations) -> str:
    texts = _told(row)
    return f"{label(row.key)}: {texts['p50']} ({texts['p25']} \u2013 {texts['p75']}), n = {count(row.n)}"


def _told(row: DialogueDurations) -> dict[str, str]:
    """The quantiles as people read them."""
    return dict(zip(QUANTILES, durations(*(getattr(row, name) for name in QUANTILES)), strict=True))


def _unit_of(panels: Mapping[str, Sequence[DialogueDurations]]) -> tuple[str, int]:
    """The unit of an axis in words, and how many of it a second has: all below one stand in milliseconds."""
    longest = max((row.p90 for panel in panels.values() for row in panel), default=0)
    return (say("milliseconds"), 1000) if longest < 1 else (say("seconds"), 1)


def parameters_figures(families: Mapping[str, Mapping[str, Sequence[DrawnValue]]]) -> list[Figure]:
    """Values with their limits by family, a line a parameter, a colour a group; none taller than a page."""
    figures = []
    for family, parameters in families.items():
        groups = max(map(len, parameters.values()))
        most = max(1, TALLEST_PX // _line_px(groups))
        parts = [list(parameters)[place : place + most] for place in range(0, len(parameters), most)]
        for names in parts:
            number = f"parameters-{len(figures) + 1}"
            figures.append(_parameters_figure(number, family, {name: parameters[name] for name in names}))
    return figures


def _line_px(groups: int) -> int:
    return 9 * groups + 8


def _parameters_figure(number: str, family: str, parameters: Mapping[str, Sequence[DrawnValue]]) -> Figure:
    """Parameters have many units: each line goes from its smallest limit to its largest one."""
    data = [row for name, values in parameters.items() for row in _placed(name, values)]
    order = list(dict.fromkeys(row["group"] for row in data))

    def draw(width: int) -> Any:
        names = row_names(list(parameters), width, longest=LONG_NAME_PX[width])
        axis, room = names.axis, names.room
        axis.grid = True
        base = alt.Chart(alt.Data(values=data)).encode(
            y=alt.Y("measure:N", sort=list(parameters), title=None, axis=axis),
            yOffset=alt.YOffset("group:N", sort=order),
            color=alt.Color(
                "group:N",
                scale=alt.Scale(domain=order, range=COLOURS[: len(order)]),
                legend=alt.Legend(title=None, orient="top", symbolOpacity=1),
            ),
        )
        x = alt.X("at:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=None)
        line = base.mark_rule(strokeWidth=2).encode(x=alt.X("from:Q", axis=None), x2=alt.X2("to:Q"))
        dot = base.mark_point(size=34, filled=True, opacity=1, aria=True).encode(x=x, description=HOVER)
        return alt.layer(
            line,
            dot,
            width=width - room - 26,
            height={"step": names.step(_line_px(len(order))), "for": "position"},
        )

    words = "; ".join(
        f"{name}: " + ", ".join(f"{value.group} {value.shown} ({value.limits})" for value in values)
        for name, values in parameters.items()
    )
    return figure(
        number,
        say("{family}: parameters with 95% CIs", family=family),
        words + ".",
        draw,
        caption=say(
            "Dot: value over all cases; line: 95% CI clustered by participant. Each parameter has its own "
            "scale. The table below has the numbers."
        ),
        columns=columns_of(say("Measure"), say("Group"), say("Value")),
        rows=[
            (name, value.group, value.shown, value.limits, value.counted)
            for name, values in parameters.items()
            for value in values
        ],
        labels=[f"{name}. {value.hover}" for name, values in parameters.items() for value in values],
        counts=[value.counts for parameter in parameters.values() for value in parameter],
    )


def _placed(name: str, values: Sequence[DrawnValue]) -> Iterator[dict[str, Any]]:
    """The values of a parameter with their places between 0 and 1."""
    ends = [end for value in values for end in (value.low, value.high, value.value) if end is not None]
    low, high = min(ends), max(ends)

    def place(value: float | None) -> float | None:
        return None if value is None else round((value - low) / ((high - low) or 1.0), 4)

    for drawn_value in values:
        yield {
            "measure": name,
            "group": drawn_value.group,
            "at": place(drawn_value.value),
            "from": place(drawn_value.low),
            "to": place(drawn_value.high),
            "hover": f"{name}. {drawn_value.hover}",
        }


def correlations_figure(pairs: Sequence[RankCorrelation], titles: dict[str, str]) -> Figure:
    """Rank correlations of every two parameters, as a triangle of numbers."""
    names = [name for name in titles if any(name in (pair.a, pair.b) for pair in pairs)]
    numbered = {name: str(place) for place, name in enumerate(names, start=1)}
    rows = {name: f"{numbered[name]}  {titles[name]}" for name in names}
    data = [
        {
            "row": rows[pair.b],
            "column": numbered[pair.a],
            "rho": pair.rho,
            "shown": coefficient(pair.rho),
            "hover": f"{titles[pair.b]} / {titles[pair.a]}: {coefficient(pair.rho)}",
        }
        for pair in pairs
    ]

    def draw(width: int) -> Any:
        order = list(rows.values())[1:]
        above = width == NARROW  # beside them, names would leave the tiles no room for their numbers
        beside = row_names(order, width if not above else WIDE, longest=LONG_NAME_PX[WIDE])
        room = 8 if above else beside.room
        step = max(24, min(56, (width - room - 20) // max(len(names) - 1, 1)))
        high, below = (STEP + LABEL_LINE_PX + 6, LABEL_LINE_PX / 2) if above else (beside.step(STEP), 0)
        y = alt.Y("row:N", sort=order, title=None, axis=None if above else beside.axis)
        base = alt.Chart(alt.Data(values=data)).encode(
            x=alt.X(
                "column:N",
                sort=list(numbered.values()),
                title=None,
                axis=alt.Axis(labelAngle=0, orient="bottom", grid=False),
            ),
            y=y,
        )
        size = {"height": STEP, "yOffset": below} if above else {}
        tiles = base.mark_rect(aria=True, **size).encode(
            description=HOVER,
            color=alt.Color(
                "rho:Q",
                scale=alt.Scale(
                    domain=[-1, -0.001, 0, 0.001, 1], range=[WARM_SOFT, "#f8eee6", "#ffffff", "#edf3f8", SOFT]
                ),
                legend=None,
            ),
        )
        text = base.mark_text(fontSize=9 if above else 11, color="#111418", yOffset=below).encode(
            text=alt.Text("shown:N")
        )
        labels = (
            alt.Chart(alt.Data(values=[{"row": row} for row in order]))
            .mark_text(align="left", baseline="top", color=INK, fontSize=12, yOffset=3 - high / 2)
            .encode(x=alt.XValue(0), y=y, text=alt.Text("row:N"))
        )
        return alt.layer(
            tiles, text, *([labels] if above else []), width=alt.Step(step), height=alt.Step(high)
        )

    first = titles[names[0]] if names else ""
    words = "; ".join(f"{titles[pair.a]} / {titles[pair.b]}: {coefficient(pair.rho)}" for pair in pairs)
    return figure(
        "correlations",
        say("Rank correlations of parameters over dialogues"),
        words + ".",
        draw,
        caption=say(
            "Spearman's rho over dialogues with both values; column 1 is {first}. Exploratory: without "
            "tests or clustering by participant.",
            first=first,
        ),
        columns=(say("Measure"), say("Other measure"), "rho"),
        rows=[(titles[pair.a], titles[pair.b], coefficient(pair.rho)) for pair in pairs],
    )
