"""Terminal tables of choices between transcripts, for `analyse`."""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from rich.console import RenderableType
from rich.text import Text

from vivavoce.analysis.arena import ArenaResults
from vivavoce.analysis.judgement_cost import JudgementEffort
from vivavoce.analysis.listening import ListeningResults
from vivavoce.analysis.preference_power import PlanPower
from vivavoce.analysis.transcript_ratings import TranscriptRatings
from vivavoce.api.analysis_tables import chance, number, plain_table, points, span, span_of_points
from vivavoce.stats.preference_models import few_tie_models
from vivavoce.stats.preferences import (
    ChoiceAgreement,
    GroupPreference,
    NamedWorth,
    PreferenceResults,
)

MODEL_NAMES = {"decided": "decided only", "davidson": "Davidson", "rao_kupper": "Rao-Kupper"}


def preferences(facts: PreferenceResults) -> Iterator[RenderableType]:
    """Table of the method first, then supporting tables."""
    yield from _marked(facts)
    yield Text(_people(facts))
    yield _cells(facts)
    yield _family(facts, "cells")
    yield _variables(facts)
    yield _family(facts, "variables")
    yield Text("Share: decided choices that prefer the experimental version.")
    if facts.strengths:
        yield _strengths(facts)
        yield _family(facts, "strengths of questions")
        yield _family(facts, "strengths")
    if facts.differences:
        yield _differences(facts)
        yield _family(facts, "differences")
    yield from _within(facts)
    yield from _position(facts)
    if facts.ties:
        yield _ties(facts)
    yield from _levels(facts)
    if facts.agreement:
        yield _agreement(facts.agreement)
    for group in facts.by_group or ():
        yield _groups(group, facts.by_what or "", who(facts))
    yield from _closing(facts)


def plan_power(facts: PlanPower) -> Iterator[RenderableType]:
    """Power of a plan for planted preferences, marked as simulated."""
    yield Text(
        f"SIMULATED: {facts.judges} judges, {facts.trials} trials; no people took part. "
        f"Correlation of one judge's answers about a variable: {facts.alike:g}."
    )
    table = plain_table("Variable", "Question", "Planted", "One pilot", "Power", "95% CI", words=1)
    for cell in facts.cells:
        table.add_row(
            cell.variable,
            cell.question,
            points(cell.planted) or "–",
            points(cell.pilot),
            points(cell.power),
            f"{points(cell.limits.low)} to {points(cell.limits.high)}",
        )
    yield table
    test = facts.test.replace("_", "-")
    how = f"{test} against an even split; correction over all cells: {facts.correction}"
    yield Text(f"Power: share of trials in which the cell is significant at {facts.alpha:g} ({how}).")
    if facts.false_alarm is not None:
        yield Text(f"In {points(facts.false_alarm)} of trials a cell without a preference is significant.")
    yield Text(facts.signature)


class _Judged(Protocol):
    @property
    def simulated(self) -> bool: ...


def who(facts: _Judged) -> str:
    """Kind of judges: people, or programs."""
    return "programs" if facts.simulated else "people"


def _marked(facts: _Judged) -> Iterator[RenderableType]:
    if facts.simulated:
        yield Text("SIMULATED: programs judged; no people took part.")


def _people(facts: PreferenceResults) -> str:
    responses = facts.responses
    flags = ", ".join(f"{flag} {count}" for flag, count in responses.flags.items())
    who = "participants" if responses.people_known else "judged pairs, participants not identified"
    sentence = f"{responses.participants} {who}, {responses.judgements} judgements"
    rejected = f"; {responses.not_accepted} not accepted" if responses.not_accepted else ""
    apart = f"; and {responses.checks} attention pairs and repeats, not in the results"
    return (
        sentence + (apart if responses.checks else "") + rejected + (f"; flagged: {flags}" if flags else "")
    )


def _family(facts: PreferenceResults, of: str) -> RenderableType:
    """The family over which the p of a table was adjusted."""
    return Text(next((str(family.why) for family in facts.families if family.of == of), ""), style="dim")


