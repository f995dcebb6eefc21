"""Which transcripts a participant reads, in which order: the plan of comparisons, one at a time."""

from collections.abc import Sequence
from random import Random
from typing import Literal, NamedTuple

from vivavoce.study.pairs import Pair, Version
from vivavoce.study.pairs_plan import plan
from vivavoce.study.steps import CompareStep, RateStep

ReadingRole = Literal["main", "attention"]


class PlannedReading(NamedTuple):
    """One transcript to be read."""

    pair: Pair
    version: Version
    role: ReadingRole = "main"

    @property
    def level(self) -> str:
        pair = self.pair
        return pair.control_level if self.version == "control" else pair.experimental_level


def reading_plan(step: RateStep, pairs: Sequence[Pair], slot: int) -> tuple[PlannedReading, ...]:
    """The transcripts of one participant; the same slot gives the same plan.

    Note  where a comparison shows the experimental version on the left, it is read first here: balanced in
          the same way. With both versions, one of every variable comes before the other of any. Broken
          transcripts come in between, never first.
    """
    compared = CompareStep(  # pyright: ignore[reportCallIssue]
        pairs=step.pairs, variables=step.variables, questions=(), seed=step.seed
    )
    planned = plan(compared, pairs, slot)
    first = [
        PlannedReading(one.pair, "experimental" if one.experimental_side == "left" else "control")
        for one in planned
    ]
    other: dict[Version, Version] = {"control": "experimental", "experimental": "control"}
    second = [PlannedReading(one.pair, other[one.version]) for one in first]
    shown = first + second if step.versions == "both" else first
    chance = Random(f"{step.seed}:attention:{slot}")
    for pair in (pair for pair in pairs if step.attention and pair.attention == "broken"):
        shown.insert(chance.randint(1, len(shown)), PlannedReading(pair, "experimental", "attention"))
    return tuple(shown)
