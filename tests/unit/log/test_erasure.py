"""Erasing a participant: nothing of theirs is left anywhere, and everybody else's data is as it was."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.columns import Level
from vivavoce.dataset.csv_files import export_csv
from vivavoce.dataset.publication import publish_dataset, reduce_dataset
from vivavoce.dataset.reader import replacing
from vivavoce.log.annotation_events import LabelsGiven, LoggedLabel
from vivavoce.log.call_events import CallPlaced
from vivavoce.log.erasure import erase_participant
from vivavoce.log.events import (
    TRIAL,
    DialogueAssigned,
    DialogueOpened,
    ParticipantErased,
    ResponseGiven,
    StimuliPlanned,
    UserTurnSent,
    VisitOpened,
)
from vivavoce.log.export import export_dataset
from vivavoce.log.recordings import RecordedSound, check_recordings, folder_of
from vivavoce.log.store import Log, Transaction
from vivavoce.log.stress_events import (
    CaseJudged,
    StressRunPlanned,
    VariantReviewed,
    VariantsProposed,
    stress_stream,
)
from vivavoce.log.tables import PROJECTIONS, events, metadata
from vivavoce.log.verification import rebuild
from vivavoce.study.scaffold import write_study

SECRET = "my name is Ada Lovelace"


@pytest.fixture
def log(log_url: str, tmp_path: Path) -> Iterator[Log]:
    with Log.open(log_url, recording_folder=tmp_path / "recordings") as opened:
        yield opened


def visit(tx: Transaction, number: int, says: str) -> None:
    """A person's visit with one dialogue."""
    visit_id, person = f"v{number}", tx.participant_of("s", "link", f"prolific-{number}", f"p{number}")
    tx.bind_visit(visit_id, "s", person, "link", f"token-{number}", f"ticket-{number}")
    dialogue = {"dialogue_id": f"d{number}"}
    for event in (
        VisitOpened(study="s", revision="r", participant_id=person, pool="link", language="en"),
        DialogueAssigned(
            **dialogue,
            step=0,
            round=0,
            system="a",
            task_id=None,
            task=None,
            channel="text",
            spoken=False,
            calls_out=False,
            language="en",
            conversation=f"c{number}",
            condition=None,
            factors={},
        ),
        DialogueOpened(**dialogue),
        UserTurnSent(**dialogue, turn_index=0, text=says),
        CallPlaced(study="s", **dialogue, call_id=f"x{number}", callee=f"caller-{number}"),
    ):
        tx.append(visit_id, event)


def others(tx: Transaction, number: int, says: str) -> None:
    """What annotators and stress tests have of the dialogue."""
    key = f"d{number}"
    label = LoggedLabel(label="name", value=says)
    given = LabelsGiven(
        dialogue_id=key, scheme="names", turn_index=0, labels=[label], annotator_id="a", done=True
    )
    tx.append("annotation:s", given)
    tx.append(
        stress_stream("s"),
        VariantsProposed(
            item_id=f"i{number}",
            test="ST-4",
            language="en",
            dialogue_id=key,
            turn_index=0,
            original=says,
            previous=None,
            proposals=[],
        ),
    )
    reviewed = VariantReviewed(item_id=f"i{number}", reviewer="a", decision="edit", text=says + "!")
    tx.append(stress_stream("s"), reviewed)


def run_of_stress(tx: Transaction, says: dict[int, str]) -> None:
    kind = {"test": "ST-4", "family": "spelling", "language": "en", "turn_index": 0, "approval": "accept"}
    cases = [
        {
            **kind,
            "case_id": f"case-{n}",
            "dialogue_id": f"d{n}",
            "original": text,
            "variant": text + "?",
            "rule": "r",
            "channel": "text",
            "ad_hoc": False,
        }
        for n, text in says.items()
    ]
    planned = StressRunPlanned(run_id="run", plan="p", system="a", settings={}, cases=cases)
    tx.append(stress_stream("s"), planned)
    for number, text in says.items():
        judged = CaseJudged(
            run_id="run", case_id=f"case-{number}", admitted=True, verdict="pass", rung="guards", reason=text
        )
        tx.append(stress_stream("s"), judged)


def transcriber(tx: Transaction, says: dict[int, str]) -> None:
    """Somebody else wrote down what was said."""
    items = [{"audio": f"r{n}.wav", "dialogue_id": f"d{n}", "turn_index": 0} for n in says]
    opened = VisitOpened(study="s", revision="r", participant_id="p9", pool="link", language="en")
    tx.append("v9", opened)
    tx.append("v9", StimuliPlanned(step=0, name="transcribe", stimuli=items))
    for place, text in enumerate(says.values()):
        said = {"step": 0, "name": "transcribe", "position": place, "response_s": 1.0}
        tx.append("v9", ResponseGiven(**said, response={"text": text}))


