"""Participants: how many dialogues each held, and whether they learned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from vivavoce.analysis.learning import LearningStep, learning
from vivavoce.reports.blocks import Block, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.drawing import ACCENT, HOVER, INK, NARROW, SOFT, Figure, figure
from vivavoce.reports.language import amount, count, percent, plural, say, span
from vivavoce.reports.links import cases_of
from vivavoce.reports.rate_tables import abandoned, by_what, group_name, headlines, heads, with_all
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.stats.summary_results import Summary

BINS: Final = (1, 2, 3, 4, 5, 10, 20, 50, 100)
MOST_SINGLE_BARS: Final = 12


def participants_figure(histogram: dict[int, int]) -> Figure:
    """Number of participants by number of dialogues; large numbers of dialogues share a bar."""
    bars = _bars(histogram)

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
        text = base.mark_text(dy=-7, color=INK, fontSize=11).encode(text=alt.Text("people:Q"))
        bar = base.mark_bar(color=ACCENT, aria=True).encode(description=HOVER)
        return alt.layer(bar, text, width=width - 60, height=180)

    for datum in bars:
        datum["hover"] = f"{datum['size']}: {plural(datum['people'], 'participant')}"
    words = ", ".join(f"{bar['size']}: {plural(bar['people'], 'participant')}" for bar in bars)
    return figure(
        "participants",
        say("Dialogues per participant"),
        say("Dialogues per participant: {words}.", words=words),
        draw,
        caption=say("Number of participants by number of dialogues, all groups."),
        columns=(say("Dialogues per participant"), say("Participants")),
        rows=[(bar["size"], count(bar["people"])) for bar in bars],
    )


def _bars(histogram: dict[int, int]) -> list[dict[str, Any]]:
    """One bar a number of dialogues while there are few, else the bins of BINS."""
    largest = max(histogram, default=0)
    if largest <= MOST_SINGLE_BARS:
        return [{"size": str(size), "people": histogram.get(size, 0)} for size in range(1, largest + 1)]
    bars: list[dict[str, Any]] = []
    for low, high in zip((0, *BINS), (*BINS, largest), strict=True):
        if low < largest:
            name = str(high) if high == low + 1 else f"{low + 1}\u2013{min(high, largest)}"
            people = sum(n for size, n in histogram.items() if low < size <= high)
            bars.append({"size": name, "people": people})
    return bars


def learning_figure(rows: Sequence[LearningStep], titles: dict[str, str]) -> Figure:
    """Success by the number of a participant's dialogue, one panel a rate."""
    steps = list(dict.fromkeys(_step(row) for row in rows))
    data = {
        name: [row for row in rows if row.measure == name]
        for name in titles
        if any(row.measure == name for row in rows)
    }

    def draw(width: int) -> Any:
        side_by_side = width != NARROW
        inner = (width - 60) // (len(data) if side_by_side else 1) - 26
        panels = [
            _learning_panel(rows, titles[name], steps, inner, named=not side_by_side or place == 0)
            for place, (name, rows) in enumerate(data.items())
        ]
        return alt.hconcat(*panels, spacing=22) if side_by_side else alt.vconcat(*panels, spacing=16)

    words = "; ".join(
        f"{titles[name]}: "
        + ", ".join(
            f"{_step(row)}: {percent(row.ratio)} ({span(row.low, row.high)}, n = {count(row.n)})"
            for row in rows
        )
        for name, rows in data.items()
    )
    return figure(
        "learning",
        say("Success by dialogue number"),
        words + ".",
        draw,
        caption=say(
            "All groups. Line: 95% CI clustered by participant. Later dialogues come from a self-selected "
            "subset of participants, so differences are not only practice."
        ),
        columns=(
            say("Measure"),
            say("Number of the dialogue"),
            say("Rate"),
            say("95% CI"),
            say("Cases"),
        ),
        rows=[
            (titles[name], _step(row), percent(row.ratio), span(row.low, row.high), count(row.n))
            for name, rows in data.items()
            for row in rows
        ],
    )


