"""The language in which somebody reads the dashboard, and its words.

English stands in the code, other languages in the `dashboard.po` of their folders. A page
says `gettext("...")`, in templates `_("...")`. Words that stand in a table, or are said later, are marked by
`N_` and looked up when they are shown (`worded`, `Later`). What the dashboard's catalogue lacks is looked up
among the report's words.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode, urlsplit

from fastapi import Request
from jinja2 import Environment
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.core.errors import InputError, sentences
from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.statement import Statement
from vivavoce.languages.base import language_name, languages_with, words
from vivavoce.report.language import DOMAIN as REPORT_DOMAIN
from vivavoce.report.language import MEASURES_DOMAIN, report_languages, speaking
from vivavoce.study.step_kind import STEPS
from vivavoce.web.i18n import LANGUAGE_COOKIE, accepted_language

DOMAIN: Final = "dashboard"
CHOICE: Final = "interface"  # of a language, in an address
KEPT_S: Final = 365 * 86400
_LANGUAGE: ContextVar[str] = ContextVar("desk_language", default=SOURCE_LANGUAGE)


def page_languages() -> tuple[str, ...]:
    """The languages that the dashboard speaks, those with a catalogue; the source language first."""
    return tuple(languages_with(f"{DOMAIN}.po"))


def _words(language: str) -> NullTranslations:
    return words(language, DOMAIN, REPORT_DOMAIN, MEASURES_DOMAIN)


def language() -> str:
    """The language of whoever reads the page."""
    return _LANGUAGE.get()


@contextmanager
def reading(language: str) -> Iterator[None]:
    """Every word, number and date of a page written inside is in this language of `page_languages`."""
    token = _LANGUAGE.set(language)
    try:
        with speaking(language if language in report_languages() else SOURCE_LANGUAGE):
            yield
    finally:
        _LANGUAGE.reset(token)


def gettext(message: str, /, **values: Any) -> str:
    """A message in the reader's language, its places `%(name)s` filled; a per cent sign is written `%%`."""
    return _words(language()).gettext(message) % values


def ngettext(one: str, many: str, n: int, /, **values: Any) -> str:
    """The message that goes with n, which fills `%(num)s`."""
    return _words(language()).ngettext(one, many, n) % {"num": n, **values}


def NP_(context: str, message: str) -> str:
    """Mark words of which other languages need to know what they are said of; see `worded`."""
    return message


def worded(words: object, context: str = "") -> str:
    """Words of a table in the reader's language; what no catalogue knows, such as a name, stays.

    context  what they are said of, where they were marked by `NP_`
    """
    text, known = str(words), _words(language())
    if context:
        return known.pgettext(context, text)
    return known.gettext(text) if text else ""


def reworded(told: Statement) -> str:
    """A statement in the reader's language, by the dashboard's words."""
    values = {name: reworded(one) if isinstance(one, Statement) else str(one) for name, one in told.values}
    return worded(told.template).format(**values) if values else worded(told.template)


def told(error: InputError) -> str:
    """What is wrong and what to do, as far as the room that says it has marked its words by `N_`."""
    values = getattr(error, "values", {})
    parts = [getattr(error, "template", error.problem), getattr(error, "hint_template", error.hint)]
    said = sentences(*(worded(part) % values if values else worded(part) for part in parts))
    return f"{error.place}: {said}" if error.place else said


class Later(NamedTuple):
    """A message marked by `N_` that is kept with its values: each reader gets it in their language."""

    message: str
    values: dict[str, Any] = {}

    def __str__(self) -> str:
        return gettext(self.message, **self.values)


def step_noun(step: str, noun: str, n: int) -> str:
    """What one piece of a kind of step's work is called, in the form that goes with n."""
    return _step_words(step).ngettext(noun, f"{noun}s", n)


def step_words(step: str, words: str) -> str:
    """What a kind of step calls something, from its own catalogue or the dashboard's."""
    return _step_words(step).gettext(words) if words else ""


def step_title(step: str) -> str:
    """What a kind of step is called, by its own catalogue or the dashboard's (`msgctxt "step"`)."""
    return _step_words(step).pgettext("step", step.replace("_", " "))


def _step_words(step: str) -> NullTranslations:
    own = _words(language())
    if step not in STEPS or language() == SOURCE_LANGUAGE:
        return own
    return STEPS.get(step).words(language(), DOMAIN)


def add_words(environment: Environment) -> None:
    """Let templates say `_("...")` and `ngettext("...", "...", n)` in the language of whoever reads then."""
    environment.add_extension("jinja2.ext.i18n")
    extended: Any = environment  # the extension adds this method
    extended.install_gettext_callables(
        lambda message: _words(language()).gettext(message),
        lambda one, many, n: _words(language()).ngettext(one, many, n),
        newstyle=True,
        pgettext=lambda context, message: _words(language()).pgettext(context, message),
    )
    environment.filters["worded"] = worded
    environment.filters["step_title"] = step_title
    environment.filters["reworded"] = reworded


class LanguageLink(NamedTuple):
    """A language as it calls itself, and the address of this page in it; here: it is being read."""

    tag: str
    name: str
    address: str
    here: bool


def language_links(request: Request) -> list[LanguageLink]:
    """This very page in every language."""
    asked = request.method == "GET"
    kept = [(name, value) for name, value in request.query_params.multi_items() if asked and name != CHOICE]
    to = "" if asked else _came_from(request)
    return [
        LanguageLink(tag, language_name(tag), f"{to}?{urlencode([*kept, (CHOICE, tag)])}", tag == language())
        for tag in page_languages()
    ]


def _came_from(request: Request) -> str:
    """The page whose form was sent; the first one where the browser does not say."""
    path = urlsplit(request.headers.get("referer", "")).path
    return path if path.startswith("/") and not path.startswith("//") else "/"


class LanguageChoice:
    """Serves a request in its reader's language: chosen in the address, else before, else the browser's."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self.app, self.secure = app, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        chosen = request.query_params.get(CHOICE, "")

        async def send_kept(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", self._cookie(chosen))
            await send(message)

        with reading(chosen if chosen in page_languages() else _known_language(request)):
            await self.app(scope, receive, send_kept if chosen in page_languages() else send)

    def _cookie(self, chosen: str) -> str:
        answer = Response()
        answer.set_cookie(
            LANGUAGE_COOKIE,
            chosen,
            max_age=KEPT_S,
            path="/",
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )
        return answer.headers["set-cookie"]


def _known_language(request: Request) -> str:
    kept = request.cookies.get(LANGUAGE_COOKIE, "").split("-")[0]
    if kept in page_languages():
        return kept
    return accepted_language(request.headers.get("accept-language", ""), page_languages())