def recorded(log: Log, number: int) -> None:
    sound = RecordedSound("audio/wav", 1, 8000, 8)
    kept = folder_of(log).keep(f"r{number}", f"sound {number}".encode(), sound.media_type)
    event = kept.event(f"r{number}", sound, "turn", ["user"], dialogue_id=f"d{number}", turn_index=0)
    log.transact_now(lambda tx: tx.append(f"v{number}", event))


def everything(log: Log) -> str:
    """Every cell of every table."""
    with log.reading() as connection:
        rows = [row for table in metadata.sorted_tables for row in connection.execute(select(table))]
    return "\n".join(map(str, rows))


def fill(log: Log) -> None:
    says = {1: SECRET, 2: "a thai place"}
    for number, text in says.items():
        log.transact_now(lambda tx, n=number, t=text: visit(tx, n, t))
        recorded(log, number)
        log.transact_now(lambda tx, n=number, t=text: others(tx, n, t))
    log.transact_now(lambda tx: run_of_stress(tx, says))
    log.transact_now(lambda tx: transcriber(tx, says))


def texts_of(log: Log) -> list[str | None]:
    found = [one.event for one in log.events("v9")]
    return [one.response["text"] for one in found if isinstance(one, ResponseGiven)]


def as_before(log: Log) -> None:
    """The log says what was written down as logs did before steps with stimuli shared their events."""

    def rewrite(tx: Transaction) -> None:
        wanted = select(events.c.position, events.c.kind, events.c.payload).where(events.c.visit_id == "v9")
        for position, kind, payload in tx.connection.execute(wanted.order_by(events.c.seq)).all():
            if kind == "stimuli_planned":
                items = payload["stimuli"]
                now = {"kind": "transcriptions_assigned", "payload": {"step": 0, "items": items}}
            elif kind == "response_given":
                place = payload["position"]
                said = {"step": 0, "position": place, "item": items[place], "response_s": 1.0}
                now = {"kind": "transcript_given", "payload": {**said, **payload["response"]}}
            else:
                continue
            tx.connection.execute(update(events).where(events.c.position == position).values(**now))

    log.transact_now(rewrite)


def test_what_was_written_down_goes_from_an_older_log_too(log: Log) -> None:
    fill(log)
    as_before(log)
    assert texts_of(log) == [SECRET, "a thai place"]
    erase_participant(log, "s", "prolific-1", by="researcher")
    assert texts_of(log) == [None, "a thai place"]
    assert SECRET not in everything(log)


def test_nothing_of_an_erased_participant_is_left_and_the_rest_is_whole(log: Log, tmp_path: Path) -> None:
    fill(log)
    before = {key: log.events(key) for key in ("v2", TRIAL)}
    tombstone = erase_participant(log, "s", "prolific-1", by="researcher")
    assert tombstone == ParticipantErased(
        study="s",
        participant_id="p1",
        by="researcher",
        visits=1,
        events=6 + 4,
        mended=2,
        leaves=tombstone.leaves,
        commitments=tombstone.commitments,
    )
    assert len(tombstone.leaves) == 10 and len(tombstone.commitments) == 2
    left = everything(log)
    for trace in (SECRET, "prolific-1", "'v1'", "token-1", "ticket-1", "caller-1", "'i1'", "case-1"):
        assert trace not in left, trace
    assert left.count("'p1'") == 1  # on the tombstone
    assert not list((tmp_path / "recordings").glob("r1-*")) and list((tmp_path / "recordings").glob("r2-*"))
    assert log.events("v2") == before["v2"]
    assert [one.event for one in log.trial_events()] == [tombstone]
    assert texts_of(log) == [None, "a thai place"]
    assert check_recordings(log, content=True).lines() == []

    def projections() -> list[object]:
        with log.reading() as connection:
            tables = [table.select().order_by(*table.primary_key) for table in PROJECTIONS]
            return [connection.execute(one).all() for one in tables]

    standing = projections()
    rebuild(log)
    assert projections() == standing
    dataset = export_dataset(log, "s", tmp_path / "dataset")
    assert [row["participant_id"] for row in dataset.read("participants").to_pylist()] == ["p2", "p9"]
    assert [row["dialogue_id"] for row in dataset.everything.read("stress").to_pylist()] == ["d2"]
    assert [row["dialogue_id"] for row in dataset.everything.read("annotations").to_pylist()] in ([], ["d2"])


def leave_bytes_behind(log: Log) -> None:
    """Rows that went before the erasure, without their bytes being overwritten, as when pages are split."""

    def write(tx: Transaction) -> None:
        for one in (
            "PRAGMA secure_delete=OFF",
            "CREATE TABLE moved (text TEXT)",
            "INSERT INTO moved VALUES ('" + "once there " * 1000 + "')",
            "DELETE FROM moved",
        ):
            tx.connection.exec_driver_sql(one)

    log.transact_now(write)
    with log.reading() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint")


