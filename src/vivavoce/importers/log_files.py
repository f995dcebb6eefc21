"""Files of a foreign log, in folders, archives or compressed: read in memory, never unpacked to disk."""

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.importers.fields import Fields, unread
from vivavoce.importers.sources import ARCHIVES

LARGEST_BYTES: Final = 2**30
ZIP: Final = ".zip"
GZ: Final = ".gz"
BROKEN: Final = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,
    NotImplementedError,
)
PASSED_OVER: Final = N_("{n} files of other types were ignored.")
REPEATED: Final = N_("{n} repeated records were left out.")
REPLACED: Final = N_("{n} records were replaced by their later versions.")
UNREAD: Final = N_("{n} fields of the first {records} records were not read: {which}")
MOST_NAMED: Final = 20
MOST_WATCHED: Final = 1000
"""Records of which the fields that nobody reads are counted: watching them all would slow large logs."""


class LogRecord(NamedTuple):
    """One object of a file: where it stands, a key of its own, what it is or why it is broken."""

    place: str
    key: str
    content: Any = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class LogFile:
    """One file: where it lies, its name among the others without an ending, what it holds.

    contents  the first objects that were read, of this file and the others
    """

    place: str
    name: str
    data: bytes = b""
    problem: str | None = None
    contents: list[Any] = field(default_factory=list)

    def text(self) -> str:
        """Read the text. Raises ValueError: it is no text in UTF-8, or in UTF-16 that says so"""
        if self.problem is not None:
            raise ValueError(self.problem)
        encoding = "utf-16" if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        try:
            return self.data.decode(encoding)
        except UnicodeDecodeError as error:
            at = f"byte {error.start}"
            raise ValueError(f"not UTF-8 text ({at}); save the file as UTF-8") from None

    def records(self) -> Iterator[LogRecord]:
        """The objects of a JSON or JSON Lines file: the items of a list, else one a line, else the whole."""
        for record in self._records():
            if len(self.contents) < MOST_WATCHED:
                self.contents.append(record.content)
            yield record

    def _records(self) -> Iterator[LogRecord]:
        try:
            text = self.text()
        except ValueError as error:
            yield LogRecord(self.place, self.name, problem=str(error))
            return
        content, problem = read_json(text, watched=True)
        lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if problem is None and isinstance(content, list):
            yield from (
                LogRecord(f"{self.place}[{n}]", f"{self.name}-{n + 1}", entry)
                for n, entry in enumerate(content)
            )
        elif problem is None and len(lines) > 0:
            yield LogRecord(self.place, self.name if len(lines) > 1 else f"{self.name}-1", content)
        elif sum(line.lstrip().startswith(("{", "[")) for _, line in lines) * 2 > len(lines) > 1:
            for number, line in lines:
                yield LogRecord(f"{self.place}:{number}", f"{self.name}-{number}", *self._read(line))
        elif lines:
            yield LogRecord(self.place, self.name, problem=f"neither JSON nor JSON Lines; {problem}")

    def _read(self, line: str) -> tuple[Any, str | None]:
        return read_json(line, watched=len(self.contents) < MOST_WATCHED)


