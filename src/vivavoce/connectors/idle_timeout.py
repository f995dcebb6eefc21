"""The end of a turn that nothing marks: outputs until none came for a while."""

import asyncio
import time
from collections.abc import AsyncGenerator

from vivavoce.connectors.base import ConnectorSettings, SystemOutput
from vivavoce.core.errors import SystemUnderTestError

Item = SystemOutput | SystemUnderTestError | None


async def until_idle(
    arriving: "asyncio.Queue[Item]",
    settings: ConnectorSettings,
    idle_s: float,
    *,
    silent_ok_s: float | None = None,
) -> AsyncGenerator[SystemOutput]:
    """Outputs as they arrive, until nothing comes for idle_s, or None says that the turn is complete.

    An empty item of extras at the end says how long was waited. An error that arrives is raised.

    Input   silent_ok_s: after that time without any output there is none, instead of a timeout
    """
    clock = asyncio.get_running_loop().time
    begun_s, last, last_s = clock(), None, 0.0
    while True:
        if last is None:
            deadline = begun_s + (silent_ok_s or settings.first_output_timeout_s)
        else:
            deadline = min(last + idle_s, begun_s + settings.turn_timeout_s)
        try:
            async with asyncio.timeout_at(deadline):
                item = await arriving.get()
        except TimeoutError:
            if last is None and silent_ok_s is None:
                limit = settings.first_output_timeout_s
                raise SystemUnderTestError("timeout", f"no output after {limit:g} s") from None
            if last is not None and clock() - begun_s >= settings.turn_timeout_s:
                raise _not_complete(settings) from None
            if last is not None:
                yield SystemOutput(kind="extras", held_s=time.monotonic() - last_s)
            return
        if item is None:
            return
        if isinstance(item, SystemUnderTestError):
            raise item
        last_s, last = time.monotonic(), clock()
        yield item
        if clock() - begun_s >= settings.turn_timeout_s and not arriving.empty():
            if arriving.get_nowait() is not None:  # else the turn was complete before its time was up
                raise _not_complete(settings)
            return


def _not_complete(settings: ConnectorSettings) -> SystemUnderTestError:
    problem = f"its turn was not complete after {settings.turn_timeout_s:g} s"
    return SystemUnderTestError("timeout", problem)
