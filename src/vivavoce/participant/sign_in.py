"""Sign-in of experts: one-time links and accounts. Other modules hold the pages behind it.

A page that only experts may see takes `ThisExpert`; whoever is not signed in is led here.
"""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.participant.accounts import (
    ANNOTATOR,
    BROWSER_COOKIE,
    BROWSER_DAYS,
    SIGN_IN_LIVES,
    Access,
    SignedIn,
    SignInRefused,
    typed_twice,
)
from vivavoce.participant.i18n import LANGUAGE_COOKIE, accepted_language
from vivavoce.participant.site import Site, ThisSite, site_of
from vivavoce.study.judgement_kind import AnnotationPlan

router = APIRouter(include_in_schema=False)
HOME = "/annotate"
Words = Annotated[str, Form(max_length=400)]
Ended = Annotated[int | None, Query(ge=0)]  # how many other sign-ins a new password has ended


class NotSignedIn(Exception):
    """No expert is signed in; `why` adds a reason."""

    def __init__(self, why: Literal["", "account", "named"] = "") -> None:
        self.why = why


def access_of(request: Request) -> Access:
    """The doorkeeper, made when the first expert knocks."""
    state = request.app.state
    if not hasattr(state, "access"):
        state.access = Access(site_of(request).engine.log, site_of(request).study.name)
    return state.access


ThisAccess = Annotated[Access, Depends(access_of)]


def cookie_of(site: Site) -> str:
    return f"{'__Secure-' if site.secure_cookies else ''}vivavoce-expert-{site.study.name}"


def signed_in(request: Request) -> SignedIn | None:
    """The signed-in person with permission to annotate, with or without an account."""
    token = request.cookies.get(cookie_of(site_of(request)))
    who = access_of(request).who(token) if token else None
    return who if who is not None and who.may(ANNOTATOR) else None


def expert_of(request: Request) -> SignedIn:
    """Raises  NotSignedIn: not signed in, no account yet, or not an expert of the study"""
    who = signed_in(request)
    if who is None:
        raise NotSignedIn
    if who.account_id is None:
        raise NotSignedIn("account")
    plan = site_of(request).study.annotation
    if plan is not None and plan.annotators and who.name not in plan.annotators:
        raise NotSignedIn("named")
    return who


ThisExpert = Annotated[SignedIn, Depends(expert_of)]


def expert_language(request: Request) -> str:
    """The language that was chosen here, else the one that the browser likes best."""
    languages = site_of(request).study.languages
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    return (
        chosen
        if chosen in languages
        else accepted_language(request.headers.get("accept-language", ""), languages)
    )


def expert_page(request: Request, name: str, *, status: int = 200, **facts: Any) -> Response:
    """A page for experts: it can change its language, lead to other work of theirs, and sign out."""
    who, site = signed_in(request), site_of(request)
    works = _works(site.study.annotation) if who is not None and who.account_id else {}
    path = request.url.path.removeprefix(site.base)
    current = max((work for work in works if path.startswith(work)), key=len, default="")
    facts |= {"works": works, "here": current if name != "expert_door" else ""}
    return site.page(name, expert_language(request), status=status, who=who, **facts)


def _works(plan: AnnotationPlan | None) -> dict[str, str]:
    """Names of the kinds of judgement, by address; none if there is only one."""
    works = {kind.address: kind.invitation for kind in (plan.kinds if plan is not None else [])}
    return works if len(works) > 1 else {}


def not_signed_in(request: Request, error: Exception) -> Response:
    """Page for people who may not see this one."""
    why = error.why if isinstance(error, NotSignedIn) else ""
    if why == "named":
        return _door(request, "named", 403)
    return site_of(request).to(f"{HOME}/{why or 'sign-in'}")


@router.get(f"{HOME}/sign-in")
def sign_in_page(request: Request) -> Response:
    return _door(request, "sign_in")


@router.post(f"{HOME}/sign-in")
def sign_in(
    request: Request, site: ThisSite, access: ThisAccess, name: Words = "", password: Words = ""
) -> Response:
    address = request.client.host if request.client else "unknown"
    try:
        browser = request.cookies.get(BROWSER_COOKIE, "")
        token = access.sign_in(name.strip()[:80], password, address, browser)
    except SignInRefused as error:
        status = 429 if error.kind == "too_many" else 401
        return _door(request, "sign_in", status, entered=name[:80], problem=error.kind)
    return _come_in(site, token, browser=access.browser_of(token))


