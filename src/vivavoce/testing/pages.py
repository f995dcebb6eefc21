"""A study's pages, served for tests, and somebody who uses them as a browser without scripts would."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx
from fastapi import FastAPI

from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.participant.serving import PageServer
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine

PATIENCE_S: Final = 120.0  # a machine may be slow, and busy besides
KEPT: Final = httpx.Limits(keepalive_expiry=1.0)  # long before the server closes what is idle
Result = TypeVar("Result")


def eventually(
    reached: Callable[[], Result], awaited: str = "timed out", *, patience_s: float = PATIENCE_S
) -> Result:
    """Ask until the answer is true; that answer."""
    until = time.monotonic() + patience_s
    while not (answer := reached()):
        if time.monotonic() > until:
            raise AssertionError(awaited)
        time.sleep(0.01)
    return answer


class PageForms(HTMLParser):
    """The forms of a page: by action, the hidden fields of the first with this action."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self._open: dict[str, str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = {}
            self.forms.setdefault(facts.get("action", ""), self._open)
        hidden = facts.get("type") == "hidden" or "readonly" in facts
        if tag == "input" and self._open is not None and hidden:
            self._open[facts["name"]] = facts.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None


class Running(PageServer):
    """An application that a thread serves on a port of this computer; None: one that is free."""

    def __init__(self, app: FastAPI, port: int | None = None) -> None:
        super().__init__(app, port=port or 0, timeout_graceful_shutdown=10)
        self.loop: asyncio.AbstractEventLoop | None = None

    @property
    def port(self) -> int:
        return self.servers[0].sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def startup(self, sockets: Any = None) -> None:
        self.loop = asyncio.get_running_loop()
        await super().startup(sockets)

    def call(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of a coroutine, run where the application runs."""
        assert self.loop is not None
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE_S)


@contextmanager
def running(app: FastAPI, port: int | None = None) -> Iterator[Running]:
    """Serve an application until the block is left."""
    server = Running(app, port)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually(lambda: server.started or not thread.is_alive(), "the server did not start")
        yield server
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)


class Visitor:
    """One browser with its cookies; `html` is the page that it shows."""

    def __init__(self, url: str, cookies: dict[str, str] | None = None) -> None:
        self.client = httpx.Client(
            base_url=url,
            follow_redirects=True,
            trust_env=False,
            timeout=PATIENCE_S,
            cookies=cookies,
            limits=KEPT,
        )
        self.html = ""

    def close(self) -> None:
        self.client.close()

    def look(self, path: str = "/visit") -> str:
        response = self.client.get(path)
        assert response.status_code == 200, response.text
        self.html = response.text
        return self.html

    def press(self, action: str, status: int = 200, **fields: str) -> str:
        """Send the form with this action, as shown, with what was entered."""
        response = self.client.post(action, data={**PageForms(self.html).forms[action], **fields})
        assert response.status_code == status, response.text
        self.html = response.text
        return self.html


@contextmanager
def visitors(study: Study, log: Log) -> Iterator[Callable[..., Visitor]]:
    """The pages of a study; makes browsers, each with cookies of its own or those of another."""
    with ExitStack() as stack:
        engine = SessionEngine(study, log, {}, clock=log.clock)
        server = stack.enter_context(running(create_app(engine)))

        def open_browser(cookies: dict[str, str] | None = None) -> Visitor:
            visitor = Visitor(server.url, cookies)
            stack.callback(visitor.close)
            return visitor

        yield open_browser


@contextmanager
def served_apart(folder: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The study's pages in a process of their own, and where they are."""
    command = [sys.executable, "-m", "vivavoce.testing.pages", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server, server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def main(folder: str) -> None:
    """Serve a study with a log beside it until the process is killed; prints where."""
    study = load_study(Path(folder))
    with (
        Log.open(f"sqlite:///{Path(folder) / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {}))) as server,
    ):
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
