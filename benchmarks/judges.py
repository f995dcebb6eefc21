"""How often estimates from people and a judge hold, and how many labels by people they save.

`python -m benchmarks judges [--trials 2000] [--seed 1] [--dstc2 FOLDER] [--out FILE]` prints JSON.

calls   simulated trials: callers as unequal as crowd callers are (few call very often), each with both
        systems; a judge that knows nothing, something, or much, and is lenient to one system
chosen  the same calls, with labels of dialogues that look bad: to the judge, with and without their chances,
        or to the callers themselves
dstc2   resampled callers of DSTC2 (`vivavoce import dstc2 ... --into FOLDER`): 70, 80 or 90 % of the answers
        to an item are hidden and predicted from interaction parameters and objective success, cross-fitted

Each beside people alone, and beside the judge alone as if its words were labels.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.inference import draw_sizes, own_rate

from vivavoce.stats.prediction.cross_fitting import cross_fitted
from vivavoce.stats.prediction_powered import JudgedCases, powered_difference, powered_mean

Facts = dict[str, Any]
Floats = np.ndarray[Any, np.dtype[np.float64]]
RATE, ICC, PENALTY = 0.65, 0.15, 100.0
WAYS = ("people", "joined", "judge")


def judged(
    people: np.ndarray, said: Floats, labels: Floats, first: np.ndarray, chances: Floats | None = None
) -> dict[str, tuple[JudgedCases, JudgedCases, JudgedCases]]:
    """All dialogues, those with the first and with the second system; by people, people and judge, judge."""
    every = np.ones(len(people), dtype=bool)
    known = np.where(np.isnan(said), np.nanmean(said), said)
    found = {}
    for way, (words, answers, weights) in {
        "joined": (said, labels, chances),
        "people": (np.full(len(said), np.nan), labels, chances),
        "judge": (np.full(len(said), np.nan), known, None),
    }.items():
        found[way] = tuple(
            JudgedCases(people[one], words[one], answers[one], None if weights is None else weights[one])
            for one in (every, first, ~first)
        )
    return found


def outcome(sides: dict[str, Any], truth: float, difference: float, *, rate: bool) -> dict[str, float]:
    """Of one trial: whether intervals miss and the test alarms, errors and widths, way by way."""
    seen: dict[str, float] = {}
    for way, (every, first, second) in sides.items():
        mean = powered_mean(every, rate=rate and way != "judge")
        two = powered_difference(first, second)
        if mean.low is None or mean.high is None or mean.estimate is None or two.low is None:
            continue
        seen |= {
            f"{way}_n": 1.0,
            f"{way}_misses": float(not mean.low <= truth <= mean.high),
            f"{way}_off": mean.estimate - truth,
            f"{way}_square": float(mean.se or 0) ** 2,
            f"{way}_width": mean.high - mean.low,
            f"{way}_difference_misses": float(not two.low <= difference <= (two.high or 0)),
            f"{way}_alarms": float((two.p or 0) < 0.05),
            f"{way}_difference_square": float(two.se or 0) ** 2,
        }
    return seen


def calls(law: str, callers: int, share: float, right: float, rng: np.random.Generator) -> dict[str, float]:
    """A simulated trial without a difference, and a judge that is lenient to the first system."""
    sizes = draw_sizes(law, callers, rng)
    who = np.repeat(np.arange(callers), sizes)
    truth = (rng.random(len(who)) < own_rate(RATE, ICC)(rng.standard_normal(callers))[who]).astype(float)
    first = rng.random(len(who)) < 0.5
    guess = rng.random(len(who)) < np.where(first, 0.9, RATE)
    said = np.where(rng.random(len(who)) < right, truth, guess).astype(float)
    labels = np.where(chosen(len(who), share, rng), truth, np.nan)
    return outcome(judged(who, said, labels, first), RATE, 0.0, rate=True)


def by_looks(law: str, callers: int, by: str, logged: bool, rng: np.random.Generator) -> dict[str, float]:
    """Labels of dialogues that look bad to the judge (or to their callers), four times as often."""
    sizes = draw_sizes(law, callers, rng)
    who = np.repeat(np.arange(callers), sizes)
    truth = (rng.random(len(who)) < own_rate(RATE, ICC)(rng.standard_normal(callers))[who]).astype(float)
    said = np.where(rng.random(len(who)) < 0.6, truth, rng.random(len(who)) < 0.8).astype(float)
    chances = np.where((said if by == "judge" else truth) > 0.5, 0.15, 0.6)
    labels = np.where(rng.random(len(who)) < chances, truth, np.nan)
    first = rng.random(len(who)) < 0.5
    return outcome(judged(who, said, labels, first, chances if logged else None), RATE, 0.0, rate=True)


def chosen(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """A simple random sample of dialogues."""
    asked = np.zeros(n, dtype=bool)
    asked[rng.choice(n, max(4, round(share * n)), replace=False)] = True
    return asked


def ridge(values: Floats, answers: Floats, _: Sequence[str]) -> Callable[[Floats], Floats]:
    """Least squares with a penalty, in closed form: a predictor that can be trained ten thousand times."""
    middle = answers.mean()
    weights = np.linalg.solve(
        values.T @ values + PENALTY * np.eye(values.shape[1]), values.T @ (answers - middle)
    )
    return lambda new: middle + new @ weights


def resampled(corpus: Facts, share: float, callers: int, rng: np.random.Generator) -> dict[str, float]:
    """Callers of the corpus drawn with replacement; answers hidden; two halves by lot, so no difference."""
    drawn = rng.integers(0, len(corpus["members"]), callers)
    rows = np.concatenate([corpus["members"][one] for one in drawn])
    who = np.repeat(np.arange(callers), [len(corpus["members"][one]) for one in drawn])
    truth, values = corpus["answers"][rows], corpus["values"][rows]
    labels = np.where(chosen(len(who), share, rng), truth, np.nan)
    said = cross_fitted(
        values, labels, [str(one) for one in who], train=ridge, seed=int(rng.integers(1 << 30))
    )
    if np.isnan(said).all():
        return {}
    first = rng.random(len(who)) < 0.5
    return outcome(judged(who, said, labels, first), corpus["mean"], 0.0, rate=corpus["rate"])


def corpus_of(folder: Path, target: str) -> Facts:
    """Standardised parameters, answers and callers of a dataset."""
    from vivavoce.log.dataset import Dataset
    from vivavoce.stats.prediction import prediction_table

    table = prediction_table(Dataset(folder), target)
    values = np.where(np.isnan(table.values), np.nanmean(table.values, axis=0), table.values)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    people = np.array(table.participants)
    return {
        "answers": table.answers, "values": values, "mean": float(table.answers.mean()),
        "rate": bool(np.isin(table.answers, (0, 1)).all()), "predictors": len(table.predictors),
        "members": [np.flatnonzero(people == one) for one in np.unique(people)],
    }  # fmt: skip


def measured(make: Callable[[np.random.Generator], dict[str, float]], trials: int, seed: int) -> Facts:
    """Shares and errors over trials; variance saved against people alone with the same labels."""
    rng, sums = np.random.default_rng(seed), {}
    for _ in range(trials):
        for name, value in make(rng).items():
            sums[name] = sums.get(name, 0.0) + value
            if name.endswith("_off"):
                sums[f"{name}_squared"] = sums.get(f"{name}_squared", 0.0) + value**2
    facts: Facts = {"trials": trials}
    for way in WAYS:
        n = sums.get(f"{way}_n", 0.0)
        if not n:
            continue
        off = sums[f"{way}_off"] / n
        facts[way] = {
            "counted": int(n),
            "coverage": 1 - sums[f"{way}_misses"] / n,
            "difference_coverage": 1 - sums[f"{way}_difference_misses"] / n,
            "type_one_error": sums[f"{way}_alarms"] / n,
            "bias": off,
            "deviation": (sums[f"{way}_off_squared"] / n - off**2) ** 0.5,
            "mean_error": (sums[f"{way}_square"] / n) ** 0.5,
            "width": sums[f"{way}_width"] / n,
        }
    if "joined" in facts and "people" in facts:
        ratio = (facts["joined"]["deviation"] / facts["people"]["deviation"]) ** 2
        facts["variance_saved"] = 1 - ratio
        both = sums["joined_difference_square"] / max(sums["people_difference_square"], 1e-12)
        facts["variance_saved_in_differences"] = 1 - both
    return facts


def plans(folder: Path | None) -> list[tuple[Facts, Any]]:
    """What is simulated, by its description."""
    found: list[tuple[Facts, Any]] = []
    for law, callers, share in (
        ("poisson", 20, 0.3),
        ("pareto", 40, 0.2),
        ("pareto", 140, 0.1),
        ("poisson", 60, 0.2),
    ):
        for right in (0.0, 0.6, 0.9):
            facts = {"part": "calls", "law": law, "callers": callers, "share": share, "judge_right": right}
            found.append((facts, partial(calls, law, callers, share, right)))
    for logged in (True, False):
        facts = {"part": "chosen", "law": "pareto", "callers": 140, "by": "judge", "chances_logged": logged}
        found.append((facts, partial(by_looks, "pareto", 140, "judge", logged)))
    for target in ("found_all", "understood") if folder is not None else ():
        corpus = corpus_of(folder, target)
        for share in (0.1, 0.2, 0.3):
            facts = {"part": "dstc2", "target": target, "callers": 113, "share": share,
                     "truth": corpus["mean"], "predictors": corpus["predictors"]}  # fmt: skip
            found.append((facts, partial(resampled, corpus, share, 113)))
    facts = {"part": "chosen", "law": "pareto", "callers": 140, "by": "callers", "chances_logged": False}
    found.append((facts, partial(by_looks, "pareto", 140, "callers", False)))
    return found


def saved(rows: list[Facts], target: str) -> Facts:
    """Labels saved at an equal error, from errors at several shares: squared they are a + b / share.

    What callers differ by (a) no label and no judge makes smaller; b is what labels are for.
    """
    found = [one for one in rows if one.get("target") == target]
    inverse = np.array([1 / one["share"] for one in found])
    slopes = [
        np.polyfit(inverse, np.array([one[way]["deviation"] ** 2 for one in found]), 1)[0]
        for way in ("people", "joined")
    ]
    return {"target": target, "labels_saved": 1 - float(slopes[1] / slopes[0])}


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage and labels saved by judges.")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dstc2", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = [
        facts | {"seed": given.seed + place} | measured(make, given.trials, given.seed + place)
        for place, (facts, make) in enumerate(plans(given.dstc2))
    ]
    targets = dict.fromkeys(one["target"] for one in rows if "target" in one)
    labels = [saved(rows, target) for target in targets]
    text = json.dumps({"seed": given.seed, "scenarios": rows, "labels_saved": labels}, indent=1)
    if given.out is not None:
        given.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
