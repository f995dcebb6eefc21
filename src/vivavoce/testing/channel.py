"""Contract of every channel."""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from ruamel.yaml import YAML
from starlette.routing import Match

from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.steps.base import Information
from vivavoce.study.channel import CHANNELS, Channel
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.step_kind import dialogues_of, kind_of
from vivavoce.testing.pages import Running, Visitor, running
from vivavoce.trial.engine import SessionEngine

CONSENT = "# Consent\n\nWhat is said is recorded and kept.\n"


class ChannelContract:
    """Contract of every channel, tried in a study of one dialogue held by it.

    name       as `channel` of a dialogue has it
    settings   of the dialogue beside that, such as {gate: code}
    sections   of the study file that the channel needs, such as `telephone`
    languages  of the study
    """

    name: str
    settings: Mapping[str, Any] = {}
    sections: Mapping[str, Any] = {}
    languages: tuple[str, ...] = ("en",)

    def test_it_is_found_by_its_name_and_says_what_it_is(self) -> None:
        assert self._channel().name == self.name
        course = self._channel().preregistration_line()
        assert course and "\n" not in course, "preregistration_line must be a single line"

    def test_participants_are_told_what_is_kept(self) -> None:
        with self._study() as study:
            (dialogue,) = [step for step in study.visit if dialogues_of(step) is not None]
            info: Information = self._channel().participant_info(study)
            assert info.lead and info.keeps, "participant_info needs a lead and a list of stored data"
            for message in (info.lead, *info.needs, *info.keeps):
                for language in study.languages:
                    assert "%(" not in kind_of(dialogue).say(message, language)

    def test_it_says_what_is_missing_and_what_is_doubtful_in_a_line_each(self) -> None:
        with self._study() as study:
            lines = [*map(str, self._channel().missing(study)), *self._channel().doubts(study)]
            assert all(line and "\n" not in line for line in lines)

    def test_its_line_starts_and_stops_with_the_pages_and_says_where_it_is(self) -> None:
        with self._served() as (_, server, line):
            assert server.started
            assert all(announcement and "\n" not in announcement for announcement in line.announced())

    def test_its_page_stands_while_a_dialogue_is_held_in_each_language(self) -> None:
        with self._served() as (study, server, _), closing(Visitor(server.url)) as person:
            person.look("/")
            person.press("/start")
            person.press("/consent", answer="agree")
            for language in study.languages:
                if len(study.languages) > 1:
                    person.press("/language", language=language)
                assert f'lang="{language}"' in person.html and person.html.count("<h1") == 1
                typed = 'id="composer"' in person.html
                assert typed is self._channel().in_chat, "the message form must match in_chat"
            for script in re.findall(r'"([^"]*/static/[^"]+)"', person.html):
                answer = person.client.get(script)
                assert answer.status_code == 200, f"the page requests {script}, which does not exist"
                for module in re.findall(r' from "\./([^"]+)"', answer.text):
                    beside = f"{script.rpartition('/')[0]}/{module}"
                    assert person.client.get(beside).status_code == 200, f"{script} imports {module}"
            person.look("/visit?problem=no-such-word")
            assert re.search(r'<\w+[^>]* class="problem"[^>]*>\s*\w', person.html) is None

    def test_a_study_in_which_nobody_talks_by_it_knows_none_of_its_addresses(self) -> None:
        router = self._channel().router
        addresses = [route for route in router.routes if hasattr(route, "path")] if router is not None else []
        with self._study() as study, self._log() as log:
            silent = tuple(step for step in study.visit if dialogues_of(step) is None)
            silent_study = study.model_copy(update={"visit": silent})
            for served, expected in ((study, True), (silent_study, False)):
                app = create_app(SessionEngine(served, log, {}), lines={})
                for address in addresses:
                    assert _answers(app, address) is expected, address.path

    def _channel(self) -> Channel:
        return CHANNELS.get(self.name)

    @contextmanager
    def _study(self) -> Iterator[Study]:
        with tempfile.TemporaryDirectory() as folder:
            dialogue = {"repeat": 1, "channel": self.name, **self.settings}
            systems = {"one": {"connect": "scripted", "otherwise": "I see."}}
            study = {
                "study": "contract",
                "languages": list(self.languages),
                "systems": systems,
                **self.sections,
                "visit": [{"consent": {"file": "consent.md", "recording": True}}, {"dialogue": dialogue}],
            }
            for language in self.languages:
                end = "md" if language == self.languages[0] else f"{language}.md"
                (Path(folder) / f"consent.{end}").write_text(CONSENT, encoding="utf-8")
            YAML(typ="safe").dump(study, Path(folder) / "study.yaml")
            yield load_study(Path(folder))

    @contextmanager
    def _log(self) -> Iterator[Log]:
        with tempfile.TemporaryDirectory() as folder, Log.open(f"sqlite:///{folder}/log.sqlite") as log:
            yield log

    @contextmanager
    def _served(self) -> Iterator[tuple[Study, Running, Any]]:
        """The pages of the study with the channel's line."""
        with self._study() as study, self._log() as log:
            self._channel().require(study)
            systems = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
            engine = SessionEngine(study, log, systems)
            line = self._channel().open(engine)
            with running(create_app(engine, lines={self.name: line})) as server:
                yield study, server, line


def _answers(app: FastAPI, address: Any) -> bool:
    """True if the application has this route."""
    method = next(iter(getattr(address, "methods", None) or [""]))
    scope = {"type": "http" if method else "websocket", "path": address.path, "method": method, "headers": []}
    return any(route.matches(scope)[0] is Match.FULL for route in app.routes)
