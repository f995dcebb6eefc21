"""The dashboard of a campaign: all submissions for the organiser, its own for a team."""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Annotated, Final

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.connectors.discovery import NotFound
from vivavoce.connectors.probe import Hello
from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app import serve_pages
from vivavoce.dashboard.app_shell import AppShell, desk_of, page_environment
from vivavoce.dashboard.language import gettext, language, told, worded
from vivavoce.dashboard.security import Needs, OwnForm, needs_role, who_of
from vivavoce.dashboard.security import field as submitted
from vivavoce.dashboard.study_editor.request_form import RequestForm
from vivavoce.languages.base import language_name
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access, SignedIn
from vivavoce_campaign import submissions
from vivavoce_campaign.answers import (
    LONGEST,
    TEXTS,
    VERDICTS,
    check_answers,
    questions_in,
    summary,
    take_in_answers,
)
from vivavoce_campaign.campaign_file import CAMPAIGN_FILE, Campaign, check_settings
from vivavoce_campaign.drafts import draft
from vivavoce_campaign.dry_run import last_try, try_out
from vivavoce_campaign.greeting import WrongSettings, greet
from vivavoce_campaign.new_campaign import Described, begin_at, check_new
from vivavoce_campaign.places import answers_folder, place_of, report_of
from vivavoce_campaign.setup import status
from vivavoce_campaign.stages import FOR, REMARKS, TITLES
from vivavoce_campaign.submission_file import Submission

TEAM: Final = "team"
ORGANISER: Final = "researcher"
FIELDS: Final = {
    "submission": 64,
    "team": 200,
    "title": 200,
    "domain": 1000,
    "intents": 8000,
    "interface": 200,
    "channel": 20,
    "access": 20,
    "languages": 200,
    "connect": 40,
    "url": 1000,
}
BEGINNING: Final = {
    "name": 64,
    "url": 1000,
    "team": 200,
    "languages": 200,
    "intents": 8000,
    "entities": 8000,
    "domain": 1000,
    "channel": 20,
}
TRIED_BY: Final = 3  # simulated users
Organiser: Final = Depends(Needs(ORGANISER))
CHANNELS: Final = (N_("written"), N_("spoken"), N_("multimodal"))
ACCESSES: Final = (N_("on-line"), N_("off-line"), N_("telephone"))
KINDS: Final = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}
router = APIRouter()


@dataclass(kw_only=True)
class CampaignDesk(AppShell):
    """Dependencies of a campaign's pages.

    tries  systems that simulated users are trying now (None), or could not, and why
    """

    folder: Path
    tries: dict[str, str | None] = field(default_factory=dict)

    @property
    def title(self) -> str:
        settings, _ = check_settings(self.folder)
        return settings.name(language()) if settings else self.folder.name

    def menu(self, who: SignedIn) -> list[tuple[str, str]]:
        pages = [("/", gettext("Campaign"))]
        return [*pages, ("/answers", gettext("Team feedback"))] if who.may(ORGANISER) else pages


Desk_ = Annotated[CampaignDesk, Depends(desk_of)]


def organiser_or_team(request: Request) -> SignedIn:
    """A dependency: whoever may see pages of a campaign."""
    who = who_of(request)
    if not (who.may(ORGANISER) or who.role == TEAM):
        roles = gettext("%(one)s or %(other)s", one=worded(TEAM), other=worded(ORGANISER))
        raise HTTPException(403, needs_role(roles, who.role))
    return who


Who_ = Annotated[SignedIn, Depends(organiser_or_team)]


@router.get("/")
def home(request: Request, desk: Desk_, who: Who_) -> Response:
    """The submissions that this person may see, with how far each is. Without a campaign, its beginning."""
    if who.may(ORGANISER) and not (desk.folder / CAMPAIGN_FILE).exists():
        return RedirectResponse("/begin", 303)
    return _home(request, desk, who)


