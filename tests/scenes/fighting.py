"""An arena of scripted systems, and people who vote by known strengths."""

import asyncio
import json
from collections.abc import Mapping
from math import exp
from pathlib import Path
from random import Random

from scenes.patience import PATIENCE_S
from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.state import VisitState

SYSTEMS = ("beryl-9", "cobalt", "topaz")


def write_arena(
    folder: Path, *, battles: int = 1, turns: int = 3, systems: Mapping | None = None, more: str = ""
) -> Path:
    """A study whose one step is an arena; every system says its own name, as a careless one does.

    more  settings of the step, as `, matchmaking: widest`
    """
    told = systems or {
        name: {
            "title": f"The {name.title()} Machine",
            "connect": "scripted",
            "greeting": f"Hello, I am {name}.",
            "otherwise": f"{name} has heard: {{text}}",
        }
        for name in SYSTEMS
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(
        "study: city\nlanguages: [en, it]\n"
        f"systems: {json.dumps(told)}\n"
        f"visit:\n  - arena: {{battles: {battles}, turns: {turns}, mask: [Acme Corp]{more}}}\n",
        encoding="utf-8",
    )
    return folder


def arena_study(folder: Path, **settings: object) -> Study:
    return load_study(write_arena(folder, **settings))  # pyright: ignore[reportArgumentType]


def arena_engine(study: Study, log: Log, **changes: object) -> SessionEngine:
    connectors = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
    return SessionEngine(study, log, connectors | changes)  # pyright: ignore[reportArgumentType, reportOperatorIssue]


async def until(engine: SessionEngine, visit_id: str, done) -> VisitState:
    """The state once a condition holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not done(state := await engine.state(visit_id)):
            await asyncio.sleep(0.002)
        return state


def settled(state: VisitState) -> bool:
    return state.bout is None or state.bout.settled


def due(state: VisitState) -> bool:
    return state.bout is None or state.bout.vote_due


async def fight(engine: SessionEngine, worth: Mapping[str, float], chance: Random, ties: float = 0.3) -> str:
    """One person's whole visit: votes after Davidson's model, every exchange anew."""
    opened = await engine.open_visit(language="en")
    said = 0
    while (state := await until(engine, opened.visit_id, settled)).bout is not None:
        bout, said = state.bout, said + 1
        key = f"message-{opened.visit_id}-{said}"
        await engine.bouts.say(opened.visit_id, bout.event.bout_id, key=key, text=f"question {said}")
        state = await until(engine, opened.visit_id, due)
        assert state.bout is not None
        lean = worth[bout.event.left_system] - worth[bout.event.right_system]
        weights = [exp(lean / 2), exp(-lean / 2), ties / 2, ties / 2]
        choice = chance.choices(["left", "right", "tie", "both_bad"], weights)[0]
        await engine.bouts.vote(
            opened.visit_id, bout.event.bout_id, exchange=state.bout.exchange, choice=choice
        )
    return opened.visit_id


async def fight_all(engine: SessionEngine, people: int, worth: Mapping[str, float], seed: int = 1) -> None:
    """So many people, one after another; the seed settles who meets whom, and how they vote."""
    chance = Random(seed)
    engine.rules.chance = lambda _: chance
    await engine.start()
    for _ in range(people):
        await fight(engine, worth, chance)
    await engine.stop()
