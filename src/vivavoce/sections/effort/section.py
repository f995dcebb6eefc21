"""Cost of a judgement, in each way of judging."""

from typing import Final

from vivavoce.analysis.judgement_cost import JudgementEffort, effort
from vivavoce.reports.blocks import Block, Cell, Row, TableOfText
from vivavoce.reports.language import MISSING, coefficient, count, say
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import AnalysisContext, Section

ARMS: Final = {
    "compared": "Transcripts compared",
    "read": "Transcripts rated one at a time",
    "voted": "Arena",
    "live": "Live dialogues",
    "live_wizard": "Live dialogues with a wizard",
}
COMPARED: Final = ("preferences", "readings", "listening", "votes")  # tables of comparisons


def effort_blocks(rows: list[JudgementEffort]) -> list[Block]:
    """Cost of a judgement in each way of judging; [] where nothing was judged."""
    if not rows:
        return []
    priced = any(row.cost_per_judgement is not None for row in rows)
    table_rows = [
        Row(
            say(ARMS[row.arm]),
            (
                Cell(count(row.judgements)),
                Cell(count(row.participants)),
                Cell(count(row.people)),
                Cell(coefficient(row.seconds_per_judgement, 1)),
                Cell(coefficient(row.minutes_per_participant, 1)),
                *([Cell(coefficient(row.cost_per_judgement, 3) if priced else MISSING)] if priced else []),
            ),
        )
        for row in rows
    ]
    columns = heads(
        say("Judged by"),
        say("Judgements"),
        say("Participants"),
        say("People at once"),
        say("Seconds per judgement"),
        say("Minutes per participant"),
        *([say("Cost per judgement, by hourly wage")] if priced else []),
    )
    note = say(
        "A judgement is one answered question. Live judgements include their share of the dialogue time; a "
        "wizard counts as a second person. Attention pairs and repeats are included."
    )
    return [TableOfText("effort", say("Cost of judgements"), columns, tuple(table_rows), note)]


class EffortSection(Section[list[JudgementEffort]]):
    """Only where people compared something: dialogues alone have their durations elsewhere."""

    name = "effort"
    order = 600
    title = "Time and cost of a judgement"
    menu = "Effort"
    needs = ()
    dashboard = True

    def results(self, material: AnalysisContext) -> list[JudgementEffort] | None:
        if not any(map(material.holds, COMPARED)):
            return None
        last = material.options.against
        return effort([material.dataset, *([last] if last else [])], material.options.hourly)

    def blocks(self, results: list[JudgementEffort]) -> list[Block]:
        return effort_blocks(results)
