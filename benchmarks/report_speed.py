"""How long a report of many dialogues takes, beside reading the dataset's tables once.

    python benchmarks/report_speed.py [--dialogues 5000] [--source DATASET] [--limit 10]

The dataset is made on the spot: a real or simulated one is repeated under new keys, or, without `--source`,
dialogues with ten turns, acts, goals and answers are invented. Exit code 1: slower than the limit.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vivavoce.log.dataset import Dataset, DatasetWriter
from vivavoce.log.schema import TABLES

FOODS = ("chinese", "italian", "indian", "british")
AREAS = ("north", "south", "east", "west", "centre")


def repeated(source: Dataset, folder: Path, dialogues: int) -> None:
    """The source's rows again and again, each time with other keys of dialogues and participants."""
    size = len(source.read("dialogues"))
    rounds = -(-dialogues // size)
    with DatasetWriter(folder, study={"name": "benchmark"}, source={"kind": "repeated"}) as writer:
        for name, table in TABLES.items():
            columns = {column.name for column in table.columns}
            rows = source.read(name).to_pylist()
            keyed = columns & {"dialogue_id", "participant_id"}
            for number in range(rounds if keyed else 1):
                writer.add(name, [{key: _again(key, row[key], number) for key in columns} for row in rows])


def _again(key: str, value: Any, number: int) -> Any:
    return f"{number}-{value}" if key in ("dialogue_id", "participant_id") and value is not None else value


def invented(folder: Path, dialogues: int) -> None:
    """Two systems; every participant holds five dialogues of ten turns."""
    with DatasetWriter(folder, study={"name": "benchmark"}, source={"kind": "invented"}) as writer:
        for place in range(100):
            slots = {"food": FOODS[place % 4], "area": AREAS[place % 5], "phone": f"01223 {place:06}"}
            writer.add(
                "entities",
                [{"entity_id": f"e{place}", "name": f"venue {place}", "slot": slot, "value": value,
                  "source": "database", "match": "exact"} for slot, value in slots.items()],
            )  # fmt: skip
        for person in range(-(-dialogues // 5)):
            writer.add("participants", [{"participant_id": f"p{person}", "simulated": False}])
        for number in range(dialogues):
            _invent_dialogue(writer, number)


def _invent_dialogue(writer: DatasetWriter, number: int) -> None:
    key = {"dialogue_id": f"d{number}"}
    system, food, area = ("alpha", "beta")[number % 2], FOODS[number % 4], AREAS[number % 5]
    facts = {
        "study": "benchmark",
        "system": system,
        "condition": system,
        "channel": "phone",
        "language": "en",
    }
    person = {"participant_id": f"p{number // 5}", "dialogue_number": number % 5 + 1}
    writer.add(
        "dialogues", [{**key, **facts, **person, "duration_s": 50.0 + number % 40, "simulated": False}]
    )
    goal = {**key, "goal_index": 0, "origin": "assigned", "op": "="}
    wanted = [("constraint", "food", food), ("constraint", "area", area), ("request", "phone", None)]
    writer.add(
        "goals", [{**goal, "kind": kind, "slot": slot, "value": value} for kind, slot, value in wanted]
    )
    venue = (number % 20) + 20 * (number % 3)
    for turn in range(10):
        user = turn % 2 == 1
        words = f"i want {food} food in the {area} of town" if user else f"venue {venue} serves {food} food"
        at = {**key, "turn_index": turn}
        row = {**at, "party": "user" if user else "system", "text": words, "onset_s": 5.0 * turn,
               "offset_s": 5.0 * turn + 3, "reference": words + " please" if user else None}  # fmt: skip
        writer.add("turns", [row])
        if user:
            act = {**at, "source": "label", "rank": 0, "op": "="}
            for position, (slot, value) in enumerate((("food", food), ("area", area))):
                item = {**act, "position": position, "act": "inform", "slot": slot, "value": value}
                writer.add("acts", [{**item, "layer": "reference"}, {**item, "layer": "understood"}])
            writer.add("hypotheses", [{**at, "source": "live", "rank": 0, "text": words}])
        else:
            act = {**at, "source": "bot", "rank": 0, "op": "=", "layer": "system"}
            told = (("offer", "name", f"venue {venue}"), ("inform", "phone", f"01223 {venue:06}"))
            writer.add("acts", [{**act, "position": position, "act": name, "slot": slot, "value": value}
                                for position, (name, slot, value) in enumerate(told)])  # fmt: skip
    rating = {**key, "instrument": "cambridge", "participant_id": f"p{number // 5}"}
    writer.add(
        "ratings",
        [{**rating, "item_id": "found_all", "role": "subjective_success", "value": float(number % 7 > 1)},
         {**rating, "item_id": "understood", "value": float(number % 6)}],
    )  # fmt: skip


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds on the wall and of the processor."""
    begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun_s, time.process_time() - begun_cpu_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--dialogues", type=int, default=5000)
    parser.add_argument("--source", type=Path, default=None)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for the HTML report")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if chosen.source is not None:
            repeated(Dataset(chosen.source), place / "dataset", chosen.dialogues)
        else:
            invented(place / "dataset", chosen.dialogues)
        begun_s = time.perf_counter()
        from vivavoce.report.html import write_report

        imports_s = time.perf_counter() - begun_s
        dataset = Dataset(place / "dataset")
        rows = sum(dataset.read(name).num_rows for name in TABLES)
        read_s, read_cpu_s = timed(lambda: [dataset.read(name).to_pylist() for name in TABLES])
        html_s, html_cpu_s = timed(lambda: write_report(Dataset(place / "dataset"), place / "report.html"))
        pdf_s, pdf_cpu_s = timed(lambda: write_report(Dataset(place / "dataset"), place / "report.pdf"))
    figures = {
        "dialogues": chosen.dialogues,
        "rows": rows,
        "imports_s": imports_s,
        "read_s": read_s,
        "html_s": html_s,
        "html_cpu_s": html_cpu_s,
        "pdf_s": pdf_s,
        "pdf_cpu_s": pdf_cpu_s,
        "html_ratio": html_cpu_s / read_cpu_s,
        "pdf_ratio": pdf_cpu_s / read_cpu_s,
        "limit_s": chosen.limit,
    }
    print(json.dumps(figures, indent=1))
    return 0 if imports_s + html_s <= chosen.limit else 1


if __name__ == "__main__":
    sys.exit(main())
