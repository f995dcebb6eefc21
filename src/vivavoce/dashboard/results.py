"""Summary for reading: success rates as figures, with the tables of the report."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vivavoce.core.i18n import N_
from vivavoce.dashboard.dialogue_query import SUCCESS, DialogueQuery, address_of, facet_of
from vivavoce.dashboard.language import worded
from vivavoce.reports.language import span, stated
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.reports.blocks import TableOfText
    from vivavoce.stats.summary_results import SuccessRate, Summary

MEANINGS: Final = {
    "subjective_success": N_(
        "Based on the participants’ answer to the question on finding everything they wanted."
    ),
    "objective_success_assigned": N_(
        "The system offered a match for the task and gave the requested information correctly."
    ),
    "objective_success_inferred": N_(
        "The same rule, applied to each goal that the participant actually pursued."
    ),
}


@dataclass(frozen=True, slots=True)
class DrawnRate:
    """Rate of one group with its interval; `compared` is the interval for independent cases.

    cases, hits  addresses of the list with the dialogues that n, and the successes, count
    """

    name: str
    ratio: float | None
    low: float | None
    high: float | None
    compared: str
    successes: float
    n: float
    whole: bool
    cases: str
    hits: str
    abandoned: int | None


@dataclass(frozen=True, slots=True)
class RateTable:
    """One success rate over all groups; by_participant: clustered intervals.

    alone  why no interval is given, where one participant held all dialogues; else ""
    """

    title: str
    meaning: str
    unit: str
    rows: list[DrawnRate]
    by_participant: bool
    alone: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """Contents of the results page above the report's sections."""

    dialogues: int
    rates: list[RateTable]
    tests: "TableOfText | None"
    warnings: list[str]
    model: str
    data: str
    version: str
    by_what: str


def groupings(study: Study) -> list[str]:
    """Groupings of the results; in factorial studies conditions come first."""
    factors = list(dict.fromkeys(name for cell in study.factors.values() for name in cell))
    return ["condition", "system", *factors] if factors else ["system"]


def make_view(summary: "Summary", *, pooled: bool = False) -> View:
    """Arrange the result of `analysis.summary.summarise`; pooled: all groups together only."""
    from vivavoce.reports import rate_tables as content
    from vivavoce.reports.links import linked_table

    tests = None if pooled else content.tests_table(summary)
    return View(
        dialogues=summary.all.dialogues,
        rates=[
            _rate_table(name, title, summary, pooled=pooled)
            for name, title in content.headlines(summary).items()
        ],
        tests=linked_table(tests, address_of) if tests else None,
        warnings=[] if pooled else [stated(warning) for warning in summary.warnings],
        model="" if pooled else stated(summary.model.why),
        data=summary.data,
        version=summary.vivavoce,
        by_what=content.by_what(summary),
    )


def _rate_table(name: str, title: str, summary: "Summary", *, pooled: bool) -> RateTable:
    from vivavoce.reports import rate_tables as content
    from vivavoce.reports.language import say

    groups = [summary.all] if pooled else content.with_all(summary)
    rows = [
        _drawn(
            content.group_name(row, summary),
            row.rates[name],
            whole=row is summary.all and len(groups) > 1,
            measure=name,
            group={} if row is summary.all else {facet_of(summary.by_what): (row.key or "",)},
        )
        for row in groups
    ]
    nested = any(content.interval_of(row.rates[name])[2] for row in groups)
    unit = content.unit_name(summary.all.rates[name].unit)
    alone = say(content.ONE_PERSON) if content.of_one(summary.all.rates[name]) else ""
    return RateTable(title, worded(MEANINGS.get(name, "")), unit, rows, nested, alone)


def _drawn(
    name: str, rate: "SuccessRate", *, whole: bool, measure: str, group: dict[str, tuple[str, ...]]
) -> DrawnRate:
    from vivavoce.reports.links import CASES, SUCCESSES
    from vivavoce.reports.rate_tables import interval_of

    low, high, clustered = interval_of(rate)
    compared = span(rate.low, rate.high) if clustered and rate.low is not None else ""
    cases, hits = (
        DialogueQuery({**group, SUCCESS + measure: outcomes}).address for outcomes in (CASES, SUCCESSES)
    )
    return DrawnRate(
        name, rate.ratio, low, high, compared, rate.successes, rate.n, whole, cases, hits, rate.abandoned
    )
