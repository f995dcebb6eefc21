"""Verdicts and measures of one dialogue with their reasons, computed from its events as in an export."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.extras import require
from vivavoce.core.i18n import N_
from vivavoce.dashboard.board import Board
from vivavoce.dataset.schema import TABLES
from vivavoce.log.dialogue_rows import Readers, Row
from vivavoce.log.history import VisitHistory
from vivavoce.log.stimulus_rows import references
from vivavoce.study.model import Study

if TYPE_CHECKING:
    import pyarrow as pa

    from vivavoce.measures.success import Explanation, Goal


REASONS: Final = (  # reasons of `measures.success.outcomes` for leaving a dialogue out
    N_("no acts of the system are logged"),
    N_("system turns played by a wizard have no acts"),
    N_("no goal was assigned"),
    N_("the user's meaning is not labelled"),
    N_("no venue database"),
)


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """One goal and its outcome.

    assigned  the task's goal; else one that the participant turned out to pursue, from `first_turn` on
    code      S served, SN rightly said that there is nothing, F failed, void: nothing was asked for
    """

    assigned: bool
    goal: "Goal"
    code: str
    first_turn: int
    last_turn: int | None
    why: "Explanation"


@dataclass(frozen=True, slots=True)
class DialogueEvidence:
    """Verdicts on one dialogue, and its measures: title, value, unit.

    reasons  why success cannot be decided, in English sentences
    rule     whether the study has a database of its domain, by which success is decided at all
    """

    judged: list[GoalVerdict]
    reasons: list[str]
    measures: list[tuple[str, float, str]]
    rule: bool = True


@dataclass(eq=False)
class OneDialogue:
    """Rows of one dialogue, read like a dataset."""

    dialogue_id: str
    rows: dict[str, list[Row]] = field(default_factory=dict)

    def add(self, table: str, rows: Iterable[Row]) -> None:
        keyed = "dialogue_id" in {column.name for column in TABLES[table].columns}
        dialogue_rows = (row for row in rows if not keyed or row.get("dialogue_id") == self.dialogue_id)
        self.rows.setdefault(table, []).extend(dialogue_rows)

    def read(self, table: str, columns: Collection[str] | None = None) -> "pa.Table":
        """One table with the columns of its schema, or with those requested."""
        import pyarrow as pa

        names = [column.name for column in TABLES[table].columns]
        rows = [{name: row.get(name) for name in names} for row in self.rows.get(table, ())]
        table_rows = pa.Table.from_pylist(rows, TABLES[table].arrow(without=names))
        return table_rows if columns is None else table_rows.select(list(columns))

    def experts_first(self, flag: str) -> bool:
        return False

    @cached_property
    def hash(self) -> str:
        return self.dialogue_id


def gather(board: Board, study: Study, visit: VisitHistory, dialogue_id: str) -> OneDialogue:
    """Rows of a dialogue as in a dataset, without annotators' labels."""
    from vivavoce.annotation.parsers import parser_of
    from vivavoce.log.export import People, export_visit

    evidence = OneDialogue(dialogue_id)
    with board.log.reading() as connection:
        readers = Readers(parser_of(study), study.flags, references(connection))
    export_visit(evidence, visit, {dialogue_id: 1}, People(), readers)
    evidence.add("entities", study.entities() or ())
    return evidence


def evidence_of(board: Board, study: Study, visit: VisitHistory, dialogue_id: str) -> DialogueEvidence:
    """Verdict on each goal of a dialogue, with its reasons, and its measures.

    Raises  MissingExtra: the packages that compute measures are not installed
    """
    require("pyarrow")
    from vivavoce.measures import MEASURES
    from vivavoce.measures.compute import sums
    from vivavoce.measures.success import Venues, explain, outcomes, scored_turns

    rows: Any = gather(board, study, visit, dialogue_id)
    outcome, turns = outcomes(rows), scored_turns(rows, dialogue_id)
    venues = Venues.from_rows(rows.read("entities").to_pylist())
    judged = []
    if (task := outcome.assigned.get(dialogue_id)) is not None:
        why = explain(task.goal, turns, venues)
        judged.append(GoalVerdict(True, task.goal, "S" if task.served["last"] else "F", 0, None, why))
    for inference in outcome.inferred.get(dialogue_id, ()):
        why = explain(inference.goal, turns, venues, inference.last_turn)
        judged.append(
            GoalVerdict(False, inference.goal, inference.code, inference.first_turn, inference.last_turn, why)
        )
    reasons = [reason.split(":")[0] for reason in outcome.reasons]
    parts = sums(rows, MEASURES.names())
    values = zip(parts.measures, parts.numerators[:, 0], parts.denominators[:, 0], strict=True)
    measures = [
        (MEASURES.get(name).title, float(top / bottom), MEASURES.get(name).unit)
        for name, top, bottom in values
        if bottom > 0
    ]
    return DialogueEvidence(judged, reasons, measures, rule=bool(venues))
