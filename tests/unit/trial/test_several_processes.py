"""What one process left behind or another wrote meanwhile, and the next one takes up."""

import asyncio
from pathlib import Path

import pytest

from scenes.patience import eventually_there
from scenes.visits import (
    Parrot,
    into_dialogue,
    say,
    settled,
    with_engine,
)
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Stale


@pytest.mark.parametrize(
    ("capabilities", "resent", "failure"),
    [
        ({"idempotent": True}, True, None),
        ({"memory": "caller"}, True, None),
        ({}, False, "interrupted"),
        ({"memory": "process"}, False, "interrupted"),
    ],
    ids=["takes a key once", "keeps no memory", "may have heard it", "lost its memory"],
)
def test_an_answer_owed_at_a_crash_is_taken_up_by_the_next_process(
    study, tmp_path: Path, capabilities, resent, failure
) -> None:
    url = f"sqlite:///{tmp_path / 'crash.sqlite'}"

    async def before() -> tuple[str, str]:
        stuck = Parrot(**capabilities)
        log = Log.open(url)
        engine = SessionEngine(study, log, {"one": stuck, "two": stuck})
        await engine.start()
        visit_id, dialogue_id = await into_dialogue(engine)
        stuck.gate = asyncio.Event()
        await engine.say(visit_id, dialogue_id, key="k", text="hi")
        await eventually_there(lambda: stuck.sent)
        await engine.stop()
        await log.close()
        return visit_id, dialogue_id

    async def after(visit_id: str, dialogue_id: str) -> None:
        fresh = Parrot(**capabilities)
        log = Log.open(url)
        engine = SessionEngine(study, log, {"one": fresh, "two": fresh})
        await engine.start()
        await settled(engine, visit_id)
        said = await engine.say(visit_id, dialogue_id, key="k", text="hi")
        assert said.replayed
        assert [turn.key for turn in fresh.sent] == (["k"] if resent else [])
        failures = [s.event for s in log.events(visit_id) if isinstance(s.event, events.SystemTurnFailed)]
        assert [one.failure for one in failures] == ([failure] if failure else [])
        dialogue = (await engine.state(visit_id)).dialogues[-1]
        assert dialogue.running == (capabilities.get("memory") != "process")
        if resent:
            assert fresh.histories[0] == ("Hello.",)
        await engine.stop()
        await log.close()

    asyncio.run(after(*asyncio.run(before())))


def test_what_another_process_wrote_is_read_before_anything_is_written_on_top(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        chosen = events.LanguageChosen(language="it")
        await log.transact(lambda tx: tx.append(visit_id, chosen))  # as a second process would
        with pytest.raises(Stale):
            await engine.say(visit_id, dialogue_id, key="k", text="hi")
        assert (await engine.state(visit_id)).language == "it"
        await say(engine, visit_id, dialogue_id, "hi", key="k")
        stored = log.events(visit_id)
        assert [one.seq for one in stored] == list(range(1, len(stored) + 1))

    with_engine(study, log, scenario)


def test_an_answer_is_logged_even_when_another_process_wrote_meanwhile(study, log) -> None:
    parrot = Parrot()

    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        parrot.gate = asyncio.Event()
        await engine.say(visit_id, dialogue_id, key="k", text="hi")
        chosen = events.LanguageChosen(language="it")
        await log.transact(lambda tx: tx.append(visit_id, chosen))
        parrot.gate.set()
        await settled(engine, visit_id)
        answers = [s for s in log.events(visit_id) if isinstance(s.event, events.SystemTurnReceived)]
        assert [one.event.text for one in answers] == ["Hello.", "You said: hi"]

    with_engine(study, log, scenario, one=parrot, two=parrot)
