"""Makes whole recordings of dialogues by voice that were pressed turn by turn, once they are over.

A page may tell for some seconds after the end when it played the last words, so it waits for that. What a
service that died has left is made by the next one.
"""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog

from vivavoce.core.errors import InputError, LogError
from vivavoce.log.recordings import folder_of
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale
from vivavoce_speech.browser.clip_layout import layout, recording_id_of, waiting, written

SETTLE_S: Final = 30.0  # after the end of a dialogue
LOOK_EVERY_S: Final = 10.0

_report = structlog.get_logger("vivavoce.trial")


class LaidOutDialogues:
    """Looks after the dialogues by voice of one study; starts and stops with the pages."""

    def __init__(self, engine: SessionEngine) -> None:
        self._engine = engine
        self._left: set[str] = set()  # dialogues of which nothing can be made
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to look, at once for what was left."""
        self._task = asyncio.create_task(self._look())

    async def stop(self) -> None:
        """Stop looking; what is not made is made when the service is started again."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _look(self) -> None:
        while True:
            try:
                await self.make()
            except Exception as error:
                _report.warning("recordings_not_laid_out", error=repr(error))
            await asyncio.sleep(LOOK_EVERY_S)

    async def make(self) -> int:
        """Lay out every dialogue that is over; how many recordings were made."""
        log, study = self._engine.log, self._engine.study.name
        before = self._engine.clock.now() - timedelta(seconds=SETTLE_S)
        count = 0
        for visit_id, dialogue_id in await asyncio.to_thread(waiting, log, study, before):
            if dialogue_id in self._left:
                continue
            try:
                count += await self._made(visit_id, dialogue_id)
            except (InputError, LookupError, Refused) as error:
                self._left.add(dialogue_id)
                _report.error("recording_not_laid_out", dialogue=dialogue_id, error=str(error))
            except (LogError, Stale) as error:  # tried again
                _report.warning("recording_not_laid_out", dialogue=dialogue_id, error=str(error))
        return count

    async def _made(self, visit_id: str, dialogue_id: str) -> bool:
        log, folder = self._engine.log, folder_of(self._engine.log)
        history = await asyncio.to_thread(log.dialogue_history, dialogue_id)
        clips = layout(history) if history is not None else []
        if not clips:
            self._left.add(dialogue_id)
            return False
        stored = await asyncio.to_thread(lambda: log.recordings(dialogue_id=dialogue_id))
        files = {
            recording.recording_id: recording.file for recording in stored if recording.removed_at is None
        }
        event = await asyncio.to_thread(written, folder, dialogue_id, clips, files)
        if event is None:
            self._left.add(dialogue_id)
            return False
        visit = await self._engine.visit(visit_id)
        async with visit.lock:
            has_all = {clip.recording_id for clip in clips} <= visit.state.recordings.keys()
            if not has_all or visit.state.outcome in ("withdrew", "no_consent"):
                await asyncio.to_thread(folder.remove, event.file)  # its clips went while it was made
                return False
            if recording_id_of(dialogue_id) not in visit.state.recordings:
                await self._engine.move(visit, lambda draft: draft.add(event))
        return True
