"""A dialogue turn by turn: nothing lost, nothing twice, times on one clock."""

from types import ModuleType

import pytest

from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.app_shell import page_environment
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.domain_words import DomainWords
from vivavoce.dashboard.evidence import evidence_of
from vivavoce.dashboard.language import reading
from vivavoce.dashboard.transcript import make_transcript, raw_events
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.model import Study


@pytest.fixture
def caller(trial: ModuleType, study: Study, empty_log: Log, clock: ManualClock) -> object:
    caller = trial.Caller(empty_log, study, clock, "someone")
    caller.begin()
    return caller


def test_a_finished_dialogue_has_every_line_once(
    trial: ModuleType, caller, study: Study, empty_log: Log
) -> None:
    task = next(task for task in study.tasks if task.venues)
    made = make_transcript(study, empty_log.dialogue_history(trial.hold(caller, "nbest", task)))
    assert [line.turn_index for line in made.lines] == list(range(9))
    assert [line.kind for line in made.lines] == ["system", "user"] * 4 + ["system"]
    assert made.lines[0].text == trial.OPENING and made.lines[-1].text == "Good bye, and enjoy it!"
    assert made.task == task.text["en"] and made.goal[0] == ("type", task.type)
    assert made.dialogue.code is not None and made.dialogue.code_accepted
    assert made.dialogue.end_reason == "system"
    found_all = made.forms[0].ratings[0]
    assert (found_all.answer, found_all.value, found_all.success) == ("Yes", 1.0, True)
    assert found_all.question == study.wording("cambridge", "en").items["found_all"]


def test_times_count_from_the_opening_and_delays_from_the_other_party(
    caller, study: Study, clock, empty_log
) -> None:
    dialogue = caller.assign("nbest", study.tasks[0])
    clock.advance(1)
    clock.step_wall(3600)
    caller.add(events.UserTurnSent(dialogue_id=dialogue, turn_index=0, text="hi?", response_delay_s=0.75), 4)
    caller.add(
        events.SystemTurnReceived(
            dialogue_id=dialogue,
            turn_index=1,
            reply_to=0,
            messages=[events.LoggedMessage(text="hi")],
            sent_s=5.25,
            first_output_s=5.5,
            complete_s=7.0,
        ),
        2,
    )
    user, system = make_transcript(study, empty_log.dialogue_history(dialogue)).lines
    assert (user.at_s, user.delay_s) == (5.0, 0.75)
    assert (system.at_s, system.delay_s, system.first_output_s) == (7.0, 2.0, 0.5)
    assert system.took_s == 1.75, "what passed before it was handed over is not the system's"


def test_after_a_restart_times_come_from_the_wall_clock(
    study: Study, empty_log: Log, caller, clock: ManualClock, trial: ModuleType
) -> None:
    dialogue = caller.assign("nbest", study.tasks[0])
    later = Log.open(str(empty_log._engines.writer.url), ManualClock(clock.now()))
    later.clock.advance(30)
    turn = events.UserTurnSent(dialogue_id=dialogue, turn_index=0, text="still here")
    later.transact_now(lambda tx: tx.append(caller.visit_id, turn))
    later.close_now()
    assert make_transcript(study, empty_log.dialogue_history(dialogue)).lines[0].at_s == pytest.approx(30)


def test_failures_silences_and_extras_stand_where_they_happened(
    trial: ModuleType, caller, study: Study, empty_log: Log
) -> None:
    dialogue = caller.assign("nbest", study.tasks[0])
    act, heard = trial.act, events.LoggedHypothesis(text="cheep pub", score=0.5)
    caller.add(events.NoAnswer(dialogue_id=dialogue, reply_to=None))
    caller.add(
        events.UserTurnSent(
            dialogue_id=dialogue,
            turn_index=0,
            text="cheap pub",
            payload="/p",
            barge_in=True,
            heard=[heard],
            meant=[act("inform", "pricerange", "cheap")],
        )
    )
    caller.add(
        events.SystemTurnFailed(
            dialogue_id=dialogue, reply_to=0, failure="bad_answer", detail="no JSON", partial="We"
        )
    )
    buttons = events.LoggedMessage(
        text="which?", choices=[{"title": "North", "payload": "n"}], images=["https://x/y.png"]
    )
    caller.add(
        events.SystemTurnReceived(
            dialogue_id=dialogue,
            turn_index=1,
            reply_to=0,
            messages=[buttons],
            acts=[act("request", "area")],
            understood=[events.LoggedHypothesis(acts=[act("inform", None, "cheap")])],
            ends_dialogue=True,
        )
    )
    silence, user, failure, system = make_transcript(study, empty_log.dialogue_history(dialogue)).lines
    assert silence.text == "The system did not speak first."
    assert user.notes == ["button pressed: /p", "started while the system was speaking"]
    assert user.acts == {
        "recognised by the channel": ["cheep pub (0.50)"],
        "meant": ["inform(pricerange=cheap)"],
    }
    assert failure.text == "bad answer: no JSON" and failure.notes == ["previously: We"]
    assert system.notes == ["buttons: North", "picture: https://x/y.png", "ended by the system"]
    assert system.acts == {"said": ["request(area)"], "understood from the previous turn": ["inform(cheap)"]}


