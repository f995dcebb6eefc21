"""The laboratory on the dashboard: who is booked, who is there and how far, and what a supervisor notes.

What a supervisor does is kept beside the log: it changes nothing of what is logged of dialogues.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from babel.dates import format_date, format_time
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.board import Board, VisitCard
from vivavoce.dashboard.language import gettext, language, ngettext, worded
from vivavoce.dashboard.page import DashboardPage, DueAction, MenuItem
from vivavoce.dashboard.progress import OUTCOMES, whereabouts
from vivavoce.dashboard.security import OwnForm, field, who_of
from vivavoce.languages.base import locale_of
from vivavoce.study.model import Study
from vivavoce.trial.codes import new_key
from vivavoce_recruitment.laboratory.bookings import (
    NAME,
    Booking,
    Bookings,
    NotBooked,
    Note,
    NoteKind,
    seats_by_start,
)
from vivavoce_recruitment.laboratory.settings import LaboratorySettings, words_in
from vivavoce_recruitment.laboratory.standing import may_wait, standing_of

STANDS: Final = {
    "booked": N_("booked"),
    "waits": N_("waiting to enter"),
    "awaited": N_("awaited"),
    "late": N_("late"),
    "here": N_("here"),
    "let_in": N_("can be let in"),
    "no_show": N_("no-show"),
    "over": N_("over"),
}
KINDS: Final[dict[NoteKind, str]] = {
    "note": N_("a note"),
    "technical_problem": N_("a technical problem"),
    "no_show": N_("no-show"),
    "let_in": N_("let in: early, late or at another computer"),
    "cancelled": N_("cancel the booking"),
}
MARKS: Final = KINDS | {"let_in": N_("let in"), "cancelled": N_("cancelled")}
ABOUT_SOMEBODY: Final = frozenset({"no_show", "let_in", "cancelled"})
REFUSED: Final = {
    "gone": N_("Booking not found."),
    "begun": N_("This person has started, so the booking cannot be cancelled."),
}
MOST_TEXT: Final = 2000
router = APIRouter(prefix="/laboratory")


def due_waiting(request: Request, desk: Desk) -> list[DueAction]:
    """People who are in the laboratory and cannot begin before a supervisor lets them in."""
    settings, now = _settings(desk.study), desk.log.clock.now()
    bookings = Bookings(desk.log, desk.study.name).all()
    n = sum(_waits(settings, booking, now) for booking in bookings)
    if not n:
        return []
    text = ngettext(
        "%(num)s person waiting in the laboratory",
        "%(num)s people waiting in the laboratory",
        n,
    )
    return [DueAction(text, "/laboratory", urgent=True)]


def _waits(settings: LaboratorySettings, booking: Booking, now: datetime) -> bool:
    return booking.waiting_since is not None and may_wait(settings, booking, now)


PAGE: Final = DashboardPage(
    name="laboratory",
    router=router,
    menu=(MenuItem("/laboratory", N_("Laboratory"), 940),),
    role="researcher",
    templates=Path(__file__).parent / "templates",
    shown=lambda study: NAME in study.recruitment,
    due=due_waiting,
    help="how-to/run-a-laboratory-trial",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatNow:
    """A person with a booking, and the current state.

    stands     of `STANDS`, or how their visit ended
    dialogues  completed so far; at: number of the one that they are at; both None: not there
    idle       minutes since something happened in their visit; None: they are not there
    since      when they said that they wait, by the laboratory's clocks; "": they do not
    marks      what was noted of them, by kind
    """

    booking: Booking
    email: str | None
    stands: str
    tone: str
    participant_id: str | None
    doing: str
    at: int | None
    dialogues: int | None
    idle: float | None
    since: str
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNow:
    """A session with those who booked it; day and time by the laboratory's clocks."""

    start: datetime
    day: str
    time: str
    today: bool
    over: bool
    places: int
    seats: list[SeatNow]


def _settings(study: Study) -> LaboratorySettings:
    settings = study.recruitment.get(NAME)
    if not isinstance(settings, LaboratorySettings):
        raise HTTPException(404)
    return settings


@router.get("")
def laboratory(request: Request, desk: ThisDesk, about: str = "") -> Response:
    return _page(request, desk, about=about)


@router.get("/now")
def now(request: Request, desk: ThisDesk) -> Response:
    """The part of the page that changes."""
    return desk.page(request, "laboratory_now.html", **_facts(desk))


