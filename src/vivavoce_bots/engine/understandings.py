"""Kinds of understanding by name: rules, a sentence encoder, a chat model, and those of other packages.

A package adds one in its entry points of the group `vivavoce_bots.understanding`: a function of a `BotFile`
that returns an object with `commands(text, context)` and `frames(text, context)`.
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Protocol

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Command
from vivavoce_bots.engine.matchers import EncoderMatcher, UnderstandingError
from vivavoce_bots.engine.understanding import Context, Understanding

GROUP = "vivavoce_bots.understanding"


class Understands(Protocol):
    """Turns sentences into commands."""

    def commands(self, text: str, context: Context) -> tuple[Command, ...]: ...

    def frames(self, text: str, context: Context) -> list[tuple[Command, ...]]: ...


def _endpoint(bot: BotFile) -> Understands:
    from vivavoce_bots.engine.endpoint import EndpointUnderstanding

    return EndpointUnderstanding(bot)


_BUNDLED: dict[str, Callable[[BotFile], Understands]] = {
    "rules": Understanding,
    "encoder": lambda bot: Understanding(bot, EncoderMatcher),
    "endpoint": _endpoint,
}


def understanding_names() -> list[str]:
    """Names of all kinds of understanding, the default first."""
    return [*_BUNDLED, *sorted(point.name for point in entry_points(group=GROUP))]


def make_understanding(name: str, bot: BotFile) -> Understands:
    """Make the understanding of one bot in one language.

    Raises  UnderstandingError: nobody knows the name, or something that it needs is missing
    """
    if name in _BUNDLED:
        return _BUNDLED[name](bot)
    for point in entry_points(group=GROUP, name=name):
        return point.load()(bot)
    raise UnderstandingError(f"unknown understanding {name!r}. Known: {', '.join(understanding_names())}")
