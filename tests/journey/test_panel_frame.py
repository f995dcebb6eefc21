"""A study in the frame of a panel on another site, in Chromium: its cookies are a third party's there."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import Browser, FrameLocator, expect

from scenes.patience import eventually
from vivavoce.api.studies import make_connectors
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.testing.pages import running
from vivavoce.trial.engine import SessionEngine

STUDY = """\
study: garden
systems: {{bot: {{connect: scripted, otherwise: Water it on Sunday.}}}}
recruitment: {{panel: {{origins: ["{panel}"], title: Our panel}}}}
visit:
  - consent: consent.md
  - dialogue: {{gate: none}}
"""
ASSIGNMENT = {"assignmentId": "A77", "hitId": "H1", "workerId": "W5"}


class PanelSite(ThreadingHTTPServer):
    """A panel of our own: its page shows an address in a frame, and takes the form at the end."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _PanelPages)
        self.shown, self.posted = "about:blank", list[dict[str, list[str]]]()
        self.url = f"http://localhost:{self.server_port}"  # another site than that of the study's pages


class _PanelPages(BaseHTTPRequestHandler):
    server: PanelSite

    def do_GET(self) -> None:
        self._answer(f'<title>P</title><iframe src="{escape(self.server.shown)}" width=900 height=700>')

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/mturk/externalSubmit":
            self.server.posted.append(parse_qs(body))
        self._answer("<p>The panel thanks you.</p>")

    def _answer(self, html: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!doctype html>{html}".encode())

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on the terminal of the tests."""


@contextmanager
def served() -> Iterator[PanelSite]:
    with PanelSite() as site:
        thread = Thread(target=site.serve_forever)
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()


@pytest.mark.browser
@pytest.mark.long
def test_a_visit_in_a_frame_of_another_site(browser: Browser, tmp_path: Path) -> None:
    with served() as panel, served() as stranger:
        (tmp_path / "study.yaml").write_text(STUDY.format(panel=panel.url), "utf-8")
        (tmp_path / "consent.md").write_text("# Please agree\n\nWe keep your words.\n", "utf-8")
        study = load_study(tmp_path)
        with (
            Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
            running(create_app(SessionEngine(study, log, make_connectors(study)))) as pages,
        ):

            def show(site: PanelSite, **came: str) -> FrameLocator:
                query = urlencode({**ASSIGNMENT, "turkSubmitTo": panel.url, **came})
                site.shown = f"{pages.url}/?{query}"
                page.goto(site.url)
                return page.frame_locator("iframe")

            context = browser.new_context()
            page = context.new_page()
            preview = show(panel, assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")
            expect(preview.get_by_text("This is a preview")).to_be_visible()
            expect(preview.get_by_role("button", name="Start")).to_have_count(0)

            blocked = show(stranger)
            page.wait_for_load_state()
            expect(blocked.get_by_role("heading")).to_have_count(0)
            assert log.visits("garden") == []

            frame = show(panel)
            frame.get_by_role("button", name="Start").click()
            frame.get_by_role("button", name="I agree").click()
            frame.locator("#text").fill("When do I water the basil?")
            frame.locator("#text").press("Enter")
            expect(frame.get_by_text("Water it on Sunday.")).to_be_visible()
            frame = show(panel)
            frame.get_by_role("button", name="Start").click()
            expect(frame.get_by_text("Water it on Sunday.")).to_be_visible()
            frame.get_by_role("button", name="End the conversation").click()
            frame.get_by_role("button", name="Submit to Our panel").click()
            expect(frame.get_by_text("The panel thanks you.")).to_be_visible()
            context.close()
            [visit] = log.visits("garden")
            [form] = eventually(lambda: panel.posted, "nothing was posted back")
            assert [visit.outcome] == form["outcome"] == ["completed"]
            assert form["assignmentId"] == ["A77"] and form["code"] and not stranger.posted
