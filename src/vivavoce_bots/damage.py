"""Known damage: a bot made worse by a named amount, whatever the bot.

wer          each word that it hears is lost or taken for another with this probability
values       each value of a slot that it hears is lost, or another value of its slot, with this probability
forget       the whole conversation is forgotten before a turn with this probability
repeat       its last turn is said again instead of an answer with this probability
wrong_venue  share of conversations in which every venue is named by the name of one of another kind
delay_s      seconds before each answer
fail_rate    share of turns that are answered by an error of the server

The same seed and key of a conversation give the same damage.
"""

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.bot import Bot, KnowsValues, OffersVenues, Texts

_LOST: Final = 0.4
_MISHEARD: Final = ("uh", "a", "the", "so", "well", "it", "is", "eh", "il", "la", "che", "poi")
_LONGEST_HEARD: Final = 2_000


class DamageError(ValueError):
    """The damage cannot be done to this bot; the message says why."""


@dataclass(frozen=True)
class Damage:
    """Amount of each kind of damage; none by default."""

    wer: float = 0.0
    values: float = 0.0
    forget: float = 0.0
    repeat: float = 0.0
    wrong_venue: float = 0.0
    delay_s: float = 0.0
    fail_rate: float = 0.0


@dataclass
class DamagedSession:
    """The bot's own memory, and the damage of this conversation."""

    inner: Any
    conversation: str
    language: str
    random: Random
    misnames: bool
    last: Reply | None = None
    stand_ins: dict[str, str] = field(default_factory=dict)


class DamagedBot:
    """A bot behind its damage.

    Raises  DamageError: wrong venues are asked of a bot that offers none, or misheard values of one that
            fills no slots
    """

    def __init__(self, bot: Bot, damage: Damage, seed: int = 1) -> None:
        if damage.wrong_venue and not isinstance(bot, OffersVenues):
            raise DamageError(f"{bot.name} offers no venues: it cannot name wrong ones")
        if damage.values and not isinstance(bot, KnowsValues):
            raise DamageError(f"{bot.name} fills no slots: it cannot mishear values")
        self._bot, self._damage, self._seed = bot, damage, seed

    @property
    def name(self) -> str:
        return self._bot.name

    def session(self, conversation: str, language: str = "en") -> DamagedSession:
        random = Random(f"damage:{self._seed}:{conversation}")
        misnames = random.random() < self._damage.wrong_venue
        return DamagedSession(
            self._bot.session(conversation, language), conversation, language, random, misnames
        )

    def greet(self, session: DamagedSession) -> Reply:
        session.last = self._bot.greet(session.inner)
        return session.last

    def reply(self, session: DamagedSession, texts: Texts) -> Reply:
        chance = session.random
        if chance.random() < self._damage.repeat and session.last is not None:
            return session.last
        if chance.random() < self._damage.forget:
            session.inner = self._bot.session(session.conversation, session.language)
        if self._damage.values and isinstance(self._bot, KnowsValues):
            mishear, share = self._bot.mishear, self._damage.values
            texts = [(mishear(text, session.language, share, chance), score) for text, score in texts]
        if self._damage.wer:
            texts = [(self._misheard(text, chance), score) for text, score in texts]
        answer = self._bot.reply(session.inner, texts)
        session.last = self._misnamed(answer, session) if session.misnames else answer
        return session.last

    def _misheard(self, text: str, chance: Random) -> str:
        words: list[str] = []
        for word in text[:_LONGEST_HEARD].split():
            if chance.random() >= self._damage.wer:
                words.append(word)
            elif chance.random() >= _LOST:
                words.append(chance.choice(_MISHEARD))
        return " ".join(words)

    def _misnamed(self, reply: Reply, session: DamagedSession) -> Reply:
        """The reply with every venue's name replaced, always by the same, in its words and its acts."""
        if not isinstance(self._bot, OffersVenues):
            return reply
        text, acts = reply.text, list(reply.acts)
        for index, act in enumerate(acts):
            if act.slot != "name" or not act.value:
                continue
            if act.value not in session.stand_ins:
                session.stand_ins[act.value] = self._bot.stand_in(act.value, session.random)
            other = session.stand_ins[act.value]
            text = text.replace(act.value, other)
            acts[index] = Act(act.act, act.slot, other, act.op)
        return reply._replace(text=text, acts=tuple(acts))


def damaged(bot: Bot, damage: Damage, seed: int = 1) -> Bot:
    """The bot itself when nothing is wrong with it but its pace, else the bot behind its damage."""
    if replace(damage, delay_s=0.0, fail_rate=0.0) == Damage():
        return bot
    return DamagedBot(bot, damage, seed)
