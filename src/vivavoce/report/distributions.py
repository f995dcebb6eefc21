"""The figures of answers, of learning and of correlations."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from vivavoce.report.drawing import (
    ACCENT,
    INK,
    NARROW,
    NEUTRAL,
    SOFT,
    WARM,
    WARM_SOFT,
    Figure,
    figure,
    label_px,
)
from vivavoce.report.language import say
from vivavoce.report.numbers import coefficient, count, percent, span

Facts = dict[str, Any]
STEP: Final = 24


def likert_figure(number: int, sheet: Facts, *, mark: str = "") -> Figure:
    """The answers to a questionnaire's items as bars to both sides of the scale's middle."""
    data = [bar for item in sheet["items"] for bar in _bars(item)]
    order = [_item_name(item) for item in sheet["items"]]
    codes = sorted({bar["code"] for bar in data})
    colours = _colours(len(codes))

    def draw(width: int) -> Any:
        room = label_px(order, width)
        base = alt.Chart(alt.Data(values=data)).encode(
            y=alt.Y(
                "item:N", sort=order, title=None, axis=alt.Axis(minExtent=room, maxExtent=room, grid=False)
            )
        )
        bars = base.mark_bar().encode(
            x=alt.X(
                "from:Q",
                title=say("share of the answers, from the middle of the scale"),
                axis=alt.Axis(format="%", tickCount=5, labelExpr="format(abs(datum.value), '.0%')"),
            ),
            x2="to:Q",
            color=alt.Color(
                "code:O",
                scale=alt.Scale(domain=codes, range=colours),
                legend=alt.Legend(title=None, orient="bottom", direction="horizontal", columns=len(codes)),
            ),
        )
        middle = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(color=INK, strokeWidth=1).encode(x="x:Q")
        return (bars + middle).properties(width=width - room - 30, height=alt.Step(STEP))

    words = "; ".join(
        f"{_item_name(item)}: " + ", ".join(f"{code} {count(n)}" for code, n in item["counts"].items())
        for item in sheet["items"]
    )
    return figure(
        f"likert-{number}",
        say("Answers: {instrument}", instrument=sheet["instrument"]),
        say("How often each answer was given. {words}.", words=words),
        draw,
        mark=mark,
        caption=_ends(sheet["items"]),
    )


def _bars(item: Facts) -> list[Facts]:
    """Bars from left to right; half of the middle answer lies on each side."""
    total = sum(item["counts"].values())
    middle = (item["low"] + item["high"]) / 2
    below = sum(n for code, n in item["counts"].items() if code < middle)
    neutral = item["counts"].get(int(middle), 0) if float(middle).is_integer() else 0
    place = -(below + neutral / 2)
    bars: list[Facts] = []
    for code, n in item["counts"].items():
        bars.append(
            {"item": _item_name(item), "code": code, "n": n, "from": place / total, "to": (place + n) / total}
        )
        place += n
    return bars


def _item_name(item: Facts) -> str:
    return f"{item['item_id']} (\u2212)" if item["reverse"] else item["item_id"]


def _colours(n: int) -> list[str]:
    """From warm through neutral to cold, as many as there are codes."""
    half = n // 2
    warm, cold = ([WARM, WARM_SOFT], [SOFT, ACCENT])
    low = [_mix(warm[0], warm[1], place / max(half - 1, 1)) for place in range(half)]
    high = [_mix(cold[0], cold[1], place / max(half - 1, 1)) for place in range(half)]
    if half == 1:
        low, high = [WARM], [ACCENT]
    return [*low, *([NEUTRAL] if n % 2 else []), *high]


def _mix(one: str, other: str, share: float) -> str:
    parts = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)


def _ends(items: list[Facts]) -> str:
    """What the ends of the scale say, and what the sign behind an item means."""
    labels = next((item["labels"] for item in items if item["labels"]), {})
    low, high = items[0]["low"], items[0]["high"]
    words = [
        f"{code} = {labels[code]}" for code in (low, high) if code in labels and labels[code] != str(code)
    ]
    sentence = (
        say("Codes as answered: {words}.", words=", ".join(words)) if words else say("Codes as answered.")
    )
    if any(item["reverse"] for item in items):
        sentence += " " + say("(\u2212) marks items worded negatively: a high code is a bad verdict.")
    return sentence


def learning_figure(rows: Sequence[Facts], titles: dict[str, str], *, mark: str = "") -> Figure:
    """Success by the number of a participant's dialogue, one panel a rate."""
    steps = list(dict.fromkeys(_step(row) for row in rows))
    data = {
        name: [{**row, "step": _step(row)} for row in rows if row["measure"] == name]
        for name in titles
        if any(row["measure"] == name for row in rows)
    }

    def draw(width: int) -> Any:
        side_by_side = width != NARROW
        inner = (width - 60) // (len(data) if side_by_side else 1) - 26
        panels = [
            _learning_panel(found, titles[name], steps, inner, named=not side_by_side or place == 0)
            for place, (name, found) in enumerate(data.items())
        ]
        return alt.hconcat(*panels, spacing=22) if side_by_side else alt.vconcat(*panels, spacing=16)

    words = "; ".join(
        f"{titles[name]}: "
        + ", ".join(
            f"{_step(row)}: {percent(row['ratio'])} ({span(row['low'], row['high'])}, n = {count(row['n'])})"
            for row in found
        )
        for name, found in data.items()
    )
    return figure(
        "learning",
        say("Success by the number of a participant's dialogue"),
        words + ".",
        draw,
        mark=mark,
        caption=say(
            "All groups together. Line: 95% interval over participants. Who held many dialogues "
            "chose to: later steps show other people, not only more practice."
        ),
    )


