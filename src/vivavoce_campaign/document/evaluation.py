"""Everything that a campaign's report tells of one system, computed once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce.report.prose import mark
from vivavoce.stats import idial
from vivavoce_campaign.campaign_file import CampaignFile, read_facts
from vivavoce_campaign.submission_file import Submission
from vivavoce_stress.scores import stress_results


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was computed of one system.

    stress  of the run of stress tests, None where there was none
    """

    dataset: Dataset
    settings: CampaignFile
    submission: Submission
    aspects: list[idial.IdialAspect]
    items: list[idial.IdialItem]
    stress: dict[str, Any] | None
    intents: list[idial.IntentTimes]
    entities: list[idial.EntitiesTaken]
    modules: dict[str, list[idial.ModuleFigure]]
    people: idial.IdialPeople

    @property
    def mark(self) -> str:
        return mark(simulated=self.people.simulated)


@dataclass(frozen=True, slots=True, kw_only=True)
class StressFigures:
    """How many of the decided (`applied`) stress tests were passed; shares from 0 to 1, Wilson's limits.

    worst, best  while `open` cases have no verdict: between which two shares the result lies
    Empty        none decided: all shares and limits None; cases are open: ratio and mean None
    """

    passed: int
    applied: int
    open: int
    waiting: int
    ratio: float | None
    worst: float | None
    best: float | None
    low: float | None
    high: float | None
    mean_of_groups: float | None
    mean_of_groups_worst: float | None
    mean_of_groups_best: float | None
    groups: dict[str, float | None]
    tests: dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFigures:
    """The numbers of the report on one system. Empty: no stress test was run: `stress` None."""

    system: str
    simulated: bool
    aspects: list[idial.IdialAspect]
    items: list[idial.IdialItem]
    stress: StressFigures | None
    intents: list[idial.IntentTimes]
    entities: list[idial.EntitiesTaken]
    people: idial.IdialPeople
    data: str


def evaluate(dataset: Dataset) -> Evaluation:
    """The figures of a campaign's dataset. Raises InputError: it is not one of a campaign."""
    settings, submission = read_facts(dataset.folder)
    how = settings.questionnaire
    runs = stress_results(dataset)["runs"]
    entities = idial.entities(dataset)
    return Evaluation(
        dataset=dataset,
        settings=settings,
        submission=submission,
        aspects=idial.aspects(dataset, mapping=how.mapping, reverse_item_4=how.reverse_item_4),
        items=idial.items(dataset),
        stress=next((run for run in runs if run["system"] == submission.submission), None),
        intents=idial.intents(dataset, {one.intent_id: one.minutes for one in submission.intents}),
        entities=entities,
        modules=idial.modules(dataset, comparable=bool(entities)),
        people=idial.people(dataset),
    )


def figures(found: Evaluation) -> SystemFigures:
    """The report's numbers as data."""
    return SystemFigures(
        system=found.submission.submission, simulated=found.people.simulated, aspects=found.aspects,
        items=found.items, stress=None if found.stress is None else _stress(found.stress),
        intents=found.intents, entities=found.entities, people=found.people, data=found.dataset.hash,
    )  # fmt: skip


def _stress(run: Mapping[str, Any]) -> StressFigures:
    whole = run["whole"]
    return StressFigures(
        passed=whole["passed"], applied=whole["decided"], open=whole["open"], waiting=whole["waiting"],
        ratio=whole["ratio"], worst=whole["worst"], best=whole["best"], low=whole["low"], high=whole["high"],
        mean_of_groups=run["macro_families"], mean_of_groups_worst=run["macro_families_worst"],
        mean_of_groups_best=run["macro_families_best"],
        groups={one["name"]: one["ratio"] for one in run["families"]},
        tests={one["name"]: one["ratio"] for one in run["tests"]},
    )  # fmt: skip
