"""10,000 resamples of 100,000 dialogues in 5,000 participants: a ratio's interval, whole people drawn."""

import json
import time
from pathlib import Path

import numpy as np
from benchmarks.speed import peers
from benchmarks.speed.inputs import SEED
from benchmarks.speed.row import Measured, Row, compared, cost_of, in_turns, workplace

from vivavoce.stats.bootstrap import bootstrap_ratio

PEOPLE, EACH, DRAWS = 5_000, 20, 10_000
SCALES = (50, 500, 5_000)
OF_ALL = 20
"""The statistic over dialogues is drawn by scipy this many times less often, and its time scaled up."""
SAME = 0.05
PROGRAM = Path(__file__).parents[1] / "programs" / "resampling.py"


def _drawn(people: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(SEED)
    able = random.beta(4, 3, people)
    return {
        "participant": np.repeat(np.arange(people), EACH),
        "numerator": (random.random(people * EACH) < np.repeat(able, EACH)).astype(float),
        "denominator": np.ones(people * EACH),
    }


def _ours(data: dict[str, np.ndarray]) -> tuple[float, tuple[float, float]]:
    begun = time.process_time()
    sums = [np.bincount(data["participant"], data[name]) for name in ("numerator", "denominator")]
    found = bootstrap_ratio(*sums, draws=DRAWS)
    assert found is not None
    return time.process_time() - begun, (found[0], found[1])


def measure(quick: bool) -> Measured:
    python, ends = peers.python("scipy"), {}
    rounds, data = 1 if quick else 3, _drawn(SCALES[0] if quick else PEOPLE)
    with workplace() as folder:
        np.savez(folder / "drawn.npz", **data)

        def ours() -> float:
            spent, ends["ours"] = _ours(data)
            return spent

        def scipy(given: str, less: int) -> float:
            cost = cost_of([python, PROGRAM, folder / "drawn.npz", given, DRAWS // less])
            found = json.loads(cost.stdout)
            ends[given] = found["low"], found["high"]
            return found["cpu_s"] * less

        works = {
            "ours": ours,
            "sums": lambda: scipy("sums", 1),
            "dialogues": lambda: scipy("dialogues", OF_ALL),
        }
        spent = in_turns(works, rounds)
    _same(ends["ours"], ends["sums"])
    points = []
    for people in SCALES:
        took, _ = _ours(_drawn(people))
        points.append({"size": people, "cpu_s": took})
    common = {"unit": "CPU s", "direction": "at least"}
    return Measured(
        [
            compared(
                "ratio of dialogues",
                spent["ours"],
                spent["dialogues"],
                against="scipy",
                aim=20,
                note=f"scipy draws {DRAWS // OF_ALL:,} times, its time is scaled up",
                **common,
            ),
            compared("ratio of sums of people", spent["ours"], spent["sums"], against="scipy", **common),
        ],
        {"participants": points},
        ["intervals: " + ", ".join(f"{name} {low:.4f} to {high:.4f}" for name, (low, high) in ends.items())],
    )


def _same(ours: tuple[float, float], other: tuple[float, float]) -> None:
    """Both ends within a twentieth of its length: what other draws change, and t for few people."""
    apart = max(abs(a - b) for a, b in zip(ours, other, strict=True)) / (other[1] - other[0])
    assert apart < SAME, f"the intervals differ by {apart:.0%} of their length"


ROW = Row(
    "bootstrap",
    "clustered bootstrap, 10,000 resamples of 100,000 dialogues",
    "scipy.stats.bootstrap",
    measure,
    ("scipy",),
    why=(
        "how often each person is drawn comes from numpy's multinomial distribution, which takes "
        "most of the time"
    ),
)
