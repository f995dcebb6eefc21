"""Whether a report of two populations finds what was planted in them, and invents nothing.

    python benchmarks/two_populations.py [--alike 100] [--planted 20]

Crowds are drawn with known properties (`tests/scenes/crowds.py`): alike but for where they come from, or
differing in one figure alone. Prints how often each figure was told to differ, as JSON.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from scenes.crowds import CROWD, LABORATORY, PLANTED, Crowd, differing, drawn
from vivavoce.stats.summary import summarise


def told(crowds: list[Crowd], seeds: range) -> dict[str, object]:
    """How many of so many trials told a difference in each figure, and in any."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        with TemporaryDirectory() as folder:
            tests = summarise(drawn(Path(folder) / "d", crowds, seed), "population").tests
        found = {one.measure for one in tests if one.significant}
        counts.update([*found, *(["any"] if found else [])])
    return {"trials": len(seeds), **dict(sorted(counts.items()))}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--alike", type=int, default=100)
    asked.add_argument("--planted", type=int, default=20)
    wanted = asked.parse_args()
    found = {"alike": told([CROWD, LABORATORY], range(1000, 1000 + wanted.alike))}
    for measure in PLANTED:
        found[measure] = told(differing(measure), range(2000, 2000 + wanted.planted))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
