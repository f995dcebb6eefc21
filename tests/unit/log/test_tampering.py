"""What is altered behind the log's back is named with its place; erasure and retention are not."""
# ruff: noqa: S608 (statements of whoever tampers)

import hashlib
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.clock import ManualClock
from vivavoce.log.engine import open_engines
from vivavoce.log.erasure import erase_participant
from vivavoce.log.events import (
    TRIAL,
    ConsentGiven,
    LoggedRating,
    QuestionnaireAnswered,
    TrialResumed,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.expiry import expire_due
from vivavoce.log.merkle_tree import MerkleTree, new_commitment, record_root
from vivavoce.log.store import Log, Transaction
from vivavoce.log.verification import Verified, link, verify
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.money import Money

Alter = Callable[[sqlite3.Connection], object]


def visit(tx: Transaction, number: int) -> None:
    person = tx.participant_of("s", "link", f"prolific-{number}", f"p{number}")
    tx.bind_visit(f"v{number}", "s", person, "link", f"token-{number}")
    opened = VisitOpened(study="s", revision="r", participant_id=person, pool="link", language="en")
    tx.append(f"v{number}", opened)
    tx.append(f"v{number}", ConsentGiven(step=0, document="agreed", language="en"))
    for index in range(3):
        turn = UserTurnSent(dialogue_id=f"d{number}", turn_index=index, text=f"perché no? \0 {index}")
        tx.append(f"v{number}", turn, client_key=f"k{index}")
    answer = LoggedRating(item_id="why", value=None, answer="a free answer")
    place = {"step": 1, "round": None, "dialogue_id": None, "wording": "why", "language": "en"}
    tx.append(f"v{number}", QuestionnaireAnswered(instrument="why", ratings=[answer], **place))
    tx.append(f"v{number}", VisitEnded(outcome="completed"))


def trial(log: Log, clock: ManualClock) -> None:
    """Three visits, a study as it was served, two payments; a root after each visit."""
    log.transact_now(lambda tx: tx.record_study("s", "r", "study: the file"))
    ledger = Ledger(log, "s")
    due = [(f"prolific-{number}", "reward", Money(150, "GBP")) for number in (1, 2)]
    ledger.move(ledger.plan("link", "l", "reward", due)[:1], "sent")
    log.transact_now(Transaction.request_root)
    for number in (1, 2, 3):
        clock.advance(70)
        log.transact_now(lambda tx, number=number: visit(tx, number))
    log.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="ada")))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, clock = tmp_path_factory.mktemp("trial"), ManualClock()
    with Log.open(f"sqlite:///{folder}/log.sqlite", clock) as log:
        trial(log, clock)
    return folder


def verified(folder: Path) -> Verified:
    with Log.open(f"sqlite:///{folder}/log.sqlite") as log:
        return verify(log)


def altered(template: Path, folder: Path, alter: Alter | str) -> list[str]:
    """What `verify` says of a copy that was altered."""
    shutil.copytree(template, folder)
    with closing(sqlite3.connect(folder / "log.sqlite")) as database, database:
        if isinstance(alter, str):
            assert database.executescript(alter) and database.total_changes
        else:
            alter(database)
    return verified(folder).problems


def rewritten(database: sqlite3.Connection) -> None:
    """An edit by somebody who computes every hash again, as the program does."""
    [(position, payload)] = database.execute(
        "SELECT position, payload FROM events WHERE visit_id = 'v1' AND seq = 3"
    )
    payload = payload.replace("no?", "yes")
    hashes = new_commitment(payload)
    database.execute(
        "UPDATE events SET payload = ?, salt = ?, commitment = ? WHERE position = ?",
        (payload, hashes["salt"], hashes["commitment"], position),
    )
    database.execute("DELETE FROM roots")
    database.commit()
    [(_, _, file)] = database.execute("PRAGMA database_list")
    with open_engines(f"sqlite:///{file}").writer.connect() as connection, connection.begin():
        record_root(connection, ManualClock().now())


