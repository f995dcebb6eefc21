"""Datasets of choices between transcripts, drawn from known preferences."""

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random

from vivavoce.log.dataset import Dataset, DatasetWriter

QUESTIONS = {
    "ease": "service",
    "utility": "service",
    "satisfaction": "experience",
    "interaction": "experience",
}


def judge_rows(
    people: int, likes: Mapping[str, float], *, left: float = 0.0, ties: float = 0.0, seed: int = 1,
    **changes: object,
) -> list[dict]:  # fmt: skip
    """Choices of judges with likes by variable and a leaning to the left."""
    chance, rows = Random(seed), []
    for person in range(people):
        for number, (variable, rate) in enumerate(likes.items(), 1):
            side = ("left", "right")[(person + number) % 2]
            other = {"left": "right", "right": "left"}[side]
            for question, quality in QUESTIONS.items():
                wins = chance.random() < rate + (left if side == "left" else -left)
                choice = "tie" if chance.random() < ties else "experimental" if wins else "control"
                chosen = None if choice == "tie" else side if choice == "experimental" else other
                rows.append({
                    "participant_id": f"p{person}", "visit_id": f"v{person}", "role": "main",
                    "comparison_number": number, "pair_id": variable, "variable": variable,
                    "change": "insertion", "control_level": "old", "experimental_level": "new",
                    "question": question, "quality": quality, "choice": choice, "side": chosen,
                    "experimental_side": side, "response_s": 40.0, "total_s": 200.0, "accepted": True,
                    "flags": "", "simulated": True, **changes,
                })  # fmt: skip
    return rows


def person_row(number: int, **attributes: str) -> dict:
    told = json.dumps(attributes) if attributes else None
    return {"participant_id": f"p{number}", "attributes": told, "simulated": True}


def made(folder: Path, **tables: list[dict]) -> Dataset:
    """A dataset of these tables."""
    with DatasetWriter(folder, study={"name": "talk"}, source={"kind": "test"}) as writer:
        for name, rows in tables.items():
            writer.add(name, rows)
        return writer.close()
