"""An unbalanced 2 x 2 trial drawn from a seed, for our mixed models and R's alike."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20110827
Columns = dict[str, np.ndarray]


def draw_trial(seed: int = SEED, people: int = 36, tasks: int = 14) -> Columns:
    """Dialogues of people who differ, over tasks that differ, with managers and acoustics that go together.

    Output  columns manager (S0, S1), acoustics (A0, A1), order, participant, task, success (0, 1), duration
            (s), answer (1 to 5), turns (a count)
    Note    RandomState, whose numbers are frozen
    """
    rng = np.random.RandomState(seed)
    calls = rng.randint(4, 16, people)
    who = np.repeat(np.arange(people), calls)
    order = np.concatenate([np.arange(one) + 1.0 for one in calls])
    manager = rng.rand(len(who)) < 0.5
    acoustics = rng.rand(len(who)) < np.where(manager, 0.7, 0.3)
    task = rng.randint(0, tasks, len(who))
    own, hard = rng.randn(people), 0.7 * rng.randn(tasks)
    eta = 0.2 + 0.8 * manager + 0.6 * acoustics - 0.5 * manager * acoustics + 0.03 * order
    latent = eta + own[who] + hard[task]
    success = (rng.rand(len(who)) < 1 / (1 + np.exp(-latent))).astype(float)
    noise = rng.logistic(size=len(who))
    answer = 1 + (latent[:, None] + noise[:, None] > np.array([-1.5, -0.2, 0.9, 2.2])).sum(axis=1)
    return {
        "manager": np.where(manager, "S1", "S0"),
        "acoustics": np.where(acoustics, "A1", "A0"),
        "order": order,
        "participant": np.array([f"p{one:02}" for one in who]),
        "task": np.array([f"t{one:02}" for one in task]),
        "success": success,
        "duration": np.round(60 - 5 * latent + 12 * rng.randn(len(who)), 3),
        "answer": answer,
        "turns": rng.poisson(np.exp(1.5 + 0.2 * latent)).astype(float),
    }


def write_csv(columns: Columns, path: Path) -> Path:
    """The columns as a CSV that R reads."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(plain(column) for column in columns.values()), strict=True))
    return path


def plain(column: np.ndarray) -> list[Any]:
    """As Python's own values."""
    return column.tolist()


def design(columns: Columns, *, constant: bool = True) -> np.ndarray:
    """Columns of manager * acoustics + order as R makes them, of which the constant may be left out."""
    s1, a1 = (columns["manager"] == "S1").astype(float), (columns["acoustics"] == "A1").astype(float)
    ones = [np.ones(len(s1))] if constant else []
    return np.column_stack([*ones, s1, a1, columns["order"], s1 * a1])
