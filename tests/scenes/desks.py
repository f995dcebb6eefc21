"""The dashboard of a study, asked as a browser asks it."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.study.load import load_study

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have httpx2, which nothing else here needs
    from starlette.testclient import TestClient

BASE = "http://desk.test"


@contextmanager
def desk_of(folder: Path, log: Log, role: str = "researcher", language: str = "en") -> Iterator[TestClient]:
    """The dashboard of a study as somebody with a role has it."""
    app = create_desk(load_study(folder), log, work_dir=folder / "work", account_optional=True)
    headers = {"sec-fetch-site": "same-origin", "accept": "text/html", "accept-language": language}
    browser = TestClient(app, base_url=BASE, headers=headers)
    browser.post(app.state.desk.access.invite(role, BASE).removeprefix(BASE))
    try:
        yield browser
    finally:
        app.state.desk.snapshots.close()


def press(browser: TestClient, address: str, **fields: str | list[str]) -> str:
    token = re.search(r'name="form_token" value="([^"]+)"', browser.get("/recruitment").text)
    assert token is not None
    return browser.post(address, data={"form_token": token[1], **fields}).text
