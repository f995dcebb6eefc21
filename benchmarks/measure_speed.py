"""Seconds of `vivavoce measure` on real calls, against the limit of 5, and of starting alone.

    python benchmarks/measure_speed.py [--runs 5] [FOLDER of the DSTC2 corpus, or of a dataset]

Each figure is the best of some runs in a process of its own, imports included, by the clock and of the
processor. `numpy` is `import numpy` in the same minute: what a start costs on this machine in this hour.
`margin` is the limit to the seconds; on a machine that others load only that of the processor tells anything.
Without a corpus only starts are measured.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LIMIT_S = 5.0
STARTS = {
    "python": ["-c", "pass"],
    "numpy": ["-c", "import numpy"],
    "help": ["-m", "vivavoce", "--help"],
    "measure --list": ["-m", "vivavoce", "measure", "--list"],
}


def best(arguments: list[str], runs: int) -> dict[str, float]:
    """Seconds by the clock and of the processor: the least of the runs."""
    clocks: list[float] = []
    processors: list[float] = []
    for _ in range(runs):
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        clocks.append(time.perf_counter() - begun)
        processors.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return {"seconds": round(min(clocks), 2), "processor_s": round(min(processors), 2)}


def imported(folder: Path, into: Path) -> Path:
    """The dataset: this one, or one made from a corpus."""
    if (folder / "dataset.json").is_file():
        return folder
    command = ["-m", "vivavoce", "import", "dstc2", str(folder), "--into", str(into)]
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return into


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    found: dict[str, Any] = {"load": round(os.getloadavg()[0], 1), "limit_s": LIMIT_S}
    found["starts"] = {name: best(arguments, options.runs) for name, arguments in STARTS.items()}
    numpy = found["starts"]["numpy"]["processor_s"]
    for one in found["starts"].values():
        one["of_numpy"] = round(one["processor_s"] / numpy, 1)
    if options.folder is not None:
        with tempfile.TemporaryDirectory() as into:
            dataset = imported(options.folder, Path(into) / "dataset")
            arguments = ["-m", "vivavoce", "measure", str(dataset), "--by", "condition"]
            measured = best(arguments, options.runs)
        found["measure"] = {**measured, "of_numpy": round(measured["processor_s"] / numpy, 1)}
        found["measure"]["margin"] = round(LIMIT_S / measured["seconds"], 2)
        found["measure"]["processor_margin"] = round(LIMIT_S / measured["processor_s"], 2)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
