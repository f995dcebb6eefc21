"""Interface of every bot: one object that answers for all conversations, whose memories are its sessions."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Protocol, runtime_checkable

from vivavoce_bots.acts import Reply

_MEMORY: Final = "memory"

Texts = Sequence[tuple[str, float | None]]
BotFunction = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


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


@runtime_checkable
class KnowsValues(Protocol):
    """A bot that fills slots with values: it can be made to mishear them."""

    def mishear(self, text: str, language: str, share: float, random: Random) -> str:
        """A text in which this share of the values is lost or is another."""
        ...


@dataclass(frozen=True)
class Entry:
    """One bot: its name, what it does, its variants (the first is the default), and its maker."""

    name: str
    summary: str
    variants: tuple[str, ...]
    make: Callable[..., Bot]


def answer(bot: Bot, text: str, session: dict[str, Any]) -> dict[str, Any]:
    """One turn of a bot whose memory is kept in `session`; a turn without words is greeted."""
    if _MEMORY not in session:
        session[_MEMORY] = bot.session(session.get("conversation", ""), session.get("language", "en"))
    heard = [(one["text"], one["score"]) for one in session.get("heard") or ()] or [(text, None)]
    if not any(said.strip() for said, _ in heard):
        return bot.greet(session[_MEMORY]).as_json()
    return bot.reply(session[_MEMORY], heard).as_json()


def as_function(made: Callable[[], Bot]) -> BotFunction:
    """A bot as `connect: python` calls it, asked for at each turn."""

    async def function(text: str, session: dict[str, Any]) -> dict[str, Any]:
        return answer(made(), text, session)

    return function
