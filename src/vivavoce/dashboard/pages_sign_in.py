"""Sign-in, sign-out, invite links and the first account, without any detail of the study."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.dashboard.app_shell import FOLDER, AppShell, desk_of
from vivavoce.dashboard.language import told
from vivavoce.dashboard.security import OwnForm, door_form, field, who_of
from vivavoce.participant.accounts import (
    BROWSER_COOKIE,
    BROWSER_DAYS,
    NO_SIGN_IN,
    SIGN_IN_LIVES,
    SignInRefused,
    typed_twice,
)

router = APIRouter()
Desk_ = Annotated[AppShell, Depends(desk_of)]
DoorForm = Annotated[FormData, Depends(door_form)]


@router.get("/door.css")
def door_style() -> FileResponse:
    return FileResponse(FOLDER / "static" / "door.css", media_type="text/css")


# browsers request the first when they left before the page had loaded
@router.get("/favicon.ico", include_in_schema=False)
@router.get("/door.svg")
def door_mark() -> FileResponse:
    return FileResponse(FOLDER / "static" / "door.svg", media_type="image/svg+xml")


@router.get("/static/dashboard.css")
def style() -> FileResponse:
    return FileResponse(FOLDER / "static" / "dashboard.css", media_type="text/css")


@router.get("/static/dashboard.js")
def script() -> FileResponse:
    return FileResponse(FOLDER / "static" / "dashboard.js", media_type="text/javascript")


@router.get("/sign-in")
def sign_in_page(request: Request, desk: Desk_) -> Response:
    if request.scope["state"]["who"] is not None:
        return RedirectResponse("/", 303)
    return desk.door(request, "sign_in.html", name="", problem="")


@router.post("/sign-in")
def sign_in(request: Request, desk: Desk_, form: DoorForm) -> Response:
    name, browser = field(form, "name"), request.cookies.get(BROWSER_COOKIE, "")
    try:
        token = desk.access.sign_in(name, _password(form, "password"), _address(request), browser)
    except SignInRefused as error:
        status = 429 if error.kind == "too_many" else 403
        return desk.door(request, "sign_in.html", status, name=name, problem=told(error))
    return _come_in(desk, token)


@router.get("/link/{token}")
def link_page(token: str, request: Request, desk: Desk_) -> Response:
    """Page of an invite link; only the button uses it, so that link previews do not."""
    role = desk.access.link_role(token)
    role = None if role in NO_SIGN_IN else role
    return desk.door(request, "link.html", 200 if role else 410, role=role, token=token)


@router.post("/link/{token}")
def use_link(token: str, request: Request, desk: Desk_) -> Response:
    session = desk.access.use_link(token) if desk.access.link_role(token) not in NO_SIGN_IN else None
    if session is None:
        return desk.door(request, "link.html", 410, role=None, token=token)
    return _come_in(desk, session)


@router.get("/account")
def account_page(request: Request, desk: Desk_, ended: Annotated[int | None, Query(ge=0)] = None) -> Response:
    """Account page: the first account after an invite link, or a new password."""
    if who_of(request).account_id is None:
        return desk.page(request, "account.html", name="", problem="")
    return desk.page(request, "own_account.html", ended=ended, problem="", wrong="")


@router.post("/account")
def make_account(request: Request, desk: Desk_, form: OwnForm) -> Response:
    name = field(form, "name")
    try:
        password = typed_twice(_password(form, "password"), _password(form, "again"))
        token = desk.access.make_account(who_of(request), name, password)
    except InputError as error:
        return desk.page(request, "account.html", 422, name=name, problem=told(error))
    return _come_in(desk, token)


@router.post("/account/password")
def change_password(request: Request, desk: Desk_, form: OwnForm) -> Response:
    """Change the password; all other sessions of the account are signed out."""
    address, browser = _address(request), request.cookies.get(BROWSER_COOKIE, "")
    try:
        new = typed_twice(_password(form, "password"), _password(form, "again"))
        old = _password(form, "old")
        token, sessions_ended = desk.access.change_password(who_of(request), old, new, address, browser)
    except InputError as error:
        kind = error.kind if isinstance(error, SignInRefused) else ""
        status, wrong = (
            429 if kind == "too_many" else 422,
            "old" if kind in ("old", "too_many") else "password",
        )
        return desk.page(request, "own_account.html", status, ended=None, problem=told(error), wrong=wrong)
    return _come_in(desk, token, f"/account?ended={sessions_ended}")


@router.post("/sign-out")
def sign_out(request: Request, desk: Desk_, form: OwnForm) -> Response:
    desk.access.sign_out(who_of(request))
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(desk.cookie, path="/", secure=desk.secure, httponly=True, samesite="lax")
    answer.headers["Clear-Site-Data"] = '"cache", "storage"'
    return answer


def _password(form: FormData, name: str) -> str:
    """Password as typed, not trimmed."""
    typed = form.get(name)
    return typed if isinstance(typed, str) else ""


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _come_in(desk: AppShell, token: str, to: str = "/") -> Response:
    answer = RedirectResponse(to, 303)
    answer.set_cookie(
        desk.cookie,
        token,
        max_age=int(SIGN_IN_LIVES.total_seconds()),
        path="/",
        secure=desk.secure,
        httponly=True,
        samesite="lax",
    )
    if browser := desk.access.browser_of(token):
        answer.set_cookie(
            BROWSER_COOKIE,
            browser,
            max_age=BROWSER_DAYS * 86400,
            path="/",
            secure=desk.secure,
            httponly=True,
            samesite="lax",
        )
    return answer
