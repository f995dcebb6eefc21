"""What the log knows of utterances, held against stretches of speech in the sound."""

from typing import Any

import pytest

from vivavoce.audio.voice_activity import SpeechInterval
from vivavoce.dataset.timing import NO_SPEECH, NOT_LOGGED, WRITTEN, reconciled


def turns(*parties: str) -> list[dict[str, Any]]:
    return [
        {"turn_index": index, "party": party, "sent_s": 1.0 if party == "written" else None}
        for index, party in enumerate(parties)
    ]


def utterance(party: str, turn_index: int | None, onset_s: float, offset_s: float) -> dict[str, Any]:
    return {"party": party, "turn_index": turn_index, "onset_s": onset_s, "offset_s": offset_s}


def test_two_turns_before_a_slow_answer_stay_two_and_the_next_keeps_its_own_time() -> None:
    logged = turns("system", "user", "system", "user", "system", "user", "system")
    cut = [
        utterance("system", 0, 0.0, 1.0),
        utterance("user", 1, 2.0, 3.0),
        utterance("user", 3, 4.0, 5.0),
        utterance("system", 2, 6.0, 7.0),
        utterance("system", 4, 7.1, 8.0),
        utterance("user", 5, 9.0, 10.0),
        utterance("system", 6, 11.0, 12.0),
    ]
    heard = {
        "user": [SpeechInterval(2.05, 3.02), SpeechInterval(4.01, 5.03), SpeechInterval(9.0, 10.1)],
        "system": [SpeechInterval(0.1, 0.9), SpeechInterval(6.1, 7.95), SpeechInterval(11.0, 11.9)],
    }
    found = reconciled(logged, cut, heard)
    assert sorted(found.turns) == [0, 1, 2, 3, 4, 5, 6]
    assert [found.turns[index].onset_s for index in (1, 3, 5)] == [2.05, 4.01, 9.0]
    assert (found.turns[2].onset_s, found.turns[2].offset_s) == (6.1, pytest.approx(7.0, abs=0.11))
    assert found.turns[4].offset_s == 7.95, "two answers that run into each other are parted where they were"
    assert found.missing == {} and found.others == [] and found.strange == []


def test_what_was_asked_in_a_silence_is_no_part_of_the_answer_before_it() -> None:
    cut = [utterance("system", 0, 0.0, 1.0), utterance("system", None, 9.0, 10.0)]
    found = reconciled(
        turns("system"), cut, {"system": [SpeechInterval(0.0, 1.0), SpeechInterval(9.0, 10.0)]}
    )
    assert found.turns[0].offset_s == 1.0
    assert [one.onset_s for one in found.others] == [9.0]


def test_what_does_not_agree_is_missing_with_the_reason() -> None:
    logged = turns("user", "system", "user", "written", "system")
    cut = [utterance("user", 0, 1.0, 4.0), utterance("system", 1, 5.0, 6.0), utterance("user", 2, 8.0, 9.0)]
    heard = {
        "user": [SpeechInterval(1.0, 2.2), SpeechInterval(20.0, 21.0)],
        "system": [SpeechInterval(5.2, 5.9)],
    }
    found = reconciled(logged, cut, heard)
    assert list(found.turns) == [1]
    assert found.missing == {
        0: "log and recording differ by 1.8 s on where speech ends",
        2: NO_SPEECH,
        3: WRITTEN,
        4: NOT_LOGGED,
    }
    assert found.strange == [SpeechInterval(20.0, 21.0)]


def test_who_speaks_into_an_answer_barges_in_and_the_delay_counts_from_what_was_heard_last() -> None:
    cut = [utterance("system", 0, 0.0, 3.0), utterance("user", 1, 2.0, 4.0), utterance("system", 2, 5.0, 6.0)]
    heard = {
        "user": [SpeechInterval(2.0, 4.0)],
        "system": [SpeechInterval(0.0, 3.0), SpeechInterval(5.0, 6.0)],
    }
    found = reconciled(turns("system", "user", "system"), cut, heard).turns
    assert (found[1].barge_in, found[1].overlap_s, found[1].delay_s) == (True, 1.0, -1.0)
    assert found[2].delay_s == 1.0


@pytest.mark.parametrize(
    ("begins", "ends", "missing"),
    [
        (0.0, 0.0, None),
        (0.25, -0.25, None),
        (0.5, 0.0, None),
        (0.625, 0.0, "log and recording differ by 0.6 s on where speech begins"),
        (0.0, -0.75, "log and recording differ by 0.8 s on where speech ends"),
    ],
)
def test_a_person_began_and_ended_where_the_service_cut_them(
    begins: float, ends: float, missing: str | None
) -> None:
    """The system may be silent at either end of its own utterance for as long as it likes."""
    for party in ("user", "system"):
        cut = [utterance(party, 0, 4.0, 8.0)]
        found = reconciled(turns(party), cut, {party: [SpeechInterval(4.0 + begins, 8.0 + ends)]})
        expected = {0: missing} if missing and party == "user" else {}
        assert found.missing == expected and (0 in found.turns) == (not expected)


@pytest.mark.parametrize(
    ("stretch", "heard"),
    [
        ((3.5, 3.75), None),
        ((3.5, 3.875), (3.75, 3.875)),
        ((3.0, 9.0), (3.75, 8.25)),
        ((8.25, 9.0), None),
        ((8.125, 9.0), (8.125, 8.25)),
        ((4.5, 5.0), (4.5, 5.0)),
    ],
)
def test_speech_is_of_an_utterance_where_it_lies_in_it_or_a_little_beyond(
    monkeypatch: pytest.MonkeyPatch, stretch: tuple[float, float], heard: tuple[float, float] | None
) -> None:
    """With a margin of a quarter of a second, which numbers of a machine hold exactly."""
    monkeypatch.setattr("vivavoce.dataset.timing.MARGIN_S", 0.25)
    found = reconciled(
        turns("system"), [utterance("system", 0, 4.0, 8.0)], {"system": [SpeechInterval(*stretch)]}
    )
    if heard is None:
        assert found.missing == {0: NO_SPEECH} and found.strange == [SpeechInterval(*stretch)]
    else:
        assert (found.turns[0].onset_s, found.turns[0].offset_s) == heard and found.strange == []


@pytest.mark.parametrize(("gap_s", "ends_s"), [(0.0, 5.0), (0.125, 5.125), (0.25, 5.25), (1.0, 5.25)])
def test_an_utterance_ends_where_the_next_one_begins(
    monkeypatch: pytest.MonkeyPatch, gap_s: float, ends_s: float
) -> None:
    monkeypatch.setattr("vivavoce.dataset.timing.MARGIN_S", 0.25)
    cut = [utterance("system", 1, 5.0 + gap_s, 9.0), utterance("system", 0, 1.0, 5.0)]
    found = reconciled(turns("system", "system"), cut, {"system": [SpeechInterval(0.0, 10.0)]})
    assert (found.turns[0].onset_s, found.turns[0].offset_s) == (0.75, ends_s)
    assert (found.turns[1].onset_s, found.turns[1].offset_s) == (max(5.0, 4.75 + gap_s), 9.25)
