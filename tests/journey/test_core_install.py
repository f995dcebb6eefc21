"""The wheel without extras in an empty environment: its size, a trial on it, and what it refuses."""

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

from scenes.before_shelves import FIXTURES
from scenes.patience import PATIENCE_S, eventually
from scenes.processes import example_bot, free_port

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
CHECKOUT: Final = Path(__file__).parents[2]
MOST_DEPENDENCIES: Final = 25
MOST_MB: Final = 150  # without the bytecode that Python adds
OF_PIP: Final = re.compile(r"(pip|setuptools|pkg_resources|_distutils_hack|distutils-precedence)\b")
STUDY: Final = """study: museum
languages: [en]
systems:
  guide: {connect: http, url: "ADDRESS", allow_private: true, open: true}
visit:
  - dialogue: {gate: none}
"""
STOPPING: Final = """  second: {connect: http, url: "ADDRESS", allow_private: true, open: true}
analysis:
  primary: {measure: objective_success_inferred, compare: [guide, second]}
  stopping: {rule: pocock, participants: 40}
visit:
"""


class Installed(NamedTuple):
    """An environment with the wheel alone."""

    folder: Path
    seconds: float

    def command(self, *words: str) -> list[str]:
        return [str(self.folder / "bin" / "vivavoce"), *words]

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command(*words), capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )

    def size_mb(self, *options: str) -> int:
        """Disk space of everything but pip, in MiB."""
        (packages,) = self.folder.glob("lib/python*/site-packages")
        listed = [str(path) for path in packages.iterdir() if not OF_PIP.match(path.name)]
        du = subprocess.run(["du", "-cms", *options, *listed], capture_output=True, text=True, check=True)
        return int(du.stdout.splitlines()[-1].split()[0])


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("core")
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder), str(CHECKOUT)]
    subprocess.run([sys.executable, "-m", "pip", *build], check=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "empty", with_pip=True)
    begun = time.monotonic()
    install = [folder / "empty" / "bin" / "python", "-m", "pip", "install", "--quiet", wheel]
    subprocess.run(install, check=True, cwd=folder)
    return Installed(folder / "empty", time.monotonic() - begun)


@contextmanager
def up(installed: Installed, folder: Path) -> Iterator[Callable[[str], str]]:
    """`vivavoce up` on a study, and what it prints after a word."""
    told = folder.with_suffix(".txt")
    ports = ["--port", str(free_port()), "--desk-port", str(free_port())]
    with told.open("w") as lines:
        process = subprocess.Popen(
            installed.command("up", str(folder), "--no-open", *ports), stdout=lines, stderr=lines
        )

    def line(word: str) -> str:
        def found() -> str:
            assert process.poll() is None, told.read_text()
            at = re.search(rf"^{word}\s+(\S+)", told.read_text(), flags=re.MULTILINE)
            return at[1] if at else ""

        return eventually(found, f"nothing was printed after {word}")

    try:
        yield line
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130, told.read_text()
    finally:
        process.kill()
        process.wait()


def study_in(folder: Path, address: str, more: str = "") -> Path:
    folder.mkdir()
    text = STUDY.replace("visit:\n", more) if more else STUDY
    (folder / "study.yaml").write_text(text.replace("ADDRESS", address), "utf-8")
    return folder


def chat(address: str, text: str) -> list[dict[str, Any]]:
    """Take part up to the bot's reply to a message; the events that the page sees."""
    with httpx.Client(base_url=address, follow_redirects=True, timeout=PATIENCE_S) as browser:
        page = browser.get("/")
        fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', page.text))
        page = browser.post("/start", data=fields)
        (dialogue_id,) = set(re.findall(r'name="dialogue_id" value="([^"]+)"', page.text))

        def events() -> list[dict[str, Any]]:
            news = browser.get("/events", params={"after": 0, "wait": 0, "dialogue_id": dialogue_id}).json()
            return [] if news["waiting"] else news["events"]

        eventually(events, "the bot did not greet")
        turn = {"key": "first-message", "dialogue_id": dialogue_id, "text": text}
        assert browser.post("/turns", json=turn).status_code < 300
        return eventually(lambda: [one for one in events() if one["kind"] == "system"][1:], "no reply")


