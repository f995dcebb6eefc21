"""The arena: who meets whom, what may be done in a bout, and how it ends."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Final, Literal

from vivavoce.log import events as log_events
from vivavoce.log.arena_events import BoutAssigned, Side, Vote
from vivavoce.log.history import BoutVote, DialogueHistory
from vivavoce.log.models import StoredEvent

SIDES: Final[tuple[Side, Side]] = ("left", "right")
VOTES: Final[tuple[Vote, ...]] = ("left", "right", "tie", "both_bad")
FAILURES_UNTIL_END: Final = 3

EndOfBout = Literal["user", "system", "limit", "failure", "abandoned"]


@dataclass(frozen=True, slots=True)
class BoutState:
    """Two dialogues side by side, where they stand; votes: on the exchanges that were judged."""

    event: BoutAssigned
    votes: tuple[BoutVote, ...]
    left: DialogueHistory
    right: DialogueHistory

    @property
    def sides(self) -> tuple[DialogueHistory, DialogueHistory]:
        return self.left, self.right

    @property
    def answered(self) -> StoredEvent | None:
        """The answer that arrived last."""
        given = [turn.stored for one in self.sides for turn in one.turns if turn.party == "system"]
        return max(given, key=lambda stored: stored.seq, default=None)

    @property
    def exchange(self) -> int:
        """How many messages were sent to both."""
        return self.left.user_turns

    @property
    def settled(self) -> bool:
        """Nobody is being waited for."""
        return all(one.greeted and one.unanswered is None for one in self.sides)

    @property
    def vote_due(self) -> bool:
        """Both answered the last message, and nobody has judged that yet."""
        last_voted = self.votes[-1].event.exchange if self.votes else 0
        if not self.settled or self.exchange <= last_voted:
            return False
        return all(self.answer(one) is not None for one in self.sides)

    @staticmethod
    def answer(side: DialogueHistory) -> log_events.SystemTurnReceived | None:
        """What a side said to the last message; None where it failed or kept silent."""
        last = side.turns[-1].event if side.turns else None
        return last if isinstance(last, log_events.SystemTurnReceived) and side.user_turns else None

    @property
    def may_finish(self) -> bool:
        """Something was judged, or could not be."""
        failed = any(one.failures for one in self.sides)
        return self.settled and not self.vote_due and bool(self.votes or failed)

    def over(self, turns: int) -> EndOfBout | None:
        """Why the bout is over by itself once its last vote is in; None while it goes on."""
        if not self.settled or self.vote_due:
            return None
        if any(one.failures_in_a_row >= FAILURES_UNTIL_END for one in self.sides):
            return "failure"
        if any(_hung_up(one) for one in self.sides):
            return "system"
        return "limit" if self.exchange >= turns else None


def _hung_up(side: DialogueHistory) -> bool:
    last = side.turns[-1].event if side.turns else None
    return isinstance(last, log_events.SystemTurnReceived) and last.ends_dialogue


def opponents(
    systems: Sequence[str], met: Counter[tuple[str, str]], by_person: Counter[tuple[str, str]], chance: Random
) -> tuple[str, str]:
    """Who meets on the left and on the right: the pair met least by this person, then by anybody.

    Input  how often two systems met, left and right: in the study, and before this person
    Note   the side is the one on which the pair's first stood less often; what is even is drawn
    """
    pairs = list(combinations(systems, 2))
    chance.shuffle(pairs)

    def often(counted: Counter[tuple[str, str]], pair: tuple[str, str]) -> int:
        return counted[pair] + counted[pair[1], pair[0]]

    first, second = min(pairs, key=lambda pair: (often(by_person, pair), often(met, pair)))
    lean = met[first, second] - met[second, first]
    if lean > 0 or (lean == 0 and chance.random() < 0.5):
        return second, first
    return first, second
