"""Durations of dialogues, and correlations of their measures, drawn."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from vivavoce.report.drawing import ACCENT, NARROW, SOFT, WARM_SOFT, Figure, figure, groups_axis, label_px
from vivavoce.report.language import say
from vivavoce.report.numbers import coefficient, count, label
from vivavoce.stats.correlations import RankCorrelation
from vivavoce.stats.description import DialogueDurations

STEP: Final = 24


def durations_figure(durations: Sequence[DialogueDurations]) -> Figure:
    """How long dialogues lasted: median, middle half and middle four fifths of each group."""
    data = [{**one._asdict(), "group": label(one.key)} for one in durations]
    order = [fact["group"] for fact in data]

    def draw(width: int) -> Any:
        base = alt.Chart(alt.Data(values=data)).encode(y=groups_axis(order, width, named=True))
        scale = alt.Scale(zero=True, nice=True)
        outer = base.mark_rule(color=SOFT, strokeWidth=2).encode(
            x=alt.X("p10:Q", title=say("seconds"), scale=scale, axis=alt.Axis(tickCount=5)),
            x2=alt.X2("p90:Q"),
        )
        inner = base.mark_bar(color=SOFT, height=11).encode(x=alt.X("p25:Q"), x2=alt.X2("p75:Q"))
        middle = base.mark_point(color=ACCENT, fill=ACCENT, size=70, opacity=1).encode(x=alt.X("p50:Q"))
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
        caption=say("Dot: median; bar: middle half; line: middle four fifths of the dialogues."),
    )


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
        text = base.mark_text(fontSize=11 if width != NARROW else 8, color="#111418").encode(
            text=alt.Text("shown:N")
        )
        return (tiles + text).properties(width=alt.Step(step), height=alt.Step(STEP))

    first = titles[names[0]] if names else ""
    words = "; ".join(f"{titles[pair.a]} / {titles[pair.b]}: {coefficient(pair.rho)}" for pair in pairs)
    return figure(
        "correlations",
        say("Rank correlations of parameters over dialogues"),
        words + ".",
        draw,
        caption=say(
            "Spearman's rho over the dialogues that have both; column 1 is {first}. For exploring only: "
            "no tests, and dialogues of one person are alike.",
            first=first,
        ),
    )
