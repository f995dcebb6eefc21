"""Simulated callers on a study, through the session engine that people use."""

import asyncio
from typing import TYPE_CHECKING

from vivavoce.cli.progress import Report
from vivavoce.cli.studies import make_connectors

if TYPE_CHECKING:
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study


def simulate_study(
    study: "Study", log: "Log", dialogues: int, *, seed: int, error_rate: float = 0.25, report: Report
) -> int:
    """Hold so many simulated dialogues; returns how many came to an end."""
    from vivavoce.session.engine import SessionEngine
    from vivavoce.simulation.trial import run_trial

    async def run() -> int:
        engine = SessionEngine(study, log, make_connectors(study))
        await engine.start()
        try:
            return await run_trial(engine, dialogues, seed=seed, error_rate=error_rate, progress=report)
        finally:
            await engine.stop()

    return asyncio.run(run())
