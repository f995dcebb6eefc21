"""One clock for the sound of all calls: a beat every 20 ms, and a late one is made up for at once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from vivavoce_speech.telephony.leg import FRAME_S, PhoneLeg

LONGEST_DELAY_S: Final = 5.0  # a machine that slept longer goes on from now instead of making up for it

_report = structlog.get_logger("vivavoce.telephony")


class FrameClock:
    """Calls every member on each beat; one that fails is taken off and told of, the others go on."""

    def __init__(self) -> None:
        self._members: dict[object, Callable[[], None]] = {}
        self._task: asyncio.Task[None] | None = None

    def join(self, key: object, beat: Callable[[], None]) -> None:
        self._members[key] = beat
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def leave(self, key: object) -> None:
        self._members.pop(key, None)

    async def hold(
        self, leg: PhoneLeg, beat: Callable[[], None], talk: Callable[[PhoneLeg], Awaitable[None]]
    ) -> None:
        """A call from its first beat to its last; a failure of ours ends it and is told of."""
        try:
            self.join(leg, beat)
            await talk(leg)
            await leg.hang_up()
        except Exception as error:
            _report.exception("call_failed", call_id=leg.call_id, error=repr(error))
            leg.ended("failure")
        finally:
            self.leave(leg)

    async def stop(self) -> None:
        self._members.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while self._members:
            for key, beat in list(self._members.items()):
                try:
                    beat()
                except Exception as error:
                    _report.exception("beat_failed", error=repr(error))
                    self.leave(key)
            due += FRAME_S
            late = loop.time() - due
            if late > LONGEST_DELAY_S:
                due = loop.time()
            await asyncio.sleep(max(0.0, due - loop.time()))
