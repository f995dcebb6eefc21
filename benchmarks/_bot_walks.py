"""Callers who answer at random what a bot asks, always validly; where it no longer leads on is a dead end."""

from random import Random
from typing import Any, Final, NamedTuple

from benchmarks._bot_inputs import LANGUAGES, callers

from vivavoce_bots.acts import Reply
from vivavoce_bots.bot import Bot

MOST_IN_VAIN: Final = 3
LONGEST: Final = 40
_YES: Final = 0.75
_ASIDE: Final = 0.1
_ENOUGH: Final = 0.25
_QUESTIONS: Final = ("request", "confirm", "select", "reqmore")


class Walk(NamedTuple):
    """One conversation: what was said and answered, answers in vain at its end, whether it led anywhere."""

    turns: list[tuple[str, str]]
    in_vain: int
    reached: bool

    @property
    def dead_end(self) -> bool:
        """More than three answers in a row that do not lead on, to answers that are valid."""
        return self.in_vain > MOST_IN_VAIN


def walk(bot: Bot, name: str, language: str, seed: int) -> Walk:
    """A random walk through a bot: each turn a valid answer to its question, at times something else instead.

    An answer does not lead on that says it did not understand, or says once more what one of the last three
    said; whoever asks for the same thing twice, or denies what they said, is rightly told the same, which is
    why a wish of the caller's own and a denial begin the count anew.
    """
    random = Random(f"walk:{name}:{language}:{seed}")
    said = callers()[name][language]
    session = bot.session(f"{name}{seed}", language)
    reply = _with_acts(session, bot.greet(session))
    turns, recent, in_vain, reached = [("", reply.text)], [reply.text], 0, False
    while not reply.end and len(turns) < LONGEST and in_vain <= MOST_IN_VAIN:
        text, answers = _next(reply, said, random)
        reply = _with_acts(session, bot.reply(session, [(text, None)]))
        repeats = reply.text in recent[-MOST_IN_VAIN:] or any(act.act == "repeat" for act in reply.acts)
        in_vain = in_vain + 1 if repeats and answers else 0
        reached = reached or any(act.act in ("offer", "inform", "bye") for act in reply.acts)
        recent.append(reply.text)
        turns.append((text, reply.text))
    return Walk(turns, in_vain, reached)


def _with_acts(session: object, reply: Reply) -> Reply:
    """A reply with its acts, which a bot that answers in words only keeps to itself."""
    last = getattr(session, "last", None)
    return last if isinstance(last, Reply) and last.text == reply.text else reply


def _next(reply: Reply, said: dict[str, list[str]], random: Random) -> tuple[str, bool]:
    """What the caller says next, and whether it answers the question."""
    asked = [act for act in reply.acts if act.act in _QUESTIONS]
    if asked and asked[-1].act == "reqmore" and random.random() < _ENOUGH:
        return random.choice(said["no"]), False
    if not asked or asked[-1].act == "reqmore" or random.random() < _ASIDE:
        return random.choice(said["wishes"]), False
    if asked[0].act == "request":
        return random.choice(said.get(asked[0].slot or "") or said.get("*") or said["wishes"]), True
    agrees = random.random() < _YES
    return random.choice(said["yes" if agrees else "no"]), agrees or asked[0].act == "select"


def walks(bots: list[Bot], name: str, count: int) -> dict[str, Any]:
    """Random walks, over variants and languages alike: how many, dead ends, and the first of these."""
    made = [
        walk(bots[seed % len(bots)], name, LANGUAGES[seed // len(bots) % 2], seed) for seed in range(count)
    ]
    dead = [one for one in made if one.dead_end]
    vain = [one for one in made if not one.reached]
    return {
        "walks": count,
        "turns": sum(len(one.turns) for one in made),
        "dead_ends": len(dead),
        "came_to_nothing": len(vain),
        "first_dead_end": dead[0].turns if dead else None,
        "first_that_came_to_nothing": vain[0].turns if vain else None,
    }
