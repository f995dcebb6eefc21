"""A trial in a laboratory beside a crowd: booked, held, supervised, told side by side, and looked at."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import of_one_page, whole
from scenes.desks import desk_of
from scenes.laboratories import FIRST, OpenLaboratory, hold_dialogues, open_laboratory, write_laboratory
from scenes.recruiting import recruit
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.app import create_desk
from vivavoce.log.export import export_dataset
from vivavoce.reports.html import page as html_page
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.testing.pages import Running, running
from vivavoce_recruitment.laboratory.bookings import Bookings

SESSIONS = (FIRST, FIRST + timedelta(minutes=90), FIRST + timedelta(days=1))


def test_six_people_in_three_sessions_stand_beside_a_crowd_in_one_report(tmp_path: Path) -> None:
    folder = write_laboratory(tmp_path / "lab", "email: true")
    with open_laboratory(folder) as laboratory:
        codes = [
            laboratory.book(start, email=f"{start:%d%H}-{seat}@example.org")
            for start in SESSIONS
            for seat in range(2)
        ]
        for _ in range(4):
            browser = laboratory.browser()
            browser.look("/")
            browser.press("/start")
            assert hold_dialogues(browser, 1)
        bookings = Bookings(laboratory.log, "lab")
        for place, start in enumerate(SESSIONS):
            laboratory.at(start)
            browsers = [laboratory.arrive(code) for code in codes[2 * place : 2 * place + 2]]
            for number, browser in enumerate(browsers):
                assert hold_dialogues(browser, 2 + number)
        bookings.add_note("n1", FIRST, 1, "technical_problem", "The screen went dark once.", "Eve")
        with desk_of(folder, laboratory.log) as desk:
            page = desk.get("/laboratory").text
        assert page.count('state completed">completed') == 2, (
            "today's; the others stand under earlier sessions"
        )
        assert "Earlier sessions" in page
        assert recruit("slots", folder).stdout.count("2 came, 2 completed") == 3
        sheet = folder / "pay.csv"
        paid = recruit("sheet", folder, "--out", str(sheet), "--confirm")
        assert paid.exit_code == 0 and sheet.read_text("utf-8").count("completed") == 6

        dataset = export_dataset(laboratory.log, "lab", tmp_path / "people", simulated=False)
    [noted] = dataset.read("notes").to_pylist()
    assert noted["visit_id"] is not None and noted["text"] == "The screen went dark once."
    everything = b"".join(file.read_bytes() for file in dataset.folder.iterdir())
    assert b"@example.org" not in everything and b"booking-" not in everything
    told = html_page(compose(dataset, ReportOptions()))
    section = told.partition("Comparison of populations")[2]
    words = " ".join(re.sub("<[^>]+>", " ", section).split())
    assert "laboratory" in words and "crowd" in words
    assert "72.00 EUR from the recruitment settings" in words, "six people at 12.00"
    assert "2.00 EUR from the study file" in words, "four dialogues at 0.50"
    assert re.search(r"Dialogues 4 15|Dialogues 15 4", words), "the commitment: 2 or 3 each, against one"


SIDEWAYS = """[...document.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth)
    .map(one => one.getAttribute("aria-labelledby"))"""
VIEWS = [(1280, "light", "en"), (320, "dark", "it")]


def view(browser: Browser, width: int, scheme: str, language: str) -> Page:
    """A page of a browser's fresh profile, of this width and these colours."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        locale=language,
    )
    return context.new_page()


@contextmanager
def dashboard(laboratory: OpenLaboratory, folder: Path) -> Iterator[Running]:
    """The study's dashboard, served."""
    desk = create_desk(laboratory.study, laboratory.log, work_dir=folder / "work", account_optional=True)
    desk.state.site = laboratory.server.site  # whom a page server tells that it closes
    with running(desk) as served:
        yield served


def sign_in(page: Page, laboratory: OpenLaboratory, served: Running) -> None:
    page.goto(first_link(laboratory.log, served.url, always=True))
    page.locator("form button").last.click()
    expect(page.locator("header.bar")).to_be_visible()


