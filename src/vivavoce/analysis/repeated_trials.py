"""Several trials of one task: how often a system succeeds in all of them, pass^k.

```python
repeated_trials(Dataset("T")).systems[0].powers  # pass^1, pass^2, ... with intervals over tasks
```
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.result import signature
from vivavoce.stats.bootstrap import bootstrap_ratio

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset

SUCCESS: Final = "checked_success"
Trials = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassPower:
    """pass^k: the chance that k trials of a task all succeed, averaged over tasks.

    low, high  95 % bootstrap interval, whole tasks drawn; None for fewer than two tasks, or all alike
    tasks      n
    """

    k: int
    ratio: float
    low: float | None
    high: float | None
    tasks: int
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTrials:
    """One system: its trials, those that succeeded, and pass^k up to the trials that each task has."""

    system: str
    trials: int
    passed: int
    powers: tuple[PassPower, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedTrials:
    """Systems in the order of their names; `untasked`: dialogues without a task, which count nowhere."""

    measure: str
    systems: tuple[SystemTrials, ...]
    untasked: int


def pass_power(trials: Trials) -> list[tuple[int, list[float]]]:
    """For every k up to the trials that all tasks have, each task's comb(passed, k) / comb(trials, k).

    Input   passed and trials of each task
    Empty   no task: []
    Source  Yao and others 2024, tau-bench, section 3.3
    """
    most = min((many for _, many in trials), default=0)
    return [(k, [comb(passed, k) / comb(many, k) for passed, many in trials]) for k in range(1, most + 1)]


def repeated_trials(dataset: "Dataset", measure: str = SUCCESS) -> RepeatedTrials:
    """pass^k of each system; dialogues of one system with one task are the task's trials.

    Input   measure: one that is 0 or 1 in a dialogue
    Empty   a dialogue in which the measure is missing is no trial
    Raises  InputError: no dialogue has both a task and the measure, or it is neither 0 nor 1 there
            UnknownName: no such measure
    """
    from vivavoce.measures import components

    frame = components(dataset, [measure])
    columns = zip(frame["dialogue_id"], frame["numerator"], frame["denominator"], strict=True)
    outcome_of = {str(key): part / total for key, part, total in columns if total}
    outcomes: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    table = dataset.read("dialogues").select(["dialogue_id", "system", "task_id"]).to_pydict()
    untasked = 0
    for dialogue, system, task in zip(*table.values(), strict=True):
        if dialogue not in outcome_of:
            continue
        if outcome_of[dialogue] not in (0, 1):
            hint = (
                f"{measure!r} is {outcome_of[dialogue]:.3g} in dialogue {dialogue}; use a measure of 0 and 1"
            )
            raise InputError("the measure is not a success of trials", place="--measure", hint=hint)
        if task is None:
            untasked += 1
        else:
            outcomes[system][task].append(bool(outcome_of[dialogue]))
    if not outcomes:
        hint = f"use a dataset with task_id and values of {measure!r}"
        raise InputError("no dialogue is a trial of a task", place=str(dataset.folder), hint=hint)
    systems = tuple(_system(name, outcomes[name], measure, dataset.hash) for name in sorted(outcomes))
    return RepeatedTrials(measure=measure, systems=systems, untasked=untasked)


def _system(name: str, tasks: dict[str, list[bool]], measure: str, data: str) -> SystemTrials:
    trials = [(sum(task), len(task)) for task in tasks.values()]
    powers = []
    for k, chances in pass_power(trials):
        interval = bootstrap_ratio(np.array(chances), np.ones(len(chances)))
        low, high = interval if interval is not None else (None, None)
        signed = signature(
            "pass_power", unit="task", n=len(chances), data=data, k=k, success=measure, system=name
        )
        ratio = sum(chances) / len(chances)
        powers.append(PassPower(k=k, ratio=ratio, low=low, high=high, tasks=len(chances), signature=signed))
    return SystemTrials(
        system=name,
        powers=tuple(powers),
        trials=sum(many for _, many in trials),
        passed=sum(passed for passed, _ in trials),
    )
