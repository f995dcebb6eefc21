"""What the house remembers of a conversation: how things are, what was done, what is still to be settled."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from vivavoce_bots.acts import Act
from vivavoce_bots.dialogue.talk import Talk


@dataclass(frozen=True)
class Pending:
    """What is asked back: `which` device, what `deed`, whether one is meant (`confirm`), or of a service."""

    asks: str
    kind: str | None = None
    deed: str | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Done:
    """What was done last, and how the devices were before."""

    deed: str
    before: Mapping[str, str]


@dataclass
class Session(Talk):
    """The state of the house in this conversation, and what is being settled.

    messages, told_message  those that are left, by their place, and those that were told last
    topic  the service that was spoken of last, `messages` or `television`
    just   the service and the channel of what was shown or recorded last
    acted  the devices that were acted on last, in their order
    alone  whether a sentence of this turn names devices, and says nothing else
    attended  what the clerk did with this turn
    """

    state: dict[str, str] = field(default_factory=dict)
    messages: tuple[int, ...] = ()
    told_message: tuple[int, ...] = ()
    topic: str | None = None
    just: tuple[str, str] | None = None
    channel: str | None = None
    told_of: str | None = None
    recording: tuple[str, ...] = ()
    waiting: list[Pending] = field(default_factory=list)
    about: tuple[str, ...] = ()
    done: tuple[Done, ...] = ()
    acted: tuple[str, ...] = ()
    alone: bool = False
    attended: Any = None

    def settle(self, acted: Container[str | None]) -> None:
        """What was done needs no question any more; `acted`: the devices."""
        self.waiting = [
            one
            for one in self.waiting
            if one.asks not in ("deed", "confirm")
            or not one.choices
            or not all(device in acted for device in one.choices)
        ]


@dataclass
class Told:
    """The turn as it grows.

    asks         whether it is asked how things are, which says more than `already`
    names_alone  whether a sentence of it names devices, and says nothing else
    anyone       whether any one of several will do
    latest       the sentence that tells what was done with devices, in the place of which a later one comes
    """

    sentences: list[str] = field(default_factory=list)
    latest: dict[tuple[str, ...], str] = field(default_factory=dict)
    acts: list[Act] = field(default_factory=list)
    asks: bool = False
    names_alone: bool = False
    anyone: bool = False
