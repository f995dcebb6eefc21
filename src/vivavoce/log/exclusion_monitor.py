"""Dialogues of a log that the study's rules exclude, while the trial goes on."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from vivavoce.dataset.columns import FACTOR_PREFIX
from vivavoce.dataset.declaration import Declaration, frozen_revision, read_declaration
from vivavoce.dataset.exclusions import Row, exclusion_rows
from vivavoce.log.dialogue_rows import Parser, Readers
from vivavoce.log.export import People, export_visit
from vivavoce.log.models import DialogueRecord, VisitRecord
from vivavoce.log.queries import Reader
from vivavoce.study.exclusion import OF_WORK, TRIVIAL


class LeftOut:
    """Exclusions by a study's rules in its log, read again only where something was logged since.

    file    text of the study file that counts where the log holds none
    parser  makes the study's parser, by which rules about `goal_pursued` go; None: there is none
    Note    rules about the quality of work hold people against each other: all are read anew, and only when
            another visit has ended
    """

    def __init__(
        self, log: Reader, study: str, file: str, parser: Callable[[], Parser | None] = lambda: None
    ) -> None:
        self._log, self._study, self._file, self._parser = log, study, file, parser
        self._declared: Declaration | None = None
        self._read: dict[str, tuple[int, list[Row]]] = {}
        self._of_all: tuple[set[str], list[Row]] = set(), []

    def dialogues(self) -> set[str]:
        """The dialogues that rules leave out now, those of people left out included."""
        declared = self._declaration()
        states = [
            dialogue for dialogue in self._log.dialogues(self._study) if dialogue.started_at is not None
        ]
        if not declared.analysis.exclude:
            return set()
        visits = list(self._log.visits(self._study))
        if any(set(rule.fields) & set(OF_WORK) for rule in declared.analysis.exclude):
            rows = self._rows_of_all(visits, states, declared)
        else:
            visit_ids = {state.visit_id for state in states if _may_be_out(state, declared)}
            rows = [
                row
                for visit in visits
                if visit.visit_id in visit_ids
                for row in self._rows(visit, states, declared)
            ]
        people = {row["participant_id"] for row in rows if row["dialogue_id"] is None}
        by_rule = {row["dialogue_id"] for row in rows}
        return {
            state.dialogue_id
            for state in states
            if state.dialogue_id in by_rule or state.participant_id in people
        }

    def _declaration(self) -> Declaration:
        """As it stood when the first participant came; once one has come it stays."""
        if self._declared is not None:
            return self._declared
        served = [
            {"file": study_record.file, "seen_at": study_record.seen_at.isoformat()}
            for study_record in self._log.study_records(self._study)
        ]
        first = min((visit.opened_at for visit in self._log.visits(self._study)), default=None)
        declaration = read_declaration(frozen_revision(served, first)["file"] if served else self._file)
        self._declared = declaration if first is not None else None
        return declaration

    def _rows(self, visit: VisitRecord, states: Sequence[DialogueRecord], declared: Declaration) -> list[Row]:
        cached = self._read.get(visit.visit_id)
        if cached is None or cached[0] != visit.last_seq:
            cached = self._read[visit.visit_id] = visit.last_seq, self._made([visit], states, declared)
        return cached[1]

    def _rows_of_all(
        self, visits: Sequence[VisitRecord], states: Sequence[DialogueRecord], declared: Declaration
    ) -> list[Row]:
        ended_visits = {visit.visit_id for visit in visits if visit.outcome is not None}
        if ended_visits != self._of_all[0]:
            self._of_all = ended_visits, self._made(visits, states, declared)
        return self._of_all[1]

    def _made(
        self, visits: Sequence[VisitRecord], states: Sequence[DialogueRecord], declared: Declaration
    ) -> list[Row]:
        rules = declared.analysis.exclude
        parse = self._parser() if any(rule.goal_pursued for rule in rules) else None
        gathered, people, readers = _Gathered(), People(), Readers(parse, {}, {})
        numbers = _numbers({visit.visit_id for visit in visits}, states)
        for visit in visits:
            export_visit(gathered, self._log.history(visit.visit_id), numbers, people, readers)
        gathered.add("participants", people.rows())
        return exclusion_rows(
            gathered.columns,
            rules,
            declared.fewest_user_turns,
            gathered.factors,
            turns_known=any(state.user_turns for state in states),
            quality=declared.quality,
        )


def _may_be_out(state: DialogueRecord, declared: Declaration) -> bool:
    """True if the visit must be read: a dialogue with enough turns is never trivial."""
    only_trivial = all(rule.fields == (TRIVIAL,) for rule in declared.analysis.exclude)
    return not only_trivial or state.user_turns < declared.fewest_user_turns


def _numbers(visits: Collection[str], states: Iterable[DialogueRecord]) -> dict[str, int]:
    """The number of each dialogue of these visits among its participant's."""
    seen: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    for state in states:
        seen[state.participant_id] += 1
        if state.visit_id in visits:
            numbers[state.dialogue_id] = seen[state.participant_id]
    return numbers


class _Gathered:
    """The rows of one visit, by table."""

    def __init__(self) -> None:
        self._tables: dict[str, list[Row]] = defaultdict(list)

    def add(self, table: str, rows: Iterable[Row]) -> None:
        self._tables[table] += rows

    def columns(self, table: str, names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
        return [tuple(row.get(name) for name in names) for row in self._tables[table]]

    @property
    def factors(self) -> list[str]:
        names = {name for row in self._tables["dialogues"] for name in row if name.startswith(FACTOR_PREFIX)}
        return [name.removeprefix(FACTOR_PREFIX) for name in names]
