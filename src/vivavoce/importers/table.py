"""Import of tables, CSV or JSON Lines, by a mapping file that says what their columns are."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.statement import statement
from vivavoce.core.validation import load_model, shown_value
from vivavoce.dataset.columns import FACTOR_PREFIX
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, as_text
from vivavoce.importers.log_files import REPEATED, LogFile, LogFiles, LogRecord, one_line
from vivavoce.importers.table_mapping import (
    SPEAKER_KEYS,
    TEXT_KEYS,
    TIME_KEYS,
    TableMapping,
    TimeUnit,
    draft_mapping,
)

NOTES: Final = (
    "Consecutive messages of one party form one turn.",
    "Times without a time zone are assumed to be UTC.",
)
CSV: Final = (".csv", ".tsv")
LOOKED_AT: Final = 200
UNKNOWN_PARTY: Final = N_("{n} messages of speakers excluded by the mapping were left out.")
WITHOUT_TEXT: Final = N_("{n} messages without text were left out.")
LEFT_OUT: Final = N_("Columns not in the mapping: {which}.")
_HINT: Final = "draft one: vivavoce import table FILE --guess mapping.yaml"


def read_table(files: LogFiles) -> Iterable[LogItem]:
    """Dialogues of all files, each of the rows that name it, in the order of their first rows.

    Raises  InputError: no mapping file, or one that does not fit the files
    """
    if files.mapping is None:
        raise InputError("a table needs a mapping of its columns", place="--mapping", hint=_HINT)
    mapping = load_model(files.mapping, TableMapping, str(files.mapping))
    if mapping.columns.leave_out:
        files.noted.append(statement(LEFT_OUT, which=", ".join(mapping.columns.leave_out)))
    dialogues: dict[str, list[LogRecord]] = {}
    checked, numbers = set[tuple[bool, tuple[Any, ...]]](), mapping.columns.numbers()
    for is_csv, record in _records(files):
        if record.problem is None and not isinstance(record.content, Mapping):
            record = record._replace(problem=f"{shown_value(record.content)} is not a row of columns")
        if record.problem is None:
            if (columns := (is_csv, tuple(record.content))) not in checked:
                _check_columns(record, mapping, files, is_csv=is_csv)
                checked.add(columns)
            for column in numbers:
                _check_number(record, column, mapping, files)
        key = _key(record, mapping)
        try:
            if record.problem is None and _is_repeat(files, record, key, mapping):
                continue
        except ValueError as error:
            record = record._replace(problem=str(error))
        if record.problem is None and key is None:
            record = record._replace(
                problem=f"no {mapping.columns.dialogue!r}: the row belongs to no dialogue"
            )
        if record.problem is not None or key is None:
            yield LogItem(record.place, problem=record.problem)
        else:
            dialogues.setdefault(key, []).append(record)
    for key, records in dialogues.items():
        distinct = _distinct(files, records, mapping)
        yield LogItem(records[0].place, partial(_dialogue, key=key, records=distinct, mapping=mapping))


def guess_mapping(files: LogFiles) -> str:
    """A mapping drafted from the columns of a table. Raises InputError: no row can be read"""
    looked_at = (record for _, record in islice(_records(files), LOOKED_AT))
    rows = [record for record in looked_at if isinstance(record.content, Mapping)]
    if not rows:
        where = ", ".join(map(str, files.paths))
        raise InputError("no rows found", place=where, hint=f"expected {TABLE.layout}")
    columns = dict.fromkeys(str(name) for row in rows for name in row.content)
    names = ", ".join(path.name for path in files.paths)
    return draft_mapping(list(columns), [row.content for row in rows], names)


def _records(files: LogFiles) -> Iterator[tuple[bool, LogRecord]]:
    """All rows, each with whether it is of a CSV file."""
    for file in files:
        is_csv = file.place.removesuffix(".gz").lower().endswith(CSV)
        for record in _csv_rows(file) if is_csv else file.records():
            yield is_csv, record


def _csv_rows(file: LogFile) -> Iterator[LogRecord]:
    """The rows of a CSV file whose separator is that of its first line."""
    try:
        text = file.text()
        head = text.partition("\n")[0]
        separator = max(",;\t|", key=head.count)
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        for row in table:
            place = f"{file.place}:{table.line_num}"
            extra = row.pop(None, None)
            short = any(value is None for value in row.values())
            problem = f"{len(extra)} cells too many" if extra else "too few cells" if short else None
            yield LogRecord(place, f"{file.name}-{table.line_num}", row, problem)
    except (ValueError, csv.Error) as error:
        yield LogRecord(file.place, file.name, problem=f"not valid CSV from here: {one_line(error)}")


def _check_columns(record: LogRecord, mapping: TableMapping, files: LogFiles, *, is_csv: bool) -> None:
    """Columns that nobody named, and named ones that are not there, are told before anything is read."""
    column_names = mapping.columns.named
    if strange := [name for name in record.content if name not in column_names]:
        hint = f"assign it in {files.mapping}, or add it to columns.leave_out"
        raise InputError(
            f"column {shown_value(strange[0])} is not in the mapping", place=record.place, hint=hint
        )
    if is_csv and (missing := [name for name in column_names if name not in record.content]):
        hint = f"columns of the table: {one_line(', '.join(map(str, record.content)))}"
        raise InputError(
            f"column {missing[0]!r} of the mapping is not in the table", place=record.place, hint=hint
        )


def _key(record: LogRecord, mapping: TableMapping) -> str | None:
    if record.problem is not None:
        return None
    if mapping.columns.dialogue is None:
        return record.key
    key = record.content.get(mapping.columns.dialogue)
    return None if key in (None, "") or isinstance(key, list | dict) else str(key)


def _is_repeat(files: LogFiles, record: LogRecord, key: str | None, mapping: TableMapping) -> bool:
    """True if the row of a dialogue was read before. Raises ValueError: it was read with other content"""
    if mapping.rows == "turn":
        return False
    name = f"dialogue {key!r}" if mapping.columns.dialogue else f"row {record.content!r}"
    return files.is_repeat(record.place, name, record.content)


def _distinct(files: LogFiles, records: list[LogRecord], mapping: TableMapping) -> list[LogRecord]:
    """The rows of a dialogue without repeats; a row without a time is none: people say yes twice."""
    distinct: dict[str, LogRecord] = {}
    for record in records:
        timed = mapping.columns.time is not None and record.content.get(mapping.columns.time)
        distinct.setdefault(repr(record.content) if timed else record.place, record)
    files.counts[REPEATED] += len(records) - len(distinct)
    return list(distinct.values())


def _dialogue(rows: ItemRows, *, key: str, records: list[LogRecord], mapping: TableMapping) -> None:
    columns, first = mapping.columns, records[0].content
    times = [_instants(record, mapping) for record in records] if mapping.rows == "turn" else None
    system = _cell(first, columns.system) or mapping.fixed.system
    if system is None:
        raise ValueError(f"{columns.system!r} is empty: the system is unknown")
    conditions = {name: _cell(first, name) for name in columns.conditions}
    dialogue = ForeignDialogue(
        rows,
        key,
        study="table",
        system=system,
        simulated=mapping.fixed.simulated,
        language=_cell(first, columns.language) or mapping.fixed.language,
        condition=next((value for value in conditions.values() if value is not None), None),
        participant_id=_cell(first, columns.participant),
        task_id=_cell(first, columns.task),
        reward=_reward(records[0], mapping),
    )
    dialogue.row |= {FACTOR_PREFIX + _slug(name): value for name, value in conditions.items()}
    messages = list(_messages(records, mapping, times))
    clock = [at for *_, at in messages if at is not None]
    if clock:
        dialogue.row |= {"started_at": min(clock), "ended_at": max(clock)}
    for place, speaker, text, at in messages:
        _say(rows, dialogue, mapping, (place, speaker, text, at), min(clock) if clock else None)
    _rate(dialogue, records, mapping)
    dialogue.end()


Message = tuple[str, Any, Any, datetime | None]


def _messages(
    records: list[LogRecord], mapping: TableMapping, times: list[datetime | None] | None
) -> Iterator[Message]:
    columns = mapping.columns
    if times is not None:
        for record, at in zip(records, times, strict=True):
            yield record.place, record.content.get(columns.speaker), record.content.get(columns.text), at
        return
    for record in records:
        messages = record.content.get(columns.messages)
        if isinstance(messages, str):
            raise ValueError(f"{columns.messages!r} is text, not a list of messages")
        if not isinstance(messages, list):
            raise ValueError(f"{columns.messages!r} is {shown_value(messages)}, not a list of messages")
        for number, message in enumerate(messages):
            if not isinstance(message, Mapping):
                raise ValueError(f"message {number + 1} is {shown_value(message)}, not a group of keys")
            at = _instant(_first(message, TIME_KEYS), mapping.time_unit)
            yield record.place, _first(message, SPEAKER_KEYS), _first(message, TEXT_KEYS), at


def _first(message: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((message[key] for key in keys if message.get(key) is not None), None)


def _say(
    rows: ItemRows, dialogue: ForeignDialogue, mapping: TableMapping, message: Message, start: datetime | None
) -> None:
    place, speaker, text, at = message
    if str(speaker) not in mapping.parties:
        parties = ", ".join(mapping.parties)
        raise InputError(
            f"speaker {shown_value(speaker)} is not in the mapping's parties",
            place=place,
            hint=f"known: {parties}",
        )
    party = mapping.parties[str(speaker)]
    if party is None:
        rows.lose(UNKNOWN_PARTY)
        return
    if text is None or text == "":
        rows.lose(WITHOUT_TEXT)
        return
    second = (at - start).total_seconds() if at is not None and start is not None else None
    times = {"sent_s": second} if party == "user" else {"first_output_s": second, "complete_s": second}
    dialogue.say(party, text, **times)


def _instants(record: LogRecord, mapping: TableMapping) -> datetime | None:
    return (
        None
        if mapping.columns.time is None
        else _instant(record.content.get(mapping.columns.time), mapping.time_unit)
    )


def _instant(time_text: Any, unit: TimeUnit) -> datetime | None:
    """An instant; without a zone it is UTC. Raises ValueError: something else stands there"""
    if time_text is None or time_text == "":
        return None
    try:
        if unit == "iso":
            read = datetime.fromisoformat(str(time_text))
            return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).astimezone(UTC)
        return datetime.fromtimestamp(float(time_text) / (1000 if unit == "ms" else 1), UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        raise ValueError(f"{shown_value(time_text)} is not a valid time for time_unit: {unit}") from None


def _rate(dialogue: ForeignDialogue, records: list[LogRecord], mapping: TableMapping) -> None:
    """Each rating once a dialogue, wherever in its rows it stands."""
    columns = mapping.columns
    success = [columns.subjective_success] if columns.subjective_success else []
    for name in (*success, *columns.ratings):
        if (answer := _given(records, name)) is not None:
            value = _number(name, answer, mapping)
            role = {"role": "subjective_success"} if name in success else {}
            dialogue.rate(mapping.instrument, name, value, answer, **role)
    for name in columns.comments:
        if (answer := _given(records, name)) is not None:
            dialogue.rate(mapping.instrument, name, None, answer)


def _given(records: list[LogRecord], column: str) -> str | None:
    """The answer that the rows of a dialogue give; null where none does.

    Raises  ValueError: another row says otherwise
    """
    cells = [(record, answer) for record in records if (answer := _cell(record.content, column)) is not None]
    for source, answer in cells:
        if answer != cells[0][1]:
            first = f"{shown_value(cells[0][1])} at {cells[0][0].place}"
            raise ValueError(f"{column!r} is {first} and {shown_value(answer)} at {source.place}")
    return cells[0][1] if cells else None


def _check_number(record: LogRecord, column: str, mapping: TableMapping, files: LogFiles) -> None:
    """A cell that should be a number and is none is told before anything is read: it would be lost.

    Raises  InputError
    """
    if (text := _cell(record.content, column)) is None:
        return
    try:
        mapping.number(column, text)
    except ValueError as error:
        comma = re.fullmatch(r"-?\d+,\d+", text.strip()) is not None
        add = "decimal: ','" if comma else f"answers: {{{column}: {{{text}: 1}}}}"
        hint = f"map it in {files.mapping}, for example {one_line(add)}"
        more = "" if comma else ", or move the column to columns.comments"
        raise InputError(str(error), place=record.place, hint=hint + more) from None


def _number(column: str, number_text: str, mapping: TableMapping) -> float | None:
    value = mapping.number(column, number_text)
    return None if math.isnan(value) else value


def _reward(record: LogRecord, mapping: TableMapping) -> float | None:
    column = mapping.columns.reward
    text = _cell(record.content, column)
    return None if column is None or text is None else _number(column, text, mapping)


def _cell(row: Mapping[str, Any], column: str | None) -> str | None:
    value = row.get(column) if column is not None else None
    return None if value is None or value == "" else as_text(value)


def _slug(name: str) -> str:
    return "_".join(name.lower().split())


TABLE: Final = Importer(
    name="table",
    title="Any table of turns or dialogues, with a mapping of its columns",
    layout="CSV, TSV, JSON or JSON Lines; one row per turn, or per dialogue with a list of "
    "messages; `--mapping`",
    rows=read_table,
    endings=(*CSV, ".json", ".jsonl", ".ndjson"),
    guess=guess_mapping,
    notes=NOTES,
)