@pytest.mark.reliability
def test_no_byte_of_it_is_left_in_the_files_of_sqlite(
    tmp_path: Path, note_figures: Callable[..., None]
) -> None:
    url = f"sqlite:///{tmp_path / 'log.sqlite'}"
    with Log.open(url) as log:
        fill(log)
        leave_bytes_behind(log)
        assert b"once there" in (tmp_path / "log.sqlite").read_bytes()
        erase_participant(log, "s", "p1", by="researcher")
        files = [file for file in tmp_path.glob("log.sqlite*") if file.is_file()]
        for trace in (SECRET, "once there"):
            assert not any(trace.encode() in file.read_bytes() for file in files), trace
        assert any(b"a thai place" in file.read_bytes() for file in files)
        note_figures("erasure", where="database file and WAL of SQLite", files=len(files), with_a_trace=0)


@pytest.mark.reliability
@pytest.mark.postgresql
def test_no_byte_of_it_is_left_in_the_files_of_postgresql(
    own_postgresql: Any, tmp_path: Path, note_figures: Callable[..., None]
) -> None:
    """The journal is the administrator's, who lets go of it as the guide says."""
    folder, traces = own_postgresql.pid_file.parent, (SECRET, "prolific-1", "token-1", "caller-1")

    def left() -> set[str]:
        """Where the server still has something of the participant."""
        files = [file for file in folder.rglob("*") if file.is_file()]
        found = [file for file in files if any(one.encode() in file.read_bytes() for one in traces)]
        return {file.relative_to(folder).parts[0] for file in found}

    with psycopg.connect(own_postgresql.url, autocommit=True) as server:
        server.execute("alter system set wal_recycle = off")
        server.execute("select pg_reload_conf()")
        with Log.open(own_postgresql.url, recording_folder=tmp_path / "recordings") as log:
            fill(log)
            server.execute("checkpoint")
            assert left() == {"base", "pg_wal"}
            erase_participant(log, "s", "p1", by="researcher")
            assert texts_of(log) == [None, "a thai place"]
        server.execute("checkpoint")
        assert left() == {"pg_wal"}, "tables were written anew"
        server.execute("select pg_switch_wal()")
        server.execute("checkpoint")
        assert left() == set()
    note_figures("erasure", where="tables, indexes and WAL of PostgreSQL", files_with_a_trace=0)


@pytest.mark.reliability
def test_no_byte_of_it_is_left_in_recordings_and_exports_of_any_level(
    tmp_path: Path, note_figures: Callable[..., None]
) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", recording_folder=tmp_path / "recordings") as log:
        fill(log)
        finds = tmp_path / "finds.csv"
        publish_dataset(
            export_dataset(log, "s", tmp_path / "before"), tmp_path / "public", finds, mask_all=True
        )
        assert "Ada Lovelace" in finds.read_text("utf-8")
        erase_participant(log, "s", "p1", by="researcher")
        with replacing():
            whole = export_dataset(log, "s", tmp_path / "before")
            shared = reduce_dataset(whole, tmp_path / "shared", Level.shareable)
            public = publish_dataset(whole, tmp_path / "public", finds, mask_all=True)
        for made in (whole, shared, public):
            export_csv(made.folder, made.folder / "csv")
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert {"before", "public", "shared", "recordings"} <= {file.parent.name for file in files}
        for file in files:
            content = file.read_bytes()
            for trace in (SECRET, "Ada Lovelace", "prolific-1", "token-1", "ticket-1", "caller-1", "sound 1"):
                assert trace.encode() not in content, (file, trace)
        assert any(b"sound 2" in file.read_bytes() for file in files)
        note_figures(
            "erasure", where="recordings and exports of every level", files=len(files), with_a_trace=0
        )


def test_who_is_not_there_cannot_be_erased_and_nothing_changes(log: Log) -> None:
    fill(log)
    before = everything(log)
    with pytest.raises(InputError, match="participant 'p7' not found"):
        erase_participant(log, "s", "p7", by="researcher")
    with pytest.raises(InputError, match="study other: participant 'p1' not found"):
        erase_participant(log, "other", "p1", by="researcher")
    assert everything(log) == before


def test_the_verb_erases_by_the_identifier_of_the_link_and_tells_what_it_did(tmp_path: Path) -> None:
    write_study(tmp_path / "study", "cambridge-2011", name="s")
    url = f"sqlite:///{tmp_path / 'log.sqlite'}"
    with Log.open(url) as log:
        fill(log)
    words = ["erase", str(tmp_path / "study"), "prolific-1", "--log", url]
    with pytest.raises(InputError, match="prolific-1 was not erased"):
        CliRunner().invoke(app, words, catch_exceptions=False)
    with Log.open(url) as log:
        assert [one.participant_id for one in log.visits("s")] == ["p1", "p2", "p9"]
    result = CliRunner().invoke(app, [*words, "--yes"], catch_exceptions=False)
    assert result.stdout.splitlines() == [
        "erased p1: 1 visit, 10 events",
        "removed their data from 2 events of other participants",
    ]
    with Log.open(url) as log:
        assert [one.participant_id for one in log.visits("s")] == ["p2", "p9"]
