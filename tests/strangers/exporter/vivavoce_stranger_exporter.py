"""Dialogues as a play: one file, an act each, a line a turn, in JSON where words have lines of their own."""

import json
from pathlib import Path

from vivavoce.core.statement import statement
from vivavoce.dataset.reader import Dataset
from vivavoce.exporters.base import Exporter, ExportResult, rows_by_dialogue

FILE = "play.txt"
ROLES = {"user": "VISITOR", "system": "DESK"}


def write_play(dataset: Dataset, into: Path) -> ExportResult:
    """Words alone: who had nothing to say has no line."""
    lines, silent = list[str](), 0
    for number, (dialogue, turns) in enumerate(rows_by_dialogue(dataset, "turns").items(), start=1):
        lines.append(f"ACT {number} {json.dumps(dialogue)}")
        for turn in sorted(turns, key=lambda one: one["turn_index"]):
            if turn["text"] is None:
                silent += 1
            else:
                lines.append(f"{ROLES[turn['party']]}: {json.dumps(turn['text'], ensure_ascii=False)}")
    (into / FILE).write_text("\n".join(lines), encoding="utf-8", newline="\n")
    lost = (statement("{n} turns without words have no line.", n=silent),) if silent else ()
    return ExportResult(frozenset(), lost)


PLAY = Exporter(name="play", title="A play", layout=f"one file, {FILE}", write=write_play)
