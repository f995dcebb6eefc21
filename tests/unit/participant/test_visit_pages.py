"""A visit walked with plain forms, page by page."""

from pathlib import Path

import pytest

from scenes.browsing import DOCUMENTS, Forms, Visitor, events_of, serve, study_with_texts
from scenes.visits import Parrot, greeted, say
from vivavoce.log import events
from vivavoce.log.models import team_study
from vivavoce.log.store import Log
from vivavoce.log.verification import verify
from vivavoce.participant.accounts import Access
from vivavoce.participant.documents import read_document
from vivavoce.study.model import (
    ConsentStep,
    DebriefStep,
    DialogueStep,
    Identity,
    Limits,
    Nontrivial,
    QuestionnaireStep,
    Range,
    Study,
)

ELSEWHERE = DialogueStep(
    repeat=Range(min=1, max=1),
    gate="code",
    nontrivial=Nontrivial(),
    external="reach.md",
    feedback=(QuestionnaireStep(name="cambridge", about="dialogue"),),
)


def test_looking_at_the_information_page_starts_nothing(visitor: Visitor, log: Log) -> None:
    page = visitor.look("/")
    assert "About 9 minutes." in page  # 2 dialogues of 3 minutes, 18 items at 7 a minute
    assert "Start" in page
    visitor.client.head("/")
    assert log.visits("city") == []


def test_what_the_team_tries_out_is_no_participants_visit(visitor: Visitor, log: Log) -> None:
    address = Access(log, "city").try_out("http://pages.test")
    page = visitor.look("/?lang=en&" + address.partition("?")[2])
    assert "does not count as a participant" in page
    visitor.press("/start")
    visitor.press("/consent", answer="agree")
    visitor.press("/read")
    visitor.settled()
    assert "does not count as a participant" in visitor.html
    for _ in range(2):
        visitor.hold_dialogue()
        visitor.press("/code")
        visitor.give_feedback()
        visitor.press("/dialogue/next")
        visitor.settled()
    tasks = [one.task_id for one in log.dialogues(team_study("city"))]
    assert len(tasks) == 3 and len(set(tasks[:2])) == 2  # its own tasks are remembered
    assert log.visits("city") == [] and log.dialogues("city") == []


def test_an_address_of_the_team_that_no_longer_works_makes_nobody_a_participant(
    visitor: Visitor, log: Log
) -> None:
    answer = visitor.client.get("/?lang=en&team=made-up")
    assert answer.status_code == 403 and "/start" not in answer.text
    assert visitor.client.post("/start", data={"team": "made-up"}).status_code == 403
    assert log.visits("city") == log.visits(team_study("city")) == []


def test_nobody_gets_a_task_twice_however_many_may_be_asked_for(
    tmp_path: Path, log: Log, parrot: Parrot
) -> None:
    study = study_with_texts(tmp_path)
    often = [
        one.model_copy(update={"repeat": Range(min=1, max=9)}) if isinstance(one, DialogueStep) else one
        for one in study.visit
    ]
    few = study.model_copy(update={"visit": tuple(often), "tasks": study.tasks[:2]})
    with serve(few, log, parrot) as open_browser:
        visitor = open_browser()
        assert "You get 1 to 2 tasks" in visitor.look("/?lang=en")
        visitor.into_dialogue()
        for number in range(2):
            visitor.hold_dialogue()
            visitor.press("/code")
            visitor.give_feedback()
            if number == 0:
                assert "up to 2 in all" in visitor.html
                visitor.press("/dialogue/next")
                visitor.settled()
        assert "/dialogue/next" not in visitor.html
    tasks = [one.task_id for one in log.dialogues("city")]
    assert len(tasks) == len(set(tasks)) == 2


def test_the_first_page_and_the_conversation_count_the_same_tasks(visitor: Visitor) -> None:
    assert "You get 2 to 3 tasks, one after another" in visitor.look("/?lang=en")
    assert "Ricevi da 2 a 3 compiti, uno dopo l’altro" in visitor.look("/?lang=it")
    visitor.into_dialogue()
    assert "Task 1 of at least 2" in visitor.html


