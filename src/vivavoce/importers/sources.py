"""Calls of a corpus on disk: folders or tar archives in which each call is a folder of JSON files.

Archives are read member by member in memory: nothing is unpacked to disk, only regular files are read.
"""

import json
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from vivavoce.core.errors import InputError

ARCHIVES: Final = (".tar", ".tar.gz", ".tgz")
LARGEST_BYTES: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class FoundCall:
    """One call's files, by file name, and where they lie; `problem` when they could not all be read."""

    place: str
    folders: tuple[str, ...]
    files: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None


def count_calls(paths: Iterable[Path], names: tuple[str, ...]) -> int:
    """Number of calls from `find_calls`, broken ones included; an unreadable archive counts as one."""
    total = 0
    for path in _sources(paths):
        if path.is_dir():
            total += len(_call_folders(path, names))
            continue
        try:
            with tarfile.open(path, "r:*") as archive:
                total += len(
                    {PurePosixPath(member.name).parent for member in archive if _wanted(member, names)}
                )
        except (tarfile.TarError, OSError, EOFError):
            total += 1
    return total


def find_calls(paths: Iterable[Path], names: tuple[str, ...]) -> Iterator[FoundCall]:
    """Every folder, at any depth of folders or archives, that holds at least one of the named files.

    Raises  InputError: a path that does not exist or is neither a folder nor an archive
    """
    for path in _sources(paths):
        yield from _in_folder(path, names) if path.is_dir() else _in_archive(path, names)


def _sources(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield path
            yield from sorted(file for file in path.rglob("*") if file.is_file() and _is_archive(file))
        elif path.is_file() and _is_archive(path):
            yield path
        else:
            problem = "neither a folder nor a tar archive" if path.exists() else "file or folder not found"
            raise InputError(
                problem, place=str(path), hint="use a folder, or an archive " + ", ".join(ARCHIVES)
            )


def _is_archive(path: Path) -> bool:
    return path.name.endswith(ARCHIVES) and not path.name.startswith(".")


def _call_folders(path: Path, names: tuple[str, ...]) -> list[Path]:
    return sorted({file.parent for name in names for file in path.rglob(name) if file.is_file()})


def _in_folder(path: Path, names: tuple[str, ...]) -> Iterator[FoundCall]:
    root = path.resolve()
    for folder in _call_folders(root, names):
        contents: dict[str, bytes] = {}
        problem = None
        for name in names:
            try:
                contents[name] = (folder / name).read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                problem = f"cannot read {name}: {error.strerror}"
        place = str(path / folder.relative_to(root))
        yield _call(place, folder.parts, contents, names, problem)


def _in_archive(path: Path, names: tuple[str, ...]) -> Iterator[FoundCall]:
    outside = (
        *path.resolve().parts[:-1],
        path.name.removesuffix(".gz").removesuffix(".tgz").removesuffix(".tar"),
    )
    pending: dict[PurePosixPath, dict[str, bytes]] = {}
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                if not _wanted(member, names):
                    continue
                inside = PurePosixPath(member.name)
                contents = pending.setdefault(inside.parent, {})
                stream = archive.extractfile(member)
                contents[inside.name] = stream.read() if stream is not None else b""
                if len(contents) == len(names):
                    folder = inside.parent
                    yield _call(f"{path}:{folder}", outside + folder.parts, pending.pop(folder), names)
    except (tarfile.TarError, OSError, EOFError) as error:
        yield FoundCall(str(path), outside, problem=f"damaged archive: {first_line(error)}")
        return
    for folder, contents in pending.items():
        yield _call(f"{path}:{folder}", outside + folder.parts, contents, names)


def first_line(error: Exception) -> str:
    """Error of an archive, in one line: Python's message lists every kind of archive."""
    return str(error).partition("\n")[0].rstrip(":")


def _wanted(member: tarfile.TarInfo, names: tuple[str, ...]) -> bool:
    return member.isfile() and member.size <= LARGEST_BYTES and PurePosixPath(member.name).name in names


def _call(
    place: str,
    folders: tuple[str, ...],
    contents: dict[str, bytes],
    names: tuple[str, ...],
    problem: str | None = None,
) -> FoundCall:
    files: dict[str, Any] = {}
    for name in names:
        if problem is None and name not in contents:
            problem = f"{name} is missing"
        elif problem is None:
            try:
                files[name] = json.loads(contents[name])
            except ValueError as error:
                problem = f"{name} is not JSON: {error}"
    return FoundCall(place, folders, files, problem)
