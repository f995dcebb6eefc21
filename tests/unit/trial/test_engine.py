"""A visit as a participant walks it, on a real log, with a system under test that does as it is told."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from scenes.patience import PATIENCE_S, eventually_there
from scenes.visits import (
    Parrot,
    greeted,
    hold_dialogue,
    into_dialogue,
    make_study,
    ratings,
    say,
    settled,
    with_engine,
)
from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.follow_ups import Invited, note_invited
from vivavoce.log.store import Log
from vivavoce.study.model import Limits
from vivavoce.study.session_link import FollowUp
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale


async def give_feedback(engine: SessionEngine, visit_id: str) -> None:
    state = await engine.state(visit_id)
    assert state.dialogue is not None and state.dialogue.code is not None
    verdict = await engine.enter_code(visit_id, state.dialogue.code)
    assert verdict.accepted
    await engine.forms.answer(
        visit_id,
        step=2,
        round=state.round,
        position=0,
        instrument="cambridge",
        wording="project",
        ratings=ratings(),
    )


def test_a_whole_visit_ends_with_a_completion_code_and_every_event_in_order(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await hold_dialogue(engine, visit_id, dialogue_id)
        await give_feedback(engine, visit_id)
        await engine.next_dialogue(visit_id, 2, 1)
        second = await greeted(engine, visit_id)
        await hold_dialogue(engine, visit_id, second)
        await give_feedback(engine, visit_id)
        await engine.finish_dialogues(visit_id, 2)
        await sus(engine, visit_id, 3)
        state = await engine.state(visit_id)
        assert (state.phase, state.outcome) == ("ended", "completed")
        assert state.completion_code and len(state.completion_code) == 14

    with_engine(study, log, scenario)
    stored = log.events(log.visits("city")[0].visit_id)
    assert [one.seq for one in stored] == list(range(1, len(stored) + 1))
    kinds = Counter(one.event.kind for one in stored)
    assert kinds["user_turn_sent"] == 4
    assert kinds["system_turn_received"] == 6  # two greetings, four answers
    assert kinds["code_issued"] == kinds["questionnaire_answered"] - 1 == 2
    systems = {one.event.system for one in stored if isinstance(one.event, events.DialogueAssigned)}
    assert systems == {"one", "two"}  # least used by this participant
    about = [one.event.dialogue_id for one in stored if isinstance(one.event, events.QuestionnaireAnswered)]
    held = [one.event.dialogue_id for one in stored if isinstance(one.event, events.DialogueAssigned)]
    assert about == [*held, None]  # each about the dialogue just held, the last about the visit


def test_streamed_pieces_are_logged_as_one_message_with_times(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await say(engine, visit_id, dialogue_id, "a thai place")
        answer = (await engine.state(visit_id)).dialogues[-1].turns[-1].event
        assert isinstance(answer, events.SystemTurnReceived)
        assert answer.text == "You said: a thai place"
        assert 0 <= answer.sent_s <= answer.first_output_s <= answer.complete_s  # type: ignore[operator]

    with_engine(study, log, scenario)


def test_the_same_key_twice_is_one_turn(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        first, second = await asyncio.gather(
            engine.say(visit_id, dialogue_id, key="k", text="hi"),
            engine.say(visit_id, dialogue_id, key="k", text="hi"),
        )
        assert first.seq == second.seq and {first.replayed, second.replayed} == {False, True}
        await settled(engine, visit_id)
        assert (await engine.state(visit_id)).dialogues[-1].user_turns == 1

    with_engine(study, log, scenario)


def test_a_second_turn_waits_for_the_first_answer(study, log) -> None:
    parrot = Parrot()

    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        parrot.gate = asyncio.Event()
        await engine.say(visit_id, dialogue_id, key="a", text="one")
        with pytest.raises(Refused, match="busy"):
            await engine.say(visit_id, dialogue_id, key="b", text="two")
        parrot.gate.set()
        await settled(engine, visit_id)
        await engine.say(visit_id, dialogue_id, key="b", text="two")
        await settled(engine, visit_id)
        assert [turn.text for turn in parrot.sent] == ["one", "two"]

    with_engine(study, log, scenario, one=parrot, two=parrot)


@pytest.mark.parametrize(
    ("text", "reason"), [("   ", "empty"), ("x" * 2001, "too_long")], ids=["blank", "over the limit"]
)
def test_a_turn_that_cannot_be_sent_is_refused_whole(study, log, text, reason) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        with pytest.raises(Refused, match=reason):
            await engine.say(visit_id, dialogue_id, key="k", text=text)
        assert (await engine.state(visit_id)).dialogues[-1].user_turns == 0

    with_engine(study, log, scenario)


def test_a_failing_system_is_logged_and_the_dialogue_goes_on_until_the_third_time(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        for number in range(3):
            await say(engine, visit_id, dialogue_id, "break", key=f"k{number}")
            state = await engine.state(visit_id)
            assert state.dialogues[-1].running == (number < 2)
        assert state.dialogues[-1].end_reason == "failure"
        assert state.phase == "ready"  # too little was said to be judged: another dialogue instead of a form
        failures = [s.event for s in log.events(visit_id) if isinstance(s.event, events.SystemTurnFailed)]
        assert [failure.failure for failure in failures] == ["timeout"] * 3

    with_engine(study, log, scenario)


def test_a_system_that_is_down_costs_the_participant_only_that_dialogue(study, log, monkeypatch) -> None:
    monkeypatch.setattr("vivavoce.trial.relay.OPENING_PAUSE_S", 0.01)
    down, up = Parrot(), Parrot()
    down.down = True

    async def scenario(engine: SessionEngine) -> None:
        visit_id, _ = await into_dialogue(engine)
        state = await engine.state(visit_id)
        while state.dialogues[-1].system == "one":
            assert state.phase == "ready" and state.dialogues[-1].end_reason == "failure"
            await engine.next_dialogue(visit_id, 2, 0)
            await greeted(engine, visit_id)
            state = await engine.state(visit_id)
        await hold_dialogue(engine, visit_id, state.dialogues[-1].dialogue_id)
        assert (await engine.state(visit_id)).phase == "code"

    with_engine(study, log, scenario, one=down, two=up)


def test_an_empty_answer_is_silence_not_a_failure(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await say(engine, visit_id, dialogue_id, "say nothing")
        state = await engine.state(visit_id)
        assert state.dialogues[-1].running and state.dialogues[-1].answered_turns == 0
        assert any(isinstance(stored.event, events.NoAnswer) for stored in log.events(visit_id))

    with_engine(study, log, scenario)


def test_a_system_that_does_not_greet_lets_the_participant_begin(study, log) -> None:
    quiet = Parrot()
    quiet.greeting = None

    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await say(engine, visit_id, dialogue_id, "hi")
        turns = (await engine.state(visit_id)).dialogues[-1].turns
        assert [(turn.party, turn.turn_index) for turn in turns] == [("user", 0), ("system", 1)]

    with_engine(study, log, scenario, one=quiet, two=quiet)


def test_a_trivial_dialogue_earns_no_code_and_another_is_offered(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await say(engine, visit_id, dialogue_id, "bye")  # the system ends the dialogue
        state = await engine.state(visit_id)
        assert state.dialogues[-1].end_reason == "system" and state.dialogues[-1].code is None
        assert state.phase == "ready" and state.round == 0
        await engine.next_dialogue(visit_id, 2, 0)
        assert (await engine.state(visit_id)).phase == "chat"

    with_engine(study, log, scenario)


def test_three_fruitless_dialogues_let_the_participant_leave_with_a_code(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, _ = await into_dialogue(engine)
        for _ in range(3):
            await engine.end_dialogue(visit_id, (await engine.state(visit_id)).dialogues[-1].dialogue_id)
            state = await engine.state(visit_id)
            if not state.may_finish:
                await engine.next_dialogue(visit_id, 2, 0)
                await greeted(engine, visit_id)
        await engine.finish_dialogues(visit_id, 2)
        await engine.forms.answer(
            visit_id, step=3, round=None, position=0, instrument="sus", wording="project", ratings=[]
        )
        state = await engine.state(visit_id)
        assert state.outcome == "technical_failure" and state.completion_code

    with_engine(study, log, scenario)


def test_what_is_asked_for_again_is_written_once(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        before = (await engine.state(visit_id)).seq
        await engine.next_dialogue(visit_id, 2, 0)  # it is the one that goes on
        await engine.choose_language(visit_id, "en")
        assert (await engine.state(visit_id)).seq == before
        for _ in range(2):
            await engine.choose_language(visit_id, "it")
        assert (await engine.state(visit_id)).seq == before + 1
        await engine.end_dialogue(visit_id, dialogue_id)
        again = (await engine.state(visit_id)).seq
        with pytest.raises(Stale):
            await engine.next_dialogue(visit_id, 2, 1)
        for _ in range(2):
            await engine.withdraw(visit_id)
        assert (await engine.state(visit_id)).seq == again + 1

    with_engine(study, log, scenario)


def test_withdrawing_amid_a_dialogue_abandons_it(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await engine.withdraw(visit_id)
        ended = (await engine.state(visit_id)).dialogue_by_id(dialogue_id)
        assert ended.end_reason == "abandoned"
        assert [one.end_reason for one in log.dialogues(study.name)] == ["abandoned"]

    with_engine(study, log, scenario)


def test_a_token_is_looked_up_once_while_few_are_remembered(study, log, monkeypatch) -> None:
    monkeypatch.setattr("vivavoce.trial.engine.TOKENS_REMEMBERED", 2)
    asked: list[str] = []
    find = log.visit_by_token
    monkeypatch.setattr(log, "visit_by_token", lambda *of: asked.append(of[1]) or find(*of))

    async def scenario(engine: SessionEngine) -> None:
        opened = [await engine.open_visit(language="en") for _ in range(3)]
        for number in (0, 1, 0, 1, 2, 1, 0):
            assert await engine.visit_of_token(opened[number].token) == opened[number].visit_id
        assert len(asked) == 4, "the first was forgotten for the third"
        for _ in range(2):
            assert await engine.visit_of_token("made up") is None
        assert len(asked) == 6, "whoever may come to be is not remembered as nobody"

    with_engine(study, log, scenario)


async def sus(engine: SessionEngine, visit_id: str, step: int) -> None:
    await engine.forms.answer(
        visit_id, step=step, round=None, position=0, instrument="sus", wording="project", ratings=ratings()
    )


def test_a_page_of_an_earlier_step_changes_nothing(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, _ = await into_dialogue(engine)
        before = len(log.events(visit_id))
        for late in (
            engine.give_consent(visit_id, 0, agreed=False, document="d"),
            engine.read_page(visit_id, 1),
            engine.enter_code(visit_id, "1234"),
            engine.next_dialogue(visit_id, 2, 1),
            engine.finish_dialogues(visit_id, 1),
            engine.finish_dialogues(visit_id, 3),
            sus(engine, visit_id, 3),
            sus(engine, visit_id, 2),
        ):
            with pytest.raises(Stale):
                await late
        assert len(log.events(visit_id)) == before

    with_engine(study, log, scenario)


def test_turns_that_never_arrived_keep_the_dialogue_open(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await say(engine, visit_id, dialogue_id, "hi")
        with pytest.raises(Refused, match="unsent_turns"):
            await engine.end_dialogue(visit_id, dialogue_id, user_turns=2)
        assert (await engine.state(visit_id)).dialogues[-1].running

    with_engine(study, log, scenario)


def test_declined_consent_ends_the_visit_without_a_dialogue(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        opened = await engine.open_visit(language="it")
        for step in (0, 3):  # no form is asked here, and that one not yet
            with pytest.raises(Stale):
                await sus(engine, opened.visit_id, step)
        await engine.give_consent(opened.visit_id, 0, agreed=False, document="d")
        state = await engine.state(opened.visit_id)
        assert (state.phase, state.outcome, state.dialogues) == ("ended", "no_consent", [])

    with_engine(study, log, scenario)


def test_the_same_ticket_resumes_the_same_visit(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        first = await engine.open_visit(language="en", pool="panel", ticket="T1")
        again = await engine.open_visit(language="en", pool="panel", ticket="T1")
        assert again.visit_id == first.visit_id and again.resumed
        token = await engine.new_token(first.visit_id)
        assert await engine.visit_of_token(token) == first.visit_id
        assert await engine.visit_of_token("made up") is None

    with_engine(study, log, scenario)


@pytest.mark.parametrize(
    ("key", "then", "same"),
    [("K", "K", True), ("K", "L", False), ("K", None, False), (None, "K", False), (None, None, False)],
)
def test_only_the_page_that_opened_a_visit_is_shown_it_again(study, log, key, then, same) -> None:
    async def scenario(engine: SessionEngine) -> None:
        await engine.open_visit(language="en", ticket="T1", key=key)
        assert (await engine.open_visit(language="en", ticket="T1", key=then)).same_page is same

    with_engine(study, log, scenario)


@pytest.mark.parametrize(
    ("who", "simulated", "earlier"),
    [
        ("ada", False, True),
        ("ada", True, False),
        ("bot", True, True),
        ("bot", False, False),
        ("nobody", False, False),
        (None, False, False),
    ],
)
def test_a_visit_follows_the_session_of_somebody_of_its_own_kind(
    tmp_path: Path, log, who, simulated, earlier
) -> None:
    study = make_study(tmp_path, follow_up=FollowUp(of="first", after_days=0))
    done = Invited("ada", "link", "k", ("one",), log.clock.now())
    note_invited(log, study.name, [done, replace(done, participant_id="bot", simulated=True)])

    async def scenario(engine: SessionEngine) -> None:
        opened = await engine.open_visit(language="en", participant_id=who, simulated=simulated)
        state = await engine.state(opened.visit_id)
        assert state.opened is not None and (state.opened.earlier is not None) is earlier

    with_engine(study, log, scenario)


def test_the_same_person_is_one_participant_whose_key_stands_in_no_event(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        one = await engine.open_visit(language="en", person="5f3a-secret")
        two = await engine.open_visit(language="en", person="5f3a-secret")
        other = await engine.open_visit(language="en", person="someone else")
        first, second, third = [
            (await engine.state(opened.visit_id)).participant_id for opened in (one, two, other)
        ]
        assert first == second != third and one.visit_id != two.visit_id
        assert "secret" not in repr([*log.events(one.visit_id), *log.events(two.visit_id)])

    with_engine(study, log, scenario)


def test_a_paused_trial_opens_no_visit_and_assigns_no_dialogue(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        opened = await engine.open_visit(language="en")
        await engine.give_consent(opened.visit_id, 0, agreed=True, document="d")
        pause = events.TrialPaused(reason="bot update", by="owner")
        await log.transact(lambda tx: tx.append(events.TRIAL, pause))
        with pytest.raises(Refused, match="paused"):
            await engine.open_visit(language="en")
        await engine.read_page(opened.visit_id, 1)
        assert (await engine.state(opened.visit_id)).phase == "ready"
        resume = events.TrialResumed(by="owner")
        await log.transact(lambda tx: tx.append(events.TRIAL, resume))
        await engine.next_dialogue(opened.visit_id, 2, 0)
        assert (await engine.state(opened.visit_id)).phase == "chat"

    with_engine(study, log, scenario)


def test_two_hundred_simultaneous_arrivals_are_balanced(tmp_path: Path, log) -> None:
    study = make_study(tmp_path, allocation="balanced")

    async def scenario(engine: SessionEngine) -> None:
        await asyncio.gather(*(into_dialogue(engine) for _ in range(200)))

    with_engine(study, log, scenario)
    assert Counter(one.system for one in log.dialogues("city")) == {"one": 100, "two": 100}


def test_least_used_by_participant_never_differs_by_more_than_one(tmp_path: Path, log) -> None:
    study = make_study(tmp_path)

    async def scenario(engine: SessionEngine) -> None:
        visit_id, _ = await into_dialogue(engine)
        seen: Counter[str] = Counter()
        for _ in range(7):
            dialogue = (await engine.state(visit_id)).dialogues[-1]
            seen[dialogue.system] += 1
            assert abs(seen["one"] - seen["two"]) <= 1
            await engine.end_dialogue(visit_id, dialogue.dialogue_id)
            await engine.next_dialogue(visit_id, 2, 0)
            await greeted(engine, visit_id)

    with_engine(study, log, scenario)


def test_a_dialogue_left_alone_is_ended_and_the_visit_can_go_on(tmp_path: Path) -> None:
    study = make_study(tmp_path, limits=Limits(dialogue_minutes=600))
    clock = ManualClock()
    log = Log.open(f"sqlite:///{tmp_path / 'idle.sqlite'}", clock)

    async def run() -> None:
        parrot = Parrot()
        engine = SessionEngine(study, log, {"one": parrot, "two": parrot}, clock=clock)
        await engine.start()
        visit_id, _ = await into_dialogue(engine)
        assert await engine.sweep() == 0
        clock.advance(study.limits.idle_minutes * 60 + 1)
        assert await engine.sweep() == 1
        state = await engine.state(visit_id)
        assert state.dialogues[-1].end_reason == "abandoned" and state.phase == "ready"
        await eventually_there(lambda: parrot.closed)
        assert len(parrot.closed) == 1
        await engine.stop()

    asyncio.run(run())
    log.close_now()


def test_news_of_a_visit_wakes_whoever_waits(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        seq = (await engine.state(visit_id)).seq
        assert await engine.updates(visit_id, seq, wait_s=0.05) == []
        waiting = asyncio.create_task(engine.updates(visit_id, seq, wait_s=PATIENCE_S))
        await asyncio.sleep(0.01)
        await engine.say(visit_id, dialogue_id, key="k", text="hi")
        assert next(stored.event.kind for stored in await waiting) == "user_turn_sent"
        at_once = await asyncio.wait_for(engine.updates(visit_id, seq, wait_s=3600.0), PATIENCE_S)
        assert at_once[0].event.kind == "user_turn_sent", "what is there already is not waited for"

    with_engine(study, log, scenario)