def test_a_demonstration_says_so_in_the_language_of_the_page(study: Study, log: Log, parrot: Parrot) -> None:
    with serve(study, log, parrot, notice="demonstration") as open_browser:
        visitor = open_browser()
        assert "DEMONSTRATION: all dialogues so far are SIMULATED" in visitor.look("/?lang=en")
        assert "DIMOSTRAZIONE: tutti i dialoghi finora sono SIMULATI" in visitor.look("/?lang=it")
    with serve(study, log, parrot, notice="100% demonstration") as open_browser:
        assert "100% demonstration" in open_browser().look("/?lang=it")


def test_a_whole_visit_by_plain_forms_ends_with_the_completion_code(visitor: Visitor, log: Log) -> None:
    visitor.into_dialogue()
    for _ in range(2):
        visitor.hold_dialogue()
        assert "This is your code" in visitor.html
        visitor.press("/code")
        visitor.give_feedback()
        if "/dialogue/next" in visitor.html and "/dialogue/finish" not in visitor.html:
            visitor.press("/dialogue/next")
            visitor.settled()
    assert "You have done 2 tasks" in visitor.html
    visitor.press("/dialogue/finish")
    visitor.press("/answers", **{f"item-q{number}": "3" for number in range(1, 11)})
    assert "Done. Thank you!" in visitor.html
    ended = events_of(log, "visit_ended")[0].event
    assert isinstance(ended, events.VisitEnded) and ended.completion_code in visitor.html


def test_the_consent_that_is_logged_is_the_text_that_was_shown(visitor: Visitor, log: Log) -> None:
    visitor.into_dialogue(language="it")
    given = events_of(log, "consent_given")[0].event
    assert isinstance(given, events.ConsentGiven)
    assert given.document == read_document(DOCUMENTS["consent.md"]["it"]).digest
    assert given.language == "it"


def test_declining_consent_ends_the_visit_kindly_and_without_a_code(visitor: Visitor, log: Log) -> None:
    visitor.look("/")
    visitor.press("/start")
    visitor.press("/consent", answer="decline")
    assert "You do not take part" in visitor.html
    assert events_of(log, "visit_ended")[0].event.completion_code is None
    assert f"Fingerprint of the record of this study: {verify(log).fingerprint}." in visitor.html


def test_a_consent_to_a_text_in_another_language_is_not_taken(visitor: Visitor, log: Log) -> None:
    visitor.look("/?lang=en")
    visitor.press("/start")
    shown = visitor.html
    visitor.press("/language", language="it")
    visitor.html = shown
    visitor.press("/consent", answer="agree")
    assert "Acconsenti" in visitor.html
    assert events_of(log, "consent_given") == []


def test_pressing_start_twice_makes_one_visit(browsers, log: Log) -> None:
    visitor = browsers()
    visitor.look("/")
    page = visitor.html
    visitor.press("/start")
    visitor.html = page
    visitor.press("/start")
    other = browsers()
    other.html = page  # the same page again, its first answer lost before the cookie arrived
    other.press("/start")
    assert len(log.visits("city")) == 1
    assert "Please agree" in other.html


def test_a_stale_form_leads_to_the_page_that_is_due(visitor: Visitor, log: Log) -> None:
    visitor.look("/")
    visitor.press("/start")
    consent = visitor.html
    visitor.press("/consent", answer="agree")
    instructions = visitor.html
    visitor.html = consent
    visitor.press("/consent", answer="decline")
    assert "How to" in visitor.html
    visitor.html = instructions
    visitor.press("/read")
    visitor.html = instructions
    visitor.press("/read")
    assert "Conversation" in visitor.html
    assert len(events_of(log, "page_read")) == 1
    assert events_of(log, "visit_ended") == []


