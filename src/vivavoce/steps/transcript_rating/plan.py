"""The step `rate` as written, and which transcripts a participant reads, in which order."""

from collections.abc import Sequence
from random import Random
from typing import Literal, NamedTuple

from pydantic import Field

from vivavoce.steps.base import OfferedStep
from vivavoce.study.pairs import Pair, Version
from vivavoce.study.pairs_plan import PairsDraw, plan
from vivavoce.study.pairs_study import PairsSettings, variables_of
from vivavoce.study.settings import Flag

ReadingRole = Literal["main", "attention"]


class RateSettings(PairsSettings):
    """Transcripts rated one at a time with a questionnaire."""

    use: str = Field("reading", description="questionnaire for each transcript")
    versions: Literal["both", "one"] = Field(
        "both", description="both: each participant reads both versions of a pair; one: only one of them"
    )
    attention: Flag = Field(
        False, description="mix in the broken versions of pairs marked `attention: broken`"
    )


class PlannedReading(NamedTuple):
    """One transcript to be read."""

    pair: Pair
    version: Version
    role: ReadingRole = "main"

    @property
    def level(self) -> str:
        pair = self.pair
        return pair.control_level if self.version == "control" else pair.experimental_level


def reading_plan(step: OfferedStep, pairs: Sequence[Pair], slot: int) -> tuple[PlannedReading, ...]:
    """The transcripts of one participant; the same slot gives the same plan.

    Note  where a comparison shows the experimental version on the left, it is read first here: balanced in
          the same way. With both versions, one of every variable comes before the other of any. Broken
          transcripts come in between, never first.
    """
    settings = step.settings
    planned = plan(PairsDraw(variables_of(pairs, settings.variables), settings.seed), pairs, slot)
    first = [
        PlannedReading(one.pair, "experimental" if one.experimental_side == "left" else "control")
        for one in planned
    ]
    other: dict[Version, Version] = {"control": "experimental", "experimental": "control"}
    second = [PlannedReading(one.pair, other[one.version]) for one in first]
    shown = first + second if settings.versions == "both" else first
    chance = Random(f"{settings.seed}:attention:{slot}")
    for pair in (pair for pair in pairs if settings.attention and pair.attention == "broken"):
        shown.insert(chance.randint(1, len(shown)), PlannedReading(pair, "experimental", "attention"))
    return tuple(shown)
