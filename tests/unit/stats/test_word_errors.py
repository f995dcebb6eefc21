"""Word error rates over speakers: agree with jiwer, and take speakers, not words, as what was drawn."""

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.stats.word_errors import word_error_rate, word_errors

TEXTS = st.lists(st.sampled_from(["a", "cheap", "pub", "north"]), min_size=1, max_size=8).map(" ".join)


@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_rates_agree_with_jiwer(pairs: list[tuple[str, str]]) -> None:
    found = word_error_rate((number, said, heard) for number, (said, heard) in enumerate(pairs))
    said, heard = map(list, zip(*pairs, strict=True))
    assert found is not None
    assert found["word_error_rate"] == pytest.approx(jiwer.wer(said, heard))


def test_only_what_can_be_heard_counts() -> None:
    assert word_errors("I want a cheap pub, please!", "i want a cheap pub please").errors == 0
    assert word_errors("don't", "do not").errors == 2


def test_twice_as_many_words_of_the_same_speakers_narrow_nothing() -> None:
    turns = [("ann", "a cheap pub", "a cheap pub"), ("bob", "a cheap pub", "cheap pub"),
             ("eve", "a cheap pub", "")]  # fmt: skip
    once, twice = word_error_rate(turns), word_error_rate(turns * 2)
    assert once is not None and twice is not None
    assert (once["errors"], once["words"], once["speakers"], once["turns"]) == (4, 9, 3, 3)
    assert (twice["low"], twice["high"]) == (pytest.approx(once["low"]), pytest.approx(once["high"]))
    assert once["low"] == 0.0 and once["high"] > 4 / 9


def test_one_speaker_gives_no_interval_and_no_word_no_rate() -> None:
    found = word_error_rate([("ann", "a cheap pub", "a cheap")])
    assert found is not None and found["high"] is None and "fewer than 2" in found["method"]
    assert word_error_rate([("ann", "...", "pub")]) is None
