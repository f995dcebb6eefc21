"""`vivavoce log rebuild`: what is derived from the events is mended, and nothing else is touched."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.cli.service_lock import alone
from vivavoce.core.errors import InputError
from vivavoce.log.engine import open_engines
from vivavoce.log.events import DialogueAssigned, DialogueEnded, UserTurnSent, VisitOpened
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import metadata, runs
from vivavoce.log.verification import verify
from vivavoce.study.scaffold import write_study


def visit(tx: Transaction, number: int) -> None:
    key, dialogue = f"v{number}", f"d{number}"
    tx.append(
        key, VisitOpened(study="s", revision="r", participant_id=f"p{number}", pool="link", language="en")
    )
    tx.append(
        key,
        DialogueAssigned(
            dialogue_id=dialogue,
            step=0,
            round=0,
            system="a",
            task_id=None,
            task=None,
            channel="text",
            spoken=False,
            calls_out=False,
            language="en",
            conversation="c",
        ),
    )
    tx.append(key, UserTurnSent(dialogue_id=dialogue, turn_index=0, text="perché no?"))
    tx.append(key, DialogueEnded(dialogue_id=dialogue, reason="user", user_turns=1))


@pytest.fixture
def url(log_url: str) -> str:
    """A log of two visits, eight events."""
    with Log.open(log_url) as log:
        for number in (1, 2):
            log.transact_now(lambda tx, number=number: visit(tx, number))
    return log_url


def everything(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every table of the log, derived or not, but for the list of the processes that wrote."""
    with Log.open(url) as log, log.reading() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
            if table is not runs
        }


def by_hand(url: str, *statements: str) -> None:
    engines = open_engines(url)
    with engines.writer.connect() as connection, connection.begin():
        for statement in statements:
            assert connection.execute(text(statement)).rowcount
    engines.dispose()


def rebuilt(*arguments: str, code: int = 0) -> str:
    """What the verb says."""
    done = CliRunner().invoke(app, ["log", "rebuild", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.output


def test_a_sound_log_is_left_as_it_was_however_often_it_is_rebuilt(url: str) -> None:
    before = everything(url)
    for _ in range(2):
        assert rebuilt(url) == "8 events read; all derived tables were correct; nothing else changed\n"
        assert everything(url) == before


def test_rows_that_were_damaged_by_hand_are_mended_and_counted(url: str) -> None:
    before = everything(url)
    by_hand(
        url,
        "UPDATE dialogues SET user_turns = 9, status = 'running' WHERE dialogue_id = 'd1'",
        "DELETE FROM visits WHERE visit_id = 'v2'",
        "INSERT INTO codes (code, dialogue_id, visit_id, issued_at) VALUES ('x', 'd1', 'v1', '2026-01-01')",
    )
    assert everything(url) != before
    told = json.loads(rebuilt(url, "--json"))
    assert told == {"events": 8, "mended": {"visits": 1, "dialogues": 1, "codes": 1}}
    assert everything(url) == before
    by_hand(url, "UPDATE dialogues SET user_turns = 9")
    assert rebuilt(url) == "8 events read; mended dialogues: 2 rows; nothing else changed\n"


def test_a_row_that_cannot_even_be_read_is_mended(tmp_path: Path) -> None:
    write_study(tmp_path / "study", "cambridge-2011", name="s")
    file = tmp_path / "study" / "log.sqlite"
    address = f"sqlite:///{file}"
    with Log.open(address) as log:
        log.transact_now(lambda tx: visit(tx, 1))
    before = everything(address)
    with sqlite3.connect(file) as database:
        database.execute("UPDATE visits SET opened_at = 'yesterday', simulated = 'perhaps'")
    database.close()
    assert "4 events read; mended visits: 1 row; nothing else" in rebuilt(str(tmp_path / "study"))
    assert everything(address) == before
    assert "all derived tables were correct" in rebuilt(str(file))


def test_a_log_that_a_service_has_is_not_rebuilt(url: str) -> None:
    by_hand(url, "UPDATE dialogues SET user_turns = 9")
    before = everything(url)
    with alone(url), pytest.raises(InputError, match="serves this log"):
        rebuilt(url)
    assert everything(url) == before


def test_what_still_tells_of_events_that_are_gone_is_kept_until_it_is_meant(url: str) -> None:
    by_hand(url, "DELETE FROM events WHERE visit_id = 'v2' AND seq = 4")
    with pytest.raises(InputError, match=r"not rebuilt: stream v2, event 4: .* are missing.* --anyway"):
        rebuilt(url)
    with Log.open(url) as log:
        assert "stream v2, event 4" in verify(log).problems[0]
    assert "7 events read; mended visits: 1 row, dialogues: 1 row" in rebuilt(url, "--anyway")


def test_where_there_is_no_log_none_is_made(tmp_path: Path) -> None:
    write_study(tmp_path / "study", "cambridge-2011", name="s")
    for verb in ("verify", "rebuild"):
        done = CliRunner().invoke(app, ["log", verb, str(tmp_path / "study")])
        assert isinstance(done.exception, InputError) and "log not found" in str(done.exception)
        with pytest.raises(InputError, match="log not found"):
            rebuilt(f"sqlite:///{tmp_path / 'none.sqlite'}")
    assert not list(tmp_path.rglob("*.sqlite*"))
