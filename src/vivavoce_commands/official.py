"""The score as the script of the 2018 campaign counted it, from the text of each line.

A line is an identifier, all up to the last `; ` before a predicate; then at most three predicates, each up
to its first `)`, apart by `, `, behind a `[` or not. For each predicate of the reference in turn, the
answered ones behind the one that was chosen last are looked through; of those with the same action the first
with the smallest distance is chosen.

Source  Di Maro, Origlia and Cutugno 2018, section 3, and the campaign's script;
        tests/golden/commands-official.json
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

MOST_PREDICATES: Final = 3
MOST_ALTERNATIVES: Final = 2
REPEAT: Final = "#"
_PREDICATE: Final = r"([^()]*\([^)]*\))"
_LINE: Final = re.compile(rf"((?:.*; )?)\[?{_PREDICATE}(?:, {_PREDICATE})?(?:, {_PREDICATE})?")


class WrittenLine(NamedTuple):
    """A predicate as it is written; every argument with the alternatives that count."""

    action: str
    arguments: tuple[tuple[str, ...], ...]


class ScoredLine(NamedTuple):
    """The identifier without its number, and the predicates after it."""

    identifier: str
    predicates: tuple[WrittenLine, ...]


class ChosenMatch(NamedTuple):
    """A predicate of the reference with the one that was chosen for it, if any.

    `distance` is Levenshtein's over arguments, a `#` being one like any other; `correct`: expected arguments
    that stand where they are expected in the alignment of least distance with most of them.
    """

    reference: WrittenLine
    place: int | None
    distance: int
    correct: int
    repetitions: int


def read_line(annotation: str) -> ScoredLine | None:
    """The predicates of a line behind its utterance number; None where there is none."""
    match = _LINE.match(annotation.strip())
    if match is None:
        return None
    identifier, *texts = match.groups()
    return ScoredLine(identifier, tuple(_predicate(text) for text in texts if text is not None))


def _predicate(text: str) -> WrittenLine:
    action, _, inside = text.partition("(")
    pieces = [piece.split("/")[:MOST_ALTERNATIVES] for piece in inside.removesuffix(")").split(",")]
    return WrittenLine(action, tuple(tuple(map(str.strip, options)) for options in pieces))


def choose(reference: Iterable[WrittenLine], answers: Sequence[WrittenLine]) -> list[ChosenMatch]:
    """For each predicate of the reference the best answer behind the one that was chosen last."""
    begin, chosen = 0, list[ChosenMatch]()
    for expected in reference:
        best = None
        for place in range(begin, len(answers)):
            if answers[place].action == expected.action:
                distance, missed = align(expected.arguments, _words(answers[place]))
                if best is None or distance < best[0]:
                    best = distance, missed, place
        if best is None:
            chosen.append(ChosenMatch(expected, None, 0, 0, 0))
            continue
        distance, missed, place = best
        begin = place + 1
        repetitions = _words(answers[place]).count(REPEAT)
        chosen.append(ChosenMatch(expected, place, distance, len(expected.arguments) - missed, repetitions))
    return chosen


def _words(answer: WrittenLine) -> list[str]:
    """Answered arguments as they are written: several alternatives are none of them."""
    return ["/".join(options) for options in answer.arguments]


def align(expected: Sequence[tuple[str, ...]], words: Sequence[str]) -> tuple[int, int]:
    """Least distance, and the expected arguments that are not correct in it (as few as can be)."""
    row = [(place, 0) for place in range(len(words) + 1)]
    for options in expected:
        above, row = row, [(row[0][0] + 1, row[0][1] + 1)]
        for column, word in enumerate(words):
            wrong = word not in options
            row.append(
                min(
                    (above[column][0] + wrong, above[column][1] + wrong),
                    (above[column + 1][0] + 1, above[column + 1][1] + 1),
                    (row[column][0] + 1, row[column][1]),
                )
            )
    return row[-1]
