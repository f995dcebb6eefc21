"""How often intervals hold and tests alarm where callers are few and unequal, against the method before.

`python -m benchmarks inference [--trials 100] [--seed 1] [--jobs 1] [--out FILE]` simulates studies of 10 to
140 callers with equal, Poisson, heavy-tailed and two-whales numbers of calls, within and between people, and
others on which nothing was tuned, and prints JSON: coverage of the 95 % interval of a difference, type I
error and power of its test, coverage of the interval of one rate; with trials and Monte Carlo error.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.inference_claims import run as claims
from benchmarks.inference_power import run as power
from scipy.special import expit, logit, ndtr
from scipy.stats import beta
from scipy.stats import t as student

from vivavoce.stats.clusters import ClusterSums, clustered_rate
from vivavoce.stats.difference import compare_clusters
from vivavoce.stats.permutation import Relabelling, relabellings

Facts = dict[str, Any]
Floats = np.ndarray[Any, np.dtype[np.float64]]
ALPHA = 0.05
DRAWS = 999
GRID = np.linspace(0, 1, 2001)
DIFFERENCES = {10: 0.20, 12: 0.20, 20: 0.15, 25: 0.15, 40: 0.12, 70: 0.10, 140: 0.08}


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
    chance = np.where(is_a, own_rate(scenario.rate + difference, scenario.icc)(taste),
                      own_rate(scenario.rate, scenario.icc)(taste))  # fmt: skip
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
            "type_one_error": share[f"null_{method}_rejects"], "coverage": 1 - share[f"{method}_misses"],
            "power": share[f"{method}_rejects"],
            "coverage_of_a_rate": None if scenario.measured else 1 - share[f"{method}_rate_misses"],
        }  # fmt: skip
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
                    "mean": round(float(values.mean()), 4), "lowest": round(float(values.min()), 4),
                    "highest": round(float(values.max()), 4), "within_goal": round(float(inside.mean()), 3),
                }  # fmt: skip
    power = [np.mean([row[method]["power"] for row in rows]) for method in ("ours", "before")]
    found["power"] = {"ours": round(float(power[0]), 4), "before": round(float(power[1]), 4),
                      "gained_per_cent": round(float(100 * (power[0] / power[1] - 1)), 1)}  # fmt: skip
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
            "all": gather(rows), "by_sizes_and_design": list(by_kind(rows, "sizes", "design")),
            "by_callers": list(by_kind(rows, "callers")), "scenarios": rows,
        }  # fmt: skip
    return found


def _measured(asked: tuple[Scenario, int, tuple[int, ...]]) -> Facts:
    scenario, trials, seed = asked
    return measure(scenario, trials, np.random.default_rng(seed))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks inference", description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="only each so manieth scenario")
    parser.add_argument("--out", type=Path, help="also write everything, scenario by scenario")
    asked = parser.parse_args()
    intervals = run(asked.trials, asked.seed, jobs=asked.jobs, every=asked.every)
    parts = {name: part(asked.trials, asked.seed) for name, part in PARTS.items()}
    if asked.out:
        asked.out.write_text(json.dumps({"intervals": intervals} | parts, indent=1) + "\n", encoding="utf-8")
    shown = {name: {key: value for key, value in intervals[name].items() if key != "scenarios"}
             for name in ("tuned", "unseen")}  # fmt: skip
    print(json.dumps(shown | parts, indent=1))


# Further parts of the bench, by name: run(trials, seed) -> dict.
PARTS: dict[str, Callable[[int, int], Facts]] = {"claims": claims, "power": power}


if __name__ == "__main__":
    from benchmarks import inference  # other processes find its functions under this name only

    inference.main()
