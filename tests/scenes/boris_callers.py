"""Callers of BoRIS who answer what is asked and reject what is wrong, and how long their calls are.

Turns are counted as `# turns` of table 1, user correction turns as UCT of table 2 of the thesis (seed 004,
section 2.2.1): turns of the caller that rectify a trouble and bring nothing new.
"""

from functools import cache, partial
from random import Random
from typing import NamedTuple

from vivavoce_bots.acts import Reply
from vivavoce_bots.damage import Damage, damaged
from vivavoce_bots.engine.search_bot import SearchBot

BOTS = cache(partial(SearchBot, "boris"))
BOT = BOTS("implicit").engine("en").bot
LONGEST = 40


class Call(NamedTuple):
    """One call: turns of the caller, those that only corrected, and whether the venue is what was wanted."""

    turns: int
    corrections: int
    right: bool


class Caller:
    """Wants a venue that there is; answers what is asked, in English, and rejects what is wrong."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        venue = random.choice([row for row in BOT.table.values() if row["type"] == "restaurant"])
        self.goal = {slot: venue[slot] for slot in ("food", "area", "pricerange")}
        self.goal |= {"type": "restaurant", "day": "friday", "time": "19:00"}

    def answer(self, reply: Reply) -> tuple[str, bool]:
        """What is said next, and whether it only corrects."""
        told = [act for act in reply.acts if act.act in ("inform", "confirm") and act.slot in self.goal]
        wrong = [act.slot or "" for act in told if act.value != self.goal[act.slot or ""]]
        offered = any(act.act == "offer" for act in reply.acts)
        if offered:
            return "no, " + ", ".join(map(self.say, wrong)), True
        if any(act.act == "confirm" for act in reply.acts):
            return ("no", True) if wrong else ("yes", False)
        if wrong:
            return "no, " + ", ".join(map(self.say, wrong)), True
        asked = [act.slot for act in reply.acts if act.act == "request"]
        return self.say(asked[-1] or "type") if asked else "no", False

    def say(self, slot: str) -> str:
        return "at 19:00" if slot == "time" else BOT.slots[slot].values[self.goal[slot]][0]

    def content(self, reply: Reply) -> bool:
        """An offer with nothing wrong in it."""
        told = [act for act in reply.acts if act.act == "inform" and act.slot in self.goal]
        offered = any(act.act == "offer" for act in reply.acts)
        return offered and all(act.value == self.goal[act.slot or ""] for act in told)


def call(variant: str, errors: float, seed: int, *, checks: bool) -> Call:
    """One call; who does not check takes the first venue that is offered."""
    bot = damaged(BOTS(variant), Damage(values=errors), seed)
    caller, session = Caller(seed), bot.session(str(seed))
    reply, turns, corrections = bot.greet(session), 0, 0
    while turns < LONGEST and not caller.content(reply):
        if not checks and any(act.act == "offer" for act in reply.acts):
            break
        said, corrects = caller.answer(reply)
        reply, turns, corrections = bot.reply(session, [(said, None)]), turns + 1, corrections + corrects
    return Call(turns, corrections, caller.content(reply))


def means(variant: str, errors: float, callers: int, *, checks: bool = True) -> tuple[float, float, float]:
    """Means over callers: turns, turns that only corrected, share of calls with the right venue."""
    calls = [call(variant, errors, seed, checks=checks) for seed in range(callers)]
    turns, corrections, right = (sum(column) / callers for column in zip(*calls, strict=True))
    return turns, corrections, right
