"""Retraining in the loop: is it worth annotating first what a system is least sure of, against any order?

    python benchmarks/annotation_loop.py [--language en] [--seeds 3] [--rounds 3] [--batch 60]
                                        [--epochs 25] [--pool 500] [--test 200]

The commands are generated, and the annotator is the generator: what it means is known, nobody was asked. Both
orders begin with the same recipes; in every round a system learns from all that is annotated, and the next
recipes are those of which it is least sure (the mean over their commands, as the annotators' page orders
them) or any. Each system answers the same test. Prints one JSON object a seed, order and round.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce_commands.figures import corpus_figures
from vivavoce_commands.kitchen.corpus import generate, write_corpus
from vivavoce_commands.learning import systems
from vivavoce_commands.learning.answers import score_answers
from vivavoce_commands.learning.examples import Recipe, read_recipes

RESULTS = Path(__file__).parent / "results" / "annotation_loop.json"
ORDERS = ("least certain", "random")
FIGURES = ("exact_utterances", "correct_actions")


def corpus(language: str) -> tuple[list[Recipe], list[Recipe]]:
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(generate(language, seed=1), language, Path(folder))
        training, test = (read_recipes(Dataset(Path(folder) / part)) for part in ("training", "test"))
    return training, test


def of_size(recipes: list[Recipe], commands: int) -> list[Recipe]:
    """The first recipes that have so many commands together."""
    taken, count = [], 0
    for one in recipes:
        if count >= commands:
            break
        taken.append(one)
        count += len(one.commands)
    return taken


def by_certainty(trained: systems.Trained, pool: list[Recipe]) -> list[Recipe]:
    """The least certain first; as `CommandWorkplace` has it, a command without an answer counts as 0."""
    answers = systems.answer(trained, pool)
    sure = [statistics.fmean(one.confidence if one.whole else 0.0 for one in given) for given in answers]
    return [pool[at] for at in sorted(range(len(pool)), key=lambda at: sure[at])]


def loop(
    training: list[Recipe], test: list[Recipe], seed: int, rounds: int, batch: int, epochs: int, pool: int
) -> Iterator[dict[str, Any]]:
    lot = list(training)
    Random(seed).shuffle(lot)
    lot = of_size(lot, pool)
    begun = of_size(lot, batch)
    first = systems.train("d", begun, seed=seed, epochs=epochs)
    for order in ORDERS:
        done, trained, chance = list(begun), first, Random(seed + 1000)
        yield {"order": order, "round": 0, **figures(trained, done, test)}
        for number in range(1, rounds + 1):
            open_ones = [one for one in lot if one not in done]
            chance.shuffle(open_ones)
            done += of_size(by_certainty(trained, open_ones) if order == ORDERS[0] else open_ones, batch)
            trained = systems.train("d", done, seed=seed, epochs=epochs)
            yield {"order": order, "round": number, **figures(trained, done, test)}


def figures(trained: systems.Trained, done: list[Recipe], test: list[Recipe]) -> dict[str, Any]:
    found = corpus_figures(score_answers(test, systems.answer(trained, test)))["corpus"]
    return {"commands": sum(len(one.commands) for one in done), **{name: found[name] for name in FIGURES}}


def gains(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By round: exact utterances in both orders over seeds, and the difference within seeds."""
    found = []
    for number in sorted({row["round"] for row in rows}):
        own = {
            order: [row for row in rows if row["round"] == number and row["order"] == order]
            for order in ORDERS
        }
        pairs = list(zip(*(own[order] for order in ORDERS), strict=True))
        gain = [sure["exact_utterances"] - lot["exact_utterances"] for sure, lot in pairs]
        found.append({
            "round": number, "seeds": len(pairs), "gain": gain, "mean_gain": statistics.fmean(gain),
            **{
                order: {name: statistics.fmean(row[name] for row in own[order])
                        for name in ("commands", *FIGURES)}
                for order in ORDERS
            },
        })  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="en")
    for name, usual in (
        ("seeds", 3),
        ("rounds", 3),
        ("batch", 60),
        ("epochs", 25),
        ("pool", 500),
        ("test", 200),
    ):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    training, test = corpus(given.language)
    asked = of_size(test, given.test)
    rows = []
    for seed in range(1, given.seeds + 1):
        for row in loop(training, asked, seed, given.rounds, given.batch, given.epochs, given.pool):
            rows.append({"seed": seed, **row})
            print(json.dumps(rows[-1]), flush=True)
        settings = {**vars(given), "seeds": seed, "test": sum(len(one.commands) for one in asked)}
        kept = {"settings": settings, "rounds": gains(rows), "rows": rows}
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
