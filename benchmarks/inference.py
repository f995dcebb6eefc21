"""How often intervals hold and tests alarm where callers are few and unequal, against the method before.

`python -m benchmarks inference [--part NAME] [--trials 100] [--seed 1] [--jobs 1] [--out FILE]` prints JSON:

intervals  simulated studies of 10 to 140 callers with equal, Poisson, heavy-tailed and two-whales numbers of
           calls, within and between people, and others on which nothing was tuned: coverage of the 95 %
           interval of a difference, type I error and power of its test, coverage of the interval of one rate
claims     what the summary of a report claims of trials without any difference
power      power at the participants that `vivavoce power` recommends, by trials that share no code with it
"""

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks._assumed_sums import assume_sums
from scipy.special import expit, logit, ndtr
from scipy.stats import beta, norm
from scipy.stats import t as student
from threadpoolctl import threadpool_limits

from vivavoce.analysis.planning import Rates, find_participants
from vivavoce.analysis.summary import summarise
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import MEASURES
from vivavoce.sections.results.answer import answer
from vivavoce.stats.clusters import ClusterSums, clustered_rate
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.stats.difference import compare_clusters
from vivavoce.stats.permutation import Relabelling, relabellings
from vivavoce.stats.power import Nested, two_rates
from vivavoce.stats.summary_results import Summary

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from scenes.judging import judged_often

Facts = dict[str, Any]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Codes = np.ndarray[Any, np.dtype[np.int_]]
ALPHA = 0.05
DRAWS = 999
GRID = np.linspace(0, 1, 2001)
DIFFERENCES = {10: 0.20, 12: 0.20, 20: 0.15, 25: 0.15, 40: 0.12, 70: 0.10, 140: 0.08}


PEOPLE = (8, 12, 20, 40)
CONDITIONS = (2, 4)
REMAIN = re.compile(r"differences remain in ([1-9]\d*)\.")
WANTED = 0.8
PARETO = tuple(int(one) for one in np.clip(2 / (1 - np.arange(0.5, 40) / 40) ** 0.8, 2, 60))
LIKINGS = {"icc": 0.2, "interaction": 0.05}
FEW_LIKINGS = {"icc": 0.05, "interaction": 0.05}
POWER_DESIGNS: list[tuple[str, float, float, Nested]] = [
    ("20 calls each, one system each", 0.4, 0.8, Nested(calls=20, icc=0.05)),
    ("20 calls each, both systems", 0.4, 0.8, Nested(calls=20, icc=0.05, design="within")),
    (
        "20 calls each, both, own likings",
        0.4,
        0.8,
        Nested(calls=20, **FEW_LIKINGS, design="within"),
    ),
    ("6 calls each, one system each", 0.5, 0.7, Nested(calls=6, icc=0.2)),
    (
        "6 calls each, both, own likings",
        0.5,
        0.65,
        Nested(calls=6, **LIKINGS, design="within"),
    ),
    ("heavy-tailed callers, one system each", 0.5, 0.75, Nested(icc=0.2, profile=PARETO)),
    (
        "heavy-tailed callers, both systems",
        0.5,
        0.65,
        Nested(icc=0.2, profile=PARETO, design="within"),
    ),
]


class Scenario(NamedTuple):
    """One kind of study: numbers of calls, how callers meet the systems, callers, likeness and rate.

    likings  share of a caller's own that differs from system to system
    measured calls are measured on a scale (skewed) instead of succeeding or failing
    """

    sizes: str
    design: str
    callers: int
    icc: float
    rate: float
    likings: float = 0.0
    measured: bool = False


class Trial(NamedTuple):
    """Dialogues of one simulated study."""

    people: np.ndarray
    is_a: np.ndarray
    values: Floats


def tuned() -> list[Scenario]:
    """The scenarios on which methods were compared and chosen."""
    designs = (("between", 0.0), ("within", 0.0), ("within", 0.5))
    return [
        Scenario(sizes, design, callers, icc, rate, likings)
        for sizes, (design, likings), callers, icc, rate in product(
            ("equal", "poisson", "pareto", "whales"),
            designs,
            (10, 20, 40, 140),
            (0.0, 0.1, 0.3),
            (0.5, 0.75, 0.9),
        )
    ]


