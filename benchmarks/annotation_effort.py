"""What a command costs to annotate on the served page, with a program's draft and without, over 40 commands.

    python -m benchmarks annotation_effort --drafts drafts.csv [--dataset kitchen/test] [--commands 40]

The annotators are programs at a real browser: two passes, blind to each other, each with drafts for about
half of its recipes, drawn as the study draws them. **No person was asked, and no second here is a
person's.** What is real: the pages, the drafts with their errors, every key, and what the page makes of
them. A pass knows what the commands mean (the corpus says it), takes a draft that is right by one key, and
writes over one that is wrong. Keys are counted, and what people would take is *predicted* by the
keystroke-level model of Card, Moran and Newell (1980): K 0.2 s a key, M 1.35 s a decision: one to understand
the command, one for each predicate that is written, one to compare a draft with what was understood. Reading
and listening are not in it.
"""

import argparse
import json
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path
from shutil import which
from typing import Any, Final, NamedTuple

from playwright.sync_api import Page, sync_playwright

from vivavoce.core.signature import installed_version
from vivavoce.log.dataset import Dataset, DatasetWriter
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.testing.pages import running
from vivavoce.trial.engine import SessionEngine
from vivavoce.web.accounts import ANNOTATOR, Access
from vivavoce.web.app import create_app
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.notation import read_predicates, write_predicates

RESULTS: Final = Path(__file__).parent / "results" / "annotation_effort.json"
KEY_S, DECISION_S = 0.2, 1.35
PASSWORD: Final = "a long enough sentence"
PASSES: Final = ("first", "second")


class Done(NamedTuple):
    """One command as one pass annotated it.

    keys       that were pressed; decisions: of the model, see above
    drafted    whether a draft was shown, and `kept`: whether it was taken as it is
    """

    command: str
    drafted: bool
    kept: bool
    keys: int
    decisions: int

    @property
    def predicted_s(self) -> float:
        return self.keys * KEY_S + self.decisions * DECISION_S


def material(dataset: Path, drafts: Path, folder: Path, wanted: int) -> dict[str, str]:
    """A study with whole recipes of so many commands and their drafts; what each command means."""
    rows, taken = Dataset(dataset).read("commands").to_pylist(), []
    recipes = list(dict.fromkeys((row["participant_id"], row["recipe"]) for row in rows))
    for recipe in recipes:
        if len(taken) >= wanted:
            break
        taken += [row for row in rows if (row["participant_id"], row["recipe"]) == recipe]
    kept = [{**row, "annotation": None, "annotator_id": None} for row in taken[:wanted]]
    with DatasetWriter(folder / "commands", study={"name": "kitchen"}, source={"kind": "benchmark"}) as out:
        out.add("commands", kept)
        out.close()
    (folder / "drafts.csv").write_text(drafts.read_text("utf-8"), encoding="utf-8")
    (folder / "study.yaml").write_text(
        "study: kitchen\nsystems: {one: {connect: scripted, greeting: hello, otherwise: hello}}\n"
        "visit:\n  - dialogue: {repeat: 1}\n"
        "annotation:\n  commands: {templates: kitchen-en, dataset: commands, drafts: drafts.csv, "
        "draft_share: 0.5}\n  double: 1\n",
        encoding="utf-8",
    )
    return {row["command_id"]: write_predicates(read_predicates(row["annotation"])) for row in taken[:wanted]}


def come_in(browser: Any, server: Any, name: str) -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(120_000)
    page.goto(Access(server.site.engine.log).invite(ANNOTATOR, server.url + "/annotate"))
    page.locator("main button").press("Enter")
    for field, text in (("#name", name), ("#password", PASSWORD), ("#again", PASSWORD)):
        page.locator(field).fill(text)
    page.keyboard.press("Enter")
    page.wait_for_url("**/annotate/commands")
    return page


def annotate(page: Page, means: str) -> tuple[bool, bool, int, int]:
    """One command by keys: whether a draft was there, whether it was kept, keys and decisions."""
    shown = page.locator("#draft code")
    drafted = shown.count() > 0
    count = len(read_predicates(means))
    if drafted and shown.inner_text() == means:
        page.locator("h1").focus()
        with page.expect_navigation():
            page.keyboard.press("0")
        return True, True, 1, 2
    page.locator("#annotation").focus()
    page.keyboard.insert_text(means)
    asked = page.locator(".progress").inner_text()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    unfit, more = page.locator("button[value=anyway]"), 0
    if unfit.count() and page.locator(".progress").inner_text() == asked:
        with page.expect_navigation():
            unfit.press("Enter")
        more = 1
    return drafted, False, len(means) + 2 + more, 1 + count + drafted + more


def one_pass(browser: Any, server: Any, name: str, meaning: dict[str, str]) -> list[Done]:
    """All recipes, as the queue gives them out."""
    page, found = come_in(browser, server, name), []
    workplace = COMMANDS.open(server.site.study, server.site.engine.log)
    while True:
        page.goto(f"{server.url}/annotate/commands/work")
        if not page.url.endswith("/work"):  # nothing is due: begin the next recipe, as long as there is one
            begin = page.locator("form[action$='/next'] button")
            if not begin.count():
                break
            with page.expect_navigation():
                begin.first.press("Enter")
            if not page.url.endswith("/work"):
                break
        elif page.locator("#go").count():
            with page.expect_navigation():
                page.locator("button[name=pause]").press("Enter")
        else:
            number = int(page.locator("#command input[name=at]").input_value())
            key = page.locator("#command input[name=sequence]").input_value()
            command = workplace.sequence(key).commands[number].command_id
            found.append(Done(command, *annotate(page, meaning[command])))
    return found


def figures(rows: list[Done]) -> dict[str, Any]:
    return {
        "commands": len(rows),
        "keys": statistics.fmean(one.keys for one in rows) if rows else None,
        "predicted_minutes": statistics.fmean(one.predicted_s for one in rows) / 60 if rows else None,
        "kept": sum(one.kept for one in rows),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks annotation_effort")
    parser.add_argument("--dataset", type=Path, default=Path("kitchen/test"))
    parser.add_argument("--drafts", type=Path, default=Path("drafts.csv"))
    parser.add_argument("--commands", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as into, ExitStack() as stack:
        folder = Path(into)
        meaning = material(given.dataset, given.drafts, folder, given.commands)
        study = load_study(folder / "study.yaml")
        log = stack.enter_context(Log.open(f"sqlite:///{folder / 'log.sqlite'}"))
        server = stack.enter_context(running(create_app(SessionEngine(study, log, {}))))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        passes = {name: one_pass(browser, server, name, meaning) for name in PASSES}
        timed = COMMANDS.open(study, log).times()
    every = [one for several in passes.values() for one in several]
    found = {
        "vivavoce": installed_version(), "people": 0, "commands": len(meaning),
        "passes": {
            name: {how: figures([one for one in rows if one.drafted is drafted])
                   for how, drafted in (("with drafts", True), ("without", False))}
            for name, rows in passes.items()
        },
        "both": {how: figures([one for one in every if one.drafted is drafted])
                 for how, drafted in (("with drafts", True), ("without", False))},
        "logged_by_the_page": {
            how: {"commands": len(own), "median_s": statistics.median(own) if own else None}
            for how, own in (
                ("with drafts", [one.seconds for one in timed if one.draft is not None]),
                ("without", [one.seconds for one in timed if one.draft is None]),
            )
        },
    }  # fmt: skip
    print(json.dumps(found, indent=1))
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
