"""How a system fares with each thing that makes a generated command hard."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vivavoce_commands.figures import corpus_figures
from vivavoce_commands.kitchen.corpus import KitchenCommand
from vivavoce_commands.learning.answers import score_answers
from vivavoce_commands.learning.examples import Recipe
from vivavoce_commands.learning.system import Answer

PLAIN: Final = "none of these"
PHENOMENA: Final = (
    PLAIN,
    "own verb",
    "unsaid verb",
    "pronoun",
    "filler",
    "several predicates",
    "implicit argument",
    "verb of the consequence",
    "unseen thing",
)
SHOWN: Final = ("exact_utterances", "correct_actions", "correct_arguments_of_all")
Key = tuple[str, str, int]


def phenomena_of(commands: Sequence[KitchenCommand]) -> dict[Key, frozenset[str]]:
    """What is hard about each command, by speaker, recipe and number."""
    return {(one.speaker, one.recipe, one.utterance): one.said.phenomena for one in commands}


def by_phenomenon(
    recipes: Sequence[Recipe], answers: Sequence[Sequence[Answer]], met: Mapping[Key, frozenset[str]]
) -> dict[str, dict[str, Any]]:
    """Figures over the commands that have a phenomenon; a command may have several.

    Output  phenomenon: {commands, and each figure of SHOWN as [ratio, low, high], speakers drawn}
    Empty   no command has it: 0 commands, figures None
    """
    found: dict[str, dict[str, Any]] = {}
    for name in PHENOMENA:
        parts: list[Recipe] = []
        given: list[list[Answer]] = []
        for recipe, answered in zip(recipes, answers, strict=True):
            pairs = [
                (command, answer)
                for command, answer in zip(recipe.commands, answered, strict=True)
                if _has(met[recipe.speaker, recipe.name, command.utterance], name)
            ]
            if pairs:
                parts.append(recipe._replace(commands=[command for command, _ in pairs]))
                given.append([answer for _, answer in pairs])
        facts = corpus_figures(score_answers(parts, given))
        found[name] = {"commands": facts["counts"]["utterances"]} | {
            figure: [facts["corpus"][figure], *(facts["intervals"][figure] or (None, None))]
            for figure in SHOWN
        }
    return found


def _has(met: frozenset[str], name: str) -> bool:
    return not met if name == PLAIN else name in met
