"""The bots as functions for `connect: python`: `async def bot(text, session) -> dict`.

    systems:
      nbest: {connect: python, call: "vivavoce_bots.calling:restaurant_nbest", greeting: true}

`session` is a dictionary of one conversation; the environment names the domain's file and the seed:
VIVAVOCE_BOT_DOMAIN, VIVAVOCE_BOT_SEED.
"""

import os
from pathlib import Path
from typing import Final

from vivavoce_bots.bot import Bot, BotFunction, as_function
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


def _called(name: str, variant: str = "standard") -> BotFunction:
    return as_function(lambda: _bot(name, variant))


restaurant_nbest = _called("restaurant", "nbest")
"""The restaurant bot that weighs all hypotheses."""
restaurant_onebest = _called("restaurant", "onebest")
"""The restaurant bot that believes the first hypothesis."""
restaurant_nbrl = _called("restaurant", "nbrl")
"""The restaurant bot that weighs all hypotheses and has learnt how much to say."""
boris = _called("boris", "implicit")
"""The system-directed restaurant bot; it says values again with its next question."""
boris_explicit = _called("boris", "explicit")
"""The system-directed restaurant bot that asks every value back."""
boris_implicit = boris
boris_none = _called("boris", "none")
"""The system-directed restaurant bot that confirms nothing."""
carbs = _called("carbs", "control")
"""The counter of carbohydrates, all strategies off."""
callsteering = _called("callsteering")
"""The call steering of a bank."""
house = _called("house", "invisible-servant")
"""The home assistant."""
chef = _called("chef")
"""The cooking robot."""
telco = _called("telco")
"""The self-service of a telephone company."""
