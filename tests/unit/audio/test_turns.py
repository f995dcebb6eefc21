from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.voices import RATE, babble, conversation, with_noise
from vivavoce.audio.files import Tracks, pcm16
from vivavoce.audio.turns import speech_of, turns_of_speech
from vivavoce.audio.voice_activity import SpeechInterval
from vivavoce.core.errors import InputError

PARTIES = ("system", "user")
GAPS = [0.5, 0.7, 1.2, -0.6, 0.9, 0.4, 0.8, -0.8, 1.5, 0.6]


@pytest.fixture(scope="module")
def dialogue():
    """Ten turns; two of them begin before the other party has ended."""
    return conversation(GAPS)


def turns_of(tracks):
    return turns_of_speech(speech_of(tracks, PARTIES))


@pytest.mark.parametrize("noise", [None, 10])
def test_turns_overlaps_and_delays_are_those_that_were_planted(dialogue, noise):
    tracks, planted = dialogue
    turns = turns_of(tracks if noise is None else with_noise(tracks, noise))
    assert [turn.party for turn in turns] == [one.party for one in planted]
    onsets = [abs(turn.onset_s - one.onset_s) for turn, one in zip(turns, planted, strict=True)]
    offsets = [abs(turn.offset_s - one.offset_s) for turn, one in zip(turns, planted, strict=True)]
    assert np.median(onsets) <= 0.05
    assert np.median(offsets) <= 0.05
    assert [turn.barge_in for turn in turns] == [gap < 0 for gap in GAPS]
    delays = [abs(turn.delay_s - gap) for turn, gap in zip(turns[1:], GAPS[1:], strict=True)]
    assert np.median(delays) <= 0.1
    assert turns[0].delay_s is None


def test_noise_in_the_rhythm_of_speech_is_timed_by_its_energy_or_not_at_all():
    """The detector may refuse what is no voice; what it takes, it must time."""
    channels = np.zeros((6 * RATE, 2))
    channels[RATE : 3 * RATE, 0] = babble(2.0, 1)
    for turn in turns_of(Tracks(pcm16(channels), RATE)):
        assert turn.party == "system"
        assert 0.9 <= turn.onset_s <= turn.offset_s <= 3.1


def speech(**by_party):
    return {party: [SpeechInterval(*one) for one in stretches] for party, stretches in by_party.items()}


def test_pauses_part_no_turn_unless_the_other_speaks_in_them():
    turns = turns_of_speech(speech(user=[(0, 1), (3, 4)], system=[(6, 7)]))
    assert [(turn.party, turn.onset_s, turn.offset_s) for turn in turns] == [("user", 0, 4), ("system", 6, 7)]
    turns = turns_of_speech(speech(user=[(0, 1), (3, 4)], system=[(1.5, 2.5)]))
    assert [turn.party for turn in turns] == ["user", "system", "user"]


def test_a_word_put_in_is_a_barge_in_and_does_not_part_the_other_turn():
    turns = turns_of_speech(speech(system=[(0, 4)], user=[(1, 1.3), (5, 6)]))
    assert [(turn.party, turn.onset_s) for turn in turns] == [("system", 0), ("user", 1), ("user", 5)]
    assert [turn.barge_in for turn in turns] == [False, True, False]
    assert turns[0].overlap_s == pytest.approx(0.3)


def test_an_overlap_below_a_tenth_of_a_second_is_no_barge_in():
    _, late = turns_of_speech(speech(system=[(0, 2)], user=[(1.95, 3)]))
    assert not late.barge_in
    assert late.delay_s == pytest.approx(-0.05)


def test_silence_has_no_turns_and_channels_need_their_speakers():
    assert turns_of(Tracks(np.zeros((RATE, 2), np.int16), RATE)) == []
    for speakers in (("user",), ("user", "user")):
        with pytest.raises(InputError, match=r"2 channels, speakers user.*. Give a channel for each party"):
            speech_of(Tracks(np.zeros((10, 2), np.int16), RATE), speakers)


stretches = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=6)


def placed(lengths):
    at, found = 0, []
    for gap, length in lengths:
        found.append(SpeechInterval((at + gap) / 10, (at + gap + length) / 10))
        at += gap + length
    return found


@given(stretches, stretches)
def test_turns_cover_all_speech_and_those_of_one_party_never_overlap(user, system):
    said = {"user": placed(user), "system": placed(system)}
    turns = turns_of_speech(said)
    assert [turn.onset_s for turn in turns] == sorted(turn.onset_s for turn in turns)
    for party, intervals in said.items():
        own = [turn for turn in turns if turn.party == party]
        assert all(one.offset_s <= two.onset_s for one, two in pairwise(own))
        for one in intervals:
            assert any(turn.onset_s <= one.onset_s and one.offset_s <= turn.offset_s for turn in own)
    assert bool(turns) == bool(user or system)
