"""Languages and translations of the dashboard.

English is in the code, other languages are in the `dashboard.po` of their folders. Pages call
`gettext("...")`, templates `_("...")`. Words of tables and delayed messages are marked by `N_` and
translated when they are shown (`worded`, `Later`). Messages missing from the dashboard's catalogue are
looked up in the report's.
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
from vivavoce.core.statement import LocalizedText
from vivavoce.languages.base import language_name, languages_with, words
from vivavoce.participant.i18n import LANGUAGE_COOKIE, accepted_language
from vivavoce.reports.language import DOMAIN as REPORT_DOMAIN
from vivavoce.reports.language import MEASURES_DOMAIN, report_languages, speaking
from vivavoce.study.step_kind import STEPS

DOMAIN: Final = "dashboard"
CHOICE: Final = "interface"  # of a language, in an address
KEPT_S: Final = 365 * 86400
_LANGUAGE: ContextVar[str] = ContextVar("desk_language", default=SOURCE_LANGUAGE)


def page_languages() -> tuple[str, ...]:
    """Languages with a catalogue of the dashboard, the source language first."""
    return tuple(languages_with(f"{DOMAIN}.po"))


def _words(language: str) -> NullTranslations:
    return words(language, DOMAIN, REPORT_DOMAIN, MEASURES_DOMAIN)


def language() -> str:
    """Language of the current reader."""
    return _LANGUAGE.get()


@contextmanager
def reading(language: str) -> Iterator[None]:
    """Set the language of all words, numbers and dates inside, one of `page_languages`."""
    token = _LANGUAGE.set(language)
    try:
        with speaking(language if language in report_languages() else SOURCE_LANGUAGE):
            yield
    finally:
        _LANGUAGE.reset(token)


def gettext(message: str, /, **values: Any) -> str:
    """Translate a message and fill `%(name)s`; a per cent sign is written `%%`."""
    return _words(language()).gettext(message) % values


def ngettext(one: str, many: str, n: int, /, **values: Any) -> str:
    """Translate the plural form for n, which fills `%(num)s`."""
    return _words(language()).ngettext(one, many, n) % {"num": n, **values}


def NP_(context: str, message: str) -> str:
    """Mark a word with a context-dependent translation; see `worded`."""
    return message


def worded(words: object, context: str = "") -> str:
    """Translate a word of a table; unknown words, such as names, are unchanged.

    context  as marked by `NP_`
    """
    text, catalogue = str(words), _words(language())
    if context:
        return catalogue.pgettext(context, text)
    return catalogue.gettext(text) if text else ""


def reworded(text: LocalizedText) -> str:
    """Translate a statement with the dashboard's catalogue."""
    values = {
        name: reworded(value) if isinstance(value, LocalizedText) else str(value)
        for name, value in text.values
    }
    return worded(text.template).format(**values) if values else worded(text.template)


def told(error: InputError) -> str:
    """Problem and hint of an error in the reader's language, if marked by `N_`."""
    values = getattr(error, "values", {})
    parts = [getattr(error, "template", error.problem), getattr(error, "hint_template", error.hint)]
    message = sentences(*(worded(part) % values if values else worded(part) for part in parts))
    return f"{error.place}: {message}" if error.place else message


class Later(NamedTuple):
    """Message marked by `N_` with its values, translated when shown."""

    message: str
    values: dict[str, Any] = {}

    def __str__(self) -> str:
        return gettext(self.message, **self.values)


def step_noun(step: str, noun: str, n: int) -> str:
    """Name of a piece of work of a step, in the plural form for n."""
    return _step_words(step).ngettext(noun, f"{noun}s", n)


def step_words(step: str, words: str) -> str:
    """Translation from the step's catalogue, or else the dashboard's."""
    return _step_words(step).gettext(words) if words else ""


def step_title(step: str) -> str:
    """Title of a kind of step, from its catalogue or the dashboard's (`msgctxt "step"`)."""
    return _step_words(step).pgettext("step", step.replace("_", " "))


def _step_words(step: str) -> NullTranslations:
    words = _words(language())
    if step not in STEPS or language() == SOURCE_LANGUAGE:
        return words
    return STEPS.get(step).words(language(), DOMAIN)


def add_words(environment: Environment) -> None:
    """Add `_("...")`, `ngettext("...", "...", n)` and translation filters to templates."""
    environment.add_extension("jinja2.ext.i18n")
    extended: Any = environment  # the extension adds this method
    extended.install_gettext_callables(
        lambda message: _words(language()).gettext(message),
        lambda singular, many, n: _words(language()).ngettext(singular, many, n),
        newstyle=True,
        pgettext=lambda context, message: _words(language()).pgettext(context, message),
    )
    environment.filters["worded"] = worded
    environment.filters["step_title"] = step_title
    environment.filters["reworded"] = reworded


class LanguageLink(NamedTuple):
    """Language by its own name, with the address of this page in it; here: current language."""

    tag: str
    name: str
    address: str
    here: bool


def language_links(request: Request) -> list[LanguageLink]:
    """Links to this page in every language."""
    is_get = request.method == "GET"
    parameters = [
        (name, value) for name, value in request.query_params.multi_items() if is_get and name != CHOICE
    ]
    to = "" if is_get else _came_from(request)
    return [
        LanguageLink(
            tag, language_name(tag), f"{to}?{urlencode([*parameters, (CHOICE, tag)])}", tag == language()
        )
        for tag in page_languages()
    ]


def _came_from(request: Request) -> str:
    """Page of the submitted form; the first page if the browser does not send it."""
    path = urlsplit(request.headers.get("referer", "")).path
    return path if path.startswith("/") and not path.startswith("//") else "/"


class LanguageChoice:
    """Set the language of a request: from the address, an earlier choice or the browser."""

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
    tag = request.cookies.get(LANGUAGE_COOKIE, "").split("-")[0]
    if tag in page_languages():
        return tag
    return accepted_language(request.headers.get("accept-language", ""), page_languages())
