"""Choices between transcripts drawn: shares with a line at one half; and how strong they are."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from vivavoce.reports.blocks import Cell, Row, TableOfText
from vivavoce.reports.drawing import (
    ACCENT,
    HOVER,
    INK,
    LABEL_HALVES,
    NARROW,
    RULE,
    WARM,
    Figure,
    figure,
    row_names,
)
from vivavoce.reports.intervals import DrawnValue, IntervalPanel, columns_of, interval_figure
from vivavoce.reports.language import between, coefficient, count, p_value, percent, plural, say, span
from vivavoce.reports.rate_tables import adjusted_cell, heads
from vivavoce.stats.preferences import PreferenceResults, QuestionPreference, VariablePreference

DrawnRow = dict[str, Any]  # of the data of a chart
MOST_DRAWN: Final = 60
MOST_AT_THE_FRONT: Final = 12
GAP: Final = 26


def share_figure(facts: PreferenceResults) -> Figure:
    """The experimental version's share by variable and question, and over all of its questions.

    Note    with more than MOST_DRAWN questions only what stands for all of a variable's questions is drawn
    """
    panels = {variable.variable: _drawn_rows(variable, facts.cells) for variable in facts.variables}
    panels = {name: rows for name, rows in panels.items() if rows}
    order = list(dict.fromkeys(row["question"] for rows in panels.values() for row in rows))

    def draw(width: int) -> Any:
        columns = 1 if width == NARROW else 2 if len(panels) > 1 else 1
        inner = (width - row_names(order, width).room * columns) // columns - GAP
        charts = [_panel(name, rows, order, inner, width) for name, rows in panels.items()]
        return alt.concat(*charts, columns=columns, spacing=16)

    words = "; ".join(
        f"{name}, {row['question']}: {row['shown']} ({span(row['low'], row['high'])})"
        for name, rows in panels.items()
        for row in rows
    )
    return figure(
        "preferences",
        say("Choices of the experimental version"),
        words + ".",
        draw,
        caption=say(
            "Dot: share of decided choices for the experimental version; line: 95% CI. Vertical line: 50%; "
            "to its right the experimental version was preferred, to its left the control."
        ),
        columns=(say("Variable"), say("Question"), say("Experimental preferred"), say("95% CI")),
        rows=[
            (name, row["question"], row["shown"], span(row["low"], row["high"]))
            for name, rows in panels.items()
            for row in rows
        ],
    )


def front_figure(facts: PreferenceResults) -> Figure | None:
    """Figure of the answer: the declared choices where they are few, else each variable as a whole."""
    declared = facts.declared.choices if facts.declared else ()
    few = 0 < len(declared) <= MOST_AT_THE_FRONT
    named_strengths = (
        [(f"{choice.variable}: {say(choice.question)}", choice) for choice in declared]
        if few
        else [(variable.variable, variable) for variable in facts.variables]
    )
    values = [
        DrawnValue(
            name,
            strength.ratio,
            strength.low,
            strength.high,
            percent(strength.ratio),
            span(strength.low, strength.high),
        )
        for name, strength in named_strengths[:MOST_AT_THE_FRONT]
        if strength.ratio is not None
    ]
    if not values:
        return None
    title = say("Choices of the experimental version")
    return interval_figure(
        "answer",
        title,
        [IntervalPanel(title, values, whole=True, line=0.5)],
        titled=False,
        caption=say(
            "Dot: share of decided choices for the experimental version; line: 95% CI; vertical line: 50%."
        ),
        columns=columns_of(say("Measure"), say("Variable"), say("Experimental preferred")),
    )


def _drawn_rows(variable: VariablePreference, cells: Sequence[QuestionPreference]) -> list[DrawnRow]:
    variable_cells = (
        [cell for cell in cells if cell.variable == variable.variable] if len(cells) <= MOST_DRAWN else []
    )
    rows = [
        _drawn(say(cell.question), cell, whole=False) for cell in variable_cells if cell.ratio is not None
    ]
    if variable.ratio is not None and len(rows) != 1:
        rows.append(_drawn(say("together"), variable, whole=True))
    return rows


def _drawn(question: str, strength: QuestionPreference | VariablePreference, *, whole: bool) -> DrawnRow:
    return {
        "question": question,
        "ratio": strength.ratio,
        "low": strength.low,
        "high": strength.high,
        "half": 0.5,
        "shown": percent(strength.ratio),
        "whole": whole,
        "hover": f"{question}: {percent(strength.ratio)} ({span(strength.low, strength.high)})",
    }


def _panel(name: str, rows: list[DrawnRow], order: list[str], inner: int, width: int) -> Any:
    names = row_names(order, width)
    y = alt.Y("question:N", sort=order, title=None, axis=names.axis)
    x = alt.X(
        "ratio:Q",
        title=None,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labelExpr=LABEL_HALVES, gridColor=RULE),
    )
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    color = alt.condition("datum.whole", alt.value(INK), alt.value(ACCENT))
    half = (
        alt.Chart(alt.Data(values=rows[:1])).mark_rule(color=WARM, strokeWidth=1.5).encode(x=alt.X("half:Q"))
    )
    line = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=color)
    dot = base.mark_point(size=60, opacity=1, filled=True, aria=True).encode(
        x=x, color=color, description=HOVER
    )
    text = base.mark_text(dy=-10, fontSize=11, color=INK).encode(x=x, text=alt.Text("shown:N"))
    heading = alt.TitleParams(name, anchor="start", frame="group", fontSize=12.5, fontWeight=600, color=INK)
    return (half + line + dot + text).properties(width=inner, height=alt.Step(30), title=heading)


def strength_figure(facts: PreferenceResults) -> Figure | None:
    """Mean signed strengths with their intervals, one panel a variable; None where none is known."""
    by_variable: dict[str, list[DrawnValue]] = {}
    for strength in facts.strengths:
        if strength.mean is not None:
            question = say(strength.question) if strength.question else say("together")
            people = plural(strength.participants, "participant")
            limits = between(strength.low, strength.high, coefficient)
            by_variable.setdefault(strength.variable, []).append(
                DrawnValue(
                    question,
                    strength.mean,
                    strength.low,
                    strength.high,
                    coefficient(strength.mean),
                    limits,
                    people,
                )
            )
    if not by_variable or len(facts.strengths) > MOST_DRAWN:
        return None
    return interval_figure(
        "preference-strength",
        say("Strength of preference"),
        [IntervalPanel(name, values, line=0.0) for name, values in by_variable.items()],
        together=2,
        caption=say(
            "Scale: −3 (control, very much) to 3 (experimental, very much). Dot: mean; line: 95% CI "
            "clustered by participant."
        ),
        columns=columns_of(say("Variable"), say("Question"), say("Mean strength")),
    )


def strength_table(facts: PreferenceResults) -> TableOfText:
    """Mean signed strength of every variable and question, with how often each answer was given."""
    rows = [
        Row(
            say(strength.question) if strength.question else say("together"),
            (
                Cell(coefficient(strength.mean), (plural(strength.participants, "participant"),)),
                Cell(between(strength.low, strength.high, coefficient)),
                Cell(p_value(strength.p)),
                adjusted_cell(strength.p_holm),
                Cell(p_value(strength.p_signed_rank)),
                Cell(" · ".join(count(strength.counts[code]) for code in sorted(strength.counts))),
            ),
            group=strength.variable,
        )
        for strength in facts.strengths
    ]
    columns = heads(
        say("Question"),
        say("Mean strength"),
        say("95% CI"),
        "p",
        "p (Holm)",
        say("p (signed ranks)"),
        "−3 · −2 · −1 · 0 · 1 · 2 · 3",
    )
    note = say(
        "Scale: −3 (control, very much) to 3 (experimental, very much); 1 slightly, 2 clearly, 0 tie. "
        "Interval and p are clustered by participant. p is adjusted (Holm) over all questions and "
        "separately over the variables. Next to it: Wilcoxon signed-rank test over participants. Last "
        "column: number of answers."
    )
    signed = tuple(
        (name.removesuffix(", strength"), line)
        for name, line in facts.signatures.items()
        if name.endswith(", strength")
    )
    return TableOfText(
        "preference_strength", say("Strength of preference"), columns, tuple(rows), note, signed
    )
