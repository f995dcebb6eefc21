"""Which measures are success rates: successes over attempts, with intervals and tests of their own."""

from typing import Final

HEADLINES: Final = ("subjective_success", "objective_success_assigned", "objective_success_inferred")
RATE_PREFIXES: Final = ("subjective_success", "objective_success_")


def is_rate(name: str) -> bool:
    """Whether a measure is a success rate: successes over attempts, with an interval."""
    return name.startswith(RATE_PREFIXES)
