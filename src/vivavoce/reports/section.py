"""Sections of the report, the context that they share, and the report of a dataset composed of them."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from inspect import getfile
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from vivavoce.analysis.attributes import attribute_names
from vivavoce.analysis.declared import RATES, FrozenDeclaration, check_margin, declaration
from vivavoce.analysis.description import DatasetDescription, describe
from vivavoce.analysis.flow import exclusion_words
from vivavoce.analysis.scales import AnsweredScale, answered_scales
from vivavoce.analysis.summary import NO_DIALOGUE, summarise
from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.core.registry import Registry
from vivavoce.dataset.columns import Level, level_of
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.measures.compute import Group, groups, natural_grouping
from vivavoce.reports.blocks import MOST_FOREMOST, Block, Document, DocumentSection
from vivavoce.reports.drawing import Figure, marked
from vivavoce.reports.language import (
    count,
    instant,
    label,
    language,
    listed,
    plural,
    say,
    speaking,
    stated,
    with_words,
)
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


Found = TypeVar("Found")


class Section(ABC, Generic[Found]):
    """One section: what it computes, and how that is said in blocks.

    Whoever renders blocks (page, PDF, terminal, dashboard) knows no section. Words are written by
    `vivavoce.reports.language.say`, in English; other languages stand in `locale/<language>.po` beside the
    module, and a figure carries the mark of simulated trials by itself.

    name       as after `--sections`, and in addresses within the page
    order      sections stand by it; ours are at 100, 200, ...
    title      its heading, in English
    menu       what the page's index calls it; empty: the title
    needs      tables of the dataset that must each hold rows; else the section is left out, and never asked
    dashboard  whether the dashboard's page of results shows it too
    """

    name: ClassVar[str]
    order: ClassVar[int]
    title: ClassVar[str]
    menu: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]]
    dashboard: ClassVar[bool] = False

    @abstractmethod
    def results(self, material: AnalysisContext) -> Found | None:
        """Compute the results; None: the section is empty and left out."""

    @abstractmethod
    def blocks(self, results: Found) -> list[Block]:
        """Blocks for readers; [] leaves the section out."""

    @property
    def locale(self) -> Path:
        """The folder of its words in other languages."""
        return Path(getfile(type(self))).parent / "locale"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSummary:
    """A section's summary at the front of a report, independent of the chosen sections.

    lead      what the dataset holds, in a sentence; shown where it holds no dialogue
    question  what was asked; of several sections, the first one's is shown
    answer    the results in plain words
    meanings  what the words of the answer mean
    figure    of the measure that the answer speaks of; the first one's is shown
    before    what to know before trusting the numbers, what limits the answer most first
    """

    lead: str = ""
    question: str = ""
    answer: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    figure: Figure | None = None
    before: tuple[str, ...] = ()


class LeadingSection(Section[Found]):
    """A section that has something to say at the front, too."""

    @abstractmethod
    def front(self, results: Found) -> ReportSummary:
        """Front of the report."""


def _is_section(entry: Any) -> bool:
    return isinstance(entry, Section) and all(hasattr(entry, name) for name in ("order", "title", "needs"))


SECTIONS: Final[Registry[Section[Any]]] = Registry(
    "section", Section, fits=_is_section, needs="to be a Section with order, title, needs"
)


def sections_in_order() -> list[Section[Any]]:
    """All sections as they stand in a report."""
    return sorted((section for _, section in SECTIONS), key=lambda section: (section.order, section.name))


def words_of_sections() -> list[Path]:
    """The folders in which sections bring words of their own."""
    return [section.locale for _, section in SECTIONS]


Progress: TypeAlias = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class FilledSection:
    """A section with what it found."""

    section: Section[Any]
    results: Any

    def front(self, mark: str) -> ReportSummary:
        """Front of the section; a figure carries the mark."""
        if not isinstance(self.section, LeadingSection):
            return ReportSummary()
        with _asking(self.section), marked(mark):
            return self.section.front(self.results)

    def written(self, mark: str) -> DocumentSection | None:
        """Its blocks, with its titles in the report's language."""
        section = self.section
        with _asking(section), marked(mark):
            blocks = section.blocks(self.results)
            if not blocks:
                return None
            menu = say(section.menu or section.title)
            return DocumentSection(section.name, say(section.title), menu, tuple(blocks))


@contextmanager
def _asking(section: Section[Any]) -> Iterator[None]:
    """In the words of the section; what goes wrong in one of a package is told with its name."""
    package = type(section).__module__.partition(".")[0]
    with with_words(section.locale):
        try:
            yield
        except VivavoceError:
            raise
        except Exception as error:
            if package == "vivavoce":
                raise
            raise InputError(
                f"section {section.name!r} of {package} fails: {type(error).__name__}: {error}",
                hint="update or uninstall the package, or select other sections",
            ) from error


def fill(
    material: AnalysisContext, sections: list[Section[Any]], progress: Progress | None = None
) -> list[FilledSection]:
    """Those of the sections for which the dataset holds something, with what they found."""
    filled_sections: list[FilledSection] = []
    for number, section in enumerate(sections):
        if progress is not None:
            progress(number, len(sections), section.title)
        if all(map(material.holds, section.needs)):
            with _asking(section):
                results = section.results(material)
            if results is not None:
                filled_sections.append(FilledSection(section, results))
    return filled_sections