def test_sending_the_same_form_again_stores_nothing_twice(visitor: Visitor, log: Log) -> None:
    visitor.into_dialogue()
    visitor.hold_dialogue()
    code = visitor.html
    visitor.press("/code")
    form = visitor.html
    visitor.give_feedback()
    visitor.html = form
    visitor.give_feedback()
    visitor.html = code
    visitor.press("/code")
    assert "Thank you, that is done" in visitor.html
    assert len(events_of(log, "questionnaire_answered")) == 1
    assert len(events_of(log, "code_entered")) == 1


def test_a_dialogue_that_was_too_short_earns_nothing_and_is_asked_about_first(
    visitor: Visitor, log: Log
) -> None:
    visitor.into_dialogue()
    visitor.press("/dialogue/end/form")
    assert 'aria-labelledby="too-short-title" open>' in visitor.html
    assert events_of(log, "dialogue_ended") == []
    visitor.press("/dialogue/end/form", confirmed="yes")
    assert "too short to count" in visitor.html
    assert events_of(log, "code_issued") == []
    visitor.press("/dialogue/next")
    assert "Your task" in visitor.html


def test_finishing_is_offered_only_once_enough_dialogues_were_held(visitor: Visitor) -> None:
    visitor.into_dialogue()
    visitor.hold_dialogue()
    visitor.press("/code")
    visitor.give_feedback()
    assert "You have done one of at least 2 tasks." in visitor.html
    assert "/dialogue/finish" not in Forms(visitor.html).forms
    response = visitor.client.post("/dialogue/finish", data={"step": "2"})
    assert "Next task" in response.text


def test_leaving_asks_first_and_then_ends_the_visit(visitor: Visitor, log: Log) -> None:
    visitor.into_dialogue()
    visitor.look("/leave")
    assert events_of(log, "visit_ended") == []
    visitor.press("/withdraw")
    assert "You have stopped" in visitor.html
    assert events_of(log, "visit_ended")[0].event.outcome == "withdrew"


def test_a_paused_trial_takes_nobody_new_and_keeps_those_under_way(visitor: Visitor, log: Log) -> None:
    visitor.look("/")
    visitor.press("/start")
    visitor.press("/consent", answer="agree")
    log.transact_now(lambda tx: tx.append(events.TRIAL, events.TrialPaused(reason="lunch", by="researcher")))
    visitor.press("/read")
    assert "A short pause" in visitor.html
    visitor.press("/dialogue/next")
    assert "A short pause" in visitor.html and 'role="alert"' not in visitor.html
    log.transact_now(lambda tx: tx.append(events.TRIAL, events.TrialResumed(by="researcher")))
    visitor.press("/dialogue/next")
    assert "Your task" in visitor.html


def test_nobody_new_is_let_in_while_the_trial_is_paused(visitor: Visitor, log: Log) -> None:
    log.transact_now(lambda tx: tx.append(events.TRIAL, events.TrialPaused(reason="lunch", by="researcher")))
    visitor.look("/")
    visitor.press("/start", status=503)
    assert "A short pause" in visitor.html


