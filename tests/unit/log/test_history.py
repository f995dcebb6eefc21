"""A visit's events are folded once: what was said and what is owed, one event at a time or all at once."""

from datetime import UTC, datetime, timedelta

import pytest

from scenes.histories import assigned
from vivavoce.log.arena_events import BoutAssigned, BoutEnded, VoteCast
from vivavoce.log.call_events import CallConnected, CallRouted, SpeechHeard
from vivavoce.log.events import (
    CodeEntered,
    CodeIssued,
    DialogueEnded,
    DialogueOpened,
    Event,
    LanguageChosen,
    LoggedHypothesis,
    LoggedMessage,
    NoAnswer,
    ResponseGiven,
    StepFinished,
    StimuliPlanned,
    SystemTurnFailed,
    SystemTurnReceived,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.history import DialogueHistory, Turn, VisitHistory, fold
from vivavoce.log.models import StoredEvent, scope_of, usual_scope
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
OPENED = VisitOpened(study="s", revision="r", participant_id="p", pool="link", language="en")


def stored(*happened: Event) -> list[StoredEvent]:
    """One event a second."""
    return [
        StoredEvent(str(seq), "v", seq, START + timedelta(seconds=seq), float(seq), "b", event)
        for seq, event in enumerate(happened, 1)
    ]


def said(index: int, text: str = "hi", key: str = "d", **facts: object) -> UserTurnSent:
    return UserTurnSent(dialogue_id=key, turn_index=index, text=text, **facts)  # type: ignore[arg-type]


def answer(index: int, reply_to: int | None, key: str = "d", **facts: object) -> SystemTurnReceived:
    words = [LoggedMessage(text="hello")]
    return SystemTurnReceived(dialogue_id=key, turn_index=index, reply_to=reply_to, messages=words, **facts)  # type: ignore[arg-type]


def held(*happened: Event) -> DialogueHistory:
    return fold(stored(OPENED, assigned(), *happened)).dialogues[0]


def test_an_answer_is_owed_from_a_turn_until_the_system_speaks_fails_or_keeps_silent() -> None:
    assert held().unanswered is None and not held().greeted
    owing = held(DialogueOpened(dialogue_id="d"), answer(0, None), said(1))
    assert owing.greeted and owing.unanswered is not None and owing.unanswered.turn_index == 1
    failed = SystemTurnFailed(dialogue_id="d", reply_to=1, failure="timeout", detail="")
    for end in (answer(2, 1), failed, NoAnswer(dialogue_id="d", reply_to=1)):
        after = held(answer(0, None), said(1), end)
        assert after.unanswered is None and after.answered_turns == (end.kind == "system_turn_received")
    assert held(failed, failed).failures_in_a_row == 2
    assert held(failed, answer(0, 1), failed).failures_in_a_row == 1


def test_what_a_listening_system_heard_are_the_words_of_the_turn_and_the_event_stays_as_it_was() -> None:
    heard = [LoggedHypothesis(text="a pub", score=0.5)]
    dialogue = held(said(0, "", sound="r1"), answer(1, 0, heard=heard))
    assert [turn.text for turn in dialogue.turns] == ["a pub", "hello"]
    assert dialogue.turns[0].stored.event == said(0, "", sound="r1")
    assert held(said(0, "typed"), answer(1, 0, heard=heard)).turns[0].text == "typed"


def test_lines_stand_in_the_order_of_the_log_and_leave_out_what_nobody_said() -> None:
    failed = SystemTurnFailed(dialogue_id="d", reply_to=0, failure="timeout", detail="")
    silent = NoAnswer(dialogue_id="d", reply_to=None)
    lines = held(DialogueOpened(dialogue_id="d"), silent, said(0), failed, answer(1, 0)).lines
    assert [one.event.kind for one in lines] == [
        "silence_kept",
        "user_turn_sent",
        "system_turn_failed",
        "system_turn_received",
    ]
    assert [isinstance(one, Turn) for one in lines] == [False, True, False, True]


def test_the_system_of_a_call_is_the_one_that_was_drawn_when_it_came() -> None:
    routed = CallRouted(
        dialogue_id="d",
        system="two",
        condition="loud",
        factors={"noise": "much"},
        rule="balanced",
        counted_by="caller",
        calls_before={},
    )
    joined = CallConnected(dialogue_id="d", call_id="c", adapter="sip", caller=None, joined_by="pin")
    waiting = fold(stored(OPENED, assigned(channel="phone"))).dialogues[0]
    assert waiting.awaits_call and waiting.system == "one"
    called = fold(stored(OPENED, assigned(channel="phone"), routed, joined)).dialogues[0]
    assert not called.awaits_call
    assert (called.system, called.condition, called.factors) == ("two", "loud", {"noise": "much"})


def test_stretches_of_one_party_are_one_turn_where_a_call_is_only_listened_to() -> None:
    parties = ("system", "user", "user", "system", "user")
    heard = [SpeechHeard(dialogue_id="d", party=one, onset_s=0, offset_s=1) for one in parties]
    dialogue = held(*heard)
    assert (dialogue.user_turns, dialogue.answered_turns) == (2, 1)


@pytest.mark.parametrize(
    ("boot", "wall_s", "elapsed_s"), [("b", 900, 5.0), ("other", 30, 30.0), ("other", -1, None)]
)
def test_seconds_since_the_opening_go_by_the_wall_only_over_a_restart(
    boot: str, wall_s: float, elapsed_s: float | None
) -> None:
    dialogue = held(DialogueOpened(dialogue_id="d"))
    assert dialogue.opened is not None
    later = StoredEvent(
        "x",
        "v",
        9,
        dialogue.opened.at + timedelta(seconds=wall_s),
        dialogue.opened.monotonic_s + 5,
        boot,
        said(0),
    )
    assert dialogue.elapsed_s(later) == elapsed_s
    assert held().elapsed_s(later) is None


def test_a_dialogue_still_held_at_the_end_of_its_visit_was_left_and_an_ended_one_keeps_its_reason() -> None:
    ended = DialogueEnded(dialogue_id="d", reason="user", user_turns=1)
    going = fold(stored(OPENED, assigned(), assigned("e"), ended))
    assert [going.end_reason(one) for one in going.dialogues] == ["user", None]
    over = fold(stored(OPENED, assigned(), assigned("e"), ended, VisitEnded(outcome="withdrew")))
    assert [over.end_reason(one) for one in over.dialogues] == ["user", "abandoned"]
    assert over.outcome == "withdrew"


def test_what_concerns_the_visit_is_known_of_it() -> None:
    def kept(key: str) -> RecordingStored:
        return RecordingStored(
            recording_id=key,
            file=f"{key}.wav",
            sha256="",
            byte_count=1,
            media_type="audio/wav",
            content="turn",
            speakers=["user"],
            sample_rate_hz=8000,
            frames=8,
            duration_s=0.001,
            dialogue_id="d",
        )

    bout = BoutAssigned(
        bout_id="b",
        step=1,
        round=0,
        left_dialogue_id="d",
        right_dialogue_id="e",
        left_system="one",
        right_system="two",
    )
    vote = VoteCast(
        bout_id="b", exchange=1, choice="tie", left_turn_index=1, right_turn_index=1, response_s=1
    )
    planned = StimuliPlanned(step=2, name="rate", stimuli=[{}])
    response = ResponseGiven(step=2, name="rate", position=0, response={}, response_s=1)
    history = fold(
        stored(
            OPENED,
            LanguageChosen(language="it"),
            assigned(),
            assigned("e"),
            bout,
            kept("r1"),
            kept("r2"),
            RecordingRemoved(recording_id="r1", reason="redone"),
            vote,
            BoutEnded(bout_id="b", step=1, reason="user", votes=1),
            planned,
            response,
            StepFinished(step=2, name="rate"),
        )
    )
    assert (history.participant_id, history.language) == ("p", "it")
    assert history.recordings == {"r2": "r2.wav"}
    (one,) = history.bouts
    assert [of.event for of in one.votes] == [vote]
    assert [of.event for of in history.stimulus_steps[2].events] == [
        planned,
        response,
        StepFinished(step=2, name="rate"),
    ]
    assert [of.recording_id for of in history.dialogues[0].of(RecordingStored)] == ["r1", "r2"]


def test_wrong_codes_are_counted_until_a_right_one() -> None:
    wrong = CodeEntered(entered="1", accepted=False, problem="unknown")
    right = CodeEntered(entered="2", accepted=True, dialogue_id="d")
    issued = CodeIssued(dialogue_id="d", code="2")
    history = fold(stored(OPENED, assigned(), issued, wrong, wrong))
    assert len(history.wrong_codes) == 2 and not history.dialogues[0].code_accepted
    history = fold(stored(OPENED, assigned(), issued, wrong, right))
    assert history.wrong_codes == [] and history.dialogues[0].code_accepted


def test_a_copy_is_carried_on_without_touching_the_history_it_was_made_of_or_being_touched_by_it() -> None:
    ended = DialogueEnded(dialogue_id="d", reason="user", user_turns=1)
    happened = stored(OPENED, assigned(), said(0), ended, assigned("e"), assigned("f"), said(0, key="f"))
    late = stored(*(one.event for one in happened), answer(1, 0), answer(1, 0, "f"))[-2:]
    for first, second in ((0, 1), (1, 0)):
        both = [history := fold(happened), history.copy()]
        for one in late:
            both[first].apply(one)
        untouched = both[second]
        assert (untouched.seq, len(untouched.events)) == (7, 7)
        assert [len(one.turns) for one in untouched.dialogues] == [1, 0, 1]
        assert untouched.dialogues[2].unanswered is not None
        for one in late:
            untouched.apply(one)
        assert untouched.dialogues == both[first].dialogues == fold([*happened, *late]).dialogues


def test_an_event_that_was_taken_is_not_taken_again() -> None:
    happened = stored(OPENED, assigned(), said(0))
    history = VisitHistory("v")
    for one in [*happened, *happened]:
        history.apply(one)
    assert len(history.events) == 3 and len(history.dialogues[0].turns) == 1


def silence(reply_to: int | None) -> NoAnswer:
    return NoAnswer(dialogue_id="d", reply_to=reply_to)


def test_an_opening_is_over_when_the_system_spoke_failed_or_chose_to_wait() -> None:
    for happened, greeted in [
        ([], False),
        ([silence(None)], True),
        ([silence(0)], False),
        ([silence(None), silence(0)], True),
        ([UserTurnSent(dialogue_id="d", turn_index=0, text="hi")], True),
        ([SystemTurnFailed(dialogue_id="d", reply_to=None, failure="timeout", detail="")], True),
    ]:
        (dialogue,) = fold(stored(OPENED, assigned(), *happened)).dialogues
        assert dialogue.greeted is greeted


@pytest.mark.parametrize(
    ("task", "language", "text"),
    [
        (None, "en", None),
        ({}, "en", None),
        ({"text": {}}, "en", None),
        ({"text": {"en": "Find it.", "it": "Trovalo."}}, "it", "Trovalo."),
        ({"text": {"en": "Find it."}}, "it", "Find it."),
    ],
)
def test_a_task_was_shown_in_the_language_of_its_dialogue_where_it_has_it(
    task: dict | None, language: str, text: str | None
) -> None:
    (dialogue,) = fold(stored(OPENED, assigned(task=task, language=language))).dialogues
    assert dialogue.task_text == text


@pytest.mark.parametrize(
    ("people", "programs", "scope"),
    [(0, 0, "people"), (1, 0, "people"), (0, 1, "simulated"), (1, 9, "people")],
)
def test_figures_are_of_people_as_soon_as_there_is_one(people: int, programs: int, scope: str) -> None:
    assert usual_scope(people, programs) == scope
    assert (scope_of(simulated=False), scope_of(simulated=True)) == ("people", "simulated")
