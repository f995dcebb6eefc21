"""Computing in processes of its own, for what would keep everybody else on this process waiting.

A library that holds the interpreter while it computes stops the clock of all calls; in another process it
does not.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process
from typing import Any, Final

PROCESSES: Final = max(1, (os.cpu_count() or 2) - 1)  # one core is left to who waits

_work: Callable[[Any], Any] | None = None


class WorkerEnded(Exception):
    """The process that computed was ended from outside; the next call gets a new one."""


class ProcessWorker:
    """One function, made anew in each process by `make`, which like its arguments and results is pickled.

    The processes start with the first call, and end with `close` or with this process, however that ends.
    """

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make = make
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False

    async def call(self, argument: Any) -> Any:
        """Call the function with the argument.

        Raises  what the function raises; EndedApart: its process was ended, or this was closed
        """
        if self._closed:
            raise WorkerEnded
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                PROCESSES, mp_context=get_context("spawn"), initializer=_begin, initargs=(self._make,)
            )
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, _compute, argument)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = None
            raise WorkerEnded from None
        except RuntimeError:
            if self._closed:
                raise WorkerEnded from None
            raise

    async def close(self) -> None:
        """End the processes, after what was asked of them."""
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown)


def _begin(make: Callable[[], Callable[[Any], Any]]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who is interrupted ends this process in good order
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _work = make()


def _end_with_parent() -> None:
    """A killed parent closes nothing, and its pool's processes would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(0)


def _compute(argument: Any) -> Any:
    assert _work is not None
    return _work(argument)
