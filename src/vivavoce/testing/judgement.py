"""Contract of every kind of judgement: pages of annotators, and tables of researchers."""

import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from vivavoce.annotation.files import read_annotations, write_annotations
from vivavoce.annotation.taking_in import take_into_log
from vivavoce.annotation.workplace import Workplace, annotator_key
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError
from vivavoce.dashboard.agreement import agreement
from vivavoce.dashboard.page import DASHBOARD_PAGES
from vivavoce.log import events
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Place
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log, Transaction
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.study.channel import calls_out, is_spoken
from vivavoce.study.judgement_kind import JUDGEMENTS, JudgementKind
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.testing.pages import PageForms, Visitor, served_apart, visitors

HOME: Final = "/annotate"
PASSWORD: Final = "a long enough sentence"
MOST_FORMS: Final = 200
SAID: Final = (
    ("system", "Hello, what are you looking for?"),
    ("user", "a cheap thai place"),
    ("system", "I am sorry, I did not understand that."),
    ("user", "something thai and cheap, and what is its phone number?"),
    ("system", "Bangkok House is cheap and thai. Its number is 223344."),
)
Rows = list[dict[str, Any]]


class JudgementContract:
    """Contract of every kind of judgement, tried in a study of that kind alone.

    Three dialogues are held, in which the system says three turns and the user two.

    name       its key in the section `annotation`
    settings   as they stand there
    forms      by action, what is filled in wherever the form is due; together they finish a dialogue
    languages  of the study
    files      text files beside the study file, by name
    """

    name: str
    forms: Mapping[str, Mapping[str, str]]
    settings: Any = {}
    languages: tuple[str, ...] = ("en",)
    files: Mapping[str, str] = {}

    def prepare(self, log: Log, study: Study) -> None:
        """Let there be something to judge; another's where it is no dialogue."""
        for number in range(3):
            hold_dialogue(log, study, number)

    def rows(self, study: Study, log: Log, folder: Path) -> Rows:
        """Rows of the kind's table, as researchers read it."""
        return export_dataset(log, study.name, folder).read(self.kind.table).to_pylist()

    def write_files(self, study: Study, log: Log, folder: Path) -> None:
        """Everybody's judgements as files; another's where `annotate out` is not how they are written."""
        with tempfile.TemporaryDirectory() as data:
            write_annotations(export_dataset(log, study.name, Path(data) / "data"), folder, "csv")

    def read_files(self, study: Study, log: Log, folder: Path) -> None:
        """Take such files in; another's where `annotate in` is not how."""
        with tempfile.TemporaryDirectory() as data:
            rows = read_annotations([folder], export_dataset(log, study.name, Path(data) / "data"))
        take_into_log(study, log, rows, by="file")

    def test_it_is_found_by_its_name_and_has_a_page_of_the_dashboard(self) -> None:
        assert self.kind.name == self.name
        assert self.kind.address.startswith(HOME)
        paths = {getattr(route, "path", "") for _, page in DASHBOARD_PAGES for route in page.router.routes}
        assert self.kind.dashboard.partition("?")[0] in paths
        assert self.kind.invitation and self.kind.title

    def test_each_is_judged_by_one_and_nobody_is_given_anything_twice(self) -> None:
        with self._study(double=0) as study, self._log(study) as log, visitors(study, log) as browser:
            work = self.kind.open(study, log)
            waiting = [dialogue.dialogue_id for dialogue in work.waiting()]
            assert waiting and len(set(waiting)) == len(waiting), (
                "the queue needs at least one item, each only once"
            )
            anna, bruno = (self._annotator(browser(), log, work, name) for name in ("anna", "bruno"))
            first, second = anna.begin(), bruno.begin()
            assert first != second and {first, second} <= set(waiting)
            anna.judge_all()
            annotators = {key: list(dialogue.work) for key, dialogue in work.see().dialogues.items()}
            assert annotators == {key: [bruno.key if key == second else anna.key] for key in waiting}

    def test_what_is_finished_is_in_the_dataset_and_what_is_not_is_not(self) -> None:
        with self._study() as study, self._log(study) as log, visitors(study, log) as browser:
            anna = self._annotator(browser(), log, self.kind.open(study, log), "anna")
            before = self._rows(study, log)
            due = anna.begin()
            if len(self.forms) > 1:
                anna.press()
            assert self._rows(study, log) == before
            anna.judge(due)
            after = self._rows(study, log)
            assert after != before and any(anna.key in str(row) for row in after)

    def test_a_reload_keeps_what_was_said_and_a_form_sent_twice_counts_once(self) -> None:
        with self._study() as study, self._log(study) as log, visitors(study, log) as browser:
            anna = self._annotator(browser(), log, self.kind.open(study, log), "anna")
            due, (action, sent) = anna.begin(), anna.due()
            anna.press()
            page, judgements = anna.browser.html, anna.said(due)
            assert anna.browser.client.post(action, data=sent).status_code == 200
            assert anna.said(due) == judgements, "sending the same form again must not change the judgements"
            assert anna.browser.look(f"{self.kind.address}/work") == page, (
                "the page must show the same task again"
            )
            cookies = dict(anna.browser.client.cookies)
            with visitors(study, log) as elsewhere:
                later = elsewhere(cookies).look(f"{self.kind.address}/work")
            assert PageForms(later).forms == PageForms(page).forms, "another process must show the same forms"

    def test_what_was_acknowledged_is_there_after_a_kill(self) -> None:
        with self._study() as study:
            address = f"sqlite:///{study.folder / 'log.sqlite'}"
            with Log.open(address) as log:
                self.prepare(log, study)
                link = Access(log).invite(ANNOTATOR, HOME)
            with served_apart(study.folder) as (server, url), closing(Visitor(url)) as browser:
                _make_account(browser, link, "anna")
                anna = AnnotatorsBrowser(browser, "", self.kind, self.forms)
                anna.begin()
                anna.press()
                server.send_signal(signal.SIGKILL)
            with Log.open(address) as log:
                mine = self.kind.open(study, log).see().of_annotator(_key(log, "anna"))
            assert any(place.judged for place in mine.values())

    def test_its_pages_can_be_read_in_each_language(self) -> None:
        with self._study() as study, self._log(study) as log, visitors(study, log) as browser:
            anna = self._annotator(browser(), log, self.kind.open(study, log), "anna")
            anna.begin()
            pages = [self.kind.address, f"{self.kind.address}/work"]
            for language in study.languages[1:]:
                anna.browser.press(f"{HOME}/language", language=language)
                for page in pages:
                    html = anna.browser.look(page)
                    assert f'lang="{language}"' in html and html.count("<h1") == 1

    def test_two_who_say_the_same_agree_and_their_files_say_it_elsewhere(self) -> None:
        with self._study() as study, tempfile.TemporaryDirectory() as folder:
            with self._log(study) as log, visitors(study, log) as browser:
                work = self.kind.open(study, log)
                for name in ("anna", "bruno"):
                    person = self._annotator(browser(), log, work, name)
                    person.begin()
                    person.judge_all()
                state = work.see()
                assert {len(dialogue.work) for dialogue in state.dialogues.values()} == {2}, (
                    "the planned number of annotators is two"
                )
                lines = agreement(state, work.schemes, data="contract").values()
                figures = [line for of_scheme in lines for line in of_scheme if line.units]
                assert figures and all(line.same == 1 for line in figures)
                rows = self._rows(study, log)
                self.write_files(study, log, Path(folder) / "files")
            with self._log(study) as second_log:
                for _ in range(2):  # the same files again change nothing
                    with suppress(InputError):  # it may refuse to say again what is finished
                        self.read_files(study, second_log, Path(folder) / "files")
                    assert self._rows(study, second_log) == rows

    @property
    def kind(self) -> JudgementKind:
        return JUDGEMENTS.get(self.name)

    def _annotator(self, browser: Visitor, log: Log, work: Workplace, name: str) -> "AnnotatorsBrowser":
        _make_account(browser, Access(log).invite(ANNOTATOR, HOME), name)
        return AnnotatorsBrowser(browser, _key(log, name), self.kind, self.forms, work)

    def _rows(self, study: Study, log: Log) -> Rows:
        with tempfile.TemporaryDirectory() as folder:
            rows = self.rows(study, log, Path(folder) / "data")
        return sorted(({**row, "annotated_at": None} for row in rows), key=str)

    @contextmanager
    def _study(self, double: float = 1) -> Iterator[Study]:
        """The study's folder, read."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "study"
            self.write(folder, double)
            yield load_study(folder)

    def write(self, folder: Path, double: float) -> None:
        """Make the folder of the study; another's where it needs more than text files."""
        folder.mkdir()
        for file, text in self.files.items():
            (folder / file).write_text(text, encoding="utf-8")
        system = {"connect": "scripted", "otherwise": "I see."}
        study = {
            "study": "contract",
            "languages": list(self.languages),
            "systems": {"one": system, "two": system},
            "visit": [{"dialogue": {"repeat": 1, "gate": "none"}}],
            "annotation": {"double": double, self.name: self.settings},
        }
        YAML(typ="safe").dump(study, folder / "study.yaml")

    @contextmanager
    def _log(self, study: Study) -> Iterator[Log]:
        with (
            tempfile.TemporaryDirectory() as folder,
            Log.open(f"sqlite:///{Path(folder) / 'log.sqlite'}", ManualClock()) as log,
        ):
            self.prepare(log, study)
            yield log


