"""Participants: how many dialogues each held, and whether they learned."""

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.report.blocks import Block, Cell, Paragraph, Row, TableOfText
from vivavoce.report.content import abandoned, by_what, group_name, headlines, heads, with_all
from vivavoce.report.language import say
from vivavoce.report.links import cases_of
from vivavoce.report.material import Material
from vivavoce.report.numbers import amount, count, percent
from vivavoce.report.section import Section
from vivavoce.sections.participants.figures import learning_figure, participants_figure
from vivavoce.stats.learning import LearningStep, learning
from vivavoce.stats.summary_results import Summary


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

    def results(self, material: Material) -> ParticipantsFound:
        return ParticipantsFound(material.summary, learning(material.dataset))

    def blocks(self, results: ParticipantsFound) -> list[Block]:
        summary = results.summary
        if not summary.all.participants:
            return [Paragraph(say("Who held which dialogue is not recorded."))]
        histogram = summary.all.dialogues_per_participant.histogram
        blocks: list[Block] = [participants_figure(histogram), participants_table(summary)]
        shown = headlines(summary)
        if any(row.measure in shown for row in results.learning):
            blocks.append(learning_figure(results.learning, shown))
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
                        (say("busiest {n}", n=count(spread.top_participants)),),
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
            say("Share of the busiest"),
            say("Share of the top tenth"),
            "m*",
        ),
        tuple(rows),
        say(
            "m* is the sum of squares over the sum: how many the participant of an average dialogue held. "
            "The variance of a rate grows by the factor 1 + (m* \u2212 1) \u00d7 ICC, where ICC says "
            "how alike the dialogues of one person are."
        ),
    )
