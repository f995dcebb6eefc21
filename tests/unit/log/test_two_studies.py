"""Two studies in one log know nothing of each other: every question has the answer that it has alone."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scenes.log_counts import counts_by_system, study_names
from vivavoce.core.clock import ManualClock
from vivavoce.log.arena_events import BoutAssigned
from vivavoce.log.call_events import CallConnected, CallPlaced, CallRouted, CallsUnwanted
from vivavoce.log.event import LoggedRating
from vivavoce.log.events import (
    DialogueAssigned,
    DialogueEnded,
    DialogueOpened,
    QuestionnaireAnswered,
    StepFinished,
    StimuliPlanned,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.stimulus_rows import stimulus_visits
from vivavoce.log.store import Log, Transaction
from vivavoce_speech.telephony.outbound import placed_since, unwanted

Ask = Callable[[Log, Transaction, str], Any]
PLAN = (StimuliPlanned, StepFinished)


def fill(log: Log, study: str, clock: ManualClock) -> None:
    """Visits of p1 (twice), p2 and a program p3 with systems a and b."""
    people = (("p1", False, "a"), ("p2", False, "b"), ("p3", True, "a"), ("p1", False, "b"))
    for number, (person, simulated, system) in enumerate(people):
        visit = f"{study}-v{number}"
        log.transact_now(lambda tx, row=(visit, person, simulated): begin(tx, study, *row))
        log.transact_now(lambda tx, row=(visit, number, system): hold(tx, study, *row))
        clock.advance(60)


def begin(tx: Transaction, study: str, visit: str, person: str, simulated: bool) -> None:
    tx.bind_visit(visit, study, person, "link", f"token-{visit}", f"ticket-{visit}", f"key-{visit}")
    tx.append(
        visit,
        VisitOpened(
            study=study, revision="r", participant_id=person, pool="link", language="en", simulated=simulated
        ),
    )
    tx.record_study(study, f"revision of {visit}", f"study: {study}")


def hold(tx: Transaction, study: str, visit: str, number: int, system: str) -> None:
    """A dialogue by telephone with a recording; bouts and a plan's slot beside it."""
    dialogue = f"d-{visit}"
    for step, (name, first) in enumerate((("compare", 10), ("rate", 20))):
        tx.append(visit, StimuliPlanned(step=step, name=name, slot=first + number, stimuli=[]))
    tx.append(
        visit,
        BoutAssigned(
            bout_id=f"b-{visit}",
            step=0,
            round=0,
            left_dialogue_id=f"l-{visit}",
            right_dialogue_id=f"r-{visit}",
            left_system="a",
            right_system="b",
        ),
    )
    tx.append(
        visit,
        DialogueAssigned(
            dialogue_id=dialogue,
            step=1,
            round=0,
            system=system,
            task_id=f"t{number}",
            task=None,
            channel="phone",
            spoken=True,
            calls_out=True,
            language="en",
            conversation=visit,
        ),
    )
    call = {"dialogue_id": dialogue, "call_id": f"c-{visit}"}
    tx.append(visit, CallPlaced(study=study, callee=f"callee{number % 2}", **call))
    tx.append(visit, CallConnected(adapter="sip", caller=f"caller{number % 2}", joined_by="placed", **call))
    tx.append(
        visit,
        CallRouted(
            dialogue_id=dialogue,
            system=system,
            condition=None,
            factors={},
            rule="random",
            counted_by="caller",
            calls_before={},
        ),
    )
    tx.append(visit, DialogueOpened(dialogue_id=dialogue))
    for index in range(number + 1):
        tx.append(visit, UserTurnSent(dialogue_id=dialogue, turn_index=index, text="hello"))
    tx.append(
        visit,
        RecordingStored(
            recording_id=f"rec-{visit}",
            file=f"{visit}.flac",
            sha256="0",
            byte_count=1,
            media_type="audio/flac",
            content="turn",
            speakers=["user"],
            sample_rate_hz=8000,
            frames=8000,
            duration_s=1.0,
            dialogue_id=dialogue,
        ),
    )
    for item, value in (("age", 1.0 + number % 2), ("other", 1.0)):
        rating = LoggedRating(item_id=item, value=value, answer=None)
        tx.append(
            visit,
            QuestionnaireAnswered(
                step=0,
                round=None,
                dialogue_id=None,
                instrument=f"form{number // 3}",
                wording="w",
                language="en",
                ratings=[rating],
            ),
        )
    if number == 1:
        tx.append(visit, CallsUnwanted(study=study, callee="callee1"))
    if number != 3:
        tx.append(visit, DialogueEnded(dialogue_id=dialogue, reason="user", user_turns=number + 1))
        tx.append(visit, StepFinished(step=0, name="compare", total_s=9.0, accepted=number != 1))
        tx.append(visit, StepFinished(step=1, name="rate", total_s=9.0))
        tx.append(visit, VisitEnded(outcome="completed"))