@router.post("/invite", dependencies=[Depends(Needs("owner"))])
def invite(request: Request, desk: Desk_, form: OwnForm) -> Response:
    """Invite link for a team; it is shown this once."""
    return _home(request, desk, who_of(request), link=desk.access.invite(TEAM, str(request.base_url)))


@router.get("/submit")
def blank(request: Request, desk: Desk_, who: Who_, name: str = "") -> Response:
    """The form, empty or with a submission to be changed."""
    form = submissions.as_form(_sound(desk.folder, name, who)) if name else dict.fromkeys(FIELDS, "")
    return _form(request, desk, form, [])


@router.post("/submit")
def submit(request: Request, desk: Desk_, who: Who_, form: OwnForm) -> Response:
    """Take a submission in; what is wrong is told beside what was typed."""
    typed = {name: submitted(form, name, most=most) for name, most in FIELDS.items()}
    submission, wrong = submissions.submission_of(typed)
    if submission is None:
        return _form(request, desk, typed, wrong, 422)
    try:
        submissions.take_in(desk.folder, submissions.completed(desk.folder, submission), who.account_id or "")
    except InputError as error:
        return _form(request, desk, typed, [told(error)], 422)
    return RedirectResponse(f"/systems/{submission.submission}", 303)


@router.get("/systems/{name}")
def system(name: str, request: Request, desk: Desk_, who: Who_) -> Response:
    """One submission: what was said, how far it is, its reports."""
    return _system(request, desk, name, who)


@router.post("/systems/{name}/check")
def check(name: str, request: Request, desk: Desk_, who: Who_, form: OwnForm) -> Response:
    """Say hello to the system."""
    submission = _sound(desk.folder, name, who)
    return _system(request, desk, name, who, hello=greet(_campaign(desk.folder, submission), submission).came)


@router.get("/begin", dependencies=[Organiser])
def begin_blank(request: Request, desk: Desk_) -> Response:
    """The form with which a campaign, or a further system, begins."""
    return _begin_form(request, desk, {**dict.fromkeys(BEGINNING, ""), "languages": language()})


@router.post("/begin", dependencies=[Organiser])
def begin(request: Request, desk: Desk_, form: OwnForm) -> Response:
    """Greet a system and write its submission and study; what is wrong is told beside what was typed."""
    typed = {name: submitted(form, name, most=most) for name, most in BEGINNING.items()}
    described = Described(
        name=typed["name"],
        team=typed["team"] or typed["name"],
        domain=typed["domain"],
        languages=re.findall(r"[\w-]+", typed["languages"]),
        intents=_lines(typed["intents"]),
        entities=_lines(typed["entities"]),
        spoken=typed["channel"] == "spoken",
    )
    request_form = RequestForm.typed(form) if submitted(form, "with") else None
    if not described.languages:
        return _begin_form(request, desk, typed, gettext("Enter the system's languages."))
    try:
        check_new(desk.folder, described)
        greeted = request_form.greet(typed["url"]) if request_form else None
        discovery, setup = asyncio.run(begin_at(desk.folder, described, typed["url"], greeted))
    except InputError as error:
        request_form = RequestForm.of_refusal(error) if isinstance(error, NotFound) else request_form
        return _begin_form(request, desk, typed, told(error), request_form)
    written_paths = [path.relative_to(desk.folder) for path in setup.written]
    return desk.page(
        request, "campaign_begun.html", name=described.name, found=discovery, written=written_paths
    )


@router.post("/systems/{name}/try", dependencies=[Organiser])
def try_system(name: str, desk: Desk_, who: Who_, form: OwnForm) -> Response:
    """Let a few simulated users try the system, beside the pages; it counts nowhere."""
    submission = _sound(desk.folder, name, who)
    campaign = _campaign(desk.folder, submission)
    if desk.tries.get(name, "") is not None:
        desk.tries[name] = None
        Thread(target=_try, args=(desk.tries, campaign, submission), daemon=True).start()
    return RedirectResponse(f"/systems/{name}", 303)


