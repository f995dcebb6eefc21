"""Answers to the items of a questionnaire, drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, Final

from vivavoce.analysis.scales import LikertItem
from vivavoce.core.extras import later
from vivavoce.reports.drawing import (
    ACCENT,
    HOVER,
    INK,
    NEUTRAL,
    SOFT,
    WARM,
    WARM_SOFT,
    Figure,
    figure,
    row_names,
)
from vivavoce.reports.language import count, percent, say

if TYPE_CHECKING:
    import altair as alt
else:
    alt = later("altair")

STEP: Final = 24
BAR: Final = 18
LINE: Final = 15  # pixels from one line of a sentence to the next
BETWEEN_ANSWERS: Final = 26  # pixels in a legend: words are drawn wider than they were measured
SIGN: Final = 16  # pixels that an answer's colour takes in a legend
LETTER: Final = 6.6  # pixels that a letter takes on the average


def likert_figure(
    number: int,
    instrument: str,
    items: Sequence[LikertItem],
    *,
    mark: str | None = None,
    sentences: Mapping[str, str] | None = None,
) -> Figure:
    """The answers to a questionnaire's items as bars to both sides of the scale's middle.

    sentences  what stands above the bars, by item; where none is given, the items' keys beside them
    """
    names = {item.item_id: _item_name(item, sentences or {}) for item in items}
    data = [{**bar, "item": names[item.item_id]} for item in items for bar in _bars(item)]
    codes, labels = sorted({bar["code"] for bar in data}), _shared_labels(items)
    for bar in data:
        share = percent(bar["to"] - bar["from"])
        bar["hover"] = f"{labels.get(bar['code'], bar['code'])}: {count(bar['n'])} ({share})"
    colours = _colours(len(codes))

    def draw(width: int) -> Any:
        beside = row_names(list(names.values()), width)
        room = 10 if sentences else beside.room
        wrapped = {name: _wrapped(name, width - room) if sentences else name for name in names.values()}
        lines = max(label.count("\n") + 1 for label in wrapped.values()) if sentences else 0
        one_each = [{"item": name, "shown": text, "middle": 0} for name, text in wrapped.items()]
        title = wrap(
            say("share of the answers, from the middle of the scale"), int((width - room - 30) / LETTER)
        )
        axis = None if sentences else beside.axis
        y = alt.Y("item:N", sort=list(names.values()), title=None, axis=axis)
        base = alt.Chart(alt.Data(values=data)).encode(y=y)
        per_item = alt.Chart(alt.Data(values=one_each)).encode(y=y)
        step, below = (LINE * lines + BAR + 14, LINE * lines / 2) if sentences else (beside.step(STEP), 0)
        bars = base.mark_bar(height=BAR, yOffset=below, aria=True).encode(
            description=HOVER,
            x=alt.X(
                "from:Q",
                title=title,
                axis=alt.Axis(
                    format="%",
                    tickCount=5,
                    labelExpr="format(abs(datum.value), '.0%')",
                    grid=not sentences,
                    labelOverlap="greedy",
                    labelSeparation=4,
                ),
            ),
            x2=alt.X2("to:Q"),
            color=alt.Color(
                "code:O",
                scale=alt.Scale(domain=codes, range=colours),
                legend=_legend(labels, codes, width - room - 30),
            ),
        )
        middle = per_item.mark_tick(color=INK, thickness=1, size=BAR + 4, yOffset=below).encode(
            x=alt.X("middle:Q")
        )
        text = per_item.mark_text(
            align="left", baseline="top", lineBreak="\n", color=INK, fontSize=12, yOffset=4 - step / 2
        ).encode(x=alt.XValue(0), text=alt.Text("shown:N"))
        return alt.layer(
            bars, middle, *([text] if sentences else []), width=width - room - 30, height=alt.Step(step)
        )

    words = "; ".join(
        f"{names[item.item_id]}: " + ", ".join(f"{code} {count(n)}" for code, n in item.counts.items())
        for item in items
    )
    return figure(
        f"likert-{number}",
        say("Answers: {instrument}", instrument=instrument),
        say("Frequency of each answer. {words}.", words=words),
        draw,
        mark=mark,
        caption=_ends(items, labels),
        columns=(say("Item"), *(str(labels.get(code, code)) for code in codes)),
        rows=[(names[item.item_id], *(count(item.counts.get(code, 0)) for code in codes)) for item in items],
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
    """A sentence in lines that fit above the bars."""
    return fill(name, int((width - 30) / LETTER))


def _legend(labels: Mapping[int, str], codes: Sequence[int], width: int) -> alt.Legend:
    """Legend of the colours: the answers in words where all are known, else their codes."""
    if set(codes) - set(labels):
        return alt.Legend(title=None, orient="bottom", direction="horizontal", columns=len(codes))
    words = [labels[code] for code in codes]
    columns = next(n for n in range(len(codes), 0, -1) if n == 1 or _needed(words, n) <= width)
    label_expr = f"{json.dumps(labels)}[datum.label]"
    return alt.Legend(
        title=None,
        orient="bottom",
        direction="horizontal",
        columns=columns,
        columnPadding=BETWEEN_ANSWERS,
        labelExpr=label_expr,
        labelLimit=width,
    )


def _needed(words: Sequence[str], columns: int) -> float:
    """Width of a legend with its answers row by row in so many columns."""
    longest = [max(map(len, words[place::columns])) for place in range(columns)]
    return sum(SIGN + LETTER * letters for letters in longest) + BETWEEN_ANSWERS * (columns - 1)


def _shared_labels(items: Sequence[LikertItem]) -> dict[int, str]:
    """The answers in words; none where a code stands for another answer in another item."""
    pairs = {(code, text) for item in items for code, text in item.labels.items() if text != str(code)}
    labels = dict(pairs)
    return labels if len(labels) == len(pairs) else {}


def _colours(n: int) -> list[str]:
    """From warm through neutral to cold, as many as there are codes."""
    half = n // 2
    warm, cold = ([WARM, WARM_SOFT], [SOFT, ACCENT])
    low = [_mix(warm[0], warm[1], place / max(half - 1, 1)) for place in range(half)]
    high = [_mix(cold[0], cold[1], place / max(half - 1, 1)) for place in range(half)]
    if half == 1:
        low, high = [WARM], [ACCENT]
    return [*low, *([NEUTRAL] if n % 2 else []), *high]


def _mix(first: str, second: str, share: float) -> str:
    parts = [(int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)


def _ends(items: Sequence[LikertItem], labels: Mapping[int, str]) -> str:
    """Labels of the scale's ends, and the meaning of the sign behind an item."""
    ends = (items[0].low, items[0].high)
    words = [f"{code} = {labels[code]}" for code in ends if code in labels]
    sentence = say("Codes as given: {words}.", words=", ".join(words)) if words else say("Codes as given.")
    if any(item.reverse for item in items):
        sentence += " " + say("(−) marks negatively worded items: a high code is a bad rating.")
    return sentence
