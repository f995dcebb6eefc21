"""What is altered in the log behind its back is found, and where; what is erased in its own way is not."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.log.annotation_events import LabelsGiven, LoggedLabel
from vivavoce.log.engine import open_engines
from vivavoce.log.erasure import erase_participant
from vivavoce.log.events import (
    TRIAL,
    DialogueAssigned,
    ResponseGiven,
    StimuliPlanned,
    TrialResumed,
    UserTurnSent,
    VisitOpened,
)
from vivavoce.log.store import Log, Transaction
from vivavoce.log.verification import verify
from vivavoce.study.scaffold import write_study


@pytest.fixture
def log(log_url: str) -> Iterator[Log]:
    with Log.open(log_url) as opened:
        yield opened


def visit(tx: Transaction, number: int, turns: int = 4) -> None:
    person = tx.participant_of("s", "link", f"prolific-{number}", f"p{number}")
    tx.bind_visit(f"v{number}", "s", person, "link", f"token-{number}")
    opened = VisitOpened(study="s", revision="r", participant_id=person, pool="link", language="en")
    tx.append(f"v{number}", opened)
    for index in range(turns):
        turn = UserTurnSent(dialogue_id=f"d{number}", turn_index=index, text=f"perché no? \0 {index}")
        tx.append(f"v{number}", turn, client_key=f"k{index}")


def trial(log: Log) -> None:
    log.transact_now(lambda tx: visit(tx, 1))
    log.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="ada")))
    log.transact_now(lambda tx: visit(tx, 2))


def by_sql(log: Log, statement: str) -> None:
    """What somebody does who has the database and not our program."""
    engines = open_engines(str(log._engine.url.render_as_string(hide_password=False)))
    with engines.writer.connect() as connection, connection.begin():
        assert connection.execute(text(statement)).rowcount
    engines.dispose()


def test_a_log_that_nobody_touched_is_whole_and_its_fingerprint_stays_until_it_grows(log: Log) -> None:
    trial(log)
    found = verify(log)
    assert (found.events, found.unchained, found.broken) == (11, 0, None)
    assert verify(log).fingerprint == found.fingerprint
    log.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="eve")))
    assert verify(log).fingerprint != found.fingerprint


SAID = {
    "sqlite": "REPLACE(CAST(payload AS TEXT), 'no?', 'yes')",
    "postgresql": "CAST(REPLACE(CAST(payload AS TEXT), 'no?', 'yes') AS JSON)",
}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("UPDATE events SET payload = {said} WHERE visit_id = 'v1' AND seq = 3", 3),
        ("UPDATE events SET at = '2020-01-01 00:00:00.000000' WHERE visit_id = 'v1' AND seq = 3", 3),
        ("UPDATE events SET monotonic_s = monotonic_s + 1 WHERE visit_id = 'v1' AND seq = 2", 2),
        ("UPDATE events SET kind = 'visit_ended' WHERE visit_id = 'v1' AND seq = 5", 5),
        ("UPDATE events SET client_key = 'other' WHERE visit_id = 'v1' AND seq = 4", 4),
        ("UPDATE events SET chain = NULL WHERE visit_id = 'v1' AND seq = 4", 4),
        ("DELETE FROM events WHERE visit_id = 'v1' AND seq = 2", 3),
        ("DELETE FROM events WHERE visit_id = 'v1' AND seq > 3", 4),
        ("DELETE FROM events WHERE visit_id = 'v1'", 1),
    ],
)
def test_what_is_altered_or_removed_by_sql_is_found_and_its_place_named(
    log: Log, change: str, place: int
) -> None:
    trial(log)
    by_sql(log, change.format(said=SAID[log._engine.dialect.name]))
    assert f"stream v1, event {place}" in str(verify(log).broken)


def test_two_events_that_changed_places_are_found(log: Log) -> None:
    trial(log)
    by_sql(log, "UPDATE events SET seq = 99 WHERE visit_id = 'v2' AND seq = 3")
    by_sql(log, "UPDATE events SET seq = 3 WHERE visit_id = 'v2' AND seq = 4")
    by_sql(log, "UPDATE events SET seq = 4 WHERE visit_id = 'v2' AND seq = 99")
    assert "stream v2, event 3" in str(verify(log).broken)


def test_a_log_from_before_hashes_opens_and_is_chained_from_its_first_new_event_on(log: Log) -> None:
    trial(log)
    by_sql(log, "UPDATE events SET chain = NULL")
    assert verify(log).unchained == 11
    log.transact_now(lambda tx: tx.append("v1", UserTurnSent(dialogue_id="d1", turn_index=4, text="new")))
    log.transact_now(lambda tx: tx.append("v1", UserTurnSent(dialogue_id="d1", turn_index=5, text="newer")))
    found = verify(log)
    assert (found.events, found.unchained, found.broken) == (13, 11, None)
    by_sql(log, "UPDATE events SET boot = 'x' WHERE visit_id = 'v1' AND seq = 6")
    assert "stream v1, event 6" in str(verify(log).broken)


def test_an_erased_participant_leaves_a_log_that_is_whole_and_still_guarded(log: Log) -> None:
    trial(log)

    def others(tx: Transaction) -> None:
        dialogue = DialogueAssigned(
            dialogue_id="d1",
            step=0,
            round=0,
            system="a",
            task_id=None,
            task=None,
            channel="text",
            spoken=False,
            calls_out=False,
            language="en",
            conversation="c1",
        )
        tx.append("v1", dialogue)
        item = {"audio": "a.wav", "dialogue_id": "d1", "turn_index": 0}
        tx.append("v2", StimuliPlanned(step=0, name="transcribe", stimuli=[item]))
        said = {"response": {"text": "what he said"}, "response_s": 1.0}
        tx.append("v2", ResponseGiven(step=0, name="transcribe", position=0, **said))
        for key in ("d1", "d2"):
            labels = [LoggedLabel(label="names", value="Ada")]
            given = LabelsGiven(
                dialogue_id=key, annotator_id="a", scheme="names", turn_index=0, labels=labels
            )
            tx.append("annotation:s", given)
        visit(tx, 3)
        tx.append("v2", UserTurnSent(dialogue_id="d2", turn_index=9, text="after it"))

    log.transact_now(others)
    before = verify(log)
    assert before.broken is None
    tombstone = erase_participant(log, "s", "p1", by="ada")
    after = verify(log)
    assert tombstone.mended and after.broken is None and after.fingerprint != before.fingerprint
    assert after.events == before.events - tombstone.events + 1
    by_sql(log, "UPDATE events SET boot = 'x' WHERE visit_id = 'v2' AND seq = 7")
    assert "stream v2, event 7" in str(verify(log).broken)


def test_the_verb_says_that_all_is_whole_or_what_is_broken_and_ends_with_1(tmp_path: Path) -> None:
    write_study(tmp_path / "study", "cambridge-2011", name="s")
    study, file = str(tmp_path / "study"), tmp_path / "study" / "log.sqlite"
    missing = CliRunner().invoke(app, ["log", "verify", study])
    assert missing.exit_code != 0 and not file.exists()
    with Log.open(f"sqlite:///{file}") as log:
        trial(log)
    whole = CliRunner().invoke(app, ["log", "verify", study])
    assert whole.exit_code == 0 and "11 events unchanged since logging; fingerprint " in whole.output
    with Log.open(f"sqlite:///{file}") as log:
        by_sql(log, "UPDATE events SET boot = 'x' WHERE visit_id = 'v2' AND seq = 1")
    broken = CliRunner().invoke(app, ["log", "verify", study])
    assert broken.exit_code == 1 and "broken at stream v2, event 1 (visit_opened" in broken.output
    told = json.loads(CliRunner().invoke(app, ["log", "verify", study, "--json"]).output)
    assert told["broken"].startswith("stream v2, event 1")
