"""Commands to learn from: recipes of a dataset, and predicates as sequences of tokens."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce_commands.notation import NotationError, Predicate, read_predicates, write_predicates

_TOKEN = re.compile(r"[()\[\],;/*#]|[^()\[\],;/*#\s]+")
SIGNS: Final = ("(", ")", "[", "]", ",", ";", "/", "*", "#")


class Example(NamedTuple):
    """One command; `predicates` is empty where nobody annotated it."""

    utterance: int
    words: list[str]
    predicates: tuple[Predicate, ...]
    command_id: str = ""

    @property
    def tokens(self) -> list[str]:
        return to_tokens(self.predicates)


class Recipe(NamedTuple):
    """The commands that one speaker gave for one recipe, in order: earlier ones are context."""

    speaker: str
    name: str
    commands: list[Example]


def read_recipes(
    dataset: Dataset, *, annotated: bool = True, heard: Mapping[str, str] | None = None
) -> list[Recipe]:
    """The recipes of a dataset's table `commands`.

    Input   heard: by command_id, words that a recogniser made of the sound, instead of the text
    Output  recipes in the table's order; with `annotated` only commands that have an annotation
    Raises  InputError: no command with words, or, if asked for, with words and an annotation
    """
    recipes: dict[tuple[str, str], Recipe] = {}
    for number, row in enumerate(dataset.read("commands").to_pylist()):
        text = (heard or {}).get(row["command_id"], row["text"])
        words: list[str] = str(text or "").lower().split()
        if not words or (annotated and row["annotation"] is None):
            continue
        key = (row["participant_id"] or "nobody", row["recipe"] or str(number))
        predicates = read_predicates(row["annotation"]) if row["annotation"] else ()
        recipe = recipes.setdefault(key, Recipe(*key, []))
        recipe.commands.append(Example(row["utterance"] or number, words, predicates, row["command_id"]))
    if not recipes:
        needs = "words and an annotation" if annotated else "words"
        raise InputError(
            f"no command with {needs}",
            place=str(dataset.folder),
            hint="transcribe and annotate the commands first",
        )
    return list(recipes.values())


def to_tokens(predicates: Iterable[Predicate]) -> list[str]:
    """Signs and words; predicates are separated by `;`."""
    return _TOKEN.findall("; ".join(write_predicates((predicate,)) for predicate in predicates))


def from_tokens(tokens: list[str]) -> tuple[Predicate, ...]:
    """The predicates of a sequence that a system wrote; what is no predicate is left out."""
    predicates: list[Predicate] = []
    for text in " ".join(tokens).split(";"):
        try:
            predicates += read_predicates(text.strip())
        except NotationError:
            continue
    return tuple(predicates)
