"""Annotated commands against a robot's templates, line by line."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from vivavoce_commands.command_file import Command, CommandFile
from vivavoce_commands.command_templates import CommandTemplates, check_predicate, propose_implicit
from vivavoce_commands.notation import Predicate, write_argument, write_predicates


class Remark(NamedTuple):
    """A problem or a proposal for an annotator, with its position."""

    file: str
    line: int
    column: int
    kind: Literal["problem", "proposal"]
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


def check_file(file: CommandFile, templates: CommandTemplates, *, propose: bool = False) -> Iterator[Remark]:
    """Conflicts with the templates, in line order; context never crosses a recipe's end.

    Output  problems, and, when asked to propose, implicit arguments that the recipe so far suggests
    """
    recipe, before = 0, list[Predicate]()
    for command in file.commands:
        if command.recipe != recipe:
            recipe, before = command.recipe, []
        for predicate, column in zip(command.predicates or (), _columns(command), strict=True):
            place = file.name, command.line, column
            for text in check_predicate(predicate, templates):
                yield Remark(*place, "problem", text)
            for proposal in propose_implicit(predicate, before, templates) if propose else ():
                argument, source = write_argument(proposal.argument), write_predicates((proposal.source,))
                text = f"{predicate.action}: {argument} as {proposal.place.name}? from {source}"
                yield Remark(*place, "proposal", text)
            before.append(predicate)


def _columns(command: Command) -> list[int]:
    """Column of each predicate's action in the line."""
    columns, at = [], 0
    for predicate in command.predicates or ():
        at = max(at, command.annotation.find(predicate.action.split()[0], at))
        columns.append(command.column + at)
        at += 1
    return columns