START = ManualClock().now()
LAST = START + timedelta(seconds=180)  # when p1 did something last
QUESTIONS: dict[str, tuple[Ask, Any]] = {
    "visits": (lambda log, tx, s: log.visits(s), 4),
    "visits running": (lambda log, tx, s: log.visits(s, running=True), 1),
    "visits ended": (lambda log, tx, s: log.visits(s, running=False), 3),
    "scopes": (lambda log, tx, s: log.visits_by_scope(s), {"people": 3, "simulated": 1}),
    "collected": (
        lambda log, tx, s: {scope: (one.visits, one.dialogues) for scope, one in log.collected(s).items()},
        {"people": (3, 3), "simulated": (1, 1)},
    ),
    "dialogues": (lambda log, tx, s: log.dialogues(s), 4),
    "dialogues of a": (lambda log, tx, s: log.dialogues(s, system="a"), 2),
    "dialogues of people": (lambda log, tx, s: log.dialogues(s, scope="people"), 3),
    "dialogues of programs": (lambda log, tx, s: log.dialogues(s, scope="simulated"), 1),
    "recordings": (lambda log, tx, s: log.recordings(s), 4),
    "recordings of a visit": (lambda log, tx, s: log.recordings(visit_id=f"{s}-v1"), 1),
    "recordings of a dialogue": (lambda log, tx, s: log.recordings(dialogue_id=f"d-{s}-v1"), 1),
    "statuses": (
        lambda log, tx, s: {
            name: (one["dialogues"], one["running"], one["completed"], one["participants"])
            for name, one in counts_by_system(log, s).items()
        },
        {"a": (2, 0, 2, 2), "b": (2, 1, 1, 2)},
    ),
    "turns": (lambda log, tx, s: log.user_turns_by_system(s), {"a": 4, "b": 6}),
    "revisions": (lambda log, tx, s: len({one.revision for one in log.study_records(s)}), 4),
    "idle": (lambda log, tx, s: log.idle_visits(s, START + timedelta(days=1)), 1),
    "not idle": (lambda log, tx, s: log.idle_visits(s, START), 0),
    "idle since a moment ago": (
        lambda log, tx, s: [len(log.idle_visits(s, LAST + timedelta(seconds=more))) for more in (0, 1)],
        [0, 1],
    ),
    "still at their stimuli": (
        lambda log, tx, s: [
            [
                one.held
                for one in stimulus_visits(
                    tx.connection, "rate", LoggedRating, LoggedRating, study=s, since=since, simulated=False
                )
            ]
            for since in (None, LAST, LAST + timedelta(seconds=1))
        ],
        [[False, False, True], [False, False, True], [False, False, False]],
    ),
    "stimuli of programs and of all": (
        lambda log, tx, s: [
            [
                one.participant_id
                for one in stimulus_visits(
                    tx.connection, "rate", LoggedRating, LoggedRating, study=s, simulated=simulated
                )
            ]
            for simulated in (True, None)
        ],
        [["p3"], ["p1", "p2", "p3", "p1"]],
    ),
    "slots since a moment ago": (
        lambda log, tx, s: [
            tx.plan_slots(s, *PLAN, name="compare", simulated=False, since=LAST + timedelta(seconds=more))
            for more in (0, 1)
        ],
        [{10, 13}, {10}],
    ),
    "token": (lambda log, tx, s: log.visit_by_token(s, f"token-{s}-v2"), "{s}-v2"),
    "token elsewhere": (lambda log, tx, s: log.visit_by_token("elsewhere", f"token-{s}-v2"), None),
    "allocation": (lambda log, tx, s: tx.allocation_counts(s), [("a", 0, 2), ("b", 1, 1)]),
    "allocation to people": (
        lambda log, tx, s: tx.allocation_counts(s, simulated=False),
        [("a", 0, 1), ("b", 1, 1)],
    ),
    "allocation to programs": (lambda log, tx, s: tx.allocation_counts(s, simulated=True), [("a", 0, 1)]),
    "of p1": (lambda log, tx, s: tx.participant_counts(s, "p1"), {"a": 1, "b": 1}),
    "answers": (
        lambda log, tx, s: [
            tx.answered_count(s, *asked, simulated=simulated)
            for asked in (
                ("form0", "age", 1),
                ("form0", "age", 2),
                ("form0", "other", 1),
                ("form1", "age", 2),
            )
            for simulated in (False, True)
        ],
        [1, 1, 1, 0, 2, 1, 1, 0],
    ),
    "calls": (lambda log, tx, s: tx.call_counts(s), {"a": 2, "b": 2}),
    "calls of a caller": (lambda log, tx, s: tx.call_counts(s, caller="caller1"), {"b": 2}),
    "calls of p2": (lambda log, tx, s: tx.call_counts(s, participant_id="p2"), {"b": 1}),
    "answers of who left": (
        lambda log, tx, s: tx.answered_count(s, "form0", "age", 3, simulated=False),
        0,
    ),
    "tasks": (lambda log, tx, s: tx.used_tasks(s, "p1"), {"t0", "t3"}),
    "slots of people": (
        lambda log, tx, s: tx.plan_slots(s, *PLAN, name="compare", simulated=False, since=START),
        {10, 13},
    ),
    "slots of another step": (
        lambda log, tx, s: tx.plan_slots(s, *PLAN, name="rate", simulated=False, since=START),
        {20, 21, 23},
    ),
    "slots of programs": (
        lambda log, tx, s: tx.plan_slots(s, *PLAN, name="compare", simulated=True, since=START),
        {12},
    ),
    "slots long after": (
        lambda log, tx, s: tx.plan_slots(
            s, *PLAN, name="compare", simulated=False, since=START + timedelta(days=1)
        ),
        {10},
    ),
    "bouts": (lambda log, tx, s: tx.bouts(s), {("a", "b"): 4}),
    "bouts of p1": (lambda log, tx, s: tx.bouts(s, "p1"), {("a", "b"): 2}),
    "bouts of programs": (lambda log, tx, s: tx.bouts(s, simulated=True), {("a", "b"): 1}),
    "bouts of people": (lambda log, tx, s: tx.bouts(s, simulated=False), {("a", "b"): 3}),
    "visits of p1": (
        lambda log, tx, s: [one.visit_id for one in tx.visits_of_participant(s, "p1")],
        ["{s}-v0", "{s}-v3"],
    ),
    "ticket": (lambda log, tx, s: tx.visit_by_ticket(s, "link", f"ticket-{s}-v1").visit_id, "{s}-v1"),
    "ticket of another pool": (lambda log, tx, s: tx.visit_by_ticket(s, "panel", f"ticket-{s}-v1"), None),
    "page": (
        lambda log, tx, s: (tx.opened_by(f"{s}-v1", f"key-{s}-v1"), tx.opened_by(f"{s}-v1", f"key-{s}-v2")),
        (True, False),
    ),
    "placed": (
        lambda log, tx, s: tuple(
            placed_since(tx.connection, s, START, callee="callee0", dialogue_id=f"d-{s}-v0")
        ),
        (4, 2, 1),
    ),
    "placed lately": (
        lambda log, tx, s: tuple(
            placed_since(
                tx.connection, s, START + timedelta(seconds=120), callee="callee1", dialogue_id=f"d-{s}-v0"
            )
        ),
        (2, 1, 1),
    ),
    "unwanted": (
        lambda log, tx, s: (unwanted(tx.connection, s, "callee1"), unwanted(tx.connection, s, "callee0")),
        (True, False),
    ),
}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    """A log of three studies that were filled alike, at the same time of the day."""
    clock, folder = ManualClock(), tmp_path_factory.mktemp("two")
    with Log.open(f"sqlite:///{Path(folder) / 'log.db'}", clock) as log:
        began = clock.now()
        for study in ("other", "s", "last"):
            fill(log, study, clock)
            clock.step_wall((began - clock.now()).total_seconds())
        yield log


def named(expected: Any, study: str) -> Any:
    if isinstance(expected, list):
        return [named(one, study) for one in expected]
    return expected.format(s=study) if isinstance(expected, str) else expected


@pytest.mark.parametrize("study", ["other", "s", "last"])
def test_a_study_is_answered_as_if_it_were_alone(log: Log, study: str) -> None:
    for question, (ask, expected) in QUESTIONS.items():
        found = log.transact_now(partial(asked, ask, log, study))
        if isinstance(expected, int) and isinstance(found, list):
            found = len(found)
        assert found == named(expected, study), question


def asked(ask: Any, log: Log, study: str, tx: Any) -> Any:
    return ask(log, tx, study)


def test_a_study_that_nobody_served_has_nothing(log: Log) -> None:
    assert (log.visits("none"), log.dialogues("none"), log.recordings("none")) == ([], [], [])
    assert study_names(log) == ["last", "other", "s"]
