"""What was said in a spoken dialogue is known from a transcript only; what was recognised is no reference."""

from datetime import UTC, datetime

import pytest

from scenes.histories import assigned, dialogue_of
from vivavoce.log.dialogue_rows import DialogueRows, Readers
from vivavoce.log.events import (
    Event,
    LoggedAct,
    LoggedHypothesis,
    LoggedMessage,
    SystemTurnReceived,
    UserTurnSent,
)
from vivavoce.log.history import DialogueHistory
from vivavoce.log.models import StoredEvent
from vivavoce.log.playback_events import SoundPlayed, WordsPlayed

HEARD = [LoggedHypothesis(text="a cheap tie restaurant", score=0.7)]


def rows_of(channel: str, turn: UserTurnSent, readers: Readers | None = None, *later: Event) -> DialogueRows:
    return DialogueRows(history(assigned(channel=channel), turn, *later), readers or Readers())


def history(*happened: Event) -> DialogueHistory:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    stored = (StoredEvent(str(seq), "v", seq, at, 0.0, "b", one) for seq, one in enumerate(happened, 1))
    return dialogue_of(stored)


def turn(heard: list[LoggedHypothesis], meant: list[LoggedAct] | None = None) -> UserTurnSent:
    return UserTurnSent(
        dialogue_id="d", turn_index=0, text="a cheap tie restaurant", heard=heard, meant=meant
    )


@pytest.mark.parametrize("channel", ["voice", "phone"])
def test_a_spoken_turn_without_a_transcript_has_no_reference_and_is_not_parsed(channel: str) -> None:
    rows = rows_of(channel, turn(HEARD), Readers(parse=lambda *_: pytest.fail("parsed what nobody said")))
    assert rows.turns[0]["reference"] is None
    assert rows.turns[0]["text"] == "a cheap tie restaurant"
    assert [row for row in rows.acts if row["layer"] == "reference"] == []


def test_an_accepted_transcript_is_the_reference() -> None:
    rows = rows_of("phone", turn(HEARD), Readers(references={("d", 0): "a cheap thai restaurant"}))
    assert rows.turns[0]["reference"] == "a cheap thai restaurant"


def test_what_was_typed_and_what_a_program_said_are_known() -> None:
    assert rows_of("voice", turn([])).turns[0]["reference"] == "a cheap tie restaurant"
    assert rows_of("text", turn(HEARD)).turns[0]["reference"] == "a cheap tie restaurant"
    meant = [LoggedAct(act="inform", slot="food", value="thai")]
    assert rows_of("voice", turn(HEARD, meant)).turns[0]["reference"] == "a cheap tie restaurant"


def test_a_system_turn_was_heard_when_it_was_played_first() -> None:

    def said(turn: int, text: str) -> SystemTurnReceived:
        messages = [LoggedMessage(text=text)]
        return SystemTurnReceived(dialogue_id="d", turn_index=turn, reply_to=None, messages=messages)

    def heard(turn: int, started_s: float, played_s: float, *, again: bool = False) -> SoundPlayed:
        return SoundPlayed(
            dialogue_id="d", turn_index=turn, started_s=started_s, played_s=played_s, again=again
        )

    events = [
        said(0, "hello"), heard(0, 4.0, 1.0, again=True), heard(0, 5.0, 2.0), heard(0, 9.0, 1.0),
        heard(2, 20.0, 3.0),
        WordsPlayed(dialogue_id="d", words="still_there", started_s=13.0, played_s=0.5),
        said(2, "bye"),
    ]  # fmt: skip
    rows = DialogueRows(history(assigned(channel="voice"), *events))
    assert [(row["text"], row["onset_s"], row["offset_s"]) for row in rows.turns] == [
        ("hello", 5.0, 7.0), ("bye", 20.0, 23.0),
    ]  # fmt: skip
    names = ("content", "turn_index", "onset_s", "offset_s")
    assert [tuple(one[name] for name in names) for one in rows.utterances] == [
        ("turn", 0, 5.0, 7.0), ("turn", 2, 20.0, 23.0), ("still_there", None, 13.0, 13.5),
    ]  # fmt: skip


@pytest.mark.parametrize(("sound", "words", "text"), [
    (None, ["yes", "no"], "yes\nno"), (None, [], ""), ("rec", ["yes"], "yes"), ("rec", [], None),
])  # fmt: skip
def test_what_a_system_said_in_sound_alone_is_not_known_in_words(
    sound: str | None, words: list[str], text: str | None
) -> None:
    event = SystemTurnReceived(
        dialogue_id="d", turn_index=1, reply_to=0, messages=[LoggedMessage(text=one) for one in words],
        sound=sound,
    )  # fmt: skip
    rows = rows_of("voice", turn(HEARD), None, event)
    assert rows.turns[1]["text"] == text


@pytest.mark.parametrize(("onset_s", "offset_s", "expected"), [
    (1.5, 2.5, [("user", 0, 1.5, 2.5, "endpointing")]), (None, None, []), (1.5, None, []),
])  # fmt: skip
def test_where_somebody_listened_a_spoken_turn_is_an_utterance(
    onset_s: float | None, offset_s: float | None, expected: list[tuple]
) -> None:
    said = turn(HEARD).model_copy(update={"onset_s": onset_s, "offset_s": offset_s})
    names = ("party", "turn_index", "onset_s", "offset_s", "source")
    found = rows_of("phone", said)
    assert [tuple(one[name] for name in names) for one in found.utterances] == expected
    assert (found.turns[0]["onset_s"], found.turns[0]["sent_s"]) == (onset_s, None)
    assert rows_of("text", said).utterances == []
