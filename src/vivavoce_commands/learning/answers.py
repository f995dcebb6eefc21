"""A system's answers as files of speakers, and their scores."""

from collections.abc import Sequence
from pathlib import Path

from vivavoce_commands.command_file import Command, CommandFile
from vivavoce_commands.learning.examples import Recipe
from vivavoce_commands.learning.system import Answer
from vivavoce_commands.notation import write_predicates
from vivavoce_commands.scoring import Mode, Scores, score_commands


def write_answers(recipes: Sequence[Recipe], answers: Sequence[Sequence[Answer]], folder: Path) -> None:
    """One file a speaker, recipes separated; a command without an answer has no line.

    Note    commands are numbered as in the dataset
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[str]] = {}
    for recipe, recipe_answers in zip(recipes, answers, strict=True):
        lines = files.setdefault(recipe.speaker, [])
        lines += ["---"] if lines else []
        for command, answer in zip(recipe.commands, recipe_answers, strict=True):
            if answer.predicates:
                lines.append(f"{command.utterance}; {write_predicates(answer.predicates)}")
    for speaker, lines in files.items():
        (folder / f"{speaker}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def score_answers(
    recipes: Sequence[Recipe], answers: Sequence[Sequence[Answer]], mode: Mode = "strict"
) -> Scores:
    """The answers against the recipes' own annotation."""
    truth: dict[str, CommandFile] = {}
    answered: dict[str, CommandFile] = {}
    for number, (recipe, recipe_answers) in enumerate(zip(recipes, answers, strict=True)):
        reference_commands = truth.setdefault(recipe.speaker, CommandFile(recipe.speaker)).commands
        answer_commands = answered.setdefault(recipe.speaker, CommandFile(recipe.speaker)).commands
        for place, (command, answer) in enumerate(zip(recipe.commands, recipe_answers, strict=True)):
            notation = write_predicates(command.predicates)
            reference_commands.append(Command(number, place, place, notation, command.predicates))
            if answer.predicates:
                notation = write_predicates(answer.predicates)
                answer_commands.append(Command(number, place, place, notation, answer.predicates))
    return score_commands(truth, answered, mode)
