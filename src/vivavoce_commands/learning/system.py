"""Answers of learning systems, and their confidence thresholds."""

from collections.abc import Sequence
from typing import NamedTuple

from vivavoce_commands.learning.examples import SIGNS, from_tokens
from vivavoce_commands.notation import Predicate


class Answer(NamedTuple):
    """The predicates of one command, `#` where the system asks to repeat; `whole` without such requests.

    confidence  the smallest chance of any token, 0 to 1
    """

    predicates: tuple[Predicate, ...]
    whole: tuple[Predicate, ...]
    confidence: float


def answer_of(tokens: list[str], tokens_before: list[str], chances: Sequence[float]) -> Answer:
    """The answer that a sequence of tokens means."""
    return Answer(from_tokens(tokens_before), from_tokens(tokens), min(chances, default=0.0))


def confident(tokens: list[str], chances: Sequence[float], repeat_below: float) -> list[str]:
    """The tokens with `#` for every argument that holds a word less likely than the threshold."""
    if repeat_below <= 0:
        return tokens
    confident_tokens: list[str] = []
    argument: list[str] = []
    sure, depth, listed = True, 0, False
    for token, chance in zip(tokens, chances, strict=True):
        listed = (listed or token == "[") and token != "]"
        if depth and not listed and token in (",", ")"):
            confident_tokens += argument if sure or not argument else ["#"]
            confident_tokens.append(token)
            argument, sure, depth = [], True, int(token == ",")
        elif depth:
            argument.append(token)
            sure = sure and (token in SIGNS or chance >= repeat_below)
        else:
            confident_tokens.append(token)
            depth = int(token == "(")
    return [*confident_tokens, *argument]
