"""Which transcripts count, which recordings need nobody else, and of which turns they are the words."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned, VisitOpened
from vivavoce.log.stimulus_rows import (
    Answered,
    LoggedItem,
    StimulusVisit,
    Transcriptions,
    WrittenTranscript,
    references,
    with_texts,
    word_accuracy,
)
from vivavoce.log.store import Log

AT = datetime(2026, 1, 1, tzinfo=UTC)


def visit(who: str, files: str, accepted: bool | None = True, *, held: bool = False) -> Any:
    """A visit that was given files: `*` marks known ones, `-` those that were not written down yet."""
    names = files.split()
    items = [LoggedItem(audio=name.strip("*-"), gold="*" in name) for name in names]
    written = [
        Answered(item, WrittenTranscript(text=f"{who} {item.audio}"), AT)
        for name, item in zip(names, items, strict=True)
        if "-" not in name
    ]
    return StimulusVisit(who, "en", held, items, written, accepted)


def test_the_first_accepted_transcript_of_a_recording_counts_but_none_of_who_was_ever_refused() -> None:
    found = Transcriptions(
        [
            visit("ann", "a b* c-"),
            visit("ben", "a d"),
            visit("cid", "e"),
            visit("cid", "f", accepted=False),
            visit("dan", "g", accepted=None, held=True),
        ]
    )
    assert found.refused == {"cid"}
    assert [one.text for one in found.accepted()] == ["ann a", "ben d"]


def test_a_recording_is_taken_while_somebody_is_at_it_and_once_its_transcript_counts() -> None:
    for visits, taken in [
        ([visit("ann", "a b* c-")], {"a"}),
        ([visit("ann", "a b* c-", None, held=True)], {"a", "c"}),
        ([visit("ann", "a b* c-", None)], set()),
        ([visit("ann", "a b* c-", held=True)], {"a"}),
        ([visit("ann", "a", accepted=False, held=True)], set()),
        ([visit("ann", "z", accepted=False), visit("ann", "a", None, held=True)], set()),
        ([visit("ben", "z", accepted=False), visit("ann", "a", None, held=True)], {"a"}),
    ]:
        assert Transcriptions(visits).taken() == taken


def test_somebody_has_seen_what_they_were_given_known_recordings_too() -> None:
    found = Transcriptions([visit("ann", "a b*"), visit("ben", "c"), visit("ann", "d-", None)])
    assert found.seen_by("ann") == {"a", "b", "d"} and found.seen_by("eve") == set()


def test_accuracy_is_one_minus_errors_over_words_of_known_recordings() -> None:
    for checked, accuracy in [
        ([], None),
        ([(None, None), (None, 5)], None),
        ([(0, 0)], None),
        ([(1, 4)], 0.75),
        ([(1, 4), (0, 4), (None, 8)], 0.875),
        ([(6, 4)], -0.5),
    ]:
        written = [WrittenTranscript(text="x", errors=errors, words=words) for errors, words in checked]
        assert word_accuracy(written) == accuracy


def test_a_transcript_is_of_a_turn_or_of_a_recording_and_has_words(tmp_path: Path) -> None:
    items = [
        {"audio": "one.wav", "dialogue_id": "d", "turn_index": 0},
        {"audio": "two.wav", "dialogue_id": "d", "turn_index": 1},  # nothing could be made out
        {"audio": "three.wav", "dialogue_id": "d"},
        {"audio": "four.wav"},
        {"audio": "five.wav"},
        {"audio": "six.wav", "turn_index": 2},
    ]
    texts = ["the first", None, "the third", "the fourth", None, "the sixth"]
    opened = VisitOpened(study="t", revision="r", participant_id="ann", pool="link", language="en")
    given = [
        ResponseGiven(step=0, name="transcribe", position=place, response={"text": text}, response_s=1.0)
        for place, text in enumerate(texts)
    ]
    planned = StimuliPlanned(step=0, name="transcribe", stimuli=items)
    finished = StepFinished(step=0, name="transcribe", accepted=True)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        for event in (opened, planned, *given, finished):
            log.transact_now(lambda tx, event=event: tx.append("v", event))
        with log.reading() as connection:
            assert references(connection) == {("d", 0): "the first"}
            files = [("four.flac", None), ("four.flac", "typed"), ("one.flac", None), ("five.flac", None)]
            rows = [{"recording": file, "text": text} for file, text in [*files, (None, None)]]
            told = [row["text"] for row in with_texts(connection, rows)]
    assert told == ["the fourth", "typed", None, None, None]
