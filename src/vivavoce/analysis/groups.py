"""Groups of dialogues and their members."""

from collections import defaultdict
from dataclasses import dataclass, field

from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import group_keys


@dataclass(slots=True)
class Group:
    """The dialogues of one key: their ids, and the participant of each (None where unknown)."""

    key: str | None
    dialogue_ids: list[str] = field(default_factory=list)
    participants: list[str | None] = field(default_factory=list)


def groups(dataset: Dataset, by: str) -> list[Group]:
    """The groups of a dataset in the order of their keys; dialogues without the attribute have key None.

    Raises  UnknownName: neither a grouping nor a factor of this dataset
    """
    keys = group_keys(dataset, by)
    table = dataset.read("dialogues", ["dialogue_id", "participant_id"])
    members: defaultdict[str | None, list[tuple[str, str | None]]] = defaultdict(list)
    for key, dialogue_id, person in zip(keys, *table.to_pydict().values(), strict=True):
        members[key].append((dialogue_id, person))
    return [
        Group(key, [dialogue_id for dialogue_id, _ in members[key]], [person for _, person in members[key]])
        for key in sorted(members, key=lambda key: (key is None, key or ""))
    ]


def natural_grouping(dataset: Dataset) -> str:
    """`condition` where the design has factors or more conditions than systems, else `system`."""
    table = dataset.read("dialogues")
    systems, conditions = (set(table.column(name).to_pylist()) for name in ("system", "condition"))
    return "condition" if dataset.factors or len(conditions) > len(systems) else "system"
