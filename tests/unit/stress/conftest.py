"""Runs of stress tests on bundled bots, in this process and into a log of their own."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.log.stress_events import stress_rows, stress_stream
from vivavoce_stress.base import STRESS_TESTS
from vivavoce_stress.case import Case, LoggedTurn
from vivavoce_stress.runs import Run, RunSettings

Rows = list[dict[str, Any]]
RunCases = Callable[..., Rows]


def case(
    test: str,
    language: str,
    original: str,
    variant: str,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    **more: Any,
) -> Case:
    """A case of our own words; its key is its words."""
    return Case(
        case_id=f"{test}|{original}|{variant}",
        test=test,
        family=STRESS_TESTS.get(test).family,
        language=language,
        original=original,
        variant=variant,
        before=tuple(LoggedTurn(text=one) for one in before),
        after=tuple(LoggedTurn(text=one) for one in after),
        **more,
    )


@pytest.fixture
def run_cases(tmp_path: Path) -> RunCases:
    """Runs cases on a bundled bot, named as `connect: python` names it; gives rows of the table."""

    def run(call: str, cases: Sequence[Case], **more: Any) -> Rows:
        settings = {"connect": "python", "call": call, "in_process": True, "greeting": True}
        return asyncio.run(_run(make_connector(settings), cases, tmp_path / "log.sqlite", **more))

    return run


async def _run(connector: Any, cases: Sequence[Case], path: Path, **more: Any) -> Rows:
    settings = more.pop("settings", RunSettings())
    log = Log.open(f"sqlite:///{path}")
    try:
        run = Run("toy", "bot", connector, log, cases, settings, fresh=True, **more)
        await run.hold()
        rows = [row for row in stress_rows(log.events(stress_stream("toy"))) if row["run_id"] == run.run_id]
    finally:
        await log.close()
        await connector.shut_down()
    return rows
