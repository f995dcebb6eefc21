"""A page of a stranger's package stands on the dashboard as ours do: menu, role, language, whose visits."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from scenes.strangers import HERE, install_packages, known
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have httpx2, which nothing else here needs
    from starlette.testclient import TestClient

MakeOnce = Callable[[str, Callable[[Path], object]], Path]
BASE = "http://desk.test"


@pytest.fixture(scope="module")
def site(make_once: MakeOnce) -> Path:
    return make_once("strange-page", lambda into: install_packages([HERE / "dashboard_page"], into))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    write_study(tmp_path / "city", "cambridge-2011", name="city")
    return load_study(tmp_path / "city" / "study.yaml")


def menu(study: Study, folder: Path, role: str, address: str, language: str) -> tuple[int, str, list[str]]:
    """Status, text and menu of a page as somebody with a role gets it."""
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        app = create_desk(study, log, work_dir=folder / "work", account_optional=True)
        headers = {"sec-fetch-site": "same-origin", "accept": "text/html", "accept-language": language}
        browser = TestClient(app, base_url=BASE, headers=headers)
        browser.post(app.state.desk.access.invite(role, BASE).removeprefix(BASE))
        answer = browser.get(address)
        app.state.desk.snapshots.close()
    pages = answer.text.rpartition("<nav")[2].partition("</nav>")[0]
    return answer.status_code, answer.text, re.findall(r"<a [^>]*>([^<]+)</a>", pages)


def test_a_page_of_a_stranger_stands_in_the_menu_at_its_place_and_in_its_language(
    site: Path, study: Study, tmp_path: Path
) -> None:
    with known(site):
        status, page, names = menu(study, tmp_path, "researcher", "/queue", "en")
        assert status == 200 and "<h1>Queue</h1><p>0 visits</p>" in page
        assert names[1:4] == ["Running visits", "Queue", "Dialogues"]
        _, page, names = menu(study, tmp_path, "researcher", "/queue", "it")
        assert "<h1>Coda</h1><p>0 visite</p>" in page and names[2] == "Coda"
    assert "Queue" not in menu(study, tmp_path, "researcher", "/", "en")[2]


def test_a_page_is_open_to_its_role_alone(site: Path, study: Study, tmp_path: Path) -> None:
    with known(site):
        status, _, names = menu(study, tmp_path, "viewer", "/queue", "en")
        assert status == 403 and "Queue" not in names


def test_a_page_says_in_which_studies_it_is_shown(site: Path, study: Study, tmp_path: Path) -> None:
    with known(site):
        one = study.model_copy(update={"systems": dict([*study.systems.items()][:1])})
        assert "Queue" not in menu(one, tmp_path, "researcher", "/", "en")[2]
