"""Everything that a campaign's report tells of one system, computed once."""

from dataclasses import dataclass
from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce.report.prose import mark
from vivavoce.stats import idial
from vivavoce_campaign.campaign_file import CampaignFile, read_facts
from vivavoce_campaign.submission_file import Submission
from vivavoce_stress.scores import stress_results

Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was computed of one system."""

    dataset: Dataset
    settings: CampaignFile
    submission: Submission
    aspects: list[Facts]
    items: list[Facts]
    stress: Facts | None
    intents: list[Facts]
    entities: list[Facts]
    modules: dict[str, list[Facts]]
    people: Facts

    @property
    def mark(self) -> str:
        return mark(simulated=self.people["simulated"])


def evaluate(dataset: Dataset) -> Evaluation:
    """The figures of a campaign's dataset. Raises InputError: it is not one of a campaign."""
    settings, submission = read_facts(dataset.folder)
    how = settings.questionnaire
    runs = stress_results(dataset)["runs"]
    entities = idial.entities(dataset)
    declared = [one.model_dump(mode="json", by_alias=True) for one in submission.intents]
    return Evaluation(
        dataset=dataset,
        settings=settings,
        submission=submission,
        aspects=idial.aspects(dataset, mapping=how.mapping, reverse_item_4=how.reverse_item_4),
        items=idial.items(dataset),
        stress=next((run for run in runs if run["system"] == submission.submission), None),
        intents=idial.intents(dataset, declared),
        entities=entities,
        modules=idial.modules(dataset, comparable=bool(entities)),
        people=idial.people(dataset),
    )


def figures(found: Evaluation) -> Facts:
    """The report's numbers as data."""
    stress = found.stress
    return {
        "system": found.submission.submission,
        "simulated": found.people["simulated"],
        "aspects": found.aspects,
        "items": found.items,
        "stress": None
        if stress is None
        else {
            "passed": stress["whole"]["passed"],
            "applied": stress["whole"]["decided"],
            "ratio": stress["whole"]["ratio"],
            "low": stress["whole"]["low"],
            "high": stress["whole"]["high"],
            "mean_of_groups": stress["macro_families"],
            "groups": {one["name"]: one["ratio"] for one in stress["families"]},
            "tests": {one["name"]: one["ratio"] for one in stress["tests"]},
        },
        "intents": found.intents,
        "entities": found.entities,
        "people": found.people,
        "data": found.dataset.hash,
    }
