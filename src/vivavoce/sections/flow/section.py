"""The flow of the trial: who arrived, who stayed, what was left out and why."""

from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from vivavoce.analysis.flow import TrialFlow, flow
from vivavoce.reports.blocks import Block, Bullets, Cell, Heading, Row, TableOfText
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.declaration import rule_words
from vivavoce.reports.drawing import HOVER, INK, SOFT, Figure, figure, row_names
from vivavoce.reports.language import count, percent, plural, say
from vivavoce.reports.links import CASES
from vivavoce.reports.rate_tables import heads, title
from vivavoce.reports.section import AnalysisContext, Section

OUTCOMES: Final = {
    "no_place": "turned away: the study was full",
    "no_consent": "did not consent",
    "screened_out": "screened out",
    "not_accepted": "rejected: failed a quality check",
    "technical_failure": "technical failure",
    "withdrew": "withdrew",
    "timed_out": "timed out",
    "running": "in progress",
}


@dataclass(frozen=True, slots=True)
class FlowFound:
    """The counts, and what the study file notes on its analysis."""

    counts: TrialFlow
    notes: tuple[str, ...]


class FlowSection(Section[FlowFound]):
    """From arrival to the numbers."""

    name = "flow"
    order = 1000
    title = "Flow of the trial"
    menu = "Flow"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> FlowFound:
        declared = material.declared
        return FlowFound(flow(material.dataset), tuple(declared.analysis.notes) if declared else ())

    def blocks(self, results: FlowFound) -> list[Block]:
        noted = [Heading(say("Recorded in advance")), Bullets(results.notes)] if results.notes else []
        funnel = funnel_figure(results.counts)
        return [*([funnel] if funnel else []), flow_table(results.counts), *noted]


def funnel_figure(flow: TrialFlow) -> Figure | None:
    """Number of participants who reached each stage; None where only one stage is known."""
    stages = (
        (say("Arrived"), flow.arrived),
        (say("Consented"), flow.consented),
        (say("Held a dialogue"), flow.with_dialogue),
        (say("Completed"), flow.completed),
    )
    counted = [(stage, n) for stage, n in stages if n is not None]
    if not flow.arrived or len(counted) < 3:
        return None
    data = [
        {
            "stage": stage,
            "n": n,
            "shown": f"{count(n)} ({percent(n / flow.arrived)})",
            "hover": f"{stage}: {count(n)}",
        }
        for stage, n in counted
    ]
    order = [stage for stage, _ in counted]

    def draw(width: int) -> Any:
        base = alt.Chart(alt.Data(values=data)).encode(
            x=alt.X(
                "n:Q",
                title=say("participants"),
                scale=alt.Scale(domain=[0, flow.arrived]),
                axis=alt.Axis(tickCount=4, format="d"),
            )
        )
        names = row_names(order, width)
        base = base.encode(y=alt.Y("stage:N", sort=order, title=None, axis=names.axis))
        bars = base.mark_bar(color=SOFT, height=20, aria=True).encode(description=HOVER)
        words = base.mark_text(align="left", dx=4, color=INK, fontSize=11).encode(
            x=alt.XValue(0), text=alt.Text("shown:N")
        )
        return alt.layer(bars, words, width=width - names.room - 26, height=alt.Step(names.step(30)))

    return figure(
        "funnel",
        say("From arrival to completion"),
        ", ".join(f"{stage}: {count(n)}" for stage, n in counted) + ".",
        draw,
        caption=say("Participants who reached each stage, as a share of arrivals."),
        columns=(say("Step"), say("Participants"), say("Share")),
        rows=[(stage, count(n), percent(n / flow.arrived)) for stage, n in counted],
    )


def flow_table(flow: TrialFlow) -> TableOfText:
    """Arrived, consented, completed, left and why; then dialogues and in which rates they count."""
    people = say("Participants")
    rows = [Row(say("Arrived"), (Cell(count(flow.arrived)),), group=people)]
    if flow.consented is not None:
        rows.append(Row(say("Consented"), (Cell(count(flow.consented)),), group=people))
    rows.append(Row(say("Held a dialogue"), (Cell(count(flow.with_dialogue)),), group=people))
    if flow.completed is not None:
        rows.append(Row(say("Completed"), (Cell(count(flow.completed)),), group=people))
    for outcome, n in flow.left.items():
        why = say("Excluded or dropped out: {why}", why=say(OUTCOMES[outcome]))
        rows.append(Row(why, (Cell(count(n)),), group=people))
    if flow.unrecorded:
        rows.append(Row(say("Outcome not recorded"), (Cell(count(flow.unrecorded)),), group=people))
    dialogues = say("Dialogues")
    held_count = Cell(count(flow.dialogues), counts=CountedDialogues())
    rows.append(Row(say("Held"), (held_count,), group=dialogues))
    if flow.coded is not None:
        rows.append(Row(say("Non-trivial (code earned)"), (Cell(count(flow.coded)),), group=dialogues))
    if flow.running:
        rows.append(Row(say("In progress"), (Cell(count(flow.running)),), group=dialogues))
    for rule in flow.excluded["rules"]:
        words = say("Excluded: {rule}", rule=rule_words(rule["rule"]))
        people_out = plural(rule["people"], "participant")
        of_people = (say("all of {people}", people=people_out),) if rule["people"] else ()
        rows.append(Row(words, (Cell(count(rule["dialogues"])),), of_people, group=dialogues))
    if flow.excluded["rules"] or flow.running:
        rows.append(Row(say("Analysed"), (Cell(count(flow.analysed)),), group=dialogues))
    if flow.abandoned:
        rows.append(Row(say("Abandoned, included"), (Cell(count(flow.abandoned)),), group=dialogues))
    for name, n in flow.counted.items():
        left_out = flow.analysed - n
        under = (say("{n} without a value", n=count(left_out)),) if left_out else ()
        heading = say("Included in: {measure}", measure=title(name).lower())
        counted = Cell(count(n), counts=CountedDialogues(((name, CASES),)))
        rows.append(Row(heading, (counted,), under, group=dialogues))
    return TableOfText("flow", say("Participant flow"), heads(say("Step"), "n"), tuple(rows))
