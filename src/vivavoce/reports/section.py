"""A section of the report, and the shelf of those that installed packages offer, ours like anybody's."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import getfile
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.core.registry import Registry
from vivavoce.reports.blocks import Block, DocumentSection
from vivavoce.reports.context import AnalysisContext
from vivavoce.reports.drawing import Figure, marked
from vivavoce.reports.language import say, with_words

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
                hint="mend or uninstall the package, or choose other sections",
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
