"""A study with many systems behind many connectors, and participants who tell whether anything mixes."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from scenes.counterparts import FOLDER, Counterparts
from scenes.patience import PATIENCE_S
from scenes.processes import free_port
from scenes.visits import make_study
from vivavoce.connectors.factory import make_connector
from vivavoce.log.history import DialogueHistory
from vivavoce.log.store import Log
from vivavoce.study import model as study_model
from vivavoce.trial.engine import SessionEngine

ELIZA_KEY = "key-of-eliza"


def plain_systems(counterparts: Counterparts) -> dict[str, dict[str, object]]:
    """Systems of ours behind four connectors; each tells the first thing said."""
    server = counterparts.server("chat_server.py")
    return {
        "http": {"connect": "http", "url": f"http://{server}/chat", "allow_private": True},
        "rasa": {"connect": "rasa", "url": f"http://{server}", "allow_private": True},
        "stdio": {"connect": "stdio", "command": [sys.executable, str(FOLDER / "line_bot.py")]},
        "websocket": {
            "connect": "websocket",
            "url": f"ws://{server}/talk",
            "allow_private": True,
            "delta": "piece",
            "turn_end": "done",
        },
    }


def eliza(counterparts: Counterparts) -> dict[str, dict[str, object]]:
    """The package eliza-gpt as it is: a bot that speaks as OpenAI does and repeats what it is asked about."""
    server = counterparts.program("eliza-gpt", "--api-key", ELIZA_KEY, "--avg-response-time", "0")
    settings = {"connect": "openai", "url": f"http://{server}/v1", "model": "eliza", "key": "${ELIZA_KEY}"}
    return {"eliza": {**settings, "allow_private": True}}


def said(participant: int, round_: int, turn: int) -> str:
    """Words that are nobody else's, in a sentence that ELIZA always answers by repeating them."""
    return f"Do you remember word{participant}x{round_}x{turn}x"


def is_answer(system: str, answer: str, participant: int, round_: int, turn: int) -> bool:
    """Whether this is what the system says to this participant's turn, and to nobody else's."""
    if system == "eliza":
        return re.findall(r"word\w+", answer) == [said(participant, round_, turn).rpartition(" ")[2]]
    return answer == f"first was {said(participant, round_, 0)}"


def telegram_systems(libraries: list[str]) -> dict[str, dict[str, object]]:
    patient = {"connect_timeout_s": PATIENCE_S, "greeting_s": PATIENCE_S}
    return {
        library: {"connect": "telegram", "port": free_port(), "idle_s": 0.5, **patient}
        for library in libraries
    }


@asynccontextmanager
async def running(
    folder: Path, systems: dict[str, dict[str, object]], log: Log
) -> AsyncIterator[SessionEngine]:
    """The study's engine, and the Telegram bots among its systems as processes that call us."""
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=len(systems), max=len(systems)),
        gate="none",
        nontrivial=study_model.Nontrivial(user_turns=1),
        feedback=(),
    )
    consent = study_model.ConsentStep(file="consent.md")
    study = make_study(folder, systems=systems, visit=(consent, step))
    connectors = {
        name: make_connector(settings, {"ELIZA_KEY": ELIZA_KEY}) for name, settings in systems.items()
    }
    engine = SessionEngine(study, log, connectors)
    await engine.start()
    bots = []
    for name, settings in systems.items():
        if settings["connect"] == "telegram":
            script = str(FOLDER / f"telegram_{name}.py")
            command = [sys.executable, script, f"http://127.0.0.1:{settings['port']}"]
            bots.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, env=_without_proxies()))
    try:
        yield engine
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
        await engine.stop()


def _without_proxies() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


async def take_part(engine: SessionEngine, participant: int, dialogues: int, turns: int) -> str:
    """One simulated participant holds all dialogues, with words that are nobody else's; the visit's key."""
    opened = await engine.open_visit(language="en", simulated=True)
    await engine.give_consent(opened.visit_id, 0, agreed=True, document="d")
    for round_ in range(dialogues):
        state = await engine.state(opened.visit_id)
        if state.phase == "ready":
            await engine.next_dialogue(opened.visit_id, 1, round_)
        dialogue = (await engine.state(opened.visit_id)).dialogues[-1]
        await _answered(engine, opened.visit_id)
        for turn in range(turns):
            text = said(participant, round_, turn)
            key = f"{participant}-{round_}-{turn}-{opened.visit_id}"
            await engine.say(opened.visit_id, dialogue.dialogue_id, key=key, text=text)
            await _answered(engine, opened.visit_id)
        await engine.end_dialogue(opened.visit_id, dialogue.dialogue_id)
    return opened.visit_id


async def _answered(engine: SessionEngine, visit_id: str) -> None:
    """Wait until the system has greeted and answered."""
    while True:
        state = await engine.state(visit_id)
        dialogue = state.dialogues[-1]
        if dialogue.greeted and dialogue.unanswered is None and not engine.answering(visit_id):
            return
        await engine.updates(visit_id, state.seq, wait_s=0.2)


def answers_of(dialogue: DialogueHistory) -> list[str]:
    """What the system said to each user turn."""
    turns = dialogue.turns
    return [
        turn.text
        for place, turn in enumerate(turns)
        if turn.party == "system" and place > 0 and turns[place - 1].party == "user"
    ]


async def all_at_once(engine: SessionEngine, participants: int, dialogues: int, turns: int) -> list[str]:
    work = (take_part(engine, number, dialogues, turns) for number in range(participants))
    return await asyncio.gather(*work)
