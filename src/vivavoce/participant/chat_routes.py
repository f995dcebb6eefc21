"""The conversation in the page: turns with keys, news by long poll, the end; forms where scripts are off."""

import asyncio
import json
import math
from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel, Field, ValidationError

from vivavoce.connectors.pictures import picture_at
from vivavoce.core.errors import LogError
from vivavoce.core.text import well_formed
from vivavoce.participant.site import ThisSite, ThisVisit, TooMany, site_of, visit_of
from vivavoce.participant.transcript import growing, news, offered, payload_of, pictures_of
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.state import VisitState

router = APIRouter(include_in_schema=False)
Key = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
LONGEST_DELAY_S = 86_400.0
STEPS_TO_THE_SYSTEM: Final = 2  # rounds of the event loop: the system is asked before the page is told


class TurnIn(BaseModel):
    """One user turn as the page sends it; the same key however often it is sent."""

    key: Key
    dialogue_id: str = Field(max_length=64)
    text: str
    payload: str | None = None
    response_delay_s: float | None = None
    first_key_delay_s: float | None = None
    tab: str = Field("", max_length=64)


class NewsWish(BaseModel):
    """The question for what happened after an event, in seconds to wait for it."""

    after: int = Field(0, ge=0)
    wait: float = Field(0, ge=0, le=25)
    dialogue_id: str = Field("", max_length=64)
    tab: str = Field("", max_length=64)


class EndIn(BaseModel):
    """The wish to end a dialogue; user_turns counts every turn that the page has ever made."""

    dialogue_id: str = Field(max_length=64)
    user_turns: int = Field(ge=0)
    confirmed: bool = False


def _problem(reason: str, status: int) -> JSONResponse:
    """A word that the page translates; 409: something stands against it; 429, 503: send it again."""
    headers = {"Retry-After": "2"} if status in (429, 503) else {}
    return JSONResponse({"error": reason}, status, headers)


async def _attempt(work) -> JSONResponse | Any:
    """The result of a call into the engine, or its refusal as an answer for the page."""
    try:
        return await work
    except Refused as refusal:
        return _problem(refusal.reason, 422 if refusal.reason in ("too_long", "empty") else 409)
    except Stale:
        return _problem("stale", 409)
    except LogError:
        return _problem("not_saved", 503)


@router.get("/events")
async def events(request: Request) -> Response:
    """Events after a given one; waits for them. Also returns the state of the visit."""
    site, visit_id = site_of(request), await visit_of(request)
    try:
        wish = NewsWish.model_validate(dict(request.query_params))
    except ValidationError:
        return _problem("bad_request", 422)
    if wish.tab and not site.tabs.is_newest(visit_id, wish.tab):
        return JSONResponse({"superseded": True})
    stored = await site.news(visit_id, wish.after, wish.wait)
    state = await site.engine.state(visit_id)
    plan = state.dialogues_due
    return JSONResponse(
        {
            "superseded": bool(wish.tab) and not site.tabs.is_newest(visit_id, wish.tab),
            "events": news(stored, wish.dialogue_id, plan.shows if plan is not None else ()),
            "seq": max(wish.after, stored[-1].seq if stored else 0),
            **_standing(state, wish.dialogue_id),
        }
    )


def _standing(state: VisitState, dialogue_id: str) -> dict[str, Any]:
    dialogue = state.dialogue
    running = dialogue is not None and dialogue.dialogue_id == dialogue_id and dialogue.running
    if not running or dialogue is None:
        limit = next(
            (dialogue.limit for dialogue in state.dialogues if dialogue.dialogue_id == dialogue_id), None
        )
        standing = {
            "running": False,
            "waiting": False,
            "too_short": False,
            "phase": state.phase,
            "growing": "",
        }
        return {**standing, "limit": limit}
    step = state.dialogue_plan
    return {
        "running": True,
        "waiting": dialogue.unanswered is not None or not dialogue.greeted,
        "too_short": step.gate != "none" and not dialogue.nontrivial(step),
        "phase": state.phase,
        "growing": growing(dialogue),
    }


@router.post("/turns")
async def turns(request: Request) -> Response:
    """Take a user turn; the acknowledgement says that it is on disk."""
    site, visit_id = site_of(request), await visit_of(request)
    turn = await _turn_in(request)
    if turn is None:
        return _problem("bad_request", 422)
    if turn.tab and not site.tabs.is_newest(visit_id, turn.tab):
        return _problem("superseded", 409)
    try:
        site.count_turn(visit_id)
    except TooMany:
        return _problem("too_fast", 429)
    payload = None
    if turn.payload is not None:
        payload = _payload(await site.engine.state(visit_id), turn.dialogue_id, turn.payload)
        if payload is None:
            return _problem("bad_request", 422)
    site.posted(visit_id, turn.key)
    submitted = await _attempt(
        site.engine.say(
            visit_id,
            turn.dialogue_id,
            key=turn.key,
            text=turn.text,
            payload=payload,
            response_delay_s=_seconds(turn.response_delay_s),
            first_key_delay_s=_seconds(turn.first_key_delay_s),
        )
    )
    if isinstance(submitted, Response):
        return submitted
    for _ in range(STEPS_TO_THE_SYSTEM):
        await asyncio.sleep(0)
    return JSONResponse({"seq": submitted.seq, "turn_index": submitted.turn_index})


