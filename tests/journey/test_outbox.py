"""What a participant has said arrives once, whatever answers in the service's place, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from scenes.browser import until
from scenes.websites import Website, restaurant_bot, served_study
from vivavoce.log.events import UserTurnSent

pytestmark = pytest.mark.browser
KEPT = "Object.keys(localStorage).filter((name) => name.startsWith('vivavoce-turns:')).length"


@pytest.fixture(scope="module")
def bot_port() -> Iterator[int]:
    with restaurant_bot() as port:
        yield port


@pytest.fixture
def website(bot_port: int, tmp_path: Path) -> Iterator[Website]:
    with served_study(tmp_path / "study", bot_port) as site:
        yield site


def in_the_chat(browser: Browser, website: Website) -> Page:
    page = browser.new_context(locale="en-GB").new_page()
    page.goto(website.url)
    for name in ("Start", "I agree", "Continue"):
        page.get_by_role("button", name=name).click()
    expect(page.locator("#send")).to_be_enabled()
    page.wait_for_load_state()  # and the script that sends is there
    return page


def arrived(website: Website) -> list[str]:
    (visit,) = website.log.visits("city")
    events = [one.event for one in website.log.events(visit.visit_id)]
    return [one.text for one in events if isinstance(one, UserTurnSent)]


def answered_in_its_place(page: Page, *answers: dict[str, object]) -> list[str]:
    """The first posts of turns get these answers, which never saw the service; all later ones reach it."""
    posted: list[str] = []

    def answer(route: Route) -> None:
        posted.append((route.request.post_data_json or {})["key"])
        if len(posted) <= len(answers):
            route.fulfill(**answers[len(posted) - 1])  # pyright: ignore[reportArgumentType]
        else:
            route.continue_()

    page.context.route("**/turns", answer)
    return posted


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"status": 500, "body": "Internal Server Error"}, marks=pytest.mark.long),
        {"status": 503, "json": {"error": "not_saved"}},
        pytest.param({"status": 429, "json": {"error": "too_fast"}}, marks=pytest.mark.long),
        {"status": 200, "content_type": "text/html", "body": "<h1>Welcome to the hotel's network</h1>"},
        pytest.param(
            {"status": 403, "content_type": "text/html", "body": "<h1>Forbidden by the proxy</h1>"},
            marks=pytest.mark.long,
        ),
    ],
    ids=lambda answer: str(answer["status"]),
)
def test_a_turn_is_sent_again_under_one_key_until_the_service_itself_has_it(
    browser: Browser, website: Website, answer: dict[str, object]
) -> None:
    page = in_the_chat(browser, website)
    posted = answered_in_its_place(page, answer, answer)
    page.locator("#text").fill("a cheap restaurant")
    page.locator("#send").dblclick()
    expect(page.locator(".turn.user:not(.pending)")).to_have_count(1)
    expect(page.locator("#saving")).to_have_text("")
    assert len(posted) == 3 and len(set(posted)) == 1
    assert arrived(website) == ["a cheap restaurant"]
    until(page, f"{KEPT} === 0")
    page.context.close()


def test_a_turn_typed_without_network_is_kept_over_a_reload_and_sent_once(
    browser: Browser, website: Website
) -> None:
    page = in_the_chat(browser, website)
    lost = ["abort"]
    page.context.route("**/turns", lambda route: route.abort() if lost else route.continue_())
    page.locator("#text").fill("in the centre")
    page.locator("#text").press("Enter")
    page.locator("#text").press("Enter")
    expect(page.locator("#saving")).to_contain_text("will be sent when")
    page.reload()
    expect(page.locator(".turn.user.pending")).to_contain_text("in the centre")
    assert arrived(website) == []
    lost.clear()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.locator(".turn.user:not(.pending)")).to_have_count(1)
    page.reload()
    expect(page.locator(".turn.user")).to_have_count(1)
    expect(page.locator("#send")).to_be_enabled()
    assert arrived(website) == ["in the centre"]
    page.context.close()


@pytest.mark.parametrize(
    "answer",
    [{"status": 422, "json": {"error": "too_long"}}, {"status": 413, "body": "This request is too large."}],
    ids=["by the service", "by a proxy"],
)
def test_a_turn_that_will_never_be_taken_comes_back_to_be_changed(
    browser: Browser, website: Website, answer: dict[str, object]
) -> None:
    page = in_the_chat(browser, website)
    posted = answered_in_its_place(page, answer)
    page.locator("#text").fill("far too much")
    page.locator("#text").press("Enter")
    expect(page.locator("#text")).to_have_value("far too much")
    expect(page.locator("#saving")).to_have_text("This message is too long. Please make it shorter.")
    expect(page.locator(".turn.user")).to_have_count(0)
    page.locator("#text").fill("less")
    page.locator("#text").press("Enter")
    expect(page.locator(".turn.user:not(.pending)")).to_have_count(1)
    assert len(set(posted)) == 2 and arrived(website) == ["less"]
    page.context.close()


def test_ending_a_dialogue_is_asked_for_again_until_the_service_answers(
    browser: Browser, website: Website
) -> None:
    page = in_the_chat(browser, website)
    for text in ("a cheap restaurant", "in the centre"):
        page.locator("#text").fill(text)
        page.locator("#text").press("Enter")
        expect(page.locator("#send")).to_be_enabled()
        expect(page.locator(".turn.user:not(.pending)").last).to_contain_text(text)
    failures = [500, 502]
    page.route(
        "**/dialogue/end",
        lambda route: route.fulfill(status=failures.pop(), body="no") if failures else route.continue_(),
    )
    page.get_by_role("button", name="End the conversation").dblclick()
    expect(page.locator("#code")).to_be_visible()
    assert failures == []
    (visit,) = website.log.visits("city")
    ends = [one for one in website.log.events(visit.visit_id) if one.event.kind == "dialogue_ended"]
    assert len(ends) == 1
    page.context.close()
