"""Accounts, invitations and API tokens, for owners."""

import csv
from io import StringIO
from typing import Any, Final

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.language import gettext, told
from vivavoce.dashboard.page import DashboardPage, MenuItem
from vivavoce.dashboard.security import OwnForm, field, takes_out, tell, who_of
from vivavoce.dataset.csv_files import safe_csv_cell
from vivavoce.participant.accounts import ANNOTATOR, ROLES

WIZARD: Final = "wizard"
MOST_ACTIONS: Final = 200
SCOPE_WORDS: Final = {"progress": N_("progress"), "results": N_("results"), "export": N_("export")}
router = APIRouter(prefix="/accounts")
PAGE: Final = DashboardPage(
    name="accounts",
    router=router,
    menu=(MenuItem("/accounts", N_("Accounts"), 1100),),
    role="owner",
    help="how-to/let-programs-read",
)


@router.get("")
def accounts(request: Request, desk: ThisDesk) -> Response:
    return _accounts_page(request, desk)


@router.post("/invite")
def invite(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Create an invite link, shown only once."""
    role = field(form, "role")
    if role not in _roles(desk):
        raise HTTPException(409, gettext("Choose a role."))
    everywhere = who_of(request).study is None and field(form, "studies") == "every"
    link = desk.access.invite(role, _door(request, desk, role), everywhere=everywhere)
    tell(request, role=role, studies="every" if everywhere else desk.study.name)
    return _accounts_page(request, desk, link=link, link_role=role)


@router.post("/{account_id}/remove")
def remove(account_id: str, request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Remove an account and all its sessions."""
    gone = next((account for account in desk.access.accounts() if account.account_id == account_id), None)
    tell(request, **({"name": gone.name, "role": gone.role} if gone else {}))
    try:
        desk.access.remove(account_id, who_of(request))
    except InputError as error:
        return _accounts_page(request, desk, 409, problem=told(error))
    return RedirectResponse("/accounts", 303)


@router.post("/tokens")
def make_token(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Create an API token, shown only once."""
    name, days = field(form, "name"), field(form, "days")
    scopes = [scope for scope in form.getlist("scope") if isinstance(scope, str)]
    tell(request, name=name, scopes=" ".join(scopes), days=days)
    try:
        number = int(days) if days.isascii() and days.isdecimal() and len(days) < 5 else 0
        token = desk.access.make_token(name, scopes, number, who_of(request).name)
    except InputError as error:
        return _accounts_page(request, desk, 422, problem=told(error))
    return _accounts_page(request, desk, token=token)


@router.post("/tokens/{token_id}/revoke")
def revoke_token(token_id: str, request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Revoke a token immediately."""
    names = {token.token_id: token.name for token in desk.access.tokens()}
    tell(request, name=names.get(token_id, ""))
    try:
        desk.access.revoke_token(token_id)
    except InputError as error:
        return _accounts_page(request, desk, 409, problem=told(error))
    return RedirectResponse("/accounts", 303)


@router.get("/actions")
def actions(request: Request, desk: ThisDesk) -> Response:
    """Activity log, latest first."""
    actions = desk.access.actions()
    return desk.page(request, "actions.html", actions=actions[:MOST_ACTIONS], total=len(actions))


@router.get("/actions.csv", dependencies=[Depends(takes_out)])
def actions_file(desk: ThisDesk) -> Response:
    """Activity log as CSV."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("at", "by", "role", "action", "about"))
    for action in desk.access.actions():
        did: Any = action.event
        about = "; ".join(f"{name}: {value}" for name, value in did.about.items())
        cells = (action.at.isoformat(), did.by, did.role, did.action, about)
        table.writerow([safe_csv_cell(cell or None) for cell in cells])
    headers = {"Content-Disposition": f'attachment; filename="{desk.study.name}-actions.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _door(request: Request, desk: Desk, role: str) -> str:
    """Target of an invite link: the dashboard, or the door on the participants' pages."""
    if role not in (ANNOTATOR, WIZARD):
        return str(request.base_url)
    if desk.participant_url is None:
        raise HTTPException(409, gettext("The address of the participants’ pages is not configured."))
    return desk.participant_url.rstrip("/") + ("/annotate" if role == ANNOTATOR else "/wizard")


def _roles(desk: Desk) -> tuple[str, ...]:
    """Roles that an owner may invite; wizard only if a system of the study is played by a person."""
    played = any(settings.get("connect") == WIZARD for settings in desk.study.systems.values())
    return (*ROLES, ANNOTATOR, WIZARD) if played else (*ROLES, ANNOTATOR)


def _accounts_page(
    request: Request,
    desk: Desk,
    status: int = 200,
    *,
    link: str = "",
    link_role: str = "",
    token: str = "",
    problem: str = "",
) -> Response:
    return desk.page(
        request,
        "accounts.html",
        status,
        accounts=desk.access.accounts(),
        roles=_roles(desk),
        link=link,
        link_role=link_role,
        problem=problem,
        me=who_of(request),
        token=token,
        tokens=desk.access.tokens(),
        scopes=SCOPE_WORDS,
        now=desk.log.clock.now(),
    )
