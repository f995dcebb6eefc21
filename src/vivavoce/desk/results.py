"""A summary arranged for reading: one table a question, in the order in which they are asked."""

from dataclasses import dataclass
from typing import Any, Final

from vivavoce.measures import MEASURES
from vivavoce.report.numbers import amount
from vivavoce.study.model import Study

RATES: Final = {
    "subjective_success": "Subjective success",
    "objective_success_assigned": "Objective success, assigned goal",
    "objective_success_inferred": "Objective success, inferred goals",
}
MEANINGS: Final = {
    "subjective_success": "What participants answered when asked whether they found all they wanted.",
    "objective_success_assigned": "The system offered what fits the task and told what was asked about it.",
    "objective_success_inferred": "The same, judged by each goal that the participant turned out to pursue.",
}
FIGURES: Final = (
    "dialogue_duration", "turns", "user_turns", "user_words", "words_per_system_turn", "words_per_user_turn",
    "system_response_delay", "user_response_delay", "word_error_rate",
)  # fmt: skip

Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RateTable:
    """One success rate over all groups, and the tests of its pairs."""

    name: str
    title: str
    meaning: str
    rows: list[tuple[str | None, Facts]]
    tests: list[Facts]

    @property
    def nested(self) -> bool:
        """Whether intervals and tests that take participants as the unit stand beside the others."""
        return any(rate.get("clustered") for _, rate in self.rows)


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One measure over all groups."""

    title: str
    symbol: str
    unit: str
    shown: list[str]


@dataclass(frozen=True, slots=True)
class View:
    """What the page of results shows."""

    groups: list[Facts]
    rates: list[RateTable]
    variants: list[RateTable]
    figures: list[FigureRow]
    warnings: list[str]
    model: str
    families: list[str]
    data: str
    version: str
    by_what: str


def groupings(study: Study) -> list[str]:
    """What results can be grouped by; where the study has factors, its conditions come first."""
    factors = list(dict.fromkeys(name for cell in study.factors.values() for name in cell))
    return ["condition", "system", *factors] if factors else ["system"]


def make_view(summary: Facts) -> View:
    """Arrange what `analysis.summary.summarise` found."""
    groups = [*summary["by"], {**summary["all"], "key": "all"}]
    names = [name for name, facts in summary["all"].items() if isinstance(facts, dict) and "ratio" in facts]
    asked = [name for name in names if summary["all"][name]["n"]]
    return View(
        groups=groups,
        rates=[_rate_table(name, RATES[name], groups, summary) for name in RATES if name in asked],
        variants=[
            _rate_table(name, _variant_title(name), groups, summary) for name in asked if name not in RATES
        ],
        figures=[row for name in FIGURES if (row := _figure_row(name, groups)) is not None],
        warnings=list(summary["warnings"]),
        model=(summary.get("model") or {}).get("why", ""),
        families=[one["why"] for one in summary.get("families", [])],
        data=summary["data"],
        version=summary["vivavoce"],
        by_what=summary["by_what"],
    )


def _rate_table(name: str, title: str, groups: list[Facts], summary: Facts) -> RateTable:
    tests = [test for test in summary["tests"] if test["measure"] == name]
    return RateTable(
        name, title, MEANINGS.get(name, ""), [(group["key"], group[name]) for group in groups], tests
    )


def _variant_title(name: str) -> str:
    for known in sorted(RATES, key=len, reverse=True):
        if name.startswith(known + "_"):
            return f"{RATES[known]}: {name.removeprefix(known + '_').replace('_', ', ')}"
    return name.replace("_", " ")


def _figure_row(name: str, groups: list[Facts]) -> FigureRow | None:
    """A measure's row; None where no group has a value."""
    values = [group["measures"].get(name, {}).get("value") for group in groups]
    if name not in MEASURES or all(value is None for value in values):
        return None
    measure = MEASURES.get(name)
    title = name.replace("_", " ").capitalize()
    symbol = "" if measure.symbol.startswith("#") else measure.symbol
    said = measure.unit in ("ratio", "s") or measure.unit in title.lower()
    return FigureRow(
        title, symbol, "" if said else measure.unit, [amount(one, measure.unit) for one in values]
    )
