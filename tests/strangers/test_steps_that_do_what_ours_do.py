"""Steps of a stranger that hold dialogues or battles, ask a form or consent, or are read, as ours do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenes.browsing import Visitor
from scenes.fighting import until
from scenes.packages import put_package
from scenes.strangers import known
from scenes.websites import running
from vivavoce.analysis.planning import plan_of_study
from vivavoce.connectors.factory import make_connector
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.progress import holdings, progress, talks_in
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.simulation.trial import counts_dialogues
from vivavoce.study.load import check_study, load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine

STEPS = """
from vivavoce.steps.base import (
    BattlePlan, ConsentPlan, DialoguePlan, Information, QuestionnaireStep, Range, StepKind,
)
from vivavoce.study.settings import Settings


class TextSettings(Settings):
    file: str


class TalkSettings(Settings):
    channel: str = "text"
    dialogues: int = 1


class FormSettings(Settings):
    use: str


class Plain(StepKind):
    def minutes(self, step, study): return 1.0
    def participant_info(self, step, study): return Information()
    def preregistration_line(self, step, study): return self.name
    async def simulate(self, step, participant): await participant.converse()


class Pledge(Plain):
    name, settings = "pledge", TextSettings
    def document(self, settings): return settings.file
    def consent(self, step): return ConsentPlan(recording=True)


class Notice(Plain):
    name, settings, title = "notice", TextSettings, "Mind the gap"
    def document(self, settings): return settings.file


class WarmUp(Plain):
    name, settings, once = "warm_up", TalkSettings, "ask for more dialogues in one"
    def dialogues(self, step):
        many = Range(min=step.settings.dialogues, max=step.settings.dialogues)
        return DialoguePlan(repeat=many, gate="none", channel=step.settings.channel)


class Duel(Plain):
    name, counted, done = "duel", "verdict", "vote_cast"
    def battles(self, step): return BattlePlan(turns=1, mask=["Acme"])


class Quiz(Plain):
    name, settings, counted, things, done = "quiz", FormSettings, "sheet", "sheets", "questionnaire_answered"
    def form(self, step): return QuestionnaireStep(name=step.settings.use, about="visit")
"""
NAMES = {"pledge": "Pledge", "notice": "Notice", "warm_up": "WarmUp", "duel": "Duel", "quiz": "Quiz"}
SYSTEMS = """systems:
  acme-one: {connect: scripted, greeting: Hello., otherwise: "acme-one has heard {text} at Acme"}
  other: {connect: scripted, greeting: Hello., otherwise: "so it was {text}"}
"""
VISIT = """  - pledge: {file: pledge.md}
  - notice: {file: notice.md}
  - warm_up
  - questionnaire: single_ease
  - duel
  - quiz: {use: umux_lite}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    points = {name: f"steps_of_somebody:{kind}" for name, kind in NAMES.items()}
    site = put_package(tmp_path / "site", "steps-of-somebody", "vivavoce.steps", points, STEPS)
    made = tmp_path / "study"
    made.mkdir()
    for name, text in (("pledge", "# Pledge\n\nWe record you."), ("notice", "Read this.")):
        (made / f"{name}.md").write_text(text)
        (made / f"{name}.it.md").write_text(text)
    with known(site):
        yield made


def written(folder: Path, visit: str, more: str = SYSTEMS) -> Path:
    (folder / "study.yaml").write_text(f"study: city\nlanguages: [en, it]\n{more}visit:\n{visit}")
    return folder


def engine_of(study: Study, log: Log) -> SessionEngine:
    return SessionEngine(study, log, {name: make_connector(raw, {}) for name, raw in study.systems.items()})


async def battle(engine: SessionEngine, visit_id: str) -> None:
    state = await until(engine, visit_id, lambda now: now.bout is not None and now.bout.settled)
    bout: Any = state.bout
    await engine.bouts.say(visit_id, bout.event.bout_id, key="message-12345678", text="beans")
    await until(engine, visit_id, lambda now: now.bout.vote_due)
    await engine.bouts.vote(visit_id, bout.event.bout_id, exchange=1, choice="left")


