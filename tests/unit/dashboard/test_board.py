"""What the dashboard knows of a trial is what the log says, however it was read."""

from types import ModuleType

import pytest

from scenes.log_counts import counts_by_system
from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.progress import Bar, progress, whereabouts
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.model import Study


def cards(board: Board) -> dict[str, object]:
    return board.see(lambda board: {"dialogues": dict(board.dialogues), "incidents": list(board.incidents)})


def test_the_numbers_by_system_are_those_of_the_log(study: Study, log: Log) -> None:
    counts, shown = counts_by_system(log, study.name), Board(study, log).see(progress)
    assert [row.system for row in shown.systems] == list(study.systems)
    for row in shown.systems:
        shown_as = dict(row.by_status)
        shown_as["completed"] += shown_as.pop("excluded")  # the log knows no rules
        assert shown_as == {name: counts[row.system][name] for name in shown_as}
        assert row.dialogues == counts[row.system]["dialogues"] > 10
        assert row.participants == counts[row.system]["participants"]
    found = {name for name, number in shown.all.by_status.items() if number}
    assert found - {"excluded"} == {"running", "completed", "failed", "abandoned"}
    assert sum(shown.visits.values()) == len(log.visits(study.name))
    assert shown.position == log.trial_events()[-1].position if log.trial_events() else shown.position > 0


def test_the_spread_counts_every_participant_once(study: Study, log: Log) -> None:
    shown = Board(study, log).see(progress)
    assert sum(bar.value for bar in shown.spread) == shown.all.participants
    assert sum(int(bar.label) * bar.value for bar in shown.spread) == shown.all.dialogues
    assert shown.all.mean == shown.all.dialogues / shown.all.participants


def test_many_dialogues_of_one_person_share_the_last_bar(
    trial: ModuleType, study: Study, empty_log: Log, clock: ManualClock
) -> None:
    caller = trial.Caller(empty_log, study, clock, "busy")
    caller.begin()
    for _ in range(17):
        caller.assign("nbest", study.tasks[0])
    spread = Board(study, empty_log).see(progress).spread
    assert len(spread) == 15 and spread[-1] == Bar("15+", 1, "/visits/all?held=15%2B")


def test_a_board_carried_on_equals_one_made_anew(
    trial: ModuleType, study: Study, log: Log, clock: ManualClock
) -> None:
    carried = Board(study, log)
    for _ in range(3):
        cards(carried)
        trial.fill(log, study, clock, participants=1, seed=clock.now().microsecond + len(carried.visits))
    assert cards(carried) == cards(Board(study, log))


def test_what_a_system_says_after_its_participant_has_withdrawn_is_counted(
    trial: ModuleType, study: Study, empty_log: Log, clock: ManualClock
) -> None:
    caller, carried = trial.Caller(empty_log, study, clock, "gone"), Board(study, empty_log)
    caller.begin()
    dialogue = caller.assign("nbest", study.tasks[0])
    caller.add(events.UserTurnSent(dialogue_id=dialogue, turn_index=0, text="Good bye"))
    caller.add(events.VisitEnded(outcome="withdrew"))
    cards(carried)
    late = [events.LoggedMessage(text="Which Part of Town?")]
    caller.add(events.SystemTurnReceived(dialogue_id=dialogue, turn_index=1, reply_to=0, messages=late))
    caller.add(events.SystemTurnFailed(dialogue_id=dialogue, reply_to=None, failure="timeout", detail=""))
    for board in (carried, Board(study, empty_log)):
        card, incidents = board.see(lambda board: (board.dialogues[dialogue], board.incidents))
        assert (card.user_turns, card.system_turns, card.failures, card.status) == (1, 1, 1, "abandoned")
        assert card.says("part of town") and [one.system for one in incidents] == ["nbest"]


