"""The goal of a dialogue with a black box: words by which, as its team says, it tells that it is done."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from vivavoce_stress.evidence import sentences_of


class Told(NamedTuple):
    """Where a system told that it was done: the place of its turn, and the words in it."""

    place: int
    words: str


class GivenValue(BaseModel):
    """A value that the task gave, and the other values that may not be named in its place."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    own: str
    others: tuple[str, ...] = ()


class GoalInWords(BaseModel):
    """A goal that words tell.

    done   regular expression, in any case
    given  what the task asked for; one goal of another value is another goal
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    done: str
    given: tuple[GivenValue, ...] = ()

    def told_in(self, turns: Sequence[Mapping[str, Any]]) -> Told | None:
        """The first turn of the system, after the user's first, that tells that the goal was reached.

        Input  turns: party, text
        Empty  none does: None
        """
        first = next((at for at, turn in enumerate(turns) if turn["party"] == "user"), len(turns))
        for place, turn in enumerate(turns):
            text = turn["text"] or ""
            if place <= first or turn["party"] != "system" or not self._said(text) or self._another(text):
                continue
            return Told(place, next(filter(self._said, sentences_of(text)), text))
        return None

    def _said(self, text: str) -> bool:
        return re.search(self.done, text, re.IGNORECASE) is not None

    def _another(self, text: str) -> bool:
        """Whether it names another value in place of one that the task gave."""
        mine = {one.own for one in self.given}
        return any(not _named([one.own], text) and _named(set(one.others) - mine, text) for one in self.given)


def _named(names: Iterable[str], text: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)
