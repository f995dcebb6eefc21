"""Simulated users whose time is up."""

import asyncio
from pathlib import Path

from scenes.visits import Parrot
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.simulation.trial import run_trial
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import Said, SessionEngine


def test_a_system_gets_the_recognised_words_now_and_in_its_history(tmp_path: Path) -> None:
    write_study(tmp_path, "cambridge-2011")
    study = load_study(tmp_path)
    parrots = {name: Parrot() for name in study.systems}
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, parrots)
        asyncio.run(run_trial(engine, 3, seed=1, error_rate=0.5))
        turns = [one.event for one in log.all_events() if isinstance(one.event, events.UserTurnSent)]
    sent = [turn.text for parrot in parrots.values() for turn in parrot.sent]
    assert sorted(sent) == sorted(turn.heard[0].text or "" for turn in turns)
    assert sorted(sent) != sorted(turn.text for turn in turns)


def test_a_simulated_user_whose_time_is_up_while_it_thinks_goes_on_with_the_visit(tmp_path: Path) -> None:
    write_study(tmp_path, "cambridge-2011")
    study = load_study(tmp_path)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {name: Parrot() for name in study.systems})
        say, said = engine.say, []

        async def say_too_late(visit_id: str, dialogue_id: str, **facts: object) -> Said:
            said.append(dialogue_id)
            if said.count(dialogue_id) == 2:
                engine.rules.elapsed_s = lambda _: 60 * study.limits.dialogue_minutes
                await engine.end_overdue()
                engine.rules.elapsed_s = engine.relay.elapsed_s
            return await say(visit_id, dialogue_id, **facts)  # pyright: ignore[reportArgumentType]

        engine.say = say_too_late

        async def run() -> int:
            return await run_trial(engine, 2, seed=1, error_rate=0.0)

        assert asyncio.run(run()) == 2
        ends = [one.event for one in log.all_events() if isinstance(one.event, events.DialogueEnded)]
    assert len(ends) == 2
    assert {(one.reason, one.limit, one.user_turns) for one in ends} == {("limit", "minutes", 1)}
