"""Which revision of a study counts, and which transcripts of recordings."""

from datetime import UTC, datetime, timedelta

import pytest

from vivavoce.dataset.declaration import frozen_revision, served_revisions
from vivavoce.log.stimulus_rows import (
    Answered,
    LoggedItem,
    TranscribedVisit,
    Transcriptions,
    WrittenTranscript,
)

DAY = datetime(2026, 3, 1, tzinfo=UTC)
SERVED = [
    {"revision": "one", "file": "1", "seen_at": DAY.isoformat()},
    {"revision": "two", "file": "2", "seen_at": (DAY + timedelta(days=2)).replace(tzinfo=None).isoformat()},
]


def test_the_revision_that_the_first_participant_met_counts() -> None:
    for first, revision in [
        (None, "one"),
        (-1.0, "one"),
        (0.0, "one"),
        (1.9, "one"),
        (2.0, "two"),
        (9.0, "two"),
    ]:
        came = None if first is None else DAY + timedelta(days=first)
        assert frozen_revision(SERVED, came)["revision"] == revision


def test_revisions_are_read_in_the_order_in_which_they_were_served() -> None:
    assert (
        served_revisions({"revisions": [SERVED[1], SERVED[0], {"revision": "none", "seen_at": "x"}]})
        == SERVED
    )
    (older,) = served_revisions({"file": "text", "revision": "r"})
    assert (older["revision"], frozen_revision([older], DAY)) == ("r", older)
    assert served_revisions({}) == []


def item(name: str, *, gold: bool = False) -> LoggedItem:
    return LoggedItem(audio=name, gold=gold)


def visit(person: str, *names: str, held: bool = True, accepted: bool | None = None) -> TranscribedVisit:
    """Somebody who was given these recordings and a known one, and wrote each of them down."""
    items = [item(name) for name in names] + [item("known", gold=True)]
    given = [Answered(one, WrittenTranscript(text=f"{person} {one.audio}"), DAY) for one in items]
    return TranscribedVisit(person, "en", held, items, given, accepted)


def test_the_first_transcript_of_who_was_accepted_counts_and_known_ones_are_none() -> None:
    found = Transcriptions(
        [
            visit("p1", "a"),
            visit("p2", "a", "b", accepted=True),
            visit("p3", "b", "c", accepted=True),
        ]
    )
    assert [one.text for one in found.accepted()] == ["p2 a", "p2 b", "p3 c"]
    assert found.seen_by("p1") == {"a", "known"} and found.seen_by("nobody") == set()


def test_nothing_counts_of_who_was_refused_once() -> None:
    found = Transcriptions([visit("p1", "a", accepted=True), visit("p1", "b", accepted=False)])
    assert (found.accepted(), found.refused, found.taken()) == ([], {"p1"}, set())


@pytest.mark.parametrize(
    ("held", "accepted", "taken"),
    [
        (True, None, {"a"}),
        (False, None, set()),
        (True, True, {"a"}),
        (False, True, {"a"}),
        (True, False, set()),
    ],
)
def test_a_recording_is_taken_while_somebody_is_at_it_and_once_it_was_accepted(
    held: bool, accepted: bool | None, taken: set[str]
) -> None:
    assert Transcriptions([visit("p", "a", held=held, accepted=accepted)]).taken() == taken
