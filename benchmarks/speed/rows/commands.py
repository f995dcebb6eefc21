"""Scoring 100,000 commands of 36 speakers, from start to JSON, beside a plain program of the same rules.

The commands are those of the generated Italian corpus; two answers in five are those of another command. Both
read the same notation and give the same tuples and counts; ours adds intervals over speakers.
"""

import json
import random
import sys
from pathlib import Path

from benchmarks.speed.inputs import SEED
from benchmarks.speed.row import Measured, Row, compared, cost_of, in_turns, point, vivavoce, workplace

from vivavoce_commands.kitchen.corpus import generate
from vivavoce_commands.notation import write_predicates

SPEAKERS, SIZES, RIGHT = 36, (1_000, 10_000, 100_000), 0.6
PROGRAM = Path(__file__).parents[1] / "programs" / "score_commands.py"


def write(folder: Path, commands: int) -> Path:
    chance, said = random.Random(SEED), list[str]()
    while len(said) < commands:
        said += [write_predicates(one.said.predicates) for one in generate("it", seed=len(said) + 1)]
    for side in ("reference", "answers"):
        (folder / side).mkdir(parents=True)
    for speaker in range(SPEAKERS):
        mine = said[speaker:commands:SPEAKERS]
        heard = [one if chance.random() < RIGHT else chance.choice(said) for one in mine]
        for side, written in (("reference", mine), ("answers", heard)):
            lines = "".join(f"{number}; {one}\n" for number, one in enumerate(written, start=1))
            (folder / side / f"S{speaker}.csv").write_text(lines, encoding="utf-8")
    return folder


def measure(quick: bool) -> Measured:
    points, theirs, spent, size = [], [], {}, 0
    with workplace() as folder:
        for size in SIZES[:1] if quick else SIZES:
            place, costs = write(folder / str(size), size), {}

            def run(name: str, *command: str, place: Path = place, costs: dict = costs) -> float:
                costs[name] = cost_of([*command, str(place / "reference"), str(place / "answers")])
                return costs[name].cpu_s

            works = {
                "ours": lambda run=run: run("ours", *vivavoce("understand", "score", "--json")),
                "plain": lambda run=run: run("plain", sys.executable, str(PROGRAM)),
            }
            spent = in_turns(works, 1 if quick or size < SIZES[-1] else 3)
            ours, plain = (json.loads(costs[name].stdout)["counts"] for name in ("ours", "plain"))
            assert all(ours[name] == number for name, number in plain.items()), f"they differ: {ours} {plain}"
            points.append(point(size, costs["ours"]))
            theirs.append(point(size, costs["plain"]))
    return Measured(
        [
            compared(
                f"{size:,} commands",
                spent["ours"],
                spent["plain"],
                against="plain program",
                unit="CPU s",
                aim=5,
                direction="at least",
                note="same counts; ours adds intervals",
            )
        ],
        {"commands": points, "commands, plain program": theirs},
    )


ROW = Row(
    "commands",
    "scoring 100,000 commands",
    "a plain Python transcription of the rules",
    measure,
    why="most of both programs is parsing; ours builds an object with its place for each predicate",
)
