"""A study that compares transcripts, shipped as it is or changed, and judges that know what they like."""

import re
from pathlib import Path
from random import Random

from scenes.browsing import Visitor
from vivavoce.log.store import Log
from vivavoce.session.state import VisitState
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study


def comparing_study(folder: Path, *, steps: bool = True, **settings: object) -> Study:
    """The preset `guerini-2018` with its step `compare` changed; `steps` False: this step alone."""
    write_study(folder, "guerini-2018", name="city")
    study = load_study(folder)
    visit = [
        step.model_copy(update=settings) if step.kind == "compare" else step
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
    visitor.press("/choices", **dict.fromkeys(open_questions(visitor.html), side))


def state_of(visitor: Visitor, log: Log) -> VisitState:
    visit_id = log.visits("city")[-1].visit_id
    return visitor.server.call(visitor.engine.state(visit_id))


def judged(state: VisitState, likes: dict[str, float], chance: Random) -> str:
    """The side that a judge chooses for a question, who prefers experimental ones this often."""
    compared = state.comparisons[state.position]
    other = {"left": "right", "right": "left"}
    liked = chance.random() < likes.get(compared.variable, 0.5)
    return compared.experimental_side if liked else other[compared.experimental_side]
