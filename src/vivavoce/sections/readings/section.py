"""Transcripts rated one at a time."""

from vivavoce.analysis.transcript_ratings import TranscriptRatings, rated_transcripts
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.language import between, coefficient, count, p_value, plural, say
from vivavoce.reports.rate_tables import adjusted_cell, heads
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary


def reading_blocks(facts: TranscriptRatings) -> list[Block]:
    """Rated transcripts."""
    ratings = [*facts.items, *facts.variables]
    rows = [
        Row(
            say(rating.item or "all"),
            (
                Cell(coefficient(rating.control)),
                Cell(coefficient(rating.experimental)),
                Cell(coefficient(rating.difference), (plural(rating.participants, "participant"),)),
                Cell(between(rating.low, rating.high, coefficient)),
                Cell(p_value(rating.p)),
                adjusted_cell(rating.p_holm),
            ),
            group=rating.variable,
        )
        for rating in sorted(ratings, key=lambda rating: rating.variable)
    ]
    columns = heads(
        say("Item"),
        say("Control"),
        say("Experimental"),
        say("Difference"),
        say("95% CI"),
        "p",
        "p (Holm)",
    )
    note = say(
        "Mean codes, with reversed items recoded. Differences are within participants who read both "
        "versions. Adjusted p (Holm) over items, and over variables."
    )
    signed = ((say("All ratings"), facts.signature),)
    sentence = say(
        "{people} rated {transcripts}, one at a time.",
        people=plural(facts.participants, "participant"),
        transcripts=plural(facts.transcripts, "transcript"),
    )
    table = TableOfText("readings", say("Ratings of both versions"), columns, tuple(rows), note, signed)
    blocks: list[Block] = [Paragraph(sentence), table]
    if (attention := facts.attention) is not None:
        sentences = say(
            "{failed} of {people} failed the attention check (rated a broken transcript as high as the "
            "others); they are included.",
            failed=count(attention.failed),
            people=plural(attention.participants, "participant"),
        )
        blocks.append(Bullets((sentences,)))
    return blocks


class ReadingsSection(LeadingSection[TranscriptRatings]):
    """Ratings of both versions of transcripts."""

    name = "readings"
    order = 300
    title = "Transcripts rated one at a time"
    menu = "Readings"
    needs = ("readings",)
    dashboard = True

    def results(self, material: AnalysisContext) -> TranscriptRatings:
        return rated_transcripts(material.dataset)

    def blocks(self, results: TranscriptRatings) -> list[Block]:
        return reading_blocks(results)

    def front(self, results: TranscriptRatings) -> ReportSummary:
        lead = say(
            "{ratings} of single transcripts by {people}.",
            ratings=plural(results.ratings, "rating"),
            people=plural(results.participants, "participant"),
        )
        return ReportSummary(lead=lead)
