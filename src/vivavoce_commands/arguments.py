"""Answered arguments against the reference's: the distance, and what became of each."""

from typing import NamedTuple

from vivavoce_commands.notation import REPEATED, Argument, Listed, Predicate, Words


class ArgumentCounts(NamedTuple):
    """One predicate's arguments: `correct` and `asked` (to repeat) are part of the expected ones.

    `distance` is Levenshtein's over the arguments; a `#` costs nothing in it and counts in `repetitions`.
    """

    expected: int
    answered: int
    distance: int
    repetitions: int
    correct: int


def count_arguments(reference: Predicate, answer: Predicate) -> ArgumentCounts:
    """Align the arguments of two predicates of one action.

    Output  of the alignments of least distance, the one with most correct arguments
    Source  Di Maro et al. 2018, section 3; Levenshtein 1966, unit costs
    """
    expected, answered = reference.arguments, answer.arguments
    repetitions = answered.count(REPEATED)
    if expected == answered and not repetitions and all(map(_single, expected)):
        return ArgumentCounts(len(expected), len(answered), 0, 0, len(expected))
    distance, missed = _align(expected, answered)
    return ArgumentCounts(
        len(expected), len(answered) - repetitions, distance, repetitions, len(expected) - missed
    )


def _align(expected: tuple[Argument, ...], answered: tuple[Argument, ...]) -> tuple[int, int]:
    """Least distance, and the expected arguments that are not correct in it (as few as can be)."""
    costs = [answer != REPEATED for answer in answered]
    row = [(0, 0)]
    for cost in costs:
        row.append((row[-1][0] + cost, 0))
    for argument in expected:
        above, row = row, [(row[0][0] + 1, row[0][1] + 1)]
        for column, answer in enumerate(answered):
            wrong = not fits(argument, answer)
            row.append(
                min(
                    (above[column][0] + (wrong and costs[column]), above[column][1] + wrong),
                    (above[column + 1][0] + 1, above[column + 1][1] + 1),
                    (row[column][0] + costs[column], row[column][1]),
                )
            )
    return row[-1]


def fits(reference: Argument, answer: Argument) -> bool:
    """True if the answer is one of the reference's alternatives, asterisks included; ignores case.

    An answer that names several alternatives fits none: only one of them can be carried out.
    """
    if len(answer.options) != 1 or answer == REPEATED:
        return False
    (answered,) = answer.options
    return any(_same(option, answered) for option in reference.options)


def _same(option: Words | Listed, answer: Words | Listed) -> bool:
    if option.implicit != answer.implicit:
        return False
    if isinstance(option, Words) and isinstance(answer, Words):
        return option.text == answer.text or option.text.casefold() == answer.text.casefold()
    if isinstance(option, Listed) and isinstance(answer, Listed):
        return len(option.items) == len(answer.items) and all(map(fits, option.items, answer.items))
    return False


def _single(argument: Argument) -> bool:
    return len(argument.options) == 1 and (
        isinstance(argument.options[0], Words) or all(map(_single, argument.options[0].items))
    )
