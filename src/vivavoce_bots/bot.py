"""What every bot is: one object that answers for all conversations, whose memories are its sessions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol, runtime_checkable

from vivavoce_bots.acts import Reply

Texts = Sequence[tuple[str, float | None]]


class Bot(Protocol):
    """A dialogue system: `session` is a fresh memory, `reply` answers hypotheses, best first."""

    @property
    def name(self) -> str: ...

    def session(self, conversation: str, language: str = "en") -> Any: ...

    def greet(self, session: Any) -> Reply: ...

    def reply(self, session: Any, texts: Texts) -> Reply: ...


@runtime_checkable
class OffersVenues(Protocol):
    """A bot whose acts offer venues by name: it can be made to name wrong ones."""

    def stand_in(self, venue: str, random: Random) -> str:
        """The name of a venue that is of another kind than this one."""
        ...


@dataclass(frozen=True)
class Entry:
    """One bot: its name, what it does, its variants (the first is the default), and its maker."""

    name: str
    summary: str
    variants: tuple[str, ...]
    make: Callable[[str, int, Path | None], Bot]
