"""Confidences of recognisers: on which scale scores are, and how far they are from what was right."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import compute
from vivavoce.measures.base import Tables
from vivavoce.measures.recognition import scale_of, sure_hypotheses

Make = Callable[..., Dataset]


def test_scores_are_probabilities_or_logarithms_or_neither() -> None:
    for scores, expected in [
        ([], "probability"),
        ([0.0, 1.0], "probability"),
        ([0.0], "probability"),
        ([1.0], "probability"),
        ([-0.5], "logarithm"),
        ([-3.0, -3.0], "logarithm"),
        ([-2.0, 0.0], "logarithm"),
        ([-1.0, 0.2], None),
        ([0.2, 1.5], None),
        ([2.0], None),
        ([1e-9], "probability"),
    ]:
        assert scale_of(scores) == expected


def recognised(*scores: float, system: str = "bot") -> dict[str, Any]:
    """One turn in which "yes please" was said, with hypotheses "yes please", "yes" and "no"."""
    texts = ("yes please", "yes", "no")
    hypotheses = [
        {"turn_index": 0, "source": "live", "rank": rank, "text": text, "score": score}
        for rank, (text, score) in enumerate(zip(texts, scores, strict=False))
    ]
    turns = [{"turn_index": 0, "party": "user", "reference": "Yes, please", "text": "yes please"}]
    dialogue = {"channel": "phone", "system": system}
    return {"dialogue": dialogue, "rows": {"turns": turns, "hypotheses": hypotheses}}


def test_the_brier_score_reads_the_first_hypothesis_on_its_systems_own_scale(make_dataset: Make) -> None:
    """(1 - 0.8)^2 and (1 - exp(-0.1))^2; scores that are neither scale say nothing."""
    dataset = make_dataset(
        {
            "d": recognised(0.8, 0.1),
            "e": recognised(-0.1, -2.0, system="log"),
            "f": recognised(7.0, system="odd"),
        }
    )
    row = compute(dataset, ["confidence_brier_score"]).iloc[0]
    assert (row["numerator"], row["dialogues"]) == (pytest.approx(0.04 + (1 - math.exp(-0.1)) ** 2), 2)


def test_further_hypotheses_are_read_where_they_are_asked_for(make_dataset: Make) -> None:
    tables = Tables(make_dataset({"d": recognised(0.8, 0.15, 0.05)}))
    assert [(one.confidence, one.right) for one in sure_hypotheses(tables)] == [(0.8, True)]
    every = sure_hypotheses(tables, ranks="all")
    assert [(one.confidence, one.right) for one in every] == [(0.8, True), (0.15, False), (0.05, False)]


def test_a_recogniser_that_ever_leaves_its_scale_and_turns_without_a_transcript_say_nothing(
    make_dataset: Make,
) -> None:
    """Scores of 0.8 and 1.7 of one system are no probabilities; of the other system one turn is read."""
    unread = recognised(0.3, system="sound")
    unread["rows"]["turns"].append({"turn_index": 1, "party": "user", "text": "no"})
    unread["rows"]["hypotheses"] += [
        {"turn_index": 1, "source": "live", "rank": 0, "text": "no", "score": 0.9},
        {"turn_index": 0, "source": "batch", "rank": 0, "text": "yes", "score": 0.6},
    ]
    dataset = make_dataset({"c": recognised(0.8), "d": recognised(1.7), "e": unread})
    tables = Tables(dataset)
    assert [(one.dialogue_id, one.turn_index, one.confidence) for one in sure_hypotheses(tables)] == [
        ("e", 0, 0.3)
    ]
    (batch,) = sure_hypotheses(tables, source="batch")
    assert (batch.confidence, batch.right) == (0.6, False)
    row = compute(dataset, ["confidence_brier_score"]).iloc[0]
    assert (row["numerator"], row["denominator"]) == (pytest.approx(0.7**2), 1)
