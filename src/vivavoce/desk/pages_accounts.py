"""Accounts: who may sign in, and invitations for others. For owners."""

from typing import Final

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.desk.app_shell import Desk, ThisDesk
from vivavoce.desk.language import gettext, told
from vivavoce.desk.page import DashboardPage, MenuItem
from vivavoce.desk.security import OwnForm, field, who_of
from vivavoce.web.accounts import ANNOTATOR, ROLES

WIZARD: Final = "wizard"
router = APIRouter(prefix="/accounts")
PAGE: Final = DashboardPage(
    name="accounts", router=router, menu=(MenuItem("/accounts", N_("Accounts"), 1100),), role="owner"
)


@router.get("")
def accounts(request: Request, desk: ThisDesk) -> Response:
    return _accounts_page(request, desk)


@router.post("/invite")
def invite(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """A one-time link for someone else; it is shown this once."""
    role = field(form, "role")
    if role not in _roles(desk):
        raise HTTPException(409, gettext("Choose one of the roles."))
    link = desk.access.invite(role, _door(request, desk, role))
    return _accounts_page(request, desk, link=link, link_role=role)


@router.post("/{account_id}/remove")
def remove(account_id: str, request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Remove an account and every sign-in of it."""
    try:
        desk.access.remove(account_id)
    except InputError as error:
        return _accounts_page(request, desk, 409, problem=told(error))
    return RedirectResponse("/accounts", 303)


def _door(request: Request, desk: Desk, role: str) -> str:
    """Where a link leads: to the dashboard, or for others to their door on the participants' pages."""
    if role not in (ANNOTATOR, WIZARD):
        return str(request.base_url)
    if desk.participant_url is None:
        raise HTTPException(
            409, gettext("The dashboard does not know the address of the participants' pages.")
        )
    return desk.participant_url.rstrip("/") + ("/annotate" if role == ANNOTATOR else "/wizard")


def _roles(desk: Desk) -> tuple[str, ...]:
    """Whom an owner may invite; a wizard only where a system of the study is a person."""
    played = any(settings.get("connect") == WIZARD for settings in desk.study.systems.values())
    return (*ROLES, ANNOTATOR, WIZARD) if played else (*ROLES, ANNOTATOR)


def _accounts_page(
    request: Request, desk: Desk, status: int = 200, *, link: str = "", link_role: str = "", problem: str = ""
) -> Response:
    return desk.page(
        request, "accounts.html", status, accounts=desk.access.accounts(), roles=_roles(desk),
        link=link, link_role=link_role, problem=problem, me=who_of(request),
    )  # fmt: skip
