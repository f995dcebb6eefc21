"""Allocation of systems and tasks to dialogues: rules over counts, random numbers from the caller.

The counts are read in the transaction that writes the assignment, so simultaneous arrivals see each other.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from vivavoce.core.errors import UnknownName

Counts = Mapping[str, int]
Rule = Callable[[Sequence[str], Counts, Counts, Random], str]


def random_system(systems: Sequence[str], mine: Counts, all_: Counts, chance: Random) -> str:
    """Every system with the same probability."""
    return chance.choice(list(systems))


def least_used_by_participant(systems: Sequence[str], mine: Counts, all_: Counts, chance: Random) -> str:
    """The system that this participant has met least, ties at random.

    Source  Jurčíček et al. 2011, section 4.1: the routing that the authors wished they had had
    """
    return chance.choice(_least(systems, mine))


def balanced(systems: Sequence[str], mine: Counts, all_: Counts, chance: Random) -> str:
    """The system with the fewest completed plus running dialogues; ties by the participant's own count.

    What is still tied is drawn, so the systems never differ by more than one.
    """
    return chance.choice(_least(_least(systems, all_), mine))


def _least(systems: Sequence[str], counts: Counts) -> list[str]:
    fewest = min(counts.get(system, 0) for system in systems)
    return [system for system in systems if counts.get(system, 0) == fewest]


RULES: Final[dict[str, Rule]] = {
    "random": random_system,
    "least-used-by-participant": least_used_by_participant,
    "balanced": balanced,
}


def choose_system(rule: str, systems: Sequence[str], mine: Counts, all_: Counts, chance: Random) -> str:
    """The system for the next dialogue.

    Input   systems by name; mine: this participant's dialogues with each; all_: everybody's, running included
    Raises  UnknownName: a rule that does not exist
    """
    if rule not in RULES:
        raise UnknownName("allocation", rule, list(RULES))
    return RULES[rule](systems, mine, all_, chance)


def choose_task(tasks: Sequence[str], done: set[str], chance: Random) -> str | None:
    """A task that this participant has not had, at random; any task once all were had; None without tasks."""
    fresh = [task for task in tasks if task not in done]
    pool = fresh or list(tasks)
    return chance.choice(pool) if pool else None
