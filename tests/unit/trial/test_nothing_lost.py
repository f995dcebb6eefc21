"""A system that answers wrongly: what was said, what came of the answer, and the reason are all kept."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenes.counterparts import Counterparts
from scenes.patience import PATIENCE_S
from scenes.visits import Parrot, into_dialogue, make_study, say
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import LogError
from vivavoce.log import events as log_events
from vivavoce.log.store import Log
from vivavoce.trial import relay
from vivavoce.trial.engine import SessionEngine

PATIENT = {"connect_timeout_s": PATIENCE_S, "first_output_timeout_s": PATIENCE_S}


@pytest.fixture(scope="module")
def faulty() -> Iterator[str]:
    counterparts = Counterparts()
    yield f"http://{counterparts.server('faulty_server.py')}"
    counterparts.stop()


def events_of_a_turn(folder: Path, log: Log, settings: dict[str, Any]) -> list[log_events.Event]:
    """What is in the log after two turns in a row to such a system, read by another process."""
    settings = {**settings, "allow_private": True}
    study = make_study(folder, systems={"one": settings, "two": settings})

    async def run() -> str:
        connectors = {name: make_connector(settings, {}) for name in study.systems}
        engine = SessionEngine(study, log, connectors)
        await engine.start()
        visit_id, dialogue_id = await into_dialogue(engine)
        for number in (1, 2):
            await say(engine, visit_id, dialogue_id, f"turn {number}")
            assert (await engine.state(visit_id)).dialogues[-1].running
        await engine.stop()
        return visit_id

    visit_id = asyncio.run(run())
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as again:
        return [stored.event for stored in again.events(visit_id)]


@pytest.mark.parametrize(
    ("fault", "failures", "limits"),
    [
        ("slow", {"timeout"}, {"first_output_timeout_s": 0.3, "turn_timeout_s": 0.6}),
        ("silent", {"timeout"}, {"first_output_timeout_s": 0.3}),
        ("garbage", {"closed", "bad_answer"}, PATIENT),
        ("half", {"closed"}, PATIENT),
        ("huge", {"bad_answer"}, PATIENT),
        ("notutf8", {"bad_answer"}, PATIENT),
        ("closed", {"closed"}, PATIENT),
    ],
)
def test_a_faulty_answer_is_logged_with_its_reason_and_the_next_turn_is_taken(
    tmp_path: Path, log: Log, faulty: str, fault: str, failures: set[str], limits: dict[str, Any]
) -> None:
    settings = {"connect": "http", "url": f"{faulty}/{fault}", **limits}
    events = events_of_a_turn(tmp_path, log, settings)
    said = [one.text for one in events if isinstance(one, log_events.UserTurnSent)]
    failed = [one for one in events if isinstance(one, log_events.SystemTurnFailed)]
    assert said == ["turn 1", "turn 2"]
    assert [one.reply_to for one in failed] == [0, 1]
    assert all(one.failure in failures and one.detail for one in failed)
    assert all("turn" in str(one.wire) for one in failed)


def test_the_half_of_an_answer_that_came_is_kept(tmp_path: Path, log: Log, faulty: str) -> None:
    settings = {"connect": "openai", "url": f"{faulty}/streamcut", "model": "m", **PATIENT}
    events = events_of_a_turn(tmp_path, log, settings)
    failed = [one for one in events if isinstance(one, log_events.SystemTurnFailed)]
    assert [one.partial for one in failed] == ["half an answer"] * 2
    assert all("half" in str(one.wire) for one in failed)


def test_what_came_over_the_wire_of_a_good_answer_is_kept_too(tmp_path: Path, log: Log, faulty: str) -> None:
    events = events_of_a_turn(tmp_path, log, {"connect": "http", "url": f"{faulty}/count/nobody", **PATIENT})
    answers = [one for one in events if isinstance(one, log_events.SystemTurnReceived)]
    assert [(one.reply_to, one.text) for one in answers] == [(0, "0"), (2, "0")]
    for number, one in enumerate(answers, 1):
        assert f"turn {number}" in str(one.wire) and "text" in str(one.wire)


def test_what_came_is_written_as_soon_as_the_log_takes_it(
    tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pauses between its tries grow to half a minute."""
    paused, write = list[float](), relay.move

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    async def full(*facts: Any) -> Any:
        if len(paused) < 8:
            raise LogError("the disk is full")
        return await write(*facts)

    async def run() -> None:
        study = make_study(tmp_path)
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Parrot()))
        visit_id, _ = await into_dialogue(engine)
        visit = await engine.visit(visit_id)
        with monkeypatch.context() as patched:
            patched.setattr(relay, "move", full)
            patched.setattr(asyncio, "sleep", pause)
            chosen = log_events.LanguageChosen(language="it")
            await engine.relay._move(visit, lambda draft: draft.add(chosen))
        assert (await engine.state(visit_id)).language == "it"
        await engine.stop()

    asyncio.run(run())
    assert paused == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
