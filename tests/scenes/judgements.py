"""Datasets of choices between transcripts, drawn from known preferences."""

import json
from collections.abc import Mapping
from math import exp
from pathlib import Path
from random import Random

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

QUESTIONS = {
    "ease": "service",
    "utility": "service",
    "satisfaction": "experience",
    "interaction": "experience",
}


def judge_rows(
    people: int,
    likes: Mapping[str, float],
    *,
    left: float = 0.0,
    ties: float = 0.0,
    seed: int = 1,
    **changes: object,
) -> list[dict]:
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
                rows.append(
                    {
                        "participant_id": f"p{person}",
                        "visit_id": f"v{person}",
                        "role": "main",
                        "comparison_number": number,
                        "pair_id": variable,
                        "variable": variable,
                        "change": "insertion",
                        "control_level": "old",
                        "experimental_level": "new",
                        "question": question,
                        "quality": quality,
                        "choice": choice,
                        "side": chosen,
                        "experimental_side": side,
                        "response_s": 40.0,
                        "total_s": 200.0,
                        "accepted": True,
                        "flags": "",
                        "simulated": True,
                        **changes,
                    }
                )
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


def vote_rows(
    people: int,
    worth: Mapping[str, float],
    *,
    left: float = 0.0,
    nu: float = 0.6,
    length: float = 0.0,
    votes: int = 6,
    seed: int = 1,
) -> dict[str, list[dict]]:
    """Tables `votes` and `turns` of people who vote after Davidson's model, fond of longer answers or not."""
    chance, rows, turns, names = Random(seed), [], [], list(worth)
    for person in range(people):
        for number in range(1, votes + 1):
            a, b = chance.sample(names, 2)
            words = {"left": chance.randint(5, 60), "right": chance.randint(5, 60)}
            longer = (words["left"] - words["right"]) / (words["left"] + words["right"])
            lean = worth[a] - worth[b] + left + length * longer
            weights = [exp(lean / 2), exp(-lean / 2), nu / 2, nu / 2]
            bout = f"b{person}-{number}"
            for side in words:
                turns.append(
                    {
                        "dialogue_id": f"{bout}-{side}",
                        "turn_index": 1,
                        "party": "system",
                        "text": "word " * words[side],
                    }
                )
            rows.append(
                {
                    "participant_id": f"p{person}",
                    "visit_id": f"v{person}",
                    "bout_id": bout,
                    "bout_number": number,
                    "exchange": 1,
                    "left_system": a,
                    "right_system": b,
                    "left_dialogue_id": f"{bout}-left",
                    "right_dialogue_id": f"{bout}-right",
                    "left_turn_index": 1,
                    "right_turn_index": 1,
                    "leaks": "",
                    "response_s": 8.0,
                    "choice": chance.choices(["left", "right", "tie", "both_bad"], weights)[0],
                    "simulated": True,
                }
            )
    return {"votes": rows, "turns": turns}
