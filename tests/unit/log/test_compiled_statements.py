"""Statements that are run as text write what SQLAlchemy itself writes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import insert, select

from vivavoce.core.clock import ManualClock
from vivavoce.log.compiled_statements import run
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import events, recordings

EVENT: dict[str, Any] = {
    "visit_id": "v",
    "at": datetime(2026, 3, 1, 12, 30, 0, 17, timezone(timedelta(hours=2))),
    "monotonic_s": 1.25,
    "boot": "b",
    "kind": "page_read",
    "version": 1,
    "client_key": None,
    "payload": {"text": 'è un "locale"\n\\ % %(name)s ? :name', "n": [1, 2.5, None, True], "名": "𝄞"},
}
RECORDING: dict[str, Any] = {
    "visit_id": "v",
    "study": "s",
    "participant_id": "p",
    "simulated": True,
    "file": "a.flac",
    "sha256": "0",
    "byte_count": 3,
    "media_type": "audio/flac",
    "content": "command",
    "speakers": ["participant", "other"],
    "sample_rate_hz": 16000,
    "frames": 1,
    "duration_s": 0.5,
    "position": 1,
    "removed_at": None,
    "stored_at": datetime(2026, 3, 1, tzinfo=UTC),
}
INSERT_EVENT, INSERT_RECORDING = insert(events), insert(recordings)


@pytest.fixture
def log(log_url: str) -> Iterator[Log]:
    with Log.open(log_url, ManualClock()) as log:
        yield log


def written(tx: Transaction, table: Any, *names: str) -> list[tuple[Any, ...]]:
    columns = [column for column in table.c if column.name not in names]
    rows = tx.connection.execute(select(*columns).order_by(*table.primary_key)).all()
    return [tuple(row) for row in rows]


def test_the_row_of_an_event_is_the_same_whoever_wrote_it(log: Log) -> None:
    def write(tx: Transaction) -> list[tuple[Any, ...]]:
        tx.connection.execute(INSERT_EVENT, {"event_id": "1", "seq": 1, **EVENT})
        run(tx.connection, INSERT_EVENT, {"event_id": "2", "seq": 2, **EVENT})
        return written(tx, events, "position", "event_id", "seq")

    theirs, ours = log.transact_now(write)
    assert theirs == ours
    assert EVENT["payload"] in ours


def test_json_may_be_given_as_the_text_that_it_is_stored_as(log: Log) -> None:
    def write(tx: Transaction) -> list[tuple[Any, ...]]:
        text = '{"text": "%s ? :name", "n": [1]}'
        run(tx.connection, INSERT_EVENT, {"event_id": "1", "seq": 1, **EVENT, "payload": text})
        return written(tx, events)

    ((*_, payload, _, _),) = log.transact_now(write)
    assert payload == {"text": "%s ? :name", "n": [1]}


def test_lists_truth_values_and_absent_columns_are_written_alike(log: Log) -> None:
    def write(tx: Transaction) -> list[tuple[Any, ...]]:
        tx.connection.execute(INSERT_RECORDING, {"recording_id": "1", **RECORDING})
        run(tx.connection, INSERT_RECORDING, {"recording_id": "2", **RECORDING})
        return written(tx, recordings, "recording_id")

    theirs, ours = log.transact_now(write)
    assert theirs == ours
    assert ["participant", "other"] in ours
