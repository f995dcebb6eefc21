"""Counts of an alignment agree with jiwer, and behave as a distance does."""

import jiwer
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.alignment import align
from vivavoce.core.text import bare, normalise_value, words

some_words = st.lists(st.sampled_from(["a", "cheap", "chinese", "place", "in", "the", "west"]), max_size=12)


def test_the_worked_example_of_the_reference_has_three_errors_in_six_words() -> None:
    counts = align(
        words("i want a cheap chinese restaurant"), words("i want cheap chinese chinese restaurants")
    )
    assert (counts.errors, counts.reference_count) == (3, 6)


@given(some_words.filter(bool), some_words)
def test_the_error_total_is_that_of_jiwer(reference: list[str], hypothesis: list[str]) -> None:
    expected = jiwer.process_words(" ".join(reference), " ".join(hypothesis))
    errors = expected.substitutions + expected.deletions + expected.insertions
    assert align(reference, hypothesis).errors == errors


@given(some_words, some_words)
def test_counts_add_up_to_both_lengths(reference: list[str], hypothesis: list[str]) -> None:
    counts = align(reference, hypothesis)
    assert counts.reference_count == len(reference)
    assert counts.hits + counts.substitutions + counts.insertions == len(hypothesis)
    assert (counts.errors == 0) == (reference == hypothesis)


@given(some_words, some_words)
def test_swapping_sides_swaps_deletions_and_insertions(one: list[str], other: list[str]) -> None:
    assert align(one, other).errors == align(other, one).errors


def test_an_empty_reference_counts_every_word_as_inserted() -> None:
    assert align([], ["yes", "please"]) == (0, 0, 0, 2)


def test_nothing_said_has_no_words() -> None:
    assert words(None) == words("") == words("   ") == []


def test_values_are_equal_without_regard_to_case_width_space_and_edge_punctuation() -> None:
    assert normalise_value("  Yu   Garden. ") == normalise_value("ｙｕ garden")
    assert normalise_value("price") != normalise_value("pricerange")


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise_value(text)
    assert normalise_value(once) == once


def test_codes_are_compared_by_letters_and_digits() -> None:
    assert bare("C.B 2, 1 A.B") == "cb21ab"
