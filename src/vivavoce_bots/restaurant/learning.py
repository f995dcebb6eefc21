"""Learning what to say how: the restaurant bot that tries manners and is told how each dialogue went.

A bot that can be trained is a bound method, here `LEARNER.answer`, of an object with

learn(conversation, reward)  the dialogue is over and was worth this much
learnt()                     what is to be kept, as JSON
"""

import os
from pathlib import Path
from typing import Any, Final

from vivavoce_bots.bot import answer
from vivavoce_bots.dialogue.domain import read_domain
from vivavoce_bots.restaurant.bot import RestaurantBot, Session
from vivavoce_bots.restaurant.presentation import Exploring


class Learner:
    """The bot, its chooser, and the dialogues that are going on."""

    def __init__(self, seed: int = 1) -> None:
        domain = os.environ.get("VIVAVOCE_BOT_DOMAIN")
        self._chooser = Exploring(seed)
        self._bot = RestaurantBot(read_domain(Path(domain) if domain else None), "nbest", seed, self._chooser)
        self._running: dict[str, Session] = {}

    async def answer(self, text: str, session: dict[str, Any]) -> dict[str, Any]:
        """One turn, as `connect: python` wants it."""
        said = answer(self._bot, text, session)
        self._running[session["conversation"]] = session["memory"]
        return said

    def learn(self, conversation: str, reward: float) -> None:
        held = self._running.pop(conversation, None)
        if held is not None:
            self._chooser.learn(held.heard.chosen, reward)

    def learnt(self) -> dict[str, Any]:
        return self._chooser.policy()


LEARNER: Final = Learner()
