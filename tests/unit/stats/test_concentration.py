"""Dialogues per participant and the warning about the busiest."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.result import as_json
from vivavoce.stats.usage_skew import concentration, dominance_warning

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-concentration.json").read_text(encoding="utf-8")
)


def keys(*sizes: int) -> list[str | None]:
    """So many dialogues for each of so many participants."""
    return [f"p{number}" for number, size in enumerate(sizes) for _ in range(size)]


def test_the_average_size_seen_by_a_dialogue_is_the_published_one():
    for case in GOLDEN:
        spread = as_json(concentration(keys(*case["input"])))
        for name, expected in case["expected"].items():
            assert spread[name] == pytest.approx(expected, abs=case["tolerance"])


def test_mean_median_and_histogram_are_over_participants():
    spread = concentration(keys(1, 1, 2, 8))
    assert (spread.mean, spread.median) == (3, 1.5)
    assert spread.histogram == {1: 2, 2: 1, 8: 1}
    assert (spread.largest, spread.largest_ratio) == (8, 8 / 12)
    assert (spread.top_participants, spread.top_ratio) == (1, 8 / 12)


def test_dialogues_of_unknown_participants_are_counted_apart():
    spread = concentration([*keys(2, 1), None, None])
    assert (spread.dialogues, spread.unknown, spread.participants) == (3, 2, 2)


def test_without_known_participants_everything_is_missing_and_nothing_warned():
    spread = concentration([None] * 30)
    assert spread.mean is spread.median is spread.top_ratio is spread.size_star is None
    assert dominance_warning(spread) is None


def test_one_busy_participant_is_named_in_numbers():
    warning = dominance_warning(concentration(keys(*[1] * 36, 4)))
    assert warning is None, "exactly a tenth is still allowed"
    warning = str(dominance_warning(concentration(keys(*[1] * 35, 5)), of="S0A0"))
    assert "in S0A0" in warning
    assert "had 5 of 40 (12%)" in warning
    assert "independent" in warning


def test_a_busy_tenth_is_named_in_numbers():
    warning = str(dominance_warning(concentration(keys(*[1] * 360, *[7] * 40))))
    assert "400" in warning and "44% of the 640 dialogues" in warning
    assert "alone" not in warning


def test_an_even_spread_raises_no_warning():
    assert dominance_warning(concentration(keys(*[3] * 40))) is None


def test_too_few_dialogues_raise_no_warning():
    assert dominance_warning(concentration(keys(19))) is None
    assert dominance_warning(concentration(keys(20))) is not None


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60))
def test_the_histogram_gives_back_every_participant_and_dialogue(sizes):
    spread = concentration(keys(*sizes))
    assert sum(spread.histogram.values()) == spread.participants == len(sizes)
    assert sum(size * n for size, n in spread.histogram.items()) == spread.dialogues == sum(sizes)
    assert spread.mean - 1e-9 <= spread.size_star <= spread.largest + 1e-9
    assert spread.largest_ratio <= spread.top_ratio + 1e-12 <= 1 + 1e-9