@router.get("/systems/{name}/answers")
def sheet(name: str, request: Request, desk: Desk_, who: Who_) -> Response:
    """Evaluation form of a team: the questions, with its saved answers."""
    _sound(desk.folder, name, who)
    given_answers, _ = (
        check_answers(path) if (path := answers_folder(desk.folder) / f"{name}.yaml").is_file() else (None, 0)
    )
    answers = (
        {key: str(answer) for key, answer in given_answers.model_dump().items()} if given_answers else {}
    )
    return _sheet(request, desk, name, answers, saved=given_answers is not None)


@router.post("/systems/{name}/answers")
def answer(name: str, request: Request, desk: Desk_, who: Who_, form: OwnForm) -> Response:
    """Take in what a team says of the evaluation."""
    _sound(desk.folder, name, who)
    typed = {key: submitted(form, key, most=LONGEST) for key in (*VERDICTS, *TEXTS, "again")}
    if take_in_answers(desk.folder, {**typed, "system": name}):
        return _sheet(request, desk, name, typed, wrong=True)
    return RedirectResponse(f"/systems/{name}/answers", 303)


@router.get("/answers", dependencies=[Organiser])
def all_answers(request: Request, desk: Desk_) -> Response:
    """All teams' answers about the evaluation."""
    sound = [
        submission
        for submission, _ in submissions.submissions_in(desk.folder).values()
        if submission is not None
    ]
    try:
        answers_summary = summary(_campaign(desk.folder, *sound))
    except InputError as error:
        raise HTTPException(409, told(error)) from None
    return desk.page(
        request,
        "campaign_answers.html",
        told=answers_summary,
        questions=questions_in(language()),
        again=_again(),
    )


@router.get("/systems/{name}/{language}.{kind}")
def report(name: str, language: str, kind: str, desk: Desk_, who: Who_) -> Response:
    """A report, to be kept."""
    submission = _sound(desk.folder, name, who)
    campaign = _campaign(desk.folder, submission)
    if kind not in KINDS or language not in campaign.settings.reports:
        raise HTTPException(404, gettext("Report not found."))
    path = report_of(campaign, submission.submission, language, kind)
    if not path.is_file():
        raise HTTPException(404, gettext("This report does not exist yet."))
    headers = {"Content-Security-Policy": "sandbox; default-src 'none'"}
    return FileResponse(path, media_type=KINDS[kind], filename=path.name, headers=headers)


def _mine(folder: Path, who: SignedIn) -> list[str]:
    """The names of the submissions that this person may see."""
    names = list(submissions.submissions_in(folder))
    if who.may(ORGANISER):
        return names
    owners = submissions.owners_of(folder)
    return [name for name in names if owners.get(name) == who.account_id]


def _sound(folder: Path, name: str, who: SignedIn) -> Submission:
    """A submission that this person may see. One of another team is as if it were not there."""
    if name not in _mine(folder, who):
        raise HTTPException(404, gettext("Submission not found."))
    submission, problems = submissions.submissions_in(folder)[name]
    if submission is None:
        raise HTTPException(409, str(problems[0]))
    return submission


def _campaign(folder: Path, *submissions: Submission) -> Campaign:
    settings, problems = check_settings(folder)
    if settings is None:
        raise HTTPException(409, str(problems[0]))
    return Campaign(folder, settings, submissions)


def _home(request: Request, desk: CampaignDesk, who: SignedIn, *, link: str = "") -> Response:
    all_submissions = submissions.submissions_in(desk.folder)
    mine = {name: all_submissions[name] for name in _mine(desk.folder, who)}
    sound = [submission for submission, _ in mine.values() if submission is not None]
    campaign = _campaign(desk.folder, *sound)
    facts = {
        "submissions": sound,
        "states": {system_status.system: system_status for system_status in status(campaign)},
        "broken": {
            name: list(map(str, wrong)) for name, (submission, wrong) in mine.items() if submission is None
        },
        "organiser": who.may(ORGANISER),
        "owner": who.may("owner"),
        "link": link,
        "settings": campaign.settings,
        "titles": TITLES,
        "whom": FOR,
        "notes": REMARKS,
    }
    return desk.page(request, "campaign.html", **facts)


