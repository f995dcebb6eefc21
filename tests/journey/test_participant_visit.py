"""A participant's visit in a real browser, with a real bot in its own process and a log on disk."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from scenes.browser import every, whole
from scenes.websites import Website, restaurant_bot, served_study
from vivavoce.log.store import StoredEvent

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def bot_port() -> Iterator[int]:
    with restaurant_bot("--delay", "0.2") as port:
        yield port


@pytest.fixture
def website(bot_port: int, tmp_path: Path) -> Iterator[Website]:
    with served_study(tmp_path / "study", bot_port, repeat="2..3") as site:
        yield site


def new_page(context: BrowserContext) -> tuple[Page, list[str]]:
    """A page, and the errors that its scripts will have raised."""
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page, errors


def events_of(website: Website, kind: str | None = None) -> list[StoredEvent]:
    (visit,) = website.log.visits("city")
    return [one for one in website.log.events(visit.visit_id) if kind is None or one.event.kind == kind]


def say(page: Page, text: str) -> None:
    """Send a turn and wait for what the program answers."""
    answers = page.locator(".turn.system")
    expect(page.locator("#send")).to_be_enabled()
    before = answers.count()
    page.locator("#text").fill(text)
    page.locator("#text").press("Enter")
    expect(answers).to_have_count(before + 1)


def answer_everything(page: Page) -> None:
    for question in every(page, "fieldset"):
        question.locator("label").nth(1).click()


def test_a_whole_visit_survives_reload_lost_network_second_tab_and_back_button(
    browser: Browser, website: Website
) -> None:
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    page, errors = new_page(context)
    page.goto(website.url)
    whole(page)
    assert website.log.visits("city") == []
    page.get_by_role("button", name="Start").click()
    whole(page)
    page.get_by_role("button", name="I agree").click()
    whole(page)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#send")).to_be_enabled()
    whole(page)
    said = ["I would like a cheap restaurant"]
    say(page, said[-1])

    page.locator("#text").fill("half a sen")
    page.reload()  # in the middle
    expect(page.locator(".turn.user")).to_have_count(1)
    expect(page.locator("#text")).to_have_value("half a sen")

    said.append("in the centre of town")
    lose_network_while_sending(context, page, said[-1])
    whole(page)

    said.append("what is the phone number")
    second = second_tab_takes_over(context, page, said[-1])
    page.close()

    second.get_by_role("button", name="End the conversation").click()
    expect(second.locator("#code")).to_have_value(re.compile(r"^\d{4,}$"))
    whole(second)
    second.get_by_role("button", name="Continue").click()
    fill_in_with_a_gap(second)
    expect(second.get_by_role("heading", name="Thank you, that is done")).to_be_visible()
    whole(second)
    second.go_back()  # whatever page the past had, the visit stands where it stood
    expect(second.get_by_role("heading", name="Thank you, that is done")).to_be_visible()
    second.get_by_role("button", name="Next task").click()
    for text in ("a pub please", "any price will do"):
        said.append(text)
        say(second, text)
    second.get_by_role("button", name="End the conversation").click()
    second.get_by_role("button", name="Continue").click()
    answer_everything(second)
    second.get_by_role("button", name="Continue").click()
    second.get_by_role("button", name="Finish here").click()
    whole(second)
    second.get_by_role("button", name="Continue").click()
    code = second.locator(".completion").inner_text()
    whole(second)
    second.go_back()
    expect(second.locator(".completion")).to_have_text(code)
    context.close()

    assert errors == []
    sent = events_of(website, "user_turn_sent")
    assert [one.event.text for one in sent] == said  # every turn once, in order
    answers = [one.event.reply_to for one in events_of(website, "system_turn_received")]
    assert [number for number in answers if number is not None] == [one.event.turn_index for one in sent]
    assert len(events_of(website, "questionnaire_answered")) == 2
    assert events_of(website, "visit_ended")[0].event.completion_code == code
    assert all(one.event.response_delay_s is not None for one in sent[2:3])


def lose_network_while_sending(context: BrowserContext, page: Page, text: str) -> None:
    """Five seconds without network; the turn is kept on the page and arrives afterwards, once."""
    answers = page.locator(".turn.system").count()
    context.set_offline(True)
    lost_at = time.monotonic()
    page.locator("#text").fill(text)
    page.locator("#text").press("Enter")
    expect(page.locator(".turn.user.pending")).to_have_count(1)
    expect(page.locator("#saving")).to_contain_text("will be sent when")
    expect(page.get_by_role("button", name="End the conversation")).to_be_disabled()
    page.wait_for_timeout(max(0.0, 5 - (time.monotonic() - lost_at)) * 1000)
    context.set_offline(False)
    expect(page.locator(".turn.user.pending")).to_have_count(0)
    expect(page.locator(".turn.system")).to_have_count(answers + 1)
    expect(page.locator("#saving")).to_have_text("")


def second_tab_takes_over(context: BrowserContext, first: Page, text: str) -> Page:
    """The newer tab shows the same conversation and goes on; the older one says so and sends nothing."""
    turns = first.locator(".turn").count()
    second, _ = new_page(context)
    second.goto(first.url)
    expect(second.locator(".turn")).to_have_count(turns)
    say(second, text)
    expect(first.get_by_role("heading", name="Continued elsewhere")).to_be_visible()
    expect(first.locator("#composer")).to_be_hidden()
    whole(first)
    return second


def fill_in_with_a_gap(page: Page) -> None:
    """Leave one question open first; what was entered stays, over a reload too; the gap has the focus."""
    whole(page)
    page.locator("fieldset").nth(0).get_by_text("Yes", exact=True).click()
    page.locator("textarea").fill("Quite <b>good</b> & quick")
    page.reload()
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("2 questions are still open")
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    expect(page.locator("textarea")).to_have_value("Quite <b>good</b> & quick")
    expect(page.locator("fieldset.missing").first.get_by_role("radio").first).to_be_focused()
    whole(page)
    for question in every(page, "fieldset.missing"):
        question.locator("label").nth(4).click()
    page.get_by_role("button", name="Continue").click()


def test_turns_kept_by_a_closed_browser_page_arrive_when_it_is_opened_again(
    browser: Browser, website: Website
) -> None:
    context = browser.new_context(locale="en-GB")
    page, _ = new_page(context)
    to_the_chat(page, website, "Start", "I agree", "Continue")
    page.route("**/turns", lambda route: route.abort())
    page.locator("#text").fill("a cheap restaurant")
    page.locator("#text").press("Enter")
    expect(page.locator(".turn.user.pending")).to_have_count(1)
    page.close()
    assert events_of(website, "user_turn_sent") == []
    again, _ = new_page(context)
    again.goto(f"{website.url}/visit")
    expect(again.locator(".turn.user:not(.pending)")).to_have_count(1)
    context.close()
    assert [one.event.text for one in events_of(website, "user_turn_sent")] == ["a cheap restaurant"]


def test_an_answer_lost_on_its_way_doubles_nothing(browser: Browser, website: Website) -> None:
    context = browser.new_context(locale="en-GB")
    page, _ = new_page(context)
    to_the_chat(page, website, "Start", "I agree", "Continue")
    lost: list[int] = []

    def drop_answers(route) -> None:
        response = route.fetch()  # the server has taken the turn, the page never learns of it
        lost.append(response.status)
        route.abort() if len(lost) < 3 else route.fulfill(response=response)

    page.route("**/turns", drop_answers)
    with page.expect_response("**/turns"):  # the third, which is the first to arrive
        say(page, "a cheap restaurant")
    assert lost == [200, 200, 200]
    page.reload()
    expect(page.locator(".turn.user:not(.pending)")).to_have_count(1)
    expect(page.locator("#send")).to_be_enabled()
    context.close()
    assert [one.event.text for one in events_of(website, "user_turn_sent")] == ["a cheap restaurant"]


@pytest.mark.parametrize("gate", ["code", "dialogue"])
def test_when_the_program_says_goodbye_the_page_leads_on(
    gate: str, browser: Browser, bot_port: int, tmp_path: Path
) -> None:
    with served_study(tmp_path / "study", bot_port, gate=gate) as website:
        context = browser.new_context(locale="en-GB")
        page, errors = new_page(context)
        to_the_chat(page, website, "Start", "I agree", "Continue")
        say(page, "a cheap restaurant")
        expect(page.locator("#send")).to_be_enabled()
        page.locator("#text").fill("thank you, goodbye")
        page.locator("#text").press("Enter")
        expect(page.get_by_role("heading", name="The conversation is over.")).to_be_visible()
        expect(page.locator(".turn").last).to_have_class(re.compile("system"))  # its last words can be read
        whole(page)
        page.locator(".panel:visible .primary").click()
        expect(page.get_by_role("heading", name="About this conversation")).to_be_visible()
        context.close()
        assert events_of(website, "dialogue_ended")[0].event.reason == "system"
        assert errors == []


def to_the_chat(page: Page, website: Website, *buttons: str) -> None:
    page.goto(website.url)
    for name in buttons:
        page.get_by_role("button", name=name).click()
    expect(page.locator("#send")).to_be_enabled()


def test_a_visit_in_italian_on_a_small_screen_by_keyboard_alone(browser: Browser, website: Website) -> None:
    context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 640})
    page, errors = new_page(context)
    page.goto(website.url)
    walk_by_keyboard(page, "Inizia")
    walk_by_keyboard(page, "Acconsento e voglio partecipare")
    walk_by_keyboard(page, "Continua")
    expect(page.locator("#send")).to_be_enabled()
    tab_to(page, page.locator("#text"))
    for text in ("cerco un ristorante economico", "in centro"):
        answers = page.locator(".turn.system")
        expect(page.locator("#send")).to_be_enabled()
        before = answers.count()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(answers).to_have_count(before + 1)
        answers.last.click(trial=True)  # nothing covers it
        whole(page)
    walk_by_keyboard(page, "Termina la conversazione")
    walk_by_keyboard(page, "Continua")
    expect(page.locator("fieldset")).to_have_count(3)
    whole(page)
    for number in range(3):
        tab_to(page, page.locator("fieldset").nth(number).get_by_role("radio").first)
        page.keyboard.press("ArrowDown")
    walk_by_keyboard(page, "Continua")
    expect(page.get_by_role("heading", name="Grazie, fatto")).to_be_visible()
    whole(page)
    tab_to(page, page.get_by_role("link", name="Smetti di partecipare"))
    page.keyboard.press("Enter")
    walk_by_keyboard(page, "Smetti adesso")
    expect(page.get_by_role("heading", name="Hai smesso")).to_be_visible()
    whole(page)
    page.goto(f"{website.url}/non-esiste")
    expect(page.get_by_role("heading", name="Questa pagina non esiste")).to_be_visible()
    whole(page)
    context.close()
    assert errors == []
    assert {one.event.language for one in events_of(website, "questionnaire_answered")} == {"it"}
    assert [one.event.text for one in events_of(website, "user_turn_sent")] == [
        "cerco un ristorante economico",
        "in centro",
    ]


def walk_by_keyboard(page: Page, name: str) -> None:
    """Check the page, tab to a button and press Enter."""
    button = page.get_by_role("button", name=name, exact=True)
    expect(button).to_be_visible()
    expect(button).to_be_enabled()
    whole(page)
    tab_to(page, button)
    page.keyboard.press("Enter")
    expect(button.and_(page.locator(":focus"))).to_have_count(0)


def tab_to(page: Page, target) -> None:
    for _ in range(60):
        if target.and_(page.locator(":focus")).count():
            expect(target).to_be_in_viewport()
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached by keyboard")


@pytest.mark.long
def test_without_scripts_the_whole_conversation_works_by_plain_forms(
    browser: Browser, website: Website
) -> None:
    context = browser.new_context(locale="en-GB", java_script_enabled=False)
    page, _ = new_page(context)
    page.goto(website.url)
    for name in ("Start", "I agree", "Continue"):
        page.get_by_role("button", name=name).click()
    for text in ("a cheap restaurant", "in the centre"):
        expect(page.locator("#send")).to_be_enabled()  # the page refreshes itself
        before = page.locator(".turn.system").count()
        page.locator("#text").fill(text)
        page.locator("#send").click()
        expect(page.locator(".turn.system")).to_have_count(before + 1)
    page.get_by_role("button", name="End the conversation").click()
    expect(page.locator("#code")).to_have_value(re.compile(r"^\d{4,}$"))
    context.close()


@pytest.mark.long
def test_the_dark_pages_have_no_barrier_either(browser: Browser, website: Website) -> None:
    context = browser.new_context(locale="en-GB", color_scheme="dark", reduced_motion="reduce")
    page, _ = new_page(context)
    page.goto(website.url)
    whole(page)
    for name in ("Start", "I agree", "Continue"):
        page.get_by_role("button", name=name).click()
    say(page, "a cheap restaurant")
    whole(page)
    page.get_by_role("button", name="End the conversation").click()
    expect(page.get_by_role("heading", name="End the conversation now?")).to_be_visible()
    whole(page)
    page.get_by_role("button", name="Keep talking").click()
    expect(page.locator("#text")).to_be_focused()
    context.close()
