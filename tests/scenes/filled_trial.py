"""A filled log and a dashboard that listens, and how a researcher comes in."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.study.load import load_study

PASSWORD = "a long enough sentence"
DECLARED = """
  primary: {measure: subjective_success, compare: [nbest, onebest], margin: 0.25}
  secondary: []
  stopping: {participants: 8}"""


def trial_module() -> ModuleType:
    """The filler of logs that the dashboard's unit tests use."""
    path = Path(__file__).parents[1] / "unit" / "dashboard" / "trial.py"
    spec = importlib.util.spec_from_file_location("vivavoce_desk_trial", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Trial:
    """A filled log and its dashboard; served by whatever is given, which says at which address."""

    def __init__(self, folder: Path, serve: Any, analysis: str = "") -> None:
        self.filler, self.folder = trial_module(), folder
        self.study = self.filler.make_study(folder / "study")
        if analysis:
            file = folder / "study" / "study.yaml"
            file.write_text(file.read_text().partition("\nanalysis:")[0] + f"\nanalysis: {analysis}\n")
            self.study = load_study(file)
        self.clock = ManualClock(self.filler.START)
        self.log = Log.open(f"sqlite:///{folder / 'log.sqlite'}", self.clock)
        served = self.study
        self.log.transact_now(
            lambda tx: tx.record_study(served.name, served.revision, served.file_text, served.entities())
        )
        self.filler.fill(self.log, self.study, self.clock)
        app = create_desk(
            self.study, self.log, work_dir=folder / "work", participant_url="http://127.0.0.1:8000/"
        )
        self.address = serve(app)
        self.link = first_link(self.log, self.address)


def sign_in(page: Any, trial: Trial) -> None:
    page.goto(trial.link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Overview", level=1).wait_for()
