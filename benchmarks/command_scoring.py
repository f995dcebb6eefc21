"""CPU seconds to score 100,000 commands of 36 speakers, from start to JSON; `ratio` is to the limit, 5 s.

python benchmarks/command_scoring.py
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT_S = 5
SPEAKERS, COMMANDS = 36, 100_000
ACTIONS = ("mettere", "prendere", "aggiungere", "mescolare", "coprire", "cuocere")
THINGS = [f"cosa{number}" for number in range(2000)]
RIGHT = 0.6


def argument(chance: random.Random) -> str:
    thing, draw = chance.choice(THINGS), chance.random()
    if draw < 0.1:
        return f"*{thing}*"
    if draw < 0.2:
        return f"[{thing}, {chance.choice(THINGS)}]"
    return f"{thing}/{chance.choice(THINGS)}" if draw < 0.25 else thing


def command(chance: random.Random) -> str:
    predicates = [
        f"{chance.choice(ACTIONS)}({', '.join(argument(chance) for _ in range(chance.randint(1, 4)))})"
        for _ in range(chance.choice((1, 1, 1, 2, 3)))
    ]
    return predicates[0] if len(predicates) == 1 else f"[{', '.join(predicates)}]"


def write(folder: Path) -> None:
    chance = random.Random(1)
    for speaker in range(SPEAKERS):
        said = [command(chance) for _ in range(-(-COMMANDS // SPEAKERS))]
        heard = [each if chance.random() < RIGHT else command(chance) for each in said]
        for side, commands in (("reference", said), ("answers", heard)):
            (folder / side).mkdir(exist_ok=True)
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
