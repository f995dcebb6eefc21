"""The shelf of steps, and the face of a step of a visit."""

from typing import Any, Final

from vivavoce.core.shelf import Shelf
from vivavoce.steps.base import StepKind
from vivavoce.study.steps import Step

STEPS: Final[Shelf[StepKind[Any]]] = Shelf("step", StepKind)


def kind_of(step: Step) -> StepKind[Any]:
    """What a step of a study says of itself. Raises UnknownName: no package offers it any more."""
    return STEPS.get(step.kind)
