"""Snapshots of the log as a dataset, made in the background for results and downloads."""

import copy
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import structlog

from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.core.extras import require
from vivavoce.core.i18n import N_
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.dialogue_query import address_of
from vivavoce.dashboard.language import language
from vivavoce.log.models import SIMULATED, TEAM, Scope

if TYPE_CHECKING:
    from vivavoce.analysis.declared import FrozenDeclaration
    from vivavoce.dashboard.verdicts import Verdicts
    from vivavoce.dataset.reader import Dataset
    from vivavoce.reports.blocks import DocumentSection
    from vivavoce.reports.drawing import Figure
    from vivavoce.reports.section import FilledSection, ReportSummary
    from vivavoce.stats.summary_results import Summary

STALE_AFTER: Final = timedelta(seconds=30)
VERDICTS: Final = ""  # key of the success labels among groupings
OF_TEAM: Final = N_("Preview visits by the team are not included in results or exports.")
FAILED: Final = N_("The results could not be computed. See the terminal output for the reason.")

Made = TypeVar("Made")
_report = structlog.get_logger("vivavoce.dashboard")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Dataset of people or programs up to a position of the log."""

    dataset: "Dataset"
    position: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Results:
    """Summary of a snapshot with sections of the report, or the reason for failure."""

    position: int
    at: datetime
    summary: "Summary | None"
    problem: str = ""
    found: "tuple[FilledSection, ...]" = ()
    simulated: bool = False
    declared: "FrozenDeclaration | None" = None
    _written: "dict[str, tuple[DocumentSection, ...]]" = field(default_factory=dict, compare=False)
    _fronts: "dict[str, ReportSummary]" = field(default_factory=dict, compare=False)

    @property
    def mark(self) -> str:
        """Mark of every figure with simulated data, in the reader's language."""
        from vivavoce.reports.section import simulation_mark

        return simulation_mark(simulated=self.simulated)

    def changed(self, file: str = "") -> str:
        """Ignored differences in later revisions of the study file; "" if none.

        Input  the file as it stands now: what was saved and not served yet counts as changed, too
        """
        from vivavoce.dataset.declaration import changed_settings, written_analysis
        from vivavoce.reports.declaration import changed_words

        if self.declared is None:
            return ""
        changed, now = set(self.declared.changed), written_analysis(file) if file else None
        if now is not None:
            changed |= {*changed_settings(self.declared.analysis, now)}
        return changed_words(sorted(changed))

    @property
    def lacks_margin(self) -> bool:
        """True if systems are compared without a margin, so that non-inferiority is not tested."""
        analysis = self.declared.analysis if self.declared else None
        return bool(analysis and analysis.primary and not analysis.margins)

    def sections(self) -> "tuple[DocumentSection, ...]":
        """Sections in the reader's language, rendered once per language; numbers link to dialogues.

        Raises  VivavoceError: a section of a package fails
        """
        from vivavoce.reports.links import linked_sections

        if language() not in self._written:
            rendered = (section.written(self.mark) for section in self.found if section.section.dashboard)
            sections = [section for section in rendered if section is not None]
            self._written[language()] = linked_sections(sections, address_of)
        return self._written[language()]

    def front(self) -> "ReportSummary":
        """Question and answer from the front of the report.

        Raises  VivavoceError: a section of a package fails
        """
        from vivavoce.reports.links import linked_figure
        from vivavoce.reports.section import joined_front

        if language() not in self._fronts:
            front = joined_front([section.front(self.mark) for section in self.found])
            figure = linked_figure(front.figure, address_of) if front.figure else None
            self._fronts[language()] = replace(front, figure=figure)
        return self._fronts[language()]

    def figures(self) -> "Iterator[Figure]":
        """Figures of the front and of the sections, in the reader's language.

        Raises  VivavoceError: a section of a package fails
        """
        from vivavoce.reports.blocks import blocks_of
        from vivavoce.reports.drawing import Figure

        front = self.front().figure
        blocks = (*([front] if front else []), *blocks_of(self.sections()))
        yield from (block for block in blocks if isinstance(block, Figure))


