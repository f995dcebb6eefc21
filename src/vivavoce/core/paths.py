"""Locations of data: fsspec addresses, or paths on this machine."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.extras import require

_ADDRESS: Final = re.compile(r"([a-z][a-z0-9+.-]+):/{1,2}(?=[^/])(.*)", re.DOTALL)


def resolve_path(where: Path | str) -> Path:
    """A path as it is; an address such as s3://bucket/calls as a path of its file system.

    Note    an address that was read as a path has lost a slash (s3:/bucket/calls): it is one all the same,
            unless there is such a folder here
    Raises  MissingExtra, InputError: what reads such addresses is not installed, or there is no such kind
    """
    if not isinstance(where, Path | str):
        return where  # of another file system already
    parts = address_parts(where)
    if parts is None:
        return Path(where)
    require("upath")
    import upath

    try:
        path: Any = upath.UPath(f"{parts[0]}://{parts[1]}")
        _ = path.fs  # the file system is loaded here
    except (ImportError, ValueError, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        hint = (
            "install the package that fsspec needs for it, such as `pip install s3fs`, and check its settings"
        )
        raise InputError(reason, place=f"{parts[0]}://{parts[1]}", hint=hint) from None
    return path


def address_parts(where: Path | str) -> tuple[str, str] | None:
    """Kind of file system and what is behind the slashes; None for a path of this machine."""
    matched = _ADDRESS.fullmatch(str(where))
    return None if matched is None or Path(where).exists() else (matched[1], matched[2])


def is_elsewhere(where: Path) -> bool:
    """True if a path is on another file system than this machine's."""
    return not isinstance(where, Path)


def is_same(one: Path | str, other: Path | str) -> bool:
    """True if two paths or addresses are the same place."""
    return resolve_path(one).resolve() == resolve_path(other).resolve()


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, wherever either of them lies."""
    with source.open("rb") as read, target.open("wb") as sink:
        shutil.copyfileobj(read, sink, 1 << 24)


@contextmanager
def brought_here(file: Path) -> Iterator[Path]:
    """A file for those who read files of this machine alone: itself, or a copy that is gone afterwards."""
    if not is_elsewhere(file):
        yield file
        return
    with TemporaryDirectory(prefix="vivavoce-file-") as folder:
        copy_file(file, Path(folder) / file.name)
        yield Path(folder) / file.name


@contextmanager
def made_here(file: Path) -> Iterator[Path]:
    """Local path for writers that need one: the path itself, or a copy that is uploaded at the end."""
    if not is_elsewhere(file):
        yield file
        return
    with TemporaryDirectory(prefix="vivavoce-file-") as folder:
        yield Path(folder) / file.name
        copy_file(Path(folder) / file.name, file)
