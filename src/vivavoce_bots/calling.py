"""The bots as functions for `connect: python`: `async def bot(text, session) -> dict`.

    systems:
      nbest: {connect: python, call: "vivavoce_bots.calling:restaurant_nbest", greeting: true}

`session` is a dictionary of one conversation; the environment names the domain's file and the seed:
VIVAVOCE_BOT_DOMAIN, VIVAVOCE_BOT_SEED.
"""

import os
from pathlib import Path
from typing import Any, Final

from vivavoce_bots.bot import Bot
from vivavoce_bots.catalogue import BOTS

_MEMORY: Final = "memory"
_MADE: dict[tuple[str, str], Bot] = {}


def _bot(name: str, variant: str) -> Bot:
    key = name, variant
    if key not in _MADE:
        domain = os.environ.get("VIVAVOCE_BOT_DOMAIN")
        seed = int(os.environ.get("VIVAVOCE_BOT_SEED", "1"))
        _MADE[key] = BOTS[name].make(variant, seed, Path(domain) if domain else None)
    return _MADE[key]


def answer(bot: Bot, text: str, session: dict[str, Any]) -> dict[str, Any]:
    """One turn of a bot whose memory is kept in `session`; a turn without words is greeted."""
    if _MEMORY not in session:
        session[_MEMORY] = bot.session(session.get("conversation", ""), session.get("language", "en"))
    heard = [(one["text"], one["score"]) for one in session.get("heard") or ()] or [(text, None)]
    if not any(said.strip() for said, _ in heard):
        return bot.greet(session[_MEMORY]).as_json()
    return bot.reply(session[_MEMORY], heard).as_json()


async def restaurant_nbest(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The restaurant bot that weighs all hypotheses."""
    return answer(_bot("restaurant", "nbest"), text, session)


async def restaurant_onebest(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The restaurant bot that believes the first hypothesis."""
    return answer(_bot("restaurant", "onebest"), text, session)
