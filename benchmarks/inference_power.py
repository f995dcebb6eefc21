"""Power at the participants that `vivavoce power` recommends, measured by trials that are drawn here.

The trials share no code with the search: people's own rates are drawn participant by participant, dialogue by
dialogue, and judged by the test of `vivavoce analyse`.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta, norm
from threadpoolctl import threadpool_limits

from vivavoce.stats.power import Nested, two_rates
from vivavoce.stats.simulation_of_power import Rates, find_participants

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from scenes.judging import judged_often

WANTED = 0.8
PARETO = tuple(int(one) for one in np.clip(2 / (1 - np.arange(0.5, 40) / 40) ** 0.8, 2, 60))
LIKINGS = {"icc": 0.2, "interaction": 0.05}
FEW_LIKINGS = {"icc": 0.05, "interaction": 0.05}
DESIGNS: list[tuple[str, float, float, Nested]] = [
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


def run(trials: int, seed: int) -> dict[str, Any]:
    """Recommended participants of each design, by search and by formula, and the power that each has."""
    rows = []
    for number, (name, a, b, nested) in enumerate(DESIGNS):
        formula = two_rates(a, b, power=WANTED, nested=nested).clustered.size.participants
        people, _ = find_participants(Rates(a, b), nested, power=WANTED, guess=formula, seed=seed)
        with threadpool_limits(1):
            row = {
                "design": name, "rates": [a, b], "asked": WANTED, "participants": people,
                "power": measure(nested, (a, b), people, trials, seed + 1000 + number),
                "type_one_error": measure(nested, (a, a), people, trials, seed + 2000 + number),
                "participants_by_formula": formula,
                "power_by_formula": measure(nested, (a, b), formula, trials, seed + 3000 + number),
            }  # fmt: skip
        rows.append(row)
    return {"trials": trials, "seed": seed, "monte_carlo_error": math.sqrt(0.16 / trials), "rows": rows}


def measure(nested: Nested, rates: tuple[float, float], people: int, trials: int, seed: int) -> float:
    """Share of trials, in groups of 20 that share who calls how often, with p < .05."""
    rng, found = np.random.default_rng(seed), []
    for start in range(0, trials, 20):
        found += _trials(rng, nested, rates, people, min(20, trials - start))
    return float(np.mean(found))


def _trials(
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


if __name__ == "__main__":
    print(json.dumps(run(2000, 1), indent=2))
