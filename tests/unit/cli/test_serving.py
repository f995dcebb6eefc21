"""Pages and dashboard come up beside each other, and end together where one never does."""

import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scenes.processes import free_port
from vivavoce.cli import servers
from vivavoce.cli.servers import _beside
from vivavoce.core.errors import VivavoceError

STUDY = """\
study: s
systems: {bot: {connect: scripted, replies: [{say: Good day}]}}
visit:
  - dialogue: {}
"""


class Pages(SimpleNamespace):
    """A server of pages as far as the dashboard has to do with it: it can be told to end."""

    def __init__(self) -> None:
        super().__init__(ended=threading.Event())

    @property
    def should_exit(self) -> bool:
        return self.ended.is_set()

    @should_exit.setter
    def should_exit(self, _: bool) -> None:
        self.ended.set()


@pytest.fixture
def pages() -> Any:
    return Pages()


def dashboard(code: str, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, *words], stdin=subprocess.PIPE)


LISTENS = """import socket, sys
sys.stdin.readline()
listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
sys.stdin.read()
"""


def test_pages_are_there_before_the_dashboard_and_its_link_is_told_once_it_listens(pages: Any) -> None:
    port, told = free_port(), threading.Event()
    with dashboard(LISTENS, str(port)) as process, _beside(pages, process, "127.0.0.1", port, told.set):
        assert not told.is_set()  # and the pages may serve
        assert process.stdin is not None
        process.stdin.write(b"listen\n")
        process.stdin.flush()
        assert told.wait(60)
        process.kill()
    assert not pages.should_exit


def test_a_dashboard_that_never_listens_ends_the_pages_and_is_named(pages: Any) -> None:
    with (
        dashboard("raise SystemExit(3)") as process,
        pytest.raises(VivavoceError, match="dashboard ended with 3 before it listened"),
        _beside(pages, process, "127.0.0.1", free_port(), pytest.fail),
    ):
        assert pages.ended.wait(60)


def test_who_stops_both_while_the_dashboard_starts_is_told_of_no_mistake(pages: Any) -> None:
    with (
        dashboard("import sys; sys.stdin.read()") as process,
        _beside(pages, process, "127.0.0.1", free_port(), pytest.fail),
    ):
        pages.should_exit = True
        process.kill()
        (waiting,) = (one for one in threading.enumerate() if one.name == "dashboard")
        waiting.join(60)


@pytest.mark.parametrize("alone", [True, False])
def test_a_dashboard_by_itself_says_how_to_come_in(
    alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(STUDY, encoding="utf-8")
    monkeypatch.setattr(servers, "_run_app", lambda *_: None)
    pages = None if alone else "http://127.0.0.1:8000/"
    servers.serve_desk(
        study,
        f"sqlite:///{tmp_path / 'log.sqlite'}",
        host="127.0.0.1",
        port=8001,
        participant_url=pages,
        secure_cookies=False,
    )
    assert ("http://127.0.0.1:8001/link/" in capsys.readouterr().err) is alone  # `serve` says it itself