@router.get(f"{HOME}/link/{{token}}")
def link(request: Request, access: ThisAccess, token: str) -> Response:
    """Shows what the link is for; only pressing the button uses it, so that link previews do not."""
    good = access.link_role(token) == ANNOTATOR
    kind, status = ("link", 200) if good else ("used", 410)
    return _door(request, kind, status, token=token)


@router.post(f"{HOME}/link/{{token}}")
def use_link(request: Request, site: ThisSite, access: ThisAccess, token: str) -> Response:
    session = access.use_link(token) if access.link_role(token) == ANNOTATOR else None
    if session is None:
        return _door(request, "used", 410)
    return _come_in(site, session, to="/account")


@router.get(f"{HOME}/account")
def account_page(request: Request, site: ThisSite, ended: Ended = None) -> Response:
    who = signed_in(request)
    if who is None:
        return site.to(HOME)
    return _door(request, "account") if who.account_id is None else _door(request, "own", ended=ended)


@router.post(f"{HOME}/account")
def make_account(
    request: Request,
    site: ThisSite,
    access: ThisAccess,
    name: Words = "",
    password: Words = "",
    again: Words = "",
) -> Response:
    who = signed_in(request)
    if who is None:
        return site.to(f"{HOME}/sign-in")
    try:
        token = access.make_account(who, name.strip(), typed_twice(password, again))
    except SignInRefused as error:
        return _door(request, "account", 422, entered=name[:80], problem=error.kind)
    return _come_in(site, token, browser=access.browser_of(token))


@router.post(f"{HOME}/account/password")
def change_password(
    request: Request,
    site: ThisSite,
    access: ThisAccess,
    old: Words = "",
    password: Words = "",
    again: Words = "",
) -> Response:
    who = signed_in(request)
    if who is None or who.account_id is None:
        return site.to(f"{HOME}/{'account' if who else 'sign-in'}")
    address = request.client.host if request.client else "unknown"
    try:
        browser = request.cookies.get(BROWSER_COOKIE, "")
        token, sessions_ended = access.change_password(
            who, old, typed_twice(password, again), address, browser
        )
    except SignInRefused as error:
        return _door(request, "own", 429 if error.kind == "too_many" else 422, problem=error.kind)
    except InputError:
        return site.to(f"{HOME}/sign-in")
    return _come_in(site, token, to=f"/account?ended={sessions_ended}", browser=access.browser_of(token))


@router.post(f"{HOME}/sign-out")
def sign_out(request: Request, site: ThisSite, access: ThisAccess) -> Response:
    who = signed_in(request)
    if who is not None:
        access.sign_out(who)
    answer = site.to(f"{HOME}/sign-in")
    answer.delete_cookie(cookie_of(site), path=site.base or "/")
    return answer


@router.post(f"{HOME}/language")
def language(request: Request, site: ThisSite, language: Annotated[str, Form(max_length=35)]) -> Response:
    """Remember the language in which an expert reads the pages."""
    answer = site.to(HOME if signed_in(request) else f"{HOME}/sign-in")
    if language in site.study.languages:
        answer.set_cookie(
            LANGUAGE_COOKIE,
            language,
            max_age=365 * 86400,
            path=site.base or "/",
            httponly=True,
            samesite="lax",
            secure=site.secure_cookies,
        )
    return answer


def _door(request: Request, kind: str, status: int = 200, **facts: Any) -> Response:
    """One of the pages at the door: `kind` says which."""
    facts = {"entered": "", "token": "", "ended": None} | facts
    return expert_page(request, "expert_door", status=status, kind=kind, **facts)


def _come_in(site: Site, token: str, to: str = "", browser: str = "") -> RedirectResponse:
    answer = site.to(f"{HOME}{to}")
    answer.set_cookie(
        cookie_of(site),
        token,
        max_age=int(SIGN_IN_LIVES.total_seconds()),
        path=site.base or "/",
        httponly=True,
        samesite="lax",
        secure=site.secure_cookies,
    )
    if browser:
        answer.set_cookie(
            BROWSER_COOKIE,
            browser,
            max_age=BROWSER_DAYS * 86400,
            path=site.base or "/",
            httponly=True,
            samesite="lax",
            secure=site.secure_cookies,
        )
    return answer
