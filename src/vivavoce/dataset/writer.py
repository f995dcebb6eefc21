"""A dataset written: rows are checked, hashed and laid into Parquet, many dialogues in buckets."""

from __future__ import annotations

import hashlib
import json
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.extras import later
from vivavoce.core.paths import copy_file, is_elsewhere, resolve_path
from vivavoce.core.result import installed_version
from vivavoce.core.statement import LocalizedText
from vivavoce.dataset.columns import columns_left_out, level_of
from vivavoce.dataset.declaration import frozen_revision, read_declaration, served_revisions
from vivavoce.dataset.exclusions import Row
from vivavoce.dataset.reader import (
    EXCLUSIONS,
    FORMAT,
    MANIFEST,
    WHOLE,
    Dataset,
    ParquetTable,
    check_free,
    excluded_rows,
    file_digest,
    first_seen,
    sum_digests,
    with_channel_facts,
)
from vivavoce.dataset.schema import SCHEMA_VERSION, TABLES

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    np = later("numpy")
    pa = later("pyarrow")
    pq = later("pyarrow.parquet")

BUCKET: Final = 20_000
"""Dialogues in a bucket."""
MOST: Final = 500
"""Buckets of a dataset, each of which is an open file while it is written; beyond it they hold more."""


def boundaries(keys: Iterable[str]) -> list[str]:
    """The first dialogue of each bucket but the first. Empty: one bucket holds all"""
    ordered = sorted(keys)
    size = max(BUCKET, -(-len(ordered) // MOST))
    return ordered[size::size]


def partition_table(path: Path, schema: pa.Schema, edges: Sequence[str]) -> None:
    """Write a table anew in buckets: a row group each, then one of the rows that are of no dialogue.

    Note  rows of a dialogue keep their order; one bucket at a time is held in memory
    """
    laid = path.with_name(path.name + ".laid")
    with tempfile.TemporaryDirectory(prefix=".buckets-", dir=path.parent) as folder:
        parts = [Path(folder) / str(number) for number in range(len(edges) + 2)]
        _part(path, schema, edges, parts)
        with pq.ParquetWriter(laid, schema, compression="zstd") as writer:
            for part in parts:
                rows = _read(part, schema)
                writer.write_table(rows.sort_by("dialogue_id"), row_group_size=max(1, len(rows)))
                part.unlink()
    laid.replace(path)


def _part(path: Path, schema: pa.Schema, edges: Sequence[str], parts: Sequence[Path]) -> None:
    """The rows of each bucket, those of no dialogue last, in a file of their own."""
    with ExitStack() as opened:
        writers = [opened.enter_context(pa.ipc.new_stream(str(part), schema)) for part in parts]
        for batch in pq.ParquetFile(path).iter_batches():
            for number, rows in _apart(pa.Table.from_batches([batch]).cast(schema), edges):
                writers[number].write_table(rows)


def _apart(batch: pa.Table, edges: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
    keys = batch["dialogue_id"].combine_chunks().dictionary_encode()
    numbers = [*(bisect_right(edges, key) for key in keys.dictionary.to_pylist()), len(edges) + 1]
    numbers_of = np.array(numbers)[keys.indices.fill_null(len(numbers) - 1).to_numpy(zero_copy_only=False)]
    order = np.argsort(numbers_of, kind="stable")
    values, begins = np.unique(numbers_of[order], return_index=True)
    ends = [*begins[1:].tolist(), len(numbers_of)]
    ordered = batch.take(order)
    for number, begin, end in zip(values.tolist(), begins.tolist(), ends, strict=True):
        yield number, ordered.slice(begin, end - begin)


def _read(part: Path, schema: pa.Schema) -> pa.Table:
    with pa.ipc.open_stream(str(part)) as stream:
        return stream.read_all().cast(schema)


BATCH_ROWS: Final = 50_000


class DatasetWriter:
    """Writes a dataset table by table; it exists only once `close` has written its manifest.

    The folder is a path, or an address of fsspec. Rows are mappings; a column left out is null. Use as a
    context manager: an exception leaves the folder as it was. The folder may exist and hold other files; a
    dataset in it is replaced only within `replacing()`.

    exclusions  rows of that table, as found elsewhere; None: they are made of what is written
    Raises  InputError: the folder holds a dataset, or a file that a table would replace
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        study: Mapping[str, Any],
        source: Mapping[str, Any],
        factors: Iterable[str] = (),
        exclusions: Sequence[Row] | None = None,
    ) -> None:
        self._into = self.folder = resolve_path(folder)
        check_free(self._into)
        if is_elsewhere(self._into):  # it is made here, and carried there when it is whole
            self._here = tempfile.TemporaryDirectory(prefix="vivavoce-dataset-")
            self.folder = Path(self._here.name)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._closed = False
        self._study, self._source, self._factors = dict(study), dict(source), tuple(factors)
        if "name" not in self._study:
            hint = "pass study={'name': ...}"
            raise InputError("a dataset needs the study's name", place=str(folder), hint=hint)
        self._exclusions, self._level = exclusions, level_of({"source": self._source})
        self._rows: dict[str, list[Mapping[str, Any]]] = {}
        self._columns: dict[str, list[pa.Table]] = {}
        self._schemas: dict[str, pa.Schema] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._hashes: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self.notes: list[LocalizedText | str] = []

    def name_factors(self, names: Iterable[str]) -> None:
        """The conditions, where they are known only now; before any row of `dialogues`."""
        self._factors = tuple(names)
        self._schemas.clear()

    def add(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows to a table; those of `exclusions` are made at the end, of what was written.

        Raises  UnknownName: a table or column that the schema does not have
        """
        self._check(table)
        if table != EXCLUSIONS:
            self._add(table, rows)

    def _check(self, table: str) -> None:
        if table not in TABLES:
            raise UnknownName("table", table, list(TABLES), place=str(self.folder))

    def _add(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        columns = set(self._schema(table).names)
        pending = self._rows.setdefault(table, [])
        for row in rows:
            if not row.keys() <= columns:
                strange = min(row.keys() - columns)
                raise UnknownName("column", strange, sorted(columns), place=f"table {table}")
            pending.append(row)
            if len(pending) >= BATCH_ROWS:
                self._set_columns(table)

    def _schema(self, table: str) -> pa.Schema:
        if table not in self._schemas:
            table_schema = TABLES[table]
            factors = self._factors if table == "dialogues" else ()
            self._schemas[table] = table_schema.arrow(
                factors, without=columns_left_out(table_schema, self._level)
            )
        return self._schemas[table]

    def add_table(self, table: str, rows: pa.Table) -> None:
        """Append rows that stand in columns, as `add` does.

        Raises  UnknownName: a table or column that the schema does not have
                InputError: cells of another type
        """
        self._check(table)
        schema = self._schema(table)
        if strange := sorted(set(rows.column_names) - set(schema.names)):
            raise UnknownName("column", strange[0], sorted(schema.names), place=f"table {table}")
        if table == EXCLUSIONS:
            return
        self._set_columns(table)
        present = set(rows.column_names)
        try:
            cells = [
                rows[field.name].cast(field.type)
                if field.name in present
                else pa.nulls(len(rows), field.type)
                for field in schema
            ]
        except (pa.ArrowException, ValueError) as error:
            problem = str(error).splitlines()[0]
            raise InputError(problem, place=f"table {table}", hint="give the schema's columns") from None
        self._pend(table, pa.table(cells, schema=schema))

    def _pend(self, table: str, rows: pa.Table) -> None:
        """Rows in columns wait until they are many; they are written in the order in which they came."""
        rows = with_channel_facts(rows) if table == "dialogues" else rows
        pending = self._columns.setdefault(table, [])
        pending.append(rows)
        if sum(map(len, pending)) >= BATCH_ROWS:
            concat_tables = pa.concat_tables(pending)
            full = len(concat_tables) - len(concat_tables) % BATCH_ROWS
            for begin in range(0, full, BATCH_ROWS):
                self._write(table, concat_tables.slice(begin, BATCH_ROWS))
            pending[:] = [concat_tables.slice(full)] if full < len(concat_tables) else []

    def _flush(self, table: str) -> None:
        self._set_columns(table)
        if pending := self._columns.pop(table, []):
            self._write(table, pa.concat_tables(pending))

    def _set_columns(self, table: str) -> None:
        rows = self._rows.get(table)
        if rows:
            schema, present = self._schema(table), set[str]().union(*rows)
            cells = [
                pa.array([row.get(field.name) for row in rows], field.type)
                if field.name in present
                else pa.nulls(len(rows), field.type)
                for field in schema
            ]
            self._pend(table, pa.table(cells, schema=schema))
            rows.clear()

    def _write(self, table: str, batch: pa.Table) -> None:
        for field in batch.schema:
            if not field.nullable and batch.column(field.name).null_count:
                raise InputError(
                    f"column {field.name!r} is null in a row",
                    place=f"table {table}",
                    hint="the schema requires it",
                )
        if table not in self._writers:
            self._writers[table] = pq.ParquetWriter(self._partial(table), batch.schema, compression="zstd")
        self._writers[table].write_table(batch)
        self._hashes[table] = (self._hashes.get(table, 0) + sum_digests(batch)) % WHOLE
        self._counts[table] = self._counts.get(table, 0) + len(batch)

    def close(self) -> Dataset:
        """Write what is pending and the manifest; only now is there a dataset."""
        for table in dict.fromkeys([*self._rows, *self._columns]):
            self._flush(table)
        self._close_files()
        self._write_exclusions()
        buckets = self._lay_in_buckets()
        tables = {
            name: {"rows": self._counts[name], "sha256": f"{self._hashes[name]:064x}"}
            for name in sorted(self._counts)
        }
        digest = hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:12]
        for name, facts in tables.items():
            facts["file_sha256"] = file_digest(self._partial(name))
        noted = [note.facts() for note in self.notes if isinstance(note, LocalizedText) and note.values]
        manifest = {
            "format": FORMAT,
            "schema_version": SCHEMA_VERSION,
            "vivavoce": installed_version(),
            "hash": digest,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "study": self._study,
            "source": self._source,
            "notes": list(map(str, self.notes)),
            **({"noted": noted} if noted else {}),
            **({"buckets": buckets} if buckets > 1 else {}),
            "tables": tables,
        }
        partial = self.folder / (MANIFEST + ".part")
        partial.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        (self.folder / MANIFEST).unlink(missing_ok=True)
        for name in TABLES:
            if name in tables:
                self._partial(name).replace(self.folder / f"{name}.parquet")
            else:
                (self.folder / f"{name}.parquet").unlink(missing_ok=True)
        partial.replace(self.folder / MANIFEST)
        if is_elsewhere(self._into):
            self._carry()
        self._closed = True
        return Dataset(self._into)

    def _carry(self) -> None:
        """To where it is to lie: first what was there is no dataset any more, at the end this one is."""
        for name in (MANIFEST, *(f"{table}.parquet" for table in TABLES)):
            (self._into / name).unlink(missing_ok=True)
        paths = [path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file()]
        for part in sorted(paths, key=lambda path_: path_ == Path(MANIFEST)):
            target = self._into / part.as_posix()
            target.parent.mkdir(parents=True, exist_ok=True)
            copy_file(self.folder / part, target)
        self._here.cleanup()

    def _partial(self, table: str) -> Path:
        return self.folder / f"{table}.parquet.part"

    def _write_exclusions(self) -> None:
        """Write the exclusions by the study's rules as a table for readers of the tables themselves."""
        if (excluded := self._exclusions) is None:
            served = served_revisions(self._study)
            if not served:
                return
            first = first_seen(at for (at,) in self._written("participants", ["first_seen_at"]))
            declared = read_declaration(frozen_revision(served, first)["file"])
            excluded = excluded_rows(self._written, declared.analysis.exclude, declared, self._factors)
        self._add(EXCLUSIONS, excluded)
        self._flush(EXCLUSIONS)
        self._close_files()

    def _written(self, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return ParquetTable(self._partial(table), self._schema(table)).rows(names)

    def _lay_in_buckets(self) -> int:
        """Large datasets lie in buckets of whole dialogues; how many there are."""
        edges = boundaries(key for (key,) in self._written("dialogues", ["dialogue_id"]))
        for name in self._counts if edges else ():
            if "dialogue_id" in (schema := self._schema(name)).names:
                partition_table(self._partial(name), schema, edges)
        return len(edges) + 1

    def _close_files(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def __enter__(self) -> DatasetWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and not self._closed:
            self.close()
        self._close_files()
        for name in TABLES:
            self._partial(name).unlink(missing_ok=True)
