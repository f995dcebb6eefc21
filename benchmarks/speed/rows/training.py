"""Simulated turns a second of processor time: callers, noise and a bundled bot in one process."""

import os
import time
from pathlib import Path

from benchmarks.speed.row import Measured, Row, compared

import vivavoce.study
from vivavoce.connectors.factory import make_connector
from vivavoce.simulation.training import Practising, train
from vivavoce.study.file import Tasks
from vivavoce.study.ontology import load_ontology
from vivavoce.study.tasks import generate_tasks

LIMIT = 2_000  # holds 20,000 dialogues in about a minute
DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"


class Indifferent:
    """A pupil that learns nothing."""

    def learn(self, conversation: str, reward: float) -> None: ...

    def learnt(self) -> None: ...


def _rate(dialogues: int, word_error_rate: float) -> float:
    ontology = load_ontology(DOMAIN)
    tasks = generate_tasks(ontology, Tasks(generate=300, seed=7), ("en",))
    call = "vivavoce_bots.calling:restaurant_nbest"
    connector = make_connector({"connect": "python", "call": call, "in_process": True, "greeting": True})
    practising = Practising(ontology, tasks, "en", [word_error_rate], seed=1)
    train(practising, connector, Indifferent(), 20)  # the bot reads its domain on the first call
    begun = time.process_time()
    turns = sum(one.turns for one in train(practising, connector, Indifferent(), dialogues))
    return turns / (time.process_time() - begun)


def measure(quick: bool) -> Measured:
    os.environ.setdefault("VIVAVOCE_BOT_DOMAIN", str(DOMAIN))
    how = {"against": "the limit", "unit": "turns/CPU s", "aim": 1, "direction": "at least", "rate": True}
    dialogues = 100 if quick else 1500
    return Measured(
        [
            compared(f"word error rate {share}", [_rate(dialogues, share)], [LIMIT], **how)
            for share in (0.0, 0.3)
        ]
    )


ROW = Row("training", "simulated turns", "limit: 2,000 turns/CPU s", measure, limit_s=120)
