"""Telephone calls from end to end: real telephones, the bundled bot, the code heard and typed on the page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from scenes.browser import overflow
from scenes.calling import (
    QUESTION,
    WISH,
    Laboratory,
    check_what_was_heard,
    code_reader,
    complete_the_visit,
    laboratory,
    page_of_a_visit,
    said,
    three_callers,
)
from scenes.patience import eventually
from scenes.processes import free_port
from scenes.telephones import baresip, sipp
from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.sound import joined, silence

pytestmark = pytest.mark.browser


@contextmanager
def called_by_sip(folder: Path, number: str = "sip:{pin}@127.0.0.1:PORT") -> Iterator[Laboratory]:
    port = free_port()
    with laboratory(folder, number.replace("PORT", str(port)), f'listen: "127.0.0.1:{port}"') as lab:
        yield lab


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Recogniser:
    return code_reader(tmp_path_factory.mktemp("digits"))


def test_a_participant_calls_completes_the_task_hears_the_code_and_types_it(
    browser: Browser, reader: Recogniser, tmp_path: Path
) -> None:
    with called_by_sip(tmp_path / "study") as lab, baresip(tmp_path / "telephone", "5550101") as telephone:
        complete_the_visit(browser, lab, telephone, reader)


@pytest.mark.long
def test_sipp_calls_talks_and_presses_keys_and_the_code_waits_for_the_next_call(
    browser: Browser, tmp_path: Path
) -> None:
    with called_by_sip(tmp_path / "study", number="100") as lab:
        page = page_of_a_visit(browser, lab, viewport={"width": 320, "height": 700})
        assert overflow(page) <= 0
        pin = page.locator("#pin").inner_text()
        speech = joined(
            [silence(1, 8000), said(WISH), silence(7, 8000), said(QUESTION), silence(6, 8000)], 8000
        )
        sipp(tmp_path / "sipp", lab.switchboard.answerer.port, speech=speech, keys="42#", called=pin)
        eventually(lambda: lab.events("call_ended"), "the call was not ended")
        (ended,) = [one.event for one in lab.events("call_ended")]
        assert (ended.by, ended.keys) == ("caller", "42#")  # type: ignore[attr-defined]
        turns = [one.event for one in lab.events("user_turn_sent")]
        check_what_was_heard(turns, [WISH, QUESTION])

        with baresip(tmp_path / "telephone", "5550102") as telephone:  # by keypad, as from another telephone
            telephone.dial(f"sip:100@127.0.0.1:{lab.switchboard.answerer.port}")
            eventually(lab.quiet, "no welcome")
            telephone.press(f"{pin}#")
            telephone.wait_until_hung_up()
        eventually(lambda: lab.events("code_spoken"), "the code was not spoken")
        (issued,) = [one.event for one in lab.events("code_issued")]
        code = issued.code  # type: ignore[attr-defined]
        page.locator("#code").fill("0000")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("[aria-invalid=true]")).to_be_visible()
        page.locator("#code").fill(code)
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("fieldset").first).to_be_visible()


@pytest.mark.long
def test_two_callers_at_once_key_in_their_numbers_and_a_third_belongs_to_no_visit(tmp_path: Path) -> None:
    with called_by_sip(tmp_path / "study", number="100") as lab:
        three_callers(lab, tmp_path, f"sip:100@127.0.0.1:{lab.switchboard.answerer.port}")