def forged(database: sqlite3.Connection) -> None:
    payload = '{"by": "eve"}'
    database.execute(
        "INSERT INTO events (event_id, visit_id, seq, at, monotonic_s, boot, kind, version, payload, salt, "
        "commitment, position) SELECT ?, 'trial', 2, at, monotonic_s, boot, kind, version, ?, ?, ?, 0 "
        "FROM events WHERE visit_id = 'trial'",
        (uuid4().hex, payload, *new_commitment(payload).values()),
    )


def recommitted(database: sqlite3.Connection) -> None:
    hashes = new_commitment("{}")
    database.execute(
        "UPDATE events SET payload = '{}', salt = ?, commitment = ? WHERE visit_id = 'v1' AND seq = 3",
        (hashes["salt"], hashes["commitment"]),
    )


def swapped(column: str) -> str:
    """SQL that exchanges a column of two events."""
    return f"""
        CREATE TABLE kept AS SELECT seq, {column} AS value FROM events
            WHERE visit_id = 'v2' AND seq IN (3, 4);
        UPDATE events SET {column} = -1 WHERE visit_id = 'v2' AND event_id =
            (SELECT event_id FROM events WHERE visit_id = 'v2' AND {column} =
                (SELECT value FROM kept WHERE seq = 3));
        UPDATE events SET {column} = (SELECT value FROM kept WHERE seq = 3) WHERE visit_id = 'v2'
            AND {column} = (SELECT value FROM kept WHERE seq = 4);
        UPDATE events SET {column} = (SELECT value FROM kept WHERE seq = 4) WHERE {column} = -1;
        DROP TABLE kept;
    """


