"""Word error rates over speakers: agree with jiwer, and take speakers, not words, as what was drawn."""

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.stats.word_errors import word_error_difference, word_error_rate, word_errors

TEXTS = st.lists(st.sampled_from(["a", "cheap", "pub", "north"]), min_size=1, max_size=8).map(" ".join)


@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_rates_agree_with_jiwer(pairs: list[tuple[str, str]]) -> None:
    found = word_error_rate((number, said, heard) for number, (said, heard) in enumerate(pairs))
    said, heard = map(list, zip(*pairs, strict=True))
    assert found is not None
    assert found.word_error_rate == pytest.approx(jiwer.wer(said, heard))


def test_only_what_can_be_heard_counts() -> None:
    assert word_errors("I want a cheap pub, please!", "i want a cheap pub please").errors == 0
    assert word_errors("don't", "do not").errors == 2


def test_twice_as_many_words_of_the_same_speakers_narrow_nothing() -> None:
    turns = [
        ("ann", "a cheap pub", "a cheap pub"),
        ("bob", "a cheap pub", "cheap pub"),
        ("eve", "a cheap pub", ""),
    ]
    once, twice = word_error_rate(turns), word_error_rate(turns * 2)
    assert once is not None and twice is not None
    assert (once.errors, once.words, once.speakers, once.turns) == (4, 9, 3, 3)
    assert (twice.low, twice.high) == (pytest.approx(once.low), pytest.approx(once.high))
    assert once.low == 0.0 and once.high > 4 / 9


def test_one_speaker_gives_no_interval_and_no_word_no_rate() -> None:
    found = word_error_rate([("ann", "a cheap pub", "a cheap")])
    assert found is not None and found.high is None and "fewer than 2" in found.method
    assert word_error_rate([("ann", "...", "pub")]) is None


def test_two_conditions_are_compared_turn_by_turn_over_speakers() -> None:
    """Errors 1, 0, 2, 0 in the first condition and 0, 0, 1, 1 in the other, of ten words."""
    turns = [
        ("p", "one two three", "one two tree", "one two three"),
        ("p", "yes", "yes", "yes"),
        ("q", "go to town", "go down", "go to down"),
        ("r", "call a cab", "call a cab", "call cab"),
    ]
    found = word_error_difference(turns)
    assert found is not None and found.difference == pytest.approx((1 + 0 + 1 - 1) / 10)
    assert (found.worse, found.better, found.words, found.turns, found.speakers) == (
        2,
        1,
        10,
        4,
        3,
    )
    turned = word_error_difference([(who, said, there, here) for who, said, here, there in turns])
    assert turned is not None and turned.difference == -found.difference
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert word_error_difference([("p", "", "yes", "")]) is None
