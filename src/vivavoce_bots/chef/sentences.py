"""The sentences of a turn: what they ask, what a question is about, and in which order they are obeyed."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce_bots.chef.reading import Clause, tells
from vivavoce_bots.chef.words import WORDS
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.speech import is_question, without_tag

_SENTENCE: Final = re.compile(r"(?<=[.!?;:…])\s+")
_MOST_SENTENCES: Final = 12


@dataclass
class Sentence:
    """One sentence of a turn: its clauses, whether it asks or leaves, what of it is beyond the robot.

    topic    the things that the question behind it is about: and the salt, did I say salt?
    lacking  those of them that are not here
    points   a pronoun stands for them
    """

    text: str
    heard: Heard
    clauses: list[Clause]
    asks: bool
    beyond: str | None
    leaves: bool
    topic: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    points: bool = False


def sentences(text: str, language: str) -> list[str]:
    """The sentences of a turn, twelve at most; a question behind a comma stands alone."""
    text = WORDS[language]["unsure"].sub(".", text)
    text = WORDS[language]["hesitates"].sub(r"\1 ", text)
    text = re.sub(r"\s+(?='s\b)", "", re.sub(r"([.!?]),\s*", r"\1 ", text))
    found: list[str] = []
    for whole in _SENTENCE.split(text):
        *before, last = WORDS[language]["asks_now"].split(whole)
        found += [*(f"{one}," for one in before), last]
    return [one.strip() for one in found if re.search(r"\w", one)][:_MOST_SENTENCES]


def asks(sentence: str, clauses: Sequence[Clause], language: str) -> bool:
    """Whether a sentence asks, and commands nothing: `le sbucci?` does not ask."""
    commands = any(clause.action and not clause.stopped for clause in clauses)
    if WORDS[language]["or_else"].match(sentence) and sentence.rstrip().endswith("?") and not commands:
        return True
    if WORDS[language]["or_not"].search(sentence):
        return True
    bare = without_tag(sentence, language)
    if not any(clause.says for clause in clauses) and WORDS[language]["tag"].search(sentence):
        return True  # they are in the pan, aren't they
    sentence = WORDS[language]["tag"].sub("", bare)
    if WORDS[language]["asking"].match(sentence):
        return True
    if WORDS[language]["leads"].match(sentence) and any(clause.target or clause.place for clause in clauses):
        return False  # and now on the stove?
    return is_question(sentence, language) and not commands


def in_order(turn: Sequence[Sentence], language: str, *, waits: bool) -> list[Sentence]:
    """The sentences of a turn with what comes first ahead, and what a question is about told from commands.

    waits  whether things without a verb answer what was asked
    """
    ahead: list[Clause] = []
    for at, one in enumerate(turn):
        before = [clause for two in turn[: at + 1] for clause in two.clauses]
        one.topic = (*one.topic, *_topic(turn, at, answers=waits and not any(two.action for two in before)))
        if at and not turn[at - 1].clauses and tells(turn[at - 1].text, language) and one.clauses:
            goes_on = one.clauses[0]  # I bought two trout, that is, fish
            bare = not (goes_on.action or goes_on.target or goes_on.place)
            one.clauses = one.clauses[1:] if goes_on.retracts and bare else one.clauses
        if at and len(one.clauses) == 1 and turn[at - 1].clauses and one.clauses[0].names_alone:
            points = turn[at - 1].clauses[-1]
            if points.action and points.it and not points.things and not one.asks:  # boil them. the potatoes
                turn[at - 1].clauses[-1] = points._replace(food=one.clauses[0].food, it=False)
                one.clauses = []
        if at and turn[at - 1].asks and WORDS[language]["or_else"].match(one.text):
            one.asks = one.asks or not any(two.action for two in one.clauses)  # or just bread
        denied = any(re.match(r"\W*(?:no+|nope|nah)\b", two.text, re.I) for two in turn[at + 1 : at + 2])
        if one.text.endswith("?") and denied and not any(two.things for two in turn[at + 1].clauses):
            one.clauses = [two for two in one.clauses if not two.action]  # peeled? no, with the skin
        for clause in [] if one.asks else [two for two in one.clauses if two.first]:
            earlier = [two for two in before[: before.index(clause)] if two.says]
            if not earlier or earlier[0].first:
                continue
            one.clauses = [two for two in one.clauses if two is not clause]
            it = clause.it and not clause.food
            bare = bool(clause.food) and not (clause.action or clause.target or clause.place)
            ahead.append(
                clause._replace(
                    food=earlier[-1].food if it else clause.food,
                    it=clause.it and not it,
                    action="mettere" if bare else clause.action,
                    boxes=(*clause.boxes, *earlier[-1].boxes[-1:])
                    if bare and not clause.boxes
                    else clause.boxes,
                    target=earlier[-1].target if bare else clause.target,
                )
            )
    start = next((one for one in turn if one.clauses), None)
    if start is not None and ahead:
        start.clauses = [*ahead, *start.clauses]
    return list(turn)


def _topic(turn: Sequence[Sentence], at: int, *, answers: bool) -> tuple[str, ...]:
    """The things before a question about them, which are taken out of the clauses; none that answer."""
    one = turn[at]
    then = next((two for two in turn[at + 1 : at + 2] if two.asks), None)
    if then is None or one.asks or answers or not one.text.endswith((",", "..", "…")):
        return ()
    bare = list(itertools.takewhile(lambda two: two.is_bare, reversed(one.clauses)))[::-1]
    things = tuple(thing for two in bare for thing in two.things)
    named = {span.value for span in then.heard.all("thing")}
    if not named & {*things} and not then.points:
        return ()
    one.clauses = one.clauses[: len(one.clauses) - len(bare)]
    then.lacking = tuple(thing for two in bare for thing in two.strange)
    return things
