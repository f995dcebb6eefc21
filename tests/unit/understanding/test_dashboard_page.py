"""Annotated commands on the dashboard: agreement as counted by hand, and decisions."""

import re
from collections.abc import Iterator
from pathlib import Path

import krippendorff as peer
import pytest
from starlette.testclient import TestClient

from scenes.annotating_commands import ANNA, BRUNO, annotate_all, commanding_study
from scenes.translated import same_in_italian
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce_commands.agreement import command_agreement
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.annotation.standing import standing
from vivavoce_commands.annotation.workplace import CommandWorkplace

BASE = "http://desk.test"


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[CommandWorkplace]:
    study = commanding_study(tmp_path / "study")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        made = COMMANDS.open(study, log)
        annotate_all(made, "anna", ANNA)
        annotate_all(made, "bruno", BRUNO)
        yield made


def test_agreement_counts_commands_predicates_and_arguments_as_one_does_by_hand(workplace):
    found = command_agreement(workplace.see(), data="test")
    # Commands: 5, different in add(onion, *pot*) and add/cook. Predicates: 2 + 1 + 1 + 1, one action differs.
    # Arguments of the same actions: pot; pot, fire; onion, *pot* against nothing; *onion*.
    assert {one.name: (one.same, one.all) for one in found.shares} == {
        "commands": (3, 5),
        "predicates": (4, 5),
        "arguments": (5, 6),
    }
    actions, arguments = found.lines
    names = ["take", "put", "add", "stir", "cook"]
    coded = [
        [names.index(one) for one in side]
        for side in (
            ["take", "put", "add", "stir", "add"],
            ["take", "put", "add", "stir", "cook"],
        )
    ]
    expected = peer.alpha(reliability_data=coded, level_of_measurement="nominal")
    assert actions.alpha.value == pytest.approx(expected)
    assert (actions.units, arguments.units) == (5, 6)
    assert "n:6" in arguments.signature


def test_nothing_annotated_by_two_gives_no_figures_and_says_so(tmp_path):
    study = commanding_study(tmp_path / "other")
    with Log.open(f"sqlite:///{tmp_path / 'other.sqlite'}") as log:
        found = command_agreement(COMMANDS.open(study, log).see(), data="test")
    assert [one.share for one in found.shares] == [None, None, None]
    assert found.lines[0].alpha.value is None and found.lines[0].why


def test_a_decision_ends_a_dispute(workplace):
    workplace.settle("ben/soup", 0, "add(flowers, *oil*)", by="vera")
    assert standing(workplace.see(), workplace.sequences())["ben-1"].annotation == "add(flowers, *oil*)"
    assert command_agreement(workplace.see(), data="test").shares[0].same == 3, (
        "agreement is before decisions"
    )


def test_the_pages_of_commands_speak_italian(workplace, tmp_path):
    app = create_desk(workplace.study, workplace.log, work_dir=tmp_path / "desk", account_optional=True)
    browser = TestClient(app, base_url=BASE, headers={"sec-fetch-site": "same-origin", "accept": "text/html"})
    browser.post(app.state.desk.access.invite("researcher", BASE).removeprefix(BASE))
    for page in ("/annotation", "/annotation/commands", "/annotation/commands/decide"):
        assert same_in_italian(browser, page, {workplace.study.name, "anna", "bruno"}) == set()
    without, with_ = re.findall(
        r'data-drafted="[01]">.*?<td class="n">(\d+)', browser.get("/annotation/commands").text
    )
    assert (without, with_) == ("10", "0"), "five commands by each of two, none with a draft"
    app.state.desk.snapshots.close()
