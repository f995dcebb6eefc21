"""Frame of every page: signed-in account, scope of visits and pause of the trial."""

import re
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self
from urllib.parse import urlencode
from uuid import uuid4

import structlog
from babel.dates import format_datetime
from fastapi import Depends, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Asgi

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.label_choosing import LabelWatch
from vivavoce.dashboard.language import (
    LanguageLink,
    add_words,
    gettext,
    language,
    language_links,
    ngettext,
    worded,
)
from vivavoce.dashboard.page import DashboardPage, help_address
from vivavoce.dashboard.security import csrf_token
from vivavoce.dashboard.snapshot import Snapshot, Snapshots
from vivavoce.dashboard.stopping import pause_told
from vivavoce.dashboard.stopping_worker import Watch
from vivavoce.log.models import PEOPLE, SCOPES, TEAM, Scope
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access, SignedIn
from vivavoce.reports import language as numbers
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.reports.blocks import TableOfText
    from vivavoce.reports.drawing import Figure


LOCAL: Final = re.compile(rf'\b(href|src|action|formaction|data-[a-z]+)="/(?!/|(?:{"|".join(SCOPES)})[/"])')
HEADER: Final = "Vivavoce-Scope"


def asked_scope(asgi: Asgi) -> Scope | None:
    """Scope in a request's address; None without one."""
    return asgi.get("state", {}).get("scope")


def scoped_addresses(page: str, scope: Scope | None) -> str:
    """Page with the scope added to its own addresses; user text is safe because its quotes are escaped."""
    return page if scope is None else LOCAL.sub(rf'\1="/{scope}/', page)


