"""A dataset read anew: what a parser makes of every user turn, beside what is there already."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vivavoce.annotation.parsers import Parser
from vivavoce.core.errors import InputError
from vivavoce.core.paths import is_same
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import LoggedAct

SOURCE: Final = "parser"
Row = dict[str, Any]


def read_turns(
    dataset: Dataset,
    parse: Parser,
    into: Path,
    *,
    parser: str = "rules",
    progress: Callable[[int, int], None] | None = None,
) -> Dataset:
    """Copy a dataset; its layer `reference` gets the acts of each user turn, with source `parser`.

    Input   the column `reference` of user turns: a transcript or what was typed
    Output  acts of other sources stay; earlier ones of a parser are replaced. The manifest names the parser
    Empty   a turn without transcript is left out; one that means nothing has the act `null`
    Raises  InputError: the copy would lie over the dataset itself
    """
    dataset = dataset.everything
    if is_same(into, dataset.folder):
        raise InputError(
            "the new dataset would replace the old one", place="--into", hint="choose another folder"
        )

    def read(acts: Iterator[Row]) -> Iterator[Row]:
        yield from (row for row in acts if (row["layer"], row["source"]) != ("reference", SOURCE))
        yield from _read(dataset, parse, progress)

    return copy_dataset(dataset, into, {"acts": read}, source={"parser": parser})


def _read(dataset: Dataset, parse: Parser, progress: Callable[[int, int], None] | None) -> Iterator[Row]:
    system_acts = _system_acts(dataset)
    table = dataset.read("dialogues").select(["dialogue_id", "language"]).to_pydict()
    languages = dict(zip(table["dialogue_id"], table["language"], strict=True))
    turns = dataset.read("turns").select(["dialogue_id", "turn_index", "party", "reference"]).to_pylist()
    turns.sort(key=lambda turn: (turn["dialogue_id"], turn["turn_index"]))
    for number, turn in enumerate(turns, start=1):
        if progress is not None and number % 500 == 0:
            progress(number, len(turns))
        if turn["party"] != "user" or turn["reference"] is None:
            continue
        dialogue_id, index = turn["dialogue_id"], turn["turn_index"]
        before = system_acts.get((dialogue_id, index - 1), [])
        acts = parse(turn["reference"], languages[dialogue_id], before) or [LoggedAct(act="null")]
        for position, act in enumerate(acts):
            yield {
                "dialogue_id": dialogue_id,
                "turn_index": index,
                "layer": "reference",
                "source": SOURCE,
                "rank": 0,
                "position": position,
                **act.model_dump(include={"act", "slot", "op", "value"}),
            }


def _system_acts(dataset: Dataset) -> Mapping[tuple[str, int], list[LoggedAct]]:
    acts_of: dict[tuple[str, int], list[tuple[int, LoggedAct]]] = defaultdict(list)
    for row in dataset.read("acts").to_pylist():
        if row["layer"] == "system" and row["rank"] == 0:
            act = LoggedAct(act=row["act"], slot=row["slot"], value=row["value"], op=row["op"])
            acts_of[row["dialogue_id"], row["turn_index"]].append((row["position"], act))
    return {key: [act for _, act in sorted(acts, key=lambda pair: pair[0])] for key, acts in acts_of.items()}