def unseen() -> list[Scenario]:
    """Scenarios on which nothing was tuned: other laws, sizes, rates, designs, and measurements."""
    laws, callers = ("log-normal", "negative binomial", "one whale"), (12, 25, 70)
    designs = (("between", 0.0), ("call by call", 0.3), ("mixed", 0.3), ("three to one", 0.3))
    rates = [
        Scenario(law, design, people, icc, rate, likings)
        for law, (design, likings), people, icc, rate in product(
            laws, designs, callers, (0.05, 0.2), (0.6, 0.85)
        )
    ]
    measured = [
        Scenario(law, design, people, icc, 3.0, 0.3, measured=True)
        for law, design, people, icc in product(laws, ("between", "call by call"), callers, (0.05, 0.2))
    ]
    return rates + measured


def draw_sizes(law: str, callers: int, rng: np.random.Generator) -> np.ndarray:
    """Calls of each caller."""
    laws: dict[str, Callable[[], Any]] = {
        "equal": lambda: np.full(callers, 6),
        "poisson": lambda: 1 + rng.poisson(5, callers),
        "pareto": lambda: np.minimum(np.ceil(rng.pareto(1.1, callers)), 60),
        "whales": lambda: np.where(np.arange(callers) < 2, 60, 1 + rng.poisson(3, callers)),
        "log-normal": lambda: np.clip(np.round(np.exp(rng.normal(1.2, 1.1, callers))), 1, 80),
        "negative binomial": lambda: 1 + rng.negative_binomial(0.6, 0.6 / 6.6, callers),
        "one whale": lambda: np.where(np.arange(callers) < 1, 40, 1 + rng.poisson(4, callers)),
    }
    return np.maximum(1, laws[law]()).astype(int)


