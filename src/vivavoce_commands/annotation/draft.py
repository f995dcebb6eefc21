"""An annotation being written: its mistake, what does not fit the templates, what the context may add."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vivavoce.core.errors import InputError, nearest
from vivavoce_commands.command_templates import (
    CommandTemplates,
    check_predicate,
    propose_several,
    with_proposal,
)
from vivavoce_commands.notation import (
    NotationError,
    Predicate,
    read_predicates,
    write_argument,
    write_predicates,
)

MOST_PREDICATES = 10
LONGEST = 2000


class OfferedValue(NamedTuple):
    """An implicit argument from the context, and the annotation with it."""

    action: str
    kind: str
    argument: str
    annotation: str


@dataclass(frozen=True, slots=True)
class AnnotationDraft:
    """A text on its way to an annotation. `mistake`: why it is none yet; `remarks`: what does not fit."""

    text: str
    predicates: tuple[Predicate, ...] = ()
    mistake: NotationError | None = None
    remarks: tuple[str, ...] = ()
    offers: tuple[OfferedValue, ...] = field(default=())


def examine(text: str, before: Sequence[Predicate], templates: CommandTemplates) -> AnnotationDraft:
    """Read a text and say what is wrong with it and what the context could add.

    Input   before: the predicates of earlier commands of the recipe, as this annotator gave them
    Empty   a blank text has no mistake, no remark and no offer
    """
    if not text.strip():
        return AnnotationDraft(text)
    try:
        predicates = read_predicates(text)
    except NotationError as mistake:
        return AnnotationDraft(text, mistake=mistake)
    remarks = [remark for predicate in predicates for remark in check_predicate(predicate, templates)]
    return AnnotationDraft(
        text, predicates, None, tuple(remarks), tuple(_offers(predicates, before, templates))
    )


def _offers(
    predicates: tuple[Predicate, ...], before: Sequence[Predicate], templates: CommandTemplates
) -> list[OfferedValue]:
    offers = []
    for at, predicate in enumerate(predicates):
        for proposal in propose_several(predicate, [*before, *predicates[:at]], templates):
            fuller = with_proposal(predicate, proposal, templates)
            changed = (*predicates[:at], fuller, *predicates[at + 1 :])
            argument = write_argument(proposal.argument)
            offers.append(
                OfferedValue(predicate.action, proposal.place.name, argument, write_predicates(changed))
            )
    return offers


class Filled(NamedTuple):
    """One argument of a template as filled in; `unsaid` where nobody said it."""

    text: str
    unsaid: bool = False


def with_predicate(
    text: str, action: str, arguments: Sequence[Filled], templates: CommandTemplates, *, unsaid: bool = False
) -> str:
    """The annotation with one more predicate, from the fields of a template.

    Input   unsaid: nobody named the action; several things with commas between become a list
    Raises  NotationError: the annotation so far, or a field, cannot be read; InputError: unknown action
    """
    if action not in templates.actions:
        hint = nearest(action, list(templates.actions))
        raise InputError(f"unknown action {action!r}", place="action", hint=hint)
    so_far = read_predicates(text) if text.strip() else ()
    argument_list = ", ".join(_argument(argument) for argument in arguments if argument.text.strip())
    predicates = read_predicates(f"{f'*{action}*' if unsaid else action}({argument_list})")
    return write_predicates((*so_far, *predicates))


def _argument(filled: Filled) -> str:
    text = " ".join(filled.text.split())
    if "," in text and not text.startswith(("[", "*")):
        text = f"[{text}]"
    return f"*{text}*" if filled.unsaid and not text.startswith("*") else text
