"""Questions about where the conversation stands, whatever the matter: what was noted, whether it is done.

A bot answers them from its state: `is it booked?`, `what have you got so far?`, `what do I do now?`.
Such a question is told apart from what is said besides, which is then heard as if it stood alone.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final, Literal, NamedTuple

from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.opening import DAYS, TODAY
from vivavoce_bots.dialogue.speech import read_data, speech
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT

Asked = Literal["done", "noted", "next", "today", "until"]

_NOT_NOW: Final = re.compile(
    r"\b(?:when|how|where|who|why|by whom|can|could|would|will|if|quando|come|dove|chi|"
    r"perché|può|posso|potete|se)\b"
    r"(?!.*\bor not\b)",
    re.I,
)
"""Words of questions about how something is done, not whether it was."""
_TELL: Final = re.compile(
    r"\b(?:tell me|say|let me know|mi dic\w+|dimmi|mi dite|ditemi|mi faccia sapere)\b"
    r"(?: \w+){0,2} (?:if|whether|se)\b",
    re.I,
)
"""How a question is put as a request: tell me whether it is booked."""
_WHAT_DAY: Final = re.compile(r"\b(?:what day is (?:it|today)|che giorno è(?: oggi)?)\W*(?:today)?\W*$", re.I)
_EITHER: Final = re.compile(r"\W*(?:yes or no|sì o no)\W*$", re.I)
_FEWEST: Final = 2


class Inquired(NamedTuple):
    """What is asked of the conversation, in which sentence, and the text without that sentence."""

    asked: Asked
    sentence: str
    rest: str


def inquired(text: str, language: str, about: Callable[[Asked, str], bool]) -> Inquired | None:
    """The question about where the conversation stands; None where there is none.

    about  whether such a question is about the state: `is Emma lent out?` asks of a book, not of an errand
    """
    sentences = sentences_of(text[:LONGEST_TEXT].replace("’", "'"))
    for at, sentence in enumerate(sentences):
        asked, begins = _asked(sentence, language)
        if asked is not None and about(asked, sentence):
            sentences[at] = sentence[:begins] if asked == "today" else ""  # no, Friday, is that today?
            rest = " ".join(one for one in sentences if one and not _EITHER.match(one))
            return Inquired(asked, sentence, rest)
    return None


def _asked(sentence: str, language: str) -> tuple[Asked | None, int]:
    """What a sentence asks of the conversation, and where that begins."""
    told = _TELL.search(sentence)
    if not sentence.endswith("?") and told is None and not _WHAT_DAY.search(sentence):
        return None, 0
    sentence = sentence[told.end() :] if told else sentence
    for kind, form in _forms(language):
        found = form.search(sentence)
        if found and not (kind == "done" and _NOT_NOW.search(sentence[: found.end()])):
            return kind, found.start()
    return None, 0


@cache
def _forms(language: str) -> list[tuple[Asked, re.Pattern[str]]]:
    return [(kind, re.compile(form, re.I)) for kind, form in read_data("inquiries")[language].items()]


def says_something(text: str) -> bool:
    """Whether a text has words."""
    return len(re.sub(r"\W", "", text)) >= _FEWEST


def calendar(language: str) -> str:
    """Which day it is in the towns, where time stands still."""
    known = speech(language)
    days = known.slots["day"]["values"]
    tomorrow = DAYS[(DAYS.index(TODAY) + 1) % len(DAYS)]
    return known.forms["calendar"].format(today=days[TODAY][0], tomorrow=days[tomorrow][0])
