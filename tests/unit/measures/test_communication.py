"""Turns, words, durations and delays of dialogues that one can count by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import compute

Make = Callable[..., Dataset]


def turn(index: int, party: str, **columns: Any) -> dict[str, Any]:
    return {"turn_index": index, "party": party, **columns}


SPOKEN = {
    "dialogue": {"channel": "phone", "duration_s": 20.0},
    "rows": {
        "turns": [
            turn(0, "system", text="Hello , how may I help ?", onset_s=0.0, offset_s=4.0),
            turn(
                1, "user", text="a", reference="cheap  food please", onset_s=5.0, offset_s=7.0, barge_in=False
            ),
            turn(2, "system", text="One moment", onset_s=6.5, offset_s=8.0),
            turn(3, "user", reference="", onset_s=7.5, offset_s=9.0, barge_in=True),
            turn(4, "system", text="Sorry ?", onset_s=10.0, offset_s=11.0),
        ]
    },
}

WRITTEN = {
    "dialogue": {"channel": "text"},
    "rows": {
        "turns": [
            turn(0, "system", text="hi", onset_s=0.0, first_output_s=0.1, complete_s=2.0, offset_s=3.0),
            turn(
                1, "user", text="hello there", reference="hello there", sent_s=6.0, onset_s=4.0, offset_s=6.0
            ),
            turn(2, "system", text="yes", onset_s=7.5, first_output_s=6.5, complete_s=8.0),
        ]
    },
}


def value(dataset: Dataset, name: str) -> Any:
    table = compute(dataset, [name])
    found = table.loc[0, "value"]
    return None if found != found else found  # NaN is missing


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dialogue_duration", 20.0),
        ("turns", 5),
        ("system_turns", 3),
        ("user_turns", 2),
        ("user_words", 3),
        ("system_words", 11),
        ("words_per_system_turn", 11 / 3),
        ("words_per_user_turn", 1.5),
        ("system_turn_duration", (4 + 1.5 + 1) / 3),
        ("user_turn_duration", 1.75),
        ("system_response_delay", (-0.5 + 1) / 2),
        ("user_response_delay", 1.0),
    ],
)
def test_a_spoken_dialogue_is_counted_as_by_hand(make_dataset: Make, name: str, expected: float) -> None:
    assert value(make_dataset({"d": SPOKEN}), name) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("user_words", 2),
        ("system_response_delay", 0.5),
        ("user_response_delay", 4.0),
        ("user_first_key_delay", 2.0),
        ("dialogue_duration", None),
        ("system_completion_delay", 2.0),
    ],
)
def test_a_written_dialogue_runs_from_sending_to_first_output(
    make_dataset: Make, name: str, expected: float | None
) -> None:
    assert value(make_dataset({"d": WRITTEN}), name) == expected


def test_delays_are_between_neighbours_only(make_dataset: Make) -> None:
    rows = {
        "turns": [
            turn(0, "user", onset_s=0.0, offset_s=1.0),
            turn(1, "system", onset_s=3.0, offset_s=4.0),
            turn(2, "system", onset_s=9.0, offset_s=10.0),
        ]
    }
    assert value(make_dataset({"d": {"rows": rows}, "e": {"rows": rows}}), "system_response_delay") == 2.0


def test_the_delay_to_the_first_key_needs_typing_that_is_logged_and_no_interruption(
    make_dataset: Make,
) -> None:
    def typed(**columns: Any) -> dict[str, Any]:
        said = [turn(0, "system", complete_s=2.0), turn(1, "user", sent_s=9.0, offset_s=9.0, **columns)]
        return {"rows": {"turns": said}}

    spoken = {"rows": {"turns": [turn(0, "system", offset_s=2.0), turn(1, "user", onset_s=3.0)]}}
    assert (
        value(make_dataset({"d": typed(onset_s=5.0), "e": typed(), "s": spoken}), "user_first_key_delay") == 3
    )
    assert value(make_dataset({"d": typed(onset_s=1.0, barge_in=True)}), "user_first_key_delay") is None
    assert value(make_dataset({"s": spoken}), "user_first_key_delay") is None


def test_what_is_not_known_is_missing_and_counts_are_zero(make_dataset: Make) -> None:
    dataset = make_dataset({"d": {}})
    table = compute(dataset).set_index("measure")
    for name in ("turns", "user_turns", "system_turns"):
        assert table.loc[name, "value"] == 0
    for name in ("user_words", "words_per_user_turn", "system_response_delay", "dialogue_duration"):
        assert table.loc[name, "value"] != table.loc[name, "value"]
        assert table.loc[name, "dialogues"] == 0


def test_a_turn_without_transcript_is_left_out_of_the_words(make_dataset: Make) -> None:
    rows = {"turns": [turn(0, "user", reference="two words"), turn(1, "user", text="not transcribed at all")]}
    dataset = make_dataset({"d": {"rows": rows}})
    assert value(dataset, "user_words") == 2
    assert value(dataset, "words_per_user_turn") == 2


def test_flags_are_counted_of_their_party_and_rejections_by_channel(make_dataset: Make) -> None:
    flags = {
        "question": (True, True),
        "help": (True, False),
        "timeout_prompt": (False, False),
        "error_message": (True, True),
        "rejection_prompt": (True, True),
    }
    said = [
        turn(2 * place, "system", **{flag: both[place] for flag, both in flags.items()}) for place in (0, 1)
    ]
    said.append(turn(1, "user", help=True))
    for channel, rejections in (("phone", (2, None)), ("voice", (2, None)), ("text", (None, 2))):
        dataset = make_dataset({"d": {"dialogue": {"channel": channel}, "rows": {"turns": said}}})
        names = ("recognition_rejections", "fallback_prompts")
        assert tuple(value(dataset, name) for name in names) == rejections
        told = ("system_questions", "system_help_messages", "timeout_prompts", "system_error_messages")
        assert [value(dataset, name) for name in told] == [2, 1, 0, 2]


@pytest.mark.parametrize(("onset_s", "early"), [(0.75, 1), (1.0, 0), (1.25, 0)])
def test_a_system_is_early_when_it_speaks_before_the_user_has_ended(
    onset_s: float, early: int, make_dataset: Callable[..., Dataset]
) -> None:
    turns = [
        {"turn_index": 0, "party": "user", "onset_s": 0.0, "offset_s": 1.0},
        {"turn_index": 1, "party": "system", "onset_s": onset_s, "offset_s": 2.0},
    ]
    found = compute(make_dataset({"d": {"rows": {"turns": turns}}}), ["early_system_responses"])
    assert (found["numerator"].tolist(), found["denominator"].tolist()) == ([early], [1])
