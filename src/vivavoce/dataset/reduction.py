"""A dataset brought to a level: a copy without what the level leaves out, its instants moved."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.dataset.columns import Content, Table
from vivavoce.dataset.copying import Change, Row, copy_dataset
from vivavoce.dataset.levels import HOLDS, ORIGIN, Level, Treatment, columns_left_out, level_of, treatment
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES

README: Final = "README.md"
_OWNERS: Final = ("participant_id", "visit_id", "dialogue_id")
_START: Final = datetime.fromisoformat(ORIGIN)
Mend = Callable[[str, int, Row], Row]
"""A row of a table, by its place there, with its texts as they may be published."""


def reduce_dataset(
    dataset: Dataset,
    into: Path,
    level: Level,
    *,
    mend: Mend | None = None,
    study: Mapping[str, Any] | None = None,
    masked: int = 0,
) -> Dataset:
    """A copy of a dataset at a level, with a README that says what is in it.

    Input   mend: what becomes of the texts of a row; study: what the manifest says of the study, where it is
            not what it said; masked: places that `mend` replaced
    Note    what the study's rules exclude is taken over, as found on the whole dataset
    Raises  InputError: the dataset is of a lower level already, or lies in this folder
    """
    before = level_of(dataset.manifest)
    if before not in (Level.internal, level):
        hint = "take the dataset that it was made from"
        raise InputError(f"is of the level {before} already", place=str(dataset.folder), hint=hint)
    moves = _Moves.of(dataset.everything, level)
    changes: dict[str, Change] = {
        name: partial(_reduced, table=table, level=level, moves=moves, mend=mend)
        for name, table in TABLES.items()
    }
    reduced = copy_dataset(
        dataset,
        into,
        changes,
        source={"level": level.value, "masked": masked},
        study=_moved_study(study or dataset.manifest["study"], moves),
    )
    (reduced.folder / README).write_text(readme(reduced), encoding="utf-8")
    return reduced


@dataclass
class _Moves:
    """Shift of instants: the same for all, or one for each participant."""

    everybody: timedelta
    each: dict[str, timedelta] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: Dataset, level: Level) -> "_Moves":
        owners: dict[str, str] = {}
        first: dict[str | None, datetime] = {}
        rows = [(row, names) for row, names in _rows_with_instants(dataset)]
        for row, _ in rows:
            if (person := row.get("participant_id")) is not None:
                owners |= {key: person for name in _OWNERS if (key := row.get(name)) is not None}
        for row, names in rows:
            owner = _owner(row, owners)
            for at in (row[name] for name in names):
                if at is not None:
                    first[owner] = min(at, first.get(owner, at))
        start = dataset.first_participant or min(first.values(), default=_START)
        apart = treatment(Content.instant, level) is Treatment.apart
        starts = {who: at - _START for who, at in first.items() if who is not None} if apart else {}
        return cls(start - _START, starts, owners)

    def moved(self, row: Row, at: datetime) -> datetime:
        return at - self.each.get(_owner(row, self.owners) or "", self.everybody)


def _owner(row: Mapping[str, Any], owners: Mapping[str, str]) -> str | None:
    found_owners = (owners.get(row.get(name) or "") for name in _OWNERS)
    return next((owner for owner in found_owners if owner is not None), None)


def _rows_with_instants(dataset: Dataset) -> Iterator[tuple[Row, list[str]]]:
    for name, table in TABLES.items():
        instants = [column.name for column in table.columns if column.content is Content.instant]
        keys = [column.name for column in table.columns if column.name in _OWNERS]
        if instants:
            for row in dataset.columns(name, (*keys, *instants)):
                yield dict(zip((*keys, *instants), row, strict=True)), instants


def _reduced(
    rows: Iterator[Row], *, table: Table, level: Level, moves: _Moves, mend: Mend | None
) -> Iterator[Row]:
    nothing = dict.fromkeys(columns_left_out(table, level))
    instants = [column.name for column in table.columns if column.content is Content.instant]
    for place, row in enumerate(rows):
        at = {name: moves.moved(row, row[name]) for name in instants if row.get(name) is not None}
        mended = mend(table.name, place, row) if mend is not None else row
        yield {**mended, **at, **{name: None for name in nothing if name in row}}


def _moved_study(study: Mapping[str, Any], moves: _Moves) -> dict[str, Any]:
    """Study facts of the manifest, with the dates of its revisions shifted like all others."""
    moved = copy.deepcopy(dict(study))
    for revision in moved.get("revisions", []):
        if revision.get("seen_at"):
            revision["seen_at"] = (datetime.fromisoformat(revision["seen_at"]) - moves.everybody).isoformat()
    return moved


_README: Final = """# {study}: dataset, level {level}

`{level}` is one of the levels at which this study's data may be passed on; at this one

{treated}

Null everywhere, because the level leaves them out: {columns}.

{lost}

{rows}
"""


def readme(dataset: Dataset) -> str:
    """Readme of a reduced dataset, as Markdown."""
    level = level_of(dataset.manifest)
    out = [
        f"`{name}.{column}`" for name, table in TABLES.items() for column in columns_left_out(table, level)
    ]
    return _README.format(
        study=dataset.study,
        level=level,
        columns=", ".join(out),
        treated="\n".join(
            f"- {holds}: {treatment(content, level)};" for content, holds in HOLDS.items() if content
        ),
        lost="\n".join(f"- {sentence}" for sentence in dataset.what_is_lost),
        rows="\n".join(
            f"- `{name}.parquet`: {facts['rows']} rows, each {TABLES[name].row}"
            for name, facts in dataset.manifest["tables"].items()
            if name in TABLES
        ),
    )
