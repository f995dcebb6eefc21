"""Answers on scales, item by item: which of two groups of dialogues is rated higher."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import Group
from vivavoce.stats.ranks import clustered_superiority, mann_whitney, ordinal_regression
from vivavoce.stats.summary_results import ItemComparison, RankSum

FEWEST_CODES: Final = 3


def compare_items(
    dataset: Dataset, all_groups: Sequence[Group], pairs: Sequence[tuple[int, int]]
) -> list[ItemComparison]:
    """Every item with at least 3 different codes, every pair: Mann-Whitney, clustered superiority, odds.

    Input   raw codes of ratings about dialogues; the codes' order is taken as given (reverse-coded items
            read the other way round)
    Empty   no such item, or no pair: []
    """
    return [
        _compare(all_groups, instrument, item_id, answers, a, b)
        for (instrument, item_id), answers in _answers(dataset, all_groups).items()
        for a, b in pairs
        if answers[a] and answers[b]
    ]


def _answers(
    dataset: Dataset, all_groups: Sequence[Group]
) -> dict[tuple[str, str], list[list[tuple[float, str]]]]:
    """(value, participant) by item and group."""
    place = {
        dialogue_id: index for index, group in enumerate(all_groups) for dialogue_id in group.dialogue_ids
    }
    items: defaultdict[tuple[str, str], list[list[tuple[float, str]]]] = defaultdict(
        lambda: [[] for _ in all_groups]
    )
    for row in dataset.read("ratings").to_pylist():
        if row["value"] is not None and row["role"] is None and row["dialogue_id"] in place:
            person = row["participant_id"] or f"dialogue {row['dialogue_id']}"
            items[row["instrument"], row["item_id"]][place[row["dialogue_id"]]].append((row["value"], person))
    return {
        key: answers
        for key, answers in items.items()
        if len({value for group in answers for value, _ in group}) >= FEWEST_CODES
    }


def _compare(
    all_groups: Sequence[Group],
    instrument: str,
    item_id: str,
    answers: list[list[tuple[float, str]]],
    a: int,
    b: int,
) -> ItemComparison:
    values, people = zip(*(zip(*answers[place], strict=True) for place in (a, b)), strict=True)
    naive = mann_whitney(values[0], values[1])
    return ItemComparison(
        instrument=instrument,
        item_id=item_id,
        a=all_groups[a].key,
        b=all_groups[b].key,
        n_a=len(values[0]),
        n_b=len(values[1]),
        mann_whitney=RankSum(u=naive.u if naive else None, p=naive.p if naive else None),
        cliff_delta=naive.cliff_delta if naive else None,
        superiority=clustered_superiority(*values, *people),
        ordinal=ordinal_regression(*values, *people),
    )