async def _turn_in(request: Request) -> TurnIn | None:
    """The turn in a body of JSON; None for anything else, such as a form."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        return None
    body = await request.body()
    try:
        return TurnIn.model_validate_json(body)
    except ValidationError:
        with suppress(ValueError, RecursionError):  # browsers send half a character where one was typed
            return TurnIn.model_validate(well_formed(json.loads(body)))
        return None


def _payload(state: VisitState, dialogue_id: str, pressed: str) -> str | None:
    """Payload of a pressed button; None for one that was not offered."""
    dialogues = [dialogue for dialogue in state.dialogues if dialogue.dialogue_id == dialogue_id]
    return payload_of(dialogues[0], pressed) if dialogues else None


def _seconds(measured: float | None) -> float | None:
    """A browser's measurement; null where it cannot be true."""
    return (
        measured
        if measured is not None and math.isfinite(measured) and 0 <= measured <= LONGEST_DELAY_S
        else None
    )


@router.post("/dialogue/end")
async def end(site: ThisSite, visit_id: ThisVisit, wish: EndIn) -> Response:
    """End the dialogue, unless turns of the page did not arrive; ask first when it earns nothing yet."""
    state = await site.engine.state(visit_id)
    if _asks_first(state, wish.dialogue_id) and not wish.confirmed:
        return _problem("too_short", 409)
    problem = await _attempt(site.engine.end_dialogue(visit_id, wish.dialogue_id, wish.user_turns))
    return problem if isinstance(problem, Response) else JSONResponse({"ended": True})


def _asks_first(state: VisitState, dialogue_id: str) -> bool:
    dialogue = state.dialogue
    if dialogue is None or dialogue.dialogue_id != dialogue_id or not dialogue.running:
        return False
    return state.dialogue_plan.gate != "none" and not dialogue.nontrivial(state.dialogue_plan)


# --- the same by plain forms, for browsers without scripts -----------------------------------------------


class TurnForm(BaseModel):
    """A turn typed, or one of the buttons offered (its place in the row)."""

    key: Key
    dialogue_id: str = Field(max_length=64)
    text: str = ""
    choice: int | None = Field(None, ge=0)


@router.post("/turns/form")
async def turns_form(site: ThisSite, visit_id: ThisVisit, turn: Annotated[TurnForm, Form()]) -> Response:
    site.count_turn(visit_id)
    state = await site.engine.state(visit_id)
    text, payload = turn.text, None
    if turn.choice is not None:
        text, payload = _chosen(state, turn.choice)
    try:
        await site.engine.say(visit_id, turn.dialogue_id, key=turn.key, text=text, payload=payload)
    except Refused as refusal:
        return site.to(f"/visit?problem={refusal.reason}")
    return site.to("/visit")


def _chosen(state: VisitState, place: int) -> tuple[str, str]:
    dialogue = state.dialogue
    buttons = offered(dialogue) if dialogue else []
    payload = payload_of(dialogue, buttons[place]["payload"]) if dialogue and place < len(buttons) else None
    if payload is None:
        raise Stale("this button is no longer available")
    return buttons[place]["title"], payload


@router.post("/dialogue/end/form")
async def end_form(
    site: ThisSite,
    visit_id: ThisVisit,
    dialogue_id: Annotated[str, Form(max_length=64)],
    confirmed: Annotated[str, Form(max_length=3)] = "",
) -> Response:
    state = await site.engine.state(visit_id)
    if _asks_first(state, dialogue_id) and not confirmed:
        return site.to("/visit?confirm=end")
    await site.engine.end_dialogue(visit_id, dialogue_id)
    return site.to("/visit")


PICTURE_HEADERS: Final = {
    "Cache-Control": "private, max-age=86400",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
}


@router.get("/picture/{dialogue_id}/{turn}/{number}")
async def picture(site: ThisSite, visit_id: ThisVisit, dialogue_id: str, turn: int, number: int) -> Response:
    """A picture that the system showed in this visit's dialogue."""
    state = await site.engine.state(visit_id)
    dialogue = next(
        (candidate for candidate in state.dialogues if candidate.dialogue_id == dialogue_id), None
    )
    addresses = pictures_of(dialogue, turn) if dialogue is not None else []
    if dialogue is None or not 0 <= number < len(addresses):
        return _missing_picture()
    private = bool(site.study.systems[dialogue.system].get("allow_private", False))
    image = await picture_at(addresses[number], allow_private=private)
    if not image:
        return _missing_picture()
    return Response(image.data, media_type=image.media_type, headers=PICTURE_HEADERS)


def _missing_picture() -> Response:
    return PlainTextResponse("This picture cannot be shown.", 404)
