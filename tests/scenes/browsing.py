"""The pages over a real engine and log, and a visitor who uses them as a browser without scripts would."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from html.parser import HTMLParser
from pathlib import Path

import httpx

from scenes.patience import PATIENCE_S, eventually
from scenes.visits import Parrot, make_study
from scenes.websites import Running, running
from vivavoce.log.store import Log, StoredEvent
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.questionnaires.wording import load_wording
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce.web.app import create_app

DOCUMENTS = {
    "consent.md": {"en": "# Please agree\n\nWe keep your words.", "it": "# Acconsenti\n\nTeniamo le parole."},
    "how.md": {"en": "# How to\n\nTalk.", "it": "# Come\n\nParla."},
    "reach.md": {"en": "# Call us\n\nDial 12.", "it": "# Chiama\n\nFai il 12."},
}


class Forms(HTMLParser):
    """The forms of a page: by action, the hidden fields of the first with this action."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self._open: dict[str, str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = {}
            self.forms.setdefault(facts.get("action", ""), self._open)
        if (
            tag == "input"
            and self._open is not None
            and (facts.get("type") == "hidden" or "readonly" in facts)
        ):
            self._open[facts["name"]] = facts.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None


class Visitor:
    """One browser with its cookies; `html` is the page that it shows."""

    def __init__(self, server: Running) -> None:
        self.server, self.engine = server, server.site.engine
        self.client = httpx.Client(
            base_url=server.url, follow_redirects=True, trust_env=False, timeout=PATIENCE_S
        )
        self.html = ""

    def look(self, path: str = "/visit") -> str:
        response = self.client.get(path)
        assert response.status_code == 200, response.text
        self.html = response.text
        return self.html

    def press(self, action: str, status: int = 200, **fields: str) -> str:
        """Send the form with this action, as shown, with what was entered."""
        form = Forms(self.html).forms[action]
        response = self.client.post(action, data={**form, **fields})
        assert response.status_code == status, response.text
        self.html = response.text
        return self.html

    def into_dialogue(self, language: str = "en") -> str:
        """Start, agree, read, and wait for the greeting; the dialogue's key."""
        self.look(f"/?lang={language}")
        self.press("/start")
        self.press("/consent", answer="agree")
        self.press("/read")
        return self.settled()

    def settled(self) -> str:
        """Wait until the system owes nothing; the dialogue's key."""
        eventually(self._owed_nothing, "the system never answered")
        form = Forms(self.html).forms.get("/turns/form")
        return form["dialogue_id"] if form else ""

    def _owed_nothing(self) -> bool:
        self.look()
        form = Forms(self.html).forms.get("/turns/form")
        return form is None or '<p class="typing" id="typing" hidden>' in self.html

    def say(self, text: str) -> None:
        self.press("/turns/form", text=text)
        self.settled()

    def hold_dialogue(self) -> None:
        """Two turns, and the end."""
        self.say("a thai place")
        self.say("its phone number")
        self.press("/dialogue/end/form")

    def give_feedback(self) -> None:
        self.press("/answers", **{"item-found_all": "1", "item-understood": "4", "item-phrasing": "5"})


def study_with_texts(folder: Path, **changes: object) -> Study:
    wordings = {
        name: {language: load_wording(INSTRUMENTS.get(name), language) for language in ("en", "it")}
        for name in ("cambridge", "sus")
    }
    return make_study(folder, documents=DOCUMENTS, wordings=wordings, **changes)


@contextmanager
def serve(study: Study, log: Log, parrot: Parrot, **settings: object) -> Iterator[Callable[[], Visitor]]:
    """The pages of a study; makes browsers that know nothing of one another."""
    engine = SessionEngine(study, log, dict.fromkeys(study.systems, parrot))
    with ExitStack() as stack:
        app = create_app(engine, **settings)  # pyright: ignore[reportArgumentType]
        server = stack.enter_context(running(app))

        def open_browser() -> Visitor:
            visitor = Visitor(server)
            stack.callback(visitor.client.close)
            return visitor

        yield open_browser


def events_of(log: Log, kind: str | None = None) -> list[StoredEvent]:
    """Everything in the log, or all events of one kind."""
    found = [one for visit in log.visits("city") for one in log.events(visit.visit_id)]
    return [one for one in found if kind is None or one.event.kind == kind]