@dataclass(slots=True)
class LogFiles:
    """All files of a log, in the order of paths and names.

    venues   venue database to check against
    mapping  file that says what the columns of tables are
    hashes   SHA-256 of the files that were read
    noted    what the importer found to be true of all of them, for the dataset's notes
    contents the first objects that were read
    counts   repeated records, by the sentence that tells them
    first    place of each record that has an identity, and a digest of its content
    """

    paths: list[Path]
    endings: tuple[str, ...]
    venues: Path | None = None
    mapping: Path | None = None
    hashes: list[str] = field(default_factory=list)
    passed_over: int = 0
    noted: list[LocalizedText | str] = field(default_factory=list)
    contents: list[Any] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[LogFile]:
        self.hashes, self.passed_over = [], 0
        for path in self.paths:
            for file in self._below(path):
                if file.problem is None:
                    self.hashes.append(hashlib.sha256(file.data).hexdigest())
                yield file

    def records(self, *keys: str) -> Iterator[LogRecord]:
        """The objects of all files; of those with the same key, in the first of these fields, one."""
        for file in self:
            for record in file.records():
                fields = record.content if isinstance(record.content, dict) else {}
                name = next((str(fields[key]) for key in keys if fields.get(key)), None)
                try:
                    if name is not None and self.is_repeat(record.place, f"record {name!r}", fields):
                        continue
                except ValueError as error:
                    record = record._replace(problem=str(error))
                yield record

    def is_repeat(self, place: str, name: str, content: Any, *, updates: bool = False) -> bool:
        """True if a record of this name was read before with the same content; repeats are counted.

        updates  the format says that a later record of the same name takes the place of an earlier one
        Raises  ValueError: one with other content was read before
        """
        digest = _digest(content)
        if name not in self.first:
            self.first[name] = (place, digest)
            return False
        before, known = self.first[name]
        if known == digest:
            self.counts[REPEATED] += 1
            return True
        if not updates:
            raise ValueError(f"{name} is also at {before}, with other content; keep one of them")
        self.counts[REPLACED] += 1
        self.first[name] = (place, digest)
        return False

    def notes(self) -> list[LocalizedText | str]:
        """What to know of this log, beside what was read: once all was read."""
        counts = Counter({PASSED_OVER: self.passed_over, **self.counts})
        told = [*self.noted, *(statement(sentence, n=n) for sentence, n in counts.items() if n)]
        if names := unread(self.contents):
            ordered = sorted(names.items(), key=lambda entry: (-entry[1], entry[0]))
            listed = [f"{name} ({n})" for name, n in ordered[:MOST_NAMED]]
            more = ["..."] * (len(ordered) > MOST_NAMED)
            told.append(
                statement(
                    UNREAD, n=len(ordered), records=len(self.contents), which=", ".join([*listed, *more])
                )
            )
        return told

    def _below(self, path: Path) -> Iterator[LogFile]:
        if path.is_dir():
            for file in sorted(candidate for candidate in path.rglob("*") if candidate.is_file()):
                inside = file.relative_to(path)
                if any(part.startswith(".") for part in inside.parts) or self._passes_over(file.name):
                    continue
                yield from self._of_file(file, str(inside))
        else:
            yield from self._of_file(path, path.name)

    def _passes_over(self, name: str) -> bool:
        wanted_type = name.lower().endswith(
            (*ARCHIVES, ZIP, *self.endings, *(ending + GZ for ending in self.endings))
        )
        self.passed_over += not wanted_type
        return not wanted_type

    def _of_file(self, path: Path, name: str) -> Iterator[LogFile]:
        try:
            if name.lower().endswith(ARCHIVES):
                yield from self._members(str(path), _tar_members(path))
            elif name.lower().endswith(ZIP):
                yield from self._members(str(path), _zip_members(path))
            else:
                with path.open("rb") as opened:
                    yield self._read(str(path), name, opened)
        except BROKEN as error:
            yield LogFile(str(path), name, problem=f"cannot read the file: {one_line(error)}")

    def _members(self, place: str, members: Iterable[tuple[str, io.BufferedIOBase]]) -> Iterator[LogFile]:
        for name, opened in members:
            if not PurePosixPath(name).name.startswith(".") and not self._passes_over(name):
                yield self._read(f"{place}:{name}", name, opened)

    def _read(self, place: str, name: str, opened: Any) -> LogFile:
        """A file's bytes, decompressed where its name says so; no more of them than memory can hold."""
        name = PurePosixPath(name).as_posix()
        try:
            stream = gzip.GzipFile(fileobj=opened) if name.lower().endswith(GZ) else opened
            data = stream.read(LARGEST_BYTES + 1)
        except BROKEN as error:
            return LogFile(place, _stem(name), problem=f"cannot read the file: {one_line(error)}")
        if len(data) > LARGEST_BYTES:
            return LogFile(
                place, _stem(name), problem=f"larger than {LARGEST_BYTES >> 20} MiB; split the file"
            )
        return LogFile(place, _stem(name), data, contents=self.contents)


def _stem(name: str) -> str:
    name = name.removesuffix(GZ)
    return name[: -len(end)] if (end := PurePosixPath(name).suffix) else name


def _tar_members(path: Path) -> Iterator[tuple[str, Any]]:
    with tarfile.open(path, "r:*") as archive:
        for member in archive:
            if member.isfile() and (opened := archive.extractfile(member)) is not None:
                yield member.name, opened


def _zip_members(path: Path) -> Iterator[tuple[str, Any]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                with archive.open(member) as opened:
                    yield member.filename, opened


# Made once: logs have a text a line.
_JSON: Final = json.JSONDecoder(parse_constant=lambda _: None)
_WATCHED: Final = json.JSONDecoder(object_pairs_hook=Fields, parse_constant=lambda _: None)


def _digest(content: Any) -> bytes:
    """Digest of a record, so that none is kept in memory; the order of its fields does not count."""
    facts = sorted(dict.items(content)) if isinstance(content, dict) else content
    return hashlib.blake2b(repr(facts).encode(errors="surrogatepass"), digest_size=16).digest()


def read_json(text: str, *, watched: bool = False) -> tuple[Any, str | None]:
    """Read JSON, or return the problem; numbers that JSON does not have are null.

    watched  objects remember which of their fields are read
    """
    try:
        return (_WATCHED if watched else _JSON).decode(text), None
    except RecursionError:
        return None, "nested too deeply"
    except ValueError as error:
        return None, f"not JSON: {one_line(error)}"


def one_line(error: Exception | str) -> str:
    """An error, or another text, in one line of limited length."""
    lines = str(error).splitlines()
    line = lines[0].rstrip(":. ") if lines else type(error).__name__
    return line if len(line) <= 200 else f"{line[:197]}..."
