"""Simulated turns a second on one core: callers, noise and a bundled bot in one process, as for training.

    python benchmarks/simulated_turns.py [--dialogues 1500] [--variant nbest]

A turn is what a caller says with what the bot answers; seconds are the process's own (CPU). `limit` is what
training needs to hold 20,000 dialogues in about a minute; `ratio` is the rate to the limit.
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import vivavoce.study
from vivavoce.connectors.factory import make_connector
from vivavoce.simulation.training import Practising, train
from vivavoce.study.file import Tasks
from vivavoce.study.ontology_file import load_ontology
from vivavoce.study.tasks import generate_tasks

LIMIT = 2_000
DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"


class Indifferent:
    """A pupil that learns nothing."""

    def learn(self, conversation: str, reward: float) -> None: ...

    def learnt(self) -> None: ...


def measure(variant: str, dialogues: int, rate: float) -> dict[str, Any]:
    ontology = load_ontology(DOMAIN)
    tasks = generate_tasks(ontology, Tasks(generate=300, seed=7), ("en",))
    call = f"vivavoce_bots.calling:restaurant_{variant}"
    connector = make_connector({"connect": "python", "call": call, "in_process": True, "greeting": True})
    practising = Practising(ontology, tasks, "en", [rate], seed=1)
    train(practising, connector, Indifferent(), 20)  # the bot reads its domain when it is first called
    begun = time.process_time()
    held = train(practising, connector, Indifferent(), dialogues)
    seconds = time.process_time() - begun
    turns = sum(one.turns for one in held)
    return {
        "word_error_rate": rate,
        "turns": turns,
        "turns_per_s": round(turns / seconds),
        "ratio": round(turns / seconds / LIMIT, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=1500)
    parser.add_argument("--variant", default="nbest", choices=["nbest", "onebest", "nbrl"])
    options = parser.parse_args()
    os.environ.setdefault("VIVAVOCE_BOT_DOMAIN", str(DOMAIN))
    results = [measure(options.variant, options.dialogues, rate) for rate in (0.0, 0.3)]
    print(json.dumps({"variant": options.variant, "limit": LIMIT, "results": results}, indent=2))


if __name__ == "__main__":
    main()