def test_answers_without_a_known_wording_are_named_by_their_item(
    caller, study: Study, empty_log: Log
) -> None:
    dialogue = caller.assign("nbest", study.tasks[0])
    rated = [events.LoggedRating(item_id="q1", value=3, answer=None)]
    caller.add(
        events.QuestionnaireAnswered(
            step=2,
            round=0,
            dialogue_id=dialogue,
            instrument="gone",
            wording="file",
            language="en",
            ratings=rated,
        )
    )
    form = make_transcript(study, empty_log.dialogue_history(dialogue)).forms[0]
    assert (form.ratings[0].question, form.ratings[0].answer, form.ratings[0].value) == ("q1", "", 3)


def test_raw_events_are_the_log_word_for_word(study: Study, log: Log) -> None:
    dialogue = log.dialogues(study.name)[0].dialogue_id
    stored = log.dialogue_history(dialogue).events
    raw = raw_events(stored)
    assert [one.event_id for one in raw] == [one.event_id for one in stored]
    assert [events.read_event(one.kind, one.payload) for one in raw] == [one.event for one in stored]


def test_turns_that_went_over_as_sound_say_so_and_who_knows_their_words(
    caller, study: Study, clock, empty_log
) -> None:
    dialogue = caller.assign("nbest", study.tasks[0])
    caller.add(
        events.UserTurnSent(
            dialogue_id=dialogue, turn_index=0, text="", sound="r1", barge_in=True, played_s=1.25
        ),
        1,
    )
    heard = events.LoggedHypothesis(text="a cheap pub", score=0.9)
    caller.add(
        events.SystemTurnReceived(
            dialogue_id=dialogue,
            turn_index=1,
            reply_to=0,
            messages=[],
            sound="r2",
            heard=[heard],
        ),
        1,
    )
    ours = events.LoggedHypothesis(text="a cheep pub")
    caller.add(events.TurnRecognised(dialogue_id=dialogue, turn_index=0, heard=[ours]), 1)
    user, system = make_transcript(study, empty_log.dialogue_history(dialogue)).lines
    assert user.text == "a cheap pub"
    assert user.notes == [
        "started while the system was speaking, 1.2 s into its turn",
        "sent to the system as audio, without text",
    ]
    assert user.acts == {
        "recognised by the system": ["a cheap pub (0.90)"],
        "our recogniser (log only)": ["a cheep pub"],
    }
    assert system.notes == ["audio generated by the system"]


def test_slots_and_values_have_the_names_that_the_domain_gives_them(study: Study) -> None:
    words = DomainWords(study.ontology)
    with reading("it"):
        assert (words.slot("pricerange"), words.value("area", "centre")) == ("fascia di prezzo", "centro")
        assert (words.value("type", "coffee shop"), words.value("area", "dontcare")) == ("caffè", "qualsiasi")
        assert words.slot("type") == "tipo"
    assert (words.slot("pricerange"), words.value("area", "moon")) == ("price range", "moon")
    assert DomainWords(None).value("area", "centre") == "centre"


def test_a_study_without_a_domain_shows_no_rule_of_one(
    trial: ModuleType, caller, study: Study, empty_log: Log
) -> None:
    task = next(task for task in study.tasks if task.venues)
    dialogue = trial.hold(caller, "nbest", task)
    bare = study.model_copy(update={"ontology": None})
    assert "type" not in dict(make_transcript(bare, empty_log.dialogue_history(dialogue)).goal)
    for one, ruled in ((study, True), (bare, False)):
        found = evidence_of(Board(one, empty_log), one, empty_log.history(caller.visit_id), dialogue)
        assert found.rule == ruled
        shown = page_environment().from_string(
            '{% import "evidence.html" as evidence with context %}{{ evidence.whole(found, "/help/x") }}'
        )
        said = shown.render(found=found, domain=DomainWords(one.ontology))
        assert ("succeeds if" in said) == ruled and "venue" not in said
        assert ("no domain database" in said) != ruled
