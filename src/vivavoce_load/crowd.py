"""A crowd that comes, talks, changes and leaves: ramp, steady, churn, drain."""

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from vivavoce_load.people import Findings, Person

SHARES: Final = {"ramp": 0.25, "steady": 0.5, "churn": 0.25}  # of the minutes; draining comes on top
CHANGED: Final = 0.5  # of the participants while there is churn
DRAINED_S: Final = 60.0


@dataclass(frozen=True)
class Plan:
    """A crowd: how many at once, for how long, and how long each waits between turns on average.

    link  the address of the first page; `{number}` in it is another one for each who comes
    """

    link: str
    participants: int
    minutes: float
    pause_s: float
    seed: int = 1


async def let_come(plan: Plan, moved: Callable[..., None]) -> tuple[Findings, dict[str, float]]:
    """Let everybody come and go; what happened, and when each phase was over on the monotonic clock."""
    crowd = _Crowd(plan)
    begun_s = time.monotonic()
    ends_s, end_s = {}, begun_s
    for phase, share in SHARES.items():
        end_s += 60 * plan.minutes * share
        ends_s[phase] = end_s
    ramp_s, churn_s = ends_s["ramp"] - begun_s, ends_s["churn"] - ends_s["steady"]
    for number in range(plan.participants):
        await _until(begun_s + ramp_s * number / plan.participants)
        crowd.comes()
        moved(number + 1, plan.participants, "they come")
    await _until(ends_s["steady"])
    changed = int(plan.participants * CHANGED)
    for number in range(changed):
        await _until(ends_s["steady"] + churn_s * number / max(changed, 1))
        crowd.goes()
        crowd.comes()
        moved(number + 1, changed, "some leave, others come")
    await _until(ends_s["churn"])
    moved(0, 1, "they leave")
    await crowd.all_leave()
    return crowd.findings, ends_s


async def _until(then_s: float) -> None:
    await asyncio.sleep(max(0.0, then_s - time.monotonic()))


class _Crowd:
    """Those who are there, in the order in which they came."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._numbers, self.findings = plan, itertools.count(1), Findings()
        self._there: list[tuple[asyncio.Task[None], asyncio.Event]] = []
        self._gone: list[asyncio.Task[None]] = []

    def comes(self) -> None:
        number, leaves = next(self._numbers), asyncio.Event()
        link = self._plan.link.replace("{number}", str(number))
        chance = Random(self._plan.seed * 1_000_003 + number)
        person = Person(link, self.findings, chance, self._plan.pause_s)
        self._there.append((asyncio.create_task(person.take_part(leaves)), leaves))

    def goes(self) -> None:
        """Who has been there for longest leaves after the answer that they wait for."""
        task, leaves = self._there.pop(0)
        leaves.set()
        self._gone.append(task)

    async def all_leave(self) -> None:
        while self._there:
            self.goes()
        _, late = await asyncio.wait(self._gone, timeout=DRAINED_S)
        for task in late:
            task.cancel()
        self.findings.errors.update({"drain: not over": len(late)} if late else {})
        await asyncio.gather(*self._gone, return_exceptions=True)
