"""Opinion against record: what participants said, and what the log shows."""

from dataclasses import dataclass
from typing import Final

from vivavoce.analysis.subjective_vs_objective import RecordedOpinion, opinion_against_record
from vivavoce.reports.blocks import Block, Cell, Row, TableOfText
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.language import between, coefficient, count, label, p_value, percent, points, say, span
from vivavoce.reports.rate_tables import by_what, heads, title
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.stats.summary_results import Summary

SIDES: Final = {
    "both": ("yes", "yes"),
    "only_said": ("yes", "no"),
    "only_shown": ("no", "yes"),
    "neither": ("no", "no"),
}


@dataclass(frozen=True, slots=True)
class OpinionFound:
    """Fourfold counts by group, and the summary."""

    opinion: RecordedOpinion
    summary: Summary


class OpinionSection(Section[OpinionFound]):
    """Only where both are known of dialogues."""

    name = "opinion"
    order = 1500
    title = "Participant rating and record"
    menu = "Opinion"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> OpinionFound | None:
        comparison = opinion_against_record(material.dataset, material.groups)
        return OpinionFound(comparison, material.summary) if comparison else None

    def blocks(self, results: OpinionFound) -> list[Block]:
        return [make(results.opinion, results.summary) for make in (opinion_table, agreement_table)]


def opinion_table(opinion: RecordedOpinion, summary: Summary) -> TableOfText:
    """Participants' answers against the log."""
    rows = [
        Row(
            say("all") if row.key == "all" and len(opinion.by) > 1 else label(row.key),
            (
                *(
                    Cell(
                        count(getattr(row, name)),
                        (_share(getattr(row, name), row.n),),
                        counts=_counted(opinion, summary, row.key, answer, logged),
                    )
                    for name, (answer, logged) in SIDES.items()
                ),
                Cell(percent(row.optimism), (span(row.low, row.high),)),
            ),
            (say("n = {n}", n=count(row.n)),),
            total=row.key == "all" and len(opinion.by) > 1,
        )
        for row in opinion.by
    ]
    return TableOfText(
        "opinion",
        say("Participant rating compared with {measure}", measure=title(opinion.measure).lower()),
        (
            *heads(by_what(summary)),
            Cell(say("Rated yes, record yes")),
            Cell(say("Rated yes, record no"), (say("over-optimistic"),)),
            Cell(say("Rated no, record yes"), (say("over-critical"),)),
            Cell(say("Rated no, record no")),
            Cell(say("Over-optimism"), (say("rated yes among record no"),)),
        ),
        tuple(rows),
        say(
            "Over-optimism: share of objectively failed dialogues that participants rated successful, with "
            "95% CI clustered by participant."
        ),
    )


def _counted(
    opinion: RecordedOpinion, summary: Summary, key: str | None, answer: str, logged: str
) -> CountedDialogues | None:
    """The dialogues of one of the four cells; None where the record counts several goals in a dialogue."""
    if summary.all.rates[opinion.measure].unit != "dialogue" or key is None:
        return None
    keys = () if key == "all" and len(opinion.by) > 1 else (key,)
    measures = (("subjective_success", (answer,)), (opinion.measure, (logged,)))
    return CountedDialogues(measures, summary.by_what, keys)


def agreement_table(opinion: RecordedOpinion, summary: Summary) -> TableOfText:
    """Difference between yes answers and successes in the log, and agreement beyond chance."""
    several = len(opinion.by) > 1
    rows = []
    for row in opinion.by:
        excess, kappa = row.excess, row.kappa
        rows.append(
            Row(
                say("all") if row.key == "all" and several else label(row.key),
                (
                    Cell(percent(_ratio(row.both + row.only_said, row.n))),
                    Cell(percent(_ratio(row.both + row.only_shown, row.n))),
                    Cell(points(excess.difference), (between(excess.low, excess.high, points),)),
                    Cell(p_value(excess.p), (p_value(excess.p_mcnemar),)),
                    Cell(coefficient(kappa.value), (between(kappa.low, kappa.high, coefficient),)),
                ),
                (say("n = {n}", n=count(row.n)),),
                total=row.key == "all" and several,
            )
        )
    return TableOfText(
        "opinion-agreement",
        say("Agreement between rating and record"),
        (
            *heads(by_what(summary), say("Said yes"), say("Record yes")),
            Cell(say("Difference"), (say("95% CI"),)),
            Cell("p", ("McNemar",)),
            Cell(say("Cohen's kappa"), (say("95% CI"),)),
        ),
        tuple(rows),
        say(
            "Difference in percentage points: above 0, ratings are more positive than the record. p and "
            "intervals are clustered by participant; McNemar's p below treats dialogues as independent, "
            "for comparison only. Kappa: 1 is full agreement, 0 is chance."
        ),
    )


def _ratio(n: int, total: int) -> float | None:
    return n / total if total else None


def _share(n: int, total: int) -> str:
    return percent(n / total) if total else ""