def _agreement(agreements: Sequence[ChoiceAgreement]) -> RenderableType:
    """Choices of judges of the same pair, ties included, and their agreement."""
    heads = ("won", "tied", "lost", "kappa or alpha", "95%", "pairs", "judges")
    table = plain_table("judges of the same pair", "question", *heads, words=1)
    for agreement in agreements:
        shares = (points(getattr(agreement, choice)) for choice in ("experimental", "tie", "control"))
        table.add_row(
            agreement.variable,
            agreement.question,
            *shares,
            number(agreement.value, 3),
            span([agreement.low, agreement.high]),
            str(agreement.pairs),
            str(agreement.judges or "2+"),
        )
    return table


def _cells(facts: PreferenceResults) -> RenderableType:
    level = f"Wilson {facts.level:.0%}"
    heads = ("k of n", "share", level, "chi-square", "p", "p (exact)", "p (adjusted)", "ties")
    table = plain_table("variable", "question", *heads, words=1)
    for cell in facts.cells:
        decided = cell.experimental + cell.control
        table.add_row(
            cell.variable,
            cell.question,
            f"{cell.experimental} of {decided}",
            number(cell.ratio, 2),
            span([cell.low, cell.high]),
            number(cell.chi_square, 2),
            chance(cell.p),
            chance(cell.p_exact),
            chance(cell.p_adjusted),
            str(cell.ties),
        )
    return table


def _variables(facts: PreferenceResults) -> RenderableType:
    level = f"by {who(facts)} {facts.level:.0%}"
    table = plain_table(
        "variable", "marginal", level, "service", "experience", "preferred", who(facts), "p", "p (Holm)"
    )
    for variable in facts.variables:
        qualities = [quality and quality.ratio for quality in (variable.service, variable.experience)]
        table.add_row(
            variable.variable,
            number(variable.marginal, 2),
            span([variable.low, variable.high]),
            *(number(ratio, 2) for ratio in qualities),
            variable.preferred or "",
            str(variable.participants),
            chance(variable.p),
            chance(variable.p_holm),
        )
    return table


def _strengths(facts: PreferenceResults) -> RenderableType:
    """From -3, the control very much, to 3, the experimental version very much; a tie is 0."""
    heads = (
        "mean, -3 to 3",
        f"by {who(facts)} {facts.level:.0%}",
        "p",
        "p (Holm)",
        "p (signed ranks)",
        who(facts),
    )
    table = plain_table("how strongly", "question", *heads, words=1)
    for strength in facts.strengths:
        table.add_row(
            strength.variable,
            strength.question or "all",
            number(strength.mean, 2),
            span([strength.low, strength.high]),
            chance(strength.p),
            chance(strength.p_holm),
            chance(strength.p_signed_rank),
            str(strength.participants),
        )
    return table


def _differences(facts: PreferenceResults) -> RenderableType:
    table = plain_table(f"within {who(facts)}", "difference", f"{facts.level:.0%}", "p", "p (Holm)")
    for difference in facts.differences:
        table.add_row(
            f"{difference.a} - {difference.b}",
            points(difference.difference),
            span_of_points([difference.low, difference.high]),
            chance(difference.p),
            chance(difference.p_holm),
        )
    return table


def _within(facts: PreferenceResults) -> Iterator[RenderableType]:
    tested = [test for test in facts.same_preference if test.q is not None]
    if tested:
        listing = "; ".join(
            f"{test.question} Q {test.q:.2f} ({test.df} df, {test.participants} {who(facts)}), "
            f"p {chance(test.p)}"
            for test in tested
        )
        yield Text(f"Same preference for all variables? Cochran: {listing}.")


def _position(facts: PreferenceResults) -> Iterator[RenderableType]:
    position = facts.position
    if position.log_odds is not None:
        interval = span_of_points([position.low, position.high])
        yield Text(
            f"Left chosen {points(position.left)} ({interval}); left bias adjusted for all "
            f"variables: log odds {position.log_odds:+.2f}, p {chance(position.p)}."
        )
    if len(facts.places) > 1:
        shares = ", ".join(f"{place.comparison_number}. {place.ratio:.2f}" for place in facts.places)
        yield Text(f"Experimental preferred by position in the order: {shares}.")


def _ties(facts: PreferenceResults) -> RenderableType:
    """Three models of every variable, and of every question while these are few."""
    heads = (
        "log odds",
        f"{facts.level:.0%}",
        "p",
        "share of decided",
        "chance of a tie",
        "log-likelihood",
    )
    table = plain_table("with ties", "question", "model", *heads, words=1)
    for estimate in few_tie_models(facts.ties):
        table.add_row(
            estimate.variable,
            estimate.question or "all",
            MODEL_NAMES[estimate.model],
            number(estimate.estimate, 3),
            span([estimate.low, estimate.high]),
            chance(estimate.p),
            number(estimate.share, 3),
            number(estimate.tied, 3),
            number(estimate.log_likelihood, 1),
        )
    return table


