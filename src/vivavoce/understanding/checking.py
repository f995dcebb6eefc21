"""Annotated commands against a robot's templates, line by line."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from vivavoce.study.command_file import CommandFile
from vivavoce.study.command_templates import CommandTemplates, check_predicate, propose_implicit
from vivavoce.study.notation import Predicate, write_argument, write_predicates


class Remark(NamedTuple):
    """What an annotator should look at: a problem, or a proposal to accept or not."""

    speaker: str
    line: int
    kind: Literal["problem", "proposal"]
    text: str


def check_file(file: CommandFile, templates: CommandTemplates, *, propose: bool = False) -> Iterator[Remark]:
    """What does not fit the templates, in the order of the lines; context never crosses a recipe's end.

    Output  problems, and, when asked to propose, implicit arguments that the recipe so far suggests
    """
    recipe, before = 0, list[Predicate]()
    for command in file.commands:
        if command.recipe != recipe:
            recipe, before = command.recipe, []
        for predicate in command.predicates or ():
            for text in check_predicate(predicate, templates):
                yield Remark(file.speaker, command.line, "problem", text)
            for proposal in propose_implicit(predicate, before, templates) if propose else ():
                argument, source = write_argument(proposal.argument), write_predicates((proposal.source,))
                text = f"{predicate.action}: {argument} as {proposal.place.name}? from {source}"
                yield Remark(file.speaker, command.line, "proposal", text)
            before.append(predicate)
