"""Flags of system turns: who tells them, and how well rules tell them, against annotators."""

from collections import Counter, defaultdict
from typing import Any, Final

import numpy as np

from vivavoce.core.signature import signature
from vivavoce.log.annotation_layers import Labels
from vivavoce.log.dataset import Dataset
from vivavoce.stats.bootstrap import bootstrap_ratio
from vivavoce.study.flags import FLAGS

LAYER: Final = "system_flag"
UNKNOWN: Final = "unknown"
LOG: Final = "log"
Facts = dict[str, Any]


def score_flags(dataset: Dataset) -> Facts:
    """The flags of system turns by system.

    Output  flags, one a system and flag: turns, told (turns by origin: acts, rules, log, unknown), set (turns
            with the flag); and where annotators judged the dialogue: judged (turns), hits, extra, missed,
            precision, recall, f1 with low and high (participants drawn anew), kappa (Cohen's)
    Empty   precision, recall and f1 are None where nothing was flagged; kappa where one side never varies
    Note    a dialogue is judged when anybody annotated it in layer `system_flag`; turns without a label in it
            have none of the flags
    """
    systems, people = _dialogues(dataset)
    labels = Labels(dataset.read("annotations").to_pylist()).of(LAYER)
    judged = {
        dialogue_id: {(one.turn_index, one.label) for one in found} for dialogue_id, found in labels.items()
    }
    counts: dict[tuple[str, str], _Counts] = defaultdict(_Counts)
    for turn in dataset.read("turns").to_pylist():
        if turn["party"] != "system":
            continue
        key, index = turn["dialogue_id"], turn["turn_index"]
        for name in FLAGS:
            said, origin = turn.get(name), turn.get(f"{name}_origin")
            one = counts[systems[key], name]
            one.told[UNKNOWN if said is None else origin or LOG] += 1
            one.set += bool(said)
            if said is not None and key in judged:
                one.add(people[key], told=bool(said), meant=(index, name) in judged[key])
    rows = [{"system": system, "flag": name, **one.facts()} for (system, name), one in sorted(counts.items())]
    n = sum(row["judged"] for row in rows)
    return {"flags": rows, "signature": signature("flags", unit="turn", n=n, data=dataset.hash)}


class _Counts:
    """One flag of one system."""

    def __init__(self) -> None:
        self.told: Counter[str] = Counter()
        self.set = 0
        self._cells: dict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)

    def add(self, who: str, *, told: bool, meant: bool) -> None:
        self._cells[who][told, meant] += 1

    def facts(self) -> Facts:
        whole = sum(self._cells.values(), Counter[tuple[bool, bool]]())
        hits, extra, missed = whole[True, True], whole[True, False], whole[False, True]
        named = 2 * hits + extra + missed
        return {
            "turns": self.told.total(), "told": dict(self.told), "set": self.set, "judged": whole.total(),
            "hits": hits, "extra": extra, "missed": missed,
            "precision": hits / (hits + extra) if hits + extra else None,
            "recall": hits / (hits + missed) if hits + missed else None,
            "f1": 2 * hits / named if named else None,
            **self._interval(), "kappa": _kappa(whole),
        }  # fmt: skip

    def _interval(self) -> Facts:
        cells = [self._cells[who] for who in sorted(self._cells)]
        twice = np.array([2.0 * cell[True, True] for cell in cells])
        errors = np.array([float(cell[True, False] + cell[False, True]) for cell in cells])
        found = bootstrap_ratio(twice, twice + errors) if cells else None
        return {"low": found.low if found else None, "high": found.high if found else None}


def _kappa(cells: Counter[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of a table of two readings, yes or no."""
    n = cells.total()
    if not n:
        return None
    told = (cells[True, True] + cells[True, False]) / n
    meant = (cells[True, True] + cells[False, True]) / n
    agreed = (cells[True, True] + cells[False, False]) / n
    chance = told * meant + (1 - told) * (1 - meant)
    return (agreed - chance) / (1 - chance) if chance < 1 else None


def _dialogues(dataset: Dataset) -> tuple[dict[str, str], dict[str, str]]:
    columns = ["dialogue_id", "system", "participant_id"]
    rows = dataset.read("dialogues").select(columns).to_pylist()
    systems = {row["dialogue_id"]: row["system"] for row in rows}
    people = {row["dialogue_id"]: row["participant_id"] or f"unknown {row['dialogue_id']}" for row in rows}
    return systems, people
