"""What researchers say of dialogues: what stands, what is refused, and how it is taken back."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from vivavoce.log.event import Event
from vivavoce.log.models import StoredEvent
from vivavoce.log.notes import (
    LONGEST_NOTE,
    LONGEST_TAG,
    LONGEST_VIEW_NAME,
    MOST_AT_ONCE,
    Author,
    Change,
    RemarkRefused,
    Remarks,
    note_rows,
    noting,
    read_tag,
    removing_note,
    removing_view,
    saving_view,
    tag_rows,
    tagging,
    undoing,
)

ANN = Author("Ann", "a1")
START = datetime(2026, 1, 1, tzinfo=UTC)


class Stream:
    """A stream of remarks, changed as its transaction would."""

    def __init__(self) -> None:
        self.events: list[StoredEvent] = []

    def do(self, change: Change) -> list[Event]:
        made = change(self.now, self.events)
        for event in made:
            seq = len(self.events) + 1
            at = START + timedelta(seconds=seq)
            self.events.append(StoredEvent(str(seq), "r", seq, at, 0.0, "b", event))
        return made

    def undo(self, made: Sequence[Event]) -> list[Event]:
        """Take back what a change has just made."""
        last = len(self.events)
        return self.do(undoing(last - len(made) + 1, last, ANN))

    @property
    def now(self) -> Remarks:
        return Remarks.after(self.events)

    @property
    def tags(self) -> dict[str, list[str]]:
        return {key: list(own) for key, own in self.now.tags.items() if own}


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("  two  words ", "two words"),
        ("x" * LONGEST_TAG, "x" * LONGEST_TAG),
        ("x" * (LONGEST_TAG + 1), None),
        ("a, b", None),
        (" ", None),
    ],
)
def test_a_tag_is_a_word_or_two_without_a_comma(written: str, tag: str | None) -> None:
    if tag is None:
        with pytest.raises(RemarkRefused):
            read_tag(written)
    else:
        assert read_tag(written) == tag


def test_a_tag_is_put_where_it_lacks_and_taken_from_where_it_is() -> None:
    stream = Stream()
    stream.do(tagging("odd", ["d1"], ANN))
    assert (
        len(stream.do(tagging("odd", ["d1", "d2"], ANN))) == 1
        and stream.do(tagging("odd", ["d2"], ANN)) == []
    )
    assert stream.tags == {"d1": ["odd"], "d2": ["odd"]} and stream.now.tag_names() == ["odd"]
    assert len(stream.do(tagging("odd", ["d2", "d3"], ANN, off=True))) == 1
    assert stream.tags == {"d1": ["odd"]}


@pytest.mark.parametrize(
    ("dialogues", "refused"), [(0, True), (1, False), (MOST_AT_ONCE, False), (MOST_AT_ONCE + 1, True)]
)
def test_so_many_dialogues_are_tagged_at_once(dialogues: int, refused: bool) -> None:
    names = [f"d{number}" for number in range(dialogues)]
    if refused:
        with pytest.raises(RemarkRefused):
            tagging("odd", names, ANN)
    else:
        assert tagging("odd", names, ANN)


@pytest.mark.parametrize(
    ("text", "kept"),
    [("", False), ("  ", False), ("x", True), ("x" * LONGEST_NOTE, True), ("x" * (LONGEST_NOTE + 1), False)],
)
def test_a_note_has_so_many_characters(text: str, kept: bool) -> None:
    if kept:
        assert Stream().do(noting(text, "d1", ANN))
    else:
        with pytest.raises(RemarkRefused):
            noting(text, "d1", ANN)


def test_a_note_stands_until_it_is_removed_and_again_when_that_is_taken_back() -> None:
    stream = Stream()
    (one,), (other,) = (stream.do(noting(text, "d1", ANN)) for text in ("one", "other"))
    standing = lambda: [note.text for note in stream.now.standing_notes("d1")]  # noqa: E731
    assert stream.do(removing_note("unknown", "d1", ANN)) == []
    assert stream.do(removing_note(one.note_id, "d2", ANN)) == []  # type: ignore[attr-defined]
    removed = stream.do(removing_note(one.note_id, "d1", ANN))  # type: ignore[attr-defined]
    assert standing() == ["other"] and stream.do(removing_note(one.note_id, "d1", ANN)) == []  # type: ignore[attr-defined]
    assert [row["text"] for row in note_rows(stream.now, {"d1"})] == ["other"]
    assert list(note_rows(stream.now, {"d2"})) == []
    stream.undo(removed)
    assert standing() == ["one", "other"]
    assert other.text == "other"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        (" odd  ones ", "odd ones"),
        ("x" * LONGEST_VIEW_NAME, "x" * LONGEST_VIEW_NAME),
        ("x" * (LONGEST_VIEW_NAME + 1), None),
        (" ", None),
    ],
)
def test_a_view_has_a_name_of_some_length(name: str, saved: str | None) -> None:
    stream = Stream()
    if saved is None:
        with pytest.raises(RemarkRefused):
            saving_view(name, "q", ANN)
    else:
        stream.do(saving_view(name, "q", ANN))
        assert list(stream.now.views) == [saved]


def test_a_view_is_not_replaced_unasked_and_comes_back_as_it_was() -> None:
    stream = Stream()
    stream.do(saving_view("odd", "tag=odd", ANN))
    assert (
        stream.do(saving_view("odd", "tag=odd", ANN)) == [] and stream.do(removing_view("other", ANN)) == []
    )
    with pytest.raises(RemarkRefused, match="a view named 'odd' already exists"):
        stream.do(saving_view("odd", "tag=other", ANN))
    removed = stream.do(removing_view("odd", ANN))
    assert stream.now.views == {}
    stream.undo(removed)
    assert stream.now.views["odd"].query == "tag=odd"


@pytest.mark.parametrize(
    ("first", "last", "left"),
    [
        (1, 3, {}),
        (2, 2, {"d1": ["odd"], "d3": ["odd"]}),
        (1, 2, {"d3": ["odd"]}),
        (3, 9, {"d1": ["odd"], "d2": ["odd"]}),
    ],
)
def test_what_was_done_between_two_places_is_taken_back(first: int, last: int, left: dict) -> None:
    stream = Stream()
    stream.do(tagging("odd", ["d1", "d2", "d3"], ANN))
    stream.do(undoing(first, last, ANN))
    assert stream.tags == left


def test_only_what_still_stands_is_taken_back() -> None:
    stream = Stream()
    put = stream.do(tagging("odd", ["d1", "d2"], ANN))
    stream.do(tagging("odd", ["d1"], ANN, off=True))
    back = stream.do(undoing(1, len(put), ANN))
    assert [event.dialogue_id for event in back] == ["d2"] and stream.tags == {}  # type: ignore[attr-defined]
    assert len(stream.do(undoing(3, 3, ANN))) == 1 and stream.tags == {"d1": ["odd"]}
    assert stream.do(undoing(3, 3, ANN)) == []
    rows = list(tag_rows(stream.now, {"d1", "d9"}))
    assert [(row["dialogue_id"], row["tag"], row["author_id"]) for row in rows] == [("d1", "odd", "a1")]
    assert list(tag_rows(stream.now, {"d2"})) == []
