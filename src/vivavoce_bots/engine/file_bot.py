"""Bot that is described by a bot file, behind the interface that all bots share."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from vivavoce_bots.acts import Act, Meaning, Reply
from vivavoce_bots.bot import Texts
from vivavoce_bots.engine import commands
from vivavoce_bots.engine.bot_file import load_bot
from vivavoce_bots.engine.engine import Engine
from vivavoce_bots.engine.state import State
from vivavoce_bots.engine.understanding import Understanding


@dataclass
class Session:
    """One conversation and the engine of its language."""

    engine: Engine
    state: State


class FileBot:
    """Bot that is described by a bot file, in one variant, with the same engines for all conversations."""

    def __init__(self, name: str, variant: str = "", seed: int = 1, matcher: str = "rules") -> None:
        self.name, self.variant, self.seed, self.matcher = name, variant, seed, matcher
        self.backend: ModuleType = import_module(f"vivavoce_bots.bots.{name}")
        self._engines: dict[str, Engine] = {}

    def session(self, conversation: str, language: str = "en") -> Session:
        engine = self._engine(language)
        return Session(engine, engine.start())

    def greet(self, session: Session) -> Reply:
        return public_reply(session.engine.greet(session.state))

    def reply(self, session: Session, texts: Texts) -> Reply:
        hypotheses = [(text, 1.0 if score is None else score) for text, score in texts]
        return public_reply(session.engine.reply(session.state, hypotheses))

    def _engine(self, language: str) -> Engine:
        language = language if language in ("en", "it") else "en"
        if language not in self._engines:
            bot = load_bot(self.name, language, self.variant)
            self._engines[language] = Engine(bot, Understanding(bot, self.matcher), self.backend)
        return self._engines[language]


def public_reply(reply: commands.Reply) -> Reply:
    """System turn as it is sent and logged."""
    acts = tuple(Act(act.act, act.slot or None, _text(act.value)) for act in reply.acts)
    understood = tuple(
        Meaning(tuple(_public_command(command) for command in meaning.commands), meaning.score)
        for meaning in reply.understood
    )
    return Reply(reply.text, acts, understood, reply.end)


def _public_command(command: commands.Command) -> Act:
    if command.act == "start":
        return Act("inform", "task", command.value, "=")
    if command.act == "deny":
        return Act("inform", command.slot, _text(command.value), "!=")
    operator = "=" if command.value is not None else None
    return Act(command.act, command.slot or None, _text(command.value), operator)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, commands.Item):
        return value.value
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(part) or "" for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
