"""Dialogues in which the participant and the acts disagree: what to read before trusting a rate."""

import random
from typing import Literal, NamedTuple

from vivavoce.measures.success.outcomes import Outcomes, ScoredSource
from vivavoce.measures.success.rates import inferred_components

Direction = Literal["rated_success", "rated_failure"]


class Disagreement(NamedTuple):
    """One dialogue: rated a success though some inferred goal failed, or rated a failure though none did."""

    dialogue_id: str
    direction: Direction


def disagreements(
    dataset: ScoredSource, outcomes: Outcomes, *, each: int | None = None, seed: int = 2011
) -> list[Disagreement]:
    """Dialogues whose subjective success differs from objective success (inferred goals, all of the call).

    Input   each: how many to draw of either direction, all when None; the draw depends on the seed alone
    Output  rated successes first, then rated failures, each in the order drawn
    Empty   dialogues without rating or without a goal that counts are not compared
    """
    rows = dataset.read("ratings").to_pylist()
    rated = {row["dialogue_id"]: row["value"] for row in rows if row["role"] == "subjective_success"}
    differing: dict[Direction, list[str]] = {"rated_success": [], "rated_failure": []}
    for dialogue_id in sorted(outcomes.inferred.keys() & rated.keys()):
        served, counted = inferred_components(outcomes.inferred[dialogue_id], "call_all")
        rating = rated[dialogue_id]
        if counted and rating is not None and bool(rating) != bool(served):
            differing["rated_success" if rating else "rated_failure"].append(dialogue_id)
    draw = random.Random(seed)
    return [
        Disagreement(dialogue_id, direction)
        for direction, ids in differing.items()
        for dialogue_id in (ids if each is None else draw.sample(ids, min(each, len(ids))))
    ]
