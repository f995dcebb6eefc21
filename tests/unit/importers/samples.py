"""For every importer of the shelf a small log: how many units it holds, and what writes it into a folder."""

import json
from collections.abc import Callable
from pathlib import Path

from unit.importers import foreign_logs as logs
from unit.importers.conftest import a_call, write_files
from unit.importers.test_marco import judged, written
from unit.importers.test_mechanical_turk import FIRST, results
from unit.importers.test_star import DIALOGUE

FRAME = (
    "<huricExample id='{0}'><commands><command><sentence>vai</sentence><tokens/></command></commands>"
    "</huricExample>"
)


def a_folder(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


SAMPLES: dict[str, tuple[int, Callable[[Path], Path]]] = {
    "chatbot-arena": (2, lambda folder: logs.written(folder, "battles.jsonl", logs.BATTLES)),
    "convlab": (1, lambda folder: logs.written(folder, "dialogues.json", logs.CONVLAB)),
    "convokit": (2, logs.corpus),
    "dstc2": (1, lambda folder: write_files(folder / "Mar13_S1A0" / "one", a_call()).parents[1]),
    "huric": (2, lambda folder: a_folder(folder, {f"{one}.hrc": FRAME.format(one) for one in (1, 2)})),
    "marco": (1, lambda folder: written(folder, judged(0, "MarCo", "Tie", "HDSA"))),
    "langfuse": (2, lambda folder: logs.written(folder, "traces.json", logs.LANGFUSE)),
    "langsmith": (1, lambda folder: a_folder(folder, {"runs.jsonl": logs.LANGSMITH_RUNS.read_text("utf-8")})),
    "mturk": (1, lambda folder: results(folder, FIRST)),
    "multiwoz": (2, lambda folder: logs.written(folder, "data.json", logs.MULTIWOZ)),
    "openai": (2, lambda folder: logs.written(folder, "chats.jsonl", logs.CHATS)),
    "otel": (2, lambda folder: logs.written(folder, "spans.json", logs.OTEL)),
    "rasa": (2, lambda folder: logs.tracker_store(folder / "rasa.db")),
    "sgd": (1, lambda folder: logs.written(folder, "dialogues_001.json", logs.SGD)),
    "star": (1, lambda folder: a_folder(folder, {"7.json": json.dumps(DIALOGUE)})),
    "sugar": (
        2,
        lambda folder: a_folder(folder, {"AbF20.csv": "1; mettere(caffè, tazza)\n2; cuocere(riso)\n"}),
    ),
    "table": (2, logs.table),
    "tau-bench": (4, lambda folder: logs.written(folder, "model-airline.json", logs.TAU_BENCH)),
}


def mapping_of(folder: Path) -> Path | None:
    """The mapping that a sample brings along."""
    path = folder / "mapping.yaml"
    return path if path.exists() else None
