"""Seats in a laboratory: each is given once, kept, moved, given back, and forgotten with its person."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.clock import ManualClock
from vivavoce.log.erasure import erase_participant
from vivavoce.log.events import VisitOpened
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log, Transaction
from vivavoce.trial.codes import completion_code, token_hash
from vivavoce_recruitment.laboratory.bookings import Bookings, NotBooked, plain_code

START = datetime(2026, 12, 1, 9, tzinfo=UTC)
LATER = START + timedelta(hours=2)
NOW = START - timedelta(days=3)


def opened(url: str, folder: Path) -> Log:
    return Log.open(url, ManualClock(NOW), recording_folder=folder)


def begun(log: Log, code: str, visit_id: str = "visit-1", participant: str = "participant-1") -> None:
    """Somebody has begun with their booking."""

    def write(tx: Transaction) -> None:
        tx.participant_of("lab", "laboratory", "booking-1", participant)
        tx.bind_visit(
            visit_id, "lab", participant, "laboratory", f"token-{visit_id}", token_hash(plain_code(code))
        )
        opened = VisitOpened(
            study="lab",
            revision="1",
            participant_id=participant,
            pool="laboratory",
            language="en",
            verified=True,
        )
        tx.append(visit_id, opened)

    log.transact_now(write)


def refusal(work: Callable[[], Any]) -> str:
    with pytest.raises(NotBooked) as refused:
        work()
    return refused.value.reason


def test_many_who_book_at_once_in_two_processes_never_get_one_seat(log_url: str, tmp_path: Path) -> None:
    with opened(log_url, tmp_path) as first, opened(log_url, tmp_path) as second:
        places = [Bookings(log, "lab") for log in (first, second)]

        def book(number: int) -> str:
            try:
                places[number % 2].book(completion_code(), START, 5, f"p{number}@example.org")
            except NotBooked as refused:
                return refused.reason
            return "booked"

        with ThreadPoolExecutor(16) as pool:
            came = Counter(pool.map(book, range(40)))
        assert came == {"booked": 5, "full": 35}
        held = places[0].all()
        assert sorted(one.seat or 0 for one in held) == [1, 2, 3, 4, 5]
        assert sorted(one.number for one in held) == [1, 2, 3, 4, 5]
        assert places[1].taken() == {START: 5} and len(places[0].emails()) == 5


def test_two_who_move_into_the_last_seat_at_once_leave_one_where_they_were(
    log_url: str, tmp_path: Path
) -> None:
    with opened(log_url, tmp_path) as first, opened(log_url, tmp_path) as second:
        places, codes = (
            [Bookings(log, "lab") for log in (first, second)],
            [completion_code(), completion_code()],
        )
        for place, code in zip(places, codes, strict=True):
            place.book(code, START, 2)

        def move(which: int) -> str:
            try:
                places[which].move(codes[which], LATER, 1)
            except NotBooked as refused:
                return refused.reason
            return "moved"

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(move, range(2))) == ["full", "moved"]
        assert places[0].taken() == {START: 1, LATER: 1}


def test_an_invitation_used_twice_at_once_books_one_seat(log_url: str, tmp_path: Path) -> None:
    with opened(log_url, tmp_path) as first, opened(log_url, tmp_path) as second:
        places = [Bookings(log, "lab") for log in (first, second)]
        places[0].invite(["token"])

        def book(number: int) -> str:
            try:
                places[number % 2].book(completion_code(), START, 9, token="token")
            except NotBooked as refused:
                return refused.reason
            return "booked"

        with ThreadPoolExecutor(8) as pool:
            assert Counter(pool.map(book, range(8))) == {"booked": 1, "used_invitation": 7}
        assert refusal(lambda: places[0].book(completion_code(), START, 9, token="")) == "not_invited"


def test_a_code_books_once_however_it_is_written_and_however_often_it_is_sent(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'log.sqlite'}", tmp_path) as log:
        bookings, code = Bookings(log, "lab"), completion_code()
        first = bookings.book(code, START, 2)
        assert bookings.book(code, LATER, 2) == first, "the button pressed twice, or the page gone back to"
        assert bookings.of(code.replace("-", " ").lower()) == first and bookings.of("ZZZZ") is None
        assert plain_code(code).encode() not in (tmp_path / "log.sqlite").read_bytes()


def test_an_address_has_one_booking_until_it_is_cancelled_and_the_number_is_never_given_again(
    tmp_path: Path,
) -> None:
    with opened(f"sqlite:///{tmp_path / 'log.sqlite'}", tmp_path) as log:
        bookings, code = Bookings(log, "lab"), completion_code()
        bookings.book(code, START, 2, "Ada@Example.org")
        again = lambda: bookings.book(completion_code(), LATER, 2, " ada@example.org ")  # noqa: E731
        assert refusal(again) == "known_email"
        bookings.cancel(code)
        assert bookings.taken() == {} and bookings.emails() == {}
        assert refusal(lambda: bookings.move(code, LATER, 2)) == "gone"
        assert again().number == 2


def test_who_has_begun_neither_moves_nor_cancels(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'log.sqlite'}", tmp_path) as log:
        bookings, code = Bookings(log, "lab"), completion_code()
        bookings.book(code, START, 2)
        begun(log, code)
        assert refusal(lambda: bookings.cancel(code)) == "begun"
        assert refusal(lambda: bookings.move(code, LATER, 2)) == "begun"
        cancel = lambda: bookings.add_note("n1", START, 1, "cancelled", None, "Ada")  # noqa: E731
        assert refusal(cancel) == "begun" and bookings.notes() == [], "nothing is noted that was not done"


def test_a_note_sent_twice_stands_once_and_lets_in_once(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'log.sqlite'}", tmp_path) as log:
        bookings, code = Bookings(log, "lab"), completion_code()
        bookings.book(code, START, 2)
        for _ in range(2):
            bookings.add_note("n1", START, 1, "let_in", None, "Ada")
        assert len(bookings.notes()) == 1
        assert [bookings.use_let_in(code) for _ in range(2)] == [True, False]
        bookings.add_note("n1", START, 1, "let_in", None, "Ada")
        assert not bookings.use_let_in(code), "the form sent once more opens nothing"
        bookings.add_note("n1", START, 1, "note", "Came by bus.", "Ada")
        assert [one.text for one in bookings.notes()] == [None, "Came by bus."], (
            "other words are another note"
        )


def test_notes_are_a_table_of_the_dataset_without_names_and_addresses(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'log.sqlite'}", tmp_path) as log:
        bookings, codes = Bookings(log, "lab"), [completion_code(), completion_code()]
        for code in codes:
            bookings.book(code, START, 2, f"{code.lower()}@example.org")
        bookings.add_note("n1", START, 1, "technical_problem", "The microphone was off.", "Ada Boss")
        bookings.add_note("n2", START, 2, "no_show", None, "Ada Boss")
        bookings.add_note("n3", START, None, "note", "Loud in the corridor.", "Ada Boss")
        begun(log, codes[0])
        dataset = export_dataset(log, "lab", tmp_path / "people", simulated=False)
        rows = {row["note_id"]: row for row in dataset.read("notes").to_pylist()}
        assert (rows["n1"]["visit_id"], rows["n1"]["participant_id"]) == ("visit-1", "participant-1")
        assert rows["n1"]["text"] == "The microphone was off." and rows["n1"]["session_at"] == START
        assert [rows[one]["visit_id"] for one in ("n2", "n3")] == [None, None]
        [author] = {row["author_id"] for row in rows.values()}
        assert author.startswith("supervisor-") and "Ada" not in author
        log.transact_now(lambda tx: tx.record_study("lab", "1", "study: lab\n"))
        programs = export_dataset(log, "lab", tmp_path / "programs", simulated=True)
        assert programs.read("notes").num_rows == 0
        written = b"".join(file.read_bytes() for file in (tmp_path / "people").iterdir())
        assert b"example.org" not in written and b"booking-1" not in written and b"Ada Boss" not in written


def test_who_is_erased_leaves_neither_address_nor_notes_nor_what_leads_to_them(
    log_url: str, tmp_path: Path
) -> None:
    with opened(log_url, tmp_path) as log:
        bookings, codes = Bookings(log, "lab"), [completion_code(), completion_code()]
        for name, code in zip(("ada", "bob"), codes, strict=True):
            bookings.book(code, START, 2, f"{name}@example.org")
        bookings.add_note("n1", START, 1, "note", "Ada was tired.", "Eve")
        bookings.add_note("n2", START, 2, "note", "Bob was late.", "Eve")
        begun(log, codes[0])
        erase_participant(log, "lab", "booking-1", by="Eve")
        assert bookings.emails() == {2: "bob@example.org"} and bookings.of(codes[0]) is None
        assert [one.note_id for one in bookings.notes()] == ["n2"]
        assert bookings.book(completion_code(), LATER, 2).number == 3, "nobody gets the number again"
        if log_url.startswith("sqlite"):
            left = b"".join(file.read_bytes() for file in tmp_path.glob("log.sqlite*"))
            assert b"ada@example.org" not in left and b"tired" not in left


def test_addresses_of_sessions_that_are_over_can_be_forgotten(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'log.sqlite'}", tmp_path) as log:
        bookings = Bookings(log, "lab")
        for number, start in enumerate((START, LATER)):
            bookings.book(completion_code(), start, 2, f"p{number}@example.org")
        assert bookings.forget_emails(LATER) == 1 and bookings.emails() == {2: "p1@example.org"}
