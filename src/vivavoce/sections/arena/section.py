"""Two systems side by side: the ranking by votes, and what sways them."""

from typing import Final

from vivavoce.analysis.arena import ArenaPair, ArenaResults, SideTerm, StyleTerm, rank_systems
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.drawing import MOST_DRAWN_GROUPS, Figure
from vivavoce.reports.intervals import DrawnValue, IntervalPanel, columns_of, interval_figure
from vivavoce.reports.language import (
    MISSING,
    between,
    coefficient,
    count,
    listed,
    p_value,
    percent,
    plural,
    say,
)
from vivavoce.reports.rate_tables import adjusted_cell, heads, is_significant
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary
from vivavoce.stats.preferences import NamedWorth

COVARIATES: Final = {
    "left": "left position",
    "length": "length in words",
    "lists": "items of lists",
    "headings": "headings",
    "bold": "words in bold",
    "code": "code",
    "links": "links",
}


def _three(value: float | None) -> str:
    return coefficient(value, 3)


def _limits(estimate: NamedWorth | ArenaPair | SideTerm | StyleTerm | None) -> Cell:
    return Cell(_interval(estimate))


def _interval(estimate: NamedWorth | ArenaPair | SideTerm | StyleTerm | None) -> str:
    return between(estimate.low, estimate.high, _three) if estimate else MISSING


def arena_blocks(facts: ArenaResults) -> list[Block]:
    """The arena."""
    figure = worths_figure(facts, "worths")
    blocks: list[Block] = [Paragraph(_votes(facts)), *([figure] if figure else [])]
    blocks += [_ranking(facts), _pairs(facts), _terms(facts)]
    if facts.leaks:
        sentence = say(
            "In {n} votes an answer named a system; the name was masked on the page.",
            n=count(facts.leaks),
        )
        blocks.append(Bullets((sentence,)))
    return blocks


def worths_figure(facts: ArenaResults, name: str) -> Figure | None:
    """The systems by their worth; None where there is no ranking, or too many to be read."""
    if not facts.ranking or len(facts.ranking) > MOST_DRAWN_GROUPS:
        return None
    values = [
        DrawnValue(
            worth.name, worth.estimate, worth.low, worth.high, _three(worth.estimate), _interval(worth)
        )
        for worth in facts.ranking
    ]
    title = say("Ranking of systems by votes")
    return interval_figure(
        name,
        title,
        [IntervalPanel(title, values, line=0.0)],
        titled=False,
        caption=say("Dot: log worth (mean of all systems 0); line: 95% CI clustered by participant."),
        columns=columns_of(say("Measure"), say("System"), say("Log worth")),
    )


def arena_answer(facts: ArenaResults) -> list[str]:
    """The answer in plain words."""
    if facts.ranking is None:
        why = say("No ranking yet: a system or a side has won all or none of its decided votes.")
        return [why, _votes(facts)]
    names = [worth.name for worth in facts.ranking]
    sure = [pair for pair in facts.pairs if is_significant(pair.p_holm)]
    sentences = [_order(names, sure)]
    sentences.append(
        say("{k} of {n} pairs of systems differ significantly (adjusted p).", k=len(sure), n=len(facts.pairs))
    )
    steady = [worth.name for worth in facts.controlled or ()]
    if steady and steady != names:
        sentences.append(say("Ranking controlled for length and style: {order}.", order=listed(steady)))
    return [*sentences, _votes(facts)]


def _order(names: list[str], sure: list[ArenaPair]) -> str:
    """The order, and how far it can be relied on."""
    order = listed(names)
    if any({difference.a, difference.b} == set(names[:2]) for difference in sure):
        return say("Voters prefer {best}; ranking: {order}.", best=names[0], order=order)
    if sure:
        return say("Ranking: {order}; the first two do not differ significantly.", order=order)
    return say("No significant differences; ranking in these votes: {order}.", order=order)


def _votes(facts: ArenaResults) -> str:
    return say(
        "{people} cast {votes} on two anonymous answers to the same message.",
        people=plural(facts.participants, "participant"),
        votes=plural(facts.votes, "vote"),
    )


def _ranking(facts: ArenaResults) -> TableOfText:
    tally = {system.name: system for system in facts.systems}
    steady = {worth.name: worth for worth in facts.controlled or ()}
    worths = {worth.name: worth for worth in facts.ranking or ()}
    rows = []
    for name in worths or tally:
        votes_of, worth, controlled = tally[name], worths.get(name), steady.get(name)
        rows.append(
            Row(
                name,
                (
                    Cell(_three(worth and worth.estimate)),
                    _limits(worth),
                    Cell(percent(worth and worth.share)),
                    Cell(_three(controlled and controlled.estimate), (_interval(controlled),)),
                    *(
                        Cell(count(votes))
                        for votes in (votes_of.won, votes_of.tied, votes_of.both_bad, votes_of.lost)
                    ),
                ),
            )
        )
    columns = heads(
        say("System"),
        say("Log worth"),
        say("95% CI"),
        say("Share"),
        say("Controlled for length and style"),
        say("Won"),
        say("Tied"),
        say("Both bad"),
        say("Lost"),
    )
    note = say(
        "Davidson worths, centred at 0, with a term for the side; clustered by participant. Votes for both "
        "bad count as ties. Dash: the system never wins or never loses."
    )
    signed = ((say("All votes"), facts.signature),)
    return TableOfText("arena", say("Ranking"), columns, tuple(rows), note, signed)


def _pairs(facts: ArenaResults) -> TableOfText:
    rows = [
        Row(
            f"{pair.a} – {pair.b}",
            (
                Cell(count(pair.votes)),
                Cell(f"{count(pair.a_won)} : {count(pair.b_won)}"),
                Cell(_three(pair.estimate)),
                _limits(pair),
                Cell(p_value(pair.p)),
                adjusted_cell(pair.p_holm),
            ),
        )
        for pair in facts.pairs
    ]
    columns = heads(
        say("Compared"), say("Votes"), say("Won"), say("Log odds"), say("95% CI"), "p", "p (Holm)"
    )
    note = say("Log odds that the first is preferred to the second, without ties.")
    return TableOfText("arena_pairs", say("Comparison of systems"), columns, tuple(rows), note)


def _terms(facts: ArenaResults) -> TableOfText:
    terms = [("left", facts.left), *((covariate.covariate, covariate) for covariate in facts.covariates)]
    rows = [
        Row(say(COVARIATES[name]), (Cell(_three(term.estimate)), _limits(term), Cell(p_value(term.p))))
        for name, term in terms
    ]
    columns = heads(say("Influences on votes"), say("Log odds"), say("95% CI"), "p")
    note = say(
        "Length and style: from equal amounts in both answers to all in one. Unused features are left out."
    )
    return TableOfText("arena_terms", say("Side, length and style"), columns, tuple(rows), note)


class ArenaSection(LeadingSection[ArenaResults]):
    """Votes between two anonymous systems."""

    name = "arena"
    order = 500
    title = "Two systems side by side"
    menu = "Arena"
    needs = ("votes",)
    dashboard = True

    def results(self, material: AnalysisContext) -> ArenaResults:
        return rank_systems(material.dataset)

    def blocks(self, results: ArenaResults) -> list[Block]:
        return arena_blocks(results)

    def front(self, results: ArenaResults) -> ReportSummary:
        return ReportSummary(
            lead=_votes(results),
            question=say("Which anonymous system do people prefer?"),
            answer=tuple(arena_answer(results)),
            figure=worths_figure(results, "answer"),
        )
