"""What is remembered of any conversation, what is answered in it, and how answers are put together."""

import pickle
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from random import Random
from typing import Any, Final, NamedTuple

from vivavoce_bots.acts import Act, Meaning, Reply

_REMEMBERED: Final = 4
QUESTION: Final = re.compile(r"[^.!?]*\?(?: \([^()]*\))?$")  # the last sentence, where it asks


class Answer(NamedTuple):
    """What a bot answers; `end` hangs up."""

    text: str
    acts: tuple[Act, ...]
    understood: tuple[Meaning, ...] = ()
    end: bool = False


@dataclass
class Talk:
    """What is remembered of any conversation; `before` are its states before the last turns.

    changed  whether the last turn brought anything about
    repeats  whether this turn says the last one again, as it was asked to
    stalled  turns in a row that led on to nothing
    vain     how often the question that waits was asked again, and nothing said besides
    standing what this turn asks of where the conversation stands
    """

    language: str
    random: Random = field(default_factory=Random)
    last: Reply | None = None
    before: deque[bytes] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    lost: int = 0
    changed: bool = False
    repeats: bool = False
    stalled: int = 0
    vain: int = 0
    standing: tuple[str, ...] = ()

    def snapshot(self) -> bytes:
        """The state of the conversation, without what holds for this turn alone."""
        return pickle.dumps({name: one for name, one in vars(self).items() if name not in _FLEETING})

    def remember(self, before: bytes) -> None:
        """Keep the state before this turn, where the turn changed it."""
        self.changed = before != self.snapshot()
        if self.changed:
            self.before.append(before)

    def step_back(self) -> dict[str, Any]:
        """Restore the state before the last turn that changed it; what that had made is returned."""
        was = self.snapshot()
        for name, value in pickle.loads(self.before.pop()).items():  # noqa: S301 (our own, never sent)
            setattr(self, name, value)
        return pickle.loads(was)  # noqa: S301 (our own, never sent)


_FLEETING: Final = frozenset(one.name for one in fields(Talk)) - {"language"}
"""What of a conversation is no state that a step back restores."""


def closing_question(answer: Answer) -> str:
    """The question at the end of an answer."""
    found = QUESTION.search(answer.text)
    return found[0].strip() if found else ""


def naming(sentence: str, words: str) -> str:
    """The sentence that something was not understood, with what that was."""
    form = re.compile(r"\b(understand|capito)\.")
    marks = {"understand": "“{}”", "capito": "«{}»"}
    return (
        form.sub(lambda one: f"{one[1]} {marks[one[1]].format(words)}.", sentence, 1) if words else sentence
    )


def asked_for_more(last: Reply | None) -> bool:
    """Whether a turn asked whether there is more."""
    return last is not None and bool(last.acts) and last.acts[-1].act == "reqmore"


def joined(sentences: Sequence[str]) -> str:
    """Sentences one behind the other, none twice."""
    kept: list[str] = []
    for sentence in sentences:
        if sentence and not any(sentence in other for other in kept):
            kept = [one for one in kept if one not in sentence] + [sentence]
    return " ".join(kept)
