"""Booking a seat, beside the participants' pages: taking it, moving it, giving it back, being there."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from babel.dates import format_date, format_time
from babel.numbers import format_currency
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from vivavoce.languages.base import locale_of
from vivavoce.participant.i18n import page_language
from vivavoce.participant.site import NoVisit, Site, ThisSite, visit_of
from vivavoce.participant.visit_routes import wanted_language
from vivavoce.study.recruiter import RECRUITERS
from vivavoce.trial.codes import completion_code, is_completion_code
from vivavoce_recruitment.laboratory.bookings import NAME, Booking, Bookings, NotBooked, plain_code
from vivavoce_recruitment.laboratory.settings import LaboratorySettings, LabSession, words_in
from vivavoce_recruitment.laboratory.standing import (
    INVITATION,
    PARAMETER,
    booking_page,
    may_wait,
    standing_of,
)

LINE: Final = 75  # bytes, after which a line goes on in the next one


def calendar_file(
    uid: str, begin: datetime, end: datetime, *, title: str, place: str, told: str, changed_at: datetime
) -> str:
    """One event; the same uid with a later changed_at takes the place of the earlier one in a calendar."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Vivavoce//Laboratory//EN",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"SEQUENCE:{int(changed_at.timestamp() // 60)}",
        f"DTSTAMP:{_instant(changed_at)}",
        f"DTSTART:{_instant(begin)}",
        f"DTEND:{_instant(end)}",
        f"SUMMARY:{_text(title)}",
        f"LOCATION:{_text(place)}",
        f"DESCRIPTION:{_text(told)}",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    for character, escaped in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r", ""), ("\n", "\\n")):
        text = text.replace(character, escaped)
    return text


def _folded(line: str) -> str:
    """A line in pieces of at most 75 bytes, none of them within a character."""
    pieces, size = [""], 0
    for character in line:
        width = len(character.encode())
        if size + width > LINE:
            pieces, size = [*pieces, ""], 1
        pieces[-1] += character
        size += width
    return "\r\n ".join(pieces)


router = APIRouter(prefix="/laboratory", include_in_schema=False)
STATUSES: Final = {
    "unknown": 404,
    "full": 409,
    "known_email": 409,
    "begun": 409,
    "gone": 409,
    "late": 409,
    "not_invited": 403,
    "used_invitation": 409,
}
Token = Annotated[str, Query(alias=INVITATION, max_length=100)]
Code = Annotated[str, Query(alias=PARAMETER, max_length=100)]
SentCode = Annotated[str, Form(alias=PARAMETER, max_length=100)]
Sent = Annotated[str, Form(max_length=300)]


