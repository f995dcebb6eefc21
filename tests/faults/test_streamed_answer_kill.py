"""kill -9 in the middle of an answer that grows: what was read is kept, and the dialogue goes on."""

import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from scenes.browser import chromium
from scenes.browsing import events_of
from scenes.fighting import write_arena
from scenes.patience import PATIENCE_S
from scenes.processes import free_port, process, wait_for_port
from scenes.streaming import streaming_models, write_chat
from vivavoce.log.store import Log

SERVER = str(Path(__file__).with_name("server_process.py"))


pytestmark = [pytest.mark.reliability, pytest.mark.browser, pytest.mark.long]


def test_what_was_read_of_an_answer_is_in_the_log_and_on_the_page_after_a_kill(tmp_path: Path) -> None:
    log_url, port = f"sqlite:///{tmp_path / 'log.sqlite'}", free_port()
    with chromium() as browser, streaming_models() as models:
        study = write_chat(tmp_path / "study", models.system("m"))
        page = browser.new_page()
        growing, transcript = page.locator("#growing"), page.locator("#transcript")
        with process(SERVER, str(study), log_url, str(port)) as server:
            wait_for_port(port, server)
            page.goto(f"http://127.0.0.1:{port}")
            page.get_by_role("button", name="Start").click()
            page.get_by_label("Your message").fill("Where do I eat?")
            page.keyboard.press("Enter")
            read = ""
            for piece in ("Go down", " to the **river**", " and ask for"):
                read += piece
                models.say("m", piece)
                expect(growing).to_contain_text(piece.replace("*", "").strip())
            shown = growing.inner_html()
            server.send_signal(signal.SIGKILL)
            server.wait(PATIENCE_S)
        with Log.open(log_url) as log:
            assert "".join(one.event.text for one in events_of(log, "words_shown")) == read
        models.say("m", ConnectionError())  # to nobody: who asked is gone
        with process(SERVER, str(study), log_url, str(port)) as server:
            wait_for_port(port, server)
            for _ in range(2):  # the page that stayed open, and one that is loaded again
                expect(transcript.locator(".turn.system")).to_have_count(1)
                assert transcript.locator(".turn.system").inner_html().strip() == shown.strip()
                expect(transcript.locator(".failure")).to_contain_text("broke off")
                page.reload()
            assert len(models.asked) == 1, "nobody is given another answer unasked"
            models.say("m", "To the mill.", None)
            page.get_by_role("button", name="Send it again").click()
            expect(transcript.locator(".turn.system").last).to_contain_text("To the mill.")
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE_S)
        page.close()
    with Log.open(log_url) as log:
        (failed,) = [one.event for one in events_of(log, "system_turn_failed")]
        assert (failed.failure, failed.shown) == ("interrupted", read)
        (answer,) = [one.event for one in events_of(log, "system_turn_received")]
        assert answer.text == "To the mill."


def test_both_answers_of_a_bout_are_kept_as_they_were_read_and_the_bout_goes_on(tmp_path: Path) -> None:
    log_url, port = f"sqlite:///{tmp_path / 'log.sqlite'}", free_port()
    with chromium() as browser, streaming_models() as models:
        systems = {name: models.system(name) for name in ("alder", "birch")}
        study = write_arena(tmp_path / "study", systems=systems, more=", answers: streamed, pace: own")
        page = browser.new_page()
        with process(SERVER, str(study), log_url, str(port)) as server:
            wait_for_port(port, server)
            page.goto(f"http://127.0.0.1:{port}")
            page.get_by_role("button", name="Start").click()
            page.get_by_label("Your message to both").fill("Where do I eat?")
            page.keyboard.press("Enter")
            for name in systems:
                models.say(name, f"{'Up' if name == 'alder' else 'Down'} the **river**")
            expect(page.locator(".said.growing strong")).to_have_count(2)
            shown = page.locator(".said").all_inner_texts()
            server.send_signal(signal.SIGKILL)
            server.wait(PATIENCE_S)
        for name in systems:
            models.say(name, ConnectionError())  # to nobody
        with process(SERVER, str(study), log_url, str(port)) as server:
            wait_for_port(port, server)
            expect(page.get_by_text("This answer broke off.")).to_have_count(2)
            assert page.locator(".said").all_inner_texts() == shown
            assert len(models.asked) == 2
            for name in systems:
                models.say(name, "To the mill.", None)
            page.get_by_label("Your message to both").fill("Sorry?")
            page.keyboard.press("Enter")
            page.get_by_role("button", name="A is better").click()
            expect(page.get_by_label("Your message to both")).to_be_visible()
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE_S)
    with Log.open(log_url) as log:
        failed = [one.event for one in events_of(log, "system_turn_failed")]
        assert sorted(one.shown for one in failed) == ["Down the **river**", "Up the **river**"]
        assert len(events_of(log, "vote_cast")) == 1
