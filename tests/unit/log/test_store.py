"""The log through its front door: append, replay, conflicts, codes, allocation."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from scenes.log_counts import counts_by_system
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import LogError
from vivavoce.log.arena_events import BoutAssigned
from vivavoce.log.call_events import CallConnected, CallRouted
from vivavoce.log.events import TRIAL, CodeEntered, CodeIssued, DialogueAssigned, TrialPaused, VisitOpened
from vivavoce.log.store import Conflict, Log, Transaction
from vivavoce.log.tables import runs


@pytest.fixture
def log(log_url: str) -> Iterator[Log]:
    with Log.open(log_url, ManualClock()) as log:
        yield log


def opened(participant: str = "p1") -> VisitOpened:
    return VisitOpened(study="s", revision="r", participant_id=participant, pool="link", language="en")


def assigned(dialogue: str, system: str, task: str | None = None) -> DialogueAssigned:
    return DialogueAssigned(
        dialogue_id=dialogue,
        step=0,
        round=0,
        system=system,
        task_id=task,
        task=None,
        channel="text",
        spoken=False,
        calls_out=False,
        language="en",
        conversation=f"key-{dialogue}",
    )


def test_seq_counts_from_one_and_events_read_back_as_written(log: Log) -> None:
    first = log.transact_now(lambda tx: tx.append("v1", opened()))
    second = log.transact_now(lambda tx: tx.append("v1", assigned("d1", "a")))
    assert (first.seq, second.seq) == (1, 2)
    assert log.events("v1") == [first, second]
    assert log.events("v1", after=1) == [second]
    assert log.transact_now(lambda tx: tx.last_seq("v1")) == 2
    assert log.transact_now(lambda tx: tx.last_seq("nobody")) == 0


def test_a_repeated_client_key_gives_the_stored_event_and_writes_nothing(log: Log) -> None:
    first = log.transact_now(lambda tx: tx.append("v1", opened(), client_key="k"))
    again = log.transact_now(lambda tx: tx.append("v1", opened("other"), client_key="k", expected_seq=99))
    assert again.replayed and not first.replayed
    assert again.event_id == first.event_id and again.event == first.event
    assert len(log.events("v1")) == 1
    assert not log.transact_now(lambda tx: tx.append("v2", opened(), client_key="k")).replayed


def test_a_wrong_expected_seq_is_a_conflict(log: Log) -> None:
    log.transact_now(lambda tx: tx.append("v1", opened(), expected_seq=0))
    with pytest.raises(Conflict, match="is at event 1, not 0"):
        log.transact_now(lambda tx: tx.append("v1", opened(), expected_seq=0))


def test_an_exception_undoes_only_its_own_function(log: Log) -> None:
    def fails(tx: Transaction) -> None:
        tx.append("bad", opened())
        raise ValueError("mine")

    async def both() -> list[object]:
        good = log.transact(lambda tx: tx.append("good", opened()))
        return await asyncio.gather(log.transact(fails), good, return_exceptions=True)

    failed, good = asyncio.run(both())
    assert isinstance(failed, ValueError)
    assert log.events("bad") == [] and log.events("good") == [good]


def test_codes_are_taken_once_and_used_once(log: Log) -> None:
    def issue(tx: Transaction) -> tuple[bool, bool]:
        tx.append("v1", opened())
        tx.append("v1", assigned("d1", "a"))
        taken = tx.reserve_code("1234", "d1", "v1")
        tx.append("v1", CodeIssued(dialogue_id="d1", code="1234"))
        return taken, tx.reserve_code("1234", "d2", "v1")

    assert log.transact_now(issue) == (True, False)
    found = log.transact_now(lambda tx: tx.find_code("1234"))
    assert found is not None and (found.dialogue_id, found.used_at) == ("d1", None)
    assert log.transact_now(lambda tx: tx.use_code("1234")) is True
    log.transact_now(lambda tx: tx.append("v1", CodeEntered(entered="1234", accepted=True, dialogue_id="d1")))
    assert log.transact_now(lambda tx: tx.use_code("1234")) is False
    assert log.transact_now(lambda tx: tx.use_code("9999")) is False
    state = log.dialogue("d1")
    assert state is not None and state.code_issued


def test_a_code_that_another_dialogue_holds_cannot_be_issued(log: Log) -> None:
    log.transact_now(lambda tx: tx.append("v1", CodeIssued(dialogue_id="d1", code="1")))
    with pytest.raises(Conflict, match="already in the log"):
        log.transact_now(lambda tx: tx.append("v2", CodeIssued(dialogue_id="d2", code="1")))
    assert log.events("v2") == []


def test_a_ticket_leads_to_its_visit_and_to_no_second_one(log: Log) -> None:
    def begin(tx: Transaction, visit: str, token: str) -> None:
        tx.bind_visit(visit, "s", "p1", "link", token, "ticket")
        tx.append(visit, opened())

    log.transact_now(lambda tx: begin(tx, "v1", "t1"))
    for visit in (
        log.transact_now(lambda tx: tx.visit_by_ticket("s", "link", "ticket")),
        log.transact_now(lambda tx: tx.visit_by_token("t1")),
        log.visit("v1"),
    ):
        assert visit is not None and (visit.visit_id, visit.status) == ("v1", "running")
    with pytest.raises(Conflict, match="to a visit"):
        log.transact_now(lambda tx: begin(tx, "v2", "t2"))
    assert log.transact_now(lambda tx: tx.visit_by_ticket("s", "prolific", "ticket")) is None
    assert [v.visit_id for v in log.transact_now(lambda tx: tx.visits_of_participant("s", "p1"))] == ["v1"]


def test_counts_and_used_tasks_follow_the_assignments(log: Log) -> None:
    def history(tx: Transaction) -> None:
        tx.append("v1", opened())
        tx.append("v1", assigned("d1", "a", "t1"))
        tx.append("v1", assigned("d2", "b", "t2"))
        tx.append("v1", assigned("d3", "a"))

    log.transact_now(history)
    assert log.transact_now(lambda tx: tx.allocation_counts("s")) == [("a", 2, 0), ("b", 1, 0)]
    assert log.transact_now(lambda tx: tx.allocation_counts("s", simulated=True)) == []
    assert log.transact_now(lambda tx: tx.participant_counts("s", "p1")) == {"a": 2, "b": 1}
    assert log.transact_now(lambda tx: tx.used_tasks("s", "p1")) == {"t1", "t2"}
    assert counts_by_system(log, "s")["a"] == {
        "participants": 1,
        "dialogues": 2,
        "running": 2,
        "completed": 0,
        "failed": 0,
        "abandoned": 0,
    }


def test_meetings_are_counted_apart_for_people_and_programs_and_for_each_study(log: Log) -> None:
    def meet(
        tx: Transaction, visit: str, participant: str, study: str, left: str, right: str, *, program: bool
    ) -> None:
        tx.append(visit, opened(participant).model_copy(update={"study": study, "simulated": program}))
        for side in (left, right):
            tx.append(visit, assigned(f"{visit}-{side}", side))
        tx.append(
            visit,
            BoutAssigned(
                bout_id=visit,
                step=0,
                round=0,
                left_dialogue_id=f"{visit}-{left}",
                right_dialogue_id=f"{visit}-{right}",
                left_system=left,
                right_system=right,
            ),
        )

    def history(tx: Transaction) -> None:
        meet(tx, "v1", "p1", "s", "a", "b", program=False)
        meet(tx, "v2", "p2", "s", "b", "a", program=True)
        meet(tx, "v3", "p3", "other", "a", "b", program=False)

    log.transact_now(history)
    assert log.transact_now(lambda tx: tx.bouts("s")) == {("a", "b"): 1, ("b", "a"): 1}
    assert log.transact_now(lambda tx: tx.bouts("s", simulated=False)) == {("a", "b"): 1}
    assert log.transact_now(lambda tx: tx.bouts("s", simulated=True)) == {("b", "a"): 1}
    assert log.transact_now(lambda tx: tx.bouts("s", "p2")) == {("b", "a"): 1}


def test_calls_are_counted_for_the_system_that_took_them(log: Log) -> None:
    def connected(dialogue_id: str, caller: str | None) -> CallConnected:
        return CallConnected(
            dialogue_id=dialogue_id, call_id="c", adapter="sip", caller=caller, joined_by="pin"
        )

    def history(tx: Transaction) -> None:
        tx.append("v1", opened())
        for dialogue_id, caller in (("d1", "x"), ("d2", "y"), ("d3", None)):
            tx.append("v1", assigned(dialogue_id, "a"))
            if dialogue_id == "d2":
                routed = CallRouted(
                    dialogue_id="d2",
                    system="b",
                    condition=None,
                    factors={},
                    rule="random",
                    counted_by="caller",
                    calls_before={},
                )
                tx.append("v1", routed)
            tx.append("v1", connected(dialogue_id, caller))
        tx.append("v1", assigned("d4", "a"))  # nobody called

    log.transact_now(history)
    assert log.transact_now(lambda tx: tx.call_counts("s")) == {"a": 2, "b": 1}
    assert log.transact_now(lambda tx: tx.call_counts("s", caller="y")) == {"b": 1}
    assert log.transact_now(lambda tx: tx.call_counts("s", participant_id="p1")) == {"a": 2, "b": 1}
    assert log.transact_now(lambda tx: tx.call_counts("other")) == {}


def test_two_hundred_arrivals_at_once_are_balanced(log: Log) -> None:
    def arrive(tx: Transaction, number: int) -> None:
        running = {"a": 0, "b": 0} | {system: count for system, count, _ in tx.allocation_counts("s")}
        tx.append(f"v{number}", opened(f"p{number}"))
        tx.append(f"v{number}", assigned(f"d{number}", min(running, key=running.__getitem__)))

    async def all_at_once() -> None:
        await asyncio.gather(*(log.transact(lambda tx, n=n: arrive(tx, n)) for n in range(200)))

    asyncio.run(all_at_once())
    assert Counter(state.system for state in log.dialogues("s")) == {"a": 100, "b": 100}


def test_order_is_by_seq_when_the_wall_clock_steps_back(log_url: str) -> None:
    clock = ManualClock()
    with Log.open(log_url, clock) as log:
        for number in range(6):
            event = assigned(f"d{number}", "a") if number else opened()
            log.transact_now(lambda tx, event=event: tx.append("v1", event))
            clock.advance(1)
            clock.step_wall(-86_400)
        stored = log.events("v1")
        assert [event.seq for event in stored] == [1, 2, 3, 4, 5, 6]
        assert [event.at for event in stored] == sorted((event.at for event in stored), reverse=True)
        assert [event.monotonic_s for event in stored] == [0, 1, 2, 3, 4, 5]
        assert [state.dialogue_id for state in log.dialogues("s")] == ["d1", "d2", "d3", "d4", "d5"]


def test_a_log_opened_again_goes_on_where_it_was(log_url: str) -> None:
    with Log.open(log_url) as first:
        first.transact_now(lambda tx: tx.append("v1", opened()))
    with Log.open(log_url) as second:
        assert second.transact_now(lambda tx: tx.append("v1", assigned("d1", "a"))).seq == 2
        assert second.boot != first.boot


def test_two_processes_may_append_to_the_stream_of_the_trial(log_url: str) -> None:
    with Log.open(log_url) as serve, Log.open(log_url) as desk:
        pause = TrialPaused(reason="r", by="b")

        async def both() -> None:
            logs = [serve, desk] * 50
            await asyncio.gather(*(log.transact(lambda tx: tx.append(TRIAL, pause)) for log in logs))

        asyncio.run(both())
        assert [stored.seq for stored in serve.trial_events()] == list(range(1, 101))


def test_text_of_every_kind_survives(log: Log) -> None:
    strange = "nul \0, emoji 😀, quotes '\" , \u2028 and a backslash \\u0000"
    pause = TrialPaused(reason=strange, by="b")
    log.transact_now(lambda tx: tx.append(TRIAL, pause))
    assert log.trial_events()[0].event == pause


def test_a_closed_log_and_a_nested_transaction_say_so(log: Log) -> None:
    with pytest.raises(LogError, match="nested transactions"):
        log.transact_now(lambda tx: log.transact_now(lambda inner: inner.last_seq("v1")))
    log.close_now()
    with pytest.raises(LogError, match="the log is closed"):
        log.transact_now(lambda tx: tx.last_seq("v1"))


def test_each_process_leaves_signs_of_its_own(tmp_path: Path) -> None:
    url, clock = f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock()
    with Log.open(url, clock) as serve, Log.open(url, clock) as desk:
        for log in (serve, desk, desk):
            log.transact_now(lambda tx: tx.leave_sign())
            clock.advance(60)
        with serve.reading() as connection:
            signs = {row.boot: row.last_at for row in connection.execute(select(runs))}
    began = ManualClock().now()
    assert signs[serve.boot] == began and signs[desk.boot] == began + timedelta(seconds=120)


@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns", "Asia/Kathmandu"])
def test_instants_are_the_same_wherever_the_machine_stands(
    log_url: str, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zones half and three quarters of an hour off the others, on both sides of Greenwich."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        with Log.open(log_url, ManualClock()) as log:
            stored = log.transact_now(lambda tx: tx.append("v1", opened()))
            (read,) = log.events("v1")
            visit = log.visit("v1")
        assert read.at == stored.at == ManualClock().now() and visit is not None
        assert (visit.opened_at, visit.opened_at.utcoffset()) == (stored.at, timedelta(0))
    finally:
        monkeypatch.undo()
        time.tzset()
