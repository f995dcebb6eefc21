"""The pages of a campaign: the organiser's over all submissions, each team's over its own."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from vivavoce.core.i18n import N_
from vivavoce.desk import pages_campaign, pages_sign_in
from vivavoce.desk.access import Access
from vivavoce.desk.app_shell import page_environment
from vivavoce.desk.language import LanguageChoice, gettext, language, page_words, worded
from vivavoce.desk.security import Gate, csrf_token
from vivavoce.log.store import Log
from vivavoce.study.campaign import check_settings

HEADINGS: Final = {
    401: N_("Sign in first"), 403: N_("Not allowed"), 404: N_("Not found"), 409: N_("Not possible now"),
}  # fmt: skip


@dataclass
class CampaignDesk:
    """What the pages of a campaign draw on. The door's pages use it like the dashboard of a study."""

    folder: Path
    access: Access
    cookie: str
    secure: bool
    templates: Environment = field(default_factory=page_environment)

    @property
    def title(self) -> str:
        settings, _ = check_settings(self.folder)
        return settings.name(language()) if settings else self.folder.name

    def page(self, request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
        """A page for whoever is signed in."""
        who = request.scope["state"]["who"]
        frame = {
            "title": self.title, "who": who, "path": request.url.path, "pause": None, "suspended": {},
            "simulated": None, "scope": None, "switch": [], "form_token": csrf_token(who.token),
            "pages": [("/", gettext("Campaign"))], "participant_url": None, **page_words(request),
        }  # fmt: skip
        return HTMLResponse(self.templates.get_template(template).render({**frame, **facts}), status)

    def door(self, request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
        """A page for anybody; it says nothing about the campaign."""
        made = self.templates.get_template(template).render(**page_words(request), **facts)
        return HTMLResponse(made, status)


def create_campaign_desk(folder: Path, log: Log, *, secure_cookies: bool = False) -> FastAPI:
    """The pages of the campaign in this folder; accounts are kept in the log."""
    cookie = "__Host-vivavoce-campaign" if secure_cookies else "vivavoce-campaign"
    desk = CampaignDesk(folder, Access(log), cookie, secure_cookies)
    app = FastAPI(title="Vivavoce campaign", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.desk = desk
    for pages in (pages_sign_in, pages_campaign):
        app.include_router(pages.router)
    app.add_exception_handler(HTTPException, _mistake)
    app.add_middleware(Gate, access=desk.access, cookie=cookie, secure=secure_cookies, account_optional=False)
    app.add_middleware(LanguageChoice, secure=secure_cookies)
    return app


async def _mistake(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    who = request.scope["state"].get("who")
    if who is None or "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse(str(error.detail), error.status_code)
    desk: CampaignDesk = request.app.state.desk
    heading = worded(HEADINGS.get(error.status_code, N_("Not possible")))
    return desk.page(request, "mistake.html", error.status_code, heading=heading, detail=str(error.detail))
