"""Warnings on factors that went together: part of one's difference may be the other's."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Final

from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.reader import Dataset

UNEVEN: Final = 0.1  # a level's share differs by more than this between two groups
MOST_LEVELS: Final = 12
Values = Sequence[str | None]
MODELLED: Final = statement("The model controls for one when it compares the other; raw shares do not.")


def balance_warnings(dataset: Dataset, by: str) -> list[LocalizedText]:
    """Warnings about other differences between a factor's levels, one sentence each; [] if `by` is no factor.

    Note    conditions are the cells of all factors, and systems may be made of them: nothing is asked of them
    """
    if by not in dataset.factors:
        return []
    table = dataset.read("dialogues")
    columns = {name: table.column(f"factor_{name}").to_pylist() for name in dataset.factors}
    columns["system"] = table.column("system").to_pylist()
    if _decides(columns["system"], columns[by]):
        columns.pop("system")
    grouping_levels = columns.pop(by)
    return [
        warning
        for name, other_levels in columns.items()
        if (warning := together(by, grouping_levels, name, other_levels))
    ]


def together(
    first: str, first_values: Values, second: str, second_values: Values, *, modelled: bool = False
) -> LocalizedText | None:
    """A sentence where two factors are confounded or unevenly combined; None where they are balanced."""
    pairs = Counter(
        (a, b) for a, b in zip(first_values, second_values, strict=True) if a is not None and b is not None
    )
    levels = sorted({a for a, _ in pairs}), sorted({b for _, b in pairs})
    if min(map(len, levels)) < 2 or max(map(len, levels)) > MOST_LEVELS:
        return None
    if confounded(first_values, second_values):
        which = ", ".join(f"{a} × {b}" for a, b in product(*levels) if pairs[a, b])
        warning = statement(
            "{first} and {second} are confounded: the only combinations are {which}.",
            first=first,
            second=second,
            which=which,
        )
        warning += statement("Their effects cannot be separated.")
        return warning + MODELLED if modelled else warning
    sizes = {a: sum(pairs[a, b] for b in levels[1]) for a in levels[0]}
    level, gap = max(
        ((b, _gap([pairs[a, b] / sizes[a] for a in levels[0]])) for b in levels[1]),
        key=lambda level_gap: level_gap[1],
    )
    if gap <= UNEVEN:
        return None
    shares = ", ".join(f"{100 * pairs[a, level] / sizes[a]:.0f} % ({a})" for a in levels[0])
    warning = statement(
        "{first} and {second} are unbalanced: {level} of {second} makes up {shares} of the dialogues.",
        first=first,
        second=second,
        level=level,
        shares=shares,
    )
    if modelled:
        return warning + MODELLED
    return warning + statement(
        'Differences by {first} may be due to {second}. To separate them, use `analyse --model "... ~ '
        '{first} * {second} + (1|participant)"`.',
        first=first,
        second=second,
    )


def confounded(first: Values, second: Values) -> bool:
    """True if a level of one settles that of the other."""
    met = {(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None}
    cells, columns = Counter(a for a, _ in met), Counter(b for _, b in met)
    return bool(met) and (max(cells.values()) == 1 or max(columns.values()) == 1)


def _gap(shares: list[float]) -> float:
    return max(shares) - min(shares)


def _decides(first: Values, second: Values) -> bool:
    """True if the first's value settles the second's."""
    return len(set(zip(first, second, strict=True))) == len(set(first))
