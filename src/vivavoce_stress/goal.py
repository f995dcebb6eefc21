"""The goal of a dialogue with a black box: words by which, as its team says, it tells that it is done."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from vivavoce.core.patterns import search
from vivavoce_stress.evidence import sentences_of
from vivavoce_stress.heuristics import plain

_LONG: Final = 4  # letters of a word by which a value is known
_BETWEEN: Final = 2  # words between a number and what it counts
_MONEY: Final = re.compile(r"euro|eur$|pound|dollar|cent")
_SIGNS: Final = re.compile(r"[€$£]")


class ToldGoal(NamedTuple):
    """A system's message that it is done: the place of its turn, and the words in it."""

    place: int
    words: str


class GivenValue(BaseModel):
    """A value that the task gave, and the other values that may not be named in its place.

    name    what the system calls it, behind which it may tell the value: `passengers: 2`; null: not known
    number  the number that the value is or has, in figures: 5 of `five pots`; null: none, or several
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    own: str
    others: tuple[str, ...] = ()
    name: str | None = None
    number: str | None = None

    def told_behind_name(self, text: str) -> ToldGoal | None:
        """The value that a text tells behind the name, and where; the last where it does several times."""
        if self.name is None:
            return None
        matches = list(re.finditer(behind_name(self.name, [self.own, *self.others]), text, re.IGNORECASE))
        return ToldGoal(matches[-1].start(), matches[-1].group("value")) if matches else None


class Contradiction(NamedTuple):
    """A system's value that contradicts the task: the place of its turn, and the sentence."""

    place: int
    words: str


class GoalInWords(BaseModel):
    """A goal that words tell.

    done   regular expression, in any case
    given  what the task asked for; one goal of another value is another goal
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    done: str
    given: tuple[GivenValue, ...] = ()

    def told_in(self, turns: Sequence[Mapping[str, Any]]) -> ToldGoal | None:
        """The first turn of the system, after the user's first, that tells that the goal was reached.

        None does while the system last told another value than the task's behind its name: `passengers: 1`.

        Input  turns: party, text
        Empty  none does: None
        """
        first = next((at for at, turn in enumerate(turns) if turn["party"] == "user"), len(turns))
        for place, turn in enumerate(turns):
            text = turn["text"] or ""
            if place <= first or turn["party"] != "system" or not self._said(text) or self._another(text):
                continue
            if self.contradicted_in(turns[: place + 1]) is not None:
                continue
            return ToldGoal(place, next(filter(self._said, sentences_of(text)), text))
        return None

    def done_otherwise(self, turns: Sequence[Mapping[str, Any]]) -> str | None:
        """The words that tell another value than the task's of what the system said that it had done.

        Empty  it never said so, or tells no other value behind its name: None
        """
        tells_done = any(turn["party"] == "system" and self._said(turn["text"] or "") for turn in turns)
        contradiction = self.contradicted_in(turns) if tells_done else None
        return None if contradiction is None else contradiction.words

    def carried_out_otherwise(self, turns: Sequence[Mapping[str, Any]]) -> str | None:
        """The words by which the system first told that it had done another thing than the task's.

        Input  turns: party, text
        Empty  it told of none: None
        """
        system_texts = (turn["text"] or "" for turn in turns if turn["party"] == "system")
        wrong = next((text for text in system_texts if self._said(text) and self._another(text)), None)
        return wrong and next(filter(self._said, sentences_of(wrong)), wrong)

    def contradicted_in(self, turns: Sequence[Mapping[str, Any]]) -> Contradiction | None:
        """Last task value that the system stated behind its name, if it contradicts the task.

        Input  turns: party, text
        Empty  it names no value so, or names those of the task: None
        """
        for given_value in self.given:
            for place, turn in reversed(list(enumerate(turns))):
                text = turn["text"] or ""
                told_goal = given_value.told_behind_name(text) if turn["party"] == "system" else None
                if told_goal is None:
                    continue
                if told_goal.words.casefold() == given_value.own.casefold():
                    break
                return Contradiction(place, text[told_goal.place :].split(". ")[0].rstrip("."))
        return None

    def _said(self, text: str) -> bool:
        return search(self.done, text, ignore_case=True) is not None

    def _another(self, text: str) -> bool:
        """True if the text names another value in place of one of the task's."""
        mine = {given_value.own for given_value in self.given}
        lost = [given_value for given_value in self.given if not _named([given_value.own], text)]
        return any(_named(set(value.others) - mine, text) or self._renumbered(value, text) for value in lost)

    def _renumbered(self, one: GivenValue, text: str) -> bool:
        """True if the task's number is absent and another stands before what is counted: 2 nights."""
        tokens = plain(_SIGNS.sub(" euro ", text)).split()
        if one.number is None or one.number in tokens:
            return False
        counted = [*(given_value.own for given_value in self.given), one.name or ""]
        words = {word for text in counted for word in plain(text).split() if len(word) >= _LONG}
        for at, token in enumerate(tokens):
            behind = tokens[at + 1 : at + 2 + _BETWEEN]
            place = next((gap for gap, word in enumerate(behind) if word in words), None)
            beside = [*tokens[max(0, at - 1) : at], *behind[:place]]
            if token.isdigit() and place is not None and not any(map(_MONEY.match, beside)):
                return True
        return False


def behind_name(name: str, values: Iterable[str]) -> str:
    """Regular expression of a value told behind its name, `passengers: 2`, in its group `value`.

    A choice of several, `class: first or second`, tells none.
    """
    pattern = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
    choice = rf"(?!\s*(?:[,/|]|\w{{1,4}}\s)\s*(?:{pattern})(?!\w))"
    return (
        rf"(?<!\w){re.escape(name)}(?!\w)\s*[:=–-]?\s*(?:is\s+|are\s+)?"
        rf"(?P<value>{pattern})(?!\w|[:.,]\d){choice}"
    )


def _named(names: Iterable[str], text: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)
