"""Shared objects of a study's pages: the engine, the rendering, the cookie, the limits, the active tab."""

import asyncio
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import structlog
from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from vivavoce.languages.base import language_name
from vivavoce.log.models import team_study
from vivavoce.log.store import StoredEvent
from vivavoce.participant.i18n import DOMAIN, page_language, translations
from vivavoce.participant.rate_limit import HOUR_S, MINUTE_S, RateLimit
from vivavoce.steps.stimulus import Rejected
from vivavoce.study.channel import Channel, Line
from vivavoce.study.model import Step, Study
from vivavoce.study.recruiter import Recruiter, repeat_of
from vivavoce.study.step_kind import StepKind, dialogues_of, kind_of
from vivavoce.trial.engine import SessionEngine

TEMPLATES: Final = Path(__file__).parent / "templates"
TABS_REMEMBERED: Final = 20_000
FORMS_REMEMBERED: Final = 2_000
COOKIE_DAYS: Final = 30

_report = structlog.get_logger("vivavoce.participant")
Place = tuple[int, int | None, int]
PageOf: TypeAlias = StepKind[Any] | Channel | Recruiter


class NoVisit(Exception):
    """The browser holds no token of a visit of this study."""


class TooMany(Exception):
    """A rate limit was reached; the same request may be sent again later."""


class TooManyVisits(TooMany):
    """Too many visits from this network address within an hour, by the limit of the study."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Rate limits of one browser; campuses share addresses, so limits of visits are generous."""

    turns_per_minute: int = 30
    sounds_per_minute: int = 120  # a system may say several things a turn, and each may be heard again
    visits_per_hour: int = 60


class ActiveTab:
    """Active tab of a visit: the one opened last. Kept in memory only."""

    def __init__(self) -> None:
        self._tabs: OrderedDict[str, str] = OrderedDict()

    def take_over(self, visit_id: str) -> str:
        """A new tab's key, from now on the visit's only one."""
        tab = secrets.token_hex(8)
        self._tabs[visit_id] = tab
        self._tabs.move_to_end(visit_id)
        while len(self._tabs) > TABS_REMEMBERED:
            self._tabs.popitem(last=False)
        return tab

    def is_newest(self, visit_id: str, tab: str) -> bool:
        """After a restart the first tab that asks goes on."""
        return self._tabs.setdefault(visit_id, tab) == tab


class FormDrafts:
    """Forms that came back with something missing, shown again as they were filled in."""

    def __init__(self) -> None:
        self._forms: OrderedDict[str, tuple[Place, dict[str, str], Rejected | None]] = OrderedDict()

    def keep(
        self, visit_id: str, place: Place, entered: dict[str, str], rejected: Rejected | None = None
    ) -> None:
        """rejected: why the step could not take it; None where the page sees for itself what is missing."""
        self._forms[visit_id] = (place, entered, rejected)
        self._forms.move_to_end(visit_id)
        while len(self._forms) > FORMS_REMEMBERED:
            self._forms.popitem(last=False)

    def entered(self, visit_id: str, place: Place) -> dict[str, str] | None:
        """Input at this place of the visit that was rejected; None without any."""
        kept_place, entered, _ = self._forms.get(visit_id, (None, None, None))
        return entered if kept_place == place else None

    def rejected(self, visit_id: str, place: Place) -> Rejected | None:
        kept_place, _, rejected = self._forms.get(visit_id, (None, None, None))
        return rejected if kept_place == place else None

    def forget(self, visit_id: str) -> None:
        self._forms.pop(visit_id, None)


