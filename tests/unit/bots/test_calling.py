"""The bots as functions: whoever calls them in one process gets the bot that the environment names."""

import asyncio
from importlib.resources import files
from pathlib import Path

import pytest

from vivavoce_bots.calling import restaurant_nbest

TOWN = files("vivavoce_bots").joinpath("data", "restaurants.yaml").read_text("utf-8")


def offered() -> set[str]:
    """The names that the bot gives when it is asked for a cheap Chinese restaurant."""
    said = asyncio.run(restaurant_nbest("a cheap chinese restaurant", {"conversation": "c"}))
    return {act["value"] for act in said["acts"] if act["slot"] == "name"}


def test_another_domain_in_the_environment_is_another_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIVAVOCE_BOT_DOMAIN", raising=False)
    assert offered()
    without = [line for line in TOWN.splitlines() if "food: chinese" not in line or "cheap" not in line]
    (tmp_path / "town.yaml").write_text("\n".join(without), encoding="utf-8")
    monkeypatch.setenv("VIVAVOCE_BOT_DOMAIN", str(tmp_path / "town.yaml"))
    assert not offered()
