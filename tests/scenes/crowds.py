"""Crowds drawn with known properties, of which it is known how they differ."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = 20


@dataclass(frozen=True)
class Crowd:
    """People who come from one pool; their dialogues are as alike as `liking` makes them."""

    pool: str
    people: int = 40
    success: float = 0.6
    word_errors: float = 0.3
    seconds: float = 90.0
    calls: float = 6.0
    liking: float = 0.6
    simulated: bool = False


CROWD, LABORATORY = Crowd("prolific"), Crowd("links")
"""Alike but for where they come from."""
PLANTED = {
    "subjective_success": {"success": 0.88},
    "word_error_rate": {"word_errors": 0.12},
    "dialogue_duration": {"seconds": 180.0},
    "dialogues_per_participant": {"calls": 20.0},
}
"""What another laboratory is like in one thing alone."""


def differing(*measures: str) -> list[Crowd]:
    """A crowd, and a laboratory that differs in these."""
    other = {name: value for measure in measures for name, value in PLANTED[measure].items()}
    return [CROWD, replace(LABORATORY, **other)]


def drawn(folder: Path, crowds: list[Crowd], seed: int, *, file: str = "", systems: int = 2) -> Dataset:
    """The dataset of a trial in which these crowds took part; the same seed draws the same."""
    random = np.random.default_rng(seed)
    study = {"name": "town", **({"file": file} if file else {})}
    with DatasetWriter(folder, study=study, source={"kind": "log"}) as writer:
        for crowd in crowds:
            for number in range(crowd.people):
                _add_person(writer, crowd, f"{crowd.pool}-{number}", random, systems)
    return Dataset(folder)


def _add_person(
    writer: DatasetWriter, crowd: Crowd, person: str, random: np.random.Generator, systems: int
) -> None:
    known = {"attributes": f'{{"population": "{crowd.pool}"}}'} if crowd.simulated else {}
    writer.add(
        "participants",
        [
            {
                "participant_id": person,
                "pool": crowd.pool,
                "outcome": "completed",
                "simulated": crowd.simulated,
                **known,
            }
        ],
    )
    able = crowd.liking * random.normal()
    slow = np.exp(0.3 * random.normal() - 0.045)
    for number in range(max(1, random.poisson(crowd.calls))):
        key = f"{person}-{number}"
        heard = random.random(WORDS) < crowd.word_errors
        row: dict[str, Any] = {
            "dialogue_id": key,
            "study": "town",
            "system": f"system-{number % systems}",
            "condition": f"system-{number % systems}",
            "participant_id": person,
            "channel": "phone",
            "language": "en",
            "simulated": crowd.simulated,
            "end_reason": "user",
            "started_at": BEGIN + timedelta(minutes=number),
            "duration_s": float(crowd.seconds * slow * random.gamma(8, 1 / 8)),
        }
        writer.add("dialogues", [row])
        said = [f"w{place}" for place in range(WORDS)]
        got = ["x" if bad else word for word, bad in zip(said, heard, strict=True)]
        turn = {"dialogue_id": key, "party": "user", "reference": " ".join(said), "text": " ".join(got)}
        writer.add("turns", [{**turn, "turn_index": 0}])
        succeeded = random.random() < expit(logit(crowd.success) + able)
        writer.add(
            "ratings",
            [
                {
                    "dialogue_id": key,
                    "participant_id": person,
                    "instrument": "cambridge",
                    "wording": "project",
                    "language": "en",
                    "item_id": "found_all",
                    "role": "subjective_success",
                    "value": float(succeeded),
                }
            ],
        )
