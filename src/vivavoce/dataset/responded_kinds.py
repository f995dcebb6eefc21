"""Kinds of steps whose responses become rows of a table of the dataset."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from pydantic import BaseModel

from vivavoce.dataset.columns import Table
from vivavoce.study.step_kind import STEPS

Row = dict[str, Any]


class RespondedKind(Protocol):
    """A step kind's facts about its responses."""

    name: str
    table: Table | None
    stimulus: type[BaseModel]
    response: type[BaseModel]

    def rows(self, given: Any) -> Iterable[Row]: ...
    def credits(self, given: Any) -> Mapping[int, float]: ...
    def without(
        self, stimulus: Any, response: Any, dialogues: AbstractSet[str], recordings: AbstractSet[str]
    ) -> Any: ...


def responded_kinds() -> list[RespondedKind]:
    """The kinds of steps that present stimuli, of ours and of installed packages."""
    kinds: list[Any] = [kind for _, kind in STEPS]
    return [kind for kind in kinds if hasattr(kind, "table")]
