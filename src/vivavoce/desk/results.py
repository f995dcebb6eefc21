"""A summary arranged for reading: the success rates drawn, and beside them the very tables of the report."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vivavoce.core.i18n import N_
from vivavoce.desk.dialogue_query import SUCCESS, DialogueQuery, address_of, facet_of
from vivavoce.desk.language import worded
from vivavoce.report.language import stated
from vivavoce.report.numbers import span
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.report.blocks import TableOfText
    from vivavoce.stats.summary_results import SuccessRate, Summary

MEANINGS: Final = {
    "subjective_success": N_("What participants answered when asked whether they found all they wanted."),
    "objective_success_assigned": N_(
        "The system offered what fits the task and told what was asked about it."
    ),
    "objective_success_inferred": N_(
        "The same, judged by each goal that the participant turned out to pursue."
    ),
}


@dataclass(frozen=True, slots=True)
class DrawnRate:
    """One group's rate and the interval that counts; `compared` is the one of independent cases.

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
    """One success rate over all groups; by_participant: some interval takes participants as the unit.

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
    """What the page of results shows above the report's sections; `tests` as the report has them."""

    dialogues: int
    rates: list[RateTable]
    tests: "TableOfText | None"
    warnings: list[str]
    model: str
    data: str
    version: str
    by_what: str


def groupings(study: Study) -> list[str]:
    """What results can be grouped by; where the study has factors, its conditions come first."""
    factors = list(dict.fromkeys(name for cell in study.factors.values() for name in cell))
    return ["condition", "system", *factors] if factors else ["system"]


def make_view(summary: "Summary", *, pooled: bool = False) -> View:
    """Arrange what `analysis.summary.summarise` found; pooled: of all groups together alone."""
    from vivavoce.report import content
    from vivavoce.report.links import linked_table

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
    from vivavoce.report import content
    from vivavoce.report.language import say

    groups = [summary.all] if pooled else content.with_all(summary)
    rows = [
        _drawn(
            content.group_name(row, summary), row.rates[name], whole=row is summary.all and len(groups) > 1,
            measure=name, group={} if row is summary.all else {facet_of(summary.by_what): (row.key or "",)},
        )
        for row in groups
    ]  # fmt: skip
    nested = any(content.interval_of(row.rates[name])[2] for row in groups)
    unit = content.unit_name(summary.all.rates[name].unit)
    alone = say(content.ONE_PERSON) if content.of_one(summary.all.rates[name]) else ""
    return RateTable(title, worded(MEANINGS.get(name, "")), unit, rows, nested, alone)


def _drawn(
    name: str, rate: "SuccessRate", *, whole: bool, measure: str, group: dict[str, tuple[str, ...]]
) -> DrawnRate:
    from vivavoce.report.content import interval_of
    from vivavoce.report.links import CASES, SUCCESSES

    low, high, clustered = interval_of(rate)
    compared = span(rate.low, rate.high) if clustered and rate.low is not None else ""
    cases, hits = (
        DialogueQuery({**group, SUCCESS + measure: outcomes}).address for outcomes in (CASES, SUCCESSES)
    )
    return DrawnRate(name, rate.ratio, low, high, compared, rate.successes, rate.n, whole, cases, hits,
                     rate.abandoned)  # fmt: skip
