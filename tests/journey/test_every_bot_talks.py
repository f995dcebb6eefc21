"""Every bundled bot holds a conversation in the terminal, by `vivavoce talk`; the published example."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from scenes.command_line import vivavoce
from vivavoce_bots.catalogue import BOTS

STUDY = """
study: talk
languages: [en, it]
systems:
{systems}
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1, gate: none}}
"""
CALLS = {name: "restaurant_nbest" if name == "restaurant" else name for name in BOTS}
SAYS = {
    "restaurant": (["a cheap pub", "what is the phone number", "goodbye"], "phone"),
    "boris": (["a pub", "yes", "goodbye"], "pub"),
    "carbs": (["80 g of bread and an apple", "no", "goodbye"], "64 g of carbohydrates"),
    "callsteering": (["Anna", "Ferrari", "4 May 1980", "my card was stolen"], "the emergency desk"),
    "telco": (["top up my card by 20 euros", "yes", "goodbye"], "Your credit is now 34 euros"),
    "house": (["the lamp by the window on please", "goodbye"], "is on now"),
    "chef": (["[take(pan), put(pan, stove)]", "goodbye"], "Done: put(pan, stove)"),
}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    settings = "in_process: true, greeting: true"
    systems = [
        f'  {name}: {{connect: python, call: "vivavoce_bots.calling:{call}", {settings}}}'
        for name, call in CALLS.items()
    ]
    (tmp_path / "study.yaml").write_text(STUDY.format(systems="\n".join(systems)), encoding="utf-8")
    for language in ("en", "it"):
        (tmp_path / f"consent.{language}.md").write_text("Do you agree?", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_bot_converses_in_the_terminal(study: Path, name: str) -> None:
    said, expected = SAYS[name]
    shown = vivavoce("talk", study, name, typed="\n".join([*said, "/quit", ""])).stdout
    assert expected in shown
    assert shown.count("< ") >= len(said), "a greeting, and an answer to each turn"


def test_the_published_example_an_expensive_then_a_cheap_chinese_restaurant(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jurcicek et al. (2011), Table 1, in a town without an expensive Chinese restaurant, as there."""
    town = files("vivavoce_bots").joinpath("data", "restaurants.yaml").read_text("utf-8")
    there = [line for line in town.splitlines() if "food: chinese" not in line or "expensive" not in line]
    (tmp_path / "town.yaml").write_text("\n".join(there), encoding="utf-8")
    monkeypatch.setenv("VIVAVOCE_BOT_DOMAIN", str(tmp_path / "town.yaml"))
    said = [
        "Hi, I'm looking for an expensive Chinese restaurant.",
        "I want something cheap then.",
        "Ok, give me the address.",
        "Thank you. Goodbye.",
        "/quit",
        "",
    ]
    command = [sys.executable, "-m", "vivavoce", "talk", str(study), "restaurant"]
    shown = subprocess.run(command, input="\n".join(said), capture_output=True, text=True, check=True).stdout
    answers = [line for line in shown.splitlines() if line.startswith("< ")]
    _, nothing, offer, address, farewell = answers
    assert "no" in nothing.lower() and "expensive" in nothing and "Chinese" in nothing
    assert "cheap" in offer and "Chinese" in offer
    assert "address" in address or " is at " in address or "located" in address
    assert "ended the conversation" in shown and farewell
