"""Which dialogues of a log the study's rules leave out, while the trial goes on."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from vivavoce.log.columns import FACTOR_PREFIX
from vivavoce.log.declaration import Declaration, frozen_revision, read_declaration
from vivavoce.log.dialogue_rows import Readers
from vivavoce.log.exclusions import Row, exclusion_rows
from vivavoce.log.export import People, export_visit
from vivavoce.log.models import DialogueRecord, VisitRecord
from vivavoce.log.queries import Reader
from vivavoce.study.exclusion import TRIVIAL


class LeftOut:
    """What the rules of a study leave out of its log, read anew only where something was logged since.

    file  text of the study file that counts where the log holds none
    """

    def __init__(self, log: Reader, study: str, file: str) -> None:
        self._log, self._study, self._file = log, study, file
        self._declared: Declaration | None = None
        self._read: dict[str, tuple[int, list[Row]]] = {}

    def dialogues(self) -> set[str]:
        """The dialogues that rules leave out now, those of people left out included."""
        declared = self._declaration()
        states = [one for one in self._log.dialogues(self._study) if one.started_at is not None]
        if not declared.analysis.exclude:
            return set()
        wanted = {one.visit_id for one in states if _may_be_out(one, declared)}
        visits = {one.visit_id: one for one in self._log.visits(self._study) if one.visit_id in wanted}
        rows = [row for visit in visits.values() for row in self._rows(visit, states, declared)]
        people = {row["participant_id"] for row in rows if row["dialogue_id"] is None}
        by_rule = {row["dialogue_id"] for row in rows}
        return {one.dialogue_id for one in states
                if one.dialogue_id in by_rule or one.participant_id in people}  # fmt: skip

    def _declaration(self) -> Declaration:
        """As it stood when the first participant came; once one has come it stays."""
        if self._declared is not None:
            return self._declared
        served = [{"file": one.file, "seen_at": one.seen_at.isoformat()}
                  for one in self._log.study_records(self._study)]  # fmt: skip
        first = min((one.opened_at for one in self._log.visits(self._study)), default=None)
        found = read_declaration(frozen_revision(served, first)["file"] if served else self._file)
        self._declared = found if first is not None else None
        return found

    def _rows(self, visit: VisitRecord, states: Sequence[DialogueRecord], declared: Declaration) -> list[Row]:
        known = self._read.get(visit.visit_id)
        if known is None or known[0] != visit.last_seq:
            gathered = _Gathered()
            people = People()
            history = self._log.history(visit.visit_id)
            export_visit(gathered, history, _numbers(visit, states), people, Readers(None, {}, {}))
            gathered.add("participants", people.rows())
            rows = exclusion_rows(
                gathered.columns, declared.analysis.exclude, declared.fewest_user_turns, gathered.factors,
                turns_known=any(one.user_turns for one in states),
            )  # fmt: skip
            known = self._read[visit.visit_id] = visit.last_seq, rows
        return known[1]


def _may_be_out(state: DialogueRecord, declared: Declaration) -> bool:
    """Whether the visit must be read: a dialogue with turns enough is not trivial, whatever else there is."""
    only_trivial = all(rule.fields == (TRIVIAL,) for rule in declared.analysis.exclude)
    return not only_trivial or state.user_turns < declared.fewest_user_turns


def _numbers(visit: VisitRecord, states: Iterable[DialogueRecord]) -> dict[str, int]:
    """The number of each dialogue of a visit among its participant's."""
    seen: Counter[str] = Counter()
    found: dict[str, int] = {}
    for state in states:
        seen[state.participant_id] += 1
        if state.visit_id == visit.visit_id:
            found[state.dialogue_id] = seen[state.participant_id]
    return found


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
        found = {name for row in self._tables["dialogues"] for name in row if name.startswith(FACTOR_PREFIX)}
        return [name.removeprefix(FACTOR_PREFIX) for name in found]
