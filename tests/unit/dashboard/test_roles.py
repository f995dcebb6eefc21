"""What each role reaches: every address that the dashboard has, tried by everybody who may not have it."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from vivavoce.dashboard import pages_help, pages_sign_in
from vivavoce.dashboard.page import DASHBOARD_PAGES
from vivavoce.dashboard.security import PUBLIC, Needs
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ROLES

pytestmark = pytest.mark.reliability
BASE = "http://desk.test"
PAGES = (pages_sign_in, pages_help)  # the door, everybody's own account, and what explains the pages
OWN = {route.path for one in PAGES for route in one.router.routes}
# what viewers send and what changes nothing: how results are grouped, and pairs that only the page keeps
ASKED_BY_FORM = {
    ("POST", "/results"),
    ("POST", "/pairs/edit"),
    ("POST", "/pairs/difference"),
    ("POST", "/pairs/pilot"),
}
ACCOUNTS = {"accounts", "sign_in_links", "sign_ins"}
STRANGERS = ("nobody", "annotator", "wizard", "team")


def addresses(app: FastAPI) -> list[tuple[str, str]]:
    """Method and path of all that the application answers to, but everybody's own."""
    paths = app.openapi()["paths"].items()
    return sorted((method.upper(), path) for path, methods in paths for method in methods if path not in OWN)


def declared() -> dict[tuple[str, str], str]:
    """The role that each address says it needs."""
    found = {}
    for _, page in DASHBOARD_PAGES:
        for route in page.router.routes:
            needs = [one.dependency.role for one in route.dependencies if isinstance(one.dependency, Needs)]  # type: ignore[attr-defined]
            role = max((page.role, *needs), key=ROLES.index)
            found |= {(method, route.path): role for method in route.methods}  # type: ignore[attr-defined]
    return found


@pytest.fixture
def filled_in(log: Log) -> Callable[[str], str]:
    """An address with the names of things that are there; what is not known is called x."""
    things = {"dialogue_id": log.dialogues("city-venues")[0].dialogue_id, "name": "transcripts.jsonl"}
    return lambda path: re.sub(r"{(\w+)}", lambda place: things.get(place[1], "x"), path)


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[], dict[str, list[Any]]]:
    """Every row that the log's database has, by table."""

    def rows() -> dict[str, list[Any]]:
        with sqlite3.connect(tmp_path / "log.sqlite") as database:
            named = "select name from sqlite_master where type='table'"
            tables = [name for (name,) in database.execute(named)]
            return {one: database.execute(f'select * from "{one}"').fetchall() for one in tables}  # noqa: S608

    return rows


@pytest.fixture
def browser_of(app: FastAPI, enter: Callable[..., TestClient]) -> Callable[[str], TestClient]:
    """A browser of somebody with a role; those who have none here carry what they sign in with elsewhere."""

    def browser(role: str) -> TestClient:
        if role in ROLES:
            return enter(role)
        made = TestClient(app, base_url=BASE, follow_redirects=False)
        made.headers |= {"sec-fetch-site": "same-origin", "accept": "text/html"}
        access = app.state.desk.access
        if role != "nobody":
            token = access.use_link(access.invite(role, BASE).rpartition("/")[2])
            token = access.make_account(access.who(token), role, "a long enough sentence")
            made.cookies.set(app.state.desk.cookie, token)
        return made

    return browser


def requests(
    app: FastAPI, browser: TestClient, filled_in: Callable[[str], str], form_token: str
) -> Iterator[tuple[tuple[str, str], Any]]:
    """Every address, asked for with a form that has what the forms of the pages have."""
    form = {
        "form_token": form_token,
        "reason": "because",
        "role": "owner",
        "by": "system",
        "became": "paid",
        "payment": "x",
        "visit": "x",
        "dialogue_id": "x",
        "label": "x",
        "name": "x",
        "scope": "results",
    }
    for method, path in addresses(app):
        given = {"params": form} if method == "GET" else {"data": form}
        yield (method, path), browser.request(method, filled_in(path), **given)


def word_of(browser: TestClient) -> str:
    found = re.search(r'name="form_token" value="([0-9a-f]{64})"', browser.get("/account").text)
    return found[1] if found else ""


def test_every_address_says_which_role_it_needs(app: FastAPI, note_figures) -> None:
    found = addresses(app)
    assert len(found) > 40 and set(found) == set(declared())
    assert not PUBLIC - OWN
    note_figures("dashboard, roles declared", addresses=len(found), undeclared=0)


@pytest.mark.parametrize("role", STRANGERS)
def test_who_has_no_role_here_reads_nothing_and_changes_nothing(
    role: str, app: FastAPI, browser_of, filled_in, stored, log: Log, note_figures
) -> None:
    browser = browser_of(role)
    before, word = stored(), word_of(browser)
    secrets = [log.dialogues("city-venues")[0].dialogue_id, "Alright. Is there anything else", "nbest"]
    tried = 0
    for (method, path), answer in requests(app, browser, filled_in, word):
        assert answer.status_code in ((303, 401) if role == "nobody" else (403,)), (method, path)
        assert not any(secret in answer.text for secret in secrets), (method, path)
        tried += 1
    assert stored() == before
    note_figures("dashboard and roles", role=role, addresses=tried, read_or_changed=0)


def test_viewers_change_nothing_and_reach_nothing_that_needs_more(
    app: FastAPI, browser_of, filled_in, stored, note_figures
) -> None:
    browser, needed = browser_of("viewer"), declared()
    before, tried = stored(), 0
    for (method, path), answer in requests(app, browser, filled_in, word_of(browser)):
        may = needed[method, path] == "viewer"
        assert (answer.status_code != 403) == may, (method, path)
        assert method == "GET" or not may or (method, path) in ASKED_BY_FORM, f"viewers may send {path}"
        tried += 1
    assert stored() == before
    note_figures("dashboard and roles", role="viewer", addresses=tried, changed=0)


def test_researchers_reach_no_account_of_others(
    app: FastAPI, browser_of, filled_in, stored, note_figures
) -> None:
    browser, needed = browser_of("researcher"), declared()
    word, before, tried = word_of(browser), stored(), 0
    for (method, path), answer in requests(app, browser, filled_in, word):
        assert (answer.status_code == 403) == (needed[method, path] == "owner"), (method, path)
        tried += 1
    after = stored()
    assert {one: after[one] for one in ACCOUNTS} == {one: before[one] for one in ACCOUNTS}
    note_figures("dashboard and roles", role="researcher", addresses=tried, accounts_changed=0)


def test_owners_are_refused_nothing_and_whatever_they_send_breaks_no_page(
    app: FastAPI, browser_of, filled_in, note_figures
) -> None:
    browser, tried = browser_of("owner"), 0
    for (method, path), answer in requests(app, browser, filled_in, word_of(browser)):
        assert answer.status_code < 500 and answer.status_code != 403, (method, path)
        tried += 1
    note_figures("dashboard and roles", role="owner", addresses=tried, refused_or_broken=0)