def _levels(facts: PreferenceResults) -> Iterator[RenderableType]:
    level = f"{facts.level:.0%}"
    for variable in facts.levels:
        table = plain_table(f"levels of {variable.variable}", "log worth", level, "share")
        for level_row in variable.levels or ():
            table.add_row(
                level_row.name,
                number(level_row.estimate, 3),
                span([level_row.low, level_row.high]),
                number(level_row.share, 3),
            )
        yield table if variable.levels else Text(f"Levels of {variable.variable}: no finite worths.")
    for variable in facts.combined:
        table = plain_table(f"effects in {variable.variable}", "log odds", level, "p")
        for level_row in variable.terms:
            table.add_row(
                level_row.term,
                number(level_row.estimate, 3),
                span([level_row.low, level_row.high]),
                chance(level_row.p),
            )
        yield table


def _groups(group: GroupPreference, by: str, judges: str) -> RenderableType:
    heads = ("share", f"by {judges}", judges, "p", "p (judgements)")
    table = plain_table(f"{group.variable} by {by}", *heads)
    for name, share in group.groups.items():
        table.add_row(
            name,
            number(share.ratio, 2),
            span([share.low, share.high]),
            str(share.participants),
            "",
            "",
        )
    for test in group.differences:
        table.add_row(
            f"{test.a} - {test.b}",
            number(test.difference, 2),
            span([test.low, test.high]),
            "",
            chance(test.p),
            chance(test.p_judgements),
        )
    return table


def _closing(facts: PreferenceResults) -> Iterator[RenderableType]:
    responses, cost, rated = facts.responses, facts.cost, facts.study_rating
    if responses.seconds_per_judgement is not None:
        yield Text(
            f"{responses.seconds_per_judgement:.1f} s per judgement, median response "
            f"{responses.median_s:.0f} s."
        )
    if cost is not None:
        yield Text(
            f"Cost: {cost.total:.2f} in total, {cost.per_judgement:.3f} per judgement, "
            f"{cost.per_variable:.2f} per variable."
        )
    if rated is not None:
        yield Text(f"The study itself was rated {rated.mean:.1f} of {rated.of} by {rated.participants}.")


def readings(facts: TranscriptRatings) -> Iterator[RenderableType]:
    """Rated transcripts: both versions by variable and item, the difference within people."""
    yield from _marked(facts)
    yield Text(f"{facts.participants} readers, {facts.ratings} ratings of {facts.transcripts} transcripts")
    heads = ("control", "experimental", "difference", f"{facts.level:.0%}", "p", "p (Holm)")
    table = plain_table("variable", "item", *heads, words=1)
    for rating in (*facts.items, *facts.variables):
        table.add_row(
            rating.variable,
            rating.item or "all",
            number(rating.control, 2),
            number(rating.experimental, 2),
            number(rating.difference, 2),
            span([rating.low, rating.high]),
            chance(rating.p),
            chance(rating.p_holm),
        )
    yield table


def listening(facts: ListeningResults) -> Iterator[RenderableType]:
    """Mean opinion scores by condition, and preferences between conditions."""
    yield from _marked(facts)
    yield Text(f"{facts.participants} listeners, {facts.judgements} judgements of clips")
    if facts.left_out:
        yield Text(f"{facts.left_out} more failed the hearing check and are excluded")
    level = f"{facts.level:.0%}"
    if facts.opinions:
        table = plain_table("condition", "mean opinion score", level, "ratings", "listeners", "clips")
        for opinion in facts.opinions:
            table.add_row(
                opinion.condition,
                number(opinion.mean, 2),
                span([opinion.low, opinion.high]),
                str(opinion.ratings),
                str(opinion.participants),
                str(opinion.clips),
            )
        yield table
    if facts.contrasts:
        contrasts = plain_table("conditions", "difference", level, "p", "p (Holm)", "listeners")
        for opinion in facts.contrasts:
            contrasts.add_row(
                f"{opinion.a} - {opinion.b}",
                number(opinion.difference, 2),
                span([opinion.low, opinion.high]),
                chance(opinion.p),
                chance(opinion.p_holm),
                str(opinion.participants),
            )
        yield contrasts
    if facts.pairs:
        heads = ("share of the first", level, "p", "p (Holm)", "better : tie : worse", "listeners")
        pairs = plain_table("pair", *heads)
        for opinion in facts.pairs:
            pairs.add_row(
                f"{opinion.a} - {opinion.b}",
                number(opinion.share, 2),
                span([opinion.low, opinion.high]),
                chance(opinion.p),
                chance(opinion.p_holm),
                f"{opinion.a_better} : {opinion.ties} : {opinion.b_better}",
                str(opinion.participants),
            )
        yield pairs


