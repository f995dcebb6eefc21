"""What was said in a spoken dialogue is known from a transcript only; what was recognised is no reference."""

from datetime import UTC, datetime

import pytest

from vivavoce.log.dialogue_rows import DialogueRows, Readers
from vivavoce.log.events import DialogueAssigned, LoggedAct, LoggedHypothesis, UserTurnSent
from vivavoce.log.models import StoredEvent

HEARD = [LoggedHypothesis(text="a cheap tie restaurant", score=0.7)]


def rows_of(channel: str, turn: UserTurnSent, readers: Readers | None = None) -> DialogueRows:
    assigned = DialogueAssigned(
        dialogue_id="d", step=1, round=1, system="one", task_id=None, task=None, channel=channel,
        language="en", conversation="c",
    )  # fmt: skip
    rows = DialogueRows(assigned, readers or Readers())
    at = datetime(2026, 1, 1, tzinfo=UTC)
    rows.take(StoredEvent("e", "v", 1, at, 0.0, "b", turn))
    return rows


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
