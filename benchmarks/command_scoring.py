"""CPU seconds to score 100,000 commands of 36 speakers, from start to JSON; `ratio` is to the limit, 5 s.

    python benchmarks/command_scoring.py

The commands are those of the generated Italian corpus; two answers in five are those of another command.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from vivavoce_commands.kitchen.corpus import generate
from vivavoce_commands.notation import write_predicates

LIMIT_S = 5
SPEAKERS, COMMANDS = 36, 100_000
RIGHT = 0.6


def write(folder: Path) -> None:
    chance = random.Random(1)
    said: list[str] = []
    while len(said) < COMMANDS:
        said += [write_predicates(each.said.predicates) for each in generate("it", seed=len(said) + 1)]
    for side in ("reference", "answers"):
        (folder / side).mkdir()
    for speaker in range(SPEAKERS):
        mine = said[speaker:COMMANDS:SPEAKERS]
        heard = [each if chance.random() < RIGHT else chance.choice(said) for each in mine]
        for side, commands in (("reference", mine), ("answers", heard)):
            lines = "".join(f"{number}; {each}\n" for number, each in enumerate(commands, start=1))
            (folder / side / f"S{speaker}.csv").write_text(lines, encoding="utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        words = [sys.executable, "-m", "vivavoce", "understand", "score", "reference", "answers", "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, cwd=folder, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    facts = {
        "commands": json.loads(done.stdout)["counts"]["utterances"],
        "cpu_s": round(seconds, 2),
        "limit_s": LIMIT_S,
        "ratio": round(seconds / LIMIT_S, 2),
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
