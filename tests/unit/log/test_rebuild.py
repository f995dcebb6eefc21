"""Whatever happened, the projections come out of the events again as they were."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select, update

from vivavoce.core.clock import ManualClock
from vivavoce.log.events import (
    TRIAL,
    CodeEntered,
    CodeIssued,
    DialogueAssigned,
    DialogueEnded,
    DialogueOpened,
    Event,
    LanguageChosen,
    TrialPaused,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import PROJECTIONS, codes, dialogues
from vivavoce.log.verification import rebuild

VISITS = ["v1", "v2", "v3"]
dialogue_numbers = st.integers(0, 3)
moves = st.one_of(
    st.tuples(st.just("assign"), st.sampled_from(["a", "b"])),
    st.tuples(st.just("open"), dialogue_numbers),
    st.tuples(st.just("say"), dialogue_numbers),
    st.tuples(st.just("end"), dialogue_numbers, st.sampled_from(["user", "limit", "failure", "abandoned"])),
    st.tuples(st.just("issue"), dialogue_numbers),
    st.tuples(st.just("enter"), dialogue_numbers, st.booleans()),
    st.tuples(st.just("language"), st.sampled_from(["en", "it"])),
    st.tuples(st.just("pause")),
    st.tuples(st.just("leave"), st.sampled_from(["completed", "withdrew"])),
)
histories = st.lists(st.tuples(st.sampled_from(VISITS), moves, st.integers(-5, 5)), max_size=25)


def play(tx: Transaction, visit_id: str, move: tuple[Any, ...]) -> None:
    """One move as the session would make it: the event, and the reservations that go with it."""
    if tx.last_seq(visit_id) == 0:
        tx.append(
            visit_id,
            VisitOpened(study="s", revision="r", participant_id=f"p-{visit_id}", pool="link", language="en"),
        )
    name = f"{visit_id}-{move[1]}" if len(move) > 1 else visit_id
    event: Event
    match move[0]:
        case "assign":
            event = DialogueAssigned(
                dialogue_id=f"{visit_id}-{sum(tx.participant_counts('s', f'p-{visit_id}').values())}",
                step=0,
                round=0,
                system=move[1],
                task_id=None,
                task=None,
                channel="text",
                spoken=False,
                calls_out=False,
                language="en",
                conversation="c",
            )
        case "open":
            event = DialogueOpened(dialogue_id=name)
        case "say":
            event = UserTurnSent(dialogue_id=name, turn_index=0, text="hi")
        case "end":
            event = DialogueEnded(dialogue_id=name, reason=move[2], user_turns=0)
        case "issue":
            if not tx.reserve_code(name, name, visit_id):
                return
            event = CodeIssued(dialogue_id=name, code=name)
        case "enter":
            accepted = move[2] and tx.use_code(name)
            event = CodeEntered(entered=name, accepted=accepted)
        case "language":
            event = LanguageChosen(language=move[1])
        case "pause":
            visit_id, event = TRIAL, TrialPaused(reason="r", by="b")
        case _:
            event = VisitEnded(outcome=move[1])
    tx.append(visit_id, event)


def snapshot(log: Log) -> dict[str, list[tuple[Any, ...]]]:
    with log.reading() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in PROJECTIONS
        }


def play_and_rebuild(log: Log, clock: ManualClock, history: list[Any]) -> tuple[Any, Any]:
    for visit_id, move, step_s in history:
        clock.advance(1)
        clock.step_wall(step_s)
        log.transact_now(lambda tx, visit_id=visit_id, move=move: play(tx, visit_id, move))
    before = snapshot(log)
    rebuild(log)
    return before, snapshot(log)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(history=histories)
def test_rebuilding_gives_identical_tables(
    tmp_path_factory: pytest.TempPathFactory, history: list[Any]
) -> None:
    clock = ManualClock()
    with Log.open(f"sqlite:///{tmp_path_factory.mktemp('log') / 'log.sqlite'}", clock) as log:
        before, after = play_and_rebuild(log, clock, history)
    assert after == before


LONG_HISTORY = [
    ("v1", ("assign", "a"), 0),
    ("v2", ("assign", "b"), 1),
    ("v1", ("open", 0), -5),
    ("v1", ("say", 0), 0),
    ("v1", ("end", 0, "user"), 0),
    ("v1", ("issue", 0), 2),
    ("v1", ("enter", 0, True), 0),
    ("v2", ("open", 0), 0),
    ("v2", ("say", 0), -4),
    ("v2", ("leave", "withdrew"), 0),
    ("v3", ("pause",), 0),
    ("v3", ("language", "it"), 0),
    ("v1", ("assign", "b"), 0),
    ("v1", ("issue", 1), 0),
]


def test_rebuilding_mends_what_was_damaged(log_url: str) -> None:
    clock = ManualClock()
    with Log.open(log_url, clock) as log:
        before, after = play_and_rebuild(log, clock, LONG_HISTORY)
        assert after == before
        assert len(before["dialogues"]) == 3 and len(before["codes"]) == 2

        def damage(tx: Transaction) -> None:
            tx.connection.execute(update(dialogues).values(status="completed", user_turns=7))
            tx.connection.execute(
                insert(codes).values(code="x", dialogue_id="d", visit_id="v", issued_at=clock.now())
            )

        log.transact_now(damage)
        assert snapshot(log) != before
        rebuild(log)
        assert snapshot(log) == before
