"""The pages over a real engine and log, and a visitor who uses them as a browser without scripts would."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scenes.patience import eventually
from scenes.visits import Parrot, make_study
from scenes.websites import Running, running
from vivavoce.log.store import Log, StoredEvent
from vivavoce.participant.app import create_app
from vivavoce.questionnaires.instrument import INSTRUMENTS, load_wording
from vivavoce.study.model import Study
from vivavoce.testing import pages
from vivavoce.testing.pages import PageForms as Forms
from vivavoce.trial.engine import SessionEngine

__all__ = ["Forms", "Visitor", "events_of", "serve", "study_with_texts"]
DOCUMENTS = {
    "consent.md": {"en": "# Please agree\n\nWe keep your words.", "it": "# Acconsenti\n\nTeniamo le parole."},
    "how.md": {"en": "# How to\n\nTalk.", "it": "# Come\n\nParla."},
    "reach.md": {"en": "# Call us\n\nDial 12.", "it": "# Chiama\n\nFai il 12."},
}


class Visitor(pages.Visitor):
    """One browser with its cookies, and the engine behind the pages."""

    def __init__(self, server: Running) -> None:
        super().__init__(server.url)
        self.server, self.engine = server, server.site.engine

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
