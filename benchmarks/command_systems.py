"""Systems that learn commands, on the generated corpora and on HuRIC, and the majority baseline in one run.

    python benchmarks/command_systems.py [--systems majority,a,b,c,d] [--corpora it,en,huric] [--epochs N]
                                         [--huric FOLDER]

The generated corpora have a test part of their own; HuRIC is cross-validated in five folds. As its speakers
are not known, its intervals draw commands (one "speaker" a command): narrower than they would be over people.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vivavoce.corpora import CORPORA
from vivavoce.log.dataset import Dataset
from vivavoce.understanding.figures import corpus_figures
from vivavoce.understanding.kitchen.corpus import generate, write_corpus
from vivavoce.understanding.learning import systems
from vivavoce.understanding.learning.answers import score_answers
from vivavoce.understanding.learning.examples import Recipe, read_recipes

FOLDS = 5
SHOWN = ("correct_actions", "correct_arguments", "correct_arguments_of_all", "exact_utterances")
HURIC = Path(__file__).resolve().parents[2] / "shared" / "data" / "huric_it"
Split = tuple[list[Recipe], list[Recipe]]


def generated(language: str) -> list[Split]:
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(generate(language, seed=1), language, Path(folder))
        training, test = (read_recipes(Dataset(Path(folder) / part)) for part in ("training", "test"))
    return [(training, test)]


def huric(folder: Path) -> list[Split]:
    with tempfile.TemporaryDirectory() as into:
        CORPORA.get("huric").read([folder], Path(into))
        recipes = read_recipes(Dataset(Path(into)))
    recipes = [each._replace(speaker=each.name) for each in recipes]
    return [
        ([each for place, each in enumerate(recipes) if place % FOLDS != fold], recipes[fold::FOLDS])
        for fold in range(FOLDS)
    ]


def measure(name: str, splits: list[Split], epochs: int | None) -> dict[str, Any]:
    """Figures over the tests of all splits, with the seconds that training took."""
    tested: list[Recipe] = []
    answers: list[Any] = []
    begun = time.perf_counter()
    reconstruction = []
    for training, test in splits:
        trained = systems.train(name, training, epochs=epochs)
        reconstruction.append(trained.system.facts.get("reconstruction"))
        answers += systems.answer(trained, test)
        tested += test
    seconds = time.perf_counter() - begun
    facts = corpus_figures(score_answers(tested, answers))
    found: dict[str, Any] = {
        figure: [facts["corpus"][figure], *(facts["intervals"][figure] or (None, None))] for figure in SHOWN
    }
    kept = [share for share in reconstruction if share is not None]
    return {
        **found,
        "predicates": facts["counts"]["predicates"],
        "seconds": round(seconds, 1),
        **({"reconstruction": sum(kept) / len(kept)} if kept else {}),
    }


def corpora(names: list[str], folder: Path) -> Iterator[tuple[str, list[Split]]]:
    for name in names:
        if name != "huric":
            yield name, generated(name)
        elif folder.is_dir():
            yield name, huric(folder)
        else:
            print(f"no HuRIC in {folder.name}: left out", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", default=",".join(systems.SYSTEMS))
    parser.add_argument("--corpora", default="it,en,huric")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--huric", type=Path, default=HURIC)
    wanted = parser.parse_args()
    try:
        import torch

        torch.set_num_threads(1)  # these networks are too small for more
    except ModuleNotFoundError:
        print("no PyTorch: only the baseline (pip install 'vivavoce[learn]')", file=sys.stderr)
        wanted.systems = "majority"
    for corpus, splits in corpora(wanted.corpora.split(","), wanted.huric):
        for name in wanted.systems.split(","):
            print(
                json.dumps({"corpus": corpus, "system": name, **measure(name, splits, wanted.epochs)}),
                flush=True,
            )


if __name__ == "__main__":
    main()
