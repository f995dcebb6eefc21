"""One suite that every registered step must pass: what it says of itself, and a simulated visit through it.

A new step adds to EXAMPLES how a study has it, or this suite fails.
"""

import asyncio
import html
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po
from typer.testing import CliRunner

from scenes.eliciting import commanding_study
from scenes.fighting import arena_study
from scenes.listening import listening_study
from scenes.patience import PATIENCE_S
from scenes.transcribing import transcribing_study
from scenes.websites import running
from vivavoce.cli.main import app
from vivavoce.connectors.factory import make_connector
from vivavoce.core import registry
from vivavoce.core.errors import InputError
from vivavoce.core.registry import EntryPoint
from vivavoce.languages.base import LANGUAGES
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.participant.i18n import DOMAIN
from vivavoce.simulation.trial import run_trial
from vivavoce.steps.base import Information, StepKind
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce.study.step_kind import STEPS, kind_of
from vivavoce.testing.step import StepContract
from vivavoce.trial.engine import SessionEngine

SYSTEMS = """systems:
  a: {connect: scripted, greeting: Hello., otherwise: "There is no such place: {text}"}
  b: {connect: scripted, greeting: Hello., otherwise: "There is no such place: {text}"}
ontology: restaurants.yaml
tasks: {generate: 20, constraints: 2..3, requests: 1..2, seed: 7}
"""


def written(folder: Path, visit: str, more: str = SYSTEMS) -> Study:
    """A study of these steps, with texts, pairs and restaurants beside it."""
    for name in ("guerini-2018", "cambridge-2011"):
        if not (folder / name).exists():
            write_study(folder / name, name, name="steps")
        shutil.copytree(folder / name, folder, dirs_exist_ok=True)
    file = folder / "study.yaml"
    file.write_text(f"study: steps\nlanguages: [en, it]\n{more}visit:\n{visit}", encoding="utf-8")
    return load_study(folder)


EXAMPLES: dict[str, Callable[[Path], Study]] = {
    "consent": lambda folder: written(folder, "  - consent: consent.md\n"),
    "instructions": lambda folder: written(folder, "  - instructions: instructions.md\n"),
    "debrief": lambda folder: written(folder, "  - consent: consent.md\n  - debrief: debrief.md\n"),
    "questionnaire": lambda folder: written(folder, "  - questionnaire: idial_background\n"),
    "dialogue": lambda folder: written(folder, "  - dialogue: {repeat: 2, gate: none}\n"),
    "compare": lambda folder: written(folder, "  - compare: {pairs: pairs.yaml}\n"),
    "rate": lambda folder: written(folder, "  - rate: {pairs: pairs.yaml}\n"),
    "arena": arena_study,
    "listen": listening_study,
    "transcribe": transcribing_study,
    "elicit": commanding_study,
}


@pytest.fixture(params=sorted(EXAMPLES))
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Study:
    return EXAMPLES[request.param](tmp_path / "study")


OPTIONS = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}


def words_of_all_pages(language: str) -> set[str]:
    return {one.id for one in read_po(io.BytesIO(LANGUAGES.get(language).catalogue(DOMAIN).read_bytes()))}


def engine_of(study: Study, log: Log) -> SessionEngine:
    return SessionEngine(study, log, {name: make_connector(raw, {}) for name, raw in study.systems.items()})


def simulated(study: Study, log: Log, amount: int = 2) -> int:
    async def run() -> int:
        engine = engine_of(study, log)
        await engine.start()
        try:
            return await run_trial(engine, amount, seed=1)
        finally:
            await engine.stop()

    return asyncio.run(run())


def sheet(study: Study, log: Log, language: str = "en") -> str:
    """The page on which somebody decides to take part."""
    with running(create_app(engine_of(study, log))) as server:
        page = httpx.get(f"{server.url}/?lang={language}", trust_env=False, timeout=PATIENCE_S)
        return html.unescape(page.text)


def test_every_step_that_is_offered_has_an_example() -> None:
    assert STEPS.names() == sorted(EXAMPLES)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_step_of_ours_keeps_the_contract_to_which_packages_are_held(name: str) -> None:
    contract = StepContract()
    contract.name, contract.write = name, EXAMPLES[name]
    for test in dir(StepContract):
        if (name, test) == ("arena", "test_programs_go_through_it_and_its_rows_are_exported"):
            with pytest.raises(InputError, match="the step 'arena'"):
                getattr(contract, test)()
        elif test.startswith("test_"):
            getattr(contract, test)()


