"""Page of wizards, who play a system: waiting conversations, their messages, the reply.

Wizards sign in by a link of their own, for twelve hours, under a name by which the log calls them. What they
send goes through the room of the system's connector; everything is logged as the system's turns are.
"""

import asyncio
import time
from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from vivavoce.connectors.wizard_room import NotYours, Room, Seat
from vivavoce.participant.accounts import SIGN_IN_LIVES, Access
from vivavoce.participant.documents import read_document
from vivavoce.participant.i18n import accepted_language
from vivavoce.participant.sign_in import ThisAccess, access_of
from vivavoce.participant.site import Site, ThisSite, site_of

router = APIRouter(include_in_schema=False)
HOME: Final = "/wizard"
ROLE: Final = "wizard"
LONGEST_REPLY: Final = 4_000
LONGEST_NAME: Final = 40
WRITTEN: Final = ("free", "edited")


class NoWizard(Exception):
    """No wizard is signed in."""


def rooms_of(site: Site) -> dict[str, Room]:
    """The rooms of the study's systems that are people."""
    rooms = {
        name: getattr(connector, "room", None) for name, connector in site.engine.relay.connectors.items()
    }
    return {name: room for name, room in rooms.items() if room is not None}


def first_wizard_link(access: Access, base_url: str) -> str:
    """A link that signs a wizard in once, within a day."""
    return access.invite(ROLE, base_url.rstrip("/") + HOME)


def wizard_of(request: Request) -> str:
    """The name of the wizard who is signed in. Raises NoWizard."""
    site = site_of(request)
    token, name = request.cookies.get(cookie_of(site)), request.cookies.get(cookie_of(site, "-name"))
    who = access_of(request).who(token) if token else None
    if who is None or who.role != ROLE or not name:
        raise NoWizard
    return name[:LONGEST_NAME]


ThisWizard = Annotated[str, Depends(wizard_of)]


def cookie_of(site: Site, more: str = "") -> str:
    return f"{'__Secure-' if site.secure_cookies else ''}vivavoce-wizard-{site.study.name}{more}"


def wizard_page(request: Request, name: str, *, status: int = 200, **facts: Any) -> Response:
    return site_of(request).page(name, _language(request), status=status, home=HOME, **facts)


def _language(request: Request) -> str:
    """The study's language that the wizard's browser likes best."""
    return accepted_language(request.headers.get("accept-language", ""), site_of(request).study.languages)


def no_wizard(request: Request, _: Exception) -> Response:
    if request.url.path.endswith(HOME):
        return wizard_page(request, "wizard_door", status=401, token="", problem=False)
    return JSONResponse({"error": "not_signed_in"}, 401)


def not_yours(request: Request, _: Exception) -> Response:
    return JSONResponse({"error": "not_yours"}, 409)


@router.get(f"{HOME}/link/{{token}}")
def link(request: Request, access: ThisAccess, token: str) -> Response:
    """Shows what the link is for; only the form uses it, so that link previews do not."""
    good = access.link_role(token) == ROLE
    return wizard_page(
        request, "wizard_door", status=200 if good else 410, token=token if good else "", problem=False
    )


