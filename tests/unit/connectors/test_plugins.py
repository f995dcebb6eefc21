"""Connectors that packages of others offer by entry points."""

import asyncio
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenes.packages import put_package
from vivavoce.connectors import factory
from vivavoce.connectors.base import ConnectorSettings, Conversation, UserTurn
from vivavoce.connectors.factory import CONNECTORS, make_connector
from vivavoce.core.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = ROOT / "examples" / "connector"

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a package into the environment as pip leaves it: a module, and what it offers."""
    monkeypatch.setattr(CONNECTORS, "_entries", {})

    def put(package: str, points: dict[str, str], module: Path | None = None, code: str = "") -> None:
        site = put_package(tmp_path, package, "vivavoce.connectors", points, code)
        if module is not None:
            shutil.copy(module, site)
        monkeypatch.syspath_prepend(str(site))

    return put


def refusal(settings: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        make_connector(settings, {}, place="study.yaml")
    return str(caught.value)


def test_the_template_is_a_package_whose_connector_a_study_can_use(install: Install) -> None:
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["vivavoce.connectors"]
    install(project["name"], points, TEMPLATE / "vivavoce_shout.py")

    async def talk() -> list[str]:
        connector = make_connector({"connect": "shout", "mark": "?"}, {})
        turn = UserTurn(key="k", number=1, text="hello")
        return [one.text async for one in connector.send(Conversation("c"), turn)]

    assert asyncio.run(talk()) == ["HELLO?"]
    assert "Did you mean 'shout'" in refusal({"connect": "shoot"})
    assert "Did you mean 'mark'" in refusal({"connect": "shout", "marks": "?"})


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import nothing_of_this_name", "cannot be loaded: ModuleNotFoundError"),
        ("class Bot: pass", "is not a connector"),
        ("", "cannot be loaded: AttributeError"),
    ],
)
def test_a_package_that_is_broken_is_named_and_harms_nobody_else(
    install: Install, code: str, words: str
) -> None:
    name = f"broken-{len(code)}"
    install(name, {"broken": f"{name.replace('-', '_')}:Bot"}, code=code)
    said = refusal({"connect": "broken"})
    assert f"connector 'broken' of the package {name}" in said and words in said
    assert make_connector({"connect": "http", "url": "http://bot.example/"}, {}).capabilities


def test_two_packages_with_one_name_are_both_named(install: Install) -> None:
    for name in ("first-bots", "second-bots"):
        install(name, {"twice": f"{name.replace('-', '_')}:Bot"}, code="class Bot: pass")
    assert "offered by first-bots and second-bots" in refusal({"connect": "twice"})


@pytest.mark.parametrize(
    ("facts", "fits"),
    [
        ({"settings": ConnectorSettings, "make": print}, True),
        ({"settings": ConnectorSettings}, False),
        ({"settings": ConnectorSettings, "make": "no"}, False),
        ({"settings": dict, "make": print}, False),
        ({"settings": ConnectorSettings(connect="x"), "make": print}, False),
        ({"make": print}, False),
    ],
)
def test_a_connector_is_what_has_settings_and_can_be_made(facts: dict[str, object], fits: bool) -> None:
    assert factory._is_connector(type("Kind", (), facts)) is fits
