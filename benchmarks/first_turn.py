"""From an empty folder and a bot of anybody to the first participant's turn: `vivavoce up`, with a stopwatch.

    python -m benchmarks first_turn [--repeat 3] [--pace 0] [--width 1280] [--limit-s 180] [--out FILE]

A real service, a real Chromium. `--pace 5` types five characters a second and reads half a second a line of
what is new before each press, as somebody does who sees the pages for the first time. Seconds by the clock at
the end of each part, from the moment the command was given. Exit code 1: the last took more than the limit.
"""

import argparse
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from scenes.browser import chromium
from scenes.patience import eventually
from scenes.processes import free_port
from scenes.strange_bots import ferry_office

TASKS = (
    "Book a ferry for two on Sunday.",
    "Ask what a bicycle costs.",
    "Find out which pier it leaves from.",
)
LINES = "document.querySelector('main, body').innerText.split('\\n').filter((line) => line.trim()).length"


class Newcomer:
    """Somebody at a browser; the clock began when they gave the command."""

    def __init__(self, page: Page, pace: float, begun: float) -> None:
        self.page, self.pace, self.begun = page, pace, begun
        self.parts: dict[str, float] = {}

    def done(self, part: str) -> None:
        self.parts[part] = round(time.monotonic() - self.begun, 1)

    def read(self) -> None:
        if self.pace:
            time.sleep(min(20.0, self.page.evaluate(LINES) / 2))

    def write(self, label: str, text: str) -> None:
        field = self.page.get_by_label(label)
        field.press_sequentially(text, delay=1000 / self.pace) if self.pace else field.fill(text)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).press("Enter")


def go(page: Page, link: str, address: str, pace: float, begun: float) -> dict[str, float]:
    they = Newcomer(page, pace, begun)
    they.done("address said")
    page.goto(link)
    they.press("Sign in")
    expect(page.get_by_role("heading", level=1)).to_have_text("A new study")
    they.done("first page")
    they.read()
    they.write("Its address", address)
    they.press("Say hello")
    expect(page.get_by_role("status")).to_contain_text("The ferry office hears you")
    they.done("bot found")
    they.read()
    page.get_by_label("My own, one a line").check()
    they.write("My tasks: English", "\n".join(TASKS))
    they.press("Write the study")
    expect(page.get_by_role("status")).to_contain_text("is written")
    they.done("study written")
    they.read()
    they.press("Start the trial")
    expect(page.get_by_role("link", name="Try it as a participant")).to_be_visible()
    they.done("trial served")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Try it as a participant").click()
    they.page = opened.value
    for name in ("Start", "I agree", "Continue"):
        expect(they.page.get_by_role("button", name=name)).to_be_visible()
        they.read()
        they.press(name)
    they.page.get_by_role("textbox").press_sequentially(TASKS[0], delay=1000 / pace if pace else 0)
    they.page.keyboard.press("Enter")
    expect(they.page.get_by_text(f"{TASKS[0]} is noted.")).to_be_visible()
    they.done("first turn answered")
    return they.parts


def run(width: int, pace: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, ferry_office() as address, chromium() as browser:
        told = Path(folder) / "told.txt"
        begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "vivavoce", "up", f"{folder}/ferry", "--no-open"]
        command += ["--port", str(free_port()), "--desk-port", str(free_port())]
        with told.open("w") as lines:
            process = subprocess.Popen(command, stdout=lines, stderr=lines)
        try:
            link = eventually(_said(told), "no address was said")
            page = browser.new_page(viewport={"width": width, "height": 800})
            parts = go(page, link, address, pace, begun)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        parts["processor of the service"] = round(
            used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, 1
        )
        return parts


def _said(told: Path) -> Callable[[], str]:
    def found() -> str:
        at = re.search(r"^study\s+(\S+)", told.read_text(), flags=re.MULTILINE)
        return at[1] if at else ""

    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--pace", type=float, default=0.0, help="characters a second; 0: as fast as it goes")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--limit-s", type=float, default=180.0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    runs = []
    for _ in range(asked.repeat):
        load = round(os.getloadavg()[0], 1)
        runs.append({"load": load, **run(asked.width, asked.pace)})
        print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
    last = [one["first turn answered"] for one in runs]
    found = {
        "pace": asked.pace,
        "width": asked.width,
        "limit_s": asked.limit_s,
        "median_s": statistics.median(last),
        "longest_s": max(last),
        "runs": runs,
    }
    print(json.dumps(found, indent=1))
    if asked.out:
        asked.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.exit(max(last) > asked.limit_s)


if __name__ == "__main__":
    main()
