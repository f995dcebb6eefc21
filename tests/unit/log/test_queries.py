"""Reading the log from outside: for the dashboard and the curious."""

from collections.abc import Iterator

import pytest

from scenes.log_counts import counts_by_system, study_names
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import (
    TRIAL,
    CodeEntered,
    DialogueAssigned,
    DialogueEnded,
    DialogueOpened,
    TrialPaused,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.store import Log, Transaction


def visit(tx: Transaction, name: str, system: str, reason: str | None, *, over: bool) -> None:
    tx.append(
        name, VisitOpened(study="s", revision="r", participant_id=f"p-{name}", pool="link", language="en")
    )
    dialogue = f"d-{name}"
    tx.append(
        name,
        DialogueAssigned(
            dialogue_id=dialogue,
            step=0,
            round=0,
            system=system,
            task_id=None,
            task=None,
            channel="text",
            spoken=False,
            calls_out=False,
            language="en",
            conversation="c",
        ),
    )
    tx.append(name, DialogueOpened(dialogue_id=dialogue))
    tx.append(name, UserTurnSent(dialogue_id=dialogue, turn_index=0, text="hi"))
    tx.append(name, CodeEntered(entered="1", accepted=False, problem="unknown"))
    if reason:
        tx.append(name, DialogueEnded(dialogue_id=dialogue, reason=reason, user_turns=1))
    if over:
        tx.append(name, VisitEnded(outcome="completed"))


@pytest.fixture
def log(log_url: str) -> Iterator[Log]:
    with Log.open(log_url, ManualClock()) as log:
        log.transact_now(lambda tx: visit(tx, "v1", "a", "user", over=True))
        log.transact_now(lambda tx: visit(tx, "v2", "a", "failure", over=False))
        log.transact_now(lambda tx: visit(tx, "v3", "b", None, over=True))
        log.transact_now(lambda tx: visit(tx, "v4", "b", None, over=False))
        yield log


def test_visits_are_listed_as_they_were_opened(log: Log) -> None:
    assert study_names(log) == ["s"]
    assert [one.visit_id for one in log.visits("s")] == ["v1", "v2", "v3", "v4"]
    assert [one.visit_id for one in log.visits("s", running=True)] == ["v2", "v4"]
    assert [one.visit_id for one in log.visits("s", running=False)] == ["v1", "v3"]
    first = log.visit("v1")
    assert first is not None and (first.status, first.outcome, first.last_seq) == ("ended", "completed", 7)
    assert log.visit("v9") is None and log.visits("other") == []


def test_the_end_of_a_visit_abandons_what_was_still_running(log: Log) -> None:
    assert [(one.dialogue_id, one.status, one.user_turns) for one in log.dialogues("s")] == [
        ("d-v1", "completed", 1),
        ("d-v2", "failed", 1),
        ("d-v3", "abandoned", 1),
        ("d-v4", "running", 1),
    ]
    assert [one.dialogue_id for one in log.dialogues("s", system="b")] == ["d-v3", "d-v4"]
    assert counts_by_system(log, "s") == {
        "a": {"participants": 2, "dialogues": 2, "running": 0, "completed": 1, "failed": 1, "abandoned": 0},
        "b": {"participants": 2, "dialogues": 2, "running": 1, "completed": 0, "failed": 0, "abandoned": 1},
    }


def test_the_history_of_a_dialogue_holds_the_events_of_its_dialogue_alone(log: Log) -> None:
    dialogue = log.dialogue_history("d-v1")
    assert dialogue is not None
    kinds = [stored.event.kind for stored in dialogue.events]
    assert kinds == ["dialogue_assigned", "dialogue_opened", "user_turn_sent", "dialogue_ended"]
    assert log.dialogue_history("d-v9") is None and log.dialogue("d-v9") is None


def test_all_events_come_in_the_order_of_commit(log: Log) -> None:
    log.transact_now(lambda tx: tx.append(TRIAL, TrialPaused(reason="r", by="b")))
    positions = [stored.position for stored in log.all_events()]
    assert positions == sorted(positions) and len(positions) == 7 + 6 + 6 + 5 + 1
    (last,) = log.all_events(after=positions[-2])
    assert last.visit_id == TRIAL and log.trial_events() == [last]


def test_revisions_of_a_study_are_kept_once_each(log: Log) -> None:
    for revision in ("r1", "r2", "r1"):
        log.transact_now(
            lambda tx, revision=revision: tx.record_study(
                "s", revision, f"file {revision}", [{"slot": "food"}]
            )
        )
    records = log.study_records("s")
    assert [(one.revision, one.file) for one in records] == [("r1", "file r1"), ("r2", "file r2")]
    assert records[0].entities == [{"slot": "food"}]
