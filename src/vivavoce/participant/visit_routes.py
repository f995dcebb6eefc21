"""Pages of a visit and actions of their forms. Late requests lead to the current page."""

import asyncio
from dataclasses import replace
from secrets import token_urlsafe
from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field

from vivavoce.core.errors import LogError
from vivavoce.log.follow_ups import invited_as, invited_person, visits_of
from vivavoce.log.models import TEAM
from vivavoce.participant.documents import read_document
from vivavoce.participant.forms import asked_form
from vivavoce.participant.i18n import accepted_language, shown_instant
from vivavoce.participant.present import visit_page
from vivavoce.participant.sign_in import access_of
from vivavoce.participant.site import NoVisit, Site, ThisSite, ThisVisit, information_sheet, visit_of
from vivavoce.steps.form import filled_form
from vivavoce.study.channel import channel_of
from vivavoce.study.recruiter import (
    RECRUITERS,
    Admission,
    HandBack,
    NotAdmitted,
    NoticeRefused,
    framing_origins,
    recruiter_for,
)
from vivavoce.trial.engine import Opened
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.state import VisitState

router = APIRouter(include_in_schema=False)
Step = Annotated[int, Form(ge=0, le=10_000)]


class Arrival(BaseModel):
    """The Start button: a language, a key that makes a double click one visit, perhaps an identifier.

    sent  the parameters of the link, where a recruiter sent them
    team  the token of an address by which the team tries the study out
    """

    language: str = Field("", max_length=35)
    key: str = Field("", max_length=64)
    participant: str = Field("", max_length=200)
    sent: str = Field("", max_length=8000)
    team: str = Field("", max_length=200)


def wanted_language(site: Site, request: Request, wish: str | None) -> str:
    """The language that was asked for, else the one that the browser likes best."""
    languages = site.study.languages
    return (
        wish
        if wish in languages
        else accepted_language(request.headers.get("accept-language", ""), languages)
    )


@router.get("/")
async def information(request: Request, site: ThisSite, lang: str | None = None) -> HTMLResponse:
    """Start page of the study. Starts nothing: previews and curious clicks use up no invitation."""
    under_way = False
    try:
        state = await site.engine.state(await visit_of(request))
        under_way = state.phase != "ended"
        lang = lang or state.language
    except (NoVisit, Refused):
        pass
    language = wanted_language(site, request, lang)
    identity = site.study.identity
    participant = request.query_params.get(identity.parameter, "")[:200]
    invited, sent, preview, pool = bool(participant) or identity.anonymous, "", False, ""
    team = request.query_params.get("team", "")[:200]
    tried = bool(team) and await asyncio.to_thread(access_of(request).tries_out, team)
    if tried:
        invited, under_way = True, False
    elif team:  # an old address: whoever follows it means to count as nobody
        invited, under_way = False, False
    elif site.study.recruitment:
        parameters = request.query_params.multi_items()
        participant, sent = "", urlencode([parameter for parameter in parameters if parameter[0] != "lang"])
        recruiter_match = recruiter_for(site.study.recruitment, request.query_params)
        invited, pool = (
            recruiter_match is not None,
            recruiter_match[0].name if recruiter_match is not None else "",
        )
        preview = recruiter_match is not None and recruiter_match[0].previews(
            recruiter_match[1], request.query_params
        )
    under_way = under_way and not sent  # a ticket leads to its own visit, also in a browser that has another
    if not invited and not under_way:
        return site.page("message", language, status=403, kind="no_invitation")
    return site.page(
        "information",
        language,
        under_way=under_way,
        participant=participant,
        parameter=identity.parameter,
        sent=sent,
        key=token_urlsafe(16),
        preview=preview,
        tried=tried,
        team=team if tried else "",
        **information_sheet(site.study, language, pool),
    )


