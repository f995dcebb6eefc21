"""Dialogues in which every measure has something to count, and one of which nothing is known."""

import random
from pathlib import Path
from typing import Any, Final

from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

Rows = dict[str, list[dict[str, Any]]]
FLAGS: Final = ("question", "help", "error_message", "rejection_prompt", "timeout_prompt")
UNKNOWN: Final = "nothing"


def dialogue(number: int) -> Rows:
    """A dialogue in which every measure of its channel has something to count; contents vary by number."""
    draw, key = random.Random(number), f"d{number}"
    channel = ("phone", "text")[number % 2]
    rows: Rows = {name: [] for name in ("turns", "acts", "hypotheses", "goals", "ratings", "annotations")}
    rows["dialogues"] = [
        {
            "dialogue_id": key,
            "study": "s",
            "system": "bot",
            "condition": f"c{number % 3}",
            "channel": channel,
            "language": "en",
            "simulated": False,
            "duration_s": 10.0 + number,
            "participant_id": f"p{number % 2}",
            "tools_logged": True,
            "reward": float(number % 2),
        }
    ]
    for index in range(8):
        rows["turns"].append(_turn(key, index, channel, draw))
        rows["hypotheses"] += _hypotheses(rows["turns"][-1], random.Random(100 * number + index))
        rows["acts"] += _acts(key, index, draw)
        rows["annotations"] += _labels(key, index, draw)
    rows["annotations"] += [
        {"layer": "subtask", "label": draw.choice([*LAYERS["subtask"].labels]), "value": str(n)}
        for n in range(2)
    ]
    rows["annotations"] = [{"dialogue_id": key, "annotator_id": "a", **row} for row in rows["annotations"]]
    goal = {"dialogue_id": key, "goal_index": 0, "origin": "assigned", "kind": "constraint"}
    rows["goals"] = [
        {**goal, "slot": "food", "value": draw.choice(["thai", "greek"])},
        {**goal, "slot": "area", "value": draw.choice(["north", "west"])},
    ]
    rows["ratings"] = [
        {
            "dialogue_id": key,
            "instrument": "cambridge",
            "wording": "project",
            "item_id": "found_all",
            "role": "subjective_success",
            "value": 1.0,
        }
    ]
    rows["tool_calls"], rows["usage"] = _agent(key, random.Random(100 + number))
    return rows


def _agent(key: str, draw: random.Random) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    calls = [
        {
            "dialogue_id": key,
            "turn_index": 2,
            "call_index": index,
            "name": draw.choice(("find", "book")),
            "arguments": draw.choice(('{"a": 1, "b": 2}', '{"b": 2, "a": 1}')),
            "failed": draw.random() < 0.5,
        }
        for index in range(3)
    ]
    usage = [
        {
            "dialogue_id": key,
            "turn_index": 2 * index,
            "usage_index": index,
            "model": "m",
            "input_tokens": draw.randint(1, 90),
            "output_tokens": draw.randint(1, 9),
            "currency": "EUR",
            "cost": draw.random(),
        }
        for index in range(2)
    ]
    return calls, usage


def _turn(key: str, index: int, channel: str, draw: random.Random) -> dict[str, Any]:
    party = ("system", "user")[index % 2]
    words = " ".join(draw.choices(["cheap", "thai", "greek", "north", "please"], k=4))
    turn = {
        "dialogue_id": key,
        "turn_index": index,
        "party": party,
        "reference": words,
        "text": words.replace("thai", "greek"),
        "onset_s": 3.0 * index,
        "offset_s": 3.0 * index + 2,
    }
    if party == "system":
        turn |= {flag: draw.random() < 0.5 for flag in FLAGS}
        turn |= {"complete_s": 3.0 * index + 1.5, "first_output_s": 3.0 * index}
    else:
        turn |= {"barge_in": draw.random() < 0.3}
        turn |= {"sent_s": 3.0 * index + 2} if channel == "text" else {}
    return turn


def _hypotheses(turn: dict[str, Any], draw: random.Random) -> list[dict[str, Any]]:
    """Recognition of a user turn: the hypothesis of the dialogue, and sometimes the true words."""
    if turn["party"] == "system":
        return []
    texts = [turn["text"], *([turn["reference"]] if draw.random() < 0.5 else [])]
    return [
        {
            "dialogue_id": turn["dialogue_id"],
            "turn_index": turn["turn_index"],
            "source": "live",
            "rank": rank,
            "text": text,
            "score": round(draw.uniform(0.1, 0.9), 3),
        }
        for rank, text in enumerate(dict.fromkeys(texts))
    ]


def _acts(key: str, index: int, draw: random.Random) -> list[dict[str, Any]]:
    base = {"dialogue_id": key, "turn_index": index, "rank": 0, "position": 0, "op": "="}
    if index % 2 == 0:
        offer = {**base, "layer": "system", "source": "bot", "act": "offer", "slot": "name"}
        return [{**offer, "value": draw.choice(["ruen", "kafenion"])}] if index == 4 else []
    reference = {"food": draw.choice(["thai", "greek"]), "area": draw.choice(["north", "west"])}
    understood = {"food": draw.choice(["thai", "greek"]), "area": reference["area"]}
    return [
        {
            **base,
            "position": position,
            "layer": layer,
            "source": source,
            "act": "inform",
            "slot": slot,
            "value": value,
        }
        for layer, source, values in (("reference", "label", reference), ("understood", "bot", understood))
        for position, (slot, value) in enumerate(values.items())
    ]


def _labels(key: str, index: int, draw: random.Random) -> list[dict[str, Any]]:
    """A label in every layer that fits the turn; `avp` and `parse` are left to the acts."""
    party = ("system", "user")[index % 2]
    layers = [layer for layer in LAYERS.values() if layer.about in (party, "turn")]
    return [
        {"turn_index": index, "layer": layer.name, "label": draw.choice([*layer.labels])}
        for layer in layers
        if layer.name not in ("avp", "parse", "system_flag", "barge_in")
    ]


ENTITIES: Final = [
    {"entity_id": name, "name": name, "slot": slot, "value": value, "source": "database", "match": "exact"}
    for name, slots in {
        "ruen": {"food": "thai", "area": "north"},
        "kafenion": {"food": "greek", "area": "west"},
    }.items()
    for slot, value in slots.items()
]
NOTHING: Final = {
    "dialogue_id": UNKNOWN,
    "study": "s",
    "system": "bot",
    "condition": "c0",
    "channel": "phone",
    "language": "en",
    "simulated": False,
}


def write_sample(folder: Path, *, shuffled: int | None = None) -> Dataset:
    """A dataset of six such dialogues, and of one of which nothing is known.

    Input   shuffled: seed of the order of rows; None: as they are made
    """
    tables: Rows = {"entities": list(ENTITIES), "dialogues": [NOTHING]}
    for number in range(6):
        for name, rows in dialogue(number).items():
            tables.setdefault(name, []).extend(rows)
    writer = DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"})
    for name, rows in tables.items():
        if shuffled is not None:
            random.Random(shuffled).shuffle(rows)
        writer.add(name, rows)
    return writer.close()
