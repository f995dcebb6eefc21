"""Listening tests: mean opinion scores, and preferences between conditions."""

from vivavoce.analysis.listening import ConditionContrast, ListeningResults, listening_results
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.drawing import MOST_DRAWN_GROUPS, Figure
from vivavoce.reports.intervals import DrawnValue, IntervalPanel, columns_of, interval_figure
from vivavoce.reports.language import between, coefficient, count, difference, p_value, plural, say
from vivavoce.reports.rate_tables import adjusted_cell, heads, is_significant
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary


def listening_blocks(facts: ListeningResults) -> list[Block]:
    """Judgements of clips."""
    sentence = say(
        "{people} gave {judgements} of clips after listening to each in full.",
        people=plural(facts.participants, "participant"),
        judgements=plural(facts.judgements, "judgement"),
    )
    blocks: list[Block] = [Paragraph(sentence)]
    if facts.opinions:
        figure = opinions_figure(facts, "opinions")
        blocks += [*([figure] if figure else []), _opinions(facts)]
    if facts.contrasts:
        blocks.append(_contrasts(facts))
    if facts.pairs:
        blocks.append(_pairs(facts))
    if facts.left_out:
        out = say("Excluded after the hearing check: {people}.", people=plural(facts.left_out, "participant"))
        blocks.append(Bullets((out,)))
    return blocks


def opinions_figure(facts: ListeningResults, name: str) -> Figure | None:
    """Mean opinion scores by condition; None where there is none, or too many to be read."""
    values = [
        DrawnValue(
            opinion.condition,
            opinion.mean,
            opinion.low,
            opinion.high,
            coefficient(opinion.mean),
            between(opinion.low, opinion.high, coefficient),
            plural(opinion.participants, "participant"),
        )
        for opinion in facts.opinions
        if opinion.mean is not None
    ]
    if not values or len(values) > MOST_DRAWN_GROUPS:
        return None
    title = say("Mean opinion scores")
    return interval_figure(
        name,
        title,
        [IntervalPanel(title, values)],
        titled=False,
        caption=say("1 is bad, 5 is excellent. Dot: mean; line: 95% CI clustered by participant."),
        columns=columns_of(say("Measure"), say("Condition"), title),
    )


def _opinions(facts: ListeningResults) -> TableOfText:
    rows = [
        Row(
            opinion.condition,
            (
                Cell(coefficient(opinion.mean), (plural(opinion.participants, "participant"),)),
                Cell(between(opinion.low, opinion.high, coefficient)),
                Cell(count(opinion.ratings)),
                Cell(count(opinion.clips)),
            ),
        )
        for opinion in facts.opinions
    ]
    columns = heads(say("Condition"), say("Mean opinion score"), say("95% CI"), say("Ratings"), say("Clips"))
    note = say("1 is bad, 5 is excellent. Intervals are clustered by participant.")
    signed = tuple((opinion.condition, opinion.signature) for opinion in facts.opinions)
    return TableOfText("listening", say("Mean opinion scores"), columns, tuple(rows), note, signed)


def _contrasts(facts: ListeningResults) -> TableOfText:
    rows = [
        Row(
            f"{contrast.a} – {contrast.b}",
            (
                Cell(signed_points(contrast.difference), _raters(contrast)),
                Cell(between(contrast.low, contrast.high, signed_points)),
                Cell(p_value(contrast.p)),
                adjusted_cell(contrast.p_holm),
            ),
        )
        for contrast in facts.contrasts
    ]
    note = say(
        "Score difference (first minus second), from −4 to 4, within participants who rated both. Interval "
        "and p are clustered by participant; p is adjusted over the pairs of conditions (Holm)."
    )
    signed = tuple((f"{contrast.a} – {contrast.b}", contrast.signature) for contrast in facts.contrasts)
    columns = heads(say("Compared"), say("Difference"), say("95% CI"), "p", "p (Holm)")
    return TableOfText(
        "listening_contrasts", say("Comparison of conditions"), columns, tuple(rows), note, signed
    )


def listening_answer(facts: ListeningResults) -> list[str]:
    """Conditions that differ, in plain words, and the evidence."""
    sentences: list[str] = []
    sure = [contrast for contrast in facts.contrasts if is_significant(contrast.p_holm)]
    for comparison in sure:
        better, worse = (
            (comparison.a, comparison.b) if comparison.difference > 0 else (comparison.b, comparison.a)
        )
        signed = [
            limit if comparison.difference > 0 or limit is None else -limit
            for limit in (comparison.low, comparison.high)
        ]
        limits = signed if comparison.difference > 0 else signed[::-1]
        sentences.append(
            say(
                "{better} sounds better than {worse}: {difference} of the scale's 4 points (95% CI "
                "{interval}).",
                better=better,
                worse=worse,
                difference=coefficient(abs(comparison.difference)),
                interval=between(limits[0], limits[1], coefficient),
            )
        )
    if len(facts.contrasts) > len(sure):
        sentences.append(
            say(
                "Opinion scores do not differ significantly for {n} of {of} pairs of conditions.",
                n=len(facts.contrasts) - len(sure),
                of=len(facts.contrasts),
            )
        )
    pairs = len(facts.contrasts)
    if pairs > 1:
        sentences.append(say("Based on adjusted p (Holm) over {n} pairs of conditions.", n=pairs))
    return sentences


def _raters(contrast: ConditionContrast) -> tuple[str, str]:
    return plural(contrast.participants, "participant"), say("{n} rated both", n=count(contrast.both))


def signed_points(value: float) -> str:
    """A difference of two scores with its sign."""
    return difference(value, "points")


def _pairs(facts: ListeningResults) -> TableOfText:
    rows = [
        Row(
            f"{pair.a} – {pair.b}",
            (
                Cell(coefficient(pair.share), (plural(pair.participants, "participant"),)),
                Cell(between(pair.low, pair.high, coefficient)),
                Cell(p_value(pair.p)),
                adjusted_cell(pair.p_holm),
                Cell(count(pair.a_better)),
                Cell(count(pair.ties)),
                Cell(count(pair.b_better)),
            ),
        )
        for pair in facts.pairs
    ]
    columns = heads(
        say("Pair"),
        say("Share for the first"),
        say("95% CI"),
        "p",
        "p (Holm)",
        say("First better"),
        say("No difference"),
        say("Second better"),
    )
    note = say(
        "No difference counts half for each. Interval and p (against 50%) are clustered by participant; p "
        "is adjusted over the pairs (Holm)."
    )
    signed = tuple((f"{pair.a} – {pair.b}", pair.signature) for pair in facts.pairs)
    return TableOfText("clip-pairs", say("Paired comparison of clips"), columns, tuple(rows), note, signed)


class ListeningSection(LeadingSection[ListeningResults]):
    """Ratings of the sound of clips."""

    name = "listening"
    order = 400
    title = "Listening test"
    menu = "Listening"
    needs = ("listening",)
    dashboard = True

    def results(self, material: AnalysisContext) -> ListeningResults:
        return listening_results(material.dataset)

    def blocks(self, results: ListeningResults) -> list[Block]:
        return listening_blocks(results)

    def front(self, results: ListeningResults) -> ReportSummary:
        lead = say(
            "{judgements} of audio clips by {people}.",
            judgements=plural(results.judgements, "judgement"),
            people=plural(results.participants, "participant"),
        )
        return ReportSummary(
            lead=lead,
            question=say("Which conditions sound better to people?"),
            answer=tuple(listening_answer(results)),
            figure=opinions_figure(results, "answer"),
        )