THIRD = "WHERE visit_id = 'v1' AND seq = 3"
EDIT = f"UPDATE events SET payload = replace(payload, 'no?', 'yes') {THIRD}"
CUT = "DELETE FROM events WHERE visit_id IN ('v3', 'trial'); DELETE FROM visits WHERE visit_id = 'v3'"
INTERVAL = r"between events 5 and 11, \S+ to \S+: "
AS_EARLIER = """
    DROP TABLE roots; ALTER TABLE events DROP COLUMN salt; ALTER TABLE events DROP COLUMN commitment;
    UPDATE alembic_version SET version_num = '0008'
"""
TAMPERINGS: dict[str, tuple[Alter | str, str]] = {
    "words": (EDIT, r"stream v1, event 3 \(user_turn_sent, 2026-.*\): its content was altered"),
    "words, and no chain": (f"{EDIT}; UPDATE events SET chain = NULL", "stream v1, event 3 .*altered"),
    "words, and no hash": (
        f"{EDIT}; UPDATE events SET salt = NULL, commitment = NULL {THIRD}",
        "stream v1, event 3 .*its hash was removed",
    ),
    "words, with a new commitment": (recommitted, INTERVAL + "at least one of the 7 events was altered"),
    "words, and all hashes removed": (
        f"{EDIT}; UPDATE events SET salt = NULL, commitment = NULL; DELETE FROM roots",
        "all roots were removed; nothing protects the events",
    ),
    "words, in a log that is to look old": (
        f"{EDIT}; {AS_EARLIER}",
        r"stream rows, event 1 \(row_recorded, .*\): the root over it was removed",
    ),
    "all computed again": (rewritten, "roots noted in .* are not in the log"),
    "time": (f"UPDATE events SET at = '2020-01-01 00:00:00.000000' {THIRD}", INTERVAL),
    "time that is none": (f"UPDATE events SET at = 'noon' {THIRD}", "after 6 events: a value cannot be read"),
    "clock": (f"UPDATE events SET monotonic_s = monotonic_s + 1 {THIRD}", INTERVAL),
    "process": (f"UPDATE events SET boot = 'x' {THIRD}", INTERVAL),
    "kind": (f"UPDATE events SET kind = 'visit_ended' {THIRD}", INTERVAL),
    "version": (f"UPDATE events SET version = 2 {THIRD}", INTERVAL),
    "client key": (f"UPDATE events SET client_key = 'other' {THIRD}", INTERVAL),
    "identity": (f"UPDATE events SET event_id = 'other' {THIRD}", INTERVAL),
    "event moved": (f"UPDATE events SET visit_id = 'v9' {THIRD}", "v1, event 4 .*events 3 to 3 before it"),
    "event removed": (f"DELETE FROM events {THIRD}", "v1, event 4 .*events 3 to 3 before it"),
    "end of a visit": (
        "DELETE FROM events WHERE visit_id = 'v1' AND seq > 5",
        "stream v1, event 6: expected 7 events",
    ),
    "end of a visit, with its counter": (
        "DELETE FROM events WHERE visit_id = 'v1' AND seq > 5; UPDATE visits SET last_seq = 5",
        INTERVAL + "7 events were recorded, 5 are there",
    ),
    "visit": (
        "DELETE FROM events WHERE visit_id = 'v2'; DELETE FROM visits WHERE visit_id = 'v2'",
        r"between events 12 and 18, \S+ to \S+: 7 events were recorded, 0 are there",
    ),
    "end of the log, with its counters": (
        CUT,
        "between events 19 and 26, .*: 8 events were recorded, 0 are there",
    ),
    "end of the log, with its roots": (
        f"{CUT}; DELETE FROM roots WHERE size > 18",
        "2 roots noted in .*log.roots are not in the log, the last of 26 events at 2026-.*: the log was cut",
    ),
    "roots removed": ("DELETE FROM roots WHERE size > 4", "nothing protects 22 events"),
    "root altered": ("UPDATE roots SET root = upper(root) WHERE size = 18", "root recorded at .* altered"),
    "peaks altered": ("UPDATE roots SET peaks = '[]' WHERE size = 18", "the root recorded at .* was altered"),
    "positions": (swapped("position"), "stream v2, event [34] .*(before it are missing|out of order)"),
    "order": (swapped("seq"), "stream v2, event [34] .*(before it are missing|out of order)"),
    "event added": (forged, "0 events were recorded, 1 are there"),
    "consent": (
        "UPDATE events SET payload = replace(payload, 'agreed', 'all') WHERE visit_id = 'v2' AND seq = 2",
        r"stream v2, event 2 \(consent_given, .*\): its content was altered",
    ),
    "consent removed": (
        "DELETE FROM events WHERE visit_id = 'v2' AND seq = 2",
        "stream v2, event 3 .*events 2 to 2 before it are missing",
    ),
    "study": ("UPDATE studies SET file = 'study: another'", "studies s/r: the row was altered"),
    "study removed": ("DELETE FROM studies", "studies s/r: the row was removed"),
    "study added": (
        "INSERT INTO studies SELECT study, 'r2', file, entities, '2030-01-01 00:00:00.000000' FROM studies",
        "studies s/r2: the row was added",
    ),
    "payment": ("UPDATE recruitment_payments SET minor = 900", "recruitment_payments payment-.*altered"),
    "payment sent": (
        "UPDATE recruitment_payments SET state = 'planned' WHERE state = 'sent'",
        "recruitment_payments payment-.*: the row was altered",
    ),
    "payment removed": ("DELETE FROM recruitment_payments", "recruitment_payments payment-.*removed"),
}


def test_tampering_is_named_with_its_place(template: Path, tmp_path: Path) -> None:
    """34 copies of one log, each altered in another way: 8 s."""
    assert verified(template).problems == []
    unnamed = {}
    for name, (alter, expected) in TAMPERINGS.items():
        problems = altered(template, tmp_path / name, alter)
        if not any(re.search(expected, problem) for problem in problems):
            unnamed[name] = problems
    assert unnamed == {}


