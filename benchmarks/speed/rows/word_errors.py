"""Corpus word error rate with alignment, from Parquet to the figure, beside jiwer on the same files."""

import json
from functools import partial
from pathlib import Path

from benchmarks.speed import peers
from benchmarks.speed.inputs import TURNS, write_dataset
from benchmarks.speed.row import Measured, Row, compared, cost_of, in_turns, point, vivavoce, workplace

UTTERANCES = (10_000, 100_000, 1_000_000)
PROGRAM = Path(__file__).parents[1] / "programs" / "word_errors.py"


def measure(quick: bool) -> Measured:
    python, result, points, theirs = peers.python("jiwer"), Measured(), [], []
    sizes = UTTERANCES[:1] if quick else UTTERANCES
    with workplace() as folder:
        for size in sizes:
            dataset, costs = write_dataset(folder / str(size), size // TURNS, only_speech=True), {}
            commands = {
                "ours": vivavoce("measure", dataset, "--only", "word_error_rate", "--json"),
                "jiwer": [python, PROGRAM, dataset],
            }

            def run(name: str, commands: dict = commands, costs: dict = costs) -> float:
                costs[name] = cost_of(commands[name])
                return costs[name].cpu_s

            rounds = 1 if quick or size == sizes[-1] else 3
            spent = in_turns({name: partial(run, name) for name in commands}, rounds)
            figure = compared(
                f"{size:,} utterances",
                spent["ours"],
                spent["jiwer"],
                against="jiwer",
                unit="CPU s",
                direction="at least",
                aim=2.0 if size == sizes[-1] else None,
                note="from files to the figure, starts and intervals included",
            )
            result.figures.append(figure)
            points.append(point(size, costs["ours"]))
            theirs.append(point(size, costs["jiwer"]))
            rate = json.loads(costs["jiwer"].stdout)["word_error_rate"]
            result.notes.append(f"jiwer's rate of {size:,}: {rate:.4f}")
    result.growth = {"utterances": points, "utterances, jiwer": theirs}
    return result


ROW = Row(
    "word-errors",
    "word error rate of a million utterances",
    "jiwer",
    measure,
    ("jiwer",),
    limit_s=300,
    why=("of few utterances a start is most"),
)
