"""Sentences of real callers in the mouth of simulated ones: what is meant stays, how it is said is theirs."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import accumulate
from random import Random
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.validation import mistake
from vivavoce.dataset.vocabulary import DONTCARE, THIS, TYPE, leading_act, meaning_without_value
from vivavoce.log.events import LoggedAct

_BESIDE: Final = ("reqalts", "affirm", "ack", "hello", "thankyou", "negate")
_FEWEST: Final = 3  # sentences of one place in a call that are enough to choose from

Key = tuple[str, ...]


class SayingEntry(BaseModel):
    """A sentence of real callers, as the population file has it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    say: str = Field(min_length=1, description="text, with values as `{slot}`")
    means: tuple[str, ...] = Field(
        description="acts: `act`, `act slot`, or `act slot dontcare`; `say` contains the values"
    )
    after: str | None = Field(None, description="act of the preceding system turn")
    n: int = Field(1, ge=1, description="number of occurrences")

    @model_validator(mode="after")
    def _sound(self) -> "SayingEntry":
        if strange := _values(self.say) - {slot for meaning in self.means for slot in meaning.split()[1:2]}:
            slot = sorted(strange)[0]
            raise mistake(f"{{{slot}}} is not a slot in `means`", f"add {'inform ' + slot!r} to `means`")
        return self


class Sayings:
    """Sentences by what they mean and where in a call they are said."""

    def __init__(self, entries: Sequence[SayingEntry]) -> None:
        self._known: defaultdict[tuple[Key, str | None], list[SayingEntry]] = defaultdict(list)
        self._anywhere: defaultdict[Key, list[SayingEntry]] = defaultdict(list)
        for entry in entries:
            key = _key(entry.means)
            self._known[key, entry.after].append(entry)
            self._anywhere[key].append(entry)

    def chosen(
        self,
        acts: Sequence[LoggedAct],
        before: Collection[str],
        random: Random,
        *,
        length: float | None = None,
        unwanted: Collection[str] = (),
    ) -> SayingEntry | None:
        """A sentence for acts behind a system turn, as likely as it was said; None where nobody said any.

        length    the share of what was said that is shorter; None: any
        unwanted  acts that are not to be among its meanings, where it can be said without
        """
        means = [meaning_without_value(act.act, act.slot, act.value) for act in acts]
        keys = {_key(means), _key([_of_what_was_asked(meaning) for meaning in means])}
        slots_with_value = {act.slot for act in acts if act.value}
        fitting = self._fitting(
            [saying for key in keys for saying in self._known[key, leading_act(before)]], slots_with_value
        )
        if sum(saying.n for saying in fitting) < _FEWEST:
            fitting = self._fitting(
                [saying for key in keys for saying in self._anywhere[key]], slots_with_value
            )
        fitting = [saying for saying in fitting if not {*saying.means} & {*unwanted}] or fitting
        fitting.sort(key=lambda saying_: (len(saying_.say.split()), -saying_.n, saying_.say))
        if not fitting:
            return None
        reached = list(accumulate(saying.n for saying in fitting))
        return fitting[bisect(reached, (random.random() if length is None else length) * reached[-1])]

    def _fitting(self, entries: Sequence[SayingEntry], slots: Collection[str | None]) -> list[SayingEntry]:
        """Sentences whose values are all there to be said."""
        return [entry for entry in entries if _values(entry.say) <= {*slots}]


def acts_of(saying: SayingEntry, values: dict[str, str]) -> tuple[LoggedAct, ...]:
    """Acts of a sentence about these values."""
    return tuple(_act(meaning, values) for meaning in saying.means)


def _values(say: str) -> set[str]:
    """The slots whose values a sentence says."""
    return set(re.findall(r"\{(\w+)\}", say))


def _of_what_was_asked(means: str) -> str:
    """Indifference to the slot just asked for, whichever that is."""
    return f"inform {THIS} {DONTCARE}" if means.endswith(f" {DONTCARE}") else means


def _key(means: Sequence[str]) -> Key:
    """Key of a saying's main matter; all of its acts where that is empty."""
    matter = [
        meaning for meaning in means if meaning not in _BESIDE and not meaning.startswith(f"inform {TYPE}")
    ]
    return tuple(sorted(matter or means))


def _act(means: str, values: dict[str, str]) -> LoggedAct:
    kind, _, tail = means.partition(" ")
    slot, _, value = tail.partition(" ")
    if kind == "request" or not slot:
        return LoggedAct(act=kind, slot=slot or None)
    if value == DONTCARE and slot == THIS:
        slot = next((slot_name for slot_name, slot_value in values.items() if slot_value == DONTCARE), slot)
    return LoggedAct(act=kind, slot=slot, value=value or values.get(slot), op="=")
