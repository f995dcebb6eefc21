"""Help on the dashboard: each page leads to what explains it, and no link of the documentation is dead."""

import re
from collections.abc import Callable
from pathlib import Path

from starlette.testclient import TestClient

from scenes.desks import desk_of
from vivavoce.dashboard.page import DASHBOARD_PAGES, HELP_FOLDERS, help_file, help_folder
from vivavoce.dashboard.pages_help import _read
from vivavoce.languages.base import LANGUAGES
from vivavoce.log.store import Log
from vivavoce.study.scaffold import write_study
from vivavoce.testing.dashboard_page import DashboardPageContract

Enter = Callable[..., TestClient]


def test_every_page_says_which_help_explains_it() -> None:
    for name, _ in DASHBOARD_PAGES:
        contract = DashboardPageContract()
        contract.name = name
        contract.test_its_help_is_there()


def test_a_page_leads_to_its_help_in_the_reader_s_language_and_keeps_whose_visits_are_shown(
    enter: Enter,
) -> None:
    browser = enter("researcher")
    for page, help in (("/dialogues", "how-to/read-dialogues"), ("/results", "explanation/statistics")):
        assert f'href="/help/{help}">Help</a>' in browser.get(page).text
    assert 'href="/simulated/help/how-to/read-dialogues"' in browser.get("/simulated/dialogues").text
    shown = browser.get("/help/how-to/read-dialogues", headers={"accept-language": "it"}).text
    assert ">Aiuto</a>" in shown and '<article class="sheet prose" lang="it">' in shown
    whole = browser.get("/help/how-to/read-dialogues?whole=1", headers={"accept-language": "it"}).text
    assert '<article class="sheet prose" lang="en">' in whole and "In breve" in whole
    no_short = browser.get("/help/how-to/install", headers={"accept-language": "it"}).text
    assert '<article class="sheet prose" lang="en">' in no_short and "solo in inglese" in no_short
    assert 'aria-current="page">Aiuto</a>' in shown
    assert "Glossary" in browser.get("/help").text


def test_what_is_no_page_of_help_is_not_shown(enter: Enter) -> None:
    browser = enter("viewer")
    for name in (
        "how-to/none",
        "../pyproject",
        "how-to/../../pyproject",
        "index",
        "how-to/spanish.yaml",
        "conf",
    ):
        assert browser.get(f"/help/{name}").status_code == 404, name


def test_the_documentation_is_shown_whole_and_its_links_lead_somewhere() -> None:
    folder = help_folder()
    assert folder is not None
    for file in [
        folder / "glossary.md",
        *(one for name in HELP_FOLDERS for one in (folder / name).glob("*.md")),
    ]:
        page = _read(file)
        assert page.title and "```" not in page.body and "literalinclude" not in page.body, file
        assert "&lt;!--" not in page.body, file
        for address in re.findall(r'<a href="([^"]*)"', page.body):
            path, _, anchor = address.partition("#")
            if path.startswith("/help/"):
                target = help_file(path.removeprefix("/help/"))
                assert target is not None, f"{file}: {address}"
                assert not anchor or f'id="{anchor}"' in _read(target).body, f"{file}: {address}"
            else:
                assert address.startswith(("https://", "http://", "mailto:", "#")), f"{file}: {address}"


def test_pages_of_a_trial_to_which_nobody_has_come_say_what_to_do(tmp_path: Path) -> None:
    write_study(tmp_path / "new", "cambridge-2011", name="new")
    with Log.open(f"sqlite:///{tmp_path / 'new.sqlite'}") as log, desk_of(tmp_path / "new", log) as browser:
        for address in ("/dialogues", "/results", "/visits"):
            page = browser.get(address).text
            assert "To test the study first, run vivavoce simulate." in page, address
            assert 'class="problem"' not in page and "Refresh" not in page, address
        assert 'href="/help/how-to/annotate-dialogues">Instructions</a>' in browser.get("/annotation").text
        told = browser.get("/api/results").json()
        assert (told["computing"], told["summary"], told["problem"]) == (
            False,
            None,
            "nothing was logged yet",
        )


def test_the_help_of_every_page_of_ours_is_there_in_short_in_italian() -> None:
    folder = LANGUAGES.get("it").folder / "help"
    of_pages = {page.help for _, page in DASHBOARD_PAGES}
    assert {f"{one}.md" for one in of_pages} <= {
        one.relative_to(folder).as_posix() for one in folder.rglob("*.md")
    }
    for one in folder.rglob("*.md"):
        name = one.relative_to(folder).with_suffix("").as_posix()
        assert help_file(name) is not None, f"{name}: no page of the documentation is called so"
