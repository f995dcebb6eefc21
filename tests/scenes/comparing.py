"""A study that compares transcripts, shipped as it is or changed, and judges that know what they like."""

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from scenes.browsing import Visitor
from vivavoce.log.store import Log
from vivavoce.steps.pairwise_preference.form import Preferred
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.pairs import ComparisonQuestion
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.state import VisitState


def comparing_study(folder: Path, *, steps: bool = True, **settings: object) -> Study:
    """The preset `guerini-2018` with its step `compare` changed; `steps` False: this step alone.

    However fast they are, responses are accepted: who answers here is a program.
    """
    write_study(folder, "guerini-2018", name="city")
    study = load_study(folder)
    visit = [
        step.model_copy(
            update={"settings": step.settings.model_copy(update={"accept_fast": True, **settings})}
        )
        if step.kind == "compare"
        else step
        for step in study.visit
        if steps or step.kind == "compare"
    ]
    return study.model_copy(update={"visit": tuple(visit)})


def into_comparison(visitor: Visitor, language: str = "en") -> None:
    """Start, agree, read; the first pair."""
    visitor.look(f"/?lang={language}")
    visitor.press("/start")
    visitor.press("/consent", answer="agree")
    visitor.press("/read")


def open_questions(html: str) -> list[str]:
    """The fields of the questions that a page asks."""
    return list(dict.fromkeys(re.findall(r'name="(item-[a-z]+)" value="left"', html)))


def choose(visitor: Visitor, side: str = "left") -> None:
    """One side for every question."""
    visitor.press("/respond", **dict.fromkeys(open_questions(visitor.html), side))


def state_of(visitor: Visitor, log: Log) -> VisitState:
    visit_id = log.visits("city")[-1].visit_id
    return visitor.server.call(visitor.engine.state(visit_id))


def judged(state: VisitState, likes: dict[str, float], chance: Random) -> str:
    """The side that a judge chooses for a question, who prefers experimental ones this often."""
    compared = state.shown.stimulus
    other = {"left": "right", "right": "left"}
    liked = chance.random() < likes.get(compared.variable, 0.5)
    return compared.experimental_side if liked else other[compared.experimental_side]


def questions(study: Study) -> tuple[ComparisonQuestion, ...]:
    """What is asked about each pair."""
    return next(step.material.questions for step in study.visit if step.kind == "compare")


async def compare(
    engine: SessionEngine, visit_id: str, answers: Mapping[str, Preferred], position: int | None = None
) -> None:
    """Choose between the two of the pair that is due, or of the one at a position, whichever is due."""
    state = await engine.state(visit_id)
    await engine.forms.respond(
        visit_id,
        step=state.step,
        position=state.position if position is None else position,
        response=state.stimulus_kind.chosen(state.shown, answers),
    )


def judge_all(study: Study, log: Log, people: int, likes: dict[str, float], seed: int = 1) -> None:
    """So many judges through the session engine, without pages; the seed settles what each is shown, too."""
    engine = SessionEngine(study, log, {})
    with ThreadPoolExecutor(1) as aside:  # Playwright has a running loop in this thread
        aside.submit(lambda: asyncio.run(_judge_all(engine, people, likes, Random(seed)))).result()


async def _judge_all(engine: SessionEngine, people: int, likes: dict[str, float], chance: Random) -> None:
    engine.rules.chance = lambda _: chance
    await engine.start()
    for _ in range(people):
        opened = await engine.open_visit(language=engine.study.default_language)
        while (state := await engine.state(opened.visit_id)).phase == "stimulus":
            answers = {
                question.question_id: Preferred("left" if judged(state, likes, chance) == "left" else "right")
                for question in questions(engine.study)
            }
            await compare(engine, opened.visit_id, answers)
    await engine.stop()
