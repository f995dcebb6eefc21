"""`report`: a dataset's report, to be looked at in a notebook, or written as HTML, PDF or Word."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.api.opening import Rules, accepted, data_warnings, open_dataset, open_two
from vivavoce.api.wording import errors_in_python, in_python
from vivavoce.core.executor import working_on

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset
    from vivavoce.reports.blocks import Document
    from vivavoce.reports.section import Section

FRAME_PX = 640


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report that was composed and is not written yet.

    document  its sections as plain blocks
    warnings  what its numbers must not be read without, in sentences
    """

    document: "Document" = field(repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def answer(self) -> tuple[str, ...]:
        """Main results, in plain words."""
        return tuple(self.document.answer)

    @property
    def html(self) -> str:
        """One page that needs nothing else."""
        from vivavoce.reports.html import page

        return page(self.document)

    def linked(self, dashboard: str) -> "Report":
        """Report with links from its numbers to their dialogues on the dashboard at this address.

        Raises  InputError: this is no address of a page
        """
        from vivavoce.core.errors import InputError
        from vivavoce.dashboard.dialogue_query import address_of
        from vivavoce.reports.links import linked

        if not dashboard.startswith(("http://", "https://")):
            hint = "write the full address, such as http://127.0.0.1:8001"
            raise InputError(f"invalid dashboard address: {dashboard!r}", place="dashboard", hint=hint)
        scope = "simulated" if self.document.mark else "people"
        place = f"{dashboard.rstrip('/')}/{scope}"
        return replace(self, document=linked(self.document, partial(address_of, dashboard=place)))

    def save(self, path: Path | str) -> Path:
        """Write it as the name ends: .html, .pdf or .docx; a report that is there is replaced.

        Raises  InputError: the place cannot be written, or the name ends otherwise
        """
        from vivavoce.reports.html import save

        target = Path(path)
        require_file(target)
        return save(self.document, target)

    def save_figures(self, folder: Path | str) -> list[Path]:
        """Write its figures for slides: SVG and PNG, with their numbers as CSV and their Vega-Lite."""
        from vivavoce.reports.tables import write_figures

        return write_figures(self.document, Path(folder))

    def save_tables(self, folder: Path | str) -> list[Path]:
        """Write its tables as CSV and LaTeX."""
        from vivavoce.reports.tables import write_tables

        return write_tables(self.document, Path(folder))

    def __repr__(self) -> str:
        titles = ", ".join(section.title for section in self.document.sections)
        lines = [f"Report of {self.document.study}: {titles}", *self.answer, *self.warnings]
        return "\n".join(map(str, lines))

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{FRAME_PX}px;border:1px solid #8888"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}" title="report"></iframe>'


def report(
    dataset: "Dataset | Path | str",
    *,
    by: str | None = None,
    language: str = "en",
    sections: "Sequence[str | Section[Any]] | str | Section[Any] | None" = None,
    transcripts: int = 0,
    redact: bool = False,
    against: "Dataset | Path | str | None" = None,
    margin: float | None = None,
    cost: float | None = None,
    population_costs: Mapping[str, float] | None = None,
    half_width: float | None = None,
    hourly: float | None = None,
    dashboard: str | None = None,
    exclude: Rules = None,
    mixed: bool = False,
    engine: str | None = None,
) -> Report:
    """Compose a dataset's report, as `vivavoce report` does; `.save("report.html")` writes it.

    Input   by: what to compare; found out when left out. language: en or it. sections: only these, by name
            or object. transcripts: number of failed dialogues to show turn by turn; redact: hide their text.
            against: dataset of the last version; margin: loss of a rate that counts as none. cost, hourly:
            what a comparison of transcripts, and an hour of one person, cost. population_costs: what each
            population cost, by name; half_width: of a rate's interval whose cost is computed. dashboard:
            its address; numbers open their dialogues there. exclude, mixed, engine: as in `measure`
    Raises  InputError: no dataset, one of people and programs, or a section that there is not
    """
    from vivavoce.reports.section import SECTIONS

    with errors_in_python(), working_on(engine):
        opened, last = (
            (open_dataset(dataset, exclude, mixed=mixed), None)
            if against is None
            else open_two(dataset, against, exclude, mixed=mixed)
        )
        composition = composed(
            opened,
            last,
            by=by,
            language=language,
            transcripts=transcripts,
            redact=redact,
            margin=margin,
            cost=cost,
            population_costs=population_costs,
            half_width=half_width,
            hourly=hourly,
            sections=accepted(SECTIONS, sections),
        )
        composition = composition.linked(dashboard) if dashboard is not None else composition
    return Report(composition.document, tuple(map(in_python, composition.warnings)))


def composed(
    opened: "Dataset",
    last: "Dataset | None",
    progress: "Callable[[int, int, str], None] | None" = None,
    **options: object,
) -> Report:
    """Report on opened datasets; the command line writes it.

    progress  gets the number of finished sections, their total and the next title
    """
    from vivavoce.reports.section import ReportOptions, compose

    document = compose(opened, ReportOptions(against=last, **options), progress)  # type: ignore[arg-type]
    return Report(document, tuple(data_warnings(opened, last)))


def require_file(target: Path) -> None:
    """Raises InputError: a report cannot be written under this name."""
    from vivavoce.core.errors import InputError
    from vivavoce.reports.html import require_form

    if target.is_dir():
        raise InputError(
            "the path is a folder", place=str(target), hint="choose a file name, such as report.html"
        )
    require_form(target)
