"""What was said in a spoken dialogue is known from a transcript only; what was recognised is no reference."""

from datetime import UTC, datetime

import pytest

from scenes.histories import assigned, dialogue_of
from vivavoce.log.dialogue_rows import DialogueRows, Readers
from vivavoce.log.events import (
    AgentWork,
    DialogueAssigned,
    DialogueOpened,
    Event,
    LoggedAct,
    LoggedHypothesis,
    LoggedMessage,
    SystemTurnReceived,
    UserTurnSent,
    read_event,
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
        said(0, "hello"),
        heard(0, 4.0, 1.0, again=True),
        heard(0, 5.0, 2.0),
        heard(0, 9.0, 1.0),
        heard(2, 20.0, 3.0),
        WordsPlayed(dialogue_id="d", words="still_there", started_s=13.0, played_s=0.5),
        said(2, "bye"),
    ]
    rows = DialogueRows(history(assigned(channel="voice"), *events))
    assert [(row["text"], row["onset_s"], row["offset_s"]) for row in rows.turns] == [
        ("hello", 5.0, 7.0),
        ("bye", 20.0, 23.0),
    ]
    names = ("content", "turn_index", "onset_s", "offset_s")
    assert [tuple(one[name] for name in names) for one in rows.utterances] == [
        ("turn", 0, 5.0, 7.0),
        ("turn", 2, 20.0, 23.0),
        ("still_there", None, 13.0, 13.5),
    ]


@pytest.mark.parametrize(
    ("sound", "words", "text"),
    [
        (None, ["yes", "no"], "yes\nno"),
        (None, [], ""),
        ("rec", ["yes"], "yes"),
        ("rec", [], None),
    ],
)
def test_what_a_system_said_in_sound_alone_is_not_known_in_words(
    sound: str | None, words: list[str], text: str | None
) -> None:
    event = SystemTurnReceived(
        dialogue_id="d",
        turn_index=1,
        reply_to=0,
        messages=[LoggedMessage(text=one) for one in words],
        sound=sound,
    )
    rows = rows_of("voice", turn(HEARD), None, event)
    assert rows.turns[1]["text"] == text


@pytest.mark.parametrize(
    ("onset_s", "offset_s", "expected"),
    [
        (1.5, 2.5, [("user", 0, 1.5, 2.5, "endpointing")]),
        (None, None, []),
        (1.5, None, []),
    ],
)
def test_where_somebody_listened_a_spoken_turn_is_an_utterance(
    onset_s: float | None, offset_s: float | None, expected: list[tuple]
) -> None:
    said = turn(HEARD).model_copy(update={"onset_s": onset_s, "offset_s": offset_s})
    names = ("party", "turn_index", "onset_s", "offset_s", "source")
    found = rows_of("phone", said)
    assert [tuple(one[name] for name in names) for one in found.utterances] == expected
    assert (found.turns[0]["onset_s"], found.turns[0]["sent_s"]) == (onset_s, None)
    assert rows_of("text", said).utterances == []


def answer(index: int = 1, reply_to: int | None = 0, **facts: object) -> SystemTurnReceived:
    messages = [LoggedMessage(text="well")]
    return SystemTurnReceived(
        dialogue_id="d",
        turn_index=index,
        reply_to=reply_to,
        messages=messages,
        **facts,  # type: ignore[arg-type]
    )


def test_tools_are_told_where_every_answer_tells_them() -> None:
    """A greeting is no answer: what it says or does not say of tools tells nothing."""
    for tools, told in [
        ([], None),
        ([None], None),
        ([[]], True),
        ([[], None], None),
        ([None, []], None),
        ([[], []], True),
    ]:
        turns = [answer(0, None, agent=AgentWork())]
        turns += [answer(2 * at, 2 * at - 1, agent=AgentWork(tools=one)) for at, one in enumerate(tools, 1)]
        rows = DialogueRows(history(assigned(), *turns))
        assert rows.dialogue()["tools_logged"] is told


@pytest.mark.parametrize(
    ("replaces", "gave", "text", "sources"),
    [
        (
            "recognition",
            "a cheap thai restaurant",
            "a cheap thai restaurant",
            [("log", "a cheap tie restaurant"), ("live", "a cheap thai restaurant")],
        ),
        ("recognition", None, "a cheap tie restaurant", [("live", "a cheap tie restaurant")]),
        ("understanding", "/inform", "a cheap tie restaurant", [("live", "a cheap tie restaurant")]),
    ],
)
def test_what_a_wizard_heard_stands_in_the_place_of_what_was_recognised(
    replaces: str, gave: str | None, text: str, sources: list[tuple[str, str]]
) -> None:
    raw = {"wizard": "Rosa", "replaces": replaces, "source": "free", **({"gave": gave} if gave else {})}
    rows = rows_of("voice", turn(HEARD), None, answer(raw=[raw]))
    assert rows.turns[0]["text"] == text
    assert [(row["source"], row["text"]) for row in rows.hypotheses] == sources
    unasked = rows_of("voice", turn(HEARD), None, answer(reply_to=None, raw=[raw]))
    assert unasked.turns[0]["text"] == "a cheap tie restaurant"


