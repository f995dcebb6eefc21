"""Bot that is described by a bot file, behind the interface that all bots share."""

from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from vivavoce_bots.acts import Act, Meaning, Reply
from vivavoce_bots.bot import Texts
from vivavoce_bots.engine import commands
from vivavoce_bots.engine.bot_file import (
    BOTS,
    BotFile,
    DomainError,
    Task,
    bot_in_language,
    read_source,
)
from vivavoce_bots.engine.engine import Engine
from vivavoce_bots.engine.state import State
from vivavoce_bots.engine.understanding import Context
from vivavoce_bots.engine.understandings import Understands, make_understanding
from vivavoce_bots.engine.values import ValueSpotter

PUBLIC_ACTS = {"goodbye": "bye", "thanks": "thankyou", "query": "confirm"}


@dataclass
class Session:
    """One conversation and the engine of its language."""

    engine: Engine
    state: State


class FileBot:
    """Bot that is described by a bot file, in one variant, with the same engines for all conversations.

    A back end that has `apply_domain(source, path)` takes a domain file: it returns the merged bot file with
    the slots and the table of the domain.
    Raises  DomainError: the domain file cannot be used, or the bot takes none
            UnderstandingError: what the understanding needs is missing
    """

    def __init__(
        self,
        name: str,
        variant: str = "",
        seed: int = 1,
        understanding: str = "rules",
        domain: Path | None = None,
        folder: Path = BOTS,
    ) -> None:
        self.name, self.variant, self.seed, self.understanding = name, variant, seed, understanding
        self.folder = folder
        self.source = read_source(name, variant, folder)
        self.languages: list[str] = self.source["languages"]
        self._engines: dict[str, Engine] = {}
        self.prepare(domain)
        self.engine(self.languages[0])  # what is missing is said at the start

    def prepare(self, domain: Path | None) -> None:
        """Load the back end, and the domain file if there is one."""
        self.backend = self.load_backend()
        if domain is not None:
            if not self.source.get("domain"):
                raise DomainError(f"{self.name} has no domain file: leave out --domain")
            self.source = self.backend.apply_domain(self.source, domain)  # type: ignore[union-attr]

    def load_backend(self) -> ModuleType | None:
        """Back end of the bot; none where no task calls one."""
        return import_module(f"vivavoce_bots.bots.{self.name}")

    def session(self, conversation: str, language: str = "en") -> Session:
        engine = self.engine(language)
        return Session(engine, engine.start())

    def greet(self, session: Session) -> Reply:
        return self._public(session.engine.greet(session.state), session)

    @staticmethod
    def _public(reply: commands.Reply, session: Session) -> Reply:
        return public_reply(reply, session.engine.bot.tasks)

    def reply(self, session: Session, texts: Texts) -> Reply:
        return self._public(
            session.engine.reply(session.state, probabilities(texts or [("", None)])), session
        )

    def acts(self, text: str, language: str = "en") -> tuple[Act, ...]:
        """Acts of a first turn."""
        engine = self.engine(language)
        understood = engine.understanding.commands(text, Context())
        return tuple(_public_command(command, engine.bot.tasks) for command in understood)

    def mishear(self, text: str, language: str, share: float, random: Random) -> str:
        """A text in which this share of the values of slots is lost or is another value of its slot."""
        spotter = ValueSpotter(self.engine(language).bot, datetime.now().astimezone().date())
        return spotter.mishear(text, share, random)

    def read_bot(self, language: str) -> BotFile:
        return bot_in_language(self.name, self.source, language)

    def make_engine(self, bot: BotFile, understanding: Understands) -> Engine:
        return Engine(bot, understanding, self.backend)

    def engine(self, language: str) -> Engine:
        """The engine of a language tag such as it-IT; the first language where the bot does not speak it."""
        language = language[:2].lower() if language[:2].lower() in self.languages else self.languages[0]
        if language not in self._engines:
            bot = self.read_bot(language)
            self._engines[language] = self.make_engine(bot, make_understanding(self.understanding, bot))
        return self._engines[language]


def probabilities(texts: Texts) -> list[tuple[str, float]]:
    """Hypotheses with their scores where these can be probabilities, else by rank; they sum to at most 1."""
    given = [score for _, score in texts if score is not None and 0.0 <= score <= 1.0]
    usable = len(given) == len(texts) and sum(given) > 0
    scores = given if usable else [0.5**rank for rank in range(len(texts))]
    total = max(1.0, sum(scores)) if usable else sum(scores)
    return [(text, score / total) for (text, _), score in zip(texts, scores, strict=True)]


def public_reply(reply: commands.Reply, tasks: dict[str, Task]) -> Reply:
    """System turn as it is sent and logged."""
    acts = tuple(_public_act(act.act, act.slot, act.value, act.op) for act in reply.acts)
    understood = tuple(
        Meaning(tuple(_public_command(command, tasks) for command in meaning.commands), meaning.score)
        for meaning in reply.understood
    )
    return Reply(reply.text, acts, understood, reply.end)


def _public_command(command: commands.Command, tasks: dict[str, Task]) -> Act:
    if command.act == "start":
        task = tasks[command.value]
        return Act(task.act, task.argument or None) if task.act else Act("inform", "task", task.name, "=")
    if command.act == "deny":
        return _public_act("inform", command.slot, command.value, "!=")
    return _public_act(PUBLIC_ACTS.get(command.act, command.act), command.slot, command.value, "=")


def _public_act(act: str, slot: str, value: Any, operator: str) -> Act:
    text = _text(value)
    return Act(act, slot or None, text, operator if slot and text is not None else None)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, commands.Item):
        return value.value
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(part) or "" for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