@pytest.mark.long
@pytest.mark.browser
def test_somebody_books_moves_comes_too_early_is_let_in_and_talks_while_a_supervisor_sees_and_notes(
    browser: Browser, tmp_path: Path
) -> None:
    folder = write_laboratory(tmp_path / "lab")
    with open_laboratory(folder) as laboratory, dashboard(laboratory, folder) as served:
        page, desk = view(browser, 1280, "light", "en"), view(browser, 1280, "light", "en")
        page.goto(f"{laboratory.server.url}/laboratory?lang=en")
        page.locator("label", has_text="11:30").first.click()
        page.get_by_role("button", name="Book this session").click()
        expect(page.locator("h1")).to_have_text("Your seat is booked")
        page.locator("summary", has_text="Move it").click()
        page.locator("form[action*=move] label", has_text="10:00").first.click()
        page.get_by_role("button", name="Move booking").click()
        expect(page.locator("h1")).to_have_text("Your booking was moved")
        with page.expect_download() as saved:
            page.get_by_role("link", name="Add to calendar").click()
        assert "DTSTART:20261201T090000Z" in saved.value.path().read_text("utf-8")

        laboratory.at(FIRST - timedelta(hours=1))
        page.reload()
        expect(page.get_by_text("from 09:45")).to_be_visible()
        page.get_by_role("button", name="I am here").click()
        expect(page.get_by_text("at 09:00.")).to_be_visible()
        whole(page)
        sign_in(desk, laboratory, served)
        desk.goto(f"{served.url}/")
        desk.get_by_role("link", name="1 person waiting in the laboratory").click()
        whole(desk)
        desk.get_by_role("button", name="Let booking 1 in").click()
        expect(desk.get_by_text("can be let in").first).to_be_visible()
        page.get_by_role("link", name="Continue to the study").click()  # the page went on by itself
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_text("Task 1 of at least 2")).to_be_visible()
        expect(page.get_by_text("Your session time is over")).to_be_hidden()
        expect(desk.get_by_text("1 of 2 to 3")).to_be_visible()  # so has the supervisor's page
        desk.get_by_label("About").select_option(label="seat 1, booking 1")
        desk.get_by_label("Text").fill("<b>Asked</b> for a glass of water.")
        desk.get_by_role("button", name="Save note").click()
        expect(desk.get_by_text("<b>Asked</b> for a glass of water.")).to_be_visible()
        assert [one.kind for one in Bookings(laboratory.log, "lab").notes()] == ["let_in", "note"]


@pytest.mark.long
@pytest.mark.browser
def test_the_pages_keep_nobody_out_in_both_languages_wide_and_narrow(
    browser: Browser, tmp_path: Path
) -> None:
    folder = write_laboratory(tmp_path / "lab", "email: true")
    with open_laboratory(folder, FIRST - timedelta(hours=1)) as laboratory:
        codes = [laboratory.book(email=f"p{number}@example.org") for number in range(2)]
        notes = Bookings(laboratory.log, "lab")
        notes.add_note("n1", FIRST, 1, "technical_problem", "The screen went dark once.", "Eve")
        laboratory.at(FIRST)
        laboratory.arrive(codes[0])
        with dashboard(laboratory, folder) as served:
            for width, scheme, language in VIEWS:
                page = view(browser, width, scheme, language)
                page.goto(f"{laboratory.server.url}/laboratory?lang={language}")
                whole(page)
                page.locator("label", has_text="11:30").last.click()
                page.locator("#email").fill(f"{width}{language}@example.org")
                page.locator("#email").press("Enter")
                expect(page.locator(".completion")).to_be_visible()
                whole(page)
                for one in page.locator("summary").all():
                    one.press("Enter")
                whole(page)
                page.locator("form[action*=cancel] button").press("Enter")
                expect(page.locator(".completion")).to_have_count(0)
                for code in (*codes, "X"):
                    page.goto(f"{laboratory.server.url}/laboratory/booking?seat={code}&lang={language}")
                    whole(page)
                sign_in(page, laboratory, served)
                page.goto(f"{served.url}/laboratory")
                whole(page)
                assert page.get_by_role("rowheader").count() >= 2
                assert of_one_page(page, lambda page=page: page.evaluate(SIDEWAYS)) == []
                page.context.close()
