"""What the opening words of a report claim of trials in which nothing differs, and whether it fits the table.

    python benchmarks/inference_claims.py [--trials 200] [--seed 1]

Trials are simulated to the end: outcomes of three success rates go through `summarise` and `answer`, as those
of a dataset do. Participants differ by a standard deviation of 1 on the logit scale, the three rates of a
dialogue share the participant, calls a participant are geometric with mean 5. `within`: a participant's
dialogues go to the conditions in turn; `between`: every participant stays with one.
"""

import argparse
import json
import re
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from benchmarks._assumed_sums import assume_sums

from vivavoce.log.dataset import Dataset, DatasetWriter
from vivavoce.measures import MEASURES
from vivavoce.sections.results.answer import answer
from vivavoce.stats.rates import HEADLINES
from vivavoce.stats.summary import summarise
from vivavoce.stats.summary_results import Summary

Floats = np.ndarray[Any, np.dtype[np.float64]]
Codes = np.ndarray[Any, np.dtype[np.int_]]
PEOPLE: Final = (8, 12, 20, 40)
CONDITIONS: Final = (2, 4)
DESIGNS: Final = ("within", "between")
ALPHA: Final = 0.05
REMAIN: Final = re.compile(r"differences remain in ([1-9]\d*)\.")


def run(trials: int = 200, seed: int = 1) -> dict[str, Any]:
    """Null trials in every cell of participants, conditions and designs.

    Output  cells: [{people, conditions, design, trials, claims, better, contradictions, disagreements,
            tests}] and all: their sums with `claim_rate` (share of trials whose opening says that anything
            differs; at most 5 % where the family is held) and `disagreement_rate` (share of tests whose
            interval excludes 0 where p is not below .05, or the other way round)
    """
    cells = [
        _cell(people, conditions, design, trials, seed)
        for people in PEOPLE
        for conditions in CONDITIONS
        for design in DESIGNS
    ]
    counted = ("trials", "claims", "better", "contradictions", "disagreements", "tests")
    whole: dict[str, Any] = {name: sum(cell[name] for cell in cells) for name in counted}
    whole["claim_rate"] = whole["claims"] / whole["trials"]
    whole["disagreement_rate"] = whole["disagreements"] / whole["tests"] if whole["tests"] else None
    return {"seed": seed, "cells": cells, "all": whole}


def _cell(people: int, conditions: int, design: str, trials: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, people, conditions, DESIGNS.index(design)])
    calls = np.maximum(rng.geometric(0.2, people), conditions if design == "within" else 1)
    who = np.repeat(np.arange(people), calls)
    own = np.arange(people) % conditions
    with tempfile.TemporaryDirectory() as folder:
        met = own[who] if design == "between" else _met(rng, who, conditions)
        dataset = _dataset(Path(folder), who, met)
        found = {"claims": 0, "better": 0, "contradictions": 0, "disagreements": 0, "tests": 0}
        for _ in range(trials):
            assume_sums(dataset, *_outcomes(rng, who))
            for name, number in _judged(summarise(dataset)).items():
                found[name] += number
    return {"people": people, "conditions": conditions, "design": design, "trials": trials, **found}


def _met(rng: np.random.Generator, who: Codes, conditions: int) -> Codes:
    """Conditions in turn for each participant, from a start of their own, as the service allocates."""
    start = rng.integers(0, conditions, who.max() + 1)
    turn = np.concatenate([np.arange(number) for number in np.bincount(who)])
    return (start[who] + turn) % conditions


def _dataset(folder: Path, who: Codes, met: Codes) -> Dataset:
    same = {"study": "null", "channel": "text", "language": "en", "simulated": False}
    with DatasetWriter(folder / "null", study={"name": "null"}, source={"kind": "simulated"}) as writer:
        for place, (person, system) in enumerate(zip(who.tolist(), met.tolist(), strict=True)):
            own = {"system": f"s{system}", "condition": f"s{system}", "participant_id": f"p{person}"}
            writer.add("dialogues", [{**same, **own, "dialogue_id": f"d{place:06}"}])
    return Dataset(folder / "null")


def _outcomes(rng: np.random.Generator, who: Codes) -> tuple[Floats, Floats]:
    """Numerators and denominators of every measure: only the three headline rates have cases."""
    names = MEASURES.names()
    hits, cases = np.zeros((2, len(names), len(who)))
    own = rng.normal(size=who.max() + 1)[who] + rng.normal(0.8, 0.5)
    for name in HEADLINES:
        place = names.index(name)
        hits[place] = rng.random(len(who)) < 1 / (1 + np.exp(-own))
        cases[place] = 1.0
    return hits, cases


def _judged(summary: Summary) -> dict[str, int]:
    """What the opening says of one trial, and how it fits the tests."""
    said = " ".join(answer(summary))
    claimed = REMAIN.search(said)
    tests = [one for one in summary.tests if one.family]
    shown = sum(bool(one.significant) for one in tests)
    sides = [one.clustered for one in tests if None not in (one.clustered.p, one.clustered.low)]
    apart = sum((one.low > 0 or one.high < 0) != (one.p < ALPHA) for one in sides)
    return {
        "claims": int(claimed is not None),
        "better": int(" better " in said),
        "contradictions": int((int(claimed[1]) if claimed else 0) != shown),
        "disagreements": apart,
        "tests": len(sides),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Claims of reports on trials in which nothing differs.")
    parser.add_argument("--trials", type=int, default=200, help="per cell; there are 16")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(json.dumps(run(asked.trials, asked.seed), indent=1))


if __name__ == "__main__":
    main()
