"""Sentences of real callers with the values taken out, for simulated ones.

A sentence is kept only where several callers said it, so that nobody's own words pass on.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from vivavoce.core.result import unless_none
from vivavoce.core.text import spoken_words
from vivavoce.dataset.vocabulary import DONTCARE, leading_act, meaning_without_value

FEWEST_CALLERS: Final = 3

UserAct = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A sentence of real callers.

    say    its words, values as `{slot}`
    means  its acts, as `act`, `act slot` or `act slot dontcare`; a value stands in `say`
    after  the act of the system turn before that leads to it; None where that has none of these
    n      how often it was said, or one in its place that fewer callers said: of those of the same meaning
           that nearest in length
    """

    say: str
    means: list[str]
    after: str | None = unless_none()
    n: int


class CallerTurn(NamedTuple):
    """A user turn: its caller, words and meaning, and the acts of the system turn before."""

    caller: str
    text: str
    acts: Sequence[UserAct]
    before: Collection[str]


def read_sayings(turns: Sequence[CallerTurn], fewest: int = FEWEST_CALLERS) -> list[Saying]:
    """The sentences that callers share, the most frequent first.

    Input   turns of one language; a value that is not among the words makes a sentence useless
    Empty   no sentence was said by so many callers: []
    """
    counts: Counter[tuple[str, tuple[str, ...], str | None]] = Counter()
    callers: defaultdict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for turn in turns:
        template = without_values(" ".join(spoken_words(turn.text)), turn.acts)
        if template and turn.acts:
            means = tuple(meaning_without_value(*act) for act in turn.acts)
            counts[template, means, leading_act(turn.before)] += 1
            callers[template, means].add(turn.caller)
    sayings_by_meaning: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for (say, means), who in sorted(callers.items()):
        if len(who) >= fewest:
            sayings_by_meaning[means].append(say)
    shared: Counter[tuple[str, tuple[str, ...], str | None]] = Counter()
    for (say, means, before), n in counts.items():
        if sayings_by_meaning[means]:
            shared[_stand_in(say, sayings_by_meaning[means]), means, before] += n
    templates = [
        Saying(say=say, means=list(means), after=before, n=n) for (say, means, before), n in shared.items()
    ]
    return sorted(templates, key=lambda template: (-template.n, template.say, template.after or ""))


def _stand_in(say: str, sayings: Sequence[str]) -> str:
    """A sentence itself where it is kept, else the one that is nearest in length."""
    length = len(say.split())
    return (
        say
        if say in sayings
        else min(sayings, key=lambda saying: (abs(len(saying.split()) - length), saying))
    )


def without_values(text: str, acts: Sequence[UserAct]) -> str:
    """A sentence with its values as `{slot}`; `` where a value is not among its words."""
    words = text.split()
    for _, slot, value in acts:
        if slot is None or value is None or value == DONTCARE:
            continue
        value_words = spoken_words(value)
        places = [
            at for at in range(len(words)) if value_words and words[at : at + len(value_words)] == value_words
        ]
        if not places:
            return ""
        for at in reversed(places):
            words[at : at + len(value_words)] = [f"{{{slot}}}"]
    return " ".join(words)
