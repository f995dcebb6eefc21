"""What steps that play sounds share, beside `sounds.html` for their pages.

The page opens its answers once every sound was heard to its end; here the same is looked at by the clock.
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
    """How often sounds were played to their end, as the page says; 0 where it does not say it."""
    written = entered.get("plays", "")
    return min(int(written), MOST_PLAYS) if written.isascii() and written.isdigit() else 0