@router.post("/start")
async def start(request: Request, site: ThisSite, arrival: Annotated[Arrival, Form()]) -> Response:
    """Open a visit, or go on with the one that this browser has.

    An identifier proves nothing: whoever knows it could read another's visit and speak in it. What it has
    opened is open to the browser that holds its token, and to the page that opened it, pressed twice.
    """
    mine, running = None, False
    try:
        mine = await visit_of(request)
        running = (await site.engine.state(mine)).phase != "ended"
    except (NoVisit, Refused):
        pass
    tried = bool(arrival.team) and await asyncio.to_thread(access_of(request).tries_out, arrival.team)
    if running and not arrival.sent and not tried:
        return site.to("/visit")
    site.count_visit(request)
    language = wanted_language(site, request, arrival.language)
    try:
        if arrival.team and not tried:
            raise NotAdmitted("no_invitation")
        pool, admission = (TEAM, Admission()) if tried else await _admission(site, arrival)
        if running and admission.ticket is None and not tried:
            return site.to("/visit")
        opened = await site.engine.open_visit(
            language=language,
            pool=pool,
            person=admission.person,
            ticket=admission.ticket or (f"page:{arrival.key}" if arrival.key else None),
            key=arrival.key or None,
            verified=admission.verified or None,
            once=admission.once,
            participant_id=admission.participant,
            until=admission.until,
            team=tried,
        )
    except NotAdmitted as refusal:
        if refusal.page is not None:
            return site.to(refusal.page)
        at = shown_instant(refusal.at, language) if refusal.at is not None else None
        return site.page("message", language, status=403, kind=refusal.kind, at=at)
    except Refused as refusal:
        status, kind = (403, "came_before") if refusal.reason == "came_before" else (503, "paused")
        return site.page("message", language, status=status, kind=kind)
    if opened.resumed and opened.visit_id == mine:
        return site.to("/visit")
    if opened.resumed and not opened.same_page and admission.page is not None:
        return site.to(admission.page)
    if opened.resumed and not opened.same_page and not admission.verified:
        return site.page("message", language, status=403, kind="begun_elsewhere")
    response = site.to("/visit")
    framed = bool(framing_origins({pool: site.study.recruitment[pool]} if site.study.recruitment else {}))
    site.remember(response, await _token(site, opened), framed=framed)
    return response


async def _admission(site: Site, arrival: Arrival) -> tuple[str, Admission]:
    """Recruiter's pool and admission of an arrival. Raises NotAdmitted."""
    if site.study.recruitment:
        sent = dict(parse_qsl(arrival.sent, keep_blank_values=True))
        match = recruiter_for(site.study.recruitment, sent)
        if match is None:
            raise NotAdmitted("no_invitation")
        recruiter, settings = match
        study, log = site.study.name, site.engine.log
        admission = await asyncio.to_thread(recruiter.admit, settings, study, log, sent)
        return recruiter.name, await asyncio.to_thread(_known_again, site, recruiter.name, admission)
    identity, person = site.study.identity, arrival.participant.strip() or None
    unreadable = person is not None and not person.isprintable()
    if unreadable or (person is None and not identity.anonymous):
        raise NotAdmitted("no_invitation")
    by_person = person is not None and not identity.several_visits
    return "link", Admission(ticket=f"person:{person}" if by_person else None, person=person)


def _known_again(site: Site, pool: str, admission: Admission) -> Admission:
    """Admission under the pseudonym of the session that this study follows, within the time for it.

    Raises  NotAdmitted: they did not complete that session, or come too early or too late
    """
    follow_up, study, log = site.study.follow_up, site.study.name, site.engine.log
    if follow_up is None:
        return admission
    admission_before = None
    if admission.participant is not None:
        with log.reading() as connection:
            admission_before = invited_as(connection, study, admission.participant)
    elif admission.person is not None:
        admission_before = invited_person(log, study, pool, admission.person)
    if admission_before is None:
        raise NotAdmitted("no_invitation")
    if not visits_of(log, study, admission_before.participant_id):
        now, opens = log.clock.now(), follow_up.opens(admission_before.completed_at)
        closes = follow_up.closes(admission_before.completed_at)
        if now < opens:
            raise NotAdmitted("early", at=opens)
        if closes is not None and now >= closes:
            raise NotAdmitted("late", at=closes)
    return replace(admission, participant=admission_before.participant_id, once=True)


@router.post("/recruiters/{name}/notices")
async def notice(name: str, request: Request, site: ThisSite) -> Response:
    """Notice from a recruiter's platform; the reply only says if it was accepted."""
    settings = site.study.recruitment.get(name)
    if settings is None:
        return JSONResponse({"error": "unexpected"}, 404)
    study, log, body = site.study.name, site.engine.log, await request.body()
    headers = dict(request.headers)
    try:
        await asyncio.to_thread(RECRUITERS.get(name).receive, settings, study, log, headers, body)
    except NoticeRefused as refusal:
        statuses = {"unexpected": 404, "unreadable": 400}
        return JSONResponse({"error": refusal.reason}, statuses.get(refusal.reason, 403))
    return Response(status_code=204)


async def _token(site: Site, opened: Opened) -> str:
    return opened.token or await site.engine.new_token(opened.visit_id)


