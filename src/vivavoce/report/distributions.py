"""Answers to the items of a questionnaire, drawn."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from vivavoce.report.drawing import ACCENT, INK, NEUTRAL, SOFT, WARM, WARM_SOFT, Figure, figure, label_px
from vivavoce.report.language import say
from vivavoce.report.numbers import count
from vivavoce.stats.scales import LikertItem

STEP: Final = 24


def likert_figure(
    number: int, instrument: str, items: Sequence[LikertItem], *, mark: str | None = None
) -> Figure:
    """The answers to a questionnaire's items as bars to both sides of the scale's middle."""
    data = [bar for item in items for bar in _bars(item)]
    order = [_item_name(item) for item in items]
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
        f"{_item_name(item)}: " + ", ".join(f"{code} {count(n)}" for code, n in item.counts.items())
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
        bars.append(
            {"item": _item_name(item), "code": code, "n": n, "from": place / total, "to": (place + n) / total}
        )
        place += n
    return bars


def _item_name(item: LikertItem) -> str:
    return f"{item.item_id} (\u2212)" if item.reverse else item.item_id


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
