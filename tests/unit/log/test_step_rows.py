"""How long each step of a visit took, from its events alone."""

from datetime import UTC, datetime, timedelta

import pytest

from scenes.histories import assigned
from vivavoce.log.events import (
    ConsentGiven,
    DialogueEnded,
    DialogueOpened,
    Event,
    PageRead,
    QualificationTried,
    QuestionnaireAnswered,
    ResponseGiven,
    StepFinished,
    StimuliPlanned,
    VisitOpened,
)
from vivavoce.log.export import step_rows
from vivavoce.log.history import VisitHistory, fold
from vivavoce.log.models import StoredEvent

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def visit(*happened: tuple[float, Event]) -> VisitHistory:
    return fold(
        StoredEvent(
            event_id=str(seq),
            seq=seq,
            visit_id="v",
            at=START + timedelta(seconds=at),
            monotonic_s=at,
            boot="b",
            event=event,
        )
        for seq, (at, event) in enumerate(happened, 1)
    )


def opened() -> VisitOpened:
    return VisitOpened(study="s", revision="r", participant_id="p", pool="link", language="it")


def form(step: int, instrument: str) -> QuestionnaireAnswered:
    return QuestionnaireAnswered(
        step=step,
        round=None,
        dialogue_id=None,
        instrument=instrument,
        wording="project",
        language="it",
        ratings=[],
    )


def test_every_step_lasts_from_the_end_of_the_one_before_and_a_dialogue_from_its_opening() -> None:
    rows = step_rows(
        visit(
            (0, opened()),
            (20, ConsentGiven(step=0, document="d", language="it")),
            (50, PageRead(step=1)),
            (51, assigned("d1")),
            (52, DialogueOpened(dialogue_id="d1")),
            (112, DialogueEnded(dialogue_id="d1", reason="user", user_turns=3)),
            (119, assigned("d2")),
            (120, DialogueOpened(dialogue_id="d2")),
            (150, DialogueEnded(dialogue_id="d2", reason="user", user_turns=2)),
            (450, form(3, "idial")),
        )
    )
    told = [(row["number"], row["kind"], row["name"], row["duration_s"]) for row in rows]
    assert told == [
        (1, "consent", None, 20),
        (2, "page", None, 30),
        (3, "dialogue", None, 60),
        (4, "dialogue", None, 30),
        (5, "questionnaire", "idial", 300),
    ]
    assert {row["participant_id"] for row in rows} == {"p"}


def test_what_did_not_end_has_no_row_and_a_clock_set_back_gives_no_negative_time() -> None:
    rows = step_rows(
        visit(
            (100, opened()), (90, PageRead(step=0)), (94, assigned()), (95, DialogueOpened(dialogue_id="d"))
        )
    )
    assert [(row["kind"], row["duration_s"]) for row in rows] == [("page", pytest.approx(0))]


def test_commands_clips_and_other_tasks_of_a_visit_last_until_the_last_of_them_is_done() -> None:
    frame = {"recipe": "soup", "stimulus_id": "soup-1"}
    command = ResponseGiven(
        step=1,
        name="elicit",
        position=0,
        language="it",
        response_s=40,
        response={"by": "text", "text": "boil it"},
    )
    rows = step_rows(
        visit(
            (0, opened()),
            (20, PageRead(step=0)),
            (21, StimuliPlanned(step=1, name="elicit", stimuli=[frame])),
            (60, command),
            (65, StepFinished(step=1, name="elicit")),
            (65, StimuliPlanned(step=2, name="listen", stimuli=[], tries=[{"tones": 3}])),
            (90, QualificationTried(step=2, name="listen", attempt=0, response={"counted": 3}, passed=True)),
            (145, StepFinished(step=2, name="listen")),
            (150, PageRead(step=3)),
            (250, StepFinished(step=4, name="compare", total_s=100, accepted=True)),
            (450, StepFinished(step=5, name="rate", total_s=200)),
            (750, StepFinished(step=6, name="transcribe", total_s=290)),
            (780, form(7, "sus")),
        )
    )
    assert [(row["kind"], row["duration_s"]) for row in rows] == [
        ("page", 20),
        ("elicit", 45),
        ("listen", 80),
        ("page", 5),
        ("compare", 100),
        ("rate", 200),
        ("transcribe", 300),
        ("questionnaire", 30),
    ]
