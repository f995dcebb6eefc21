"""Two systems side by side: the ranking by votes, and what sways them."""

from collections.abc import Sequence
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
from vivavoce.stats.preferences import NamedWorth, RankSet

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
        why = say("No ranking yet: no two systems have both won or tied against each other.")
        return [why, *_unbounded(facts), _votes(facts)]
    sentences = _ranks(facts)
    sure = sum(is_significant(pair.p_holm) for pair in facts.pairs)
    sentences.append(
        say("{k} of {n} pairs of systems differ significantly (adjusted p).", k=sure, n=len(facts.pairs))
    )
    if facts.controlled and _rank_sets(facts.controlled) != _rank_sets(facts.ranking):
        controlled = listed(_ranked(facts.controlled))
        sentences.append(say("Ranks controlled for length and style: {ranks}.", ranks=controlled))
    return [*sentences, *_unbounded(facts), _votes(facts)]


def _ranks(facts: ArenaResults) -> list[str]:
    """Sentences on the ranks that the votes allow, group by group."""
    sentences: list[str] = []
    parts = sorted({worth.part for worth in facts.ranking or ()})
    for part in parts:
        worths = [worth for worth in facts.ranking or () if worth.part == part]
        best = worths[0]
        if len(parts) == 1 and best.ranks and best.ranks.worst == 1:
            sentences.append(say("Voters prefer {best}.", best=best.name))
        ranks = listed(_ranked(worths))
        level = f"{facts.level:.0%}"
        sentences.append(say("Ranks with {level} joint confidence: {ranks}.", level=level, ranks=ranks))
    if facts.separate:
        groups = "; ".join(listed(list(group)) for group in facts.separate)
        sentences.append(say("Systems of different groups never met: {groups}.", groups=groups))
    return sentences


def _ranked(worths: Sequence[NamedWorth]) -> list[str]:
    """Each system with its possible ranks, such as `beryl 1-2`."""
    return [f"{worth.name} {_rank_span(worth)}" for worth in worths]


def _rank_span(worth: NamedWorth | None) -> str:
    """First and last possible rank; one number where they are the same."""
    if worth is None or worth.ranks is None:
        return MISSING
    best, worst = worth.ranks
    return str(best) if best == worst else f"{best}–{worst}"


def _rank_sets(worths: Sequence[NamedWorth]) -> dict[str, RankSet | None]:
    return {worth.name: worth.ranks for worth in worths}


def _unbounded(facts: ArenaResults) -> list[str]:
    """Sentences on the systems that won, or lost, everything."""
    sentences: list[str] = []
    for system in facts.unbounded:
        limit = system.high if system.low is None else system.low
        if limit is None:
            sentence = say("{name} has too few votes to be ranked.", name=system.name)
        elif system.low is None:
            sentence = say(
                "{name} lost all its decided votes: log worth at most {limit} (97.5% limit).",
                name=system.name,
                limit=_three(limit),
            )
        else:
            sentence = say(
                "{name} won all its decided votes: log worth at least {limit} (97.5% limit).",
                name=system.name,
                limit=_three(limit),
            )
        sentences.append(sentence)
    return sentences


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
    for name in dict.fromkeys([*worths, *tally]):
        votes_of, worth, controlled = tally[name], worths.get(name), steady.get(name)
        rows.append(
            Row(
                name,
                (
                    Cell(_rank_span(worth)),
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
        say("Ranks"),
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
        "Davidson worths, centred at 0 within each group of systems that can be ordered together, with a "
        "term for the side; clustered by participant. Votes for both bad count as ties. Ranks hold jointly "
        "(95%). Dash: the system won all or none of its votes, or was never compared with the others."
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
        if pair.votes
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
