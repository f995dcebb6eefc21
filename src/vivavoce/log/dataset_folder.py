"""The folder in which a dataset lies: its files read, and whether a new dataset may take its place."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.core.errors import InputError
from vivavoce.log.schema import TABLES

MANIFEST: Final = "dataset.json"
OF_STUDIES: Final = ("study.yaml", "log.sqlite")  # beside these no tables are mixed
ANEW: Final = "export or import it anew"


def read_parquet(path: Path) -> pa.Table:
    """A whole Parquet file.

    Raises  InputError: it is cut, damaged or no Parquet file
    """
    try:
        return pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].strip().rstrip(".")
        raise InputError(f"cannot be read as Parquet ({reason})", place=str(path), hint=ANEW) from None


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", place=str(path), hint=ANEW) from None
    if not isinstance(found, dict):
        raise InputError("is no manifest of a dataset", place=str(path), hint=ANEW)
    return found


_may_replace: ContextVar[bool] = ContextVar("may_replace", default=False)


def allow_replacing(allowed: bool) -> None:
    """Whether a new dataset may take the place of one that lies in its folder, from here on."""
    _may_replace.set(allowed)


def may_replace() -> bool:
    """Whether what is made may take the place of what was made there before."""
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
    found = next((name for name in TABLES if (folder / f"{name}.parquet").exists()), None)
    if found is not None:
        raise InputError(f"holds a file {found}.parquet already", place=str(folder), hint=name_another)


def _held(folder: Path) -> str:
    try:
        manifest = read_manifest(folder / MANIFEST)
        rows = manifest["tables"].get("dialogues", {}).get("rows", 0)
        return f"the dataset of {manifest['study']['name']} ({rows} dialogues)"
    except (InputError, KeyError, TypeError, AttributeError):
        return "a dataset"
