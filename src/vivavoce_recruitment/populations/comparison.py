"""Populations of one study side by side: figures with intervals, tests of one family, cost, precision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from vivavoce.analysis.clustered_summary import LEVEL, ClusteredSummary
from vivavoce.analysis.population_tests import CALLS, DURATION, FURTHER, with_calls
from vivavoce.analysis.populations import RankAgreement, rank_agreement
from vivavoce.analysis.summary import summarise
from vivavoce.dataset.populations import POPULATION, SIMULATED
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import groups, pooled, sums
from vivavoce.stats.clusters import ClusteredRate
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.stats.precision import RequiredPeople, required_people
from vivavoce.stats.summary_results import GroupTest, Summary
from vivavoce_recruitment.populations.costs import Spent, spent

Unit = Literal["ratio", "s", ""]
HALF_WIDTH: Final = 0.05
COMPARED: Final[Mapping[str, Unit]] = {
    **dict.fromkeys(HEADLINES, "ratio"),
    "word_error_rate": "ratio",
    DURATION: "s",
    CALLS: "",
}
"""Outcome used to compare populations, with its unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationFigure:
    """One figure of a population; `n` counts its cases. Empty: no case: value None."""

    value: float | None
    n: float
    interval: ClusteredRate


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationFound:
    """One population, as its dialogues in the analysis show it.

    figures    by what they are of, of `COMPARED`
    cost       of all that took part; None: nobody knows
    precision  people whom each rate, and word errors, take; None: there is no interval
    """

    name: str
    simulated: bool
    participants: int
    dialogues: int
    median_dialogues: float | None
    figures: Mapping[str, PopulationFigure]
    cost: Spent | None
    precision: Mapping[str, RequiredPeople | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationsCompared:
    """Populations side by side.

    measures  of `COMPARED`, those of which anything was counted
    tests     all pairs on all measures, p adjusted over all of them
    ranks     how alike two populations rank three systems or more, by measure; {} with more populations
    """

    populations: Sequence[PopulationFound]
    measures: Sequence[str]
    tests: Sequence[GroupTest]
    summary: Summary
    ranks: Mapping[str, RankAgreement]
    half_width: float


def side_by_side(
    dataset: Dataset, *, costs: Mapping[str, float], half_width: float, summary: Summary | None = None
) -> PopulationsCompared | None:
    """The populations of a dataset, people and programs apart.

    Input   costs: what populations cost in all, by name; half_width: of the interval whose cost is told;
            summary: by population, where it is there already
    Empty   fewer than two populations held dialogues: None
    """
    compared = [group for group in groups(dataset, POPULATION) if group.key is not None]
    if len(compared) < 2:
        return None
    summary = summary or summarise(dataset, POPULATION)
    measures = [name for name in COMPARED if name == CALLS or summary.all.counted(name)]
    nested = ClusteredSummary(with_calls(sums(dataset), compared), groups(dataset, POPULATION))
    paid = spent(dataset, costs)
    populations = []
    for row in summary.by:
        if row.key is None:
            continue
        figures = {
            name: PopulationFigure(
                value=row.measures[name].value,
                n=row.measures[name].denominator,
                interval=row.measures[name].clustered,
            )
            for name in measures
            if name != CALLS
        }
        place = nested.keys.index(row.key)
        spread = row.dialogues_per_participant
        interval = nested.rate(CALLS, place, level=LEVEL)
        if spread.largest == 1:  # else it would be taken for a rate that always succeeds
            interval = replace(interval, low=None, high=None)
        figures[CALLS] = PopulationFigure(value=spread.mean, n=row.participants, interval=interval)
        cost = paid.get(row.key)
        populations.append(
            PopulationFound(
                name=row.key,
                simulated=row.key.endswith(SIMULATED),
                participants=row.participants,
                dialogues=row.dialogues,
                median_dialogues=spread.median,
                figures=figures,
                cost=cost,
                precision={
                    name: required_people(figure.interval, row.participants, half_width)
                    for name, figure in figures.items()
                    if COMPARED[name] == "ratio"
                },
            )
        )
    tested = [
        test
        for test in summary.tests
        if test.measure in (*HEADLINES, *FURTHER) and None not in (test.a, test.b)
    ]
    return PopulationsCompared(
        populations=populations,
        measures=measures,
        tests=tested,
        summary=summary,
        ranks=_ranks(dataset, [measure for measure in measures if COMPARED[measure] == "ratio"], populations),
        half_width=half_width,
    )


def _ranks(
    dataset: Dataset, measures: Sequence[str], told: Sequence[PopulationFound]
) -> dict[str, RankAgreement]:
    """The order of three systems or more in both of two populations, by measure: two agree by chance."""
    if len(told) != 2:
        return {}
    systems = {
        dialogue_id: group.key for group in groups(dataset, "system") for dialogue_id in group.dialogue_ids
    }
    members = {group.key: set(group.dialogue_ids) for group in groups(dataset, POPULATION)}
    values = []
    for population in told:
        parts = sums(dataset, list(measures)).among(members[population.name])
        rows = pooled(parts, [systems[dialogue] for dialogue in parts.dialogue_ids])
        values.append({(row.measure, row.key): row.value for row in rows if row.value is not None})
    by_measure = {}
    for name in measures:
        first, second = (
            {key: value for (of, key), value in of_population.items() if of == name}
            for of_population in values
        )
        ranks = rank_agreement(first, second)
        if ranks.tau is not None and ranks.systems > 2:
            by_measure[name] = ranks
    return by_measure
