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
FAINT: Final = 1e-3  # of a meeting: what keeps who never met comparable

Pair = tuple[str, str]

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
        answers = [turn.stored for side in self.sides for turn in side.turns if turn.party == "system"]
        return max(answers, key=lambda stored: stored.seq, default=None)

    @property
    def exchange(self) -> int:
        """Number of messages sent to both."""
        return self.left.user_turns

    @property
    def settled(self) -> bool:
        """Check that no system's answer is awaited."""
        return all(side.greeted and side.unanswered is None for side in self.sides)

    @property
    def vote_due(self) -> bool:
        """Both answered the last message, and nobody has judged that yet."""
        last_voted = self.votes[-1].event.exchange if self.votes else 0
        if not self.settled or self.exchange <= last_voted:
            return False
        return all(self.answer(side) is not None for side in self.sides)

    @staticmethod
    def answer(side: DialogueHistory) -> log_events.SystemTurnReceived | None:
        """Answer of a side to the last message; None if it failed or gave none."""
        last = side.turns[-1].event if side.turns else None
        return last if isinstance(last, log_events.SystemTurnReceived) and side.user_turns else None

    @property
    def may_finish(self) -> bool:
        """Something was judged, or could not be."""
        failed = any(side.failures for side in self.sides)
        return self.settled and not self.vote_due and bool(self.votes or failed)

    def over(self, turns: int) -> EndOfBout | None:
        """Reason why the battle is over after its last vote; None while it continues."""
        if not self.settled or self.vote_due:
            return None
        if any(side.failures_in_a_row >= FAILURES_UNTIL_END for side in self.sides):
            return "failure"
        if any(_hung_up(side) for side in self.sides):
            return "system"
        return "limit" if self.exchange >= turns else None


def _hung_up(side: DialogueHistory) -> bool:
    last = side.turns[-1].event if side.turns else None
    return isinstance(last, log_events.SystemTurnReceived) and last.ends_dialogue


def opponents(
    systems: Sequence[str],
    met: Counter[Pair],
    by_person: Counter[Pair],
    chance: Random,
    *,
    widest: bool = False,
) -> Pair:
    """Pair to meet, left and right: met least by this person, then by anybody.

    Input  how often two systems met, left and right: in the study, and before this person; widest: of pairs
           that this person met equally often the one whose difference is known least, see `unknown`
    Note   the side is the one on which the pair's first stood less often; what is even is drawn
    """
    pairs = list(combinations(systems, 2))
    chance.shuffle(pairs)
    least = min(_often(by_person, pair) for pair in pairs)
    open_ones = [pair for pair in pairs if _often(by_person, pair) == least]
    spread = unknown(systems, met) if widest else {pair: -_often(met, pair) for pair in pairs}
    first, second = max(open_ones, key=lambda pair: spread[pair])
    lean = met[first, second] - met[second, first]
    if lean > 0 or (lean == 0 and chance.random() < 0.5):
        return second, first
    return first, second


def _often(counted: Counter[Pair], pair: Pair) -> int:
    return counted[pair] + counted[pair[1], pair[0]]


def unknown(systems: Sequence[str], met: Counter[Pair]) -> dict[Pair, float]:
    """Uncertainty of the difference between two systems: its variance, up to a factor.

    Every meeting tells as much as any other, and a and b are compared by way of c, too: the variance is the
    effective resistance of the graph of meetings, so that a new system, of which nothing is known, comes
    first, and pairs that others connect well come last. Who never met, not even by way of others, has a
    large one. Rounded, so that what is even stays so.
    """
    size = len(systems)
    information = [[1 / size] * size for _ in systems]
    for a, b in combinations(range(size), 2):
        weight = _often(met, (systems[a], systems[b])) + FAINT
        for row, column in ((a, b), (b, a)):
            information[row][row] += weight
            information[row][column] -= weight
    spread = _inverse(information)
    return {
        (systems[a], systems[b]): round(spread[a][a] + spread[b][b] - 2 * spread[a][b], 9)
        for a, b in combinations(range(size), 2)
    }


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """Invert a positive definite matrix by elimination: systems are few, and no visit waits for a library."""
    size = len(matrix)
    rows = [[*row, *(float(at == place) for at in range(size))] for place, row in enumerate(matrix)]
    for place in range(size):
        rows[place] = [value / rows[place][place] for value in rows[place]]
        for target in (index for index in range(size) if index != place):
            factor = rows[target][place]
            rows[target] = [
                value - factor * lead for value, lead in zip(rows[target], rows[place], strict=True)
            ]
    return [row[size:] for row in rows]
