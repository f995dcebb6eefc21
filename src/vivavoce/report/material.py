"""What a report is made from: its options, and everything computed once for all sections."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce.report import prose
from vivavoce.stats.arena import has_votes, rank_systems
from vivavoce.stats.attributes import attribute_names
from vivavoce.stats.confidence import confidence_results, has_confidences
from vivavoce.stats.correlations import correlations
from vivavoce.stats.declared import declaration
from vivavoce.stats.description import describe
from vivavoce.stats.effort import effort
from vivavoce.stats.failures import typical_failures
from vivavoce.stats.flow import flow
from vivavoce.stats.groups import groups, natural_grouping
from vivavoce.stats.learning import learning
from vivavoce.stats.listening import has_listening, listening_results
from vivavoce.stats.opinion import opinion_against_record
from vivavoce.stats.preference_results import has_preferences, preference_results
from vivavoce.stats.releases import MARGIN, against
from vivavoce.stats.scales import answered_scales
from vivavoce.stats.stress import stress_results
from vivavoce.stats.summary import summarise
from vivavoce.stats.transcript_ratings import has_readings, rated_transcripts

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What a report shall hold.

    by           what to compare; None takes condition where there are factors, else system
    language     of the report's own words
    sections     names of SECTIONS in any order; None takes all
    transcripts  how many failed dialogues are shown turn by turn; `redact` hides what was said in them
    against      dataset of the last version; `margin` is the difference of a rate that counts as none
    hourly       what an hour of one person costs, for the cost of a judgement; `cost` what the study cost
    """

    by: str | None = None
    language: str = "en"
    sections: Sequence[str] | None = None
    transcripts: int = 0
    redact: bool = False
    against: Dataset | None = None
    margin: float | None = None
    hourly: float | None = None
    cost: float | None = None

    def command(self) -> str:
        """The command that makes such a report again; folders of datasets stand as words to be replaced."""
        words = ["vivavoce", "report", "DATASET", *(["--against", "LAST"] if self.against else [])]
        for option in ("by", "language", "margin", "transcripts", "cost", "hourly"):
            value = getattr(self, option)
            if value not in (None, 0) and (option, value) != ("language", "en"):
                words += [f"--{option}", f"{value:g}" if isinstance(value, float) else str(value)]
        words += ["--sections", ",".join(self.sections)] if self.sections else []
        return shlex.join([*words, *(["--redact"] if self.redact else [])])


@dataclass(frozen=True, slots=True)
class Material:
    """Everything computed, once, for all sections."""

    summary: dict[str, Any]
    description: dict[str, Any]
    declared: dict[str, Any] | None
    looks: list[dict[str, Any]]
    flow: dict[str, Any]
    learning: list[dict[str, Any]]
    correlations: list[dict[str, Any]]
    opinion: dict[str, Any] | None
    scales: list[dict[str, Any]]
    failures: list[dict[str, Any]]
    against: dict[str, Any] | None
    preferences: dict[str, Any] | None
    readings: dict[str, Any] | None
    listening: dict[str, Any] | None
    recognition: dict[str, Any] | None
    arena: dict[str, Any] | None
    effort: list[dict[str, Any]]
    stress: dict[str, Any] | None
    self_reported: bool
    has_file: bool
    redact: bool

    @property
    def declared_choices(self) -> list[dict[str, Any]]:
        """The declared comparisons of transcripts."""
        return self.summary["declared"]["choices"] if self.summary["declared"] else []

    @property
    def mark(self) -> str:
        """The mark of simulated trials, also where programs chose instead of talking."""
        beside = self.against is not None and self.against["old"]["simulated"]
        programs = self.summary["simulated"] or beside or any(one["simulated"] for one in self.compared)
        return prose.mark({"simulated": programs})

    @property
    def compared(self) -> list[dict[str, Any]]:
        """What people compared, instead of or besides holding dialogues."""
        found = (self.preferences, self.readings, self.listening, self.arena)
        return [one for one in found if one is not None]

    @property
    def compares(self) -> bool:
        return bool(self.compared)


def gather(dataset: Dataset, options: ReportOptions, tell: Progress) -> Material:
    """Everything that a report of this dataset needs, each thing computed once."""
    attribute = _attribute(dataset, options.by)
    by = options.by if options.by and attribute is None else natural_grouping(dataset)
    tell("measures")
    summary = summarise(dataset, by)
    tell("description")
    description = describe(dataset, by)
    found = groups(dataset, by)
    keys = {one: group.key for group in found for one in group.dialogue_ids}
    declared = declaration(dataset)
    declared_margin = declared["analysis"]["margin"] if declared else None
    margin = options.margin if options.margin is not None else declared_margin or MARGIN
    return Material(
        summary=summary,
        description=description,
        declared=declared,
        looks=dataset.read("looks").to_pylist(),
        flow=flow(dataset),
        learning=learning(dataset),
        correlations=correlations(dataset),
        opinion=opinion_against_record(dataset, found),
        scales=answered_scales(dataset, keys),
        failures=typical_failures(dataset, found, options.transcripts),
        against=against(dataset, options.against, by=by, margin=margin)
        if options.against and summary["all"]["dialogues"]
        else None,
        preferences=preference_results(dataset, by=attribute, cost=options.cost)
        if has_preferences(dataset)
        else None,
        readings=rated_transcripts(dataset) if has_readings(dataset) else None,
        listening=listening_results(dataset) if has_listening(dataset) else None,
        recognition=confidence_results(dataset, by) if has_confidences(dataset) else None,
        arena=rank_systems(dataset) if has_votes(dataset) else None,
        effort=effort([dataset, *([options.against] if options.against else [])], options.hourly),
        stress=stress_results(dataset) if dataset.path("stress").is_file() else None,
        self_reported="self_reported" in dataset.read("entities").column("source").to_pylist(),
        has_file=bool(dataset.manifest.get("study", {}).get("file")),
        redact=options.redact,
    )


def _attribute(dataset: Dataset, by: str | None) -> str | None:
    """What people are grouped by, where there are choices between transcripts and no dialogue."""
    if by is None or dataset.read("dialogues").num_rows or by not in attribute_names(dataset):
        return None
    return by