@router.post("/notes")
def add_note(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Note something of a session or of somebody in it; what was entered comes back if it cannot be."""
    about, text = field(form, "about"), field(form, "text", most=MOST_TEXT)
    kind: Any = field(form, "kind")
    start_text, _, number = about.partition(" ")
    start = next(
        (session.start for session in _facts(desk)["sessions"] if session.start.isoformat() == start_text),
        None,
    )
    problem = ""
    if kind not in KINDS or start is None or not (number.isdigit() or not number):
        problem = gettext("Select the subject and type of the note.")
    elif kind in ABOUT_SOMEBODY and not number:
        problem = gettext("Select the person.")
    elif kind in ("note", "technical_problem") and not text:
        problem = gettext("Enter the note text.")
    if problem or start is None:
        return _page(request, desk, 422, problem, about, text, kind)
    try:
        Bookings(desk.log, desk.study.name).add_note(
            field(form, "note") or new_key("note"),
            start,
            int(number) if number else None,
            kind,
            text or None,
            who_of(request).name,
        )
    except NotBooked as refusal:
        return _page(request, desk, 409, worded(REFUSED[refusal.reason]), about, text, kind)
    return RedirectResponse("/laboratory", 303)


def _page(
    request: Request,
    desk: Desk,
    status: int = 200,
    problem: str = "",
    about: str = "",
    text: str = "",
    kind: str = "note",
) -> Response:
    facts = _facts(desk)
    opened_starts = [
        session.start
        for session in facts["sessions"]
        if facts["settings"].opens(session.start) <= facts["at"]
    ]
    next_one = [session.start for session in facts["now"]][:1]
    about = about or "".join(start.isoformat() for start in (opened_starts[-1:] or next_one))
    return desk.page(
        request,
        "laboratory.html",
        status,
        **facts,
        problem=problem,
        about=about,
        text=text,
        kind=kind,
        kinds=KINDS,
        note=new_key("note"),
    )


def _facts(desk: Desk) -> dict[str, Any]:
    settings, bookings = _settings(desk.study), Bookings(desk.log, desk.study.name)
    at = desk.log.clock.now()
    booked_seats, notes, emails = bookings.all(), bookings.notes(), bookings.emails()
    by_start = seats_by_start(booked_seats)
    marks: dict[int, list[Note]] = {}
    for note in notes:
        if note.number is not None:
            marks.setdefault(note.number, []).append(note)

    def look(board: Board) -> list[SessionNow]:
        people = _People(board, settings, at)
        seats = {
            booking: people.seat(booking, emails.get(booking.number), marks.get(booking.number, []))
            for booked in by_start.values()
            for booking in booked
        }
        return [
            _session(settings, start, at, [seats[booking] for booking in by_start.get(start, [])])
            for start in sorted({*(session.start for session in settings.sessions), *by_start})
        ]

    sessions = desk.board.of("people").see(look)
    coming = [session for session in sessions if session.today or not session.over]
    return {
        "settings": settings,
        "sessions": sessions,
        "now": coming,
        "free": [session for session in coming if not session.today and not session.seats],
        "before": [session for session in sessions if session not in coming],
        "at": at,
        "stands": STANDS | OUTCOMES,
        "notes": [
            (note, _day(settings, note.start), _time(settings, note.start)) for note in reversed(notes)
        ],
        "marks": MARKS,
        "cancelled": sum(booking.seat is None for booking in booked_seats),
        "clock": _time(settings, at),
        "new_key": new_key,
        "room": words_in(settings.room, language()),
        "zone": settings.time_zone.replace("_", " "),
    }


class _People:
    """Those who booked, as the board has their visits."""

    def __init__(self, board: Board, settings: LaboratorySettings, at: datetime) -> None:
        self.board, self.settings, self.at = board, settings, at
        self.where = {row.visit_id: row for part in whereabouts(board) for row in part}
        self.held = Counter(
            dialogue.visit_id for dialogue in board.dialogues.values() if dialogue.status == "completed"
        )

    def seat(self, booking: Booking, email: str | None, noted: list[Note]) -> SeatNow:
        visit = self.board.visits.get(booking.visit_id or "")
        where = self.where.get(booking.visit_id or "")
        stands, tone = self._stands(booking, visit, noted)
        since = booking.waiting_since if stands == "waits" else None
        return SeatNow(
            booking=booking,
            email=email,
            stands=stands,
            tone=tone,
            participant_id=visit.participant_id if visit is not None else None,
            doing=where.doing if where is not None else "",
            at=where.round if where is not None else None,
            dialogues=self.held[visit.visit_id] if visit is not None else None,
            idle=where.idle_minutes if where is not None else None,
            since=_time(self.settings, since) if since is not None else "",
            marks=tuple(dict.fromkeys(note.kind for note in noted)),
        )

    def _stands(self, booking: Booking, visit: VisitCard | None, noted: list[Note]) -> tuple[str, str]:
        """State of a booking, and the dashboard's state that displays it."""
        if booking.let_in:
            return "let_in", "running"
        waits = _waits(self.settings, booking, self.at)
        if waits and (visit is None or visit.outcome is None):
            return "waits", "failed"
        if visit is not None:
            outcome = visit.outcome or "here"
            return outcome, {"here": "running", "completed": "completed"}.get(outcome, "abandoned")
        if any(note.kind == "no_show" for note in noted):
            return "no_show", "abandoned"
        if self.at >= self.settings.session_at(booking.start).end:
            return "over", "abandoned"
        standing = standing_of(self.settings, booking, self.at)
        return {"open": ("awaited", "running"), "late": ("late", "failed")}.get(standing, ("booked", ""))


def _session(settings: LaboratorySettings, start: datetime, at: datetime, seats: list[SeatNow]) -> SessionNow:
    session = settings.session_at(start)
    return SessionNow(
        start=start,
        day=_day(settings, start),
        time=_time(settings, start),
        today=settings.local(start).date() == settings.local(at).date(),
        over=at >= session.end,
        places=session.seats,
        seats=seats,
    )


def _day(settings: LaboratorySettings, at: datetime) -> str:
    return format_date(settings.local(at), "EEE d MMM y", locale=locale_of(language()))


def _time(settings: LaboratorySettings, at: datetime) -> str:
    return format_time(settings.local(at), "HH:mm", locale=locale_of(language()))
