"""What follows from a move by itself: limits, the end of the time, codes, places by answers."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scenes.histories import assigned
from scenes.visits import make_study
from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.history import DialogueHistory
from vivavoce.log.store import Log, Transaction
from vivavoce.study import model as study_model
from vivavoce.study.model import Limits
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import Draft, MoveRules, judged_code

CLOCK = ManualClock()


def visit(study: study_model.Study, log: Log, *happened: events.Event, **opened: Any) -> VisitState:
    """A visit of which this is in the log."""
    came = events.VisitOpened(
        study=study.name, revision="r", participant_id="p", pool="link", language="en", **opened
    )
    state = VisitState(study, "v")

    def write(tx: Transaction) -> None:
        for event in (came, *happened):
            state.apply(tx.append("v", event))

    asyncio.run(log.transact(write))
    return state


def written(log: Log, rules: MoveRules, state: VisitState, write: Callable[[Draft], Any]) -> Any:
    return asyncio.run(log.transact(lambda tx: write(Draft(tx, state, rules))))


@pytest.mark.parametrize(
    ("turns", "minutes", "lasted_s", "limit"),
    [
        (2, 7, 419.9, None),
        (3, 7, 0.0, "turns"),
        (4, 7, 0.0, "turns"),
        (2, 7, 420.0, "minutes"),
        (2, 7, 421.0, "minutes"),
        (2, 7, None, None),
        (3, 7, 500.0, "turns"),
    ],
)
def test_a_dialogue_is_over_at_its_last_turn_or_minute(
    turns: int, minutes: int, lasted_s: float | None, limit: str | None, tmp_path: Path, log: Log
) -> None:
    study = make_study(tmp_path, limits=Limits(user_turns=3, dialogue_minutes=minutes))
    spoken = [events.UserTurnSent(dialogue_id="d", turn_index=at, text="hi") for at in range(turns)]
    read = [events.ConsentGiven(step=0, document="0", language="en"), events.PageRead(step=1)]
    begun = [assigned("d", step=2), events.DialogueOpened(dialogue_id="d")]
    dialogue = visit(study, log, *read, *begun, *spoken).dialogues[-1]

    def elapsed(asked: DialogueHistory) -> float | None:
        assert asked is dialogue
        return lasted_s

    assert MoveRules(study, CLOCK, elapsed_s=elapsed).reached_limit(dialogue) == limit


@pytest.mark.parametrize(
    ("ahead_s", "left_s", "over"),
    [(90.0, 90.0, False), (0.001, 0.001, False), (0.0, 0.0, True), (-90.0, 0.0, True), (None, None, False)],
)
def test_dialogues_may_begin_until_the_time_is_over(
    ahead_s: float | None, left_s: float | None, over: bool, tmp_path: Path, log: Log
) -> None:
    clock = ManualClock()
    until = None if ahead_s is None else clock.now() + timedelta(seconds=ahead_s)
    study = make_study(tmp_path)
    read = [events.ConsentGiven(step=0, document="0", language="en"), events.PageRead(step=1)]
    state = visit(study, log, *read, until=until)
    rules = MoveRules(study, clock)
    assert (state.phase, rules.left_s(state)) == ("ready", left_s)
    assert rules.time_over(state) is over
    state.phase = "chat"
    assert not rules.time_over(state), "a dialogue that goes on is held to its end"


def test_a_code_has_one_digit_more_after_twenty_that_were_taken(tmp_path: Path, log: Log) -> None:
    study = make_study(tmp_path)
    state = visit(study, log, assigned("d", step=2))
    dialogue = state.dialogues[0]
    rules = MoveRules(study, CLOCK)

    def write(draft: Draft) -> tuple[str, str]:
        for taken in range(1, 10):
            assert draft.tx.reserve_code(f"{taken}", "other", "v")
        return rules.free_code(draft, dialogue, 1), rules.free_code(draft, dialogue, 1, "*")

    longer, marked = written(log, rules, state, write)
    assert len(longer) == 2 and longer.isdigit()
    assert len(marked) == 1, "a mark makes another code"


@pytest.mark.parametrize(
    ("quotas", "given", "full"),
    [
        ({"q": {1: 3}}, {"q": 1.0}, False),
        ({"q": {1: 2}}, {"q": 1.0}, True),
        ({"q": {1: 1}}, {"q": 1.0}, True),
        ({"q": {1: 2}}, {"q": 2.0}, False),
        ({"q": {1: 2}}, {"q": None}, False),
        ({"q": {1: 2}}, {}, False),
        ({"q": {2: 0}}, {"q": 2.0}, True),
        ({}, {"q": 1.0}, False),
        ({"r": {5: 2}, "q": {1: 3}}, {"q": 1.0, "r": 5.0}, False),
        ({"r": {5: 0}, "q": {1: 3}}, {"q": 1.0, "r": 5.0}, True),
    ],
)
def test_places_are_full_when_as_many_have_answered_so(
    quotas: dict[str, dict[int, int]], given: dict[str, float | None], full: bool, tmp_path: Path, log: Log
) -> None:
    study = make_study(tmp_path)

    def come(tx: Transaction) -> None:
        for number in range(2):
            opened = events.VisitOpened(
                study=study.name, revision="r", participant_id=f"p{number}", pool="link", language="en"
            )
            answered = events.QuestionnaireAnswered(
                step=0,
                round=None,
                position=0,
                dialogue_id=None,
                instrument="own",
                wording="w",
                language="en",
                ratings=[events.LoggedRating(item_id="q", value=1, answer="a", role=None)],
            )
            tx.append(f"before-{number}", opened)
            tx.append(f"before-{number}", answered)

    asyncio.run(log.transact(come))
    state, rules = visit(study, log), MoveRules(study, CLOCK)
    assert written(log, rules, state, lambda draft: rules.is_full(draft, "own", quotas, given)) is full


@pytest.mark.parametrize(("wrong", "problem"), [(1, None), (2, "too_many"), (3, "too_many")])
def test_after_so_many_wrong_codes_the_right_one_is_not_read(
    wrong: int, problem: str | None, tmp_path: Path, log: Log
) -> None:
    study = make_study(tmp_path)
    tries = [events.CodeEntered(entered="9", accepted=False, problem="unknown") for _ in range(wrong)]
    state = visit(study, log, assigned("d", step=2), *tries)
    dialogue = state.dialogues[0]

    def write(draft: Draft) -> events.CodeEntered:
        draft.tx.reserve_code("4711", "d", "v")
        earliest = draft.state.wrong_codes[0] - timedelta(seconds=1)
        return judged_code(draft, dialogue, "4711", earliest, 2)

    verdict = written(log, MoveRules(study, CLOCK), state, write)
    assert (verdict.accepted, verdict.problem) == (problem is None, problem)
    assert verdict.dialogue_id == ("d" if problem is None else None)


@pytest.mark.parametrize(("after_s", "accepted"), [(-1.0, False), (0.0, True), (1.0, True)])
def test_wrong_codes_of_long_ago_are_forgotten(
    after_s: float, accepted: bool, tmp_path: Path, log: Log
) -> None:
    study = make_study(tmp_path)
    state = visit(
        study, log, assigned("d", step=2), events.CodeEntered(entered="9", accepted=False, problem="unknown")
    )

    def write(draft: Draft) -> events.CodeEntered:
        draft.tx.reserve_code("4711", "d", "v")
        since = draft.state.wrong_codes[-1] + timedelta(seconds=after_s)
        return judged_code(draft, state.dialogues[0], "4711", since, 1)

    assert written(log, MoveRules(study, CLOCK), state, write).accepted is accepted


@pytest.mark.parametrize(
    ("code", "owner", "problem"),
    [
        ("4711", ("d", "v"), None),
        ("4712", ("d", "v"), "unknown"),
        ("4711", ("d", "w"), "other_visit"),
        ("4711", ("e", "v"), "reused"),
    ],
)
def test_a_code_is_for_the_dialogue_it_was_earned_in_and_for_once(
    code: str, owner: tuple[str, str], problem: str | None, tmp_path: Path, log: Log
) -> None:
    study = make_study(tmp_path)
    state = visit(study, log, assigned("d", step=2))
    dialogue = state.dialogues[0]

    def write(draft: Draft) -> list[str | None]:
        draft.tx.reserve_code("4711", *owner)
        since = CLOCK.now()
        return [judged_code(draft, dialogue, code, since, 5).problem for _ in range(2)]

    again = "reused" if problem is None else problem
    assert written(log, MoveRules(study, CLOCK), state, write) == [problem, again]
