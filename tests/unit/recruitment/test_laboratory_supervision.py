"""The supervisor's page: who is booked, who is there and how far, and notes that change nothing else."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from scenes.desks import TestClient, desk_of
from scenes.laboratories import FIRST, OpenLaboratory, open_laboratory, write_laboratory
from scenes.recruiting import recruit
from vivavoce_recruitment.laboratory.bookings import Bookings

KEY = FIRST.isoformat()
HOUR_BEFORE = FIRST - timedelta(hours=1)


@contextmanager
def supervised(
    folder: Path, more: str = "", language: str = "en"
) -> Iterator[tuple[OpenLaboratory, TestClient]]:
    """A laboratory an hour before its first session, with its dashboard as a researcher has it."""
    written = write_laboratory(folder, more)
    with (
        open_laboratory(written, HOUR_BEFORE) as laboratory,
        desk_of(written, laboratory.log, language=language) as desk,
    ):
        yield laboratory, desk


def seats(page: str) -> list[list[str]]:
    """The cells of each booking, as text."""
    head = r'<tr><th scope="row" class="numbered">(\d+)</th>'
    rows = re.findall(rf"{head}(.*?)</tr>", page, flags=re.S)
    cells = [[seat, *re.findall(r"<td.*?>(.*?)</td>", row, flags=re.S)] for seat, row in rows]
    return [[" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def note(desk: TestClient, status: int = 200, **fields: str) -> str:
    page = desk.get("/laboratory").text
    token = re.search(r'name="form_token" value="([^"]+)"', page)
    assert token is not None
    answer = desk.post("/laboratory/notes", data={"form_token": token[1], "kind": "note", **fields})
    assert answer.status_code == status, answer.text
    return answer.text


def test_it_shows_live_who_is_booked_who_is_there_and_how_far(tmp_path: Path) -> None:
    with supervised(tmp_path / "lab", "email: true") as (laboratory, desk):
        codes = [laboratory.book(email=f"p{number}@example.org") for number in range(2)]
        page = desk.get("/laboratory").text
        assert 'data-fresh="/laboratory/now"' in page and "2 of 2 seats booked." in page
        assert [row[1:3] for row in seats(page)] == [
            ["1 p0@example.org", "booked"],
            ["2 p1@example.org", "booked"],
        ]
        laboratory.at(FIRST)
        assert [row[2] for row in seats(desk.get("/laboratory/now").text)] == ["awaited", "awaited"]
        browser = laboratory.arrive(codes[1])
        laboratory.at(FIRST + timedelta(minutes=20))
        first, second = seats(desk.get("/laboratory/now").text)
        assert first[2:] == ["late", "–", "–", "–", "–", "Note on booking 1"]
        assert second[2:7] == ["here", "in a dialogue", "1 of 2 to 3", "0", "20 min"]
        browser.look("/leave")
        browser.press("/withdraw")
        assert seats(desk.get("/laboratory/now").text)[1][2] == "withdrew"
        laboratory.at(FIRST + timedelta(days=1))
        with desk_of(tmp_path / "lab", laboratory.log) as next_day:
            assert "Earlier sessions" in next_day.get("/laboratory").text


def test_notes_are_kept_with_time_and_name_and_nothing_of_a_visit_changes(tmp_path: Path) -> None:
    with supervised(tmp_path / "lab") as (laboratory, desk):
        code = laboratory.book()
        laboratory.at(FIRST)
        laboratory.arrive(code)
        [visit] = laboratory.log.visits("lab")
        before = [(one.seq, one.event) for one in laboratory.log.events(visit.visit_id)]
        page = note(desk, about=f"{KEY} 1", kind="technical_problem", text="<b>No sound</b> at seat 1")
        assert "&lt;b&gt;No sound&lt;/b&gt; at seat 1" in page and "a technical problem" in seats(page)[0][7]
        note(desk, about=KEY, text="The corridor was loud.")
        kept = Bookings(laboratory.log, "lab").notes()
        assert [(one.number, one.kind, one.text) for one in kept] == [
            (1, "technical_problem", "<b>No sound</b> at seat 1"),
            (None, "note", "The corridor was loud."),
        ]
        assert all(one.noted_at == FIRST and one.author for one in kept)
        assert [(one.seq, one.event) for one in laboratory.log.events(visit.visit_id)] == before


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"about": "1999-01-01T00:00:00+00:00", "text": "kept words"}, "Select the subject"),
        ({"about": KEY, "kind": "no_show", "text": "kept words"}, "Select the person"),
        ({"about": f"{KEY} 1"}, "Enter the note text"),
        ({"about": f"{KEY} 9", "text": "kept words"}, "Booking not found."),
    ],
)
def test_a_note_that_cannot_be_kept_comes_back_as_it_was_entered(
    tmp_path: Path, fields: dict[str, str], told: str
) -> None:
    with supervised(tmp_path / "lab") as (laboratory, desk):
        laboratory.book()
        status = 409 if "not found" in told else 422
        page = note(desk, status, **fields)
        assert told in page and fields.get("text", "") in page
        assert Bookings(laboratory.log, "lab").notes() == []


def test_marks_say_who_did_not_come_let_people_in_and_give_seats_back(tmp_path: Path) -> None:
    with supervised(tmp_path / "lab") as (laboratory, desk):
        codes = [laboratory.book() for _ in range(2)]
        laboratory.at(FIRST + timedelta(minutes=30))
        assert seats(note(desk, about=f"{KEY} 1", kind="no_show"))[0][2] == "no-show"
        assert seats(note(desk, about=f"{KEY} 2", kind="let_in"))[1][2] == "can be let in"
        browser = laboratory.arrive(codes[1])
        assert "/turns/form" in browser.html
        refused = note(desk, 409, about=f"{KEY} 2", kind="cancelled")
        assert "the booking cannot be cancelled" in refused
        page = note(desk, about=f"{KEY} 1", kind="cancelled", text="They telephoned.")
        assert [row[0] for row in seats(page)] == ["2"] and "1 booking was cancelled." in page
        assert "This booking was cancelled" in laboratory.browser().look(
            f"/laboratory/booking?seat={codes[0]}"
        )


def test_who_waits_is_urgent_on_the_overview_until_one_button_lets_them_in(tmp_path: Path) -> None:
    with supervised(tmp_path / "lab") as (laboratory, desk):
        told = "1 person waiting in the laboratory"
        code = laboratory.book()
        assert told not in desk.get("/").text
        browser = laboratory.browser()
        browser.look(f"/laboratory/booking?seat={code}&lang=en")
        browser.press("/laboratory/here?lang=en")
        assert told in desk.get("/").text
        page = desk.get("/laboratory/now").text
        assert seats(page)[0][2].startswith("waiting to enter since 09:00")
        form = re.search(r'<form method="post" action="/laboratory/notes">(.*?)</form>', page, flags=re.S)
        assert form is not None
        fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form[1]))
        desk.post("/laboratory/notes", data=fields)
        assert told not in desk.get("/").text
        assert seats(desk.get("/laboratory/now").text)[0][2] == "can be let in"
        assert "/turns/form" in laboratory.arrive(code).html


def test_it_is_for_researchers_and_in_their_language(tmp_path: Path) -> None:
    with supervised(tmp_path / "lab", language="it") as (laboratory, desk):
        laboratory.book()
        page = desk.get("/laboratory").text
        assert "Laboratorio" in page and seats(page)[0][2] == "prenotato" and "Save note" not in page
        with desk_of(tmp_path / "lab", laboratory.log, role="viewer") as viewer:
            assert viewer.get("/laboratory").status_code == 403


def test_the_verbs_of_recruitment_serve_the_laboratory(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    with open_laboratory(write_laboratory(folder, "email: true")) as laboratory:
        for number in range(2):
            laboratory.book(email=f"p{number}@example.org")
        planned = json.loads(recruit("plan", folder, "--json").stdout)
        assert (planned["places"], planned["total"], planned["fee"]) == (8, "96.00 EUR", "0.00 EUR")
        assert recruit("status", folder).exit_code == 0
        told = recruit("slots", folder).stdout.splitlines()
        assert told[0] == "2026-12-01 10:00  2 of 2 seats booked, 0 came, 0 completed" and len(told) == 4
        assert "dry run" in recruit("slots", folder, "--forget-emails").stdout
        assert "deleted 0 e-mail addresses" in recruit("slots", folder, "--forget-emails", "--confirm").stderr
        rows = json.loads(recruit("slots", folder, "--json").stdout)
        assert rows[0] == {"session": "2026-12-01 10:00", "seats": 2, "booked": 2, "came": 0, "completed": 0}
