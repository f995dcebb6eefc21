"""Learning how much to say: the restaurant bot tries manners and is told how each dialogue went.

A bot that can be trained is a bound method, here `LEARNER.answer`, of an object with

learn(conversation, reward)  the dialogue is over and was worth this much
learnt()                     what is to be kept, as JSON
"""

import os
from pathlib import Path
from typing import Any, Final

from vivavoce_bots.bot import answer
from vivavoce_bots.engine.file_bot import Session
from vivavoce_bots.engine.manners import Exploring
from vivavoce_bots.engine.search import SearchState
from vivavoce_bots.engine.search_bot import SearchBot


class Learner:
    """The bot, its chooser, and the dialogues that are going on."""

    def __init__(self, seed: int = 1) -> None:
        domain = os.environ.get("VIVAVOCE_BOT_DOMAIN")
        self._chooser = Exploring(seed)
        path = Path(domain) if domain else None
        self._bot = SearchBot("restaurant", "nbest", seed, domain=path, chooser=self._chooser)
        self._running: dict[str, Session] = {}

    async def answer(self, text: str, session: dict[str, Any]) -> dict[str, Any]:
        """One turn, as `connect: python` wants it."""
        reply = answer(self._bot, text, session)
        self._running[session["conversation"]] = session["memory"]
        return reply

    def learn(self, conversation: str, reward: float) -> None:
        session = self._running.pop(conversation, None)
        if session is not None and isinstance(session.state, SearchState):
            self._chooser.learn(session.state.heard.chosen, reward)

    def learnt(self) -> dict[str, Any]:
        return self._chooser.policy()


LEARNER: Final = Learner()