@router.get("/visit")
async def visit(
    site: ThisSite,
    visit_id: ThisVisit,
    problem: str | None = None,
    confirm: str | None = None,
    view: Annotated[str, Query(max_length=20)] = "",
    again: bool = False,  # in pages opened before
) -> HTMLResponse:
    """Current page of the visit, whatever page the browser shows."""
    state = await site.engine.state(visit_id)
    view = "again" if again else view
    if state.phase == "ended":
        return await asyncio.to_thread(_end_page, site, state)
    return visit_page(site, state, problem=problem, confirm=confirm == "end", view=view)


def _end_page(site: Site, state: VisitState) -> HTMLResponse:
    try:
        fingerprint = site.engine.log.fingerprint(state.visit_id)
    except LogError:  # its server is away; the page tells the code all the same
        fingerprint = None
    return visit_page(site, state, back=_hand_back(site, state), fingerprint=fingerprint)


def _hand_back(site: Site, state: VisitState) -> HandBack | None:
    """Recruiter's completion details for a finished visit; None without a recruiter."""
    settings = site.study.recruitment.get(state.pool)
    if settings is None:
        return None
    log, code = site.engine.log, state.completion_code
    recruiter, study = RECRUITERS.get(state.pool), site.study.name
    return recruiter.hand_back_visit(settings, study, log, state.visit_id, state.outcome, code)


@router.post("/consent")
async def consent(
    site: ThisSite,
    visit_id: ThisVisit,
    step: Step,
    document: Annotated[str, Form(max_length=64)],
    answer: Annotated[str, Form(max_length=10)],
) -> Response:
    state = await site.engine.state(visit_id)
    current = state.current_step
    if current is None or read_document(site.study.text(current, state.language)).digest != document:
        raise Stale("another text was shown")
    await site.engine.give_consent(visit_id, step, agreed=answer == "agree", document=document)
    return site.to("/visit")


@router.post("/read")
async def read(site: ThisSite, visit_id: ThisVisit, step: Step) -> Response:
    await site.engine.read_page(visit_id, step)
    return site.to("/visit")


@router.post("/answers")
async def answers(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """Store a questionnaire; with something missing, show it again as it was filled in."""
    entered = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    form = asked_form(site.study, await site.engine.state(visit_id))
    place = tuple(_whole(entered.get(name, "")) for name in ("step", "round", "position"))
    if form is None or place != form.place:
        raise Stale("another questionnaire is being asked")
    form = filled_form(form, entered)
    read_otherwise = entered.get("language") != form.language  # the labels that were read are not these
    if form.missing or read_otherwise:
        site.unfinished.keep(visit_id, form.place, form.entered)
        return site.to("/visit")
    await site.engine.forms.answer(
        visit_id,
        step=form.step,
        round=form.round,
        position=form.position,
        instrument=form.instrument.name,
        wording=form.wording.origin,
        ratings=form.ratings,
    )
    site.unfinished.forget(visit_id)
    return site.to("/visit")


def _whole(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


@router.post("/code")
async def code(
    site: ThisSite, visit_id: ThisVisit, entered: Annotated[str, Form(max_length=100)] = ""
) -> Response:
    """Check an earned code."""
    state = await site.engine.state(visit_id)
    held_elsewhere = state.phase == "chat" and (
        state.dialogue_plan.external is not None or channel_of(state.dialogue_plan.channel) is not None
    )
    if held_elsewhere:
        return site.to("/visit?problem=not_over")
    verdict = await site.engine.enter_code(visit_id, entered)
    return site.to("/visit" if verdict.accepted else f"/visit?problem={verdict.problem}")


@router.post("/dialogue/next")
async def next_dialogue(
    site: ThisSite, visit_id: ThisVisit, step: Step, round: Annotated[int, Form(ge=0)]
) -> Response:
    await site.engine.next_dialogue(visit_id, step, round)
    return site.to("/visit")


@router.post("/dialogue/finish")
async def finish(site: ThisSite, visit_id: ThisVisit, step: Step) -> Response:
    await site.engine.finish_dialogues(visit_id, step)
    return site.to("/visit")


@router.post("/language")
async def language(
    site: ThisSite, visit_id: ThisVisit, language: Annotated[str, Form(max_length=35)]
) -> Response:
    await site.engine.choose_language(visit_id, language)
    return site.to("/visit")


@router.get("/leave")
async def leave(site: ThisSite, visit_id: ThisVisit) -> Response:
    """Ask whether the participant wants to stop taking part."""
    state = await site.engine.state(visit_id)
    if state.phase == "ended":
        return site.to("/visit")
    return site.page("leave", state.language, state=state)


@router.post("/withdraw")
async def withdraw(site: ThisSite, visit_id: ThisVisit) -> Response:
    await site.engine.withdraw(visit_id)
    return site.to("/visit")
