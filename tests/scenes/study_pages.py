"""Somebody signed in on the study's pages, without scripts."""

import re
import warnings
from pathlib import Path

from vivavoce.dashboard.study_editor.setup import create_setup
from vivavoce.log.store import Log
from vivavoce.participant.accounts import OWNER

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

BASE = "http://desk.test"


class Editor:
    """Somebody signed in on the study's pages, without scripts."""

    def __init__(self, folder: Path, log: Log, language: str = "en") -> None:
        self.folder, self.started = folder, list[bool]()
        app = create_setup(folder, log, lambda: self.started.append(True))
        headers = {"sec-fetch-site": "same-origin", "accept": "text/html", "accept-language": language}
        self.browser = TestClient(app, base_url=BASE, headers=headers)
        self.browser.post(app.state.desk.access.invite(OWNER, BASE).removeprefix(BASE))

    @property
    def file(self) -> Path:
        return self.folder / "study.yaml"

    def look(self, path: str = "/study") -> str:
        answer = self.browser.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(self, path: str, seen: str, status: int = 200, **fields: str | list[str]) -> str:
        """Send a form of the page that was seen."""
        hidden = dict(re.findall(r'type="hidden" name="([\w-]+)" value="([^"]*)"', seen))
        answer = self.browser.post(path, data={**hidden, **fields})
        assert answer.status_code == status, answer.text
        return answer.text