class LaboratoryView:
    """The laboratory of the study that is served, for one request."""

    def __init__(self, site: Site, request: Request, language: str | None) -> None:
        self.site, self.request = site, request
        self.language = wanted_language(site, request, language)
        self.settings: LaboratorySettings = site.study.recruitment[NAME]  # pyright: ignore[reportAttributeAccessIssue]
        self.locale = locale_of(page_language(self.language))

    @property
    def now(self) -> datetime:
        return self.site.engine.log.clock.now()

    async def ask(self, work: Callable[[Bookings], Any]) -> Any:
        """Something of the bookings, away from the pages' loop."""
        log, study = self.site.engine.log, self.site.study.name
        return await asyncio.to_thread(lambda: work(Bookings(log, study)))

    def time(self, at: datetime) -> str:
        return format_time(self.settings.local(at), "HH:mm", locale=self.locale)

    def day(self, at: datetime) -> str:
        return format_date(self.settings.local(at), "EEEE d MMMM y", locale=self.locale)

    def session(self, start: datetime) -> str:
        """From when to when."""
        return f"{self.time(start)} – {self.time(self.settings.session_at(start).end)}"

    def address(self, code: str) -> str:
        """Address that opens the booking from anywhere."""
        return f"{str(self.request.base_url).rstrip('/')}{self.site.base}{booking_page(code)}"

    def told(self, code: str) -> str:
        """Calendar description of a session: what to bring, and the booking's address."""
        bring = self.settings.bring
        bring_lines = [words_in(bring, self.language)] if bring is not None else []
        return "\n".join([*bring_lines, self.address(code)])

    def chosen(self, written: str) -> LabSession | None:
        """The session that a form names; None: there is none, or it has begun."""
        sessions = (session for session in self.settings.sessions if session.start.isoformat() == written)
        return next((session for session in sessions if session.start > self.now), None)

    async def days(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """The sessions to come, by day."""
        taken_seats = await self.ask(lambda bookings: bookings.taken())
        days: dict[str, list[dict[str, Any]]] = {}
        for session in self.settings.sessions:
            if session.start > self.now:
                option = {"value": session.start.isoformat(), "told": self.session(session.start)}
                free = max(0, session.seats - taken_seats[session.start])
                days.setdefault(self.day(session.start), []).append({**option, "free": free})
        return list(days.items())

    def page(
        self, name: str, status: int = 200, code: str = "", token: str = "", **facts: Any
    ) -> HTMLResponse:
        settings = self.settings
        pay, query = settings.reward, {PARAMETER: code, INVITATION: token}
        return self.site.page(
            name,
            self.language,
            status=status,
            of=RECRUITERS.get(NAME),
            code=code,
            settings=settings,
            zone=settings.time_zone.replace("_", " "),
            reward=format_currency(pay.major, pay.currency, locale=self.locale) if pay.minor else "",
            room=words_in(settings.room, self.language),
            bring=words_in(settings.bring, self.language) if settings.bring is not None else "",
            kept="".join(f"{urlencode({name: value})}&" for name, value in query.items() if value),
            **facts,
        )


async def _view(site: ThisSite, request: Request, lang: str | None = None) -> LaboratoryView:
    return LaboratoryView(site, request, lang)


ThisView = Annotated[LaboratoryView, Depends(_view)]


@router.get("")
async def sessions(view: ThisView, invitation: Token = "") -> Response:
    """The sessions in which there are seats, and where to enter the code of a booking."""
    refused = None
    if view.settings.invited:
        refused = await view.ask(lambda bookings: bookings.refused(invitation))
    return await _sessions(view, refused, token=invitation)


async def _sessions(
    view: LaboratoryView,
    problem: str | None = None,
    code: str = "",
    chosen: str = "",
    email: str = "",
    token: str = "",
) -> HTMLResponse:
    status = STATUSES.get(problem, 422) if problem else 200
    return view.page(
        "sessions",
        status,
        token=token,
        days=await view.days(),
        problem=problem,
        chosen=chosen,
        email=email,
        minutes=sorted({int(session.length.total_seconds() // 60) for session in view.settings.sessions}),
        new_code=code or completion_code(),
        invitation=token,
    )


@router.post("/book")
async def book(
    view: ThisView,
    request: Request,
    slot: Sent = "",
    new_code: Sent = "",
    email: Sent = "",
    invitation: Sent = "",
) -> Response:
    """Take a seat; the code stood in the page, so that the button pressed twice books once."""
    settings, chosen, address = view.settings, view.chosen(slot), email.strip()
    code = new_code if is_completion_code(new_code) else ""
    entered = {"code": code, "chosen": slot, "email": email, "token": invitation}
    if not code or chosen is None:
        return await _sessions(view, "choose", **entered)
    if settings.email and (address.count("@") != 1 or not address.isprintable() or len(address) > 254):
        return await _sessions(view, "email", **entered)
    view.site.count_visit(request)
    mail, token = address if settings.email else None, invitation if settings.invited else None
    try:
        await view.ask(lambda bookings: bookings.book(code, chosen.start, chosen.seats, mail, token))
    except NotBooked as refusal:
        return await _sessions(view, refusal.reason, **entered)
    return _to(view, new_code, "booked")


@router.get("/booking")
async def booking(view: ThisView, seat: Code = "", did: str = "") -> Response:
    """State of a booking, and the actions that the participant has now."""
    return await _booking(view, seat, did=did)


async def _booking(view: LaboratoryView, code: str, problem: str | None = None, did: str = "") -> Response:
    current: Booking | None = await view.ask(lambda bookings: bookings.of(code))
    if current is not None and current.visit_id is not None:
        try:
            if await visit_of(view.request) == current.visit_id:
                return view.site.to("/visit")
        except NoVisit:
            pass
    standing = standing_of(view.settings, current, view.now)
    readable_code = completion_code_of(code)
    if current is None:
        return view.page(
            "booking", 404, readable_code, standing=standing, booking=None, problem=None, did="", waiting=""
        )
    if standing == "begun" and await _is_over(view, current):
        standing = "over"
    waits = standing != "over" and may_wait(view.settings, current, view.now)
    return view.page(
        "booking",
        STATUSES.get(problem or "", 200),
        readable_code,
        standing=standing,
        may_wait=waits,
        waiting=view.time(current.waiting_since) if waits and current.waiting_since is not None else "",
        booking=current,
        problem=problem,
        did=did if did in ("booked", "moved") else "",
        when=view.session(current.start),
        day=view.day(current.start),
        opens=view.time(view.settings.opens(current.start)),
        closes=view.time(view.settings.closes(current.start)),
        may_change=standing == "early" and view.settings.may_change(current.start, view.now),
        days=await view.days(),
        chosen=current.start.isoformat(),
        link=view.address(code),
    )


async def _is_over(view: LaboratoryView, found: Booking) -> bool:
    assert found.visit_id is not None
    return (await view.site.engine.state(found.visit_id)).phase == "ended"


def completion_code_of(entered: str) -> str:
    """A code as people are shown it, in groups of four."""
    letters = plain_code(entered)
    return "-".join(letters[begin : begin + 4] for begin in range(0, len(letters), 4))


async def _too_late(view: LaboratoryView, code: str) -> bool:
    current: Booking | None = await view.ask(lambda bookings: bookings.of(code))
    return current is not None and not view.settings.may_change(current.start, view.now)


@router.post("/move")
async def move(view: ThisView, seat: SentCode = "", slot: Sent = "") -> Response:
    """Take a seat in another session in place of the one that was booked."""
    chosen = view.chosen(slot)
    if chosen is None:
        return await _booking(view, seat, "choose")
    if await _too_late(view, seat):
        return await _booking(view, seat, "late")
    return await _changed(
        view, seat, "moved", lambda bookings: bookings.move(seat, chosen.start, chosen.seats)
    )


@router.post("/cancel")
async def cancel(view: ThisView, seat: SentCode = "") -> Response:
    """Give the seat back."""
    if await _too_late(view, seat):
        return await _booking(view, seat, "late")
    return await _changed(view, seat, "", lambda bookings: bookings.cancel(seat))


async def _changed(view: LaboratoryView, code: str, did: str, change: Callable[[Bookings], Any]) -> Response:
    try:
        await view.ask(change)
    except NotBooked as refusal:
        return await _booking(view, code, refusal.reason)
    return _to(view, code, did)


@router.post("/here")
async def here(view: ThisView, seat: SentCode = "") -> Response:
    """Tell the supervisor that somebody is there who cannot begin; whoever can begin goes on."""
    current: Booking | None = await view.ask(lambda bookings: bookings.of(seat))
    if current is None or not may_wait(view.settings, current, view.now):
        return await _booking(view, seat)
    return await _changed(view, seat, "", lambda bookings: bookings.wait(seat))


@router.get("/standing")
async def standing(view: ThisView, seat: Code = "") -> Response:
    """State of a booking, for the waiting page."""
    current: Booking | None = await view.ask(lambda bookings: bookings.of(seat))
    return JSONResponse({"standing": standing_of(view.settings, current, view.now)})


def _to(view: LaboratoryView, code: str, did: str) -> Response:
    more = urlencode({"lang": view.language, "did": did})
    return view.site.to(f"{booking_page(code)}&{more}")


@router.get("/calendar")
async def calendar(view: ThisView, seat: Code = "") -> Response:
    """The session as a file for the person's own calendar."""
    current: Booking | None = await view.ask(lambda bookings: bookings.of(seat))
    if current is None or current.seat is None:
        return await _booking(view, seat)
    study, session = view.site.study, view.settings.session_at(current.start)
    title = study.title.get(view.language) or study.name
    text = calendar_file(
        f"{study.name}-{current.person}@{view.request.url.hostname}",
        current.start,
        session.end,
        title=title,
        place=words_in(view.settings.room, view.language),
        told=view.told(seat),
        changed_at=current.changed_at,
    )
    headers = {"Content-Disposition": 'attachment; filename="session.ics"'}
    return Response(text, media_type="text/calendar; charset=utf-8", headers=headers)
