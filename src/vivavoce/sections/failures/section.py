"""Dialogues that failed, turn by turn, chosen by rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.analysis.failures import FailedDialogue, typical_failures
from vivavoce.reports.blocks import Block, Paragraph, Transcript
from vivavoce.reports.language import plural, say
from vivavoce.reports.rate_tables import title
from vivavoce.reports.section import AnalysisContext, Section


@dataclass(frozen=True, slots=True)
class FailuresFound:
    """Dialogues with their turns; `redact`: what was said is not to be shown."""

    dialogues: Sequence[FailedDialogue]
    redact: bool


class FailuresSection(Section[FailuresFound]):
    """Only where transcripts are asked for: a report is passed on."""

    name = "failures"
    order = 1700
    title = "Failed dialogues"
    menu = "Failures"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> FailuresFound | None:
        options = material.options
        failures = typical_failures(material.dataset, material.groups, options.transcripts)
        return FailuresFound(failures, options.redact) if failures else None

    def blocks(self, results: FailuresFound) -> list[Block]:
        rule = say(
            "Selected by rule in each group: dialogues that fail most success definitions, closest to the "
            "median length of the group's failures."
        )
        transcripts = (_transcript(dialogue, redact=results.redact) for dialogue in results.dialogues)
        return [Paragraph(rule), *transcripts]


def _transcript(dialogue: FailedDialogue, *, redact: bool) -> Transcript:
    failed = ", ".join(title(name).lower() for name in dialogue.failed)
    answers = {None: say("did not answer"), 1.0: say("answered yes"), 0.0: say("answered no")}
    why = say(
        "Failed: {rates}; the participant {said}.",
        rates=failed,
        said=answers.get(dialogue.said, str(dialogue.said)),
    )
    who = {"user": say("Participant"), "system": say("System")}
    turns = tuple(
        (party, f"{number} \u00b7 {who[party]}", _redacted(text) if redact else text or "")
        for number, (party, text) in enumerate(dialogue.turns)
    )  # numbered as in the dataset
    return Transcript(f"{dialogue.dialogue_id} \u00b7 {dialogue.system}", why, _goal(dialogue.goal), turns)


def _goal(items: Sequence[Mapping[str, Any]]) -> str:
    if not items:
        return ""
    first = [
        item for item in items if item["goal_index"] == min(goal_item["goal_index"] for goal_item in items)
    ]
    constraints = [f"{item['slot']} = {item['value']}" for item in first if item["kind"] == "constraint"]
    requests = [str(item["slot"]) for item in first if item["kind"] == "request"]
    parts = [", ".join(constraints), say("asked for: {slots}", slots=", ".join(requests)) if requests else ""]
    return say("Task: {goal}", goal="; ".join(part for part in parts if part))


def _redacted(text: str | None) -> str:
    return f"[{plural(len((text or '').split()), 'word')}]"
