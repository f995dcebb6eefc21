"""Context of a report: its options, results shared by several sections, and the title page."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from vivavoce.analysis.attributes import attribute_names
from vivavoce.analysis.declared import FrozenDeclaration, declaration
from vivavoce.analysis.description import DatasetDescription, describe
from vivavoce.analysis.scales import AnsweredScale, answered_scales
from vivavoce.analysis.summary import summarise
from vivavoce.dataset.columns import Level, level_of
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.measures.compute import Group, groups, natural_grouping
from vivavoce.reports.language import count, instant, label, listed, plural, say
from vivavoce.stats.summary_results import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """Content options of a report.

    by           what to compare; None takes condition where there are factors, else system
    language     of the report's own words
    sections     names of sections in any order; None takes all
    transcripts  how many failed dialogues are shown turn by turn; `redact` hides what was said in them
    against      dataset of the last version; `margin` is the difference of a rate that counts as none
    hourly       what an hour of one person costs, for the cost of a judgement; `cost` what the study cost
    population_costs  what each population cost in all, by name; half_width: of a rate's interval, whose cost
                 is told of each population
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
    population_costs: Mapping[str, float] | None = None
    half_width: float | None = None

    def command(self) -> str:
        """The command that makes such a report again; folders of datasets stand as words to be replaced."""
        words = ["vivavoce", "report", "DATASET", *(["--against", "LAST"] if self.against else [])]
        for option in ("by", "language", "margin", "half_width", "transcripts", "cost", "hourly"):
            value = getattr(self, option)
            if value not in (None, 0) and (option, value) != ("language", "en"):
                text = f"{value:g}" if isinstance(value, float) else str(value)
                words += [f"--{option.replace('_', '-')}", text]
        for name, value in (self.population_costs or {}).items():
            words += ["--cost", f"{name}={value:g}"]
        words += ["--sections", ",".join(self.sections)] if self.sections else []
        return shlex.join([*words, *(["--redact"] if self.redact else [])])


class AnalysisContext:
    """Material of sections: a dataset with the options, and results that several sections share.

    A section that needs more computes it from the dataset.
    """

    def __init__(self, dataset: Dataset, options: ReportOptions | None = None) -> None:
        self.dataset, self.options = dataset, options or ReportOptions()
        self._held: dict[str, bool] = {}

    def holds(self, table: str) -> bool:
        """True if a table of the dataset has rows. Raises UnknownName: there is no such table."""
        if table not in self._held:
            self._held[table] = self.dataset.read(table).num_rows > 0
        return self._held[table]

    @cached_property
    def attribute(self) -> str | None:
        """Attribute that groups people, where there are choices between transcripts and no dialogue."""
        by = self.options.by
        if by is None or self.holds("dialogues") or by not in attribute_names(self.dataset):
            return None
        return by

    @cached_property
    def by(self) -> str:
        """Attribute that groups dialogues."""
        by = self.options.by
        return by if by and self.attribute is None else natural_grouping(self.dataset)

    @cached_property
    def groups(self) -> list[Group]:
        return groups(self.dataset, self.by)

    @cached_property
    def summary(self) -> Summary:
        """Result of `analysis.summary`."""
        return summarise(self.dataset, self.by)

    @cached_property
    def description(self) -> DatasetDescription:
        """Result of `analysis.description`."""
        return describe(self.dataset, self.by)

    @cached_property
    def declared(self) -> FrozenDeclaration | None:
        """Declaration made in advance; None without a study file."""
        return declaration(self.dataset)

    @cached_property
    def scales(self) -> list[AnsweredScale]:
        """Answers by questionnaire, with scores."""
        keys = {dialogue_id: group.key for group in self.groups for dialogue_id in group.dialogue_ids}
        return answered_scales(self.dataset, keys)

    @cached_property
    def simulated(self) -> bool:
        """True if programs took part, here or in the last version."""
        datasets = [self.dataset, *([self.options.against] if self.options.against else [])]
        return any(map(_simulated, datasets))

    @property
    def mark(self) -> str:
        """The mark of simulated trials, in the language that is being written."""
        return simulation_mark(simulated=self.simulated)


def _simulated(dataset: Dataset) -> bool:
    tables = [
        name for name, table in TABLES.items() if any(column.name == "simulated" for column in table.columns)
    ]
    read = (rows for rows in map(dataset.read, tables) if "simulated" in rows.column_names)
    return any(any(rows.column("simulated").to_pylist()) for rows in read)


SIMULATED_MARK: Final = "SIMULATED"
MOST_LISTED: Final = 12


def simulation_mark(*, simulated: bool) -> str:
    """The word that every page and figure of a simulated trial carries; empty for people."""
    return say(SIMULATED_MARK) if simulated else ""


def lead_sentence(summary: Summary, description: DatasetDescription) -> str:
    """The report in one sentence under its title."""
    overall = summary.all
    if not overall.dialogues:
        if summary.excluded["dialogues"]:
            return say("All dialogues are excluded; there is nothing to report.")
        return say("The dataset has no dialogues yet.")
    people = (
        say("with {participants}", participants=plural(overall.participants, "participant"))
        if overall.participants
        else say("with participants unknown")
    )
    groups = plural(len(summary.by), summary.by_what.replace("_", " "))
    channels = listed([say(channel) for channel in description.channels])
    dialogues = plural(overall.dialogues, "dialogue")
    return f"{dialogues} {people}, {groups}, {channels}, {period(description)}."


def period(description: DatasetDescription) -> str:
    first, last = instant(description.started_at), instant(description.ended_at)
    if description.started_at is None:
        is_internal = level_of({"source": description.source}) is Level.internal
        return say("dates not recorded") if is_internal else say("dates left out")
    return first if first == last else say("{first} to {last}", first=first, last=last)


def cover_lines(summary: Summary, description: DatasetDescription) -> list[tuple[str, str]]:
    """The title page: what, who, when."""
    overall = summary.all
    facts = [
        (say("What"), tally(description.systems)),
        (
            say("Who"),
            plural(overall.participants, "participant")
            if overall.participants
            else say("participants unknown"),
        ),
        (say("When"), period(description)),
        (say("Dialogues"), count(overall.dialogues)),
        (say("Channel"), tally(description.channels, ours=True)),
        (say("Language"), tally(description.languages)),
        (say("Dataset"), summary.data),
    ]
    return [(term, text) for term, text in facts if text]


def tally(counts: Mapping[str, int], *, ours: bool = False) -> str:
    """`a (12), b (7)`; a long list's rest is only counted. `ours`: the names are the dataset's words."""
    write: Callable[[str], str] = say if ours else str
    items = [f"{write(label(name))} ({count(n)})" for name, n in list(counts.items())[:MOST_LISTED]]
    more = len(counts) - MOST_LISTED
    return ", ".join(items) + (" " + say("and {n} more", n=count(more)) if more > 0 else "")
