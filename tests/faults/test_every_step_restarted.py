"""Every kind of step, the service gone after each request and every form sent twice: nothing lost or doubled.

A service that dies leaves its log and nothing else. So each request here is answered by a service that knows
the visit from the log alone, and is then sent to another one, as browsers do whose answer was lost, and
people who press twice.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest
from fastapi import FastAPI

from scenes.browserless import Forms
from scenes.browsing import study_with_texts
from scenes.comparing import comparing_study
from scenes.eliciting import commanding_study
from scenes.fighting import arena_study
from scenes.listening import listening_study
from scenes.patience import eventually_there
from scenes.transcribing import transcribing_study
from scenes.visits import Parrot
from vivavoce.core.clock import SystemClock
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.participant.site import RateLimits
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine

STEPS: dict[str, Callable[[Path], Study]] = {
    "dialogues and questionnaires": study_with_texts,
    "comparing": comparing_study,
    "arena": lambda folder: arena_study(folder, battles=2, turns=2),
    "transcribing": lambda folder: transcribing_study(folder, accuracy=0),
    "commanding": commanding_study,
    "listening": lambda folder: listening_study(folder, sentences=2),
}
# what is entered beside the first button of each row, in the order in which forms are preferred
ENTERED: dict[str, dict[str, str]] = {
    "/start": {},
    "/consent": {"answer": "agree"},
    "/read": {},
    "/code": {},
    "/answers": {},
    "/respond": {"counted": "9", "text": "a"},
    "/arena/vote": {"choice": "left"},
    "/arena/say": {"item-text": "a thai place"},
    "/dialogue/finish": {},
    "/dialogue/next": {},
    "/turns/form": {"text": "a thai place"},
    "/dialogue/end/form": {"confirmed": "yes"},
}
TURNS = 2


class Later(SystemClock):
    """A minute has gone by with every request: long enough to have listened."""

    minutes = 0

    def now(self) -> datetime:
        return super().now() + timedelta(minutes=self.minutes)


@dataclass
class Participant:
    """A browser without scripts, whose cookie is all that it keeps."""

    study: Study
    log: Log
    troubled: bool
    cookies: httpx.Cookies = field(default_factory=httpx.Cookies)
    clock: Later = field(default_factory=Later)
    engine: SessionEngine | None = None
    app: FastAPI | None = None
    sent: int = 0

    def service(self, *, another: bool) -> FastAPI:
        """The service, or another one that knows nothing but the log."""
        if self.app is None or another:
            self.crash()
            systems = dict.fromkeys(self.study.systems, Parrot(idempotent=True))
            self.engine = SessionEngine(self.study, self.log, systems, clock=self.clock)
            rates = RateLimits(turns_per_minute=10_000, visits_per_hour=10_000)
            self.app = create_app(self.engine, rates=rates)
        return self.app

    def crash(self) -> None:
        """End what is under way, without a word."""
        if self.engine is not None:
            for visit in self.engine._visits.values():
                if visit.task is not None:
                    visit.task.cancel()

    async def ask(self, method: str, path: str, **content: object) -> httpx.Response:
        self.clock.minutes += 1
        app = self.service(another=self.troubled and method == "POST")
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://trial",
            cookies=self.cookies,
            follow_redirects=True,
        ) as client:
            response = await client.request(method, path, **content)  # pyright: ignore[reportArgumentType]
            self.cookies = client.cookies
        assert response.status_code < 400, response.text
        await eventually_there(self._settled, "the system never answered")
        return response

    async def _settled(self) -> bool:
        assert self.engine is not None
        for visit in self.log.visits(self.study.name):
            state = await self.engine.state(visit.visit_id)
            sides = state.bout.sides if state.bout else [state.dialogue] if state.dialogue else []
            if any(one.running and (one.unanswered is not None or not one.greeted) for one in sides):
                return False
        return True

    async def go_through(self) -> None:
        """From the first page to the last."""
        page = await self.ask("GET", "/")
        for _ in range(100):
            form = self._form(page)
            if form is None:
                return
            action, fields = form
            page = await self.ask("POST", urljoin(str(page.url), action), data=fields)
            if self.troubled:
                before = logged(self.study, self.log)
                await self.ask("POST", urljoin(str(page.url), action), data=fields)
                assert logged(self.study, self.log) == before, f"{action} counted twice"
            page = await self.ask("GET", "/visit")
        raise AssertionError("the visit has no end")

    def _form(self, page: httpx.Response) -> tuple[str, dict[str, str]] | None:
        forms = Forms(page.text)
        for path, entered in ENTERED.items():
            if not forms.has(path) or (path == "/turns/form" and self.sent == TURNS):
                continue
            self.sent = self.sent + 1 if path == "/turns/form" else 0
            form = forms.to(path)
            answered = {name: values[0] for name, values in form["radios"].items()}
            return form["action"], {**form["fields"], **answered, **entered}
        return None


def logged(study: Study, log: Log) -> list[str]:
    """Everything that is in the log of a study's visits, by kind."""
    return [one.event.kind for visit in log.visits(study.name) for one in log.events(visit.visit_id)]


@pytest.fixture
def new_log(tmp_path: Path) -> Iterator[Callable[[str], Log]]:
    opened: list[Log] = []

    def make(name: str) -> Log:
        opened.append(Log.open(f"sqlite:///{tmp_path / name}.sqlite"))
        return opened[-1]

    yield make
    for log in opened:
        log.close_now()


@pytest.mark.parametrize("step", STEPS)
def test_a_visit_goes_on_where_it_was_whenever_the_service_dies_and_whatever_is_sent_twice(
    tmp_path: Path, new_log: Callable[[str], Log], step: str
) -> None:
    study = STEPS[step](tmp_path / "study")

    async def visit(log: Log, *, troubled: bool) -> None:
        participant = Participant(study, log, troubled)
        await participant.go_through()
        participant.crash()

    calm, troubled = new_log("calm"), new_log("troubled")
    asyncio.run(visit(calm, troubled=False))
    asyncio.run(visit(troubled, troubled=True))
    assert logged(study, troubled) == logged(study, calm)
    assert logged(study, calm)[-1] == "visit_ended"
    (one,) = troubled.visits(study.name)
    assert one.outcome == "completed"
