"""A trial with a stopping rule, and participants who succeed as often as they are told."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from scenes.patience import PATIENCE_S, eventually
from scenes.visits import Parrot, make_study, settled
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study import model as study_model
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused

Succeeds = Callable[[int, str], bool]


def apart(person: int, system: str) -> bool:
    """The system `one` nearly always helps, `two` nearly never."""
    return person % 9 != 4 if system == "one" else person % 7 == 3


def alike(person: int, system: str) -> bool:
    """Of four participants both systems help one, each system alone one more, and neither the last."""
    return person % 4 in ((0, 1) if system == "one" else (0, 2))


def watched_study(folder: Path, **stopping: object) -> study_model.Study:
    """Everybody talks once to each of two systems, and says whether they found all."""
    analysis = study_model.Analysis.model_validate(
        {"primary": {"measure": "subjective_success", "compare": ["one", "two"]}, "stopping": stopping}
    )
    dialogue = study_model.DialogueStep(
        repeat=study_model.Range(min=2, max=2),
        gate="none",
        nontrivial=study_model.Nontrivial(user_turns=1),
        feedback=(study_model.QuestionnaireStep(name="cambridge", about="dialogue"),),
    )
    return make_study(
        folder, analysis=analysis, visit=(study_model.ConsentStep(file="consent.md"), dialogue), tasks=()
    )


async def take_part(engine: SessionEngine, succeeds: Succeeds, person: int, *, simulated: bool) -> None:
    """One participant's whole visit. Raises Refused when the trial is paused."""
    opened = await engine.open_visit(language="en", simulated=simulated)
    await engine.give_consent(opened.visit_id, 0, agreed=True, document="d")
    for round_ in range(2):
        if (await engine.state(opened.visit_id)).phase == "ready":
            await engine.next_dialogue(opened.visit_id, 1, round_)
        await settled(engine, opened.visit_id)
        dialogue = (await engine.state(opened.visit_id)).dialogues[-1]
        await engine.say(opened.visit_id, dialogue.dialogue_id, key=dialogue.dialogue_id, text="hello")
        await settled(engine, opened.visit_id)
        await engine.end_dialogue(opened.visit_id, dialogue.dialogue_id)
        success = succeeds(person, dialogue.system)
        rated = events.LoggedRating(
            item_id="found_all",
            value=float(success),
            answer="Yes" if success else "No",
            role="subjective_success",
        )
        await engine.forms.answer(
            opened.visit_id,
            step=1,
            round=round_,
            position=0,
            instrument="cambridge",
            wording="project",
            ratings=[rated],
        )


def hold_trial(
    study: study_model.Study,
    url: str,
    succeeds: Succeeds,
    people: int,
    *,
    first: int = 0,
    after_each: Any = None,
    simulated: bool = False,
) -> int:
    """Participants come one after the other until the trial is paused; how many came through.

    succeeds    whether a participant, numbered from `first`, finds all with a system
    simulated   they are programs, and say so
    after_each  called between visits, so that whoever watches is given the time to look
    """

    async def run(log: Log) -> int:
        engine = SessionEngine(study, log, {name: Parrot() for name in study.systems})
        await engine.start()
        held = 0
        try:
            for person in range(first, first + people):
                await take_part(engine, succeeds, person, simulated=simulated)
                held += 1
                if after_each is not None:
                    await asyncio.to_thread(after_each)
        except Refused as refused:
            assert str(refused.reason) == "paused"
        finally:
            await engine.stop()
        return held

    with Log.open(url) as log:
        return asyncio.run(run(log))


@contextmanager
def served(app: Any) -> Iterator[str]:
    """A dashboard on a free port, served by a thread; its address."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=10))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            eventually(lambda: server.started, "the dashboard never started")
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)
