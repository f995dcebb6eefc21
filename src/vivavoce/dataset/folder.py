"""The folder in which a dataset lies: its files read, and whether a new dataset may take its place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.extras import later
from vivavoce.dataset.schema import TABLES

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    np = later("numpy")
    pa = later("pyarrow")
    pq = later("pyarrow.parquet")

MANIFEST: Final = "dataset.json"
WHOLE: Final = 2**256
_encode: Final = json.JSONEncoder(default=str, sort_keys=True).encode
OF_STUDIES: Final = ("study.yaml", "log.sqlite")  # beside these no tables are mixed
EXPORT_AGAIN: Final = "export or import it again"


class ParquetTable:
    """A table's Parquet file, read as far as it is asked for; one that is not there has no rows.

    schema  where it is not there
    Raises  InputError: it is cut, damaged or no Parquet file
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path = path
        self._empty = None if path.is_file() else schema.empty_table()

    @cached_property
    def _file(self) -> pq.ParquetFile:
        with self._readable():
            return pq.ParquetFile(self.path if isinstance(self.path, Path) else self.path.open("rb"))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0].strip().rstrip(".")
            problem = f"cannot be read as Parquet ({reason})"
            raise InputError(problem, place=str(self.path), hint=EXPORT_AGAIN) from None

    @property
    def schema(self) -> pa.Schema:
        return self._file.schema_arrow if self._empty is None else self._empty.schema

    @property
    def count(self) -> int:
        """Number of rows."""
        return self._file.metadata.num_rows if self._empty is None else 0

    def read(
        self, columns: Collection[str] | None = None, *, bucket: int | None = None, of: int = 1
    ) -> pa.Table:
        """The whole table, or one of so many buckets of dialogues with the rows that are of no dialogue.

        Input   columns: those that are wanted; one that it lacks is left out
        """
        names = None if columns is None else [name for name in self.schema.names if name in columns]
        if self._empty is not None:
            return self._empty if names is None else self._empty.select(names)
        with self._readable():
            if bucket is None:
                return self._file.read(names)
            groups = [bucket, *range(of, self._file.metadata.num_row_groups)]
            return self._file.read_row_groups(groups, names)

    def rows(self, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Its rows of these columns, some at a time; null where it lacks one."""
        if self._empty is not None:
            return
        present = [name for name in self.schema.names if name in names]
        with self._readable():
            for batch in self._file.iter_batches(columns=present):
                nothing = [None] * len(batch)
                cells = (batch[name].to_pylist() if name in present else nothing for name in names)
                yield from zip(*cells, strict=True)


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sum_digests(table: pa.Table) -> int:
    """Sum of the SHA-256 of each row, as JSON with sorted keys, modulo `WHOLE`: order does not matter."""
    parts: list[str | list[str]] = ["{"]
    for number, name in enumerate(sorted(table.column_names)):
        cells = _encoded(f"{', ' * (number > 0)}{_encode(name)}: ", table.column(name))
        if isinstance(cells, str) and isinstance(parts[-1], str):
            parts[-1] += cells
        else:
            parts.append(cells)
    sha256, rows = hashlib.sha256, len(table)
    columns = zip(
        *(repeat(part, rows) if isinstance(part, str) else part for part in [*parts, "}"]), strict=True
    )
    digests = b"".join([sha256("".join(row).encode()).digest() for row in columns])
    words = np.frombuffer(digests, ">u4").reshape(rows, 8).sum(axis=0, dtype=np.uint64)
    return sum(int(word) << 32 * place for place, word in enumerate(words[::-1])) % WHOLE


def _encoded(key: str, column: pa.ChunkedArray) -> list[str] | str:
    """Each cell behind its key, or what all of them are; what a column has several times is encoded once."""
    if column.null_count == len(column):
        return f"{key}null"
    encoded = column.combine_chunks().dictionary_encode()
    texts = [*(key + _encode(value) for value in encoded.dictionary.to_pylist()), f"{key}null"]
    if len(texts) == 2 and not column.null_count:
        return texts[0]
    places = encoded.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
    return np.array(texts, dtype=object)[places].tolist()


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", place=str(path), hint=EXPORT_AGAIN) from None
    if not isinstance(manifest, dict):
        raise InputError("is no manifest of a dataset", place=str(path), hint=EXPORT_AGAIN)
    return manifest


_may_replace: ContextVar[bool] = ContextVar("may_replace", default=False)


def allow_replacing(allowed: bool) -> None:
    """Allow or forbid new datasets to replace one in their folder, from here on."""
    _may_replace.set(allowed)


def may_replace() -> bool:
    """True if a new dataset may replace one in its folder."""
    return _may_replace.get()


@contextmanager
def replacing() -> Iterator[None]:
    """Within this block a new dataset may take the place of one that lies in its folder."""
    token = _may_replace.set(True)
    try:
        yield
    finally:
        _may_replace.reset(token)


def check_free(folder: Path) -> None:
    if any((folder / name).exists() for name in OF_STUDIES):
        another = f"name another, such as {folder / 'dataset'}"
        raise InputError("this is a study's folder", place=str(folder), hint=another)
    if _may_replace.get():
        return
    name_another = "name another folder, or say --replace"
    if (folder / MANIFEST).exists():
        raise InputError(f"holds {_held(folder)} already", place=str(folder), hint=name_another)
    existing = next((name for name in TABLES if (folder / f"{name}.parquet").exists()), None)
    if existing is not None:
        raise InputError(f"holds a file {existing}.parquet already", place=str(folder), hint=name_another)


def _held(folder: Path) -> str:
    try:
        manifest = read_manifest(folder / MANIFEST)
        rows = manifest["tables"].get("dialogues", {}).get("rows", 0)
        return f"the dataset of {manifest['study']['name']} ({rows} dialogues)"
    except (InputError, KeyError, TypeError, AttributeError):
        return "a dataset"