def assign(design: str, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which dialogues are with a, callers in order: half of callers, or of their calls, by the design."""
    callers = len(sizes)
    who = np.repeat(np.arange(callers), sizes)
    side = rng.permutation(np.arange(callers) < callers // 2)
    if design == "between":
        return side[who]
    if design == "within":
        place = np.arange(len(who)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return (place + side[who]) % 2 == 0
    if design == "three to one":
        return rng.random(len(who)) < 0.75
    by_call = rng.random(len(who)) < 0.5
    return np.where((rng.random(callers) < 0.5)[who], by_call, side[who]) if design == "mixed" else by_call


def draw(scenario: Scenario, difference: float, rng: np.random.Generator) -> Trial:
    """One study in which a is `difference` above b; drawn again where a system met fewer than two callers."""
    while True:
        sizes = draw_sizes(scenario.sizes, scenario.callers, rng)
        who = np.repeat(np.arange(len(sizes)), sizes)
        is_a = assign(scenario.design, sizes, rng)
        if min(len(set(who[side])) for side in (is_a, ~is_a)) > 1:
            break
    common, own = rng.standard_normal(len(sizes)), rng.standard_normal((2, len(sizes)))
    taste = np.sqrt(1 - scenario.likings) * common + np.sqrt(scenario.likings) * own
    taste = np.where(is_a, taste[0][who], taste[1][who])
    middle = scenario.rate + np.where(is_a, difference, 0.0)
    if scenario.measured:
        error = rng.exponential(size=len(who)) - 1
        return Trial(who, is_a, middle + np.sqrt(scenario.icc) * taste + np.sqrt(1 - scenario.icc) * error)
    chance = np.where(
        is_a,
        own_rate(scenario.rate + difference, scenario.icc)(taste),
        own_rate(scenario.rate, scenario.icc)(taste),
    )
    return Trial(who, is_a, (rng.random(len(who)) < chance).astype(float))


def own_rate(rate: float, icc: float) -> Callable[[Floats], Floats]:
    """Callers' own rates from standard normal draws: Beta with this mean and intraclass correlation."""
    if icc <= 0:
        return lambda taste: np.full_like(taste, rate)
    size = 1 / icc - 1
    quantiles = beta.ppf(GRID, rate * size, (1 - rate) * size)
    return lambda taste: np.interp(ndtr(taste), GRID, quantiles)


def compare_before(trial: Trial) -> tuple[float, float, float]:
    """Difference, error and degrees of freedom of the method before: the jackknife (CR3) with t.

    Its degrees of freedom were the effective number of participants less one.
    """
    callers = trial.people.max() + 1
    values, influence, shares, spread = [], [], [], 0.0
    likeness = _intraclass(trial.people, trial.values)
    for side in (trial.is_a, ~trial.is_a):
        cases = np.bincount(trial.people[side], minlength=callers).astype(float)
        share = cases / cases.sum()
        value = trial.values[side].mean()
        left = np.bincount(trial.people[side], trial.values[side] - value, callers) / cases.sum()
        values.append(value)
        influence.append(left / (1 - share))
        spread = spread + share / cases.sum() * (1 + (cases - 1) * likeness).clip(0)
        shares.append(share)
    spread = (spread - 2 * likeness * shares[0] * shares[1]).clip(0)
    error = float(np.sqrt(((influence[0] - influence[1]) ** 2).sum()))
    df = max(1.0, spread.sum() ** 2 / (spread**2).sum() - 1) if spread.sum() > 0 else float(callers - 1)
    return values[0] - values[1], error, df


def rate_before(trial: Trial) -> tuple[float, float] | None:
    """Interval of one rate by the method before: the jackknife, t on the logit scale; None at 0 and 1."""
    rate, cases = trial.values.mean(), np.bincount(trial.people).astype(float)
    if rate in (0.0, 1.0):
        return None
    share, likeness = cases / cases.sum(), _intraclass(trial.people, trial.values)
    left = np.bincount(trial.people, trial.values - rate) / cases.sum() / (1 - share)
    spread = share / cases.sum() * (1 + (cases - 1) * likeness)
    df = max(1.0, spread.sum() ** 2 / (spread**2).sum() - 1)
    reach = student.ppf(1 - ALPHA / 2, df) * np.sqrt((left**2).sum()) / (rate * (1 - rate))
    return float(expit(logit(rate) - reach)), float(expit(logit(rate) + reach))


def _intraclass(people: np.ndarray, values: Floats) -> float:
    cases, totals = np.bincount(people).astype(float), np.bincount(people, values)
    cases, totals = cases[cases > 0], totals[cases > 0]
    n, callers = cases.sum(), len(cases)
    means = (totals**2 / cases).sum()
    between = (means - totals.sum() ** 2 / n) / (callers - 1)
    within = ((values**2).sum() - means) / max(n - callers, 1)
    typical = (n - (cases**2).sum() / n) / (callers - 1)
    whole = between + (typical - 1) * within
    return max(0.0, (between - within) / whole) if whole > 0 else 0.0


def in_order(trial: Trial) -> np.ndarray:
    """Callers by what they met, so that trials of one design share their relabellings."""
    met_a, met_b = (np.bincount(trial.people, side) > 0 for side in (trial.is_a, ~trial.is_a))
    return np.argsort(np.argsort(met_a * 2 + ~met_b, kind="stable"), kind="stable")[trial.people]


def labels_of(met_a: np.ndarray, met_b: np.ndarray) -> Relabelling:
    return _labels(met_a.tobytes(), met_b.tobytes())


@lru_cache(maxsize=64)
def _labels(met_a: bytes, met_b: bytes) -> Relabelling:
    return relabellings(np.frombuffer(met_a, dtype=bool), np.frombuffer(met_b, dtype=bool), draws=DRAWS)


def judge(trial: Trial, difference: float) -> dict[str, bool]:
    """Whether each method rejects that there is no difference, and whether it misses the true one."""
    (a, b), ones, people = (trial.is_a, ~trial.is_a), np.ones(len(trial.values)), in_order(trial)
    found = compare_clusters(
        people[a],
        people[b],
        (trial.values[a], ones[a]),
        (trial.values[b], ones[b]),
        spans=False,
        relabel=labels_of,
    )
    value, error, df = compare_before(trial)
    reach = student.ppf(1 - ALPHA / 2, df) * error
    tested = found is not None and found.procedure is not None
    return {
        "ours_rejects": bool(tested and found.p < ALPHA),
        "ours_misses": bool(tested and found.procedure.p(difference) < ALPHA),
        "before_rejects": bool(abs(value) > reach > 0),
        "before_misses": bool(abs(value - difference) > reach > 0),
    }


def judge_rate(trial: Trial, rate: float) -> dict[str, bool]:
    """Whether the interval of one rate, over all callers, leaves the true one out."""
    sums = ClusterSums(np.bincount(trial.people, trial.values), np.bincount(trial.people).astype(float))
    found, before = clustered_rate(sums), rate_before(trial)
    misses = found.low is not None and not found.low <= rate <= found.high
    before_misses = misses if before is None else not before[0] <= rate <= before[1]
    return {"ours_rate_misses": bool(misses), "before_rate_misses": bool(before_misses)}


def measure(scenario: Scenario, trials: int, rng: np.random.Generator) -> Facts:
    """Shares over trials of one scenario: with no difference, and with one that is worth finding."""
    difference = -DIFFERENCES[scenario.callers] * (2.0 if scenario.measured else 1.0)
    counts: dict[str, int] = {}
    for _ in range(trials):
        none, some = draw(scenario, 0.0, rng), draw(scenario, difference, rng)
        seen = {f"null_{name}": hit for name, hit in judge(none, 0.0).items()} | judge(some, difference)
        if not scenario.measured:
            seen |= judge_rate(none, scenario.rate)
        for name, hit in seen.items():
            counts[name] = counts.get(name, 0) + hit
    share = {name: count / trials for name, count in counts.items()}
    facts: Facts = scenario._asdict() | {"difference": difference, "trials": trials}
    for method in ("ours", "before"):
        facts[method] = {
            "type_one_error": share[f"null_{method}_rejects"],
            "coverage": 1 - share[f"{method}_misses"],
            "power": share[f"{method}_rejects"],
            "coverage_of_a_rate": None if scenario.measured else 1 - share[f"{method}_rate_misses"],
        }
    return facts


def gather(rows: list[Facts]) -> Facts:
    """What scenarios come to: mean, range, share within the goal as far as chance allows, power gained."""
    trials = rows[0]["trials"]
    found: Facts = {
        "scenarios": len(rows),
        "trials_each": trials,
        "error_of_one": round(0.218 / trials**0.5, 4),
    }
    goals = {"type_one_error": (0.035, 0.055), "coverage": (0.94, 0.97), "coverage_of_a_rate": (0.94, 0.97)}
    for method in ("ours", "before"):
        for name, (low, high) in goals.items():
            values = np.array([row[method][name] for row in rows if row[method][name] is not None])
            if len(values):
                slack = 2 * np.sqrt(np.array([low * (1 - low), high * (1 - high)]) / trials)
                inside = (values >= low - slack[0]) & (values <= high + slack[1])
                found[f"{method}_{name}"] = {
                    "mean": round(float(values.mean()), 4),
                    "lowest": round(float(values.min()), 4),
                    "highest": round(float(values.max()), 4),
                    "within_goal": round(float(inside.mean()), 3),
                }
    power = [np.mean([row[method]["power"] for row in rows]) for method in ("ours", "before")]
    found["power"] = {
        "ours": round(float(power[0]), 4),
        "before": round(float(power[1]), 4),
        "gained_per_cent": round(float(100 * (power[0] / power[1] - 1)), 1),
    }
    return found


def by_kind(rows: list[Facts], *keys: str) -> Iterator[Facts]:
    """The same for each combination of some of the scenario's facts."""
    for kind in dict.fromkeys(tuple(row[key] for key in keys) for row in rows):
        chosen = [row for row in rows if tuple(row[key] for key in keys) == kind]
        yield dict(zip(keys, kind, strict=True)) | gather(chosen)


def run(trials: int = 100, seed: int = 1, *, jobs: int = 1, every: int = 1) -> Facts:
    """All scenarios, those that were tuned on and those that were not; `every`: only each so manieth."""
    found: Facts = {"trials": trials, "seed": seed}
    for place, (name, scenarios) in enumerate((("tuned", tuned()), ("unseen", unseen()))):
        asked = [(one, trials, (seed, place, number)) for number, one in enumerate(scenarios)][::every]
        with ProcessPoolExecutor(jobs) as pool:
            rows = list(pool.map(_measured, asked))
        found[name] = {
            "all": gather(rows),
            "by_sizes_and_design": list(by_kind(rows, "sizes", "design")),
            "by_callers": list(by_kind(rows, "callers")),
            "scenarios": rows,
        }
    return found


def _measured(asked: tuple[Scenario, int, tuple[int, ...]]) -> Facts:
    scenario, trials, seed = asked
    return measure(scenario, trials, np.random.default_rng(seed))


def claims(trials: int = 200, seed: int = 1) -> dict[str, Any]:
    """What a report's summary claims of trials without any difference: participants, conditions, designs.

    Output  cells: [{people, conditions, design, trials, claims, better, contradictions, disagreements,
            tests}] and all: their sums with `claim_rate` (share of trials whose opening says that anything
            differs; at most 5 % where the family is held) and `disagreement_rate` (share of tests whose
            interval excludes 0 where p is not below .05, or the other way round)
    """
    cells = [
        _claims_cell(people, conditions, design, trials, seed)
        for people in PEOPLE
        for conditions in CONDITIONS
        for design in ("within", "between")
    ]
    counted = ("trials", "claims", "better", "contradictions", "disagreements", "tests")
    whole: dict[str, Any] = {name: sum(cell[name] for cell in cells) for name in counted}
    whole["claim_rate"] = whole["claims"] / whole["trials"]
    whole["disagreement_rate"] = whole["disagreements"] / whole["tests"] if whole["tests"] else None
    return {"seed": seed, "cells": cells, "all": whole}


def _claims_cell(people: int, conditions: int, design: str, trials: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, people, conditions, ("within", "between").index(design)])
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


