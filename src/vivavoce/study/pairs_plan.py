"""Plans of pairs for participants: selection, order and sides, drawn and balanced over participants.

Participants are numbered by slots 0, 1, 2, ...; a slot that nobody finished is given to the next one. Over
any first n slots the counts of a variable's sides, and of its pairs, differ by at most one; over every block
of as many slots as there are variables each variable stands once at each place.
"""

from collections.abc import Sequence
from random import Random
from typing import Literal, NamedTuple

from vivavoce.study.pairs import Pair

Side = Literal["left", "right"]
Role = Literal["main", "attention", "repeat"]


class PlannedComparison(NamedTuple):
    """One pair to be shown: what for, and on which side the experimental transcript stands."""

    pair: Pair
    role: Role
    experimental_side: Side


class PairsDraw(NamedTuple):
    """Settings of plans.

    attention  whether attention pairs are mixed in
    repeats    how many pairs are shown once more
    """

    variables: tuple[str, ...]
    seed: int = 1
    attention: bool = False
    repeats: int = 0


def plan(draw: PairsDraw, pairs: Sequence[Pair], slot: int) -> tuple[PlannedComparison, ...]:
    """The comparisons of one participant; the same slot gives the same plan.

    Note  each variable once; attention pairs come in between, never first; pairs to be repeated come last
    """
    planned_comparisons: list[PlannedComparison] = []
    for variable in order(draw.seed, draw.variables, slot):
        of_variable = [pair for pair in pairs if pair.variable == variable and pair.attention is None]
        side = experimental_side(draw.seed, draw.variables, variable, slot)
        chosen = of_variable[_pair(draw, variable, len(of_variable), slot)]
        planned_comparisons.append(PlannedComparison(chosen, "main", side))
    again = _repeated(draw, planned_comparisons, slot)
    chance = Random(f"{draw.seed}:attention:{slot}")
    for pair in (pair for pair in pairs if draw.attention and pair.attention is not None):
        side: Side = chance.choice(("left", "right"))
        planned_comparisons.insert(
            chance.randint(1, len(planned_comparisons)), PlannedComparison(pair, "attention", side)
        )
    return (*planned_comparisons, *again)


def order(seed: int, variables: Sequence[str], slot: int) -> list[str]:
    """The variables in a participant's order: a row of a Williams square, its rows drawn block by block.

    Source  Williams 1949: every variable stands once at every place and, over a square (two mirrored ones for
            an odd number), follows every other equally often
    """
    count = len(variables)
    block, within = divmod(slot, count)
    chance = Random(f"{seed}:order:{block // 2}")  # mirrored squares share their names
    names, rows = list(variables), [list(range(count)), list(range(count))]
    chance.shuffle(names)
    for each in rows:
        chance.shuffle(each)
    start = rows[block % 2][within]
    steps = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(count)]
    row = [names[(start + step) % count] for step in steps]
    return row[::-1] if block % 2 else row


def experimental_side(seed: int, variables: Sequence[str], variable: str, slot: int) -> Side:
    """The side of a variable's experimental transcript: slots come in twins with opposite sides.

    Note  half of one participant's variables stand on either side, as nearly as can be
    """
    chance = Random(f"{seed}:side:{slot // 2}")
    count = len(variables)
    left = count // 2 + (chance.random() < 0.5 if count % 2 else 0)
    sides = [True] * left + [False] * (count - left)
    chance.shuffle(sides)
    return "left" if sides[list(variables).index(variable)] != bool(slot % 2) else "right"


def _pair(draw: PairsDraw, variable: str, count: int, slot: int) -> int:
    """Allocation of a variable's pairs: each once in every `count` slots, and in twice as many on both
    sides.
    """
    block, within = divmod(slot, 2 * count)
    chance = Random(f"{draw.seed}:pair:{variable}:{block}")
    first = chance.sample(range(count), count)
    if within < count:
        return first[within]
    start = 2 * count * block

    def is_left(place: int) -> bool:
        return experimental_side(draw.seed, draw.variables, variable, start + place) == "left"

    was_left = [pair for place, pair in enumerate(first) if is_left(place)]
    was_right = [pair for place, pair in enumerate(first) if not is_left(place)]
    chance.shuffle(was_left)
    chance.shuffle(was_right)
    second = [was_right.pop() if is_left(place) else was_left.pop() for place in range(count, 2 * count)]
    return second[within - count]


def _repeated(draw: PairsDraw, shown: list[PlannedComparison], slot: int) -> list[PlannedComparison]:
    """Pairs shown again, the earliest first, with their sides changed."""
    chance = Random(f"{draw.seed}:repeat:{slot}")
    places = sorted(chance.sample(range(len(shown)), draw.repeats))
    turned: dict[Side, Side] = {"left": "right", "right": "left"}
    return [
        PlannedComparison(shown[place].pair, "repeat", turned[shown[place].experimental_side])
        for place in places
    ]