def _form(
    request: Request, desk: CampaignDesk, form: dict[str, str], wrong: list[str], code: int = 200
) -> Response:
    choices = {"channels": CHANNELS, "accesses": ACCESSES, "connectors": submissions.CONNECTORS}
    return desk.page(request, "campaign_form.html", code, form=form, wrong=wrong, most=FIELDS, **choices)


def _system(
    request: Request,
    desk: CampaignDesk,
    name: str,
    who: SignedIn,
    *,
    hello: Hello | WrongSettings | None = None,
) -> Response:
    submission = _sound(desk.folder, name, who)
    campaign = _campaign(desk.folder, submission)
    reports = [
        (tag, language_name(tag), kind)
        for tag in campaign.settings.reports
        for kind in KINDS
        if report_of(campaign, name, tag, kind).is_file()
    ]
    state = status(campaign)[0]
    return desk.page(
        request,
        "campaign_system.html",
        one=submission,
        state=state,
        reports=reports,
        hello=hello,
        notes=REMARKS,
        older=any(stage.note in ("older", "stale") for stage in state.stages),
        spoken=[language_name(tag) for tag in submission.languages],
        titles=TITLES,
        whom=FOR,
        organiser=who.may(ORGANISER),
        tried=last_try(place_of(campaign, name)),
        texts={intent.intent_id: intent.said(language()) for intent in submission.intents},
        trying=desk.tries.get(name, "") is None,
        not_tried=desk.tries.get(name),
    )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _begin_form(
    request: Request,
    desk: CampaignDesk,
    form: dict[str, str],
    wrong: str = "",
    request_form: RequestForm | None = None,
) -> Response:
    """Input   asked: the request as somebody is to describe it, where no other was answered"""
    code = 422 if wrong else 200
    return desk.page(
        request,
        "campaign_begin.html",
        code,
        form=form,
        wrong=wrong,
        most=BEGINNING,
        channels=CHANNELS[:2],
        asked=request_form,
        by_hand="",
    )


def _try(tries: dict[str, str | None], campaign: Campaign, submission: Submission) -> None:
    name = submission.submission
    try:
        draft(campaign, submission)
        try_out(campaign, submission, lambda *_: None, users=TRIED_BY)
        del tries[name]
    except VivavoceError as error:
        tries[name] = str(error)


def _sheet(
    request: Request,
    desk: CampaignDesk,
    name: str,
    answers: dict[str, str],
    *,
    saved: bool = False,
    wrong: bool = False,
) -> Response:
    form = {**dict.fromkeys((*VERDICTS, *TEXTS, "again"), ""), **answers}
    return desk.page(
        request,
        "campaign_sheet.html",
        422 if wrong else 200,
        name=name,
        form=form,
        saved=saved,
        wrong=wrong,
        questions=questions_in(language()),
        codes=[(str(code), code) for code in range(5)],
        again=_again(),
        longest=LONGEST,
    )


def _again() -> list[tuple[str, str]]:
    return [("yes", gettext("yes")), ("with_changes", gettext("with changes")), ("no", gettext("no"))]


def create_campaign_desk(folder: Path, log: Log, *, secure_cookies: bool = False) -> FastAPI:
    """The pages of the campaign in this folder; accounts are kept in the log."""
    cookie = "__Host-vivavoce-campaign" if secure_cookies else "vivavoce-campaign"
    templates = page_environment(Path(__file__).parent / "templates")
    desk = CampaignDesk(
        access=Access(log), cookie=cookie, secure=secure_cookies, templates=templates, folder=folder
    )
    return serve_pages(desk, router)
