"""A filled trial, made once and copied for each test, and people who knock at its dashboard."""

import importlib.util
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from fastapi import FastAPI

from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.snapshot import Results, Snapshots
from vivavoce.log.models import Scope
from vivavoce.log.store import Log
from vivavoce.study.model import Study

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have httpx2, which nothing else here needs
    from starlette.testclient import TestClient

BASE = "http://desk.test"
PASSWORD = "a long enough sentence"
OURS = {"sec-fetch-site": "same-origin", "accept": "text/html"}

Enter = Callable[..., TestClient]


@pytest.fixture(scope="session")
def trial() -> ModuleType:
    """The module beside this one that makes a study and fills a log."""
    name = "vivavoce_desk_trial"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("trial.py"))
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def study(trial: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return trial.make_study(tmp_path_factory.mktemp("study") / "city")


@pytest.fixture(scope="session")
def filled(
    trial: ModuleType, study: Study, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ManualClock]:
    """The file of a log with some forty dialogues, and the clock as they left it."""
    path, clock = tmp_path_factory.mktemp("filled") / "log.sqlite", ManualClock(trial.START)
    with Log.open(f"sqlite:///{path}", clock) as log:
        trial.fill(log, study, clock, participants=9)
    return path, clock


@pytest.fixture
def clock(filled: tuple[Path, ManualClock]) -> ManualClock:
    made = ManualClock(filled[1].now())
    made.advance(0)
    return made


@pytest.fixture
def log(filled: tuple[Path, ManualClock], clock: ManualClock, tmp_path: Path) -> Iterator[Log]:
    """A filled log of this test's own."""
    path = tmp_path / "log.sqlite"
    shutil.copy(filled[0], path)
    with Log.open(f"sqlite:///{path}", clock) as log:
        yield log


@pytest.fixture
def empty_log(clock: ManualClock, tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'empty.sqlite'}", clock) as log:
        yield log


class Unhurried(Snapshots):
    """Snapshots that compute no results: that takes seconds, and most tests are about something else."""

    def _summarise(self, scope: Scope, by: str) -> None:
        position = self.board.see(lambda board: board.position)
        self._results[scope, by] = Results(position, self.board.log.clock.now(), None, "not computed here")

    def _judge(self, scope: Scope) -> None:
        pass


@pytest.fixture
def app(study: Study, log: Log, tmp_path: Path) -> Iterator[FastAPI]:
    app = create_desk(study, log, work_dir=tmp_path / "work")
    desk = app.state.desk
    desk.snapshots.close()
    desk.snapshots = Unhurried(desk.board, tmp_path / "work" / "desk-snapshot")
    yield app
    app.state.desk.snapshots.close()


@pytest.fixture
def stranger(app: FastAPI) -> TestClient:
    """A browser that nobody has signed in with."""
    return TestClient(app, base_url=BASE, headers=OURS, follow_redirects=False)


@pytest.fixture
def enter(app: FastAPI, log: Log) -> Enter:
    """Makes a browser that is signed in with an account of a role."""

    def make(role: str = "owner", name: str | None = None) -> TestClient:
        browser = TestClient(app, base_url=BASE, headers=OURS, follow_redirects=False)
        owner_link = first_link(log, BASE, always=True)
        link = owner_link if role == "owner" else app.state.desk.access.invite(role, BASE)
        assert browser.post(link.removeprefix(BASE)).status_code == 303
        form = {
            "name": name or role,
            "password": PASSWORD,
            "again": PASSWORD,
            "form_token": form_token(browser),
        }
        answer = browser.post("/account", data=form)
        assert answer.status_code == 303, answer.text
        return browser

    return make


def form_token(browser: TestClient, page: str = "/account") -> str:
    """The word that this sign-in's forms carry."""
    found = re.search(r'name="form_token" value="([0-9a-f]{64})"', browser.get(page).text)
    assert found is not None
    return found[1]


@pytest.fixture
def token_of() -> Callable[..., str]:
    return form_token
