"""Pairing of answered predicates with predicates of the reference."""

from collections.abc import Sequence
from typing import NamedTuple

from vivavoce_commands.arguments import count_arguments
from vivavoce_commands.notation import Predicate


class PredicatePair(NamedTuple):
    """A predicate of the reference and its answer; None: nobody answered it, or nobody asked for it."""

    reference: Predicate | None
    answer: Predicate | None

    @property
    def recognised(self) -> bool:
        """True if the action is right, implicitness included."""
        expected, answer = self
        return expected is not None and answer is not None and _one_action(expected, answer)


def pair_by_alignment(reference: Sequence[Predicate], answers: Sequence[Predicate]) -> list[PredicatePair]:
    """In order, so that most actions are recognised, then fewest arguments wrong, then fewest left alone.

    A predicate that the system dropped or put in does not spoil those behind it.
    """
    alike = len(reference) == len(answers)
    if alike and (len(reference) == 1 or all(map(_one_action, reference, answers))):
        return list(map(PredicatePair, reference, answers))
    best: dict[tuple[int, int], tuple[tuple[int, int, int], list[PredicatePair]]] = {(0, 0): ((0, 0, 0), [])}
    for done in range(len(reference) + 1):
        for used in range(len(answers) + 1):
            if done or used:
                best[done, used] = min(_steps(best, done, used, reference, answers), key=lambda way: way[0])
    return best[len(reference), len(answers)][1]


def _steps(best, done: int, used: int, reference: Sequence[Predicate], answers: Sequence[Predicate]):
    """The ways to have dealt with so many of both: (missed, distance, left alone) and the pairs."""
    if done and used:
        pair = PredicatePair(reference[done - 1], answers[used - 1])
        (missed, distance, alone), pairs = best[done - 1, used - 1]
        wrong = count_arguments(*pair).distance if pair.recognised else 0  # pyright: ignore[reportArgumentType]
        yield (missed + (not pair.recognised), distance + wrong, alone), [*pairs, pair]
    if done:
        (missed, distance, alone), pairs = best[done - 1, used]
        yield (missed + 1, distance, alone + 1), [*pairs, PredicatePair(reference[done - 1], None)]
    if used:
        (missed, distance, alone), pairs = best[done, used - 1]
        yield (missed, distance, alone + 1), [*pairs, PredicatePair(None, answers[used - 1])]


def _one_action(expected: Predicate, answer: Predicate) -> bool:
    return expected.implicit == answer.implicit and (
        expected.action == answer.action or expected.action.casefold() == answer.action.casefold()
    )
