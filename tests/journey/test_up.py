"""From an empty folder and one's own bot to the first participant's turn, by `vivavoce up` and a browser."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import whole
from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port
from scenes.strange_bots import ferry_office
from vivavoce.study.load import load_study

pytestmark = pytest.mark.browser
Running = tuple[subprocess.Popen[str], Path, Callable[[str], str]]


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Running]:
    """`vivavoce up` on a folder that is not there yet, and what it prints after a word."""
    told = tmp_path / "told.txt"
    command = [sys.executable, "-m", "vivavoce", "up", str(tmp_path / "ferry-trial"), "--no-open"]
    command += ["--port", str(free_port()), "--desk-port", str(free_port())]
    with told.open("w") as lines:
        process = subprocess.Popen(command, stdout=lines, stderr=lines, text=True)

    def line(word: str) -> str:
        def found() -> str:
            assert process.poll() is None or word in told.read_text(), told.read_text()
            at = re.search(rf"^{word}\s+(\S+)", told.read_text(), flags=re.MULTILINE)
            return at[1] if at else ""

        return eventually(found, f"nothing was said of {word}")

    try:
        yield process, tmp_path / "ferry-trial", line
    finally:
        process.kill()
        process.wait()


def begin(page: Page, link: str, address: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Sign in").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("New study")
    whole(page)
    page.get_by_label("Bot address").fill("http://127.0.0.1:9/")
    page.get_by_role("button", name="Test bot").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("check its address")
    page.get_by_label("Bot address").fill(address)
    page.get_by_role("button", name="Test bot").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The ferry office hears you")
    whole(page)
    page.get_by_label("My own, one per line").check()
    page.get_by_label("My tasks (English)").fill("Book a ferry.\nAsk for the price.\nAsk for the pier.")
    page.get_by_role("button", name="Create study").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("created")
    whole(page)


@pytest.mark.parametrize("width", [1280, pytest.param(320, marks=pytest.mark.long)])
def test_from_an_empty_folder_to_the_first_turn_of_a_participant(
    up: Running, browser: Browser, width: int, note_figures: Any
) -> None:
    process, folder, line = up
    with ferry_office() as address:
        begun = time.monotonic()
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        begin(page, line("study"), address)
        if width == 320:
            edit_by_keyboard(page)
        page.get_by_role("button", name="Start trial").press("Enter")
        expect(page.get_by_role("link", name="Preview as participant")).to_be_visible(
            timeout=PATIENCE_S * 1000
        )
        whole(page)
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Preview as participant").click()
        participant = opened.value
        take_part(participant)
        note_figures("up", width=width, seconds_to_first_turn=round(time.monotonic() - begun, 1))
    assert load_study(folder).systems["mine"]["body"]["prompt"] == "{{ text }}"
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130


def edit_by_keyboard(page: Page) -> None:
    """Every page of the study at this width, and a step changed."""
    for name in ("Texts and information sheet", "Tasks", "Analysis and sample size", "Study file"):
        page.get_by_role("link", name=name, exact=True).press("Enter")
        expect(page.get_by_role("link", name="Back to the study")).to_be_visible()
        whole(page)
        page.get_by_role("link", name="Back to the study").press("Enter")
    page.get_by_role("link", name="Edit step 3, dialogue").press("Enter")
    expect(page.locator("[name=set-gate]")).to_have_value("code")
    page.locator("[name=set-gate]").select_option("none")
    whole(page)
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_role("status")).to_have_text("Saved.")


def take_part(page: Page) -> None:
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("textbox").fill("A ferry to the island, please")
    page.keyboard.press("Enter")
    expect(page.get_by_text("A ferry to the island, please is noted.")).to_be_visible()


def test_a_folder_with_something_else_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("\\begin{document}", encoding="utf-8")
    command = [sys.executable, "-m", "vivavoce", "up", str(tmp_path), "--no-open"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert made.returncode == 2
    assert "contains other files but not a study (thesis.tex)" in made.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.tex"]
