"""A form that decides who takes part: whom it admits goes on, everybody else is thanked and leaves."""

import asyncio
from pathlib import Path

import pytest

from scenes.visits import Parrot, make_study
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.load import check_study
from vivavoce.study.model import ConsentStep, DialogueStep, QuestionnaireStep, Range
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

SCREEN = QuestionnaireStep(name="idial_background", about="visit", admit={"knowledge": Range(min=1, max=3)})


def answer(study, log, **codes: float) -> tuple[str, str | None]:
    """Phase and outcome of a visit in which the screen was answered so."""

    async def run() -> tuple[str, str | None]:
        engine = SessionEngine(study, log, {"one": Parrot(), "two": Parrot()})
        await engine.start()
        try:
            opened = await engine.open_visit(language="en")
            await engine.give_consent(opened.visit_id, 0, agreed=True, document="d")
            ratings = [
                events.LoggedRating(item_id=item, value=code, answer=None) for item, code in codes.items()
            ]
            await engine.forms.answer(
                opened.visit_id,
                step=1,
                round=None,
                position=0,
                instrument="idial_background",
                wording="project",
                ratings=ratings,
            )
            state = await engine.state(opened.visit_id)
            return state.phase, state.outcome
        finally:
            await engine.stop()

    return asyncio.run(run())


@pytest.fixture
def screened(tmp_path: Path):
    dialogue = DialogueStep.model_validate(
        {"repeat": {"min": 1, "max": 1}, "gate": "none", "nontrivial": {"user_turns": 1}}
    )
    return make_study(tmp_path, visit=(ConsentStep(file="c.md"), SCREEN, dialogue))


@pytest.mark.parametrize("knowledge", [1, 2, 3])
def test_people_of_average_expertise_go_on(screened, log: Log, knowledge: int) -> None:
    assert answer(screened, log, knowledge=knowledge, age=2)[1] is None


@pytest.mark.parametrize("codes", [{"knowledge": 0}, {"knowledge": 4}, {"age": 2}])
def test_strangers_professionals_and_who_does_not_say_leave(screened, log: Log, codes) -> None:
    assert answer(screened, log, **codes) == ("ended", "screened_out")
    kinds = [one.event.kind for one in log.events(log.visits("city")[0].visit_id)]
    assert kinds[-2:] == ["questionnaire_answered", "visit_ended"]
    assert "dialogue_assigned" not in kinds


def test_of_sixty_who_come_at_once_as_many_take_part_as_are_wanted(tmp_path: Path, log: Log) -> None:
    """And a place whose holder leaves is given to somebody else."""
    screen = SCREEN.model_copy(update={"quotas": {"age": {2: 20, 3: 5}}})
    dialogue = DialogueStep.model_validate(
        {"repeat": {"min": 1, "max": 1}, "gate": "none", "nontrivial": {"user_turns": 1}}
    )
    study = make_study(tmp_path, visit=(ConsentStep(file="c.md"), screen, dialogue))

    async def come(engine: SessionEngine, age: int) -> tuple[str, str | None]:
        opened = await engine.open_visit(language="en")
        await engine.give_consent(opened.visit_id, 0, agreed=True, document="d")
        ratings = [
            events.LoggedRating(item_id=item, value=code, answer=None)
            for item, code in (("knowledge", 2), ("age", age))
        ]
        await engine.forms.answer(
            opened.visit_id,
            step=1,
            round=None,
            position=0,
            instrument="idial_background",
            wording="project",
            ratings=ratings,
        )
        return opened.visit_id, (await engine.state(opened.visit_id)).outcome

    async def run() -> None:
        engine = SessionEngine(study, log, {"one": Parrot(), "two": Parrot()})
        await engine.start()
        try:
            came = await asyncio.gather(*(come(engine, 2 + number % 3) for number in range(90)))
            left = [visit for visit, outcome in came if outcome is None]
            young = [visit for visit, _ in came[::3] if visit in left]
            middle = [visit for visit, _ in came[1::3] if visit in left]
            assert (len(young), len(middle), len(left)) == (20, 5, 55), "30 of an age with no quota"
            assert (await come(engine, 3))[1] == "screened_out"
            await engine.withdraw(middle[0])
            assert (await come(engine, 3))[1] is None and (await come(engine, 3))[1] == "screened_out"
        finally:
            await engine.stop()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("screen", "said"),
    [
        ("{use: idial_backgrund, admit: {knowledge: 1}}", "Did you mean 'idial_background'"),
        ("{use: idial_background, admit: {knowlege: 1..3}}", "Did you mean 'knowledge'"),
        ("{use: idial_background, admit: {knowledge: 1..9}}", "codes are 0..4"),
        ("{use: idial_background, admit: {}}", "admit"),
        ("{use: idial_background, admit: {age: 1..6}, quotas: {aeg: {1: 5}}}", "Did you mean 'age'"),
        ("{use: idial_background, admit: {age: 1..6}, quotas: {age: {7: 5}}}", "codes are 1..6"),
    ],
)
def test_a_screen_that_cannot_be_is_named_with_its_line(tmp_path: Path, screen: str, said: str) -> None:
    write_study(tmp_path, "idial-2018")
    file = tmp_path / "study.yaml"
    whole = "{use: idial_background, admit: {knowledge: 1..3}}"
    file.write_text(file.read_text("utf-8").replace(whole, screen), encoding="utf-8")
    (problem,) = check_study(tmp_path)
    assert problem.place.startswith("study.yaml:") and said in str(problem)
