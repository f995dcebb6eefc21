"""Programs cut text in the middle of a character; what they said is kept all the same."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from scenes.visits import Parrot, into_dialogue, make_study, say
from vivavoce.connectors.base import Choice, Conversation, SystemOutput, UserTurn
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.log import events as log_events
from vivavoce.log.store import Log
from vivavoce.trial.engine import SessionEngine


class Cutting(Parrot):
    """Answers in halves of characters."""

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        if turn.text == "fail":
            raise SystemUnderTestError("bad_answer", "it said \ud83d")
        if turn.text == "stream":
            yield SystemOutput(kind="delta", text="well \ud83d")
            yield SystemOutput(kind="delta", text="\ude00 done")
            return
        choices = (Choice("more\ud83d", "/more\ud83d"),)
        yield SystemOutput(kind="message", text="cut \ud83d", choices=choices, raw={"said": "cut \ud83d"})


def test_half_characters_of_a_system_cost_nothing_but_themselves(tmp_path: Path, log: Log) -> None:
    study = make_study(tmp_path)

    async def run() -> str:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Cutting()))
        await engine.start()
        visit_id, dialogue_id = await into_dialogue(engine)
        for text in ("cut", "stream", "fail", "cut again"):
            await say(engine, visit_id, dialogue_id, text)
        await engine.stop()
        return visit_id

    events = [stored.event for stored in log.events(asyncio.run(run()))]
    answers = [one for one in events if isinstance(one, log_events.SystemTurnReceived) and one.reply_to]
    (failed,) = [one for one in events if isinstance(one, log_events.SystemTurnFailed)]
    texts = [one.messages[0].text for one in answers]
    assert texts == ["cut \ufffd", "well \U0001f600 done", "cut \ufffd"]
    assert answers[0].messages[0].choices == [{"title": "more\ufffd", "payload": "/more\ufffd"}]
    assert answers[0].raw == [{"said": "cut \ufffd"}]
    assert failed.detail == "it said \ufffd"