def test_a_visit_of_them_is_walked_as_one_of_ours(folder: Path, tmp_path: Path) -> None:
    study = load_study(written(folder, VISIT))
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        with running(create_app(engine_of(study, log))) as server:
            visitor = Visitor(server)
            visitor.look("/?lang=en")
            visitor.press("/start")
            assert "We record you." in visitor.html
            visitor.press("/consent", answer="agree")
            assert "Read this." in visitor.html and "Mind the gap" in visitor.html
            visitor.press("/read")
            visitor.settled()
            visitor.say("beans")
            visitor.press("/dialogue/end/form")
            answers = {f"item-{item.item_id}": "3" for item in study.instrument("single_ease").asked()}
            visitor.press("/answers", **answers)  # it stands after the dialogue and is about it
            (visit,) = log.visits("city")
            server.call(battle(visitor.engine, visit.visit_id))
            visitor.look()
            answers = {f"item-{item.item_id}": "3" for item in study.instrument("umux_lite").asked()}
            visitor.press("/answers", **answers)
            visitor.client.close()
        events = [one.event for one in log.events(visit.visit_id)]
        (held,) = (one for one in events if one.kind == "questionnaire_answered" and one.dialogue_id)
        assert held.instrument == "single_ease"
        (vote,) = (one for one in events if one.kind == "vote_cast")
        assert len(vote.leaks) == 1  # what one system says of itself is masked for the participant
        assert log.visits("city")[0].outcome == "completed"
        board = Board(study, log)
        assert board.see(talks_in) and board.see(holdings) == "1 visit, 3 dialogues, 1 verdict, 1 sheet"
        shown = board.see(progress)
        assert [one.step for one in shown.work] == ["duel", "quiz"]
        flow = [(one.step, one.forms, one.begun, one.ended) for one in shown.flow.steps]
        assert flow == [
            ("pledge", (), 1, 1),
            ("notice", (), 1, 1),
            ("warm_up", ("single_ease",), 1, 1),
            ("duel", (), 1, 1),
            ("quiz", ("umux_lite",), 1, 1),
        ]
        assert shown.flow.consented == 1 and all(one.median_s is not None for one in shown.flow.steps)
        data = export_dataset(log, study.name, tmp_path / "data")
        assert len(data.read("dialogues")) == 3 and len(data.read("votes")) == 1


def test_programs_and_plans_count_the_dialogues_of_any_step(folder: Path) -> None:
    analysis = "analysis: {primary: {measure: user_turns, compare: [acme-one, other]}}\n"
    study = load_study(written(folder, "  - warm_up: {dialogues: 4}\n", SYSTEMS + analysis))
    assert counts_dialogues(study) and plan_of_study(study).calls == 4


def problems(folder: Path, visit: str, more: str = SYSTEMS) -> str:
    return "\n".join(map(str, check_study(written(folder, visit, more))))


@pytest.mark.parametrize(
    ("visit", "more", "told"),
    [
        ("  - warm_up: {channel: pigeon}\n", SYSTEMS, "visit[0].warm_up.channel: unknown channel 'pigeon'"),
        ("  - warm_up\n  - warm_up\n", SYSTEMS, "there are two steps 'warm_up'"),
        ("  - warm_up\n", "", "'systems' is missing"),
        (
            "  - duel\n",
            "systems: {a: {connect: scripted}}\n",
            "visit[0].duel: two different systems",
        ),
        ("  - quiz: {use: umux}\n", SYSTEMS, "visit[0].quiz: unknown questionnaire 'umux'"),
        ("  - notice: {file: nowhere.md}\n", SYSTEMS, "visit[0].notice: no file 'nowhere.md'"),
        ("  - warm_up: {channel: phone}\n", SYSTEMS, "telephone dialogues need the section `telephone`"),
        ("  - warm_up: {channel: voice}\n", SYSTEMS + "recordings: {keep_days: 9}\n", "without consent"),
    ],
)
def test_what_is_wrong_with_them_is_told_as_of_ours(folder: Path, visit: str, more: str, told: str) -> None:
    assert told in problems(folder, visit, more)


def test_consent_to_be_recorded_may_be_asked_by_any_step(folder: Path) -> None:
    visit = "  - pledge: {file: pledge.md}\n  - warm_up: {channel: voice}\n"
    assert "without consent" not in problems(folder, visit, SYSTEMS + "recordings: {keep_days: 9}\n")