def test_words_of_a_turn_are_what_was_heard_else_written_and_unknown_where_there_is_sound_alone() -> None:
    for text, sound, heard, shown in [
        ("typed", None, [], "typed"),
        ("", None, [], ""),
        ("", "rec", [], None),
        ("said", "rec", [], "said"),
        ("", "rec", HEARD, HEARD[0].text),
        ("typed", None, HEARD, HEARD[0].text),
    ]:
        said = UserTurnSent(dialogue_id="d", turn_index=0, text=text, sound=sound, heard=heard)
        assert rows_of("voice", said).turns[0]["text"] == shown


@pytest.mark.parametrize(
    ("own", "later", "text"),
    [([], HEARD, HEARD[0].text), (HEARD, [LoggedHypothesis(text="late")], HEARD[0].text), ([], [], None)],
)
def test_what_a_system_that_listens_says_it_heard_fills_a_gap_alone(
    own: list[LoggedHypothesis], later: list[LoggedHypothesis], text: str | None
) -> None:
    said = UserTurnSent(dialogue_id="d", turn_index=0, text="", sound="rec", heard=own)
    rows = rows_of("voice", said, None, answer(heard=later))
    assert rows.turns[0]["text"] == text and len(rows.hypotheses) == len(own) + len(later)


@pytest.mark.parametrize(
    ("delay_s", "first_key_s", "onset_s"), [(4.0, 1.0, 7.0), (4.0, None, None), (None, 1.0, None)]
)
def test_a_turn_began_with_its_first_key(
    delay_s: float | None, first_key_s: float | None, onset_s: float | None
) -> None:
    """Sent 10 s after the dialogue was opened, 4 s after the system's turn, the first key 1 s after it."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    said = UserTurnSent(
        dialogue_id="d", turn_index=0, text="hi", response_delay_s=delay_s, first_key_delay_s=first_key_s
    )
    happened = ((0.0, assigned()), (0.0, DialogueOpened(dialogue_id="d")), (10.0, said))
    stored = (
        StoredEvent(str(seq), "v", seq, at, at_s, "b", one) for seq, (at_s, one) in enumerate(happened, 1)
    )
    (turn,) = DialogueRows(dialogue_of(stored)).turns
    assert (turn["onset_s"], turn["offset_s"], turn["sent_s"]) == (onset_s, 10.0, 10.0)


def test_what_was_played_of_an_answer_belongs_to_the_last_one_before_the_interruption() -> None:
    first = UserTurnSent(dialogue_id="d", turn_index=0, text="so", played_s=0.5)
    cut = UserTurnSent(dialogue_id="d", turn_index=3, text="stop", played_s=1.5)
    quiet = UserTurnSent(dialogue_id="d", turn_index=4, text="go on")
    rows = DialogueRows(history(assigned(), first, answer(1), answer(2, None), cut, quiet))
    assert [row.get("played_s") for row in rows.turns] == [None, None, 1.5, None, None]


@pytest.mark.parametrize(
    ("task", "goals"),
    [
        (None, []),
        (
            {"type": "pub", "constraints": {"food": "thai"}, "requests": ["phone"]},
            [(0, "type", None, "pub"), (0, "constraint", "food", "thai"), (0, "request", "phone", None)],
        ),
        (
            {"type": None, "constraints": None, "alternative": {"constraints": {"food": "any"}}},
            [(1, "constraint", "food", "any")],
        ),
    ],
)
def test_a_task_is_its_goals_in_order(task: dict | None, goals: list[tuple]) -> None:
    rows = list(DialogueRows(history(assigned(task=task))).goals())
    assert [(row["goal_index"], row["kind"], row.get("slot"), row.get("value")) for row in rows] == goals


def test_a_dialogue_lasts_from_the_first_to_the_last_that_is_known() -> None:
    rows = DialogueRows(
        history(
            assigned(),
            answer(0, None, first_output_s=1.5, complete_s=2.0),
            answer(1, None, first_output_s=7.0, complete_s=8.0),
        )
    )
    assert rows.dialogue()["duration_s"] == 6.5


def test_a_log_from_before_channels_stated_their_facts_is_read_by_the_channel_s_name() -> None:
    def read(channel: str) -> tuple[bool | None, bool]:
        facts = {"step": 0, "round": 0, "system": "s", "task_id": None, "task": None, "language": "en"}
        event = read_event(
            "dialogue_assigned", {"dialogue_id": "d", "channel": channel, "conversation": "c", **facts}
        )
        assert isinstance(event, DialogueAssigned)
        return event.spoken, event.calls_out

    assert {name: read(name) for name in ("text", "voice", "phone", "radio")} == {
        "text": (False, False),
        "voice": (True, False),
        "phone": (True, True),
        "radio": (None, False),
    }


def test_what_was_recognised_in_an_unknown_channel_is_no_reference() -> None:
    assert rows_of("radio", turn(HEARD)).turns[0]["reference"] is None
