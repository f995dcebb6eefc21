"""Which group a dialogue belongs to, and what a group consists of."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from vivavoce.core.errors import UnknownName
from vivavoce.log.dataset import Dataset
from vivavoce.log.schema import FACTOR_PREFIX

COLUMNS: Final = {
    "system": "system",
    "condition": "condition",
    "participant": "participant_id",
    "task": "task_id",
    "channel": "channel",
    "language": "language",
}


@dataclass(slots=True)
class Group:
    """The dialogues of one key: one participant key a dialogue, and their ids in the same order."""

    key: str | None
    dialogue_ids: list[str] = field(default_factory=list)
    participants: list[str | None] = field(default_factory=list)


def group_column(dataset: Dataset, by: str) -> str:
    """The column of `dialogues` behind a grouping.

    Raises  UnknownName: neither a grouping nor a factor of this dataset
    """
    if by in dataset.factors:
        return FACTOR_PREFIX + by
    if by not in COLUMNS:
        raise UnknownName("grouping", by, [*COLUMNS, *dataset.factors], place="--by")
    return COLUMNS[by]


def groups(dataset: Dataset, by: str) -> list[Group]:
    """The groups of a dataset in the order of their keys; dialogues without the attribute have key None."""
    table = dataset.read("dialogues").select(
        list(dict.fromkeys(("dialogue_id", "participant_id", group_column(dataset, by))))
    )
    found: defaultdict[str | None, Group] = defaultdict(lambda: Group(None))
    for row in table.to_pylist():
        key = row[group_column(dataset, by)]
        group = found[key]
        group.key = key
        group.dialogue_ids.append(row["dialogue_id"])
        group.participants.append(row["participant_id"])
    return [found[key] for key in sorted(found, key=lambda key: (key is None, key or ""))]


def natural_grouping(dataset: Dataset) -> str:
    """`condition` where the design has factors or more conditions than systems, else `system`."""
    table = dataset.read("dialogues")
    systems, conditions = (set(table.column(name).to_pylist()) for name in ("system", "condition"))
    return "condition" if dataset.factors or len(conditions) > len(systems) else "system"
