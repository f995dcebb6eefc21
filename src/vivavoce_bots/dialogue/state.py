"""Where a conversation stands."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Generic, TypeVar

from vivavoce_bots.acts import DONTCARE, Act

_REMEMBERED: Final = 4


@dataclass
class State:
    """Where a conversation stands; `last` is the last turn that led on, `told` the last that said something
    of the matter, `lost` counts turns that did not lead on, `stated` has the slots of
    this turn's values, `missed` is when the venue on offer is not open, `unwanted` has the venues that shall
    not be offered whatever is looked for.
    """

    venue: str | None = None
    turned_down: list[str] = field(default_factory=list)
    declined: list[tuple[str, ...]] = field(default_factory=list)
    unwanted: list[str] = field(default_factory=list)
    asking: str | None = None
    confirming: tuple[str, str] | None = None
    proposed: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    promised: list[str] = field(default_factory=list)
    stated: set[str] = field(default_factory=set)
    missed: dict[str, str] = field(default_factory=dict)
    last: tuple[Act, ...] = ()
    told: tuple[Act, ...] = ()
    lost: int = 0
    vain: int = 0

    @property
    def stuck(self) -> bool:
        """The last turn said that nothing matches, or proposed something else."""
        return any(act.act in ("canthelp", "select") or act.value == "change" for act in self.last)

    @property
    def settles(self) -> bool:
        """Whether yes or no is about what the system said that it had heard."""
        return self.confirming is not None

    def expect(self, acts: Sequence[Act]) -> None:
        """What the next answer is about: the questions of this turn."""
        self.asking = next((act.slot for act in acts if act.act == "request"), None)
        confirmed = (act for act in acts if act.act == "confirm" and act.slot and act.value)
        self.confirming = next(((act.slot or "", act.value or "") for act in confirmed), None)
        self.proposed = {}
        for act in acts:
            if act.act == "select" and act.slot and act.value:
                self.proposed[act.slot] = DONTCARE if act.slot in self.proposed else act.value

    @property
    def subject(self) -> str | None:
        """The slot that was spoken of: `any` is about that."""
        return self.confirming[0] if self.confirming else self.asking or next(iter(self.proposed), None)


Held = TypeVar("Held", bound=State)


@dataclass
class Session(Generic[Held]):
    """All that a bot remembers of one conversation; `before` are its states before the last turns.

    said  the text of its last turn; stalled: how often it had to be put in other words; asks: whether the
          caller's turn has a question; offered: the venues that were named, in their order; facts: what was
          told of them; topics: what was said of what is beyond the bot; explained: how often it did not know;
          asked: what the caller's turn asks, by slot; question: the last question of that turn
    """

    language: str
    random: Random
    state: Held
    said: str = ""
    stalled: int = 0
    asks: bool = False
    offered: list[str] = field(default_factory=list)
    facts: set[tuple[str, str]] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    explained: int = 0
    asked: frozenset[str | None] = frozenset()
    question: str = ""
    before: deque[bytes] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
