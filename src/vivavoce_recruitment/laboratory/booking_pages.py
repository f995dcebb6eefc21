"""Booking a seat, beside the participants' pages: taking it, moving it, giving it back."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from babel.dates import format_date, format_time
from babel.numbers import format_currency
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from vivavoce.languages.base import locale_of
from vivavoce.study.recruiter import RECRUITERS
from vivavoce.trial.codes import completion_code, is_completion_code
from vivavoce.web.i18n import page_language
from vivavoce.web.site import NoVisit, Site, ThisSite, visit_of
from vivavoce.web.visit_routes import wanted_language
from vivavoce_recruitment.laboratory.bookings import NAME, Booking, Bookings, NotBooked, plain_code
from vivavoce_recruitment.laboratory.calendar_file import calendar_file
from vivavoce_recruitment.laboratory.settings import LaboratorySettings
from vivavoce_recruitment.laboratory.standing import PARAMETER, booking_page, standing_of

router = APIRouter(prefix="/laboratory", include_in_schema=False)
STATUSES: Final = {"unknown": 404, "full": 409, "known_email": 409, "begun": 409, "gone": 409, "late": 409}
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
        return f"{self.time(start)} – {self.time(start + self.settings.length)}"

    def address(self, code: str) -> str:
        """Where a booking is opened from anywhere."""
        return f"{str(self.request.base_url).rstrip('/')}{self.site.base}{booking_page(code)}"

    def start(self, written: str) -> datetime | None:
        """The session that a form names; None: there is none, or it is over."""
        found = (one for one in self.settings.starts if one.isoformat() == written)
        return next((one for one in found if one > self.now), None)

    async def days(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """The sessions to come, by day."""
        taken = await self.ask(lambda bookings: bookings.taken())
        days: dict[str, list[dict[str, Any]]] = {}
        for start in self.settings.starts:
            if start > self.now:
                told = {"value": start.isoformat(), "told": self.session(start)}
                free = max(0, self.settings.seats - taken[start])
                days.setdefault(self.day(start), []).append({**told, "free": free})
        return list(days.items())

    def page(self, name: str, status: int = 200, code: str = "", **facts: Any) -> HTMLResponse:
        settings = self.settings
        pay = settings.reward
        return self.site.page(
            name, self.language, status=status, of=RECRUITERS.get(NAME), code=code, settings=settings,
            zone=settings.time_zone.replace("_", " "),
            reward=format_currency(pay.major, pay.currency, locale=self.locale) if pay.minor else "",
            kept=f"{urlencode({PARAMETER: code})}&" if code else "", **facts,
        )  # fmt: skip


async def _view(site: ThisSite, request: Request, lang: str | None = None) -> LaboratoryView:
    return LaboratoryView(site, request, lang)


ThisView = Annotated[LaboratoryView, Depends(_view)]


@router.get("")
async def sessions(view: ThisView) -> Response:
    """The sessions in which there are seats, and where to enter the code of a booking."""
    return await _sessions(view)


async def _sessions(
    view: LaboratoryView, problem: str | None = None, code: str = "", chosen: str = "", email: str = ""
) -> HTMLResponse:
    status = STATUSES.get(problem, 422) if problem else 200
    return view.page(
        "sessions", status, days=await view.days(), problem=problem, chosen=chosen, email=email,
        new_code=code or completion_code(),
    )  # fmt: skip


@router.post("/book")
async def book(
    view: ThisView, request: Request, slot: Sent = "", new_code: Sent = "", email: Sent = "",
) -> Response:  # fmt: skip
    """Take a seat; the code stood in the page, so that the button pressed twice books once."""
    settings, start = view.settings, view.start(slot)
    if not is_completion_code(new_code):
        return await _sessions(view, "choose", chosen=slot, email=email)
    given = email.strip()
    if start is None:
        return await _sessions(view, "choose", new_code, slot, email)
    if settings.email and (given.count("@") != 1 or not given.isprintable() or len(given) > 254):
        return await _sessions(view, "email", new_code, slot, email)
    view.site.count_visit(request)
    mail = given if settings.email else None
    try:
        await view.ask(lambda bookings: bookings.book(new_code, start, settings.seats, mail))
    except NotBooked as refusal:
        return await _sessions(view, refusal.reason, new_code, slot, email)
    return _to(view, new_code, "booked")


@router.get("/booking")
async def booking(view: ThisView, seat: Code = "", did: str = "") -> Response:
    """How a booking stands, and what its person can do now."""
    return await _booking(view, seat, did=did)


async def _booking(view: LaboratoryView, code: str, problem: str | None = None, did: str = "") -> Response:
    found: Booking | None = await view.ask(lambda bookings: bookings.of(code))
    if found is not None and found.visit_id is not None:
        try:
            if await visit_of(view.request) == found.visit_id:
                return view.site.to("/visit")
        except NoVisit:
            pass
    standing = standing_of(view.settings, found, view.now)
    shown = completion_code_of(code)
    if found is None:
        return view.page("booking", 404, shown, standing=standing, booking=None, problem=None, did="")
    over = standing == "begun" and await _is_over(view, found)
    return view.page(
        "booking", STATUSES.get(problem or "", 200), shown, standing="over" if over else standing,
        booking=found, problem=problem, did=did if did in ("booked", "moved") else "",
        when=view.session(found.start), day=view.day(found.start),
        opens=view.time(view.settings.opens(found.start)),
        closes=view.time(view.settings.closes(found.start)),
        may_change=standing == "early" and view.settings.may_change(found.start, view.now),
        days=await view.days(), chosen=found.start.isoformat(),
        link=view.address(code),
    )  # fmt: skip


async def _is_over(view: LaboratoryView, found: Booking) -> bool:
    assert found.visit_id is not None
    return (await view.site.engine.state(found.visit_id)).phase == "ended"


def completion_code_of(entered: str) -> str:
    """A code as people are shown it, in groups of four."""
    plain = plain_code(entered)
    return "-".join(plain[begin : begin + 4] for begin in range(0, len(plain), 4))


@router.post("/move")
async def move(view: ThisView, seat: SentCode = "", slot: Sent = "") -> Response:
    """Take a seat in another session in place of the one that was booked."""
    start = view.start(slot)
    if start is None:
        return await _booking(view, seat, "choose")
    seats = view.settings.seats
    return await _changed(view, seat, "moved", lambda bookings: bookings.move(seat, start, seats))


@router.post("/cancel")
async def cancel(view: ThisView, seat: SentCode = "") -> Response:
    """Give the seat back."""
    return await _changed(view, seat, "", lambda bookings: bookings.cancel(seat))


async def _changed(view: LaboratoryView, code: str, did: str, change: Callable[[Bookings], Any]) -> Response:
    found: Booking | None = await view.ask(lambda bookings: bookings.of(code))
    if found is not None and not view.settings.may_change(found.start, view.now):
        return await _booking(view, code, "late")
    try:
        await view.ask(change)
    except NotBooked as refusal:
        return await _booking(view, code, refusal.reason)
    return _to(view, code, did)


def _to(view: LaboratoryView, code: str, did: str) -> Response:
    more = urlencode({"lang": view.language, "did": did})
    return view.site.to(f"{booking_page(code)}&{more}")


@router.get("/calendar")
async def calendar(view: ThisView, seat: Code = "") -> Response:
    """The session as a file for the person's own calendar."""
    found: Booking | None = await view.ask(lambda bookings: bookings.of(seat))
    if found is None or found.seat is None:
        return await _booking(view, seat)
    study, length = view.site.study, view.settings.length
    title = study.title.get(view.language) or study.name
    text = calendar_file(
        f"{study.name}-{found.person}@{view.request.url.hostname}", found.start, found.start + length,
        title=title, place=view.settings.room, told=view.address(seat), changed_at=found.changed_at,
    )  # fmt: skip
    headers = {"Content-Disposition": 'attachment; filename="session.ics"'}
    return Response(text, media_type="text/calendar; charset=utf-8", headers=headers)
