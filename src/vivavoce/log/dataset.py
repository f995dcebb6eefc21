"""The dataset: a folder of Parquet tables and `dataset.json`, the waist between the two wings."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.signature import installed_version
from vivavoce.core.statement import Statement
from vivavoce.log.columns import Columns
from vivavoce.log.dataset_folder import ANEW, MANIFEST, check_free, file_digest, read_manifest, read_parquet
from vivavoce.log.declaration import UNSAID, Declaration, frozen_revision, read_declaration, served_revisions
from vivavoce.log.exclusions import Row, exclusion_counts, exclusion_rows, running_dialogues
from vivavoce.log.levels import Level, columns_left_out, level_of, what_is_lost
from vivavoce.log.schema import FACTOR_PREFIX, SCHEMA_VERSION, TABLES
from vivavoce.study.exclusion import NONE, Exclusion, read_rules, unknown_names

FORMAT: Final = "vivavoce-dataset"
BATCH_ROWS: Final = 50_000
WHOLE: Final = 2**256
EXCLUSIONS: Final = "exclusions"


class Dataset:
    """A dataset on disk, opened for analysis: `read` gives the tables without what is excluded.

    Every table of the schema can be read; one that the dataset never had has no rows.

    exclude  rules that leave dialogues and people out, such as `user_turns < 2`, or `none`; None: those of
             its study file, frozen when the first participant came (trivial dialogues where it says nothing;
             nothing where there is no study file)
    Raises   InputError: no dataset at this path, one of a newer schema, or one of which files are missing; a
             rule that nobody knows; on reading, a table that is damaged
    """

    def __init__(self, folder: Path | str, *, exclude: Sequence[Exclusion | str] | str | None = None) -> None:
        self.folder = Path(folder)
        self._all = False
        self._asked = None if exclude is None else read_rules(exclude)
        path = self.folder / MANIFEST
        if not path.is_file():
            raise InputError(
                f"no {MANIFEST} here",
                place=str(self.folder),
                hint=_how_to_get_one(self.folder),
            )
        self.manifest = read_manifest(path)
        if self.manifest.get("format") != FORMAT or self.manifest.get("schema_version", 0) > SCHEMA_VERSION:
            raise InputError(
                f"not a dataset of schema {SCHEMA_VERSION} or older",
                place=str(path),
                hint="read it with the version of vivavoce that wrote it",
            )
        if not isinstance(self.manifest.get("study"), dict) or "name" not in self.manifest["study"]:
            raise InputError("names no study", place=str(path), hint=ANEW)
        for name, facts in self.manifest.get("tables", {}).items():
            if not (self.folder / f"{name}.parquet").is_file():
                raise InputError(
                    f"is missing, and held {facts['rows']} rows when the dataset was written",
                    place=str(self.folder / f"{name}.parquet"),
                    hint=f"put it back, or {ANEW}",
                )

    def __repr__(self) -> str:
        held = ", ".join(f"{n} {noun}{'s'[: n != 1]}" for noun, n in self.holdings().items())
        return f"<Dataset {self.study} in {str(self.folder)!r}: {held or 'nothing'}>"

    @cached_property
    def hash(self) -> str:
        """Twelve hexadecimal digits over the content of all tables, whatever the order of their rows.

        Then what is made of them here: the rules of exclusion, and flags in which experts come first.
        Tables that were changed since the dataset was written give other digits than it was written with.
        """
        return "|".join([self._digits(), *self._ways()])

    def _ways(self) -> Iterator[str]:
        if self._asked is not None or self.declaration is not None:
            yield f"exclude:{'; '.join(rule.text for rule in self.rules) or NONE}"
        flags = self.declaration.analysis.flags if self.declaration is not None else {}
        if first := sorted(name for name, whose in flags.items() if whose == "experts"):
            yield f"experts:{','.join(first)}"

    def _digits(self) -> str:
        if not self.changed:
            return self.manifest["hash"]
        now = {name: file_digest(self.path(name)) for name in TABLES if self.path(name).is_file()}
        both = json.dumps([self.manifest["hash"], now], sort_keys=True)
        return hashlib.sha256(both.encode()).hexdigest()[:12]

    @cached_property
    def changed(self) -> list[str]:
        """Tables whose files are no longer those that were written; older datasets do not tell."""
        told = self.manifest.get("tables", {})
        if any("file_sha256" not in facts for facts in told.values()):
            return []
        found = {name: file_digest(self.path(name)) for name in TABLES if self.path(name).is_file()}
        written = {name: facts["file_sha256"] for name, facts in told.items()}
        return [name for name in TABLES if found.get(name) != written.get(name)]

    @property
    def notes(self) -> list[Statement]:
        """What whoever wrote the dataset noted; the manifest has those with values under `noted`, too."""
        noted = {str(one): one for one in map(Statement.read, self.manifest.get("noted", ()))}
        return [noted.get(one, Statement(one)) for one in self.manifest.get("notes", ())]

    @property
    def level(self) -> Level:
        """For whom it is; what was left out for that."""
        return level_of(self.manifest)

    @property
    def what_is_lost(self) -> list[Statement]:
        """What cannot be computed from it because of its level, and why."""
        return what_is_lost(self.level, self.manifest.get("source", {}).get("masked", 0))

    @property
    def study(self) -> str:
        return self.manifest["study"]["name"]

    @cached_property
    def simulated(self) -> bool:
        """True when a program held a dialogue, or visited and did something else."""
        tables = (self.read(name) for name in ("dialogues", "participants"))
        return any(any(table.column("simulated").to_pylist()) for table in tables)

    @cached_property
    def factors(self) -> list[str]:
        """Names of the conditions, without prefix."""
        names = self._whole("dialogues").column_names
        return [name.removeprefix(FACTOR_PREFIX) for name in names if name.startswith(FACTOR_PREFIX)]

    def check_rules(self) -> None:
        """Rules that were asked for name only what the dataset holds.

        Raises  InputError: one names a system, language, factor or question that is not there
        """
        held = self._whole("dialogues")
        known = {name: _values(held, name) for name in ("system", "language")}
        factors = {name: _values(held, FACTOR_PREFIX + name) for name in self.factors}
        items = _values(self._whole("ratings"), "item_id")
        for rule in self._asked or ():
            for _, problem, hint in unknown_names(rule, known, factors, items):
                raise InputError(f"{rule.text!r}: {problem}", place="--exclude", hint=hint)

    def holdings(self) -> dict[str, int]:
        """How much there is of everything that is counted, in the order of the tables; zeros are left out."""
        found: dict[str, int] = {}
        for table in TABLES.values():
            if table.counted and (rows := self.read(table.name)).num_rows:
                units = rows.group_by(list(table.unit)).aggregate([]) if table.unit else rows
                found[table.counted] = units.num_rows
        return found

    def path(self, table: str) -> Path:
        """Where a table's Parquet file lies, or would lie."""
        if table not in TABLES:
            raise UnknownName("table", table, list(TABLES), place=str(self.folder))
        return self.folder / f"{table}.parquet"

    def read(self, table: str) -> pa.Table:
        """One table without what is excluded; one that was never written has its columns and no rows."""
        found = self._whole(table)
        if table == EXCLUSIONS or not (self.exclusions or self.running):
            return found
        from pyarrow.compute import field as field_of  # slow to load, and needed here alone

        for column, left_out in (("dialogue_id", self._dialogues_out), ("participant_id", self._people_out)):
            if left_out and column in found.column_names:
                found = found.filter(~field_of(column).isin(left_out))
        return found

    def columns(self, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of a table, of these columns alone, also of what is excluded; null where it lacks one."""
        return iter(_columns_of(self._whole)(table, names))

    def _whole(self, table: str) -> pa.Table:
        path = self.path(table)
        return read_parquet(path) if path.is_file() else TABLES[table].arrow().empty_table()

    @cached_property
    def everything(self) -> "Dataset":
        """The same dataset with nothing left out: for copies, and for counts of what is."""
        made = Dataset(self.folder, exclude=())
        made._all = True
        return made

    @cached_property
    def declaration(self) -> Declaration | None:
        """What its study file declared when the first participant came; None without a study file."""
        served = served_revisions(self.manifest.get("study", {}))
        if not served:
            return None
        return read_declaration(frozen_revision(served, self.first_participant)["file"])

    def experts_first(self, flag: str) -> bool:
        """Whether experts' word counts before the log's, of a flag of turns; as the study declared it."""
        declared = self.declaration
        return declared is not None and any(
            name == flag and whose == "experts" for name, whose in declared.analysis.flags.items()
        )

    @cached_property
    def first_participant(self) -> datetime | None:
        """When the first participant came; None where that is not known."""
        return _first_seen(self._whole("participants"))

    @cached_property
    def rules(self) -> tuple[Exclusion, ...]:
        """The rules that leave dialogues and people out here."""
        if self._asked is not None:
            return self._asked
        return tuple(self.declaration.analysis.exclude) if self.declaration is not None else ()

    @cached_property
    def exclusions(self) -> list[Row]:
        """What is left out here, and by which rule: rows of the table `exclusions`.

        Raises  InputError: a rule needs what the dataset's level leaves out
        """
        if self._asked is None and self.level is not Level.internal:
            return self._whole(EXCLUSIONS).to_pylist()
        if self.level is Level.public and any(rule.copies is not None for rule in self.rules):
            raise InputError(
                "`copies` cannot be told from a public dataset: it does not say who came first",
                place=str(self.folder), hint="exclude by it in the internal or a shareable one",
            )  # fmt: skip
        return _excluded(self._whole, self.rules, self.declaration, self.factors)

    @cached_property
    def excluded(self) -> dict[str, Any]:
        """How much is left out here.

        Output  dialogues, of (all that ended), people (with all that they did), rules: one {rule,
                dialogues, people} each in their order, also where nothing meets it; a dialogue counts under
                the first rule that it meets
        """
        ended = len(self._whole("dialogues")) - len(self.running)
        return exclusion_counts(self.exclusions, self.rules, ended)

    @cached_property
    def running(self) -> set[str]:
        """Dialogues under way when it was exported: neither analysed nor excluded."""
        return set() if self._all else running_dialogues(_columns_of(self._whole))

    @cached_property
    def _dialogues_out(self) -> list[str]:
        out = [row["dialogue_id"] for row in self.exclusions if row["dialogue_id"] is not None]
        return [*out, *sorted(self.running)]

    @cached_property
    def _people_out(self) -> list[str]:
        return [row["participant_id"] for row in self.exclusions if row["dialogue_id"] is None]


def _values(table: pa.Table, column: str) -> list[str]:
    return sorted({str(one) for one in table.column(column).to_pylist() if one is not None})


def _first_seen(participants: pa.Table) -> datetime | None:
    seen = participants.column("first_seen_at").to_pylist()
    return min((at for at in seen if at is not None), default=None)


def _excluded(
    whole: Callable[[str], pa.Table], rules: Sequence[Exclusion], declaration: Declaration | None,
    factors: Iterable[str],
) -> list[Row]:  # fmt: skip
    fewest, quality = (
        (declaration.fewest_user_turns, declaration.quality) if declaration is not None else (UNSAID, None)
    )
    return exclusion_rows(_columns_of(whole), rules, fewest, factors, quality=quality)


def _columns_of(whole: Callable[[str], pa.Table]) -> Columns:
    def columns(table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        found = whole(table)
        nothing = [None] * len(found)
        return zip(*(found[name].to_pylist() if name in found.column_names else nothing for name in names),
                   strict=True)  # fmt: skip

    return columns


def _row_digest(row: Mapping[str, Any]) -> int:
    text = json.dumps(row, default=str, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _how_to_get_one(folder: Path) -> str:
    if (folder / "study.yaml").is_file():
        return f"this is a study: `vivavoce export {folder} --into results`, then name results"
    return "make a dataset with `vivavoce export` or `vivavoce import`"


class DatasetWriter:
    """Writes a dataset table by table; it exists only once `close` has written its manifest.

    Rows are mappings; a column left out is null. Use as a context manager: an exception leaves the folder as
    it was. The folder may exist and hold other files; a dataset in it is replaced only within `replacing()`.

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
        self.folder = Path(folder)
        check_free(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._closed = False
        self._study, self._source, self._factors = dict(study), dict(source), tuple(factors)
        if "name" not in self._study:
            hint = "pass study={'name': ...}"
            raise InputError("a dataset needs the study's name", place=str(folder), hint=hint)
        self._exclusions, self._level = exclusions, level_of({"source": self._source})
        self._rows: dict[str, list[Mapping[str, Any]]] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._hashes: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self.notes: list[Statement | str] = []

    def name_factors(self, names: Iterable[str]) -> None:
        """The conditions, where they are known only now; before any row of `dialogues`."""
        self._factors = tuple(names)

    def add(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows to a table; those of `exclusions` are made at the end, of what was written.

        Raises  UnknownName: a table or column that the schema does not have
        """
        if table not in TABLES:
            raise UnknownName("table", table, list(TABLES), place=str(self.folder))
        if table == EXCLUSIONS:
            return
        self._add(table, rows)

    def _add(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
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
        known = TABLES[table]
        factors = self._factors if table == "dialogues" else ()
        return known.arrow(factors, without=columns_left_out(known, self._level))

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
                    hint="the schema requires it",
                )
        if table not in self._writers:
            self._writers[table] = pq.ParquetWriter(self._partial(table), schema, compression="zstd")
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
        self._write_exclusions()
        tables = {
            name: {"rows": self._counts[name], "sha256": f"{self._hashes[name]:064x}"}
            for name in sorted(self._counts)
        }
        whole = hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:12]
        for name, facts in tables.items():
            facts["file_sha256"] = file_digest(self._partial(name))
        noted = [one.facts() for one in self.notes if isinstance(one, Statement) and one.values]
        manifest = {
            "format": FORMAT,
            "schema_version": SCHEMA_VERSION,
            "vivavoce": installed_version(),
            "hash": whole,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "study": self._study,
            "source": self._source,
            "notes": list(map(str, self.notes)),
            **({"noted": noted} if noted else {}),
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
        self._closed = True
        return Dataset(self.folder)

    def _partial(self, table: str) -> Path:
        return self.folder / f"{table}.parquet.part"

    def _write_exclusions(self) -> None:
        """What the study's rules leave out, as a table for those who read the tables themselves."""
        if (found := self._exclusions) is None:
            served = served_revisions(self._study)
            if not served:
                return
            first = _first_seen(self._whole("participants"))
            declared = read_declaration(frozen_revision(served, first)["file"])
            found = _excluded(self._whole, declared.analysis.exclude, declared, self._factors)
        self._add(EXCLUSIONS, found)
        self._flush(EXCLUSIONS)
        self._close_files()

    def _whole(self, table: str) -> pa.Table:
        path = self._partial(table)
        return pq.read_table(path) if path.is_file() else self._schema(table).empty_table()

    def _close_files(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def __enter__(self) -> "DatasetWriter":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and not self._closed:
            self.close()
        self._close_files()
        for name in TABLES:
            self._partial(name).unlink(missing_ok=True)
