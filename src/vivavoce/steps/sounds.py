"""Shared code of steps with sounds; their pages use `sounds.html`.

The page enables answers after every sound was heard to its end; the server checks the same by the clock.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from vivavoce.steps.base import Message
from vivavoce.steps.stimulus import Rejected

HEARD: Final = 0.95  # of what must be heard must have gone by since it was due; players round
MOST_PLAYS: Final = 10_000


def expect_heard(lengths_s: Iterable[float], elapsed_s: float | None) -> None:
    """Look whether sounds of these lengths can have been heard whole; elapsed_s: None of a program.

    Raises  Rejected
    """
    if elapsed_s is not None and elapsed_s < HEARD * sum(lengths_s):
        raise Rejected(Message("Please listen to the end before you answer."))


def played_times(entered: Mapping[str, str]) -> int:
    """Number of complete plays, as the page reports; 0 without a report."""
    plays = entered.get("plays", "")
    return min(int(plays), MOST_PLAYS) if plays.isascii() and plays.isdigit() else 0
