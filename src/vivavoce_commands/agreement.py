"""Agreement between annotators of commands, by predicate and argument, paired as the scorer pairs them."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.result import signature
from vivavoce.dashboard.agreement import AgreementLine, Units, line
from vivavoce.dataset.csv_files import opened_csv, read_csv_cell
from vivavoce.log.annotation_state import AnnotationState
from vivavoce_commands.annotation.standing import SCHEME, chosen
from vivavoce_commands.arguments import fits
from vivavoce_commands.notation import Predicate, read_predicates, write_argument, write_predicates
from vivavoce_commands.pairing import pair_by_alignment

NOTHING: Final = "nothing"


class Share(NamedTuple):
    """Agreement of two annotators: `same` of `all`; None without data."""

    name: str
    same: int
    all: int
    signature: str

    @property
    def share(self) -> float | None:
        return self.same / self.all if self.all else None


class CommandAgreement(NamedTuple):
    """Shares of what was the same, and the coefficients that ask what chance would have done."""

    shares: tuple[Share, ...]
    lines: tuple[AgreementLine, ...]


def command_agreement(state: AnnotationState, *, data: str) -> CommandAgreement:
    """Agreement of finished annotators, before any decision: as `agreement_of`."""
    return agreement_of(_pairs(state), data=data)


def agreement_of(
    responses: Iterable[tuple["StimulusResponse", "StimulusResponse"]], *, data: str
) -> CommandAgreement:
    """Agreement over pairs of annotators, each pair with what the two said of one command.

    Output  shares of commands, predicates and arguments that are the same; kappa and alpha over the actions
            of paired predicates, and over their arguments where the action is the same
    Empty   nothing annotated by two: shares of 0 of 0, coefficients None with the reason
    Note    a predicate, or an argument, that only one of the two has is paired with `nothing`; more than two
            annotators are compared two by two
    """
    pairs = list(responses)
    actions: Units = []
    arguments: Units = []
    exact = 0
    for (first, mine), (second, theirs) in pairs:
        exact += write_predicates(mine) == write_predicates(theirs) if mine and theirs else mine == theirs
        for pair in pair_by_alignment(mine, theirs):
            actions.append({first: _action(pair.reference), second: _action(pair.answer)})
            if pair.recognised and pair.reference is not None and pair.answer is not None:
                arguments += _arguments(first, pair.reference, second, pair.answer)
    shares = (
        _share(N_("commands"), exact, len(pairs), data),
        _share(N_("predicates"), _same(actions), len(actions), data),
        _share(N_("arguments"), _same(arguments), len(arguments), data),
    )
    lines = (line(N_("actions"), actions, "nominal", data), line(N_("arguments"), arguments, "nominal", data))
    return CommandAgreement(shares, lines)


StimulusResponse = tuple[str, tuple[Predicate, ...]]


def _pairs(state: AnnotationState) -> Iterator[tuple[StimulusResponse, StimulusResponse]]:
    """Two annotators' predicates for one command."""
    for _, annotated in sorted(state.dialogues.items()):
        for place in annotated.places(SCHEME):
            annotations = _read({who: chosen(choice) for who, choice in annotated.choices(place).items()})
            yield from combinations(sorted(annotations.items()), 2)


def pairs_of_file(path: Path) -> list[tuple[StimulusResponse, StimulusResponse]]:
    """Pairs of annotations in `commands.csv`, as `annotate commands-out` writes it.

    Raises  InputError: no such table
    """
    annotations: dict[str, dict[str, str | None]] = {}
    with opened_csv(path) as file:
        reader = csv.DictReader(file)
        for column in ("command_id", "annotator_id", "annotation", "stands"):
            if column not in (reader.fieldnames or ()):
                hint = "use the commands.csv written by `annotate commands-out`"
                raise InputError(f"column {column!r} is missing", place=str(path), hint=hint)
        for row in reader:
            if not row["stands"]:
                annotation = str(read_csv_cell(row["annotation"]) or "") or None
                annotations.setdefault(row["command_id"], {})[row["annotator_id"]] = annotation
    return [
        pair
        for by_annotator in annotations.values()
        for pair in combinations(sorted(_read(by_annotator).items()), 2)
    ]


def _read(texts: Mapping[str, str | None]) -> dict[str, tuple[Predicate, ...]]:
    return {who: read_predicates(text) if text else () for who, text in texts.items()}


def _action(predicate: Predicate | None) -> str:
    if predicate is None:
        return NOTHING
    return f"*{predicate.action}*" if predicate.implicit else predicate.action


def _arguments(first: str, mine: Predicate, second: str, theirs: Predicate) -> Units:
    """The arguments of two predicates side by side, aligned with the fewest differences."""
    before, after = mine.arguments, theirs.arguments
    costs = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for row in range(len(before), -1, -1):
        for column in range(len(after), -1, -1):
            ways = []
            if row < len(before) and column < len(after):
                ways.append(costs[row + 1][column + 1] + (not fits(before[row], after[column])))
            if row < len(before):
                ways.append(costs[row + 1][column] + 1)
            if column < len(after):
                ways.append(costs[row][column + 1] + 1)
            costs[row][column] = min(ways, default=0)
    units: Units = []
    row = column = 0
    while row < len(before) or column < len(after):
        in_both = row < len(before) and column < len(after)
        same = in_both and fits(before[row], after[column])
        if in_both and costs[row][column] == costs[row + 1][column + 1] + (not same):
            units.append(
                {
                    first: write_argument(before[row]),
                    second: write_argument(before[row] if same else after[column]),
                }
            )
            row, column = row + 1, column + 1
        elif row < len(before) and costs[row][column] == costs[row + 1][column] + 1:
            units.append({first: write_argument(before[row]), second: NOTHING})
            row += 1
        else:
            units.append({first: NOTHING, second: write_argument(after[column])})
            column += 1
    return units


def _same(units: Units) -> int:
    return sum(len(set(unit.values())) == 1 for unit in units)


def _share(name: str, same: int, count: int, data: str) -> Share:
    unit = name.removesuffix("s")
    return Share(name, same, count, signature(f"same_{name}", unit=f"{unit} pair", n=count, data=data))
