"""The clustered bootstrap beside scipy's: processor time and interval of one rate, participants resampled.

    python benchmarks/bootstrap_speed.py [--dialogues 100000] [--participants 5000] [--resamples 10000]

`rows` is scipy.stats.bootstrap over dialogues: whole participants drawn, the dialogues of each looked up
anew, as its manual would have it. `sums` is scipy.stats.bootstrap given what our own is given, one sum a
participant. Rates of successes and means of seconds are both measured;
`of_rows` and `of_sums` say how many times as long scipy takes. The least of some runs; scipy over rows is
measured on a tenth of the resamples and multiplied.
"""

import argparse
import json
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np
from scipy import stats

from vivavoce.stats.bootstrap import bootstrap_ratio

RUNS: Final = 3
SHARE: Final = 10
BATCH: Final = 50


def cheapest(run: Callable[[], Any], runs: int = RUNS) -> tuple[float, Any]:
    """Seconds of the processor, the least of the runs, and what came of it."""
    found: list[tuple[float, Any]] = []
    for _ in range(runs):
        before = time.process_time()
        made = run()
        found.append((time.process_time() - before, made))
    return min(found, key=lambda one: one[0])


def ends(found: Any) -> list[float]:
    return [round(float(one), 5) for one in (found.low, found.high)]


def compared(people: np.ndarray, values: np.ndarray, resamples: int) -> dict[str, Any]:
    """Ours and scipy's on the same values, one a dialogue."""
    many = int(people.max()) + 1
    tops, bottoms = (np.bincount(people, one).astype(float) for one in (values, None))
    order = np.argsort(people, kind="stable")
    begins = np.append(0, np.cumsum(bottoms)).astype(int)
    own = [values[order[begin:end]] for begin, end in pairwise(begins)]
    common: dict[str, Any] = {"method": "percentile", "rng": np.random.default_rng(1)}

    def mean_of_rows(who: np.ndarray) -> float:
        return float(np.concatenate([own[one] for one in who]).mean())

    def ratio(top: np.ndarray, bottom: np.ndarray, axis: int = -1) -> np.ndarray:
        return top.sum(axis=axis) / bottom.sum(axis=axis)

    def scipy_rows() -> Any:
        return stats.bootstrap(
            (np.arange(many),), mean_of_rows, n_resamples=resamples // SHARE, vectorized=False, **common
        ).confidence_interval

    def scipy_sums() -> Any:
        return stats.bootstrap(
            (tops, bottoms), ratio, n_resamples=resamples, paired=True, batch=BATCH, **common
        ).confidence_interval

    ours, interval = cheapest(lambda: bootstrap_ratio(tops, bottoms, draws=resamples))
    rows, by_rows = cheapest(scipy_rows, runs=1)
    sums, by_sums = cheapest(scipy_sums)
    return {
        "processor_s": round(ours, 3),
        "of_rows": round(SHARE * rows / ours, 1), "of_sums": round(sums / ours, 1),
        "interval": ends(interval), "scipy rows": ends(by_rows), "scipy sums": ends(by_sums),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=100_000)
    parser.add_argument("--participants", type=int, default=5_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    options = parser.parse_args()
    draw = np.random.default_rng(7)
    people = np.concatenate([
        np.arange(options.participants),
        draw.integers(0, options.participants, options.dialogues - options.participants),
    ])  # fmt: skip
    skill = draw.normal(0, 0.7, options.participants)[people]
    successes = (draw.random(len(people)) < 1 / (1 + np.exp(-0.5 - skill))).astype(float)
    seconds = draw.gamma(2, 30, len(people)) * np.exp(0.3 * skill)
    found = {
        name: compared(people, values, options.resamples)
        for name, values in (("successes", successes), ("seconds", seconds))
    }
    print(json.dumps({**vars(options), **found}, indent=2))


if __name__ == "__main__":
    main()