@dataclass
class AnnotatorsBrowser:
    """A browser that judges by filling in the same forms over and over."""

    browser: Visitor
    key: str
    kind: JudgementKind
    forms: Mapping[str, Mapping[str, str]]
    work: Any = None

    def begin(self) -> str | None:
        """Start the next item of the queue."""
        self.browser.look(self.kind.address)
        self.browser.press(f"{self.kind.address}/next")
        return self.work.current(self.key) if self.work is not None else None

    def due(self) -> tuple[str, dict[str, str]]:
        """The form that is due: its action, and what is sent."""
        forms = PageForms(self.browser.html).forms
        action = next((form for form in self.forms if form in forms), None)
        assert action is not None, f"none of the forms {', '.join(self.forms)} is on the page"
        return action, {**forms[action], **self.forms[action]}

    def press(self) -> None:
        action, _ = self.due()
        self.browser.press(action, 200, **self.forms[action])

    def judge(self, due: str | None) -> None:
        """Judge a thing to its end."""
        for _ in range(MOST_FORMS):
            if self.work.current(self.key) != due:
                return
            self.press()
        raise AssertionError(f"not finished after {MOST_FORMS} forms")

    def judge_all(self) -> None:
        while (due := self.work.current(self.key)) is not None:
            self.judge(due)

    def said(self, key: str | None) -> dict[Place, tuple[LoggedLabel, ...]]:
        mine = self.work.see().of_annotator(self.key)[key]
        return {place: judgement.labels for place, judgement in mine.judged.items()}


