"""How far seeds differ of what `benchmarks/command_systems.py --seeds` printed, and whether (d) is ahead.

    python -m benchmarks.command_spread [FILE [FIGURE...]]

Prints a Markdown table a corpus and size: mean over seeds with a 95 % interval (Student), standard deviation
and range of each system; then (d) minus each other system on the same seed, its mean with such an interval,
and of how many seeds it is ahead. A seed varies where the weights begin, the order of training, and which
recipes are learnt from where not all are; the test stays the same, so that nothing is said of other speakers.
"""

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scipy.stats import t

KEPT: Final = Path(__file__).parent / "results" / "command_seeds.jsonl"
FIGURES: Final = ("correct_actions", "correct_arguments_of_all", "exact_utterances")
Runs = dict[str, dict[int, float]]


def runs(records: list[dict[str, Any]], corpus: str, size: str, figure: str) -> Runs:
    """By system and seed, what the last record of each says."""
    found: Runs = {}
    for one in records:
        if (one["corpus"], one["size"]) == (corpus, size) and one[figure][0] is not None:
            found.setdefault(one["system"], {})[one.get("seed", 1)] = one[figure][0]
    return dict(sorted(found.items()))


def table(found: Runs) -> Iterator[str]:
    yield "| system | seeds | mean | 95 % over seeds | standard deviation | from, to |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for system, by_seed in found.items():
        values = list(by_seed.values())
        mean, interval, spread = statistics.fmean(values), "-", "-"
        if len(values) > 1:
            interval = f"{mean - _half(values):.3f} to {mean + _half(values):.3f}"
            spread = f"{statistics.stdev(values):.3f}"
        yield (
            f"| {system} | {len(values)} | {mean:.3f} | {interval} | {spread} "
            f"| {min(values):.3f}, {max(values):.3f} |"
        )


def differences(found: Runs, of: str = "d") -> Iterator[str]:
    """Of the system minus each other, over the seeds that both have."""
    for other, by_seed in found.items():
        pairs = [found[of][seed] - by_seed[seed] for seed in by_seed if seed in found.get(of, {})]
        if other == of or len(pairs) < 2:
            continue
        mean, half = statistics.fmean(pairs), _half(pairs)
        ahead = sum(one > 0 for one in pairs)
        yield (
            f"{of} - {other}: {mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f}), "
            f"ahead in {ahead} of {len(pairs)} seeds"
        )


def _half(values: list[float]) -> float:
    return float(t.ppf(0.975, len(values) - 1)) * statistics.stdev(values) / len(values) ** 0.5


def main() -> None:
    path, *chosen = sys.argv[1:] or [str(KEPT)]
    records = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines() if line]
    for corpus, size in dict.fromkeys((one["corpus"], one["size"]) for one in records):
        for figure in chosen or FIGURES:
            found = runs(records, corpus, size, figure)
            lines = [*table(found), "", *differences(found)]
            print(f"\n{corpus}, {size} commands: {figure}\n", *lines, sep="\n")


if __name__ == "__main__":
    main()
