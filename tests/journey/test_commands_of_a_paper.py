"""The tables of Di Maro, Origlia and Cutugno (2018) from raw commands: pages, annotators, files, tables.

Nobody was asked. Speakers and annotators are programs in Chromium that say what a grammar gives them and know
what it means; what is tried is the way from a page to a table. The paper's figures are not legible in its
copy, so systems err as often as is planted here, and the table must say just that.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.annotating import PASSWORD
from scenes.browser import whole
from scenes.command_line import vivavoce
from scenes.commanding_a_robot import Frames, commanded_study, speakers_and_frames
from scenes.watched import served
from scenes.websites import Running, running
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.participant.app import create_app
from vivavoce.participant.site import RateLimits
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce_commands.notation import Argument, Predicate, Words, read_predicates, write_predicates

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.timeout(3600)]
SPEAKERS, RECIPES, ON_TELEPHONES = 12, 2, 2
SLIPS = 9  # commands that the second annotator understands differently


class Annotated(NamedTuple):
    """What came out of the pages, what every command means, and how many predicates were disputed."""

    folder: Path
    means: dict[str, list[str]]
    disputed: int


def speak(browser: Browser, server: Running, commands: list[str], *, telephone: bool) -> None:
    """A whole visit: one command for each frame."""
    size = {"width": 320, "height": 568} if telephone else {"width": 1280, "height": 900}
    context = browser.new_context(locale="en-GB", viewport=size, has_touch=telephone)
    page = context.new_page()
    page.goto(server.url)
    for _ in range(3):
        page.locator("main button.primary").first.click()
    for number, command in enumerate(commands, 1):
        expect(page.locator(".progress")).to_contain_text(f" {number} of {len(commands)}")
        if number == 1:
            whole(page)
        page.locator("#text").fill(command)
        page.locator("#text").press("Enter")
    expect(page.locator(".progress")).to_have_count(0)
    context.close()


def annotate(browser: Browser, server: Running, name: str, meaning: Callable[[str, int], str]) -> None:
    """All recipes of all speakers, as the queue gives them out, each command in its place."""
    page = browser.new_page()
    page.goto(Access(server.site.engine.log).invite(ANNOTATOR, server.url + "/annotate"))
    page.locator("main button").press("Enter")
    for field, text in (("#name", name), ("#password", PASSWORD), ("#again", PASSWORD)):
        page.locator(field).fill(text)
    page.keyboard.press("Enter")
    page.wait_for_url("**/annotate/commands")
    page.locator("main button").press("Enter")
    while True:
        expect(page.locator("#command, #go, form[action$='/next'], [role=status]").first).to_be_visible()
        if page.locator("#go").count():
            with page.expect_navigation():
                page.locator("#go").press("Enter")
        elif page.locator("#command").count():
            command(page, meaning)
        else:
            break  # nothing is left
    page.close()


def command(page: Page, meaning: Callable[[str, int], str]) -> None:
    number = int(page.locator("#command input[name=at]").input_value())
    key = page.locator("#command input[name=sequence]").input_value()
    page.locator("#annotation").fill(meaning(key, number))
    with page.expect_navigation():
        page.locator("#save").press("Enter")
    if (unfit := page.locator("button[value=anyway]")).count():
        with page.expect_navigation():
            unfit.press("Enter")


def decide(browser: Browser, study: Study, log: Log, folder: Path, truth: set[str]) -> int:
    """The researcher takes the side that is right, dispute by dispute; how many there were."""
    count = 0
    with ExitStack() as stack:
        app = create_desk(study, log, work_dir=folder / "work", account_optional=True)
        stack.callback(app.state.desk.snapshots.close)
        address = stack.enter_context(served(app))
        page = browser.new_page()
        page.goto(app.state.desk.access.invite("researcher", address))
        page.get_by_role("button").first.click()
        page.goto(f"{address}/annotation/commands")
        whole(page)
        page.goto(f"{address}/annotation/commands/decide")
        while (sides := page.locator(".sides > div")).count():
            right = next(one for one in sides.all() if one.locator("code").inner_text() in truth)
            with page.expect_navigation():
                right.locator("button").press("Enter")
            count += 1
        expect(page.locator("main [role=status]")).to_contain_text("All disagreements are decided")
        page.close()
    return count


@pytest.fixture(scope="module")
def annotated(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Annotated:
    folder = tmp_path_factory.mktemp("paper")
    frames = speakers_and_frames("en", speakers=SPEAKERS, recipes=RECIPES, seed=2018)
    study = commanded_study(folder / "study", frames, "en")
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        means: dict[str, list[str]] = {}
        engine = SessionEngine(study, log, {})
        with running(create_app(engine, rates=RateLimits(visits_per_hour=10_000))) as server:
            for number, said in enumerate(frames.said):
                speak(browser, server, [one.text for one in said], telephone=number < ON_TELEPHONES)
                person = log.visits("robot")[-1].participant_id
                means[person] = [write_predicates(one.predicates) for one in said]
            both_annotate(browser, server, frames, means)
        truth = {one for own in means.values() for one in own}
        disputed = decide(browser, study, log, folder, truth)
    vivavoce(
        "annotate",
        "commands-out",
        str(folder / "study"),
        "--log",
        f"sqlite:///{folder / 'log.sqlite'}",
        "--into",
        str(folder / "annotated"),
    )
    return Annotated(folder, means, disputed)


def both_annotate(browser: Browser, server: Running, frames: Frames, means: dict[str, list[str]]) -> None:
    starts = [0, *(sum(map(len, frames.recipes[: at + 1])) for at in range(RECIPES - 1))]

    def place(key: str, number: int) -> tuple[str, int]:
        person, _, recipe = key.partition("/")
        return person, starts[int(recipe.removeprefix("recipe-")) - 1] + number

    def right(key: str, number: int) -> str:
        person, at = place(key, number)
        return means[person][at]

    every = [(person, at) for person, own in means.items() for at in range(len(own))]
    slips = set(Random(36).sample(every, SLIPS))

    def with_slips(key: str, number: int) -> str:
        first, *rest = read_predicates(right(key, number))
        if place(key, number) not in slips:
            return right(key, number)
        return write_predicates([first._replace(action="wait"), *rest])

    annotate(browser, server, "anna", right)
    annotate(browser, server, "bruno", with_slips)


def test_what_was_said_in_its_place_is_what_the_files_say(annotated: Annotated) -> None:
    assert annotated.disputed == SLIPS
    files = {one.stem: one.read_text("utf-8") for one in (annotated.folder / "annotated/notation").iterdir()}
    assert set(files) == set(annotated.means)
    for person, own in annotated.means.items():
        lines = [line for line in files[person].splitlines() if line != "---"]
        assert lines == [f"{number}; {one}" for number, one in enumerate(own, 1)]
        assert files[person].count("---") == RECIPES - 1


class Planted(NamedTuple):
    """A system's errors: actions taken for others, arguments wrong, and asked to repeat; whom it lacks."""

    actions: int
    arguments: int
    repeated: int
    missing: bool = False


