"""Chats of a pharmacy: CSV files with the columns chat, party (user or system) and text."""

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult

COLUMNS = ("chat", "party", "text")
FACTS = {
    "study": "pharmacy",
    "system": "counter",
    "condition": "counter",
    "channel": "text",
    "language": "en",
}


def import_pharmacy(paths: list[Path], into: Path, **_options: Any) -> ImportResult:
    """One dialogue a chat, its turns in the order of the file."""
    chats: dict[str, list[dict[str, str]]] = defaultdict(list)
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            if missing := set(COLUMNS).difference(table.fieldnames or ()):
                raise InputError(
                    f"no column {min(missing)!r}", place=str(path), hint="it needs chat,party,text"
                )
            for row in table:
                chats[row["chat"]].append(row)
    with DatasetWriter(into, study={"name": "pharmacy"}, source={"kind": "pharmacy"}) as writer:
        for chat, rows in chats.items():
            writer.add("dialogues", [{"dialogue_id": chat, "simulated": False, **FACTS}])
            turns = [
                {"turn_index": n, "party": row["party"], "text": row["text"]} for n, row in enumerate(rows)
            ]
            writer.add("turns", [{"dialogue_id": chat, **turn} for turn in turns])
        return ImportResult(writer.close(), len(chats), [])


PHARMACY = Importer(
    name="pharmacy",
    title="Chats of a pharmacy",
    layout="CSV files with the columns chat, party, text",
    read=import_pharmacy,
)
