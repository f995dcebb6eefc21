"""Problems: incidents with systems, and how dialogues ended."""

from vivavoce.analysis.description import DatasetDescription
from vivavoce.reports.blocks import Block, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.language import MISSING, count, label, say
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import AnalysisContext, Section


class ProblemsSection(Section[DatasetDescription]):
    """Also where nothing did: that is worth knowing."""

    name = "problems"
    order = 1600
    title = "Problems and incidents"
    menu = "Problems"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> DatasetDescription:
        return material.description

    def blocks(self, results: DatasetDescription) -> list[Block]:
        none = Paragraph(say("No incidents with a system under test."))
        endings = endings_table(results)
        return [incidents_table(results) or none, *([endings] if endings else [])]


def endings_table(description: DatasetDescription) -> TableOfText | None:
    entries = description.end_reasons
    if not entries:
        return None
    keys = list(entries[0].by)
    rows = [
        Row(
            say(entry.reason),
            tuple(Cell(count(entry.by.get(key, 0))) for key in keys)
            + ((Cell(count(entry.total)),) if len(keys) > 1 else ()),
        )
        for entry in entries
    ]
    columns = heads(say("Ended by"), *(label(key) for key in keys), *((say("all"),) if len(keys) > 1 else ()))
    return TableOfText("endings", say("How dialogues ended"), columns, tuple(rows))


def incidents_table(description: DatasetDescription) -> TableOfText | None:
    entries = description.incidents
    if not entries:
        return None
    rows = [
        Row(
            label(entry.key),
            (
                Cell(say(entry.failure.replace("_", " "))),
                Cell(count(entry.incidents)),
                Cell(count(entry.dialogues)),
                Cell(entry.detail or MISSING, words=True),
            ),
        )
        for entry in entries
    ]
    return TableOfText(
        "incidents",
        say("Incidents by kind"),
        heads(
            say("Group"),
            say("Failure"),
            say("Incidents"),
            say("Affected dialogues"),
            say("Most frequent detail"),
        ),
        tuple(rows),
        numeric=False,
    )