def test_a_dialogue_that_withdrawing_cut_off_was_abandoned(
    trial: ModuleType, study: Study, empty_log: Log, clock: ManualClock
) -> None:
    for name, later_s in (("cut", 0.0), ("after", 20.0)):
        caller = trial.Caller(empty_log, study, clock, name)
        caller.begin()
        dialogue = caller.assign("nbest", study.tasks[0])
        caller.add(events.DialogueEnded(dialogue_id=dialogue, reason="user", user_turns=1))
        clock.advance(later_s)
        caller.add(events.VisitEnded(outcome="withdrew"))
        card = Board(study, empty_log).see(lambda board, key=dialogue: board.dialogues[key])
        known = empty_log.dialogue(dialogue)
        assert known is not None
        expected = "abandoned" if name == "cut" else "completed"
        assert [card.status, known.status] == [expected] * 2, "logs of before say: user"


def test_another_study_in_the_same_log_is_not_counted(
    trial: ModuleType, study: Study, log: Log, clock: ManualClock
) -> None:
    before = Board(study, log).see(progress)
    other = study.model_copy(update={"name": "another-study"})
    trial.fill(log, other, clock, participants=1, seed=99)
    after = Board(study, log).see(progress)
    assert after.all.dialogues == before.all.dialogues and after.visits == before.visits
    assert Board(other, log).see(progress).all.dialogues > 0


def test_running_visits_say_where_everybody_is(study: Study, log: Log, clock: ManualClock) -> None:
    active, idle = Board(study, log).see(whereabouts)
    assert [row.doing for row in active] == ["in a dialogue"] * 3 and idle == []
    assert {row.step for row in active} == {"dialogue"} and {row.step_number for row in active} == {3}
    assert [row.idle_minutes for row in active] == sorted(row.idle_minutes for row in active)
    clock.advance(3600)
    active, idle = Board(study, log).see(whereabouts)
    assert active == [] and [row.idle_minutes > 60 for row in idle] == [True] * 3


def test_a_visit_whose_study_has_changed_is_still_shown(study: Study, log: Log) -> None:
    changed = study.model_copy(update={"visit": study.visit[:2]})
    active, _ = Board(changed, log).see(whereabouts)
    assert [row.doing for row in active] == ["study changed since"] * 3


@pytest.mark.parametrize("visits", [0, 1])
def test_an_empty_trial_has_numbers_too(study: Study, empty_log: Log, visits: int) -> None:
    opened = events.VisitOpened(
        study=study.name, revision="r", participant_id="p", pool="link", language="en"
    )
    if visits:
        empty_log.transact_now(lambda tx: tx.append("v", opened))
    shown = Board(study, empty_log).see(progress)
    assert (shown.all.dialogues, shown.all.mean, shown.all.median, shown.spread) == (0, None, None, [])
    assert shown.visits == ({"running": 1} if visits else {})


def test_pauses_are_known(study: Study, log: Log) -> None:
    board = Board(study, log)
    assert board.see(lambda board: board.pause) is None
    log.transact_now(lambda tx: tx.append(events.TRIAL, events.TrialPaused(reason="bot down", by="Ada")))
    pause = board.see(lambda board: board.pause)
    assert pause is not None and (pause.reason, pause.by) == ("bot down", "Ada")
    log.transact_now(lambda tx: tx.append(events.TRIAL, events.TrialResumed(by="Ada")))
    assert board.see(lambda board: board.pause) is None


def test_a_dialogue_ended_before_anything_was_said_is_excluded_not_completed(
    trial: ModuleType, log: Log, study: Study, clock: ManualClock
) -> None:
    board, system = Board(study, log), next(iter(study.systems))
    before = board.see(progress).all.by_status
    caller = trial.Caller(log, study, clock, "e" * 16, False)
    caller.begin()
    dialogue = caller.assign(system, study.tasks[0])
    caller.hears(dialogue, 0, trial.OPENING, [trial.act("hello")])
    assert board.see(progress).all.by_status == before | {"running": before["running"] + 1}
    caller.ends(dialogue, "user", 0)
    assert board.see(progress).all.by_status == before | {"excluded": before["excluded"] + 1}
    assert cards(board)["dialogues"][dialogue].outcome == "excluded"  # type: ignore[index]
