"""A wizard who stands for one module of a system, by keyboard alone, in English and in Italian."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from journey.test_wizard import participant_window, say, served, system_turns, wizard_window
from scenes.browser import barriers, chromium, overflow
from vivavoce.participant.i18n import translations

pytestmark = pytest.mark.browser
GUIDE: dict[str, Any] = {
    "connect": "scripted",
    "otherwise": "I did not understand.",
    "replies": [
        {"match": "tub", "say": "There are no tubs."},
        {"match": r"inform\(type=pub\)", "say": "The Swan, in Mill Lane."},
        {"match": "pub", "say": "A pub is called The Swan.", "end": True},
    ],
}
TELLS = {
    "recognition": "Write what a recogniser would have heard.",
    "understanding": "Write what the program should have understood.",
    "management": "Send the program's proposal, or something else.",
}
LOCALES = [{"locale": "en-GB"}, {"locale": "it-IT", "viewport": {"width": 320, "height": 700}}]
WALKS = {  # what stands in the field, what the wizard makes of it, what the participant reads
    "recognition": ("a cheap pub", "a cheap tub", "There are no tubs."),
    "understanding": ("a cheap pub", "inform(type=pub)", "The Swan, in Mill Lane."),
    "management": ("A pub is called The Swan.", "The Swan is full today.", "The Swan is full today."),
}


def tab_to(page: Any, name: str) -> None:
    """Go on by the tabulator until the button with this name has the focus."""
    page.get_by_role("button", name=name, exact=True).wait_for()
    for _ in range(40):
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {name!r} by keyboard")


@pytest.mark.parametrize(
    "options", [LOCALES[0], pytest.param(LOCALES[1], marks=pytest.mark.long)], ids=["en", "it"]
)
def test_a_wizard_stands_for_each_module_by_keyboard_alone(tmp_path: Path, options: dict[str, Any]) -> None:
    words = translations(options["locale"][:2]).gettext
    with chromium() as browser:
        for module, (given, made, read) in WALKS.items():
            folder = tmp_path / module
            folder.mkdir()
            system = {"connect": "wizard", "replaces": module, "behind": GUIDE}
            with served(folder, system) as site:
                wizard = wizard_window(browser, site, **options)
                participant = participant_window(browser, site)
                tab_to(wizard, words("Take this conversation"))
                wizard.keyboard.press("Enter")
                expect(wizard.locator("#reply")).to_be_focused()
                expect(wizard.locator("#reply-label")).to_have_text(words(TELLS[module]))
                say(participant, "a cheap pub")
                expect(wizard.locator("#standing")).to_have_text(words("The participant is waiting for you."))
                expect(wizard.locator("#reply")).to_have_value(given)
                expect(wizard.locator("#closing")).to_be_visible(visible=module == "management")
                assert barriers(wizard) == [] and overflow(wizard) == 0
                wizard.keyboard.press("Control+A")
                wizard.keyboard.type(made)
                wizard.keyboard.press("Enter")
                participant.get_by_text(read).wait_for()
                raw = next(one for one in system_turns(site.log)[-1].raw if "wizard" in one)
                assert (raw["wizard"], raw["replaces"]) == ("Merlin", module)
                assert raw.get("gave") == (None if module == "management" else made)
                last = system_turns(site.log)[-1]
                assert (last.text, last.ends_dialogue) == (read, False)
