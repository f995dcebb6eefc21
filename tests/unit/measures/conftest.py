"""Dialogues written in a line, and datasets made of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures.success import ScoredAct, ScoredTurn, Venues

_ACT = re.compile(r"([\w.-]+)\(([^)]*)\)")


def _acts(text: str) -> list[ScoredAct]:
    """`inform(food=chinese) request(addr)` as acts."""
    found: list[ScoredAct] = []
    for act, inside in _ACT.findall(text):
        slot, _, value = inside.partition("=")
        found.append(ScoredAct(act, slot or None, value or None, "=" if value else None))
    return found


def _turns(lines: Sequence[str], *, understood: bool = False) -> list[ScoredTurn]:
    """`S offer(...)`, `U meant | understood`: one line a turn."""
    made: list[ScoredTurn] = []
    for index, line in enumerate(lines):
        meant, _, heard = line[2:].partition("|")
        acts = heard if understood and heard else meant
        made.append(ScoredTurn(index, {"S": "system", "U": "user"}[line[0]], tuple(_acts(acts))))
    return made


def _entities(venues: Mapping[str, Mapping[str, str]]) -> list[dict[str, Any]]:
    return [
        {
            "entity_id": name,
            "name": name,
            "slot": slot,
            "value": value,
            "source": "database",
            "match": "prefix" if slot == "postcode" else "exact",
        }
        for name, slots in venues.items()
        for slot, value in slots.items()
    ]


@pytest.fixture(scope="session")
def make_turns() -> Callable[..., list[ScoredTurn]]:
    return _turns


@pytest.fixture(scope="session")
def make_venues() -> Callable[[Mapping[str, Mapping[str, str]]], Venues]:
    return lambda venues: Venues.from_rows(_entities(venues))


@pytest.fixture
def make_dataset(tmp_path: Path) -> Callable[..., Dataset]:
    """A dataset of `dialogue_id -> {turns: [lines], constraints, requests, rows: {table: [rows]}}`."""
    made: list[int] = []

    def make(
        dialogues: Mapping[str, Mapping[str, Any]], venues: Mapping[str, Mapping[str, str]] | None = None
    ) -> Dataset:
        made.append(0)
        writer = DatasetWriter(
            tmp_path / f"D{len(made)}", study={"name": "toy"}, source={"kind": "test"}, factors=("shade",)
        )
        for key, content in dialogues.items():
            _write_dialogue(writer, key, content)
        writer.add("entities", _entities(venues or {}))
        return writer.close()

    return make


def _write_dialogue(writer: DatasetWriter, key: str, content: Mapping[str, Any]) -> None:
    base = {
        "dialogue_id": key,
        "study": "toy",
        "system": "bot",
        "condition": "bot",
        "channel": "text",
        "language": "en",
        "simulated": False,
    }
    writer.add("dialogues", [base | dict(content.get("dialogue", {}))])
    lines = content.get("turns", [])
    for layer, source, turns in (
        ("system", "bot", [turn for turn in _turns(lines) if turn.party == "system"]),
        (
            "reference",
            content.get("source", "label"),
            [turn for turn in _turns(lines) if turn.party == "user"],
        ),
        ("understood", "bot", [turn for turn in _turns(lines, understood=True) if turn.party == "user"]),
    ):
        writer.add(
            "acts",
            [
                {
                    "dialogue_id": key,
                    "turn_index": turn.index,
                    "layer": layer,
                    "source": source,
                    "rank": 0,
                    "position": position,
                    "act": act.act,
                    "slot": act.slot,
                    "op": act.op,
                    "value": act.value,
                }
                for turn in turns
                for position, act in enumerate(turn.acts)
            ],
        )
    goal: list[dict[str, Any]] = [
        {"kind": "constraint", "slot": slot, "op": "=", "value": value}
        for slot, value in content.get("constraints", {}).items()
    ] + [{"kind": "request", "slot": slot} for slot in content.get("requests", [])]
    writer.add(
        "goals", [{"dialogue_id": key, "goal_index": 0, "origin": "assigned", **item} for item in goal]
    )
    for table, rows in content.get("rows", {}).items():
        writer.add(table, [{"dialogue_id": key, **row} for row in rows])
