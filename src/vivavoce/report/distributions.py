"""Answers to the items of a questionnaire, drawn."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, Final

import altair as alt

from vivavoce.report.drawing import (
    ACCENT,
    INK,
    LONGEST_LABEL_PX,
    NEUTRAL,
    SOFT,
    WARM,
    WARM_SOFT,
    Figure,
    figure,
    label_px,
)
from vivavoce.report.language import say
from vivavoce.report.numbers import count
from vivavoce.stats.scales import LikertItem

STEP: Final = 24
LINE: Final = 15  # pixels from one line of a label to the next
LETTER: Final = 7  # pixels that a letter of a label takes at most, on the average


def likert_figure(
    number: int, instrument: str, items: Sequence[LikertItem], *, mark: str | None = None,
    sentences: Mapping[str, str] | None = None,
) -> Figure:  # fmt: skip
    """The answers to a questionnaire's items as bars to both sides of the scale's middle.

    sentences  what stands beside the bars, by item; the item's key where there is none
    """
    names = {item.item_id: _item_name(item, sentences or {}) for item in items}
    data = [{**bar, "item": names[item.item_id]} for item in items for bar in _bars(item)]
    codes = sorted({bar["code"] for bar in data})
    colours = _colours(len(codes))

    def draw(width: int) -> Any:
        wrapped = {name: _wrapped(name, width) if sentences else name for name in names.values()}
        order = list(wrapped.values())
        room = LONGEST_LABEL_PX[width] if sentences else label_px(order, width)
        axis = alt.Axis(
            minExtent=room, maxExtent=room, labelLimit=room, grid=False, labelExpr="split(datum.label, '\\n')"
        )
        rows = [{**bar, "item": wrapped[bar["item"]]} for bar in data]
        base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("item:N", sort=order, title=None, axis=axis))
        lines = max((name.count("\n") + 1 for name in order), default=1)
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
        return (bars + middle).properties(
            width=width - room - 30, height=alt.Step(max(STEP, LINE * lines + 8))
        )

    words = "; ".join(
        f"{names[item.item_id]}: " + ", ".join(f"{code} {count(n)}" for code, n in item.counts.items())
        for item in items
    )
    return figure(
        f"likert-{number}",
        say("Answers: {instrument}", instrument=instrument),
        say("How often each answer was given. {words}.", words=words),
        draw,
        mark=mark,
        caption=_ends(items),
    )


def _bars(item: LikertItem) -> list[dict[str, Any]]:
    """Bars from left to right; half of the middle answer lies on each side."""
    total = sum(item.counts.values())
    middle = (item.low + item.high) / 2
    below = sum(n for code, n in item.counts.items() if code < middle)
    neutral = item.counts.get(int(middle), 0) if float(middle).is_integer() else 0
    place = -(below + neutral / 2)
    bars: list[dict[str, Any]] = []
    for code, n in item.counts.items():
        bars.append({"code": code, "n": n, "from": place / total, "to": (place + n) / total})
        place += n
    return bars


def _item_name(item: LikertItem, sentences: Mapping[str, str]) -> str:
    name = sentences.get(item.item_id, item.item_id)
    return f"{name} (\u2212)" if item.reverse else name


def _wrapped(name: str, width: int) -> str:
    """A sentence in lines that fit beside the bars."""
    return fill(name, LONGEST_LABEL_PX[width] // LETTER)


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


def _ends(items: Sequence[LikertItem]) -> str:
    """What the ends of the scale say, and what the sign behind an item means."""
    labels = next((item.labels for item in items if item.labels), {})
    low, high = items[0].low, items[0].high
    words = [
        f"{code} = {labels[code]}" for code in (low, high) if code in labels and labels[code] != str(code)
    ]
    sentence = (
        say("Codes as answered: {words}.", words=", ".join(words)) if words else say("Codes as answered.")
    )
    if any(item.reverse for item in items):
        sentence += " " + say("(\u2212) marks items worded negatively: a high code is a bad verdict.")
    return sentence
