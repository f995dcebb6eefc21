"""Conversations in which a caller gives valid answers; where the bot no longer leads on is a dead end."""

from random import Random
from typing import Any, Final, NamedTuple

from benchmarks._bot_callers import Caller

from vivavoce_bots.acts import Reply
from vivavoce_bots.bot import Bot
from vivavoce_bots.engine.bot_file import BotFile

MOST_IN_VAIN: Final = 3
LONGEST: Final = 60
QUESTIONS: Final = ("request", "confirm", "select", "reqmore")
RESULTS: Final = ("offer", "inform", "bye")


class Walk(NamedTuple):
    """One conversation: turns, most answers in a row that did not lead on, and whether a result was told."""

    turns: list[tuple[str, str]]
    in_vain: int
    reached: bool


def walk(bot: Bot, bot_file: BotFile, seed: str) -> Walk:
    """Random walk: each turn a valid answer to the open question, at times another wish instead.

    An answer of the bot leads on unless it repeats one of its last three. A wish or a denial of the caller
    resets the count.
    """
    caller = Caller(bot_file, Random(f"walk:{bot.name}:{seed}"))
    session = bot.session(seed, bot_file.language)
    reply = bot.greet(session)
    turns, recent, in_vain, reached = [("", reply.text)], [reply.text], 0, False
    while not reply.end and len(turns) < LONGEST and in_vain <= MOST_IN_VAIN:
        text, is_answer = next_turn(reply, caller)
        reply = bot.reply(session, [(text, None)])
        in_vain = in_vain + 1 if is_answer and reply.text in recent[-MOST_IN_VAIN:] else 0
        reached = reached or any(act.act in RESULTS for act in reply.acts)
        recent.append(reply.text)
        turns.append((text, reply.text))
    return Walk(turns, in_vain, reached)


def next_turn(reply: Reply, caller: Caller) -> tuple[str, bool]:
    """What the caller says next, and whether it is a valid answer that must lead on."""
    random = caller.random
    questions = [act for act in reply.acts if act.act in QUESTIONS]
    if not questions or random.random() < 0.1:
        return caller.wish(), False
    last = questions[-1]
    if last.act == "reqmore":
        return (caller.say("negate") if random.random() < 0.5 else caller.wish()), False
    if last.act == "request":
        return caller.answer(last.slot or ""), True
    if last.act == "select" and last.slot in caller.bot.slots:
        offered = [act.value for act in questions if act.slot == last.slot and act.value]
        names = caller.bot.slots[last.slot].values.get(random.choice(offered))
        return (names[0] if names else random.choice(offered)), True
    agrees = random.random() < 0.75
    return caller.say("affirm" if agrees else "negate"), agrees


def walks(bot: Bot, files: dict[str, BotFile], count: int) -> dict[str, Any]:
    """Random walks in all languages alike: dead ends and walks without a result, with the first of each."""
    languages = list(files)
    conversations = [walk(bot, files[languages[seed % len(languages)]], str(seed)) for seed in range(count)]
    dead = [conversation.turns for conversation in conversations if conversation.in_vain > MOST_IN_VAIN]
    vain = [conversation.turns for conversation in conversations if not conversation.reached]
    return {
        "walks": count,
        "turns": sum(len(conversation.turns) for conversation in conversations),
        "dead_ends": len(dead),
        "without_result": len(vain),
        "first_dead_end": dead[:1],
        "first_without_result": vain[:1],
    }
