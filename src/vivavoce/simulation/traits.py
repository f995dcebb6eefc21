"""What kind of caller a simulated participant is; populations are drawn with a seed."""

from dataclasses import dataclass
from random import Random
from typing import Final

_MOST_DIALOGUES: Final = 60


@dataclass(frozen=True, slots=True)
class Traits:
    """One caller's habits; shares are probabilities between 0 and 1.

    patience         unhelpful system turns in a dialogue before the caller hangs up
    forgetfulness    that a constraint of the task is not thought of unless asked
    over_informing   that more than one thing is said in a turn
    carefulness      that a misunderstanding in what the system says is noticed and corrected
    curiosity        that another venue is asked for, once in a dialogue
    optimism         that a dialogue that failed is rated as successful all the same
    dialogues        how many dialogues the caller would like to hold
    """

    patience: int
    forgetfulness: float
    over_informing: float
    carefulness: float
    curiosity: float
    optimism: float
    dialogues: int


def draw_traits(random: Random) -> Traits:
    """One caller. The number of dialogues has a long tail: half want one or two, a few want dozens."""
    return Traits(
        patience=random.randint(3, 8),
        forgetfulness=random.betavariate(1.2, 8),
        over_informing=random.betavariate(3, 2),
        carefulness=random.betavariate(6, 1.5),
        curiosity=random.betavariate(1.2, 7),
        optimism=random.betavariate(2, 3),
        dialogues=min(_MOST_DIALOGUES, int(random.paretovariate(0.8))),
    )


class Population:
    """Callers by number; the same seed gives the same callers in whatever order they are asked for."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def traits(self, caller: int) -> Traits:
        return draw_traits(self.random(caller, "traits"))

    def random(self, caller: int, purpose: str) -> Random:
        """A generator of chance for one caller and purpose, such as `dialogue 3`."""
        return Random(f"{self._seed}:{caller}:{purpose}")