def _learning_panel(data: list[Facts], title: str, steps: list[str], inner: int, *, named: bool) -> Any:
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labels=named)
    base = alt.Chart(alt.Data(values=data)).encode(
        x=alt.X("step:N", sort=steps, scale=alt.Scale(domain=steps), title=say("number of the dialogue"),
                axis=alt.Axis(labelAngle=0, labelOverlap=True))
    )  # fmt: skip
    scale = alt.Scale(domain=[0, 1])
    interval = base.mark_rule(color=SOFT, strokeWidth=2.5).encode(
        y=alt.Y("low:Q", scale=scale, axis=axis, title=None), y2="high:Q"
    )
    line = base.mark_line(color=ACCENT, strokeWidth=1.5).encode(y=alt.Y("ratio:Q", scale=scale))
    dot = base.mark_point(color=ACCENT, fill=ACCENT, size=50, opacity=1).encode(y="ratio:Q")
    heading = alt.TitleParams(title.split(", "), anchor="start", fontSize=12.5, fontWeight=600, color=INK)
    return (interval + line + dot).properties(width=inner, height=150, title=heading)


def _step(row: Facts) -> str:
    return str(row["first"]) if row["first"] == row["last"] else f"{row['first']}\u2013{row['last']}"


def correlations_figure(pairs: Sequence[Facts], titles: dict[str, str], *, mark: str = "") -> Figure:
    """Rank correlations of every two parameters, as a triangle of numbers."""
    names = [name for name in titles if any(name in (pair["a"], pair["b"]) for pair in pairs)]
    numbered = {name: str(place) for place, name in enumerate(names, start=1)}
    rows = {name: f"{numbered[name]}  {titles[name]}" for name in names}
    data = [
        {
            "row": rows[pair["b"]],
            "column": numbered[pair["a"]],
            "rho": pair["rho"],
            "shown": coefficient(pair["rho"]),
        }
        for pair in pairs
    ]

    def draw(width: int) -> Any:
        room, edge = (230, 8) if width != NARROW else (110, 26)
        step = max(24, min(56, (width - room - 20) // max(len(names) - 1, 1)))
        base = alt.Chart(alt.Data(values=data)).encode(
            x=alt.X("column:N", sort=list(numbered.values()), title=None,
                    axis=alt.Axis(labelAngle=0, orient="bottom", grid=False)),
            y=alt.Y("row:N", sort=list(rows.values()), title=None,
                    axis=alt.Axis(labelLimit=room - edge, minExtent=room, maxExtent=room, grid=False)),
        )  # fmt: skip
        tiles = base.mark_rect().encode(
            color=alt.Color(
                "rho:Q",
                scale=alt.Scale(domain=[-1, -0.001, 0, 0.001, 1],
                                range=[WARM_SOFT, "#f8eee6", "#ffffff", "#edf3f8", SOFT]),
                legend=None,
            )
        )  # fmt: skip
        text = base.mark_text(fontSize=11 if width != NARROW else 8, color="#111418").encode(text="shown:N")
        return (tiles + text).properties(width=alt.Step(step), height=alt.Step(STEP))

    first = titles[names[0]] if names else ""
    words = "; ".join(
        f"{titles[pair['a']]} / {titles[pair['b']]}: {coefficient(pair['rho'])}" for pair in pairs
    )
    return figure(
        "correlations",
        say("Rank correlations of parameters over dialogues"),
        words + ".",
        draw,
        mark=mark,
        caption=say(
            "Spearman's rho over the dialogues that have both; column 1 is {first}. For exploring only: "
            "no tests, and dialogues of one person are alike.",
            first=first,
        ),
    )