def test_a_log_that_nobody_touched_holds_and_older_roots_stay(template: Path) -> None:
    log = verified(template)
    assert (log.events, log.size, log.uncovered, log.earlier, log.unchained) == (26, 26, 0, 0, 0)
    assert [root.size for root in log.roots] == [0, 1, 4, 11, 18, 25, 26]
    assert log.roots[-1].fingerprint == log.fingerprint


def test_erasure_and_retention_are_no_tampering_and_older_roots_hold(log_url: str) -> None:
    clock = ManualClock()
    with Log.open(log_url, clock) as log:
        trial(log, clock)
        before = verify(log).roots
        erase_participant(log, "s", "p1", by="ada")
        clock.advance(40 * 86_400)
        [due] = expire_due(log, "s", {"free_text": 30}, timedelta(hours=1), by="ada")[:1]
        assert due.participant_id == "p2"
        erase_participant(log, "s", "p2", by="ada")
        after = verify(log)
        assert after.problems == [] and after.erased == 7 + 7 + 2
        assert [root for root in after.roots if root in before] == before
        by_sql(log, "UPDATE events SET salt = 'x' WHERE visit_id = 'v3' AND seq = 6")
        [problem] = verify(log).problems
        assert "stream v3, event 6 (questionnaire_answered" in problem and "content was altered" in problem


def test_an_erased_event_that_is_there_again_is_named(template: Path, tmp_path: Path) -> None:
    folder = tmp_path / "erased"
    shutil.copytree(template, folder)
    with closing(sqlite3.connect(folder / "log.sqlite")) as database, database:
        rows = database.execute("SELECT * FROM events WHERE visit_id = 'v1'").fetchall()
        with Log.open(f"sqlite:///{folder}/log.sqlite") as log:
            erase_participant(log, "s", "p1", by="ada")
            assert verify(log).problems == []
        database.executemany(f"INSERT INTO events VALUES ({', '.join('?' * len(rows[0]))})", rows)
    assert "position 5: an erased event is there again" in verified(folder).problems


def by_sql(log: Log, statement: str) -> None:
    """What somebody does who has the database and not our program."""
    engines = open_engines(str(log._engine.url.render_as_string(hide_password=False)))
    with engines.writer.connect() as connection, connection.begin():
        assert connection.execute(text(statement)).rowcount
    engines.dispose()


def as_logged_earlier(template: Path, folder: Path, *, hashed: bool) -> None:
    """The log as earlier versions wrote it: events with hashes over those before, or without any."""
    shutil.copytree(template, folder)
    (folder / "log.roots").unlink()
    with Log.open(f"sqlite:///{folder}/log.sqlite") as log:
        stored = list(log.all_events())
    with closing(sqlite3.connect(folder / "log.sqlite")) as database, database:
        chains: dict[str, str | None] = {}
        payloads = dict(database.execute("SELECT position, payload FROM events"))
        for event in stored if hashed else ():
            facts = {name: getattr(event, name) for name in EARLIER} | {"kind": event.event.kind}
            facts |= {"version": event.event.version, "payload": payloads[event.position]}
            chain = link(chains.get(event.visit_id), facts)
            chains[event.visit_id] = chain
            database.execute("UPDATE events SET chain = ? WHERE position = ?", (chain, event.position))
        database.executescript(f"DELETE FROM events WHERE visit_id = 'rows'; {AS_EARLIER}")


EARLIER = ("event_id", "visit_id", "seq", "at", "monotonic_s", "boot", "client_key")


@pytest.mark.parametrize("hashed", [True, False])
def test_an_earlier_log_is_protected_from_the_first_opening_on(
    template: Path, tmp_path: Path, *, hashed: bool
) -> None:
    as_logged_earlier(template, tmp_path / "log", hashed=hashed)
    log = verified(tmp_path / "log")
    assert (log.earlier, log.unchained, log.problems) == (22, 0 if hashed else 22, [])
    named = altered(tmp_path / "log", tmp_path / "copy", EDIT)
    assert "stream v1, event 3" in named[0]
    with Log.open(f"sqlite:///{tmp_path}/log/log.sqlite") as opened:
        erase_participant(opened, "s", "p1", by="ada")
        opened.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="eve")))
    assert verified(tmp_path / "log").problems == []


