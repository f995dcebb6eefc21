"""The dashboard of a campaign: all submissions for the organiser, its own for a team."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.connectors.probe import Hello
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.desk.app import serve_pages
from vivavoce.desk.app_shell import AppShell, desk_of, page_environment
from vivavoce.desk.language import gettext, language, told, worded
from vivavoce.desk.security import Needs, OwnForm, field, needs_role, who_of
from vivavoce.log.store import Log
from vivavoce.web.accounts import Access, SignedIn
from vivavoce_campaign import submissions
from vivavoce_campaign.campaign_file import Campaign, check_settings
from vivavoce_campaign.greeting import WrongSettings, greet
from vivavoce_campaign.places import report_of
from vivavoce_campaign.setup import status
from vivavoce_campaign.stages import FOR, TITLES
from vivavoce_campaign.submission_file import Submission

TEAM: Final = "team"
ORGANISER: Final = "researcher"
FIELDS: Final = {
    "submission": 64, "team": 200, "title": 200, "domain": 1000, "intents": 8000, "interface": 200,
    "channel": 20, "access": 20, "languages": 200, "connect": 40, "url": 1000,
}  # fmt: skip
CHANNELS: Final = (N_("written"), N_("spoken"), N_("multimodal"))
ACCESSES: Final = (N_("on-line"), N_("off-line"), N_("telephone"))
KINDS: Final = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}
router = APIRouter()


@dataclass(kw_only=True)
class CampaignDesk(AppShell):
    """What the pages of a campaign draw on."""

    folder: Path

    @property
    def title(self) -> str:
        settings, _ = check_settings(self.folder)
        return settings.name(language()) if settings else self.folder.name

    def menu(self, who: SignedIn) -> list[tuple[str, str]]:
        return [("/", gettext("Campaign"))]


Desk_ = Annotated[CampaignDesk, Depends(desk_of)]


def organiser_or_team(request: Request) -> SignedIn:
    """A dependency: whoever may see pages of a campaign."""
    who = who_of(request)
    if not (who.may(ORGANISER) or who.role == TEAM):
        wanted = gettext("%(one)s or %(other)s", one=worded(TEAM), other=worded(ORGANISER))
        raise HTTPException(403, needs_role(wanted, who.role))
    return who


Who_ = Annotated[SignedIn, Depends(organiser_or_team)]


@router.get("/")
def home(request: Request, desk: Desk_, who: Who_) -> Response:
    """The submissions that this person may see, with how far each is."""
    return _home(request, desk, who)


@router.post("/invite", dependencies=[Depends(Needs("owner"))])
def invite(request: Request, desk: Desk_, form: OwnForm) -> Response:
    """A one-time link for a team; it is shown this once."""
    return _home(request, desk, who_of(request), link=desk.access.invite(TEAM, str(request.base_url)))


@router.get("/submit")
def blank(request: Request, desk: Desk_, who: Who_, name: str = "") -> Response:
    """The form, empty or with a submission to be changed."""
    form = submissions.as_form(_sound(desk.folder, name, who)) if name else dict.fromkeys(FIELDS, "")
    return _form(request, desk, form, [])


@router.post("/submit")
def submit(request: Request, desk: Desk_, who: Who_, form: OwnForm) -> Response:
    """Take a submission in; what is wrong is told beside what was typed."""
    typed = {name: field(form, name, most=most) for name, most in FIELDS.items()}
    made, wrong = submissions.submission_of(typed)
    if made is None:
        return _form(request, desk, typed, wrong, 422)
    try:
        submissions.take_in(desk.folder, submissions.completed(desk.folder, made), who.account_id or "")
    except InputError as error:
        return _form(request, desk, typed, [told(error)], 422)
    return RedirectResponse(f"/systems/{made.submission}", 303)


@router.get("/systems/{name}")
def system(name: str, request: Request, desk: Desk_, who: Who_) -> Response:
    """One submission: what was said, how far it is, its reports."""
    return _system(request, desk, name, who)


@router.post("/systems/{name}/check")
def check(name: str, request: Request, desk: Desk_, who: Who_, form: OwnForm) -> Response:
    """Say hello to the system."""
    found = _sound(desk.folder, name, who)
    return _system(request, desk, name, who, hello=greet(_campaign(desk.folder, found), found).came)


@router.get("/systems/{name}/{language}.{kind}")
def report(name: str, language: str, kind: str, desk: Desk_, who: Who_) -> Response:
    """A report, to be kept."""
    found = _sound(desk.folder, name, who)
    campaign = _campaign(desk.folder, found)
    if kind not in KINDS or language not in campaign.settings.reports:
        raise HTTPException(404, gettext("There is no such report."))
    path = report_of(campaign, found.submission, language, kind)
    if not path.is_file():
        raise HTTPException(404, gettext("This report was not written yet."))
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
        raise HTTPException(404, gettext("There is no such submission."))
    made, problems = submissions.submissions_in(folder)[name]
    if made is None:
        raise HTTPException(409, str(problems[0]))
    return made


def _campaign(folder: Path, *submissions: Submission) -> Campaign:
    settings, problems = check_settings(folder)
    if settings is None:
        raise HTTPException(409, str(problems[0]))
    return Campaign(folder, settings, submissions)


def _home(request: Request, desk: CampaignDesk, who: SignedIn, *, link: str = "") -> Response:
    found = submissions.submissions_in(desk.folder)
    mine = {name: found[name] for name in _mine(desk.folder, who)}
    sound = [made for made, _ in mine.values() if made is not None]
    campaign = _campaign(desk.folder, *sound)
    facts = {
        "submissions": sound, "states": {one.system: one for one in status(campaign)},
        "broken": {name: list(map(str, wrong)) for name, (made, wrong) in mine.items() if made is None},
        "organiser": who.may(ORGANISER), "owner": who.may("owner"), "link": link,
        "settings": campaign.settings, "titles": TITLES, "whom": FOR,
    }  # fmt: skip
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
    found = _sound(desk.folder, name, who)
    campaign = _campaign(desk.folder, found)
    reports = [(language, kind) for language in campaign.settings.reports for kind in KINDS
               if report_of(campaign, name, language, kind).is_file()]  # fmt: skip
    return desk.page(
        request, "campaign_system.html", one=found, state=status(campaign)[0], reports=reports, hello=hello,
        titles=TITLES, whom=FOR, organiser=who.may(ORGANISER),
    )  # fmt: skip


def create_campaign_desk(folder: Path, log: Log, *, secure_cookies: bool = False) -> FastAPI:
    """The pages of the campaign in this folder; accounts are kept in the log."""
    cookie = "__Host-vivavoce-campaign" if secure_cookies else "vivavoce-campaign"
    templates = page_environment(Path(__file__).parent / "templates")
    desk = CampaignDesk(
        access=Access(log), cookie=cookie, secure=secure_cookies, templates=templates, folder=folder
    )
    return serve_pages(desk, router)