def _learning_panel(
    rows: Sequence[LearningStep], title: str, steps: list[str], inner: int, *, named: bool
) -> Any:
    data = [
        {
            **row._asdict(),
            "step": _step(row),
            "hover": f"{_step(row)}: {percent(row.ratio)} ({span(row.low, row.high)}), n = {count(row.n)}",
        }
        for row in rows
    ]
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labels=named)
    base = alt.Chart(alt.Data(values=data)).encode(
        x=alt.X(
            "step:N",
            sort=steps,
            scale=alt.Scale(domain=steps),
            title=say("number of the dialogue"),
            axis=alt.Axis(labelAngle=0, labelOverlap=True),
        )
    )
    scale = alt.Scale(domain=[0, 1])
    interval = base.mark_rule(color=SOFT, strokeWidth=2.5).encode(
        y=alt.Y("low:Q", scale=scale, axis=axis, title=None), y2=alt.Y2("high:Q")
    )
    line = base.mark_line(color=ACCENT, strokeWidth=1.5).encode(y=alt.Y("ratio:Q", scale=scale))
    dot = base.mark_point(color=ACCENT, fill=ACCENT, size=50, opacity=1, aria=True).encode(
        y=alt.Y("ratio:Q"), description=HOVER
    )
    heading = alt.TitleParams(title.split(", "), anchor="start", fontSize=12.5, fontWeight=600, color=INK)
    return alt.layer(interval, line, dot, width=inner, height=150, title=heading)


def _step(row: LearningStep) -> str:
    return str(row.first) if row.first == row.last else f"{row.first}\u2013{row.last}"


@dataclass(frozen=True, slots=True)
class ParticipantsFound:
    """The summary, and success by the number of a participant's dialogue."""

    summary: Summary
    learning: Sequence[LearningStep]


class ParticipantsSection(Section[ParticipantsFound]):
    """Few people with many dialogues weigh more than they seem to."""

    name = "participants"
    order = 1200
    title = "Participants"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> ParticipantsFound:
        return ParticipantsFound(material.summary, learning(material.dataset))

    def blocks(self, results: ParticipantsFound) -> list[Block]:
        summary = results.summary
        if not summary.all.participants:
            return [Paragraph(say("Participants of dialogues are not recorded."))]
        histogram = summary.all.dialogues_per_participant.histogram
        blocks: list[Block] = [participants_figure(histogram), participants_table(summary)]
        measures = headlines(summary)
        if any(row.measure in measures for row in results.learning):
            blocks.append(learning_figure(results.learning, measures))
        return blocks


def participants_table(summary: Summary) -> TableOfText:
    rows = []
    for row in with_all(summary):
        spread = row.dialogues_per_participant
        rows.append(
            Row(
                group_name(row, summary),
                (
                    Cell(count(spread.participants)),
                    Cell(count(row.dialogues), abandoned(row.abandoned), counts=cases_of(summary, row)),
                    Cell(amount(spread.mean, "")),
                    Cell(amount(spread.median, "")),
                    Cell(count(spread.largest)),
                    Cell(percent(spread.largest_ratio)),
                    Cell(
                        percent(spread.top_ratio),
                        (say("most active {n}", n=count(spread.top_participants)),),
                    ),
                    Cell(amount(spread.size_star, "")),
                ),
                total=row is summary.all,
            )
        )
    return TableOfText(
        "participants",
        say("Dialogues per participant"),
        heads(
            by_what(summary),
            say("Participants"),
            say("Dialogues"),
            say("Mean"),
            say("Median"),
            say("Most"),
            say("Share of the most active participant"),
            say("Share of the top 10%"),
            "m*",
        ),
        tuple(rows),
        say(
            "m*: sum of squared dialogue counts divided by their sum. Clustering multiplies the variance of "
            "a rate by 1 + (m* \u2212 1) \u00d7 ICC (ICC: correlation of dialogues within a participant)."
        ),
    )