def power(trials: int, seed: int) -> dict[str, Any]:
    """Recommended participants of each design, by search and by formula, and the power that each has."""
    rows = []
    for number, (name, a, b, nested) in enumerate(POWER_DESIGNS):
        formula = two_rates(a, b, power=WANTED, nested=nested).clustered.size.participants
        people, _ = find_participants(Rates(a, b), nested, power=WANTED, guess=formula, seed=seed)
        with threadpool_limits(1):
            row = {
                "design": name,
                "rates": [a, b],
                "asked": WANTED,
                "participants": people,
                "power": _power(nested, (a, b), people, trials, seed + 1000 + number),
                "type_one_error": _power(nested, (a, a), people, trials, seed + 2000 + number),
                "participants_by_formula": formula,
                "power_by_formula": _power(nested, (a, b), formula, trials, seed + 3000 + number),
            }
        rows.append(row)
    return {"trials": trials, "seed": seed, "monte_carlo_error": math.sqrt(0.16 / trials), "rows": rows}


def _power(nested: Nested, rates: tuple[float, float], people: int, trials: int, seed: int) -> float:
    """Share of trials, in groups of 20 that share who calls how often, with p < .05."""
    rng, found = np.random.default_rng(seed), []
    for start in range(0, trials, 20):
        found += _significant(rng, nested, rates, people, min(20, trials - start))
    return float(np.mean(found))