def arena(facts: ArenaResults) -> Iterator[RenderableType]:
    """The ranking, plain and with length and style held fixed, then the pairs and what swayed the votes."""
    yield from _marked(facts)
    yield Text(f"{facts.votes} votes by {facts.participants} {who(facts)} in {facts.bouts} bouts")
    level = f"{facts.level:.0%}"
    tally = {system.name: system for system in facts.systems}
    steady = {system.name: system for system in facts.controlled or ()}
    table = plain_table(
        "system", "ranks", "log worth", level, "controlled", level, "won", "tied", "bad", "lost"
    )
    worths = {system.name: system for system in facts.ranking or ()}
    for name in dict.fromkeys([*worths, *tally]):
        votes, worth, controlled = tally[name], worths.get(name), steady.get(name)
        table.add_row(
            name,
            f"{worth.ranks.best} to {worth.ranks.worst}" if worth and worth.ranks else "",
            number(worth and worth.estimate, 3),
            _limits(worth),
            number(controlled and controlled.estimate, 3),
            _limits(controlled),
            *map(str, (votes.won, votes.tied, votes.both_bad, votes.lost)),
        )
    yield table
    for system in facts.unbounded:
        won, limit = ("lost", system.high) if system.low is None else ("won", system.low)
        yield Text(f"{system.name} {won} all decided votes; 97.5% limit of its log worth: {number(limit, 3)}")
    if facts.separate:
        yield Text(f"Never compared with each other: {'; '.join(map(', '.join, facts.separate))}")
    pairs = plain_table("pair", "votes", "won", "log odds", level, "p", "p (Holm)")
    for pair in (pair for pair in facts.pairs if pair.votes):
        pairs.add_row(
            f"{pair.a} - {pair.b}",
            str(pair.votes),
            f"{pair.a_won} : {pair.b_won}",
            number(pair.estimate, 3),
            span([pair.low, pair.high]),
            chance(pair.p),
            chance(pair.p_holm),
        )
    yield pairs
    swayed = plain_table("factors in votes", "log odds", level, "p")
    for name, pair in (
        ("left", facts.left),
        *((covariate.covariate, covariate) for covariate in facts.covariates),
    ):
        swayed.add_row(name, number(pair.estimate, 3), span([pair.low, pair.high]), chance(pair.p))
    yield swayed
    if facts.leaks:
        yield Text(f"In {facts.leaks} votes an answer contained a system name; the page masked it.")


def _limits(worth: NamedWorth | None) -> str:
    return span([worth.low, worth.high] if worth else [None, None])


ARM_NAMES = {
    "compared": "transcripts compared",
    "read": "transcripts rated",
    "voted": "arena",
    "live": "live dialogues",
    "live_wizard": "live, with a wizard",
}


ONE: Final = {"people": "person", "programs": "program"}


def effort(rows: Sequence[JudgementEffort], judges: str = "people") -> Iterator[RenderableType]:
    """Time and cost of a judgement in each way of judging."""
    if not rows:
        return
    priced = any(row.cost_per_judgement is not None for row in rows)
    heads = ("judgements", judges, "concurrently", "s per judgement", f"minutes per {ONE[judges]}")
    table = plain_table("judged by", *heads, *(["hourly cost per judgement"] if priced else []))
    for row in rows:
        table.add_row(
            ARM_NAMES[row.arm],
            str(row.judgements),
            str(row.participants),
            str(row.people),
            number(row.seconds_per_judgement, 1),
            number(row.minutes_per_participant, 1),
            *([number(row.cost_per_judgement, 3)] if priced else []),
        )
    yield table
    if any(row.arm == "compared" for row in rows):
        yield Text("Judgements of attention pairs and repeats are counted, because they take time too.")
