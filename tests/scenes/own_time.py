"""A loop whose time is the test's own: it passes when everybody waits for it, and never while somebody works.

Sleeps, time limits and the beats of sound take no time of ours, and a busy machine changes nothing: a timer
fires when nothing else is left to do, neither here nor in a thread or process that a coroutine waits for.
What talks with a program of its own, over a network, needs `asyncio.run` and real time.
"""

import asyncio
import selectors
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

from scenes.patience import PATIENCE_S

BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
Result = TypeVar("Result")


class _Selector(selectors.DefaultSelector):
    """Waits for threads, processes and sockets, and lets time pass where it waits for nothing else."""

    loop: "OwnTime"

    def select(self, timeout: float | None = None) -> list[Any]:
        if found := super().select(0):
            return found
        if timeout is not None and (timeout <= 0 or not self.loop.outside):
            self.loop.now_s += max(0.0, timeout)
            return []
        if found := super().select(PATIENCE_S):
            return found
        raise AssertionError(f"nothing happened in {PATIENCE_S:.0f} s, and no timer is set")


class OwnTime(asyncio.SelectorEventLoop):
    """The loop; `outside` counts what is being done in threads and processes."""

    def __init__(self) -> None:
        self.now_s, self.outside = 0.0, 0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now_s

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        return self.awaited(super().run_in_executor(executor, func, *args))

    def awaited(self, future: asyncio.Future[Result]) -> asyncio.Future[Result]:
        """Let no time pass until this is done."""
        self.outside += 1
        future.add_done_callback(self._came_back)
        return future

    def _came_back(self, future: asyncio.Future[Any]) -> None:
        self.outside -= 1


class OwnClock:
    """The loop's time as the service's clock."""

    def __init__(self, loop: OwnTime | None = None) -> None:
        running = loop or asyncio.get_running_loop()
        assert isinstance(running, OwnTime), "begin with run_in_own_time"
        self._loop = running

    def now(self) -> datetime:
        return BEGAN + timedelta(seconds=self._loop.now_s)

    def monotonic_s(self) -> float:
        return self._loop.now_s


def run_in_own_time(work: Coroutine[Any, Any, Result]) -> Result:
    """`asyncio.run` on such a loop."""
    with asyncio.Runner(loop_factory=OwnTime) as runner, _threads_counted():
        return runner.run(work)


@contextmanager
def _threads_counted() -> Iterator[None]:
    """What a thread of our own answers, as the log's writer does, counts as being done outside."""
    wrap = asyncio.wrap_future

    def counted(future: Any, *, loop: asyncio.AbstractEventLoop | None = None) -> asyncio.Future[Any]:
        wrapped = wrap(future, loop=loop)
        running = wrapped.get_loop()
        return running.awaited(wrapped) if isinstance(running, OwnTime) else wrapped

    asyncio.wrap_future = counted  # type: ignore[assignment]
    try:
        yield
    finally:
        asyncio.wrap_future = wrap
