"""A dataset copied with some of its rows changed."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from vivavoce.core.errors import InputError
from vivavoce.core.paths import is_same
from vivavoce.core.statement import LocalizedText
from vivavoce.dataset.columns import Level, level_of
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.dataset.writer import BATCH_ROWS, DatasetWriter

Row = dict[str, Any]
Change = Callable[[Iterator[Row]], Iterable[Row]]


def copy_dataset(
    dataset: Dataset,
    into: Path,
    changes: Mapping[str, Change],
    *,
    source: Mapping[str, Any] | None = None,
    study: Mapping[str, Any] | None = None,
    notes: Sequence[LocalizedText | str] = (),
) -> Dataset:
    """A copy of all of a dataset, also of what its rules leave out.

    Input   changes: by table, what becomes of its rows, which come a batch at a time; source, notes: what the
            manifest says beside what it said; study: what it says of the study in place of what it said
    Note    what is excluded is found anew, but in a copy for others, which may lack what rules ask for
    Raises  InputError: the copy would lie over the dataset itself
    """
    dataset = dataset.everything
    if is_same(into, dataset.folder):
        raise InputError(
            "a dataset cannot be written over itself", place=str(into), hint="choose a new folder"
        )
    provenance = dataset.manifest.get("source", {}) | dict(source or {})
    excluded = (
        None if level_of({"source": provenance}) is Level.internal else Dataset(dataset.folder).exclusions
    )
    facts = {"study": study or dataset.manifest["study"], "source": provenance, "exclusions": excluded}
    with DatasetWriter(into, **facts, factors=dataset.factors) as writer:
        for name in TABLES:
            batches = dataset.read(name).to_batches(max_chunksize=BATCH_ROWS)
            rows = chain.from_iterable(batch.to_pylist() for batch in batches)
            writer.add(name, changes[name](rows) if name in changes else rows)
        writer.notes += [*dataset.notes, *notes]
        return writer.close()


def select_dialogues(
    dataset: Dataset, dialogues: Collection[str], into: Path, *, note: LocalizedText
) -> Dataset:
    """A copy with these dialogues alone, and what else their participants did and said.

    Note  rows about another dialogue are left out; tables that are of no dialogue and nobody stay whole
    """
    table = dataset.everything.read("dialogues").select(["dialogue_id", "participant_id"])
    people = {
        who for dialogue_id, who in zip(*table.to_pydict().values(), strict=True) if dialogue_id in dialogues
    }

    def kept(row: Row) -> bool:
        row_dialogues = [
            row[name] for name in ("dialogue_id", "other_dialogue_id") if row.get(name) is not None
        ]
        return (
            all(dialogue_id in dialogues for dialogue_id in row_dialogues)
            if row_dialogues
            else row.get("participant_id") in people
        )

    def change(rows: Iterator[Row]) -> Iterable[Row]:
        return (row for row in rows if kept(row))

    keyed = {"dialogue_id", "participant_id"}
    names = [table.name for table in TABLES.values() if keyed & {column.name for column in table.columns}]
    return copy_dataset(dataset, into, dict.fromkeys(names, change), notes=[note])
