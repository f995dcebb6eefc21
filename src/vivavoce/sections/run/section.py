"""Setup of the trial: systems, conditions, people, tasks."""

from dataclasses import dataclass
from typing import Any

from vivavoce.analysis.description import DatasetDescription
from vivavoce.reports.blocks import Block, FactList
from vivavoce.reports.language import count, say
from vivavoce.reports.section import AnalysisContext, Section, period, tally
from vivavoce.stats.summary_results import Summary


@dataclass(frozen=True, slots=True)
class RunFound:
    """The summary and the description of the dataset."""

    summary: Summary
    description: DatasetDescription


class RunSection(Section[RunFound]):
    """Also of a dataset that holds nothing."""

    name = "run"
    order = 1100
    title = "Study and data"
    needs = ()

    def results(self, material: AnalysisContext) -> RunFound:
        return RunFound(material.summary, material.description)

    def blocks(self, results: RunFound) -> list[Block]:
        return [FactList(tuple(what_was_run(results.summary, results.description)))]


def what_was_run(summary: Summary, description: DatasetDescription) -> list[tuple[str, str]]:
    """Term and description pairs; what is not recorded is left out."""
    source = dict(description.source)
    kind = source.pop("kind", "not recorded")
    log = source.pop("log", {})
    conditions = description.conditions if description.conditions != description.systems else {}
    factors = (f"{name}: {', '.join(map(str, values))}" for name, values in description.factors.items())
    collected = (f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in source.items())
    simulated, dialogues = description.simulated_dialogues, summary.all.dialogues
    people = summary.all.participants if dialogues else description.tables.get("participants", 0)
    facts = [
        (say("Study"), description.study),
        (say("Systems"), tally(description.systems)),
        (say("Conditions"), tally(conditions)),
        (say("Factors"), "; ".join(factors)),
        (say("Period"), period(description) if dialogues else ""),
        (say("Dialogues"), count(dialogues)),
        (say("Simulated"), count(simulated) if simulated else ""),
        (say("Participants"), count(people)),
        (say("Recruited through"), tally(description.pools)),
        (say("Tasks"), count(description.tasks) if description.tasks else ""),
        (say("Channel"), tally(description.channels, ours=True)),
        (say("Language"), tally(description.languages)),
        (say("Collected by"), "; ".join([_origin(kind), *collected])),
        (
            say("Tables"),
            ", ".join(f"{name} {count(rows)}" for name, rows in description.tables.items()),
        ),
        (
            say("Dataset"),
            say("{hash} (made {day})", hash=summary.data, day=str(description.created_at)[:10]),
        ),
        (
            say("Log"),
            say("fingerprint {fingerprint} after {n} events", fingerprint=log["fingerprint"], n=log["events"])
            if log
            else "",
        ),
    ]
    return [(term, text) for term, text in facts if text]


def _origin(kind: str) -> str:
    if kind == "log":
        return say("Vivavoce, exported from the study log")
    return say("import of {kind}", kind=kind)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
