"""The dataset: a folder of Parquet tables and `dataset.json`, the waist between the two wings."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.signature import installed_version
from vivavoce.log.schema import FACTOR_PREFIX, SCHEMA_VERSION, TABLES

MANIFEST: Final = "dataset.json"
FORMAT: Final = "vivavoce-dataset"
BATCH_ROWS: Final = 50_000
WHOLE: Final = 2**256


class Dataset:
    """A dataset on disk, opened for reading.

    Every table of the schema can be read; one that the dataset lacks has no rows.

    Raises  InputError: no dataset at this path, or one of a newer schema
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        if not path.is_file():
            raise InputError(
                f"no {MANIFEST} here",
                place=str(self.folder),
                cure=_how_to_get_one(self.folder),
            )
        self.manifest = _manifest(path)
        if self.manifest.get("format") != FORMAT or self.manifest.get("schema_version", 0) > SCHEMA_VERSION:
            raise InputError(
                f"not a dataset of schema {SCHEMA_VERSION} or older",
                place=str(path),
                cure="read it with the version of vivavoce that wrote it",
            )

    @cached_property
    def hash(self) -> str:
        """Twelve hexadecimal digits over the content of all tables, whatever the order of their rows.

        Tables that were changed since the dataset was written give other digits than it was written with.
        """
        if not self.changed:
            return self.manifest["hash"]
        now = {name: _bytes_of(self.path(name)) for name in TABLES if self.path(name).is_file()}
        both = json.dumps([self.manifest["hash"], now], sort_keys=True)
        return hashlib.sha256(both.encode()).hexdigest()[:12]

    @cached_property
    def changed(self) -> list[str]:
        """Tables whose files are no longer those that were written; older datasets do not tell."""
        told = self.manifest.get("tables", {})
        if any("file_sha256" not in facts for facts in told.values()):
            return []
        found = {name: _bytes_of(self.path(name)) for name in TABLES if self.path(name).is_file()}
        written = {name: facts["file_sha256"] for name, facts in told.items()}
        return [name for name in TABLES if found.get(name) != written.get(name)]

    @property
    def study(self) -> str:
        return self.manifest["study"]["name"]

    @cached_property
    def simulated(self) -> bool:
        """True when any dialogue was held by a program."""
        return any(self.read("dialogues").column("simulated").to_pylist())

    @cached_property
    def factors(self) -> list[str]:
        """Names of the conditions, without prefix."""
        names = self.read("dialogues").column_names
        return [name.removeprefix(FACTOR_PREFIX) for name in names if name.startswith(FACTOR_PREFIX)]

    def path(self, table: str) -> Path:
        """Where a table's Parquet file lies, or would lie."""
        if table not in TABLES:
            raise UnknownName("table", table, list(TABLES), place=str(self.folder))
        return self.folder / f"{table}.parquet"

    def read(self, table: str) -> pa.Table:
        """One whole table; an absent one has the schema's columns and no rows."""
        path = self.path(table)
        return pq.read_table(path) if path.is_file() else TABLES[table].arrow().empty_table()


def _bytes_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _row_digest(row: Mapping[str, Any]) -> int:
    text = json.dumps(row, default=str, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _how_to_get_one(folder: Path) -> str:
    if (folder / "study.yaml").is_file():
        return f"this is a study: `vivavoce export {folder} --into results`, then name results"
    return "make a dataset with `vivavoce export` or `vivavoce import`"


def _manifest(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", place=str(path), cure="export it anew") from None
    if not isinstance(found, dict):
        raise InputError("is no manifest of a dataset", place=str(path), cure="export it anew")
    return found


class DatasetWriter:
    """Writes a dataset table by table; it exists only once `close` has written its manifest.

    Rows are mappings; a column left out is null. Use as a context manager: an exception leaves no manifest.
    The folder may exist and hold other files; an older dataset in it is replaced.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        study: Mapping[str, Any],
        source: Mapping[str, Any],
        factors: Iterable[str] = (),
    ) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._study, self._source, self._factors = dict(study), dict(source), tuple(factors)
        if "name" not in self._study:
            cure = "pass study={'name': ...}"
            raise InputError("a dataset needs the study's name", place=str(folder), cure=cure)
        self._rows: dict[str, list[Mapping[str, Any]]] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._hashes: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self.notes: list[str] = []
        (self.folder / MANIFEST).unlink(missing_ok=True)
        for name in TABLES:
            (self.folder / f"{name}.parquet").unlink(missing_ok=True)

    def add(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows to a table.

        Raises  UnknownName: a table or column that the schema does not have
        """
        if table not in TABLES:
            raise UnknownName("table", table, list(TABLES), place=str(self.folder))
        known = set(self._schema(table).names)
        pending = self._rows.setdefault(table, [])
        for row in rows:
            if not row.keys() <= known:
                strange = min(row.keys() - known)
                raise UnknownName("column", strange, sorted(known), place=f"table {table}")
            pending.append(row)
            if len(pending) >= BATCH_ROWS:
                self._flush(table)

    def _schema(self, table: str) -> pa.Schema:
        return TABLES[table].arrow(self._factors if table == "dialogues" else ())

    def _flush(self, table: str) -> None:
        rows = self._rows.get(table)
        if not rows:
            return
        schema = self._schema(table)
        batch = pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema)
        for field in schema:
            if not field.nullable and batch.column(field.name).null_count:
                raise InputError(
                    f"column {field.name!r} is null in a row",
                    place=f"table {table}",
                    cure="the schema requires it",
                )
        if table not in self._writers:
            path = self.folder / f"{table}.parquet"
            self._writers[table] = pq.ParquetWriter(path, schema, compression="zstd")
        self._writers[table].write_table(batch)
        # a sum, so that the order of rows does not matter, and a row that is there twice still counts
        total = self._hashes.get(table, 0) + sum(map(_row_digest, batch.to_pylist()))
        self._hashes[table] = total % WHOLE
        self._counts[table] = self._counts.get(table, 0) + len(rows)
        rows.clear()

    def close(self) -> Dataset:
        """Write what is pending and the manifest; only now is there a dataset."""
        for table in list(self._rows):
            self._flush(table)
        self._close_files()
        tables = {
            name: {"rows": self._counts[name], "sha256": f"{self._hashes[name]:064x}"}
            for name in sorted(self._counts)
        }
        whole = hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:12]
        for name, facts in tables.items():
            facts["file_sha256"] = _bytes_of(self.folder / f"{name}.parquet")
        manifest = {
            "format": FORMAT,
            "schema_version": SCHEMA_VERSION,
            "vivavoce": installed_version(),
            "hash": whole,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "study": self._study,
            "source": self._source,
            "notes": self.notes,
            "tables": tables,
        }
        partial = self.folder / (MANIFEST + ".part")
        partial.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        partial.replace(self.folder / MANIFEST)
        return Dataset(self.folder)

    def _close_files(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def __enter__(self) -> "DatasetWriter":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and not (self.folder / MANIFEST).exists():
            self.close()
        self._close_files()
