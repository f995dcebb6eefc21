"""What annotators said as rows: of finished work alone, and how disputes were decided."""

from datetime import UTC, datetime, timedelta
from typing import Any

from vivavoce.log.annotation_events import (
    AnnotationAssigned,
    DialogueAnnotated,
    LabelsAdjudicated,
    LabelsGiven,
    LoggedLabel,
)
from vivavoce.log.annotation_state import AnnotationState, Place, annotation_rows
from vivavoce.log.event import Event
from vivavoce.log.models import StoredEvent

START = datetime(2026, 1, 1, tzinfo=UTC)


def state_of(*happened: Event) -> AnnotationState:
    """The state after events, a minute after each other."""
    return AnnotationState.after(
        StoredEvent(str(seq), "s", seq, START + timedelta(minutes=seq), 0.0, "b", event)
        for seq, event in enumerate(happened, 1)
    )


def labels(*names: str) -> list[LoggedLabel]:
    return [LoggedLabel(label=name) for name in names]


def said(who: str, turn: int | None, *names: str, scheme: str = "acts", dialogue: str = "d1") -> Event:
    return LabelsGiven(
        dialogue_id=dialogue, annotator_id=who, scheme=scheme, turn_index=turn, labels=labels(*names)
    )


def decided(turn: int | None, *names: str, scheme: str = "acts") -> Event:
    return LabelsAdjudicated(
        dialogue_id="d1", scheme=scheme, turn_index=turn, labels=labels(*names), by="chief"
    )


def done(who: str, *schemes: str, dialogue: str = "d1") -> Event:
    return DialogueAnnotated(dialogue_id=dialogue, annotator_id=who, schemes=list(schemes or ("acts",)))


def rows(state: AnnotationState) -> list[tuple[Any, ...]]:
    return [
        (one["layer"], one["annotator_id"], one["turn_index"], one["label"]) for one in annotation_rows(state)
    ]


def test_only_finished_work_counts_each_scheme_by_itself() -> None:
    state = state_of(
        said("ann", 2, "offer"),
        said("ann", None, "good"),
        said("ann", 2, "odd", scheme="faults"),
        said("ben", 2, "ask"),
        said("ann", 0, "hello"),
        done("ann"),
        done("cid"),
        said("dan", 0, "unasked"),
    )
    assert rows(state) == [
        ("acts", "ann", None, "good"),
        ("acts", "ann", 0, "hello"),
        ("acts", "ann", 2, "offer"),
        ("acts", "cid", None, "none"),
    ]
    nothing = list(annotation_rows(state))[-1]
    assert nothing["annotated_at"] == START + timedelta(minutes=7), "when the work was finished"
    annotated = state.dialogues["d1"]
    assert list(annotated.finished("acts")) == ["ann", "cid"] and annotated.finished("faults") == {}
    assert annotated.places("acts") == [Place("acts", None), Place("acts", 0), Place("acts", 2)]


def test_a_decision_says_the_layer_again_with_what_all_agreed_on_and_what_is_still_due() -> None:
    happened = [
        said("ann", 0, "hello"),
        said("ben", 0, "hello"),
        said("ann", 1, "ask"),
        said("ben", 1, "offer"),
        said("ann", 2, "ask"),
        said("ben", 2, "bye"),
        said("ann", 3, "ask"),
        said("ben", 3),
        said("ann", None, "good"),
        said("ben", None, "good"),
        said("ann", 1, "odd", scheme="faults"),
        said("ben", 1, scheme="faults"),
        done("ann", "acts", "faults"),
        done("ben", "acts", "faults"),
    ]
    undecided = state_of(*happened)
    assert not [one for one in rows(undecided) if one[1] == "adjudicated"]
    assert list(undecided.dialogues["d1"].disagreements("acts")) == [Place("acts", at) for at in (1, 2, 3)]
    found = [
        one
        for one in rows(state_of(*happened, decided(1, "offer"), decided(0, "bye")))
        if one[1] == "adjudicated"
    ]
    assert found == [
        ("acts", "adjudicated", None, "good"),
        ("acts", "adjudicated", 0, "bye"),
        ("acts", "adjudicated", 1, "offer"),
        ("acts", "adjudicated", 2, "undecided"),
        ("acts", "adjudicated", 3, "undecided"),
    ]


def test_what_somebody_passed_over_is_no_agreement() -> None:
    """Whom nobody contradicts by words may still be contradicted by silence."""
    state = state_of(
        said("ben", 1, "ask"),
        said("ann", 2, "offer"),
        said("ben", 2, "ask"),
        said("ben", 3),
        done("ann"),
        done("ben"),
        decided(2, "ask"),
    )
    assert [one[2:] for one in rows(state) if one[1] == "adjudicated"] == [(1, "undecided"), (2, "ask")]
    choices = state.dialogues["d1"].choices(Place("acts", 1))
    assert choices == {"ann": frozenset(), "ben": frozenset({("ask", None)})}


def test_the_work_of_an_annotator_and_the_annotation_of_some_dialogues_can_be_told_apart() -> None:
    state = state_of(
        AnnotationAssigned(dialogue_id="d2", annotator_id="ann"),
        AnnotationAssigned(dialogue_id="d1", annotator_id="ann"),
        AnnotationAssigned(dialogue_id="d3", annotator_id="ben"),
        done("ben", dialogue="d3"),
    )
    assert list(state.of_annotator("ann")) == ["d2", "d1"] and list(state.of_annotator("ben")) == ["d3"]
    assert set(state.only({"d1", "d3"}).dialogues) == {"d1", "d3"}
