"""A dataset read from its folder: whole tables, or the rows of one bucket of whole dialogues.

Logs store the facts of a dialogue's channel (`vivavoce.study.channel.Channel`). Older logs and datasets, and
most importers, store only the channel's name; the facts are filled in here.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from datetime import datetime
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.extras import later
from vivavoce.core.paths import resolve_path
from vivavoce.core.statement import LocalizedText
from vivavoce.dataset.columns import Columns, Level, level_of, what_is_lost
from vivavoce.dataset.declaration import (
    UNSAID,
    Declaration,
    frozen_revision,
    read_declaration,
    served_revisions,
)
from vivavoce.dataset.exclusions import Row, exclusion_counts, exclusion_rows, running_dialogues
from vivavoce.dataset.schema import FACTOR_PREFIX, SCHEMA_VERSION, TABLES
from vivavoce.study.exclusion import NONE, Exclusion, read_rules, unknown_names

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    np = later("numpy")
    pa = later("pyarrow")
    pq = later("pyarrow.parquet")


FACTS: Final = ("spoken", "calls_out")
_EARLIER: Final = {
    "text": (False, False),
    "voice": (True, False),
    "phone": (True, True),
    "multimodal": (True, False),
}


def earlier_facts(channel: str) -> dict[str, bool | None]:
    """The facts of a channel by its name; `spoken` is None for a channel of another package."""
    return dict(zip(FACTS, _EARLIER.get(channel, (None, False)), strict=True))


def with_channel_facts(dialogues: pa.Table) -> pa.Table:
    """Fill the facts that are missing in the table `dialogues`, or null."""
    import pyarrow as pa

    channels = dialogues["channel"].to_pylist()
    for fact in FACTS:
        place = dialogues.schema.get_field_index(fact)
        stored = dialogues[fact].to_pylist() if place >= 0 else [None] * len(channels)
        if None not in stored and place >= 0:
            continue
        values = [
            earlier_facts(channel)[fact] if value is None and channel is not None else value
            for channel, value in zip(channels, stored, strict=True)
        ]
        column = pa.array(values, pa.bool_())
        dialogues = (
            dialogues.set_column(place, fact, column) if place >= 0 else dialogues.append_column(fact, column)
        )
    return dialogues


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
            problem = f"cannot read as Parquet ({reason})"
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

        Input   columns: names to read; missing ones are skipped
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
        raise InputError(f"cannot read the file ({error})", place=str(path), hint=EXPORT_AGAIN) from None
    if not isinstance(manifest, dict):
        raise InputError("not a dataset manifest", place=str(path), hint=EXPORT_AGAIN)
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
        another = f"choose another folder, such as {folder / 'dataset'}"
        raise InputError("this is a study folder", place=str(folder), hint=another)
    if _may_replace.get():
        return
    name_another = "choose another folder, or add --replace"
    if (folder / MANIFEST).exists():
        raise InputError(f"the folder already contains {_held(folder)}", place=str(folder), hint=name_another)
    existing = next((name for name in TABLES if (folder / f"{name}.parquet").exists()), None)
    if existing is not None:
        raise InputError(
            f"the folder already contains {existing}.parquet", place=str(folder), hint=name_another
        )


def _held(folder: Path) -> str:
    try:
        manifest = read_manifest(folder / MANIFEST)
        rows = manifest["tables"].get("dialogues", {}).get("rows", 0)
        return f"the dataset of {manifest['study']['name']} ({rows} dialogues)"
    except (InputError, KeyError, TypeError, AttributeError):
        return "a dataset"


FORMAT: Final = "vivavoce-dataset"
EXCLUSIONS: Final = "exclusions"


class Dataset:
    """A dataset in a folder, opened for analysis: `read` gives the tables without what is excluded.

    Every table of the schema can be read; one that the dataset never had has no rows.

    folder   a path, or an address of fsspec such as s3://bucket/calls
    exclude  rules that leave dialogues and people out, such as `user_turns < 2`, or `none`; None: those of
             its study file, frozen when the first participant came (trivial dialogues where it says nothing;
             nothing where there is no study file)
    Raises   InputError: no dataset at this path, one of a newer schema, or one of which files are missing; a
             rule that nobody knows; on reading, a table that is damaged
    """

    def __init__(self, folder: Path | str, *, exclude: Sequence[Exclusion | str] | str | None = None) -> None:
        self.folder = resolve_path(folder)
        self._all = False
        self._bucket: int | None = None
        self._asked = None if exclude is None else read_rules(exclude)
        path = self.folder / MANIFEST
        if not path.is_file():
            raise InputError(
                f"no {MANIFEST} in this folder",
                place=str(self.folder),
                hint=_how_to_get_one(self.folder),
            )
        self.manifest = read_manifest(path)
        if self.manifest.get("format") != FORMAT or self.manifest.get("schema_version", 0) > SCHEMA_VERSION:
            raise InputError(
                f"unsupported dataset schema (expected {SCHEMA_VERSION} or older)",
                place=str(path),
                hint="read it with the version of Vivavoce that wrote it",
            )
        if not isinstance(self.manifest.get("study"), dict) or "name" not in self.manifest["study"]:
            raise InputError("the manifest has no study", place=str(path), hint=EXPORT_AGAIN)
        for name, facts in self.manifest.get("tables", {}).items():
            if not (self.folder / f"{name}.parquet").is_file():
                raise InputError(
                    f"the file is missing; it had {facts['rows']} rows",
                    place=str(self.folder / f"{name}.parquet"),
                    hint=f"restore it, or {EXPORT_AGAIN}",
                )

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {noun}{'s'[: n != 1]}" for noun, n in self.holdings().items())
        return f"<Dataset {self.study} in {str(self.folder)!r}: {counts or 'nothing'}>"

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
        hashed = json.dumps([self.manifest["hash"], now], sort_keys=True)
        return hashlib.sha256(hashed.encode()).hexdigest()[:12]

    @cached_property
    def changed(self) -> list[str]:
        """Tables whose files are no longer those that were written; older datasets do not tell."""
        tables = self.manifest.get("tables", {})
        if any("file_sha256" not in facts for facts in tables.values()):
            return []
        digests = {name: file_digest(self.path(name)) for name in TABLES if self.path(name).is_file()}
        recorded = {name: facts["file_sha256"] for name, facts in tables.items()}
        return [name for name in TABLES if digests.get(name) != recorded.get(name)]

    @property
    def notes(self) -> list[LocalizedText]:
        """Notes of the dataset's writer; the manifest has those with values under `noted`, too."""
        noted = {
            str(noted_text): noted_text
            for noted_text in map(LocalizedText.read, self.manifest.get("noted", ()))
        }
        return [noted.get(note, LocalizedText(note)) for note in self.manifest.get("notes", ())]

    @property
    def level(self) -> Level:
        """For whom it is; what was left out for that."""
        return level_of(self.manifest)

    @property
    def what_is_lost(self) -> list[LocalizedText]:
        """Analyses that its level does not allow, and why."""
        return what_is_lost(self.level, self.manifest.get("source", {}).get("masked", 0))

    @property
    def study(self) -> str:
        return self.manifest["study"]["name"]

    @cached_property
    def simulated(self) -> bool:
        """True when a program held a dialogue, or visited and did something else."""
        tables = (self.read(name, ["simulated"]) for name in ("dialogues", "participants"))
        return any(any(table.column("simulated").to_pylist()) for table in tables)

    @cached_property
    def factors(self) -> list[str]:
        """Names of the conditions, without prefix."""
        names = self.column_names("dialogues")
        return [name.removeprefix(FACTOR_PREFIX) for name in names if name.startswith(FACTOR_PREFIX)]

    def check_rules(self) -> None:
        """Rules that were asked for name only what the dataset holds.

        Raises  InputError: one names a system, language, factor or question that is not there
        """
        if not self._asked:
            return
        prefixed = [FACTOR_PREFIX + name for name in self.factors]
        table = self._whole("dialogues", ["system", "language", *prefixed])
        values = {name: _values(table, name) for name in ("system", "language")}
        factors = {name: _values(table, FACTOR_PREFIX + name) for name in self.factors}
        items = _values(self._whole("ratings", ["item_id"]), "item_id")
        for rule in self._asked:
            for _, problem, hint in unknown_names(rule, values, factors, items):
                raise InputError(f"{rule.text!r}: {problem}", place="--exclude", hint=hint)

    def holdings(self) -> dict[str, int]:
        """Number of each thing that is counted, in the order of the tables; zeros are left out.

        Note  tables that count the same, as judges' judgements and people's, are counted together
        """
        counts = Counter[str]()
        for table in TABLES.values():
            if table.counted and (rows := self.read(table.name)).num_rows:
                units = rows.group_by(list(table.unit)).aggregate([]) if table.unit else rows
                counts[table.counted] += units.num_rows
        return counts

    def path(self, table: str) -> Path:
        """Path of a table's Parquet file, whether it exists or not."""
        if table not in TABLES:
            raise UnknownName("table", table, list(TABLES), place=str(self.folder))
        return self.folder / f"{table}.parquet"

    def read(self, table: str, columns: Collection[str] | None = None) -> pa.Table:
        """One table without what is excluded; one that was never written has its columns and no rows.

        columns  those that are wanted, in the table's order; None: all of them
        """
        if table == EXCLUSIONS or not (self.exclusions or self.running):
            return self._whole(table, columns)
        from pyarrow.compute import field as field_of  # slow to load, and needed here alone

        sides = (("dialogue_id", self._dialogues_out), ("participant_id", self._people_out))
        rows = self._whole(table, columns if columns is None else {*columns, *(name for name, _ in sides)})
        for column, left_out in sides:
            if left_out and column in rows.column_names:
                rows = rows.filter(~field_of(column).isin(left_out))
        return (
            rows
            if columns is None
            else rows.select([column_name for column_name in rows.column_names if column_name in columns])
        )

    def column_names(self, table: str) -> list[str]:
        """The names of a table's columns."""
        return self._file(table).schema.names

    def columns(self, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of a table, of these columns alone, also of what is excluded; null where it lacks one."""
        return self._file(table).rows(names)

    def _file(self, table: str) -> ParquetTable:
        return ParquetTable(self.path(table), TABLES[table].arrow())

    def _whole(self, table: str, columns: Collection[str] | None = None) -> pa.Table:
        file = self._file(table)
        bucket = self._bucket if "dialogue_id" in file.schema.names else None
        if table != "dialogues" or not (columns is None or {*FACTS} & {*columns}):
            return file.read(columns, bucket=bucket, of=self.buckets)
        read = columns if columns is None else {*columns, "channel"}
        found = with_channel_facts(file.read(read, bucket=bucket, of=self.buckets))
        kept = found.column_names if columns is None else columns
        return found.select([name for name in found.column_names if name in kept])

    @cached_property
    def buckets(self) -> int:
        """In how many buckets of whole dialogues the tables lie, by the order of dialogues' keys; 1: in none.

        Of a table of dialogues each bucket is a row group; one more has the rows that are of no dialogue.
        Tables that were changed since the dataset was written are read whole.
        """
        buckets = self.manifest.get("buckets", 1)
        return buckets if buckets > 1 and not self.changed else 1

    def bucket(self, number: int) -> Dataset:
        """This dataset with the dialogues of one bucket alone, of which `read` gives the rows.

        Note  tables of no dialogue are whole in each bucket, and so are rows of no dialogue
        """
        if self.buckets == 1:
            return self
        _ = self.hash, self.exclusions, self.running, self.first_participant  # of the whole, not of a bucket
        bucket_view = copy(self)
        bucket_view._bucket = number
        return bucket_view

    @cached_property
    def everything(self) -> Dataset:
        """This dataset without exclusions: for copies, and for counts of exclusions."""
        complete = Dataset(self.folder, exclude=())
        complete._all = True
        return complete

    @cached_property
    def declaration(self) -> Declaration | None:
        """Declaration of its study file when the first participant came; None without a study file."""
        served = served_revisions(self.manifest.get("study", {}))
        if not served:
            return None
        return read_declaration(frozen_revision(served, self.first_participant)["file"])

    def experts_first(self, flag: str) -> bool:
        """True if experts outrank the log for a flag of turns, as the study declared it."""
        declared = self.declaration
        return declared is not None and any(
            name == flag and whose == "experts" for name, whose in declared.analysis.flags.items()
        )

    @cached_property
    def first_participant(self) -> datetime | None:
        """Arrival of the first participant; None where that is not known."""
        return first_seen(at for (at,) in self.columns("participants", ["first_seen_at"]))

    @cached_property
    def rules(self) -> tuple[Exclusion, ...]:
        """The rules that leave dialogues and people out here."""
        if self._asked is not None:
            return self._asked
        return tuple(self.declaration.analysis.exclude) if self.declaration is not None else ()

    @cached_property
    def exclusions(self) -> list[Row]:
        """Exclusions here, and the rule of each: rows of the table `exclusions`.

        Raises  InputError: a rule needs what the dataset's level leaves out
        """
        if self._asked is None and self.level is not Level.internal:
            return self._whole(EXCLUSIONS).to_pylist()
        if self.level is Level.public and any(rule.copies is not None for rule in self.rules):
            raise InputError(
                (
                    "`copies` cannot be computed from a public dataset, because it has no order "
                    "of participants"
                ),
                place=str(self.folder),
                hint="use the internal or a shareable dataset for this rule",
            )
        return excluded_rows(self.columns, self.rules, self.declaration, self.factors)

    @cached_property
    def excluded(self) -> dict[str, Any]:
        """Number of exclusions here, by rule.

        Output  dialogues, of (all that ended), people (with all that they did), rules: one {rule,
                dialogues, people} each in their order, also where nothing meets it; a dialogue counts under
                the first rule that it meets
        """
        ended_count = self._file("dialogues").count - len(self.running)
        return exclusion_counts(self.exclusions, self.rules, ended_count)

    @cached_property
    def running(self) -> set[str]:
        """Dialogues under way when it was exported: neither analysed nor excluded."""
        return set() if self._all else running_dialogues(self.columns)

    @cached_property
    def abandoned(self) -> frozenset[str] | None:
        """Dialogues of these that their participants left before either side had ended them.

        They are analysed as any other, with what was said in them: who left them out would flatter a system
        that people leave. Whoever shows a figure over dialogues says how many of them these are.
        Empty   None: how dialogues ended was never recorded
        """
        ends = self.read("dialogues", ["dialogue_id", "end_reason"]).to_pylist()
        ended_dialogues = [end for end in ends if end["end_reason"] is not None]
        gone = frozenset(end["dialogue_id"] for end in ended_dialogues if end["end_reason"] == "abandoned")
        return gone if ended_dialogues or not ends else None

    @cached_property
    def _dialogues_out(self) -> list[str]:
        out = [row["dialogue_id"] for row in self.exclusions if row["dialogue_id"] is not None]
        return [*out, *sorted(self.running)]

    @cached_property
    def _people_out(self) -> list[str]:
        return [row["participant_id"] for row in self.exclusions if row["dialogue_id"] is None]


def _values(table: pa.Table, column: str) -> list[str]:
    return sorted({str(value) for value in table.column(column).unique().to_pylist() if value is not None})


def first_seen(instants: Iterable[datetime | None]) -> datetime | None:
    return min((at for at in instants if at is not None), default=None)


def excluded_rows(
    columns: Columns, rules: Sequence[Exclusion], declaration: Declaration | None, factors: Iterable[str]
) -> list[Row]:
    """Rows of exclusions by rules, as a study declared their settings."""
    fewest, quality = (
        (declaration.fewest_user_turns, declaration.quality) if declaration is not None else (UNSAID, None)
    )
    return exclusion_rows(columns, rules, fewest, factors, quality=quality)


def _how_to_get_one(folder: Path) -> str:
    if (folder / "study.yaml").is_file():
        return f"this is a study: run `vivavoce export {folder} --into results`, then use results"
    return "create a dataset with `vivavoce export` or `vivavoce import`"
