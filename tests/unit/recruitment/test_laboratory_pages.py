"""Pages of a laboratory: booking, changing, coming too early, too late, with another's code or twice."""

import re
from datetime import timedelta
from pathlib import Path

from scenes.laboratories import FIRST, OpenLaboratory, code_of, open_laboratory, write_laboratory
from scenes.recruiting import code_shown, hold_dialogue, recruit
from vivavoce.testing.pages import Visitor
from vivavoce.trial.codes import is_completion_code
from vivavoce_recruitment.laboratory.bookings import Bookings

SECOND = FIRST + timedelta(minutes=90)
MINUTE = timedelta(minutes=1)


def opened(laboratory: OpenLaboratory, code: str, status: int = 200) -> str:
    """What the page of a booking says in a browser that nobody has used before."""
    browser = laboratory.browser()
    answer = browser.client.get("/laboratory/booking", params={"seat": code})
    assert answer.status_code == status, answer.text
    return answer.text


def heading(page: str) -> str:
    found = re.search(r"<h1>([^<]+)</h1>", page)
    assert found is not None, page
    return found[1]


def test_a_seat_is_booked_with_a_code_to_keep_and_a_file_for_the_calendar(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        browser = laboratory.browser()
        page = browser.look("/laboratory?lang=en")
        assert "Engineering Department, room 12" in page and "2 to 3 dialogues" in page and "€12.00" in page
        assert page.count("2 seats are free") == 4 and "Tuesday 1 December 2026" in page
        booked = browser.press("/laboratory/book?lang=en", slot=FIRST.isoformat())
        assert heading(booked) == "Your seat is booked"
        assert "Tuesday 1 December 2026, 10:00 – 11:00" in booked and "tart from 09:45" in booked
        code = code_of(booked)
        assert heading(opened(laboratory, code.lower())) == "Your booking"
        calendar = browser.client.get("/laboratory/calendar", params={"seat": code})
        assert calendar.headers["content-type"].startswith("text/calendar")
        lines = calendar.text.replace("\r\n ", "").split("\r\n")
        assert {"DTSTART:20261201T090000Z", "DTEND:20261201T100000Z"} <= set(lines)
        assert r"LOCATION:Engineering Department\, room 12" in lines
        assert max(len(line.encode()) for line in calendar.text.split("\r\n")) <= 75


def test_words_are_those_of_the_language_and_nobody_waits_for_a_message(tmp_path: Path) -> None:
    folder = write_laboratory(tmp_path / "lab", "bring: {en: Your own headset., it: Le tue cuffie.}")
    with open_laboratory(folder) as laboratory:
        browser = laboratory.browser()
        english, italian = (browser.look(f"/laboratory?lang={one}") for one in ("en", "it"))
        assert "Your own headset." in english and "Le tue cuffie." not in english
        assert "Le tue cuffie." in italian and "Non viene inviata alcuna e-mail" in italian
        browser.look("/laboratory?lang=en")
        booked = browser.press("/laboratory/book?lang=en", slot=FIRST.isoformat())
        assert "Your own headset." in booked and "No e-mail is sent" in booked
        calendar = browser.client.get("/laboratory/calendar", params={"seat": code_of(booked), "lang": "it"})
        assert r"DESCRIPTION:Le tue cuffie.\nhttp" in calendar.text.replace("\r\n ", "")


def test_a_session_may_have_a_length_and_seats_of_its_own(tmp_path: Path) -> None:
    more = "slots: [{start: 2026-12-03 14:00, minutes: 90, seats: 1}]"
    with open_laboratory(write_laboratory(tmp_path / "lab", more)) as laboratory:
        own = FIRST + timedelta(days=2, hours=4)
        browser = laboratory.browser()
        page = browser.look("/laboratory?lang=en")
        assert "14:00 – 15:30" in page and page.count("1 seat is free") == 1
        assert "A session of" not in page, "they are of several lengths"
        code = laboratory.book(own)
        refused = browser.press("/laboratory/book?lang=en", 409, slot=own.isoformat())
        assert "That session is now full" in refused
        calendar = browser.client.get("/laboratory/calendar", params={"seat": code}).text
        assert {"DTSTART:20261203T130000Z", "DTEND:20261203T143000Z"} <= set(calendar.split("\r\n"))


def test_an_invitation_books_one_seat_and_leads_to_another_when_that_is_cancelled(tmp_path: Path) -> None:
    folder = write_laboratory(tmp_path / "lab", "invited: true")
    with open_laboratory(folder) as laboratory:
        told = recruit(
            "invite",
            folder,
            "--number",
            "2",
            "--address",
            "https://lab.example/",
            "--recruiter",
            "laboratory",
        ).stdout.split()
        assert len(set(told)) == 2 and told[0].startswith("https://lab.example/laboratory?invitation=")
        paths = [one.removeprefix("https://lab.example") for one in told]
        nobody = laboratory.browser()
        refused = nobody.client.get("/laboratory?lang=en")
        assert refused.status_code == 403 and "need an invitation to book" in refused.text
        assert "/laboratory/book?" not in refused.text
        first, second = laboratory.browser(), laboratory.browser()
        for browser in (first, second):
            assert f"invitation={paths[0].partition('=')[2]}" in browser.look(f"{paths[0]}&lang=en")
        code = code_of(first.press("/laboratory/book?lang=en", slot=FIRST.isoformat()))
        used = second.press("/laboratory/book?lang=en", 409, slot=SECOND.isoformat())
        assert "This invitation already has a booking" in used and "/laboratory/book?" not in used
        first.look(f"/laboratory/booking?seat={code}&lang=en")
        first.press("/laboratory/cancel?lang=en")
        second.look(f"{paths[0]}&lang=en")
        assert (
            heading(second.press("/laboratory/book?lang=en", slot=SECOND.isoformat()))
            == "Your seat is booked"
        )
        tokens = [one.partition("=")[2].encode() for one in told]
        assert all(one not in (folder / "log.sqlite").read_bytes() for one in tokens)


def test_it_speaks_italian(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab", "email: true")) as laboratory:
        browser = laboratory.browser()
        page = browser.look("/laboratory?lang=it")
        assert heading(page) == "Prenota una sessione in laboratorio" and "martedì 1 dicembre 2026" in page
        booked = browser.press("/laboratory/book?lang=it", slot=FIRST.isoformat(), email="a@b.it")
        assert heading(booked) == "Il tuo posto è prenotato" and "Your" not in booked


def test_the_last_seat_is_gone_for_whoever_comes_later_and_what_they_entered_stays(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab", "email: true")) as laboratory:
        slow = laboratory.browser()
        slow.look("/laboratory")
        for name in ("ada", "bob"):
            laboratory.book(email=f"{name}@example.org")
        refused = slow.press("/laboratory/book?lang=en", 409, slot=FIRST.isoformat(), email="eve@example.org")
        assert "That session is now full" in refused and 'value="eve@example.org"' in refused
        full = re.search(r'value="2026-12-01T09:00:00[^>]+>', refused)
        assert full is not None and "disabled" in full[0]
        booked = slow.press("/laboratory/book?lang=en", slot=SECOND.isoformat(), email="eve@example.org")
        assert heading(booked) == "Your seat is booked"
        again = laboratory.browser()
        again.look("/laboratory")
        known = again.press("/laboratory/book?lang=en", 409, slot=SECOND.isoformat(), email="EVE@example.org")
        assert "This e-mail address already has a booking" in known
        wrong = again.press("/laboratory/book?lang=en", 422, slot=SECOND.isoformat(), email="nobody")
        assert "Please enter your e-mail address" in wrong
        assert "Please choose a session" in again.press("/laboratory/book?lang=en", 422, slot="tomorrow")


def test_a_booking_is_moved_and_cancelled_until_the_limit_and_not_after(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        code, other = laboratory.book(), laboratory.book(SECOND)
        browser = laboratory.browser()
        browser.look(f"/laboratory/booking?seat={code}&lang=en")
        moved = browser.press("/laboratory/move?lang=en", slot=SECOND.isoformat())
        assert heading(moved) == "Your booking was moved" and "11:30 – 12:30" in moved
        laboratory.at(SECOND - timedelta(hours=24) + MINUTE)
        late = browser.press("/laboratory/cancel?lang=en", 409)
        assert "It is too late to change this booking here." in late and "/laboratory/cancel" not in late
        tomorrow = laboratory.book(FIRST + timedelta(days=1))
        browser.look(f"/laboratory/booking?seat={tomorrow}&lang=en")
        assert "This booking was cancelled" in browser.press("/laboratory/cancel?lang=en")
        assert Bookings(laboratory.log, "lab").taken() == {SECOND: 2}
        assert "11:30" in opened(laboratory, other)


def test_who_comes_in_time_begins_and_everybody_else_is_told_what_to_do(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        code, late = laboratory.book(), laboratory.book()
        assert "Booking not found" in opened(laboratory, "AAAA-BBBB-CCCC", 404)
        laboratory.at(FIRST - timedelta(minutes=16))
        assert "Continue to the study" not in opened(laboratory, code)
        early = laboratory.browser()
        early.look(f"/?seat={code}")
        assert "tart from 09:45" in early.press("/start"), "the link of Start alone lets nobody in"
        assert laboratory.log.visits("lab") == []
        laboratory.at(FIRST - timedelta(minutes=14))
        here = laboratory.arrive(code)
        assert "/turns/form" in here.html and "Task 1 of at least 2" in here.html
        [visit] = laboratory.log.visits("lab")
        events = [one.event for one in laboratory.log.events(visit.visit_id)]
        assert (visit.pool, events[0].model_dump()["verified"]) == ("laboratory", True)
        plain = code.replace("-", "")
        assert all(
            plain not in one.model_dump_json() and "booking-" not in one.model_dump_json() for one in events
        )
        elsewhere = opened(laboratory, code)
        assert "in use on another computer" in elsewhere and "ask the supervisor" in elsewhere
        thief = laboratory.browser()
        thief.look(f"/?seat={code}")
        assert "in use on another computer" in thief.press("/start"), "nor does Start at another computer"
        assert "/turns/form" in here.look(f"/laboratory/booking?seat={code}"), "their own browser goes on"
        laboratory.at(FIRST + timedelta(minutes=16))
        assert "ended at 10:15" in opened(laboratory, late)
        assert len(laboratory.log.visits("lab")) == 1


def test_start_pressed_twice_is_one_arrival(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        code = laboratory.book()
        laboratory.at(FIRST)
        browser = laboratory.browser()
        browser.look(f"/?seat={code}")
        shown = browser.html
        browser.press("/start")
        without_cookie = Visitor(str(browser.client.base_url))
        without_cookie.html = shown  # the first answer never came
        assert "/turns/form" in without_cookie.press("/start")
        without_cookie.close()
        assert len(laboratory.log.visits("lab")) == 1


def test_a_supervisor_lets_somebody_in_who_is_late_or_sits_elsewhere_and_only_once(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        code, bookings = laboratory.book(), Bookings(laboratory.log, "lab")
        laboratory.at(FIRST + timedelta(minutes=40))
        bookings.add_note("n1", FIRST, 1, "let_in", None, "Ada")
        first = laboratory.arrive(code)
        assert "/turns/form" in first.html
        assert "in use on another computer" in opened(laboratory, code), "letting in once is once"
        bookings.add_note("n2", FIRST, 1, "let_in", None, "Ada")
        second = laboratory.arrive(code)
        assert "/turns/form" in second.html and len(laboratory.log.visits("lab")) == 1


def test_who_is_there_and_cannot_begin_tells_the_supervisor_and_goes_on_when_let_in(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        code, bookings = laboratory.book(), Bookings(laboratory.log, "lab")
        assert "/laboratory/here" not in opened(laboratory, code), "two days before nobody is there"
        laboratory.at(FIRST - timedelta(hours=2))
        browser = laboratory.browser()
        assert "If you are in the laboratory" in browser.look(f"/laboratory/booking?seat={code}&lang=en")
        waiting = browser.press("/laboratory/here?lang=en")
        assert "notified at 08:00" in waiting and "I am here" not in waiting
        asks = re.search(r'data-asks="([^"]+)" .*data-standing="early"', waiting)
        assert asks is not None
        standing = lambda: browser.client.get(asks[1].replace("&amp;", "&")).json()["standing"]  # noqa: E731
        assert standing() == "early"
        laboratory.at(FIRST - timedelta(minutes=100))
        browser.look(f"/laboratory/booking?seat={code}&lang=en")
        assert "at 08:00" in browser.html, "the first time stands"
        bookings.add_note("n1", FIRST, 1, "let_in", None, "Ada")
        assert standing() == "open"
        assert "/turns/form" in laboratory.arrive(code).html
        elsewhere = laboratory.browser()
        elsewhere.look(f"/laboratory/booking?seat={code}&lang=en")
        assert "08:20" in elsewhere.press("/laboratory/here?lang=en"), "who changes their computer waits, too"


def test_the_laboratory_commits_its_people_to_more_dialogues_than_the_crowd(tmp_path: Path) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        code = laboratory.book()
        laboratory.at(FIRST)
        crowd, here = laboratory.browser(), laboratory.arrive(code)
        crowd.look("/")
        crowd.press("/start")
        for browser in (crowd, here):
            hold_dialogue(browser)
        told = [laboratory.browser().look(f"/?lang=en&seat={one}") for one in (code, "")]
        assert all("2 to 3" in page and "1 to 4" not in page for page in told)
        assert "1 to 4" in laboratory.browser().look("/?lang=en"), "and so the first page says"
        assert "/dialogue/finish" in crowd.html, "one dialogue is enough for the crowd"
        assert "/dialogue/finish" not in here.html and "at least 2 tasks" in here.html
        here.press("/dialogue/next")
        hold_dialogue(here)
        assert "/dialogue/finish" in here.html
        here.press("/dialogue/next")
        hold_dialogue(here)
        assert "/dialogue/next" not in here.html, "three are the most"


def test_when_a_session_is_over_its_last_dialogue_is_held_to_the_end_and_the_visit_counts(
    tmp_path: Path,
) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab", "minutes: 5")) as laboratory:
        codes = [laboratory.book() for _ in range(2)]
        crowd = laboratory.browser()
        crowd.look("/")
        crowd.press("/start")
        assert "Your session time" not in crowd.html
        laboratory.at(FIRST)
        talking, resting = [laboratory.arrive(code) for code in codes]
        hold_dialogue(resting)
        assert "of at least 2 tasks" in resting.html and "our session time" not in resting.html
        hidden = re.search(r'data-shown-in-s="([^"]+)" hidden>', talking.html)
        assert hidden is not None and 0 < float(hidden[1]) <= 300, "five minutes, from now"
        laboratory.at(FIRST + 6 * MINUTE)
        page = talking.look("/visit")
        assert 'data-shown-in-s="0.0">Your session time is over. This is your last task' in page
        hold_dialogue(talking)
        assert "/read" in talking.html, "one dialogue of two: no second one is asked for"
        assert "so there are no more tasks" in resting.look("/visit") and "/dialogue/next" not in resting.html
        resting.press("/dialogue/finish")
        for browser in (talking, resting):
            browser.press("/read")
            assert is_completion_code(code_shown(browser))
        ends = [one.outcome for one in laboratory.log.visits("lab") if one.pool == "laboratory"]
        assert ends == ["completed", "completed"]


def test_next_pressed_after_the_time_leads_on_and_who_is_let_in_later_has_all_the_time(
    tmp_path: Path,
) -> None:
    with open_laboratory(write_laboratory(tmp_path / "lab")) as laboratory:
        codes, bookings = [laboratory.book() for _ in range(2)], Bookings(laboratory.log, "lab")
        laboratory.at(FIRST)
        here = laboratory.arrive(codes[0])
        hold_dialogue(here)
        laboratory.at(FIRST + 90 * MINUTE)
        assert "/read" in here.press("/dialogue/next"), "the page was open since before"
        bookings.add_note("n1", FIRST, 2, "let_in", None, "Ada")
        late = laboratory.arrive(codes[1])
        hold_dialogue(late)
        assert "/dialogue/next" in late.html and "our session time" not in late.html


def test_a_study_without_a_laboratory_has_no_such_pages(tmp_path: Path) -> None:
    folder = write_laboratory(tmp_path / "lab")
    text = (folder / "study.yaml").read_text("utf-8")
    crowd = text.partition("  laboratory:")[0].replace("recruitment:", "recruitment:", 1)
    (folder / "study.yaml").write_text(crowd, "utf-8")
    with open_laboratory(folder) as laboratory:
        assert laboratory.browser().client.get("/laboratory").status_code == 404
