"""Accounts: who may sign in, and invitations for others. For owners."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.desk.access import ROLES
from vivavoce.desk.frame import Desk, desk_of
from vivavoce.desk.safety import Needs, field, own_form, who_of

router = APIRouter(prefix="/accounts", dependencies=[Depends(Needs("owner"))])
Desk_ = Annotated[Desk, Depends(desk_of)]
Form_ = Annotated[FormData, Depends(own_form)]


@router.get("")
def accounts(request: Request, desk: Desk_) -> Response:
    return _accounts_page(request, desk)


@router.post("/invite")
def invite(request: Request, desk: Desk_, form: Form_) -> Response:
    """A one-time link for someone else; it is shown this once."""
    role = field(form, "role")
    if role not in ROLES:
        raise HTTPException(409, "Choose one of the roles.")
    link = desk.access.invite(role, str(request.base_url))
    return _accounts_page(request, desk, link=link, link_role=role)


@router.post("/{account_id}/remove")
def remove(account_id: str, request: Request, desk: Desk_, form: Form_) -> Response:
    """Remove an account and every sign-in of it."""
    try:
        desk.access.remove(account_id)
    except InputError as error:
        return _accounts_page(request, desk, 409, problem=str(error))
    return RedirectResponse("/accounts", 303)


def _accounts_page(
    request: Request, desk: Desk, status: int = 200, *, link: str = "", link_role: str = "", problem: str = ""
) -> Response:
    return desk.page(
        request, "accounts.html", status, accounts=desk.access.accounts(), roles=ROLES, link=link,
        link_role=link_role, problem=problem, me=who_of(request),
    )  # fmt: skip
