"""The moving pictures of `sugar-2018`: as the script draws them, as the kitchen of the bot `chef` is."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.yaml_source import read_yaml
from vivavoce_bots.chef.notation import read_predicates
from vivavoce_bots.chef.world import World
from vivavoce_commands.protocols import SUGAR_2018

FILES = SUGAR_2018.folder / "files"
SCRIPT = Path(__file__).parents[3] / "scripts" / "kitchen" / "draw.py"


@pytest.fixture(scope="module")
def recipes() -> list[dict[str, Any]]:
    return read_yaml(FILES / "stimuli.yaml").data["recipes"]


def test_what_ships_is_what_the_script_draws() -> None:
    drawn = runpy.run_path(str(SCRIPT))["files"]()
    assert {one.name: one.read_text("utf-8") for one in FILES.iterdir()} == drawn


def test_every_picture_shows_the_kitchen_after_the_commands_before(recipes: list[dict[str, Any]]) -> None:
    for recipe in recipes:
        world = World()
        for frame in recipe["frames"]:
            svg = (FILES / frame["file"]).read_text("utf-8")
            said = re.search("<desc>(.*)</desc>", svg)
            assert said is not None
            assert set(filter(None, said.group(1).split("; "))) == world.facts(), frame["id"]
            for command in read_predicates(frame["does"]["it"]):
                world.carry_out(command.action, command.things())  # Refused: the kitchen does not allow it


def test_every_picture_moves_and_stands_still_for_who_wants_no_motion(recipes: list[dict[str, Any]]) -> None:
    for frame in (frame for recipe in recipes for frame in recipe["frames"]):
        svg = (FILES / frame["file"]).read_text("utf-8")
        assert "infinite" in svg and "prefers-reduced-motion:reduce" in svg
        assert "<script" not in svg and "http://" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_things_lie_within_the_picture_and_have_names(recipes: list[dict[str, Any]]) -> None:
    for frame in (frame for recipe in recipes for frame in recipe["frames"]):
        assert {"hob", "oven"} <= set(frame["things"])
        for name, thing in frame["things"].items():
            left, top, wide, high = thing["at"]
            assert left >= 0 and top >= 0 and left + wide <= 100 and top + high <= 100, (frame["id"], name)
            assert set(thing["name"]) == {"en", "it"}
