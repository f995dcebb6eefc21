"""A study with an annotation section, a log of dialogues held with two systems, and annotators."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from scenes.browsing import Forms
from scenes.patience import KEPT, PATIENCE_S
from scenes.websites import Running, running
from vivavoce.annotation.workplace import annotator_key
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce.testing.judgement import hold_dialogue
from vivavoce.trial.engine import SessionEngine

__all__ = ["PASSWORD", "Annotator", "annotated_study", "bench", "hold_dialogue"]
PASSWORD = "a long enough sentence"


def annotated_study(folder: Path, annotation: str = "schemes: [context, maxim]\n  double: 0.5") -> Study:
    """The study that `vivavoce init` writes, in English and Italian, with a section `annotation`."""
    write_study(folder, "cambridge-2011", name="city")
    path = folder / "study.yaml"
    text = path.read_text(encoding="utf-8").replace("generate: 200", "generate: 8")
    path.write_text(f"{text}\nannotation:\n  {annotation}\n", encoding="utf-8")
    return load_study(path)


class Annotator:
    """An annotator's browser without scripts: comes by a one-time link, makes an account, judges by forms."""

    def __init__(self, server: Running, name: str) -> None:
        self.server, self.name = server, name
        self.client = httpx.Client(
            base_url=server.url, follow_redirects=True, trust_env=False, timeout=PATIENCE_S, limits=KEPT
        )
        self.html = ""

    def come_in(self) -> "Annotator":
        link = Access(self.server.site.engine.log).invite(ANNOTATOR, self.server.url + "/annotate")
        self.take(self.client.post(link))
        entered = {"name": self.name, "password": PASSWORD, "again": PASSWORD}
        return self.take(self.client.post("/annotate/account", data=entered))

    def take(self, response: httpx.Response, status: int = 200) -> "Annotator":
        assert response.status_code == status, response.text
        self.html = response.text
        return self

    def look(self, path: str = "/annotate") -> str:
        return self.take(self.client.get(path)).html

    def press(self, action: str, status: int = 200, **fields: str) -> str:
        """Send the form with this action, as shown, with what was pressed or entered."""
        form = Forms(self.html).forms[action]
        return self.take(self.client.post(action, data={**form, **fields}), status).html

    def begin(self) -> str:
        self.look()
        return self.press("/annotate/next")

    def judge(self, *choices: str) -> str:
        """Judge one place after another; "" says that no label applies."""
        for choice in choices:
            self.press("/annotate/label", **({"choice": choice} if choice else {"none": "1"}))
        return self.html

    @property
    def key(self) -> str:
        """The pseudonym of this annotator in the log."""
        accounts = Access(self.server.site.engine.log).accounts()
        return annotator_key(next(one.account_id for one in accounts if one.name == self.name))


@contextmanager
def bench(study: Study, log: Log) -> Iterator[Callable[[str], Annotator]]:
    """The pages of a study; makes annotators' browsers, which are closed before the pages are."""
    with ExitStack() as stack:
        server = stack.enter_context(running(create_app(SessionEngine(study, log, {}))))

        def annotator(name: str) -> Annotator:
            made = Annotator(server, name)
            stack.callback(made.client.close)
            return made

        yield annotator
