"""Health of the service: whether new messages can be saved."""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from vivavoce.log.store import Log
from vivavoce.participant.site import site_of

WAIT_S: Final = 5.0
LASTS_S: Final = 1.0
LEAST_FREE: Final = 32 * 1024 * 1024

router = APIRouter(include_in_schema=False)
_report = structlog.get_logger("vivavoce.participant")


class Pulse:
    """Writes to the log to check that it can be written; a success is valid for a second."""

    def __init__(self, log: Log, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        self.log, self._clock_s = log, clock_s
        self._problem: str | None = None
        self._until_s = float("-inf")
        self._lock = asyncio.Lock()

    async def problem(self) -> str | None:
        """Problem in a word or two; None if a turn sent now would be on disk."""
        async with self._lock:
            if self._clock_s() >= self._until_s:
                self._problem = await self._look()
                self._until_s = self._clock_s() + (LASTS_S if self._problem is None else 0.0)
            return self._problem

    async def _look(self) -> str | None:
        try:
            await asyncio.wait_for(self.log.transact(lambda tx: tx.leave_sign()), WAIT_S)
        except Exception as error:
            _report.error("unhealthy", error=repr(error))
            return "does not answer"
        if await asyncio.to_thread(lambda: any(map(_is_full, self.log.folders()))):
            _report.error("unhealthy", error="less than 32 MiB free on a disk of the log")
            return "has no space left on its disk"
        return None


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < LEAST_FREE
    except OSError:
        return True


@router.get("/healthz")
async def healthz(request: Request) -> Response:
    """200 where the log can be written and has room, 503 otherwise."""
    state, log = request.app.state, site_of(request).engine.log
    if not hasattr(state, "pulse"):
        state.pulse = Pulse(log)
    problem = await state.pulse.problem()
    return JSONResponse({"log": problem or "answers"}, 503 if problem else 200)
