"""Many systems behind many connectors in one study, everybody at once: complete, unmixed, logged."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.counterparts import Counterparts
from scenes.many_systems import (
    ELIZA_KEY,
    all_at_once,
    answers_of,
    eliza,
    is_answer,
    plain_systems,
    running,
    telegram_systems,
)
from vivavoce.log import events as log_events
from vivavoce.log.store import Log


@pytest.fixture
def counterparts() -> Iterator[Counterparts]:
    started = Counterparts()
    yield started
    started.stop()


def hold_and_check(folder: Path, systems: dict, participants: int, turns: int) -> None:
    async def run(log: Log) -> None:
        async with running(folder, systems, log) as engine:
            visits = await all_at_once(engine, participants, len(systems), turns)
            for number, visit_id in enumerate(visits):
                state = await engine.state(visit_id)
                assert Counter(one.system for one in state.dialogues) == Counter(list(systems))
                for round_, dialogue in enumerate(state.dialogues):
                    heard = answers_of(dialogue)
                    assert len(heard) == turns
                    for turn, answer in enumerate(heard):
                        assert is_answer(dialogue.system, answer, number, round_, turn), answer

    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        asyncio.run(run(log))
        check_log(log, participants * len(systems), turns)


def check_log(log: Log, dialogues: int, turns: int) -> None:
    """Every turn of the systems is in the log, with its times and with what went over the wire."""
    kinds: Counter[str] = Counter()
    for stored in log.all_events():
        event = stored.event
        kinds[event.kind] += 1
        if isinstance(event, log_events.SystemTurnReceived) and event.reply_to is not None:
            assert event.sent_s is not None and event.first_output_s is not None
            assert event.complete_s is not None
            assert event.wire and {"sent", "received"} <= {next(iter(frame)) for frame in event.wire}
            assert event.sent_s <= event.first_output_s <= event.complete_s
            assert ELIZA_KEY not in event.model_dump_json()
    assert kinds["dialogue_assigned"] == kinds["dialogue_ended"] == dialogues
    assert kinds["user_turn_sent"] == dialogues * turns
    assert kinds["system_turn_failed"] == 0
    assert kinds["visit_ended"] > 0


def test_six_connectors_do_not_mix(tmp_path: Path, counterparts: Counterparts) -> None:
    systems = {**plain_systems(counterparts), **eliza(counterparts), **telegram_systems(["ptb"])}
    hold_and_check(tmp_path, systems, participants=6, turns=2)


@pytest.mark.long
def test_sixty_participants_six_connectors_and_three_bots_of_others_do_not_mix(
    tmp_path: Path, counterparts: Counterparts
) -> None:
    """Seven systems, for two of the three bots of others stand behind the Telegram connector."""
    systems = {**plain_systems(counterparts), **eliza(counterparts), **telegram_systems(["ptb", "aiogram"])}
    assert len({settings["connect"] for settings in systems.values()}) == 6
    hold_and_check(tmp_path, systems, participants=60, turns=3)
