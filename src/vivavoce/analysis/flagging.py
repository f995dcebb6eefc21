"""Flags of system turns: who tells them, and how well rules tell them, against annotators."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.core.result import signature
from vivavoce.dataset.annotation_layers import Labels
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.bootstrap import bootstrap_ratio
from vivavoce.study.flags import FLAGS

LAYER: Final = "system_flag"
UNKNOWN: Final = "unknown"
LOG: Final = "log"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagScore:
    """One flag of one system, in turns; precision, recall, F1 from 0 to 1, Cohen's kappa from -1 to 1.

    told       turns by who tells the flag: acts, rules, log, unknown; `set`: turns with the flag
    judged     turns of dialogues that annotators judged; hits, extra, missed are of these
    low, high  limits of F1, participants drawn anew
    Empty      precision, recall and F1 are None where nothing was flagged, limits where nothing was judged,
               kappa where one side never varies
    """

    system: str
    flag: str
    turns: int
    told: dict[str, int]
    set: int
    judged: int
    hits: int
    extra: int
    missed: int
    precision: float | None
    recall: float | None
    f1: float | None
    low: float | None
    high: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class FlagScores:
    """The flags of system turns, one a system and flag."""

    flags: list[FlagScore]
    signature: str


def score_flags(dataset: Dataset) -> FlagScores:
    """The flags of system turns by system.

    Note    a dialogue is judged when anybody annotated it in layer `system_flag`; turns without a label in it
            have none of the flags
    """
    systems, people = _dialogues(dataset)
    labels = Labels(dataset.read("annotations").to_pylist()).of(LAYER)
    judged = {
        dialogue_id: {(standing.turn_index, standing.label) for standing in standing_labels}
        for dialogue_id, standing_labels in labels.items()
    }
    counts: dict[tuple[str, str], _Counts] = defaultdict(_Counts)
    for turn in dataset.read("turns").to_pylist():
        if turn["party"] != "system":
            continue
        key, index = turn["dialogue_id"], turn["turn_index"]
        for name in FLAGS:
            is_set, origin = turn.get(name), turn.get(f"{name}_origin")
            count = counts[systems[key], name]
            count.told[UNKNOWN if is_set is None else origin or LOG] += 1
            count.set += bool(is_set)
            if is_set is not None and key in judged:
                count.add(people[key], told=bool(is_set), meant=(index, name) in judged[key])
    rows = [flag_count.score(*of) for of, flag_count in sorted(counts.items())]
    line = signature("flags", unit="turn", n=sum(row.judged for row in rows), data=dataset.hash)
    return FlagScores(rows, line)


class _Counts:
    """One flag of one system."""

    def __init__(self) -> None:
        self.told: Counter[str] = Counter()
        self.set = 0
        self._cells: dict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)

    def add(self, who: str, *, told: bool, meant: bool) -> None:
        self._cells[who][told, meant] += 1

    def score(self, system: str, flag: str) -> FlagScore:
        cells = [self._cells[who] for who in sorted(self._cells)]
        total_cells = sum(cells, Counter[tuple[bool, bool]]())
        hits, extra, missed = total_cells[True, True], total_cells[True, False], total_cells[False, True]
        f1_total = 2 * hits + extra + missed
        twice = np.array([2.0 * cell[True, True] for cell in cells])
        errors = np.array([float(cell[True, False] + cell[False, True]) for cell in cells])
        low, high = (bootstrap_ratio(twice, twice + errors) if cells else None) or (None, None)
        return FlagScore(
            system=system,
            flag=flag,
            turns=self.told.total(),
            told=dict(self.told),
            set=self.set,
            judged=total_cells.total(),
            hits=hits,
            extra=extra,
            missed=missed,
            precision=hits / (hits + extra) if hits + extra else None,
            recall=hits / (hits + missed) if hits + missed else None,
            f1=2 * hits / f1_total if f1_total else None,
            low=low,
            high=high,
            kappa=_kappa(total_cells),
        )


def _kappa(cells: Counter[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of a table of two readings, yes or no."""
    n = cells.total()
    if not n:
        return None
    flagged_share = (cells[True, True] + cells[True, False]) / n
    meant_share = (cells[True, True] + cells[False, True]) / n
    agreed = (cells[True, True] + cells[False, False]) / n
    chance = flagged_share * meant_share + (1 - flagged_share) * (1 - meant_share)
    return (agreed - chance) / (1 - chance) if chance < 1 else None


def _dialogues(dataset: Dataset) -> tuple[dict[str, str], dict[str, str]]:
    columns = ["dialogue_id", "system", "participant_id"]
    rows = dataset.read("dialogues").select(columns).to_pylist()
    systems = {row["dialogue_id"]: row["system"] for row in rows}
    people = {row["dialogue_id"]: row["participant_id"] or f"unknown {row['dialogue_id']}" for row in rows}
    return systems, people