def test_a_system_reached_elsewhere_wants_its_code_typed(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    study = study_with_texts(
        tmp_path, visit=(ConsentStep(file="consent.md"), ELSEWHERE), limits=Limits(code_attempts=3)
    )
    with serve(study, log, parrot) as open_browser:
        visitor = open_browser()
        visitor.look("/")
        visitor.press("/start")
        visitor.press("/consent", answer="agree")
        assert "Dial 12." in visitor.html and "Find a Thai restaurant" in visitor.html
        visitor.press("/code", entered="1234")
        assert "not over yet" in visitor.html
        code = held_elsewhere(visitor, log)
        visitor.look()
        assert code not in visitor.html
        visitor.press("/code", entered="0000")
        assert "We do not know this code" in visitor.html
        visitor.press("/code", entered=f" {code[:2]} {code[2:]} ")
        assert "About this conversation" in visitor.html


def held_elsewhere(visitor: Visitor, log: Log) -> str:
    """The dialogue as another leg would hold it; the code that it earned."""
    engine = visitor.engine
    visit_id = log.visits("city")[0].visit_id

    async def hold() -> str:
        dialogue_id = await greeted(engine, visit_id)
        await say(engine, visit_id, dialogue_id, "hello")
        await engine.end_dialogue(visit_id, dialogue_id)
        return (await engine.state(visit_id)).dialogue.code

    return visitor.server.call(hold())


def test_too_many_wrong_codes_are_told_so(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    study = study_with_texts(
        tmp_path, visit=(ConsentStep(file="consent.md"), ELSEWHERE), limits=Limits(code_attempts=2)
    )
    with serve(study, log, parrot) as open_browser:
        visitor = open_browser()
        visitor.look("/")
        visitor.press("/start")
        visitor.press("/consent", answer="agree")
        held_elsewhere(visitor, log)
        visitor.look()
        for _ in range(3):
            visitor.press("/code", entered="0")
        assert "Too many wrong codes" in visitor.html


def test_a_code_of_an_earlier_dialogue_and_of_somebody_else_are_named_as_such(
    tmp_path: Path, log: Log, parrot: Parrot
) -> None:
    twice = ELSEWHERE.model_copy(update={"repeat": Range(min=1, max=2)})
    study = study_with_texts(tmp_path, visit=(ConsentStep(file="consent.md"), twice))
    with serve(study, log, parrot) as open_browser:
        visitor = open_browser()
        visitor.look("/")
        visitor.press("/start")
        visitor.press("/consent", answer="agree")
        first = held_elsewhere(visitor, log)
        visitor.look()
        visitor.press("/code", entered=first)
        visitor.give_feedback()
        visitor.press("/dialogue/next")
        held_elsewhere(visitor, log)
        visitor.look()
        visitor.press("/code", entered=first)
        assert "This code was already used" in visitor.html
        log.transact_now(lambda tx: tx.reserve_code("999999999", "dialogue-x", "visit-x"))
        visitor.press("/code", entered="999999999")
        assert "another person" in visitor.html


def test_a_study_by_invitation_asks_for_the_identifier(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    identity = Identity(anonymous=False, parameter="pid", several_visits=False)
    with serve(study_with_texts(tmp_path, identity=identity), log, parrot) as open_browser:
        nobody = open_browser()
        assert nobody.client.get("/").status_code == 403
        assert nobody.client.post("/start", data={"language": "en"}).status_code == 403
        visitor = open_browser()
        visitor.look("/?pid=ann-1")
        visitor.press("/start")
        visitor.press("/consent", answer="agree")
    (visit,) = log.visits("city")
    assert "ann-1" not in visit.participant_id + repr(log.events(visit.visit_id))  # only a pseudonym


@pytest.mark.parametrize(("language", "said"), [("en", "Too many people"), ("it", "Troppe persone")])
def test_a_class_behind_one_address_is_told_why_it_waits_and_the_study_may_allow_more(
    tmp_path: Path, log: Log, parrot: Parrot, language: str, said: str
) -> None:
    study = study_with_texts(tmp_path, limits=Limits(visits_per_hour=2))
    with serve(study, log, parrot) as open_browser:
        answers = [
            open_browser().client.post(
                "/start", data={"language": language, "lang": language}, headers={"Accept-Language": language}
            )
            for _ in range(3)
        ]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert said in answers[2].text and answers[2].headers["Retry-After"] == "600"
    assert len(log.visits("city")) == 2


def by_invitation(folder: Path) -> Study:
    return study_with_texts(folder, identity=Identity(parameter="PROLIFIC_PID", several_visits=False))


@pytest.mark.parametrize(
    ("language", "said"), [("en", "You started in another browser"), ("it", "Hai cominciato in un altro")]
)
def test_an_identifier_seen_before_opens_nothing_in_another_browser(
    tmp_path: Path, log: Log, parrot: Parrot, language: str, said: str
) -> None:
    with serve(by_invitation(tmp_path), log, parrot) as open_browser:
        ann = open_browser()
        ann.look("/?PROLIFIC_PID=ann-1")
        ann.press("/start")
        ann.press("/consent", answer="agree")
        events = len(log.events(log.visits("city")[0].visit_id))
        stranger = open_browser()
        answer = stranger.client.post(
            "/start", data={"language": language, "participant": "ann-1", "key": "guessed"}
        )
        assert answer.status_code == 403 and said in answer.text and "How to" not in answer.text
        assert not stranger.client.cookies
        assert ann.client.post("/start", data={"participant": "ann-1", "key": "new"}).url.path == "/visit"
        ann.look("/visit")
        assert "How to" in ann.html  # whoever began goes on
        assert len(log.visits("city")) == 1
        assert len(log.events(log.visits("city")[0].visit_id)) == events


def test_a_double_click_on_start_is_one_visit_also_with_an_identifier_and_after_a_restart(
    tmp_path: Path, log: Log, parrot: Parrot
) -> None:
    sent = {"language": "en", "participant": "ann-1", "key": "of-this-page"}
    for _ in range(2):
        with serve(by_invitation(tmp_path), log, parrot) as open_browser:
            answer = open_browser().client.post("/start", data=sent)
            assert "We keep your words." in answer.text
    assert len(log.visits("city")) == 1


def test_who_is_done_sees_the_end_again_in_the_same_browser_only(
    tmp_path: Path, log: Log, parrot: Parrot
) -> None:
    with serve(by_invitation(tmp_path), log, parrot) as open_browser:
        ann = open_browser()
        ann.look("/?PROLIFIC_PID=ann-1")
        ann.press("/start")
        ann.press("/consent", answer="refuse")
        ended = ann.html
        ann.look("/?PROLIFIC_PID=ann-1")
        ann.press("/start")
        assert ann.html == ended and len(log.visits("city")) == 1


def test_the_language_can_be_changed_at_any_time(visitor: Visitor) -> None:
    visitor.look("/")
    visitor.press("/start")
    visitor.press("/language", language="it")
    assert '<html lang="it">' in visitor.html
    assert "Teniamo le parole." in visitor.html
    visitor.press("/language", language="xx")
    assert '<html lang="it">' in visitor.html


@pytest.mark.parametrize(
    "header, language", [("it-IT,it;q=0.9,en;q=0.8", "it"), ("fr", "en"), ("", "en"), (";;,q=", "en")]
)
def test_the_first_page_speaks_what_the_browser_likes_best(
    visitor: Visitor, header: str, language: str
) -> None:
    page = visitor.client.get("/", headers={"Accept-Language": header}).text
    assert f'<html lang="{language}">' in page


def test_a_debrief_without_a_heading_has_one_of_ours(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    study = study_with_texts(tmp_path, visit=(DebriefStep(file="bye.md"),))
    study = study.model_copy(update={"documents": {"bye.md": {"en": "That was all.", "it": "È tutto."}}})
    with serve(study, log, parrot) as open_browser:
        visitor = open_browser()
        visitor.look("/")
        visitor.press("/start")
        assert "<h1>Thank you</h1>" in visitor.html.replace("\n", "")
        visitor.press("/read")
        assert "Done. Thank you!" in visitor.html


def test_pages_can_stand_below_a_path(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    with serve(study_with_texts(tmp_path), log, parrot, base_path="trial/") as open_browser:
        visitor = open_browser()
        visitor.look("/trial/")
        visitor.press("/trial/start")
        visitor.press("/trial/consent", answer="agree")
        assert "How to" in visitor.html
        assert visitor.client.get("/trial/static/participant.css").status_code == 200
        assert visitor.client.get("/trial/healthz").status_code == 200
        assert visitor.client.get("/start").status_code == 404


@pytest.mark.parametrize("identifier", ["a\0b", "\x1b[31m", "a\u202eb"])
def test_an_identifier_that_cannot_be_read_opens_no_visit(
    visitor: Visitor, log: Log, identifier: str
) -> None:
    answer = visitor.client.post("/start", data={"language": "en", "participant": identifier})
    assert answer.status_code == 403
    assert log.visits("city") == []
