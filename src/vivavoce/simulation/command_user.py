"""Simulated participants who command a robot in writing: they say what the study's stimuli propose."""

import asyncio
import uuid
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.log.events import SimulatedUserDescribed
from vivavoce.study.model import ElicitStep, Study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.state import VisitState

POOL: Final = "simulation"
AT_ONCE: Final = 12
OTHER_STEPS: Final = ("consent", "instructions", "debrief", "elicit")


def only_commands(study: Study) -> bool:
    """Whether all that a study asks for, beside reading, is commands."""
    kinds = {step.kind for step in study.visit}
    return "elicit" in kinds and kinds <= set(OTHER_STEPS)


async def command_robot(
    engine: SessionEngine, participants: int, *, seed: int, language: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:  # fmt: skip
    """Let so many simulated participants go through the study; how many commands they gave.

    Note    the same seed gives the same commands; every visit is marked as simulated
    Raises  InputError: a stimulus proposes nothing to say in the language
    """
    spoken = engine.study.language(language)
    _check(engine.study, spoken)
    waiting = iter(range(participants))
    prefix, done = f"simulated-{uuid.uuid4().hex[:6]}-", 0

    async def work(waiting: Iterator[int]) -> int:
        nonlocal done
        given = 0
        for number in waiting:
            given += await _visit(engine, f"{prefix}{number}", Random(f"{seed}:{number}"), seed, spoken)
            done += 1
            if progress:
                progress(done, participants)
        return given

    return sum(await asyncio.gather(*(work(waiting) for _ in range(AT_ONCE))))


async def _visit(engine: SessionEngine, participant: str, chance: Random, seed: int, language: str) -> int:
    opened = await engine.open_visit(language=language, pool=POOL, simulated=True, participant_id=participant)
    visit_id, given = opened.visit_id, 0
    await engine.describe_user(visit_id, SimulatedUserDescribed(user="agenda", seed=seed))
    while (state := await engine.state(visit_id)).phase != "ended":
        step = state.current_step
        if state.phase == "elicit":
            words = chance.choice(_proposed(engine.study, state, language))
            key = f"{visit_id}-{state.step}-{state.position}"
            await engine.elicitation.type(
                visit_id, step=state.step, position=state.position, key=key, text=words
            )
            given += 1
        elif step is not None and step.kind == "consent":
            await engine.give_consent(visit_id, state.step, agreed=True, document="simulated")
        else:
            await engine.read_page(visit_id, state.step)
    return given


def _proposed(study: Study, state: VisitState, language: str) -> tuple[str, ...]:
    wanted = state.stimuli[state.position]
    return next(
        one.say[language]
        for one in study.stimuli[state.elicit_step.stimuli]
        if (one.recipe, one.stimulus_id) == (wanted.recipe, wanted.stimulus_id)
    )


def _check(study: Study, language: str) -> None:
    for step in (one for one in study.visit if isinstance(one, ElicitStep)):
        for frame in study.stimuli[step.stimuli]:
            if not frame.say.get(language):
                raise InputError(
                    f"frame {frame.stimulus_id!r} proposes nothing to say in {language!r}",
                    place=step.stimuli, hint=f"add `say: {{{language}: [...]}}` to it",
                )  # fmt: skip
