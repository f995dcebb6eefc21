"""The measures that are success rates: successes over attempts, with their intervals and tests."""

from typing import Final

HEADLINES: Final = ("subjective_success", "objective_success_assigned", "objective_success_inferred")
# Definitions of success that part by so much are doubted: twice the margin (0.1) within which two rates count
# as the same unless a study says otherwise, so that the definition weighs more than what trials look for.
FAR_APART: Final = 0.2
RATE_PREFIXES: Final = ("subjective_success", "objective_success_")


def is_rate(name: str) -> bool:
    """True if a measure is a success rate: successes over attempts, with an interval."""
    return name.startswith(RATE_PREFIXES)