def test_an_edit_of_an_earlier_log_before_it_was_opened_is_named(template: Path, tmp_path: Path) -> None:
    as_logged_earlier(template, tmp_path / "log", hashed=True)
    assert "stream v1, event 3" in altered(tmp_path / "log", tmp_path / "copy", EDIT)[0]


def test_events_of_a_killed_process_are_under_the_next_ones_first_root(
    template: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    shutil.copytree(template, folder)
    clock = ManualClock(ManualClock().now() + timedelta(days=1))
    with Log.open(f"sqlite:///{folder}/log.sqlite", clock) as log:
        for name in ("ada", "eve"):
            log.transact_now(lambda tx, name=name: tx.append(TRIAL, TrialResumed(by=name)))
        shutil.copytree(folder, tmp_path / "copy")
    assert verified(tmp_path / "copy").problems == [] and verified(tmp_path / "copy").uncovered == 1
    with Log.open(f"sqlite:///{tmp_path}/copy/log.sqlite", clock) as log:
        log.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="bob")))
        assert verify(log).problems == [] and verify(log).uncovered == 0


@pytest.mark.postgresql
def test_several_processes_that_write_at_once_record_one_line_of_roots(postgresql_url: str) -> None:
    def write(door: int) -> None:
        with Log.open(postgresql_url) as log:
            for number in range(20):
                stream = f"v{door}-{number}"
                log.transact_now(lambda tx, stream=stream: tx.append(stream, TrialResumed(by="ada")))
                log.transact_now(lambda tx, stream=stream: tx.append(stream, VisitEnded(outcome="completed")))

    with ThreadPoolExecutor(4) as doors:
        list(doors.map(write, range(4)))
    with Log.open(postgresql_url) as log:
        both = verify(log)
    assert (both.problems, both.uncovered, both.events) == ([], 0, 160) and len(both.roots) > 20


def test_roots_are_those_of_the_standard() -> None:
    """Known values of RFC 6962, from the tests of Certificate Transparency."""
    leaves = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ]
    tree, roots = MerkleTree(), []
    for leaf in leaves:
        tree.add(hashlib.sha256(b"\x00" + bytes.fromhex(leaf)).digest())
        roots.append(tree.root()[:8])
    assert roots == [
        "6e340b9c",
        "fac54203",
        "aeb6bcfe",
        "d37ee418",
        "4e3bbb1f",
        "76e67dad",
        "ddb89be4",
        "5dc9da79",
    ]


def test_the_verb_compares_with_a_fingerprint_and_ends_with_1_where_something_is_broken(
    template: Path, tmp_path: Path
) -> None:
    file = str(template / "log.sqlite")

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["log", "verify", *arguments])
        return done.exit_code, done.output

    root = verified(template).roots[3]
    code, output = run(file)
    assert code == 0 and output.startswith("26 events unchanged since logging\nfingerprint ")
    (tmp_path / "report.html").write_text(f"<p>The log had the fingerprint {root.fingerprint}.</p>", "utf-8")
    for against in (root.fingerprint, root.root, str(tmp_path / "report.html")):
        code, output = run(file, "--against", against)
        assert code == 0 and f"{root.fingerprint} matches: the first 11 events, until 2026-01-01" in output
    code, output = run(file, "--against", "ABCD-EFGH-IJKL")
    assert code == 1 and "no intact root of this log has the fingerprint ABCD-EFGH-IJKL" in output
    altered(template, tmp_path / "copy", EDIT)
    code, output = run(str(tmp_path / "copy" / "log.sqlite"))
    assert code == 1 and output.startswith("broken: stream v1, event 3 (user_turn_sent")
    facts = json.loads(run(str(tmp_path / "copy" / "log.sqlite"), "--json")[1])
    assert facts["problems"] and facts["size"] == 26