class Snapshots:
    """One worker with a snapshot per scope; pages wait only for results that they request."""

    def __init__(self, board: Board, folder: Path) -> None:
        self.board, self.folder = board, folder
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="desk-snapshot")
        self._snapshots: dict[Scope, Snapshot] = {}
        self._results: dict[tuple[Scope, str], Results] = {}
        self._verdicts: dict[Scope, Verdicts] = {}
        self._pending: dict[tuple[Scope, str], Future[None]] = {}

    def of(self, scope: Scope) -> "Snapshots":
        """Worker limited to people or programs."""
        view = copy.copy(self)
        view.board = self.board.of(scope)
        return view

    @property
    def scope(self) -> Scope:
        """Current scope; default as on a page."""
        return self.board.see(lambda board: board.scope or board.usual)

    def make(self, use: Callable[[Snapshot], Made]) -> Made:
        """Run `use` on an up-to-date snapshot, which stays unchanged meanwhile, and wait for it."""
        return self.submit(lambda: self.run(use)).result()

    def run(self, use: Callable[[Snapshot], Made]) -> Made:
        """Run `use` inside the worker."""
        return use(self._current(self.scope))

    def submit(self, work: Callable[[], Made]) -> Future[Made]:
        """Submit work in the reader's language."""
        return self._worker.submit(copy_context().run, work)

    def results(self, by: str, *, at_once: bool = False) -> tuple[Results | None, bool]:
        """Last known results of this grouping, and True if newer ones are being computed.

        Newer ones are begun when there are none, or when the log has moved on and they are older than half
        a minute, or `at_once`.
        """
        key = self.scope, by
        cached, computing = self._results.get(key), self.computing(by)
        if not computing and self._wanted(cached, at_once=at_once):
            self._pending[key] = self._worker.submit(self._summarise, *key)
            computing = True
        return cached, computing

    def computing(self, by: str) -> bool:
        """True if results of this grouping are being computed; starts nothing."""
        pending = self._pending.get((self.scope, by))
        return pending is not None and not pending.done()

    def verdicts(self) -> "tuple[Verdicts | None, bool]":
        """Last known success labels, and True if newer ones are being computed.

        Newer ones are begun as `results` begins them.
        """
        scope = self.scope
        if scope == TEAM:
            return None, False
        key = scope, VERDICTS
        cached, computing = self._verdicts.get(scope), self.computing(VERDICTS)
        if not computing and self._wanted(cached, at_once=False):
            self._pending[key] = self._worker.submit(self._judge, scope)
            computing = True
        return cached, computing

    def _judge(self, scope: Scope) -> None:
        from vivavoce.dashboard.page import DASHBOARD_PAGES
        from vivavoce.dashboard.verdicts import Verdicts, read_verdicts

        position, at = self.board.see(lambda board: board.position), self.board.log.clock.now()
        try:
            snapshot = self._current(scope)
            beside = {
                name: labels
                for _, page in DASHBOARD_PAGES
                for name, labels in page.rates(self.board.study, snapshot.dataset).items()
            }
            self._verdicts[scope] = read_verdicts(
                snapshot.dataset, scope, snapshot.position, snapshot.at, beside
            )
        except VivavoceError as error:
            self._verdicts[scope] = Verdicts(scope, position, at, [], {}, str(error))
        except Exception:
            _report.exception("verdicts_failed")
            self._verdicts[scope] = Verdicts(scope, position, at, [], {}, FAILED)

    def _wanted(self, cached: "Results | Verdicts | None", *, at_once: bool) -> bool:
        if self.nothing:
            return False
        if cached is None:
            return True
        if self.board.see(lambda board: board.position) == cached.position:
            return False
        return at_once or self.board.log.clock.now() - cached.at > STALE_AFTER

    @property
    def nothing(self) -> bool:
        """True if there are no visits at all."""
        visits_by_scope = self.board.see(lambda board: board.visits_by_scope)
        return not any(visits for scope, visits in visits_by_scope.items() if scope != TEAM)

    def close(self) -> None:
        """Finish running work and delete all data."""
        self._worker.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _current(self, scope: Scope) -> Snapshot:
        if scope == TEAM:
            raise InputError(OF_TEAM)
        require("pyarrow", "scipy")
        from vivavoce.annotation.parsers import parser_of
        from vivavoce.dataset.reader import replacing
        from vivavoce.log.export import export_dataset

        board, study = self.board, self.board.study
        position = board.see(lambda board: board.position)
        cached = self._snapshots.get(scope)
        if cached is None or cached.position != position:
            at = board.log.clock.now()
            parse = parser_of(study)
            with replacing():
                dataset = export_dataset(
                    board.log,
                    study.name,
                    self.folder / scope,
                    domain_entities=study.entities(),
                    parse=parse,
                    flags=study.flags,
                    simulated=scope == SIMULATED,
                )
            cached = self._snapshots[scope] = Snapshot(dataset, position, at)
        return cached

    def _summarise(self, scope: Scope, by: str) -> None:
        position, at = self.board.see(lambda board: board.position), self.board.log.clock.now()
        try:
            snapshot = self._current(scope)
            from vivavoce.reports.section import AnalysisContext, ReportOptions, fill_dashboard

            position, at = snapshot.position, snapshot.at
            material = AnalysisContext(snapshot.dataset, ReportOptions(by=by))
            filled = tuple(fill_dashboard(material))
            results = Results(
                position,
                at,
                material.summary,
                found=filled,
                simulated=material.simulated,
                declared=material.declared,
            )
            self._judge(scope)  # success labels, because numbers link to their dialogues
            results.front()
            results.sections()  # rendered now, so that a failure is reported as the reason
            self._results[scope, by] = results
        except VivavoceError as error:
            self._results[scope, by] = Results(position, at, None, str(error))
        except Exception:
            _report.exception("results_failed", by=by)
            self._results[scope, by] = Results(position, at, None, FAILED)
