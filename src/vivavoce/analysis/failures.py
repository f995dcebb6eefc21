"""Dialogues that show how it fails, chosen by rule, never by eye."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import pyarrow as pa

from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import Group, components

Row = dict[str, Any]
RATES: Final = ("objective_success_inferred", "objective_success_assigned", "subjective_success")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedDialogue:
    """A dialogue that failed.

    goal    rows of the assigned goal
    said    the participant's own verdict; None where not asked
    failed  names of the rates that count it as failed
    turns   party, and what was said: of a user's spoken turn what somebody transcribed
    """

    dialogue_id: str
    key: str | None
    system: str
    task_text: str | None
    goal: Sequence[Row]
    said: float | None
    failed: Sequence[str]
    turns: Sequence[tuple[str, str | None]]


def typical_failures(dataset: Dataset, all_groups: list[Group], most: int) -> list[FailedDialogue]:
    """Failed dialogues with their turns, at most `most`, taken from the groups in turn.

    Note    the rule: dialogues that fail by most of the success rates first; among these the ones whose
            number of turns is nearest to the median of the group's failures, then by name
    """
    if most < 1:
        return []
    failed = _failed(dataset)
    lengths: dict[str, int] = defaultdict(int)
    for dialogue_id in dataset.read("turns").column("dialogue_id").to_pylist():
        lengths[dialogue_id] += 1
    queues = [_ranked(group, failed, lengths) for group in all_groups]
    chosen: list[tuple[str | None, str]] = []
    for place in range(max(map(len, queues), default=0)):
        for group, queue in zip(all_groups, queues, strict=True):
            if place < len(queue) and len(chosen) < most:
                chosen.append((group.key, queue[place]))
    return _told(dataset, chosen, failed)


def _failed(dataset: Dataset) -> dict[str, list[str]]:
    """The rates by which each dialogue failed; only dialogues that failed by one at least."""
    parts = components(dataset)
    failed: defaultdict[str, list[str]] = defaultdict(list)
    for name in RATES:
        rows = parts[
            (parts["measure"] == name)
            & (parts["denominator"] > 0)
            & (parts["numerator"] < parts["denominator"])
        ]
        for dialogue_id in rows["dialogue_id"]:
            failed[dialogue_id].append(name)
    return failed


def _ranked(group: Group, failed: dict[str, list[str]], lengths: dict[str, int]) -> list[str]:
    system_failures = [
        dialogue_id
        for dialogue_id in group.dialogue_ids
        if dialogue_id in failed and lengths.get(dialogue_id, 0) > 1
    ]
    typical = median(lengths[dialogue_id] for dialogue_id in system_failures) if system_failures else 0
    return sorted(
        system_failures,
        key=lambda dialogue_id: (-len(failed[dialogue_id]), abs(lengths[dialogue_id] - typical), dialogue_id),
    )


def _told(
    dataset: Dataset, chosen: list[tuple[str | None, str]], failed: dict[str, list[str]]
) -> list[FailedDialogue]:
    chosen_ids = {dialogue_id for _, dialogue_id in chosen}
    if not chosen_ids:
        return []
    parts: dict[str, dict[str, list[Row]]] = {}
    for name in ("dialogues", "turns", "goals", "ratings"):
        rows: defaultdict[str, list[Row]] = defaultdict(list)
        table = dataset.read(name)
        mask = [dialogue_id in chosen_ids for dialogue_id in table.column("dialogue_id").to_pylist()]
        for row in table.filter(pa.array(mask, pa.bool_())).to_pylist():
            rows[row["dialogue_id"]].append(row)
        parts[name] = rows
    failures = []
    for key, failed_id in chosen:
        verdicts = [
            row["value"] for row in parts["ratings"][failed_id] if row["role"] == "subjective_success"
        ]
        turns = sorted(parts["turns"][failed_id], key=lambda row: row["turn_index"])
        failures.append(
            FailedDialogue(
                dialogue_id=failed_id,
                key=key,
                system=parts["dialogues"][failed_id][0]["system"],
                task_text=parts["dialogues"][failed_id][0]["task_text"],
                goal=[row for row in parts["goals"][failed_id] if row["origin"] == "assigned"],
                said=verdicts[0] if verdicts else None,
                failed=failed[failed_id],
                turns=[(row["party"], _heard(row)) for row in turns],
            )
        )
    return failures


def _heard(row: Row) -> str | None:
    """Text of a turn; for a user's spoken turn its transcript, if there is one."""
    return row["reference"] if row["party"] == "user" and row["reference"] is not None else row["text"]