class Scoping:
    """Remove the scope from an address, and add it to redirects."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, asgi: Asgi, receive: Receive, send: Send) -> None:
        scope, path = _split(asgi["path"]) if asgi["type"] == "http" else (None, "")
        if scope is None:
            await self.app(asgi, receive, send)
            return

        async def send_scoped(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                to = headers.get("location", "")
                if to.startswith("/") and not to.startswith("//") and _split(to)[0] is None:
                    headers["location"] = f"/{scope}{to}"
            await send(message)

        state: dict[str, Any] = {**asgi.get("state", {}), "scope": scope}
        raw = asgi.get("raw_path") or asgi["path"].encode()
        inner = {**asgi, "path": path, "raw_path": raw[len(scope) + 1 :] or b"/", "state": state}
        await self.app(inner, receive, send_scoped)


def _split(path: str) -> tuple[Scope | None, str]:
    for scope in SCOPES:
        if path == f"/{scope}" or path.startswith(f"/{scope}/"):
            return scope, path[len(scope) + 1 :] or "/"
    return None, path


FAILED: Final = N_("The file could not be created. See the terminal output for the reason.")
KEPT_S: Final = 3600
_report = structlog.get_logger("vivavoce.dashboard")


@dataclass
class PreparedFile:
    """One file with its path and state; `problem`: "" without an error."""

    folder: Path
    name: str
    begun_s: float
    done: Future[None]
    problem: str = ""


@dataclass
class Preparations:
    """Files in preparation by secret key, and the last duration of each kind."""

    _files: dict[str, PreparedFile] = field(default_factory=dict)
    took_s: dict[str, float] = field(default_factory=dict)

    def begin(self, snapshots: Snapshots, name: str, make: Callable[[Snapshot, Path], None]) -> str:
        """Start a file and return its key. Unfetched files go with the snapshots."""
        for old in [
            stale_key for stale_key, file in self._files.items() if monotonic() - file.begun_s > KEPT_S
        ]:
            self.forget(old)
        snapshots.folder.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="made-", dir=snapshots.folder))
        key, begun_s = uuid4().hex, monotonic()

        def run() -> None:
            try:
                snapshots.run(lambda snapshot: make(snapshot, folder / name))
                self.took_s[name] = monotonic() - begun_s
            except VivavoceError as error:
                prepared.problem = str(error)
            except Exception:
                _report.exception("file_failed", file=name)
                prepared.problem = FAILED

        prepared = PreparedFile(folder, name, begun_s, Future())
        self._files[key] = prepared
        prepared.done = snapshots.submit(run)
        return key

    def of(self, key: str, name: str) -> PreparedFile | None:
        """File by key; None if unknown or fetched."""
        prepared = self._files.get(key)
        return prepared if prepared is not None and prepared.name == name else None

    def take(self, key: str) -> PreparedFile | None:
        """Hand out a finished file once; the caller deletes its folder."""
        prepared = self._files.get(key)
        if prepared is None or not prepared.done.done() or prepared.problem:
            return None
        return self._files.pop(key)

    def forget(self, key: str) -> None:
        """Delete files that will not be fetched."""
        prepared = self._files.pop(key, None)
        if prepared is not None:
            shutil.rmtree(prepared.folder, ignore_errors=True)


FOLDER: Final = Path(__file__).parent
NOTICE: Final = N_("These dialogues come from simulated participants.")
KINDS: Final[dict[Scope, str]] = {
    "people": N_("Participants"),
    "simulated": N_("Simulated"),
    "team": N_("Team"),
}
TRIED: Final = N_("These are preview visits by the team. They are not counted.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """Frame around a page for a signed-in account.

    pages    address and name of those that they may open; `read_in`: this very page in every language
    pause, suspended, scope  of the study, where the dashboard is of one
    switch   name, address, visits of each scope, and whether it is shown; empty where only people have come
    simulated  the text of the strip that says SIMULATED; team_tries: of the one that says TEAM
    help     where the page is explained; None where no documentation is installed
    """

    title: str
    who: SignedIn
    path: str
    form_token: str
    pages: list[tuple[str, str]]
    language: str
    read_in: list[LanguageLink]
    pause: Any = None
    suspended: Mapping[str, Any] = field(default_factory=dict)
    simulated: str | None = None
    team_tries: str | None = None
    scope: Scope | None = None
    switch: list[tuple[str, str, int, bool]] = field(default_factory=list)
    participant_url: str | None = None
    help: str | None = None


@dataclass(kw_only=True)
class AppShell(ABC):
    """Pages behind a sign-in: the dashboard of a study or of a package.

    middleware  what a request passes inside the choice of its language
    """

    middleware: ClassVar[tuple[Callable[[ASGIApp], ASGIApp], ...]] = ()
    access: Access
    cookie: str
    secure: bool
    account_optional: bool = False
    templates: Environment = field(default_factory=lambda: page_environment())

    @property
    @abstractmethod
    def title(self) -> str:
        """Title of every page in the reader's language."""

    @abstractmethod
    def menu(self, who: SignedIn) -> list[tuple[str, str]]:
        """Address and name of the pages that this account may open."""

    def asked_by(self, request: Request) -> Self:
        """Shell that serves this request."""
        return self

    def frame(self, request: Request) -> PageFrame:
        """Frame around every page."""
        who = request.scope["state"]["who"]
        return PageFrame(
            title=self.title,
            who=who,
            path=request.url.path,
            form_token=csrf_token(who.token),
            pages=self.menu(who),
            language=language(),
            read_in=language_links(request),
            help=help_address(request.scope["state"].get("help", "")),
        )

    def page(self, request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
        """Page for a signed-in account."""
        return HTMLResponse(self._framed(self.frame(request), template, facts), status)

    def _framed(self, frame: PageFrame, template: str, facts: Mapping[str, Any]) -> str:
        around = {field.name: getattr(frame, field.name) for field in fields(frame)}
        if clashes := around.keys() & facts:  # otherwise the frame would print values of the page
            raise ValueError(f"{template}: a name of the frame is none for a page's fact: {sorted(clashes)}")
        return self.templates.get_template(template).render({**around, **facts})

    def door(self, request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
        """Public page that reveals nothing behind the sign-in."""
        words = {"language": language(), "read_in": language_links(request)}
        return HTMLResponse(self.templates.get_template(template).render(**words, **facts), status)


@dataclass(kw_only=True)
class Desk(AppShell):
    """The dashboard of one study, as its pages read it.

    scope  whose visits `board` and `snapshots` show; None: not asked for a page yet
    """

    middleware = (Scoping,)
    study: Study
    log: Log
    board: Board
    snapshots: Snapshots
    watch: Watch
    labels: LabelWatch
    work_dir: Path
    simulated_notice: str | None
    participant_url: str | None
    pages: tuple[DashboardPage, ...]
    scope: Scope | None = None
    preparations: Preparations = field(default_factory=Preparations)

    @property
    def title(self) -> str:
        titles = self.study.title
        return titles.get(language()) or titles.get(self.study.default_language) or self.study.name

    def menu(self, who: SignedIn) -> list[tuple[str, str]]:
        if who.account_id is None and not self.account_optional:
            return []
        pages = [page for page in self.pages if who.may(page.role) and page.shown(self.study)]
        items = sorted((item for page in pages for item in page.menu), key=lambda item: item[::-1])
        return [(item.address, worded(item.title)) for item in items]

    def asked_by(self, request: Request) -> Self:
        """Dashboard limited to the visits of the request's scope."""
        usual: Scope = self.board.see(lambda board: board.usual)
        scope = asked_scope(request.scope) or usual
        return replace(self, board=self.board.of(scope), snapshots=self.snapshots.of(scope), scope=scope)

    def frame(self, request: Request) -> PageFrame:
        pause, suspended, visits = self.board.see(
            lambda board: (pause_told(board), dict(board.suspended), board.visits_by_scope)
        )
        return replace(
            super().frame(request),
            pause=pause,
            suspended=suspended,
            simulated=self._simulated(),
            team_tries=worded(TRIED) if self.scope == TEAM else None,
            scope=self.scope,
            switch=self._switch(request, visits) if visits["simulated"] or visits["team"] else [],
            participant_url=self.participant_url,
        )

    def page(self, request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
        frame = self.frame(request)
        html = self._framed(frame, template, facts)
        # after simulated visits every address names its scope, because the default may change
        carried = self.scope if frame.switch else asked_scope(request.scope)
        return HTMLResponse(scoped_addresses(html, carried), status, {HEADER: str(self.scope)})

    def _simulated(self) -> str | None:
        """Text of the strip without its own word SIMULATED."""
        if self.scope != "simulated":
            return None
        return worded(self.simulated_notice or NOTICE).removeprefix(gettext("SIMULATED")).lstrip(":. ")

    def _switch(self, request: Request, visits: dict[Scope, int]) -> list[tuple[str, str, int, bool]]:
        """Name, address, number of visits and selection of each scope; filters are kept."""
        section = "/" + request.url.path.split("/")[1]
        at_top = request.method == "GET" and request.url.path == section
        query = urlencode(request.query_params.multi_items()) if at_top else ""
        to = section + ("?" + query if query else "")
        scopes: list[Scope] = [scope for scope in SCOPES if visits[scope] or scope in (PEOPLE, self.scope)]
        return [
            (worded(KINDS[scope]), f"/{scope}{to}", visits[scope], scope == self.scope) for scope in scopes
        ]


def desk_of(request: Request) -> Any:
    """Dependency: the dashboard of this request; a `Desk` with the visits of the request's scope."""
    desk: AppShell = request.app.state.desk
    return desk.asked_by(request)


ThisDesk = Annotated[Desk, Depends(desk_of)]


def page_environment(*folders: Path) -> Environment:
    """Template environment of the dashboard and of these folders, with translations and number filters."""
    environment = Environment(
        loader=FileSystemLoader([FOLDER / "templates", *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    add_words(environment)
    for made_of in (
        numbers.percent,
        numbers.span,
        numbers.count,
        numbers.plural,
        numbers.localised,
        numbers.instant,
        numbers.duration,
        decimal,
        plainly,
        fixed,
        range_of,
        minutes,
        short,
        clock,
        moment,
        iso,
        words,
        coded,
        figure_numbers,
    ):
        environment.filters[made_of.__name__] = made_of
    return environment


def decimal(value: float | None) -> str:
    return numbers.MISSING if value is None else fixed(value, 1)


def fixed(value: float, decimals: int) -> str:
    """Format a number with fixed decimals in the reader's locale and a true minus sign."""
    return numbers.localised(f"{value:.{decimals}f}".replace("-", "\u2212"))


def range_of(low: float | None, high: float | None, decimals: int | None = None) -> str:
    """Format a range such as 3 to 5; decimals None: whole numbers."""
    return numbers.between(
        low, high, lambda value: numbers.count(value) if decimals is None else fixed(value, decimals)
    )


def plainly(value: float | None) -> str:
    """Format a median such as 3 or 3.5."""
    return numbers.MISSING if value is None else numbers.localised(f"{value:g}")


def minutes(value: float) -> str:
    """Format an age in minutes: `now`, `7 min`, `3 h`, `2 days`."""
    if value < 1:
        return gettext("now")
    if value < 60:
        return f"{int(value)}\u202fmin"
    if value < 48 * 60:
        return f"{int(value / 60)}\u202fh"
    return ngettext("%(num)s day", "%(num)s days", int(value / 1440))


def short(key: str) -> str:
    """Shorten an identifier, still unique on one page."""
    parts = key.split("-")
    stem = parts[-1]
    if len(stem) < 3 and len(parts) > 2:  # a mere number in ids of simulated participants
        stem = "-".join(parts[-2:])
    return stem if len(stem) <= 10 else stem[:8] + "…"


def clock(at: datetime | None) -> str:
    """Format a time of day in UTC, such as 14:03:22."""
    return numbers.MISSING if at is None else f"{at.astimezone(UTC):%H:%M:%S}"


def moment(at: datetime | None) -> str:
    """Format a day and time in UTC, such as 21 Nov 2026, 14:03."""
    if at is None:
        return numbers.MISSING
    return format_datetime(at.astimezone(UTC), "d MMM y, HH:mm", locale=language())


def iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


def words(name: str) -> str:
    """Readable form of an identifier in the code."""
    return name.replace("_", " ")


def coded(text: str) -> Markup:
    """Text with backticks rendered as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # unmatched backtick
        return escape(text)
    marked = (
        Markup("<code>{}</code>").format(part) if n % 2 else escape(part) for n, part in enumerate(parts)
    )
    return Markup("").join(marked)


def figure_numbers(figure: "Figure") -> "TableOfText":
    """Data of a figure as a table."""
    from vivavoce.reports.tables import numbers_of

    return numbers_of(figure)
