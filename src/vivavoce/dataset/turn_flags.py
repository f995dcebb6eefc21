"""Flags of system turns as rows of the dataset: what each turn is, and who says so."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.core.errors import InputError
from vivavoce.core.paths import is_same
from vivavoce.dataset.vocabulary import SYSTEM_ACTS, standard_act
from vivavoce.study.flags import FLAGS, FlagRules, flag

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset

Row = dict[str, Any]


def turn_flags(text: str | None, acts: Sequence[str] | None, rules: FlagRules | None) -> Row:
    """The columns of a system turn that flags make."""
    row: Row = {}
    all_acts = None if acts is None else [*acts, *(standard_act(act) for act in acts)]
    for name in FLAGS:
        row[name], row[f"{name}_origin"] = flag(name, text, all_acts, rules, standard=_standard(acts))
    return row


def _standard(acts: Sequence[str] | None) -> bool:
    """True if a bot describes its turn in the dataset's words; other words may mean anything."""
    return acts is not None and all(standard_act(act) in SYSTEM_ACTS for act in acts)


def flag_again(dataset: "Dataset", rules: Mapping[str, FlagRules], into: Path) -> "Dataset":
    """Copy a dataset; rules tell the flags that the acts of the log do not.

    Input   rules: by system; of a system without rules everything stays
    Note    what was told by earlier rules is told anew; what the log or its acts said stays
    Raises  InputError: the copy would lie over the dataset itself
    """
    from vivavoce.dataset.copying import copy_dataset

    dataset = dataset.everything
    if is_same(into, dataset.folder):
        raise InputError(
            "the new dataset would replace the old one", place="--into", hint="choose another folder"
        )
    acts, systems = _system_acts(dataset), _systems(dataset)

    def flagged(turns: Iterator[Row]) -> Iterator[Row]:
        for turn in turns:
            system_rules = rules.get(systems[turn["dialogue_id"]])
            if turn["party"] == "system" and system_rules is not None:
                turn |= _told(turn, acts.get((turn["dialogue_id"], turn["turn_index"])), system_rules)
            yield turn

    return copy_dataset(dataset, into, {"turns": flagged})


def _told(turn: Row, acts: Sequence[str] | None, rules: FlagRules) -> Row:
    flags, columns = turn_flags(turn["text"], acts, rules), Row()
    for name in FLAGS:
        logged = turn.get(name) is not None and turn.get(f"{name}_origin") != "rules"
        if not logged:
            columns[name], columns[f"{name}_origin"] = flags[name], flags[f"{name}_origin"]
    return columns


def _systems(dataset: "Dataset") -> dict[str, str]:
    table = dataset.read("dialogues").select(["dialogue_id", "system"]).to_pydict()
    return dict(zip(table["dialogue_id"], table["system"], strict=True))


def _system_acts(dataset: "Dataset") -> dict[tuple[str, int], list[str]]:
    acts: dict[tuple[str, int], list[str]] = defaultdict(list)
    for row in dataset.read("acts").to_pylist():
        if row["layer"] == "system" and row["rank"] == 0:
            acts[row["dialogue_id"], row["turn_index"]].append(row["act"])
    return dict(acts)