def _key(log: Log, name: str) -> str:
    """The pseudonym of an account."""
    return next(
        annotator_key(account.account_id) for account in Access(log).accounts() if account.name == name
    )


def _make_account(browser: Visitor, link: str, name: str) -> None:
    assert browser.client.post(link).status_code == 200
    entered = {"name": name, "password": PASSWORD, "again": PASSWORD}
    assert browser.client.post(f"{HOME}/account", data=entered).status_code == 200


def hold_dialogue(
    log: Log, study: Study, number: int, *, said: tuple[tuple[str, str], ...] = SAID, channel: str = "text"
) -> str:
    """One finished dialogue with the systems in turn; its key. The clock moves on by a second a turn."""
    system = list(study.systems)[number % len(study.systems)]
    visit_id, dialogue_id = f"visit-{number}", f"dialogue-{number:03}"
    task = study.tasks[number % len(study.tasks)] if study.tasks else None
    logged: list[events.Event] = [
        events.VisitOpened(
            study=study.name,
            revision=study.revision,
            participant_id=f"participant-{number}",
            pool="link",
            language="en",
        ),
        events.DialogueAssigned(
            dialogue_id=dialogue_id,
            step=2,
            round=0,
            system=system,
            channel=channel,
            spoken=is_spoken(channel),
            calls_out=calls_out(channel),
            language="en",
            conversation=f"c{number}",
            task_id=task.task_id if task else None,
            task=task.model_dump(mode="json") if task else None,
        ),
        events.DialogueOpened(dialogue_id=dialogue_id),
    ]
    for index, (party, text) in enumerate(said):
        logged.append(
            events.UserTurnSent(dialogue_id=dialogue_id, turn_index=index, text=text)
            if party == "user"
            else events.SystemTurnReceived(
                dialogue_id=dialogue_id,
                turn_index=index,
                reply_to=index - 1 if index else None,
                messages=[events.LoggedMessage(text=text)],
                first_output_s=float(index),
                complete_s=index + 0.5,
                notes=None,
                wire=None,
            )
        )
    user_turns = sum(party == "user" for party, _ in said)
    logged.append(events.DialogueEnded(dialogue_id=dialogue_id, reason="user", user_turns=user_turns))

    def write(tx: Transaction) -> None:
        for event in logged:
            if isinstance(log.clock, ManualClock):
                log.clock.advance(1)
            tx.append(visit_id, event)

    log.transact_now(write)
    return dialogue_id