PLANTED = {"one": Planted(31, 25, 7, missing=True), "two": Planted(90, 40, 0), "three": Planted(140, 60, 0)}


def counted(predicate: Predicate) -> int:
    """Arguments as the script of 2018 counted them: a list falls apart, and none is one."""
    return write_predicates([predicate]).partition("(")[2].count(",") + 1


def answer(folder: Path, means: dict[str, list[str]], planted: Planted) -> tuple[list[float], str]:
    """Write answers with these errors; the row of table 2 that follows, and who is missing."""
    chance = Random(repr(planted))
    missing = sorted(means)[0] if planted.missing else ""
    said = {
        (person, number): list(read_predicates(text))
        for person, own in means.items()
        for number, text in enumerate(own)
        if person != missing
    }
    places = [(key, at) for key, own in said.items() for at in range(len(own))]
    arguments = sum(counted(said[key][at]) for key, at in places)
    chance.shuffle(places)
    for key, at in places[: planted.actions]:
        arguments -= counted(said[key][at])
        said[key][at] = said[key][at]._replace(action="wait")
    plain = [
        (key, at)
        for key, at in places[planted.actions :]
        if said[key][at].arguments and isinstance(said[key][at].arguments[0].options[0], Words)
    ]
    for number, (key, at) in enumerate(plain[: planted.arguments + planted.repeated]):
        word = "#" if number >= planted.arguments else "nothing"
        first, one = Argument((Words(word),)), said[key][at]
        said[key][at] = one._replace(arguments=(first, *one.arguments[1:]))
    folder.mkdir()
    for person, own in means.items():
        lines = [
            f"{at + 1}; {write_predicates(said[person, at])}" for at in range(len(own)) if person != missing
        ]
        if lines:
            (folder / f"{person}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    right = len(places) - planted.actions
    row = [
        right / len(places),
        (arguments - planted.arguments - planted.repeated) / arguments,
        planted.actions / len(places),
        planted.arguments / arguments,
        planted.repeated / arguments,
    ]
    return row, missing


def row_of(text: str, name: str) -> list[str]:
    """The cells of the first Markdown row that begins so."""
    found = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", text, re.MULTILINE)
    assert found is not None, name
    return [cell.strip() for cell in found.group(1).split("|")]


def test_the_tables_say_what_was_planted(annotated: Annotated, tmp_path: Path) -> None:
    rows, missing = {}, ""
    for name, planted in PLANTED.items():
        rows[name], who = answer(tmp_path / name, annotated.means, planted)
        missing = missing or who
    vivavoce(
        "understand",
        "tables",
        str(annotated.folder / "annotated"),
        *(str(tmp_path / one) for one in rows),
        "--into",
        str(tmp_path / "tables"),
    )
    printed = (tmp_path / "tables/tables.md").read_text("utf-8")
    assert row_of(printed, "one (a)") == [f"{100 * share:.1f}" for share in rows["one"]]
    assert row_of(printed, "two") == [f"{100 * share:.1f}" for share in rows["two"]]
    assert row_of(printed, "three") == [f"{100 * share:.1f}" for share in rows["three"]]
    assert f"a One user is missing: {missing}." in printed
    commands = sum(map(len, annotated.means.values()))
    same = commands - SLIPS
    assert row_of(printed, "commands") == [f"{same} of {commands}", f"{100 * same / commands:.1f}"]
    every = [each for own in annotated.means.values() for one in own for each in read_predicates(one)]
    for action in {one.action for one in every}:
        assert row_of(printed, action)[1] == str(sum(one.action == action for one in every))
    tuples = list(tuples_of(tmp_path / "tables/tuples/two"))
    assert len(tuples) == len(every) and sum(one[0] == 0 for one in tuples) == PLANTED["two"].actions


def tuples_of(folder: Path) -> Iterator[tuple[int, ...]]:
    for file in folder.iterdir():
        for found in re.findall(
            r"^\d+_\d+; \((\d), (\d+), (\d+), (\d+)\)$", file.read_text("utf-8"), re.MULTILINE
        ):
            yield tuple(map(int, found))


def test_systems_a_to_d_stand_in_one_table(annotated: Annotated, tmp_path: Path) -> None:
    """Trained for one epoch: the table, not their skill, is looked at."""
    pytest.importorskip("torch")
    vivavoce("understand", "generate", "--language", "en", "--into", str(tmp_path / "kitchen"))
    dataset = annotated.folder / "annotated/dataset"
    for name in "abcd":
        vivavoce(
            "understand",
            "train",
            str(tmp_path / "kitchen/training"),
            "--system",
            name,
            "--epochs",
            "1",
            "--into",
            str(tmp_path / f"system-{name}"),
        )
        vivavoce(
            "understand",
            "predict",
            str(tmp_path / f"system-{name}"),
            str(dataset),
            "--into",
            str(tmp_path / f"answers-{name}"),
        )
    found = vivavoce(
        "understand",
        "tables",
        str(annotated.folder / "annotated"),
        *(f"{name}={tmp_path / f'answers-{name}'}" for name in "abcd"),
        "--mode",
        "strict",
        "--json",
    )
    facts = json.loads(found.stdout)
    commands = sum(map(len, annotated.means.values()))
    assert list(facts["systems"]) == ["a", "b", "c", "d"]
    for one in facts["systems"].values():
        assert one["counts"]["utterances"] == commands and one["speakers"] == SPEAKERS
        assert 0 <= one["corpus"]["correct_actions"] <= 1 and not one["missing_speakers"]
