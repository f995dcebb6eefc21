"""Small datasets made by hand."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

Make = Callable[..., Dataset]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Dialogues as (system, participant, success answer or None); further rows and columns by keyword."""

    def made(*dialogues: tuple, name: str = "toy", incidents=(), ratings=(), rows=None, **columns) -> Dataset:
        start = datetime(2026, 3, 1, 12, tzinfo=UTC)
        factors = [column.removeprefix("factor_") for column in columns if column.startswith("factor_")]
        with DatasetWriter(
            tmp_path / name, study={"name": name}, source={"kind": "log"}, factors=factors
        ) as writer:
            for number, (system, participant, answer) in enumerate(dialogues):
                row = {
                    "dialogue_id": f"d{number}",
                    "study": name,
                    "system": system,
                    "condition": system,
                    "participant_id": participant,
                    "channel": "text",
                    "language": "en",
                    "simulated": False,
                    "started_at": start + timedelta(hours=number),
                    "duration_s": 60.0 + number,
                    "end_reason": "user",
                }
                row |= {
                    column: value[number] if isinstance(value, list) else value
                    for column, value in columns.items()
                }
                writer.add("dialogues", [row])
                if answer is not None:
                    writer.add(
                        "ratings",
                        [
                            {
                                "dialogue_id": f"d{number}",
                                "participant_id": participant,
                                "instrument": "cambridge",
                                "wording": "project",
                                "language": "en",
                                "item_id": "found_all",
                                "role": "subjective_success",
                                "value": float(answer),
                            }
                        ],
                    )
            writer.add("ratings", ratings)
            writer.add("incidents", incidents)
            for table, own in (rows or {}).items():
                writer.add(table, own)
        return Dataset(tmp_path / name)

    return made
