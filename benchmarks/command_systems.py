"""Systems that learn commands, on the generated corpora and on HuRIC, and the majority baseline in one run.

    python benchmarks/command_systems.py [--systems majority,a,b,c,d] [--corpora it,en,huric]
                                         [--sizes 100,all] [--seeds 1,2,3] [--epochs N] [--huric FOLDER]
                                         [--keep FOLDER] [--into FILE]

The generated corpora have a test part of their own; HuRIC is cross-validated in five folds. As its speakers
are not known, its intervals draw commands (one "speaker" a command): narrower than they would be over people.
A size is how many commands of the training part are learnt from, whole recipes drawn by lot. A seed is that
of the training and of that lot; corpora and folds stay what they are. With --keep every trained system stays
in a folder and is not trained again, so that an interrupted run goes on. With --into every result is added
to a file as it comes, and what that file has is not trained again, wherever it was made; give what it has of
a system that was changed since another name there. Prints one JSON object a seed, system, corpus and size,
seed by seed, so that all systems have as many.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmarks._command_phenomena import Key, by_phenomenon, phenomena_of

from vivavoce.dataset.reader import Dataset
from vivavoce.importers.base import IMPORTERS
from vivavoce_commands.figures import corpus_figures
from vivavoce_commands.kitchen.corpus import generate, write_corpus
from vivavoce_commands.learning import systems
from vivavoce_commands.learning.answers import score_answers
from vivavoce_commands.learning.examples import Recipe, read_recipes

FOLDS = 5
NOISE = 0.2
SHOWN = ("correct_actions", "correct_arguments", "correct_arguments_of_all", "exact_utterances")
AT_LENGTH = ("phenomena", "word_error_rate")  # printed, not added to a file of many seeds
HURIC = Path(__file__).resolve().parents[2] / "shared" / "data" / "huric_it"
Split = tuple[list[Recipe], list[Recipe]]


class Corpus(NamedTuple):
    """What is learnt from and tested on; of generated ones also what is hard, and the test as misheard."""

    name: str
    splits: list[Split]
    met: dict[Key, frozenset[str]] | None = None
    misheard: list[Recipe] | None = None


def generated(language: str) -> Corpus:
    def parts(error_rate: float) -> list[list[Recipe]]:
        with tempfile.TemporaryDirectory() as folder:
            write_corpus(generate(language, seed=1, word_error_rate=error_rate), language, Path(folder))
            return [read_recipes(Dataset(Path(folder) / part)) for part in ("training", "test")]

    training, test = parts(0.0)
    met = phenomena_of([one for one in generate(language, seed=1) if one.part == "test"])
    return Corpus(language, [(training, test)], met, parts(NOISE)[1])


def huric(folder: Path) -> Corpus:
    with tempfile.TemporaryDirectory() as into:
        IMPORTERS.get("huric").read([folder], Path(into))
        recipes = read_recipes(Dataset(Path(into)))
    recipes = [each._replace(speaker=each.name) for each in recipes]
    return Corpus(
        "huric",
        [
            ([each for place, each in enumerate(recipes) if place % FOLDS != fold], recipes[fold::FOLDS])
            for fold in range(FOLDS)
        ],
    )


def part_of(recipes: list[Recipe], size: int | None, seed: int) -> list[Recipe]:
    """So many commands, in whole recipes drawn by lot; all of them for None."""
    if size is None:
        return recipes
    order, chosen, count = list(recipes), [], 0
    Random(seed).shuffle(order)
    for recipe in order:
        if count >= size:
            break
        chosen.append(recipe)
        count += len(recipe.commands)
    return chosen


def trained_system(
    name: str, training: list[Recipe], seed: int, epochs: int | None, folder: Path | None
) -> systems.Trained:
    """From the folder where it was kept, else trained and kept there."""
    if folder is not None and (folder / systems.FACTS).is_file():
        return systems.load(folder)
    trained = systems.train(name, training, seed=seed, epochs=epochs, folder=folder)
    if folder is not None:
        systems.save(trained, folder)
    return trained


def measure(
    name: str, corpus: Corpus, size: int | None, seed: int, epochs: int | None, keep: Path | None
) -> dict[str, Any]:
    """Figures over the tests of all splits, with the seconds that training took."""
    tested: list[Recipe] = []
    answers: list[Any] = []
    kept: list[systems.Trained] = []
    for fold, (training, test) in enumerate(corpus.splits):
        folder = keep / f"{corpus.name}-{size or 'all'}-{fold}-{name}-{seed}" if keep else None
        kept.append(trained_system(name, part_of(training, size, seed), seed, epochs, folder))
        answers += systems.answer(kept[-1], test)
        tested += test
    reconstruction = [one.system.facts["reconstruction"] for one in kept if name == "c"]
    return {
        **_figures(tested, answers),
        "seconds": round(sum(one.facts["training"]["seconds"] for one in kept), 1),
        "epochs": [one.facts["training"].get("epochs", 0) for one in kept],
        **({"reconstruction": sum(reconstruction) / len(reconstruction)} if reconstruction else {}),
        **_hard(corpus, kept[0], tested, answers),
    }


def _figures(recipes: list[Recipe], answers: list[Any]) -> dict[str, Any]:
    facts = corpus_figures(score_answers(recipes, answers))
    found = {
        figure: [facts["corpus"][figure], *(facts["intervals"][figure] or (None, None))] for figure in SHOWN
    }
    return found | {"predicates": facts["counts"]["predicates"], "commands": facts["counts"]["utterances"]}


def _hard(
    corpus: Corpus, trained: systems.Trained, tested: list[Recipe], answers: list[Any]
) -> dict[str, Any]:
    """Of a generated corpus: figures by phenomenon, and under noise of a recogniser."""
    if corpus.met is None or corpus.misheard is None:
        return {}
    noisy = _figures(corpus.misheard, systems.answer(trained, corpus.misheard))
    return {"phenomena": by_phenomenon(tested, answers, corpus.met), "word_error_rate": {str(NOISE): noisy}}


def corpora(names: list[str], folder: Path) -> Iterator[Corpus]:
    for name in names:
        if name != "huric":
            yield generated(name)
        elif folder.is_dir():
            yield huric(folder)
        else:
            print(f"no HuRIC in {folder.name}: left out", file=sys.stderr)


def measured(into: Path | None) -> set[tuple[Any, ...]]:
    """What a file of results has, by system, corpus, size and seed."""
    if into is None or not into.is_file():
        return set()
    records = map(json.loads, into.read_text(encoding="utf-8").splitlines())
    return {tuple(one[name] for name in ("system", "corpus", "size", "seed")) for one in records}


def add(into: Path, facts: dict[str, Any]) -> None:
    """One line more, without what is too long to keep of every seed."""
    line = json.dumps({name: value for name, value in facts.items() if name not in AT_LENGTH})
    with into.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", default=",".join(systems.SYSTEMS))
    parser.add_argument("--corpora", default="it,en,huric")
    parser.add_argument("--sizes", default="all", help="of the generated corpora, such as 100,600,all")
    parser.add_argument("--seeds", default="1", help="of the training, such as 1,2,3")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--huric", type=Path, default=HURIC)
    parser.add_argument("--keep", type=Path, help="folder in which trained systems stay")
    parser.add_argument("--into", type=Path, help="results are added; what it has is not trained again")
    wanted = parser.parse_args()
    try:
        import torch

        torch.set_num_threads(1)  # these networks are too small for more
    except ModuleNotFoundError:
        print(f"no PyTorch: only the baseline ({systems.how_to_install()})", file=sys.stderr)
        wanted.systems = "majority"
    known, parts = (
        measured(wanted.into),
        [
            (corpus, size)
            for corpus in corpora(wanted.corpora.split(","), wanted.huric)
            for size in (["all"] if corpus.name == "huric" else wanted.sizes.split(","))
        ],
    )
    for seed, name, (corpus, size) in product(
        map(int, wanted.seeds.split(",")), wanted.systems.split(","), parts
    ):
        if (name, corpus.name, size, seed) in known:
            continue
        limit = None if size == "all" else int(size)
        found = measure(name, corpus, limit, seed, wanted.epochs, wanted.keep)
        facts = {"corpus": corpus.name, "size": size, "seed": seed, "system": name, **found}
        print(json.dumps(facts), flush=True)
        if wanted.into:
            add(wanted.into, facts)


if __name__ == "__main__":
    main()
