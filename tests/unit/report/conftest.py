"""A small trial made by hand, with whatever the test changes about it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.blocks import Document
from vivavoce.reports.html import page
from vivavoce.reports.section import compose

SYSTEMS = ("alpha", "beta")


class Trial(NamedTuple):
    """A dataset and its report, as a document and as a page."""

    dataset: Dataset
    document: Document
    html: str


def reported(dataset: Dataset) -> Trial:
    document = compose(dataset)
    return Trial(dataset, document, page(document))


def write_trial(
    folder: Path,
    *,
    dialogues: int = 40,
    systems: tuple[str, ...] = SYSTEMS,
    simulated: bool = False,
    study: str = "city-restaurants",
    rated: bool = True,
    text: str = "plain",
    people: int = 20,
    wording: str = "project",
) -> Dataset:
    """Forty dialogues with two systems; three of four say yes."""
    start = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with DatasetWriter(folder, study={"name": study}, source={"kind": "log", "comment": text}) as writer:
        writer.notes.append(f"A note: {text}")
        for number in range(dialogues):
            system = systems[number % len(systems)]
            key = {"dialogue_id": f"d{number}"}
            writer.add(
                "dialogues",
                [
                    {
                        **key,
                        "study": study,
                        "system": system,
                        "condition": system,
                        "language": "en",
                        "participant_id": f"p{number % people}",
                        "channel": "text",
                        "simulated": simulated,
                        "started_at": start + timedelta(hours=number),
                        "duration_s": 40.0 + number,
                        "end_reason": "user",
                        "task_id": f"t{number}",
                    }
                ],
            )
            writer.add(
                "turns",
                [
                    {
                        **key,
                        "turn_index": 0,
                        "party": "user",
                        "text": "hello there",
                        "reference": "hello there",
                    },
                    {**key, "turn_index": 1, "party": "system", "text": text},
                ],
            )
            if rated:
                sheet = {**key, "instrument": "cambridge", "wording": wording, "language": "en"}
                writer.add(
                    "ratings",
                    [
                        {
                            **sheet,
                            "item_id": "found_all",
                            "role": "subjective_success",
                            "value": float(number % 8 > 1),
                            "answer": f"{text} {number % 8 > 1}",
                        },
                        {**sheet, "item_id": "comment", "answer": f"the comment of somebody {text}"},
                    ],
                )
        if dialogues:
            writer.add(
                "incidents",
                [
                    {
                        "dialogue_id": "d0",
                        "turn_index": 0,
                        "failure": "timeout",
                        "detail": f"after 30 s {text}",
                    }
                ],
            )

    return Dataset(folder)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Dataset]:
    """`write_trial` into a folder of the test's own."""
    return partial(write_trial, tmp_path / "dataset")


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """The trial as it stands, with its report; made once."""
    return reported(write_trial(tmp_path_factory.mktemp("plain")))


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """The same held by programs."""
    return reported(write_trial(tmp_path_factory.mktemp("simulated"), simulated=True))
