"""A study that recruits on a stand-in of Prolific, its command line, and people who come from there."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from typer.testing import CliRunner, Result

from scenes.counterparts import Counterparts
from scenes.patience import eventually
from vivavoce.api.studies import make_connectors
from vivavoce.log import events
from vivavoce.log.store import Log, Transaction
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.testing.pages import PageForms, Visitor, running
from vivavoce.trial.codes import token_hash
from vivavoce.trial.engine import SessionEngine
from vivavoce_recruitment import prolific_api
from vivavoce_recruitment.cli.app import app

TOKEN = "canary-prolific-token"
SITE = "https://lab.example"
STUDY = """
study: paid
systems: {{one: {{connect: scripted, otherwise: I see.}}}}
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1..2, gate: none}}
  - debrief: bye.md
limits: {{visits_per_hour: 1000}}
recruitment:
  prolific:
    reward: 2.00 GBP
    places: {places}
    minutes: 10
    workspace: 5f0000000000000000000001
    webhook_secret: ${{PROLIFIC_WEBHOOK_SECRET}}
    fee_percent: 33.3
    description: Talk with a chatbot.
    site: {site}
    api: {api}
    bonuses: [{{name: two-dialogues, dialogues: 2, pay: 0.50 GBP}}]
    {more}
"""


def write_study(folder: Path, api: str, more: str = "", places: int = 30) -> Path:
    """The folder of a study that pays by the platform at this address."""
    folder.mkdir()
    (folder / "consent.md").write_text("# Please agree\n\nWe keep your words.\n", "utf-8")
    (folder / "bye.md").write_text("# Bye\n\nThat was it.\n", "utf-8")
    (folder / "study.yaml").write_text(STUDY.format(api=api, site=SITE, more=more, places=places), "utf-8")
    return folder


def recruit(verb: str, folder: Path, *more: str) -> Result:
    """`vivavoce recruit VERB`, run here."""
    return CliRunner().invoke(app, [verb, str(folder), *more])


class Prolific:
    """The stand-in, as tests command it."""

    def __init__(self, place: str) -> None:
        self.url = f"http://{place}"
        self._client = httpx.Client(base_url=f"{self.url}/control", trust_env=False, timeout=60)

    def close(self) -> None:
        self._client.close()

    def tell(self, what: str, **body: Any) -> Any:
        answer = self._client.post(f"/{what}", json=body)
        return answer.json() if answer.content and answer.is_success else answer.status_code

    def ask(self, what: str) -> Any:
        return self._client.get(f"/{what}").json()

    def codes(self) -> dict[str, list[str]]:
        """The codes of the study by what they do: MANUALLY_REVIEW or REQUEST_RETURN."""
        found: dict[str, list[str]] = {}
        for code in self.ask("studies")[-1]["completion_codes"]:
            found.setdefault(code["actions"][0]["action"], []).append(code["code"])
        return found


@contextmanager
def platform(folder: Path) -> Iterator[Prolific]:
    """The stand-in while the block lasts, with a token for it in the environment and no patience."""
    counterparts = Counterparts()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PROLIFIC_TOKEN", TOKEN)
        patched.setattr(prolific_api, "FIRST_WAIT_S", 0.01)
        try:
            place = counterparts.server("prolific_platform.py", str(folder / "platform.json"))
            with closing(Prolific(place)) as prolific:
                yield prolific
        finally:
            counterparts.stop()


@contextmanager
def pages(folder: Path) -> Iterator[tuple[Study, Log, Callable[[], Visitor]]]:
    """A study's pages over the log beside it; makes browsers."""
    study = load_study(folder)
    with ExitStack() as stack:
        log = stack.enter_context(Log.open(f"sqlite:///{folder / 'log.sqlite'}"))
        server = stack.enter_context(running(create_app(SessionEngine(study, log, make_connectors(study)))))

        def open_browser() -> Visitor:
            visitor = Visitor(server.url)
            stack.callback(visitor.close)
            return visitor

        yield study, log, open_browser


def arrive(browser: Visitor, address: str) -> None:
    """Open the study by the link of the platform, on this computer, and begin."""
    browser.look(f"/?{urlsplit(address).query}")
    browser.press("/start")


def take_part(browser: Visitor, dialogues: int = 1, agree: bool = True) -> str:
    """Go through the visit; the code on its last page."""
    browser.press("/consent", answer="agree" if agree else "decline")
    for number in range(dialogues if agree else 0):
        if number:
            browser.press("/dialogue/next")
        hold_dialogue(browser)
    if agree:
        if "/dialogue/finish" in PageForms(browser.html).forms:
            browser.press("/dialogue/finish")
        browser.press("/read")
    return code_shown(browser)


def hold_dialogue(browser: Visitor) -> None:
    """One dialogue, from its greeting to its end."""
    eventually(lambda: talks(browser), "the dialogue never began")
    browser.press("/turns/form", text="hello")
    eventually(lambda: talks(browser) and "I see." in browser.html, "the system never answered")
    browser.press("/dialogue/end/form")


def talks(browser: Visitor) -> bool:
    """Whether their dialogue is under way, and the system owes nothing."""
    browser.look()
    waiting = '<p class="typing" id="typing" hidden>' not in browser.html
    return "/turns/form" in PageForms(browser.html).forms and not waiting


def code_shown(browser: Visitor) -> str:
    """The completion code on the page."""
    _, _, rest = browser.html.partition('aria-labelledby="completion">')
    return rest.partition("<")[0]


def visit_completed(log: Log, ticket: str, number: int, outcome: events.Outcome = "completed") -> None:
    """Somebody came with this ticket, held two dialogues, and was done."""

    def write(tx: Transaction) -> None:
        visit, who = f"visit-{number}", f"participant-{number}"
        tx.bind_visit(visit, "paid", who, "prolific", f"token-{number}", token_hash(ticket))
        tx.append(
            visit,
            events.VisitOpened(
                study="paid", revision="1", participant_id=who, pool="prolific", language="en", verified=True
            ),
        )
        for round in range(2):
            key = f"dialogue-{number}-{round}"
            tx.append(
                visit,
                events.DialogueAssigned(
                    dialogue_id=key,
                    step=1,
                    round=round,
                    system="one",
                    channel="text",
                    spoken=False,
                    calls_out=False,
                    language="en",
                    conversation=key,
                    task_id=None,
                    task=None,
                ),
            )
            tx.append(visit, events.DialogueOpened(dialogue_id=key))
            tx.append(visit, events.DialogueEnded(dialogue_id=key, reason="user", user_turns=1))
        tx.append(visit, events.VisitEnded(outcome=outcome))

    log.transact_now(write)
