"""Where a visit stands after its events: which page, which round, whether one may leave."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scenes.eliciting import commanding_study
from scenes.fighting import arena_study
from scenes.histories import assigned
from scenes.visits import make_study
from vivavoce.log import events
from vivavoce.log.arena_events import BoutAssigned, BoutEnded
from vivavoce.log.event import Event, LoggedRating
from vivavoce.log.events import QualificationTried, ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.log.models import StoredEvent
from vivavoce.study import model as study_model
from vivavoce.trial.state import VisitState

OPENED = events.VisitOpened(study="city", revision="r", participant_id="p", pool="link", language="en")
READ = [events.ConsentGiven(step=0, document="0", language="en"), events.PageRead(step=1)]
Walk = Sequence[Event]


def held(number: int, turns: int = 2, step: int = 2) -> list[Event]:
    """A dialogue in which the user spoke so often, and was answered."""
    key = f"d{number}"
    spoken: list[Event] = []
    for at in range(0, 2 * turns, 2):
        messages = [events.LoggedMessage(text="well")]
        spoken.append(events.UserTurnSent(dialogue_id=key, turn_index=at, text="hi"))
        spoken.append(
            events.SystemTurnReceived(dialogue_id=key, turn_index=at + 1, reply_to=at, messages=messages)
        )
    ended = events.DialogueEnded(dialogue_id=key, reason="user", user_turns=turns)
    return [assigned(key, step=step), events.DialogueOpened(dialogue_id=key), *spoken, ended]


def entered(number: int, *, accepted: bool = True) -> Event:
    return events.CodeEntered(entered="1", accepted=accepted, dialogue_id=f"d{number}")


def answered(step: int, round: int | None, position: int = 0) -> Event:
    rating = LoggedRating(item_id="q", value=1.0, answer=None)
    return events.QuestionnaireAnswered(
        step=step,
        round=round,
        position=position,
        dialogue_id=None,
        instrument="cambridge",
        wording="w",
        language="en",
        ratings=[rating],
    )


def whole(number: int) -> list[Event]:
    return [*held(number), entered(number), answered(2, number)]


def stands(study: study_model.Study, *happened: Event) -> VisitState:
    state, at = VisitState(study, "v"), datetime(2026, 1, 1, tzinfo=UTC)
    for seq, event in enumerate((OPENED, *happened), 1):
        state.apply(StoredEvent(str(seq), "v", seq, at, float(seq), "b", event))
    return state


WALKS: dict[str, tuple[Walk, tuple[str, int, int]]] = {
    "came": ([], ("page", 0, 0)),
    "agreed": (READ[:1], ("page", 1, 0)),
    "read": (READ, ("ready", 2, 0)),
    "talks": ([*READ, *held(0)[:-1]], ("chat", 2, 0)),
    "has talked": ([*READ, *held(0)], ("code", 2, 0)),
    "a wrong code": ([*READ, *held(0), entered(0, accepted=False)], ("code", 2, 0)),
    "a right code": ([*READ, *held(0), entered(0)], ("feedback", 2, 0)),
    "a trivial dialogue": ([*READ, *held(0, turns=1)], ("ready", 2, 0)),
    "one whole": ([*READ, *whole(0)], ("ready", 2, 1)),
    "two whole": ([*READ, *whole(0), *whole(1)], ("ready", 2, 2)),
    "all three": ([*READ, *whole(0), *whole(1), *whole(2)], ("page", 3, 0)),
    "no more": ([*READ, *whole(0), *whole(1), events.DialoguesFinished(step=2)], ("page", 3, 0)),
    "the last form": ([*READ, events.DialoguesFinished(step=2), answered(3, None)], ("page", 4, 0)),
    "ended": ([*READ, events.VisitEnded(outcome="withdrew")], ("ended", 2, 0)),
}


@pytest.mark.parametrize("walk", WALKS)
def test_events_lead_to_one_page(walk: str, tmp_path: Path) -> None:
    happened, expected = WALKS[walk]
    state = stands(make_study(tmp_path), *happened)
    assert (state.phase, state.step, state.round) == expected
    assert (state.dialogue is not None) == (state.phase in ("chat", "code", "feedback"))
    assert (state.current_step is None) == (state.step == 4)


@pytest.mark.parametrize(
    ("walk", "may"),
    [
        (READ, False),
        ([*READ, *whole(0)], False),
        ([*READ, *whole(0), *whole(1)], True),
        ([*READ, *whole(0), *whole(1), *held(2)[:-1]], False),
        ([*READ, *held(0, 1), *held(1, 1)], False),
        ([*READ, *held(0, 1), *held(1, 1), *held(2, 1)], True),
        ([*READ, *held(0, 1), *held(1, 1), *whole(2), *held(3, 1)], False),
    ],
)
def test_one_may_leave_after_enough_dialogues_or_three_that_came_to_nothing(
    walk: Walk, may: bool, tmp_path: Path
) -> None:
    assert stands(make_study(tmp_path), *walk).may_finish is may


@pytest.mark.parametrize(
    ("dialogues", "time_over", "short"),
    [
        (0, False, True),
        (1, False, True),
        (2, False, False),
        (0, True, True),
        (1, True, False),
        (2, True, False),
    ],
)
def test_who_left_before_enough_dialogues_fell_short_but_for_those_whose_time_was_over(
    dialogues: int, time_over: bool, short: bool, tmp_path: Path
) -> None:
    rounds = [event for number in range(dialogues) for event in whole(number)]
    over = events.DialoguesFinished(step=2, time_over=time_over)
    assert stands(make_study(tmp_path), *READ, *rounds, over).shortfall is short


@pytest.mark.parametrize(
    ("gate", "turns", "expected"),
    [
        ("none", 0, "feedback"),
        ("none", 2, "feedback"),
        ("dialogue", 1, "ready"),
        ("dialogue", 2, "feedback"),
        ("code", 1, "ready"),
        ("code", 2, "code"),
    ],
)
def test_what_opens_the_form_is_as_the_step_says(
    gate: str, turns: int, expected: str, tmp_path: Path
) -> None:
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1),
        gate=gate,
        nontrivial=study_model.Nontrivial(user_turns=2),
        feedback=(
            study_model.QuestionnaireStep(name="cambridge", about="dialogue"),
            study_model.QuestionnaireStep(name="sus", about="dialogue"),
        ),
    )
    study = make_study(tmp_path, visit=(step,))
    state = stands(study, *held(0, turns, step=0))
    assert (state.phase, state.position) == (expected, 0)
    if expected == "feedback":
        state = stands(study, *held(0, turns, step=0), answered(0, 0))
        assert (state.phase, state.position) == ("feedback", 1)
        state = stands(study, *held(0, turns, step=0), answered(0, 0), answered(0, 0, 1))
        assert (state.phase, state.step) == ("page", 1)


def test_what_a_step_does_not_hold_is_an_error_of_ours(tmp_path: Path) -> None:
    state = stands(make_study(tmp_path))
    for wrong in ("dialogue_plan", "battle_plan", "stimulus_kind"):
        with pytest.raises(TypeError):
            getattr(state, wrong)
    assert (state.due_channel, state.bout, state.planned, state.given) == (None, None, None, [])
    assert stands(make_study(tmp_path), *READ).due_channel == "text"


def planned(tries: int = 0, step: int = 0) -> Event:
    return StimuliPlanned(step=step, name="elicit", stimuli=[{}, {}, {}], tries=[{}] * tries)


def given(*positions: int) -> list[Event]:
    return [
        ResponseGiven(step=0, name="elicit", position=one, response={}, response_s=1.0) for one in positions
    ]


def tried(*passed: bool) -> list[Event]:
    return [
        QualificationTried(step=0, name="elicit", attempt=number, response={}, passed=one)
        for number, one in enumerate(passed)
    ]


@pytest.mark.parametrize(
    ("happened", "position", "attempt", "may_redo", "single_take"),
    [
        ([], 0, None, False, True),
        ([planned()], 0, None, False, True),
        ([planned(2)], 0, 0, False, False),
        ([planned(2), *tried(False)], 0, 1, False, False),
        ([planned(2), *tried(False, False)], 0, None, False, True),  # no try is left
        ([planned(2), *tried(True)], 0, None, False, True),
        ([planned(2), *tried(False, True)], 0, None, False, True),
        ([planned(), *given(0)], 1, None, True, False),
        ([planned(), *given(0, 0)], 1, None, True, False),  # given anew
        ([planned(), *given(0, 1, 0)], 2, None, True, False),
        ([planned(2), *tried(False), *given(0)], 1, 1, False, False),
    ],
)
@pytest.mark.parametrize("free", [True, False])
def test_stimuli_are_due_one_after_another_after_the_check_before(
    happened: Walk,
    position: int,
    attempt: int | None,
    may_redo: bool,
    single_take: bool,
    free: bool,
    tmp_path: Path,
) -> None:
    state = stands(commanding_study(tmp_path, redo=free, single_take=free), *happened)
    assert (state.phase, state.position, state.attempt) == ("stimulus", position, attempt)
    assert (state.may_redo, state.single_take) == (may_redo and free, single_take and free)
    assert (state.sound_plan is None) == (attempt is not None)


def test_in_writing_nothing_is_recorded_at_once(tmp_path: Path) -> None:
    state = stands(commanding_study(tmp_path, by="text"), planned())
    assert state.sound_plan is None and state.single_take is False


@pytest.mark.parametrize("accepted", [True, False])
def test_work_that_does_not_count_is_refused_and_the_visit_goes_on(accepted: bool, tmp_path: Path) -> None:
    finished = StepFinished(step=0, name="elicit", total_s=1.0, accepted=accepted)
    state = stands(commanding_study(tmp_path), planned(), *given(0, 1, 2), finished)
    assert (state.phase, state.step, state.refused) == ("page", 1, not accepted)


@pytest.mark.parametrize(
    ("over", "expected"), [(0, ("battle", 0, 0)), (1, ("ready", 0, 1)), (2, ("page", 1, 0))]
)
def test_bouts_follow_each_other_until_all_were_held(
    over: int, expected: tuple[str, int, int], tmp_path: Path
) -> None:
    happened: list[Event] = []
    for number in range(max(over, 1)):
        sides = [f"{side}{number}" for side in "lr"]
        happened += [assigned(side, step=0, round=number) for side in sides]
        left, right = sides
        bout = {"bout_id": f"b{number}", "step": 0, "round": number, "left_system": "a", "right_system": "b"}
        happened.append(BoutAssigned(**bout, left_dialogue_id=left, right_dialogue_id=right))
        if number < over:
            happened += [
                events.DialogueEnded(dialogue_id=side, reason="user", user_turns=1) for side in sides
            ]
            happened.append(BoutEnded(bout_id=f"b{number}", step=0, reason="user", votes=1))
    state = stands(arena_study(tmp_path / "arena", battles=2), *happened)
    assert (state.phase, state.step, state.round) == expected
    assert (state.bout is not None) == (over == 0) and state.dialogue is None
