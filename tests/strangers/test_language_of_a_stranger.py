"""Esperanto, from somebody else's package: participants read it, from the information sheet on."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scenes.browsing import Visitor
from scenes.strangers import HERE, install, known
from scenes.websites import running
from vivavoce.connectors.factory import make_connector
from vivavoce.languages.data import SimulatedSpeech, phrase, spoken_digits
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.simulation.domain import load_domain
from vivavoce.simulation.goals import draw_tasks, tasks_file
from vivavoce.study.load import load_study
from vivavoce.testing.language import LanguageContract
from vivavoce.trial.engine import SessionEngine

MakeOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture
def site(make_once: MakeOnce) -> Path:
    return make_once("strangers", install)


@pytest.fixture
def visitor(site: Path, tmp_path: Path) -> Iterator[Visitor]:
    """Somebody with a browser, before the first page of the library's study."""
    with known(site):
        folder = Path(shutil.copytree(HERE / "study", tmp_path / "desk"))
        domain = load_domain(str(folder / "library.yaml"))
        tasks = tasks_file(draw_tasks(domain, 4, 1, domain.languages), domain.domain)
        (folder / "tasks.yaml").write_text(tasks, "utf-8")
        study = load_study(folder)
        connectors = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
        with (
            Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
            running(create_app(SessionEngine(study, log, connectors))) as server,
        ):
            found = Visitor(server)
            yield found
            found.client.close()


def test_a_participant_goes_through_the_study_in_esperanto(visitor: Visitor) -> None:
    sheet = visitor.look("/?lang=eo")
    assert '<html lang="eo"' in sheet and "Kion vi faras" in sheet
    assert "Vi ricevas 2 taskojn, unu post la alia" in sheet  # what a step of ours tells
    assert "Vi legas 3 demandojn al biblioteko" in sheet  # what a step of another package tells
    assert "Kion vi skribas." in sheet and "What you type" not in sheet
    consent = visitor.press("/start")
    assert "Vi parolos kun la giĉeto" in consent and "Mi konsentas kaj volas partopreni" in consent
    visitor.press("/consent", answer="agree")
    visitor.settled()
    assert "Via tasko" in visitor.html and "Plilongigu la prunton" in visitor.html
    assert "Skribu ĉi tie" in visitor.html and "Sendi" in visitor.html
    assert "Time is up." in visitor.html  # what the language lacks
    for _ in range(2):
        visitor.say("la atlason")
        visitor.press("/dialogue/end/form")
        assert "Kiel malfacila aŭ facila" in visitor.html and "Tre facila" in visitor.html
        visitor.press("/answers", **{"item-ease": "7"})
        if "/dialogue/next" in visitor.html:
            visitor.press("/dialogue/next")
            visitor.settled()
    visitor.press("/answers", **{"item-patience": "5", "item-haste": "1"})
    assert "Kiu giĉeto respondu ĉi tiun demandon?" in visitor.html
    assert "Bonvolu elekti giĉeton." in visitor.press("/respond")


def test_what_the_language_lacks_is_said_in_english(site: Path) -> None:
    with known(site):
        said = [phrase("still_there", "eo"), phrase("paused", "eo"), spoken_digits("407", "eo")]
        assert SimulatedSpeech.languages() == ["en", "eo", "it"]
    english = "The study is paused at the moment. Please call again later. Goodbye."
    assert said == ["Ĉu vi ankoraŭ estas tie?", english, "kvar, nul, sep"]


@pytest.mark.long
def test_the_language_passes_the_suite_that_ours_pass(site: Path) -> None:
    root, tests = HERE.parents[1], sum(name.startswith("test_") for name in vars(LanguageContract))
    path = [str(site), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    suite = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "keeps_its_contract",
    ]
    done = subprocess.run(
        [*suite, str(root / "tests" / "plugins" / "test_every_language.py")],
        cwd=root,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and f"{tests * 3} passed" in done.stdout, done.stdout + done.stderr