def test_the_core_is_small(installed: Installed, note_figures: Any) -> None:
    facts = installed.run("--version")
    assert facts.returncode == 0, facts.stderr
    metadata = next(installed.folder.glob("lib/python*/site-packages/vivavoce-*.dist-info/METADATA"))
    requirements = re.findall(r"^Requires-Dist: (.*)$", metadata.read_text("utf-8"), flags=re.MULTILINE)
    direct = [one for one in requirements if "extra ==" not in one]
    note_figures(
        "core_install",
        dependencies=len(direct),
        megabytes=(size := installed.size_mb("--exclude=__pycache__")),
        megabytes_with_bytecode=installed.size_mb(),
        seconds=round(installed.seconds),
    )
    assert len(direct) <= MOST_DEPENDENCIES
    assert size <= MOST_MB


def test_a_participant_chats_with_a_bot_on_the_core_alone(installed: Installed, tmp_path: Path) -> None:
    with example_bot("museum") as address:
        folder = study_in(tmp_path / "trial", address)
        with up(installed, folder) as line:
            (reply,) = chat(line("participants"), "where are the dinosaurs")
            assert "room 4" in str(reply)
            dashboard(line("dashboard"))
    with sqlite3.connect(folder / "log.sqlite") as log:
        events = log.execute("select kind, payload from events order by seq").fetchall()
    kinds = [kind for kind, _ in events]
    assert "user_turn_sent" in kinds and kinds.count("system_turn_received") == 2
    assert any("where are the dinosaurs" in str(payload) for _, payload in events)
    assert_names_extra(installed.run("export", str(folder), "--into", str(tmp_path / "dataset")))


def assert_names_extra(done: "subprocess.CompletedProcess[str]") -> None:
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "[analysis]" in done.stderr


def dashboard(link: str) -> None:
    """Trial, dialogues and transcript are shown; results say which extra to install."""
    with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as browser:
        browser.headers.update({"accept": "text/html", "sec-fetch-site": "same-origin"})
        home = browser.post(link)
        assert home.status_code == 200, home.text
        root = str(home.url.copy_with(path="/", query=None, fragment=None))
        transcript = re.search(
            r'href="(/[^"]*dialogues/dialogue-[^"?]+)', browser.get(f"{root}dialogues").text
        )
        assert transcript is not None
        assert "where are the dinosaurs" in browser.get(root.rstrip("/") + transcript[1]).text

        def results() -> bool:
            return "[analysis]" in browser.get(f"{root}results").text

        eventually(results, "the results do not name the extra")


@pytest.mark.parametrize(
    "words",
    [
        ("measure", "dataset"),
        ("report", "dataset"),
        ("analyse", "dataset"),
        ("power", "two-rates", ".45", ".50"),
    ],
)
def test_verbs_with_numbers_name_the_extra_in_one_line(
    installed: Installed, tmp_path: Path, words: tuple[str, ...]
) -> None:
    shutil.copytree(FIXTURES / "datasets" / "town", tmp_path / "dataset")
    assert_names_extra(
        installed.run(*(str(tmp_path / word) if word == "dataset" else word for word in words))
    )


def test_a_study_with_a_stopping_rule_does_not_start(installed: Installed, tmp_path: Path) -> None:
    folder = study_in(tmp_path / "trial", "http://127.0.0.1:9/chat", STOPPING)
    for verb in (("serve", str(folder)), ("up", str(folder), "--no-open")):
        done = installed.run(*verb)
        assert done.returncode == 2
        assert "analysis.stopping.rule" in done.stderr and "[analysis]" in done.stderr
        assert done.stderr.count("\n") == 1
