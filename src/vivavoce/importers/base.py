"""Base of importers, and the loop over a log shared by all that give its rows item by item."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa

from vivavoce.core.errors import InputError
from vivavoce.core.executor import uncollected
from vivavoce.core.i18n import N_
from vivavoce.core.registry import Registry
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.columns import FACTOR_PREFIX
from vivavoce.dataset.reader import Dataset, check_free
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.items import ItemRows, LogItem, Row, columns_of
from vivavoce.importers.log_files import MOST_NAMED, LogFiles, one_line
from vivavoce.importers.venues import SELF_REPORTED, SelfReported, cambridge_slot, read_venues

Progress = Callable[[int, int], None]
Found = tuple[LogItem, ItemRows | InputError]
ABREAST: Final = 1000
"""Items whose rows are made into columns at once."""
PSEUDONYMS: Final = N_("Participant names are not stored; participants are numbered in log order.")


class ImportResult(NamedTuple):
    """The dataset, how many calls it holds, one line `place: problem` for each one left out, and a summary.

    summary  sentences on what else of the log is not in the dataset: repeated records, fields not read
    """

    dataset: Dataset
    calls: int
    skipped: list[str]
    summary: tuple[LocalizedText | str, ...] = ()


def by_reason(skipped: Iterable[str]) -> list[str]:
    """Lines `place: problem`, one a reason: of several alike how many, and the first of them.

    Note    what differs by a quoted value or a number alone is one reason
    """
    alike: dict[str, list[str]] = {}
    for line in skipped:
        reason = line.partition(": ")[2] or line
        alike.setdefault(_VALUE.sub("", reason), []).append(line)
    return [
        places[0] if len(places) == 1 else f"{len(places)} identical problems, the first at {places[0]}"
        for places in alike.values()
    ]


_VALUE: Final = re.compile(r"'[^']*'|\"[^\"]*\"|\S*\d\S*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One foreign format, by `rows(files)`: its items, each of which gives its rows when it is its turn.

    The loop over them is here: strictness, progress, what was left out, numbers of participants and of their
    dialogues, notes. An importer that wants another loop has `read(paths, into, *, venues, strict, progress)`
    in place of `rows`.

    endings  of the names of its files, where it is given folders or archives
    notes    what to know of every dataset that it makes
    venue_slot  what the dataset calls a slot of its venue database
    unit     what is counted when it has been read
    guess    drafts a mapping file for a log, where it needs one; else None
    """

    name: str
    title: str
    layout: str
    rows: Callable[[LogFiles], Iterable[LogItem]] | None = None
    read: Callable[..., ImportResult] | None = None
    endings: tuple[str, ...] = (".json", ".jsonl")
    notes: tuple[str, ...] = ()
    venues: bool = False
    venue_slot: Callable[[str], str] = cambridge_slot
    unit: str = "dialogues"
    guess: Callable[[LogFiles], str] | None = None

    def make_dataset(
        self,
        paths: list[Path],
        into: Path,
        *,
        venues: Path | None = None,
        mapping: Path | None = None,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> ImportResult:
        """Read a log; whoever imports comes by here.

        Raises  InputError: a path that is not there, a folder that holds a dataset, an option that is of no
                use here, or what `rows` or `read` refuses
        """
        self._check(paths, mapping)
        if self.read is not None:
            return self.read(paths, into, venues=venues, strict=strict, progress=progress)
        if self.rows is None:
            raise InputError(
                f"importer {self.name!r} implements neither rows nor read", hint="implement one of them"
            )
        if venues is not None and not self.venues:
            raise InputError(f"{self.name} does not use a venue database", place="--venues", hint="remove it")
        check_free(into)
        known_venues = read_venues(venues, rename=self.venue_slot) if venues is not None else None
        files = LogFiles(paths, self.endings, venues=venues, mapping=mapping)
        with uncollected():
            return self._read(files, into, known_venues, strict=strict, progress=progress)

    def _read(
        self,
        files: LogFiles,
        into: Path,
        venues: list[Row] | None,
        *,
        strict: bool,
        progress: Progress | None,
    ) -> ImportResult:
        assert self.rows is not None
        items = list(self.rows(files))
        if not items:
            where = ", ".join(map(str, files.paths))
            raise InputError("nothing to read", place=where, hint=f"expected {self.layout}")
        source = {"kind": self.name, "sha256": files.hashes, "venues": files.venues is not None}
        with DatasetWriter(into, study={"name": self.name}, source=source) as writer:
            reading = _Reading(writer)
            for begin in range(0, len(items), ABREAST):
                some = items[begin : begin + ABREAST]
                problems = reading.take([(item, _rows_of(item)) for item in some])
                if strict and problems:
                    raise problems[0]
                reading.skipped += map(str, problems)
                if progress is not None:
                    progress(begin + len(some), len(items))
            if not reading.taken:
                raise InputError(
                    f"cannot read any of {len(items)} items; first problem: {reading.skipped[0]}",
                    hint=f"expected {self.layout}",
                )
            summary = tuple(files.notes())
            reading.finish([*self.notes, *summary], venues)
            return ImportResult(writer.close(), reading.taken, reading.skipped, summary)

    def draft_mapping(self, paths: list[Path]) -> str:
        """A mapping file for a log, as YAML to be edited. Raises InputError: this format takes none."""
        if self.guess is None:
            raise InputError(f"{self.name} does not use a mapping", place="--guess", hint="remove it")
        self._check(paths, None)
        return self.guess(LogFiles(paths, self.endings))

    def _check(self, paths: list[Path], mapping: Path | None) -> None:
        for path in paths:
            if not path.exists():
                raise InputError("file or folder not found", place=str(path), hint=f"required: {self.layout}")
        if mapping is not None and self.guess is None:
            raise InputError(f"{self.name} does not accept a mapping", place="--mapping", hint="remove it")


class _Reading:
    """State after some of the items: rows go to the writer, dialogues wait to be numbered."""

    def __init__(self, writer: DatasetWriter) -> None:
        self.writer = writer
        self.taken = 0
        self.skipped: list[str] = []
        self._dialogues: dict[str, Row] = {}
        self._people: dict[str, Row] = {}
        self._entities: dict[tuple[str, str], Row] = {}
        self._lost: Counter[str] = Counter()
        self._offered = SelfReported()

    def take(self, found: Sequence[Found]) -> list[InputError]:
        """The rows of items, or why they are left out: all are looked at together, and where one does not
        fit, each half of them by itself, down to the one."""
        try:
            self._take(found)
        except InputError as problem:
            if len(found) == 1:
                return [problem]
            middle = len(found) // 2
            return [*self.take(found[:middle]), *self.take(found[middle:])]
        return []

    def _take(self, batch: Sequence[Found]) -> None:
        """All of these, or nothing.

        Raises  InputError: one is broken, or was there before
        """
        items, tables = list[ItemRows](), dict[str, list[Row]]()
        for _, rows in batch:
            if isinstance(rows, InputError):
                raise rows
            items.append(rows)
            for name, table_rows in rows.tables.items():
                if table_rows:
                    tables.setdefault(name, []).extend(table_rows)
        with _as_expected(batch[0][0].place):
            columns = {name: columns_of(name, rows) for name, rows in tables.items()}
        self._check_new(batch[0][0].place, items)
        tables_of_people = [name for name, table in columns.items() if "participant_id" in table.column_names]
        for item in items:
            self._lost += item.lost
            self._name_people(item, tables_of_people)
        self.taken += len(items)
        for row in tables.pop("dialogues", []):
            self._dialogues[row["dialogue_id"]] = row
        for row in tables.pop("entities", []):
            self._entities.setdefault((row["entity_id"], row["slot"]), row)
        self._offered.add_turns(tables.get("acts", []))
        for name in tables:
            if name != "participants":
                self.writer.add_table(name, self._renamed_column(columns[name]))

    def _check_new(self, place: str, items: Sequence[ItemRows]) -> None:
        """Raises  InputError: a dialogue was there before, or two items have it."""
        seen = set[str]()
        for item in items:
            keys = {row["dialogue_id"] for row in item.tables.get("dialogues", ())}
            if before := [key for key in keys if key in self._dialogues or key in seen]:
                problem = f"duplicate dialogue {before[0]}"
                raise InputError(problem, place=place, hint="pass each file once")
            seen |= keys

    def _name_people(self, item: ItemRows, tables: Sequence[str]) -> None:
        """People are numbered in the order in which the log names them, in these tables."""
        for row in item.tables.get("participants", ()):
            person = self._person(row["participant_id"])
            person |= {**row, **_key(person)}
        for name, rows in item.tables.items():
            if name in tables and name not in ("dialogues", "participants", "entities"):
                for row in rows:
                    self._renamed_key(row.get("participant_id"))

    def _renamed_key(self, who: str | None) -> str | None:
        return None if who is None else self._person(who)["participant_id"]

    def _renamed_column(self, rows: pa.Table) -> pa.Table:
        if "participant_id" not in rows.column_names:
            return rows
        place = rows.column_names.index("participant_id")
        keys = [self._renamed_key(who) for who in rows["participant_id"].to_pylist()]
        return rows.set_column(place, "participant_id", pa.array(keys, rows.schema.types[place]))

    def _renamed(self, row: Row) -> Row:
        who = row.get("participant_id")
        return dict(row) if who is None else {**row, **_key(self._person(who))}

    def _person(self, who: str) -> Row:
        number = len(self._people) + 1
        return self._people.setdefault(
            who, {"participant_id": f"participant-{number}", "pool": "corpus", "simulated": False}
        )

    def finish(self, notes: Iterable[LocalizedText | str], venues: list[Row] | None) -> None:
        """Number each participant's dialogues in order of time; write dialogues, people, notes."""
        numbers: Counter[str] = Counter()
        rows = [self._renamed(row) for row in self._dialogues.values()]
        for row in sorted(rows, key=_when):
            if (who := row.get("participant_id")) is not None:
                numbers[who] += 1
                row["dialogue_number"] = numbers[who]
        self._describe_people(rows)
        self.writer.name_factors(
            dict.fromkeys(
                name.removeprefix(FACTOR_PREFIX)
                for row in rows
                for name in row
                if name.startswith(FACTOR_PREFIX)
            )
        )
        self.writer.add("dialogues", rows)
        self.writer.add("participants", self._people.values())
        self.writer.add("entities", self._venues(venues))
        self.writer.notes.extend(notes)
        if self._people:
            self.writer.notes.append(PSEUDONYMS)
        self.writer.notes += [statement(sentence, n=n) for sentence, n in sorted(self._lost.items())]
        if self.skipped:
            reasons = by_reason(self.skipped)
            which = "; ".join(reasons[:MOST_NAMED]) + "; ..." * (len(reasons) > MOST_NAMED)
            note = statement("{n} items of the log were left out: {which}", n=len(self.skipped), which=which)
            self.writer.notes.append(note)

    def _venues(self, known_venues: list[Row] | None) -> Iterable[Row]:
        """The entities that a database tells, else the log, else the system itself."""
        if known_venues is not None or self._entities:
            return known_venues or self._entities.values()
        if self._offered.names:
            self.writer.notes.append(SELF_REPORTED)
        return self._offered.rows()

    def _describe_people(self, dialogues: list[Row]) -> None:
        """Describe participants by their dialogues, where the log has no description."""
        people = {row["participant_id"]: row for row in self._people.values()}
        for row in sorted(dialogues, key=_when):
            if (who := row.get("participant_id")) is not None:
                people[who]["simulated"] |= row["simulated"]
                for name, value in (("first_seen_at", row.get("started_at")), ("language", row["language"])):
                    people[who].setdefault(name, value)


def _key(person: Row) -> Row:
    return {"participant_id": person["participant_id"]}


def _when(row: Row) -> tuple[bool, datetime]:
    """By time; dialogues of which nobody knows when they began come last, in the order of the log."""
    at = row.get("started_at")
    return at is None, at or datetime.max.replace(tzinfo=UTC)


def _rows_of(item: LogItem) -> ItemRows | InputError:
    """Rows of an item, or its error."""
    rows = ItemRows()
    try:
        with _as_expected(item.place):
            if item.problem is not None:
                raise InputError(item.problem, place=item.place)
            item.read(rows)
            if not any(rows.tables.values()):
                raise InputError("the file is empty", place=item.place)
    except InputError as problem:
        return problem
    return rows


@contextmanager
def _as_expected(place: str) -> Iterator[None]:
    """Whatever is raised of a broken item becomes a line that says where. Raises InputError"""
    try:
        yield
    except KeyError as error:
        raise InputError(f"missing key {error}", place=place) from None
    except RecursionError:
        raise InputError("nested too deeply", place=place) from None
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise InputError(f"unexpected format: {one_line(error)}", place=place) from None


IMPORTERS: Final[Registry[Importer]] = Registry("format", Importer, group="vivavoce.importers")
