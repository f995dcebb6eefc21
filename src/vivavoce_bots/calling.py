"""The bots as functions for `connect: python`: `async def bot(text, session) -> dict`.

    systems:
      nbest: {connect: python, call: "vivavoce_bots.calling:restaurant_nbest", greeting: true}

`session` is a dictionary of one conversation; the environment names the domain's file and the seed:
VIVAVOCE_BOT_DOMAIN, VIVAVOCE_BOT_SEED.
"""

import os
from pathlib import Path
from typing import Any, Final

from vivavoce_bots.bot import Bot, answer
from vivavoce_bots.catalogue import BOTS

_WITH_DOMAIN: Final = ("restaurant", "boris")
_MADE: dict[tuple[str, str, str | None, int], Bot] = {}


def _bot(name: str, variant: str) -> Bot:
    domain = os.environ.get("VIVAVOCE_BOT_DOMAIN") if name in _WITH_DOMAIN else None
    seed = int(os.environ.get("VIVAVOCE_BOT_SEED", "1"))
    key = name, variant, domain, seed
    if key not in _MADE:
        _MADE[key] = BOTS[name].make(variant, seed, Path(domain) if domain else None)
    return _MADE[key]


async def restaurant_nbest(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The restaurant bot that weighs all hypotheses."""
    return answer(_bot("restaurant", "nbest"), text, session)


async def restaurant_onebest(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The restaurant bot that believes the first hypothesis."""
    return answer(_bot("restaurant", "onebest"), text, session)


async def restaurant_nbrl(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The restaurant bot that weighs all hypotheses and has learnt how much to say."""
    return answer(_bot("restaurant", "nbrl"), text, session)


async def boris(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The system-directed restaurant bot."""
    return answer(_bot("boris", "explicit"), text, session)


async def carbs(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The counter of carbohydrates, all strategies off."""
    return answer(_bot("carbs", "control"), text, session)


async def callsteering(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The call steering of a bank."""
    return answer(_bot("callsteering", "standard"), text, session)


async def house(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The home assistant."""
    return answer(_bot("house", "standard"), text, session)


async def chef(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The cooking robot."""
    return answer(_bot("chef", "standard"), text, session)


async def telco(text: str, session: dict[str, Any]) -> dict[str, Any]:
    """The self-service of a telephone company."""
    return answer(_bot("telco", "standard"), text, session)
