"""What a turn does with the meal, and what it asks."""

from dataclasses import dataclass, field
from typing import NamedTuple

from vivavoce_bots.carbs.foods import Food, Quantity
from vivavoce_bots.dialogue.spotting import tokens


class Op(NamedTuple):
    """One thing that a turn does with the meal.

    ate     food, how much of it: noted or put right; `more`: on top of what was noted; `instead`: of what was
            spoken of last; `side`: it goes with the food before, or was not chosen; `past`: of another day
    amount  of what is asked or was spoken of last
    not     was not eaten; without a name: what was spoken of last
    once    was noted twice
    spoke   of a food, and did nothing with it
    back    what was taken out is put back
    """

    kind: str
    written: str = ""
    food: Food | None = None
    quantity: Quantity = Quantity()
    more: bool = False
    instead: bool = False
    side: bool = False
    past: bool = False

    def names(self, other: "Op") -> bool:
        """Whether another names the same food, perhaps in fewer words."""
        mine, theirs = set(tokens(self.written)), set(tokens(other.written))
        alike = self.food is not None and self.food == other.food and not self.food.group
        return alike or mine <= theirs or theirs <= mine


class Fact(NamedTuple):
    """A food that is asked about, and how much of it."""

    written: str
    food: Food | None
    quantity: Quantity


@dataclass
class Turn:
    """What a turn does and asks.

    choice  foods of which one was eaten, and it was not said which
    facts   foods that are asked about; held: those of which it is asked whether they were noted
    asks    total, noted, said, portion, who, other (which nobody here can answer)
    disputed  a food whose amount, as it was told last, is asked about in doubt
    both    whether it is said that it was both of two
    apart   sentences that ask something which is not about foods
    others  whether other people's or other days' foods were told of, and nothing besides
    """

    ops: list[Op] = field(default_factory=list)
    choice: list[Op] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    held: list[Op] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    disputed: Op | None = None
    done: bool = False
    both: bool = False
    others: bool = False