@dataclass
class Site:
    """The pages of one study."""

    engine: SessionEngine
    base: str = ""
    secure_cookies: bool = False
    notice: str | None = None
    rates: RateLimits = field(default_factory=RateLimits)
    lines: Mapping[str, Line] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tabs, self.unfinished = ActiveTab(), FormDrafts()
        self._posted: OrderedDict[str, str] = OrderedDict()
        self.closing = asyncio.Event()
        self._visits = RateLimit(self.rates.visits_per_hour, HOUR_S)
        self._turns = RateLimit(self.rates.turns_per_minute, MINUTE_S)
        self._sounds = RateLimit(self.rates.sounds_per_minute, MINUTE_S)
        self._environments: dict[tuple[str, PageOf | None], Environment] = {}
        prefix = "__Secure-" if self.secure_cookies else ""
        self.cookie = f"{prefix}vivavoce-{self.study.name}"

    @property
    def study(self) -> Study:
        return self.engine.study

    def environment(self, language: str, of: PageOf | None = None) -> Environment:
        """The templates in one of the pages' languages; with those of a step, channel or recruiter."""
        if (language, of) not in self._environments:
            folders = [
                TEMPLATES,
                *(judgement_kind.folder / "templates" for judgement_kind in self.study.judgement_kinds),
            ]
            folders = folders if of is None else [of.folder, *folders]
            environment = Environment(
                loader=FileSystemLoader(folders),
                autoescape=select_autoescape(["html"]),
                undefined=StrictUndefined,
                trim_blocks=True,
                lstrip_blocks=True,
                extensions=["jinja2.ext.i18n"],
            )
            words: Any = environment  # the extension adds this method
            catalogue = of.words(language, DOMAIN) if isinstance(of, StepKind) else translations(language)
            words.install_gettext_translations(catalogue, newstyle=True)
            self._environments[language, of] = environment
        return self._environments[language, of]

    def page(
        self,
        name: str,
        language: str,
        *,
        status: int = 200,
        of: PageOf | None = None,
        **facts: Any,
    ) -> HTMLResponse:
        """A page in a language of the study for its words and the nearest of ours for everything else.

        of  the kind of step, the channel or the recruiter whose page it is; None: one of ours
        """
        spoken = page_language(language)
        study, state = self.study, facts.get("state")
        tried = state is not None and state.logged_study == team_study(study.name)
        html = (
            self.environment(spoken, of)
            .get_template(f"{name}.html")
            .render(
                **{"in_visit": False, "problem": None, "tried": tried} | facts,
                base=self.base,
                page_language=spoken,
                language=language,
                languages=[(tag, language_name(tag)) for tag in study.languages],
                notice=self.notice,
                study_title=study.title.get(language) or next(iter(study.title.values()), study.name),
            )
        )
        return HTMLResponse(html, status)

    def to(self, path: str) -> RedirectResponse:
        """On to another page, by GET."""
        return RedirectResponse(f"{self.base}{path}", 303)

    def remember(self, response: Response, token: str, *, framed: bool = False) -> None:
        """Give the browser the visit's token, where no script can read it.

        framed  the page stands in another site's frame: the cookie is of that site's frames alone
        """
        response.set_cookie(
            self.cookie,
            token,
            max_age=COOKIE_DAYS * 86400,
            path=self.base or "/",
            httponly=True,
            samesite="none" if framed else "lax",
            secure=framed or self.secure_cookies,
        )
        if framed:  # the standard library writes this attribute from Python 3.14 on
            name, value = response.raw_headers[-1]
            response.raw_headers[-1] = (name, value + b"; Partitioned")

    async def news(self, visit_id: str, after: int, wait_s: float) -> list[StoredEvent]:
        """Events after a seq, as the engine gives them; does not wait while the server closes.

        A turn that the page itself has posted waits for what comes next, the answer as a rule.
        """
        until_s = time.monotonic() + wait_s
        stored: list[StoredEvent] = []
        while True:
            last = stored[-1].seq if stored else after
            left_s = 0.0 if self.closing.is_set() else max(0.0, until_s - time.monotonic())
            more = await self.engine.updates(visit_id, last, left_s)
            stored += more
            posted = self._posted.get(visit_id)
            if not more or posted is None or any(event.client_key != posted for event in stored):
                return stored

    def posted(self, visit_id: str, key: str) -> None:
        """The page posts a turn with this key."""
        self._posted[visit_id] = key
        self._posted.move_to_end(visit_id)
        while len(self._posted) > TABS_REMEMBERED:
            self._posted.popitem(last=False)

    def close(self) -> None:
        """Answer everybody who waits for news: the server closes."""
        self.closing.set()
        self.engine.wake()

    def count_turn(self, visit_id: str) -> None:
        """Raises TooMany."""
        if not self._turns.passes(visit_id):
            raise TooMany

    def count_sound(self, visit_id: str) -> None:
        """Something is to be spoken, which costs time or money. Raises TooMany."""
        if not self._sounds.passes(visit_id):
            raise TooMany

    def count_visit(self, request: Request) -> None:
        """Raises TooMany."""
        address = request.client.host if request.client else "unknown"
        if not self._visits.passes(address):
            _report.warning(
                "visit_refused", setting="limits.visits_per_hour", is_now=self.rates.visits_per_hour
            )
            raise TooManyVisits


def visit_minutes(study: Study) -> int:
    """About how long the shortest visit takes."""
    total = sum(kind_of(step).minutes(step, study) for step in study.visit)
    return math.ceil(total) if total <= 10 else 5 * math.ceil(total / 5)


def _as_held(study: Study, pool: str) -> Study:
    """A study with as many dialogues as those hold whom this recruiter sends."""

    def held(step: Step) -> Step:
        plan = dialogues_of(step)
        if plan is None or plan is not step:
            return step
        return step.model_copy(update={"repeat": repeat_of(study.recruitment, pool, plan)})

    return study.model_copy(update={"visit": tuple(map(held, study.visit))})


def information_sheet(study: Study, language: str, pool: str = "") -> dict[str, Any]:
    """Information about the steps for a recruiter's participants; `lead`: of the longest step."""
    study, spoken = _as_held(study, pool), page_language(language)
    steps = [(kind_of(step), step) for step in study.visit]
    infos = [(kind, kind.participant_info(step, study), kind.minutes(step, study)) for kind, step in steps]
    leads = [(minutes, kind.say(info.lead, spoken)) for kind, info, minutes in infos if info.lead is not None]

    def said(name: str) -> list[str]:
        return list(
            dict.fromkeys(
                kind.say(message, spoken) for kind, info, _ in infos for message in getattr(info, name)
            )
        )

    does = [
        " ".join(kind.say(message, spoken) for message in info.does) for kind, info, _ in infos if info.does
    ]
    return {
        "lead": max(leads, key=lambda lead: lead[0])[1] if leads else None,
        "does": does,
        "needs": said("needs"),
        "keeps": said("keeps"),
        "minutes": visit_minutes(study),
        "kept_days": study.retention.days() if study.retention is not None else {},
    }


def site_of(request: Request) -> Site:
    return request.app.state.site


async def visit_of(request: Request) -> str:
    """Visit of the browser's token. Raises NoVisit."""
    site = site_of(request)
    token = request.cookies.get(site.cookie)
    visit_id = await site.engine.visit_of_token(token) if token else None
    if visit_id is None:
        raise NoVisit
    return visit_id


async def _this_site(request: Request) -> Site:
    """`site_of` as a dependency; it is asynchronous because others are run on threads of their own."""
    return site_of(request)


ThisSite = Annotated[Site, Depends(_this_site)]
ThisVisit = Annotated[str, Depends(visit_of)]