def fill_dashboard(material: AnalysisContext) -> list[FilledSection]:
    """The sections that the dashboard shows, and those that have something to say at the front of it."""
    sections = (
        section for section in sections_in_order() if section.dashboard or isinstance(section, LeadingSection)
    )
    return fill(material, list(sections))


def joined_front(fronts: Sequence[ReportSummary]) -> ReportSummary:
    """Join the fronts of sections: the first question and figure, every sentence once."""

    def each(texts_of: Callable[[ReportSummary], tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(sentence for front in fronts for sentence in texts_of(front)))

    return ReportSummary(
        lead=" ".join(front.lead for front in fronts if front.lead),
        question=next((front.question for front in fronts if front.question), ""),
        answer=each(lambda front: front.answer),
        meanings=each(lambda front: front.meanings),
        figure=next((front.figure for front in fronts if front.figure), None),
        before=each(lambda front: front.before),
    )


def compose(
    dataset: Dataset, options: ReportOptions | None = None, progress: Progress | None = None
) -> Document:
    """The report of a dataset; `progress` is told which section is worked on.

    Empty   a dataset without dialogues gives a report that says so
    Raises  UnknownName: no such grouping, language or section; InputError: a margin or half-width that
            nothing can have
    """
    options = options or ReportOptions()
    if options.margin is not None:
        check_margin(RATES, options.margin, place="--margin")
    if options.half_width is not None and not 0 < options.half_width < 1:
        hint = "use half the width of a CI, between 0 and 1, such as 0.05"
        raise InputError(f"half-width {options.half_width:g}", place="--half-width", hint=hint)
    for name in options.sections or ():
        SECTIONS.get(name, place="--sections")
    with speaking(options.language):
        return _document(AnalysisContext(dataset, options), progress)


def _document(material: AnalysisContext, progress: Progress | None) -> Document:
    summary, description, options = material.summary, material.description, material.options
    names = set(options.sections or SECTIONS.names())
    filled = fill(
        material,
        [
            section
            for section in sections_in_order()
            if section.name in names or isinstance(section, LeadingSection)
        ],
        progress,
    )
    front = joined_front([section.front(material.mark) for section in filled])
    lead = "" if summary.all.dialogues else front.lead
    doubts = _doubts(material, front, empty=bool(lead))
    sections = (section.written(material.mark) for section in filled if section.section.name in names)
    return Document(
        language=language(),
        study=summary.study,
        title=say("Evaluation report"),
        mark=material.mark,
        lead=lead or lead_sentence(summary, description),
        answer=front.answer,
        before=tuple(dict.fromkeys((*doubts, *map(stated, description.notes)))),
        foremost=min(MOST_FOREMOST, len(doubts)) or MOST_FOREMOST,
        cover=tuple(cover_lines(summary, description)),
        sections=tuple(section for section in sections if section is not None),
        data=summary.data,
        made=str(description.created_at or "")[:10],
        version=summary.vivavoce,
        words=frame_words(),
        command=options.command(),
        question=front.question,
        meanings=front.meanings,
        figure=front.figure,
    )


def _doubts(material: AnalysisContext, front: ReportSummary, *, empty: bool) -> tuple[str, ...]:
    """Cautions about the numbers, each once.

    What could not have come out and what sections doubt stand first, then what is odd about who was counted,
    then what the rules left out.
    """
    summary, dataset = material.summary, material.dataset
    warnings = [warning for warning in summary.warnings if not empty or warning != NO_DIALOGUE]
    left_out = [*dataset.what_is_lost, exclusion_words(dataset)]
    first = [warning for warning in warnings if warning in summary.out_of_reach]
    excluded = [warning for warning in warnings if warning in left_out]
    odd = [warning for warning in warnings if warning not in first and warning not in excluded]
    return tuple(
        dict.fromkeys(
            (
                *map(stated, first),
                *front.before,
                *map(stated, (*odd, *excluded)),
            )
        )
    )


def frame_words() -> dict[str, str]:
    """The frame's own phrases."""
    return {
        "skip": say("Skip to the report"),
        "programs": say("simulated participants, not people"),
        "sections": say("Sections"),
        "contents": say("Contents"),
        "question": say("Research question"),
        "answer": say("Summary in plain language"),
        "meanings": say("Terms"),
        "before": say("Warnings"),
        "more": say("{n} more"),
        "table": say("View as table"),
        "download": say("Download"),
        "signatures": say("Signatures of these numbers"),
        "all_signatures": say("Signatures"),
        "signatures_note": say(
            "Signature of each number: measure, settings, unit, n, dataset, version. A signature of "
            "several groups gives n for each group, with its name in brackets."
        ),
        "page": say("page"),
        "made": say("Made by Vivavoce {version} from dataset {data}"),
        "of": say("of {day}"),
        "again": say("To reproduce this report from the dataset:"),
        "report": say("report"),
    }
