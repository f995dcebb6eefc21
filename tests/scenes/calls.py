"""Datasets of calls, written down turn by turn."""

from pathlib import Path
from typing import Any

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

Item = tuple[str, str | None, str | None]
Acts = list[Item]


def act(dialogue: str, turn: int, layer: str, position: int, item: Item) -> dict[str, Any]:
    return {
        "dialogue_id": dialogue,
        "turn_index": turn,
        "layer": layer,
        "source": "label",
        "rank": 0,
        "position": position,
        "act": item[0],
        "slot": item[1],
        "value": item[2],
        "op": "=" if item[2] else None,
    }


def written(folder: Path, calls: list[dict[str, Any]], *, simulated: bool = False) -> Dataset:
    """A dataset of calls: a caller, turns (party, words said, heard, acts), and whether all was found."""
    with DatasetWriter(folder, study={"name": "toy"}, source={"kind": "test"}) as writer:
        for number, call in enumerate(calls):
            key = f"d{number}"
            writer.add(
                "dialogues",
                [
                    {
                        "dialogue_id": key,
                        "study": "toy",
                        "system": "s",
                        "channel": "phone",
                        "participant_id": call["caller"],
                        "simulated": simulated,
                        "condition": "s",
                        "language": "en",
                        "end_reason": "user",
                    }
                ],
            )
            for index, (party, said, heard, acts) in enumerate(call["turns"]):
                writer.add(
                    "turns",
                    [
                        {
                            "dialogue_id": key,
                            "turn_index": index,
                            "party": party,
                            "text": heard,
                            "asr_status": "ok" if party == "user" else None,
                            "reference": said if party == "user" else None,
                        }
                    ],
                )
                layer = "reference" if party == "user" else "system"
                writer.add("acts", [act(key, index, layer, at, one) for at, one in enumerate(acts)])
            writer.add(
                "goals",
                [
                    {
                        "dialogue_id": key,
                        "goal_index": 0,
                        "origin": "assigned",
                        "kind": "constraint",
                        "slot": slot,
                        "op": "=",
                        "value": value,
                    }
                    for slot, value in call["goal"].items()
                ],
            )
            writer.add(
                "ratings",
                [
                    {
                        "dialogue_id": key,
                        "participant_id": call["caller"],
                        "instrument": "f",
                        "item_id": "found",
                        "role": "subjective_success",
                        "value": None if call["found"] is None else float(call["found"]),
                    }
                ],
            )
        return writer.close()