@router.post(f"{HOME}/link/{{token}}")
def use_link(
    request: Request,
    site: ThisSite,
    access: ThisAccess,
    token: str,
    name: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME or not (name.isascii() and name.isprintable()):
        return wizard_page(request, "wizard_door", status=422, token=token, problem=True)
    session = access.use_link(token) if access.link_role(token) == ROLE else None
    if session is None:
        return wizard_page(request, "wizard_door", status=410, token="", problem=False)
    answer = site.to(HOME)
    for cookie, value in ((cookie_of(site), session), (cookie_of(site, "-name"), name)):
        answer.set_cookie(
            cookie,
            value,
            max_age=int(SIGN_IN_LIVES.total_seconds()),
            path=site.base or "/",
            httponly=True,
            samesite="lax",
            secure=site.secure_cookies,
        )
    return answer


@router.get(HOME)
def home(request: Request, site: ThisSite, wizard: ThisWizard) -> Response:
    texts = [_instructions(room, _language(request)) for room in rooms_of(site).values()]
    documents = [read_document(text) for text in dict.fromkeys(texts) if text]
    return wizard_page(request, "wizard", wizard=wizard, documents=documents)


def _instructions(room: Room, language: str) -> str:
    texts = room.settings.instructions
    if isinstance(texts, str):
        return texts
    return texts.get(language) or next(iter(texts.values()), "")


# --- what the page's script asks -------------------------------------------------------------------------


class SeatIn(BaseModel):
    """A conversation, by its system and key."""

    system: str = Field(max_length=200)
    key: str = Field(max_length=200)


class ReplyIn(SeatIn):
    """Text to say."""

    text: str = Field(max_length=LONGEST_REPLY)
    ends: bool = False


@router.get(f"{HOME}/state")
async def state(
    request: Request,
    site: ThisSite,
    wizard: ThisWizard,
    after: Annotated[int, Query()] = -1,
    wait: Annotated[float, Query(ge=0, le=25)] = 0,
) -> Response:
    """The conversations as they are; waits for a change after a version."""
    rooms, now_s = rooms_of(site), time.monotonic()
    for room in rooms.values():
        room.here(wizard, now_s)
    if _version(rooms) <= after and wait:
        await _change(site, rooms, wait)
    now_s = time.monotonic()
    seats = [
        _seat(name, room, seat, wizard, now_s)
        for name, room in rooms.items()
        for seat in room.seats.values()
        if seat.wizard in (None, wizard)
    ]
    return JSONResponse({"version": _version(rooms), "seats": seats})


def _version(rooms: dict[str, Room]) -> int:
    return sum(room.version for room in rooms.values())


async def _change(site: Site, rooms: dict[str, Room], wait_s: float) -> None:
    waiting = [asyncio.ensure_future(room.changed(room.version)) for room in rooms.values()]
    waiting.append(asyncio.ensure_future(site.closing.wait()))
    with suppress(TimeoutError):
        await asyncio.wait(waiting, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


def _seat(system: str, room: Room, seat: Seat, wizard: str, now_s: float) -> dict[str, Any]:
    """A conversation as its wizard sees it; of one that waits only that it does."""
    facts = {
        "system": system,
        "key": seat.key,
        "language": seat.language,
        "mine": seat.wizard == wizard,
        "waited_s": round(now_s - seat.since_s, 1),
    }
    if seat.wizard != wizard:
        return facts
    return facts | {
        "replaces": room.settings.replaces,
        "free_text": room.settings.free_text,
        "strategy": seat.strategy,
        "lines": [{"party": line.party, "text": line.text} for line in seat.lines],
        "turn": seat.asked,
        "may_speak": seat.reply is not None and not seat.reply.done(),
        "proposal": seat.proposal,
        "closing": seat.closing,
        "understood": seat.understood,
        "prompts": room.settings.prompts,
        "script": room.settings.strategies.get(seat.strategy, {}),
    }


@router.post(f"{HOME}/take")
async def take(site: ThisSite, wizard: ThisWizard, seat: SeatIn) -> Response:
    _room(site, seat).take(seat.key, wizard)
    return JSONResponse({"taken": True})


@router.post(f"{HOME}/release")
async def release(site: ThisSite, wizard: ThisWizard, seat: SeatIn) -> Response:
    _room(site, seat).release(seat.key, wizard)
    return JSONResponse({"released": True})


@router.post(f"{HOME}/say")
async def say(site: ThisSite, wizard: ThisWizard, reply: ReplyIn) -> Response:
    """Send the reply; where it came from is judged by its words, not by what the browser says."""
    room = _room(site, reply)
    seat = room.seats.get(reply.key)
    text = reply.text.strip()
    if seat is None:
        raise NotYours
    if not text and not reply.ends:
        return JSONResponse({"error": "empty"}, 422)
    message = room.worded(seat, wizard, text, ends=reply.ends)
    if message.source in WRITTEN and not room.settings.free_text:
        return JSONResponse({"error": "scripted_only"}, 422)
    room.say(reply.key, message)
    return JSONResponse({"said": True})


def _room(site: Site, seat: SeatIn) -> Room:
    room = rooms_of(site).get(seat.system)
    if room is None:
        raise NotYours
    return room