def _significant(
    rng: np.random.Generator, nested: Nested, rates: tuple[float, float], people: int, trials: int
) -> list[bool]:
    spread = nested.icc + nested.interaction
    calls = rng.choice(nested.profile, people) if nested.profile else [int(nested.calls)] * people
    sides = []
    for person, size in enumerate(calls):
        if nested.design == "between":
            sides.append(np.full(size, person % 2))
        else:
            sides.append((np.arange(size) + rng.integers(2)) % 2)
    base, liking = rng.standard_normal((trials, people, 1)), rng.standard_normal((trials, people, 2))
    place = norm.cdf(math.sqrt(nested.icc / spread) * base + math.sqrt(nested.interaction / spread) * liking)
    size = 1 / spread - 1
    own = [beta.ppf(place[..., side], rate * size, (1 - rate) * size) for side, rate in enumerate(rates)]
    who, side = np.repeat(np.arange(people), [len(one) for one in sides]), np.concatenate(sides)
    hits = rng.random((trials, len(who))) < np.stack(own, axis=-1)[:, who, side]
    rows = [("ab"[one], f"p{person:04}") for person, one in zip(who, side, strict=True)]
    return [one.p is not None and one.p < 0.05 for one in judged_often(rows, hits)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks inference", description=__doc__)
    parser.add_argument("--part", action="append", choices=["intervals", "claims", "power"])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="only each so manieth scenario")
    parser.add_argument("--out", type=Path, help="also write everything, scenario by scenario")
    asked = parser.parse_args()
    works: dict[str, Callable[[], Facts]] = {
        "intervals": lambda: run(asked.trials, asked.seed, jobs=asked.jobs, every=asked.every),
        "claims": lambda: claims(asked.trials, asked.seed),
        "power": lambda: power(asked.trials, asked.seed),
    }
    found = {name: work() for name, work in works.items() if name in (asked.part or works)}
    if asked.out:
        asked.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for part in ("tuned", "unseen"):
        found.get("intervals", {}).get(part, {}).pop("scenarios", None)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    from benchmarks import inference  # other processes find its functions under this name only

    inference.main()
