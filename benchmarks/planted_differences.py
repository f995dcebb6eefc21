"""Detection of differences that were planted in bundled systems or in populations.

    python -m benchmarks planted_differences [--calls 600] [--minutes M] [--processes 2] [--callers 100]
        [--write]

One trial of simulated callers at a word error rate of .30 by the session engine: NBT, which weighs all
hypotheses of what was said, against 1BT, which believes the first; objective success by inferred goals, as
`vivavoce analyse` counts it; with `--minutes`, trials with one seed after the other until that time is over,
summed. And calls of BoRIS by how it confirms and how much it mishears: turns of the
caller, turns that only correct, right venues. `--write` keeps the figures in
`benchmarks/results/planted_differences.json`. `--populations` examines reports of two populations instead:
crowds of `tests/scenes/crowds.py`, alike or differing in one figure.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import vivavoce.study
from scenes.bench import hold_trial  # pyright: ignore[reportMissingImports]
from scenes.boris_callers import means  # pyright: ignore[reportMissingImports]
from scenes.crowds import CROWD, LABORATORY, PLANTED, Crowd, differing, drawn
from vivavoce.analysis.summary import summarise
from vivavoce.measures.compute import compute
from vivavoce.stats.proportions import newcombe

DOMAIN: Final = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
KEPT: Final = Path(__file__).parent / "results" / "planted_differences.json"
ERROR_RATE: Final = 0.3
MISHEARD: Final = (0.0, 0.2, 0.4)
CONFIRMATIONS: Final = ("explicit", "implicit", "none")


def trial(calls: int, seed: int) -> dict[str, tuple[int, int]]:
    """Goals met and goals of both systems in one trial."""
    systems = {name: f"vivavoce_bots.calling:restaurant_{name}" for name in ("nbest", "onebest")}
    with TemporaryDirectory() as folder:
        held = hold_trial(Path(folder), systems, 2 * calls, error_rate=ERROR_RATE, seed=seed)
        rows = compute(held.dataset, ["objective_success_inferred"], by="system").to_dict("records")
    return {str(row["key"]): (int(row["numerator"]), int(row["denominator"])) for row in rows}


def trials(calls: int, seed: int, minutes: float, processes: int) -> list[dict[str, tuple[int, int]]]:
    """Trials with this seed and the next: one, or as many as end in some minutes, whatever comes out."""
    if not minutes:
        return [trial(calls, seed)]
    own = import_module("benchmarks.planted_differences").trial  # of a module that processes find by its name
    ends, done, next_seed = time.monotonic() + 60 * minutes, list[dict[str, tuple[int, int]]](), seed
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        going: set[Future[dict[str, tuple[int, int]]]] = set()
        while going or not done:
            while len(going) < processes and time.monotonic() < ends:
                going.add(pool.submit(own, calls, next_seed))
                next_seed += 1
            over, going = wait(going, return_when=FIRST_COMPLETED)
            done += [one.result() for one in over]
            print(len(done), done[-1], file=sys.stderr, flush=True)
    return done


def hypotheses(calls: int, seed: int, minutes: float = 0.0, processes: int = 2) -> dict[str, Any]:
    """Goals met and goals of both systems, and the difference of their shares with its 95 % interval."""
    held = trials(calls, seed, minutes, processes)
    met = {name: (sum(one[name][0] for one in held), sum(one[name][1] for one in held)) for name in held[0]}
    interval = newcombe(*met["nbest"], *met["onebest"])
    assert interval is not None
    difference = met["nbest"][0] / met["nbest"][1] - met["onebest"][0] / met["onebest"][1]
    told = [round(one, 4) for one in (difference, interval.low, interval.high)]
    return {
        "word_error_rate": ERROR_RATE,
        "calls_each": calls * len(held),
        "trials": len(held),
        "seed": seed,
        "met_of_goals": met,
        "nbest_less_onebest": told,
    }


def confirmations(callers: int) -> list[dict[str, Any]]:
    """Means over callers of each way to confirm at each share of misheard values."""
    found = []
    for variant in CONFIRMATIONS:
        for errors in MISHEARD:
            turns, corrections, right = means(variant, errors, callers)
            trusting = means(variant, errors, callers, checks=False)[2]
            found.append(
                {
                    "confirms": variant,
                    "misheard": errors,
                    "turns": round(turns, 2),
                    "corrections": round(corrections, 2),
                    "right": round(right, 3),
                    "right_if_trusted": round(trusting, 3),
                }
            )
    return found


def _significant(crowds: list[Crowd], seeds: range) -> dict[str, object]:
    """Number of trials with a significant difference in each figure, and in any."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        with TemporaryDirectory() as folder:
            tests = summarise(drawn(Path(folder) / "d", crowds, seed), "population").tests
        found = {one.measure for one in tests if one.significant}
        counts.update([*found, *(["any"] if found else [])])
    return {"trials": len(seeds), **dict(sorted(counts.items()))}


def populations(alike: int, planted: int) -> dict[str, Any]:
    """Differences between crowd and laboratory: drawn alike, and with one figure that differs."""
    found = {"alike": _significant([CROWD, LABORATORY], range(1000, 1000 + alike))}
    for measure in PLANTED:
        found[measure] = _significant(differing(measure), range(2000, 2000 + planted))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=600, help="calls with each of the two systems")
    parser.add_argument("--minutes", type=float, default=0.0, help="trials one after the other for so long")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--callers", type=int, default=100, help="calls of each way to confirm")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--populations", action="store_true", help="two populations instead")
    parser.add_argument("--alike", type=int, default=100, help="pairs of populations that are alike")
    parser.add_argument("--planted", type=int, default=20, help="pairs that differ, for each figure")
    options = parser.parse_args()
    if options.populations:
        print(json.dumps(populations(options.alike, options.planted), indent=1))
        return 0
    os.environ.setdefault("VIVAVOCE_BOT_DOMAIN", str(DOMAIN))
    found = {"callers": options.callers, "confirmations": confirmations(options.callers)}
    print(json.dumps(found), flush=True)
    found["hypotheses"] = hypotheses(options.calls, options.seed, options.minutes, options.processes)
    print(json.dumps(found["hypotheses"]))
    if options.write:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