def test_each_step_of_a_visit_has_a_course_of_its_own(study: Study) -> None:
    step, kind = study.visit[-1], kind_of(study.visit[-1])
    others = {kind_of(one).preregistration_line(one, study) for one in study.visit if one is not step}
    assert kind.preregistration_line(step, study) not in others


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_step_speaks_every_language_of_its_catalogues(name: str) -> None:
    folder = STEPS.get(name).folder
    said: set[str | tuple[str, ...]] = set()
    for module in folder.glob("*.py"):
        found = extract_from_file("python", module, keywords={"Message": (1,)})
        said |= {message for _, message, _, _ in found}
    for page in folder.glob("*.html"):
        shown = {message for _, message, _, _ in extract_from_file("jinja2", page, options=OPTIONS)}
        said |= {one if isinstance(one, str) else one[0] for one in shown - words_of_all_pages("it")}
    if isinstance(kind := STEPS.get(name), StimulusStep):
        said |= {kind.activity_label, kind.item_label, kind.counted}
    for language in ("it",):
        catalogue = folder / "locale" / f"{language}.po"
        known = list(read_po(io.BytesIO(catalogue.read_bytes()))) if catalogue.exists() else []
        translated = {
            one.id if isinstance(one.id, str) else one.id[0]
            for one in known
            if one.id and all(one.string) and not one.context  # names of the step and its values
        }
        assert said == translated, f"{name} in {language}"


def test_people_read_what_the_step_asks_of_them_in_their_language(study: Study, tmp_path: Path) -> None:
    step = study.visit[-1]
    told: Information = kind_of(step).participant_info(step, study)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        english, italian = sheet(study, log), sheet(study, log, "it")
    for message in (*((told.lead,) if told.lead else ()), *told.does, *told.needs, *told.keeps):
        assert kind_of(step).say(message, "en") in english
        if "it" in study.languages:
            words = kind_of(step).say(message, "it")
            assert words != kind_of(step).say(message, "en") and words in italian


def test_a_visit_of_dialogues_and_commands_is_simulated(tmp_path: Path) -> None:
    commanding_study(tmp_path / "study")
    study = written(
        tmp_path / "study",
        "  - dialogue: {repeat: 2, gate: none}\n  - elicit: stimuli.yaml\n  - questionnaire: sus\n",
    )
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        assert simulated(study, log, 2) == 2
        kinds = {one.event.kind for one in log.all_events()}
        assert {"dialogue_ended", "response_given", "questionnaire_answered"} <= kinds


def test_steps_with_material_follow_one_another_in_any_order(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    for make in (commanding_study, transcribing_study, listening_study):
        make(folder)
    steps = [
        "elicit: stimuli.yaml",
        "listen: {clips: clips.csv, audio: clips}",
        "compare: {pairs: pairs.yaml}",
        "transcribe: {items: items.csv, audio: audio, per_participant: 5}",
        "rate: {pairs: pairs.yaml}",
    ]
    for order in (steps, steps[::-1]):
        visit = "".join(f"  - {one}\n" for one in order)
        study = written(folder, visit)
        with Log.open(f"sqlite:///{tmp_path / order[0][:4]}.sqlite") as log:
            simulated(study, log, 1)
            assert [visit.outcome for visit in log.visits(study.name)] == ["completed"]


def test_nobody_who_listens_is_told_that_they_type(tmp_path: Path) -> None:
    study = listening_study(tmp_path / "study", sentences=20, seconds=10, per_participant=40)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        page = sheet(study, log)
    assert "40 short recordings" in page and "About 15 minutes." in page
    assert "typing" not in page and "What you type" not in page and "Headphones" in page


def test_a_preregistration_names_every_step(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    listening_study(folder)
    visit = (
        "  - consent: consent.md\n  - dialogue: {repeat: 1..3}\n  - arena\n"
        "  - listen: {clips: clips.csv, audio: clips}\n  - debrief: debrief.md\n"
    )
    analysis = "analysis: {primary: {measure: objective_success_assigned, compare: [a, b]}}\n"
    written(folder, visit, SYSTEMS + analysis)
    run = CliRunner().invoke(app, ["preregister", str(folder), "--shape", "osf"], catch_exceptions=False)
    course = run.stdout.partition("A visit:\n\n")[2].partition("\n\n")[0].splitlines()
    assert course[0] == "- consent" and course[-1] == "- debriefing" and len(set(course)) == 5
    assert course[1].startswith("- 1 to 3 dialogues in writing") and "battle" in course[2]
    assert "20 clips" in course[3]


class Silent(StepKind[Any]):
    """It says nothing of its simulation."""

    name = "silent"

    def minutes(self, step: Any, study: Study) -> float:
        return 1

    def participant_info(self, step: Any, study: Study) -> Information:
        return Information()

    def preregistration_line(self, step: Any, study: Study) -> str:
        return "silence"


def test_a_step_that_does_not_say_everything_of_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("silent", f"{__name__}:Silent", "vivavoce.steps", named="quiet")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Silent)
    monkeypatch.setattr(registry, "installed_points", lambda group: (point,))
    with pytest.raises(InputError, match=r"'silent' .* has no simulate"):
        registry.Registry("step", StepKind).get("silent")
