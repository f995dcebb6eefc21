"""Contract of every step that presents stimuli: pages for people, and records kept."""

import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.progress import progress, whereabouts
from vivavoce.dataset.columns import INSTANT
from vivavoce.log.erasure import erase_participant
from vivavoce.log.event import EVENT_KINDS
from vivavoce.log.events import STIMULUS_EVENTS, ResponseGiven, StimuliPlanned, earlier_kinds, read_event
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.load import check_study
from vivavoce.testing.pages import PageForms, Visitor, eventually, served_apart, visitors
from vivavoce.testing.step import StepContract


class StimulusStepContract(StepContract):
    """Contract of every such step, tried on its page by a person without scripts.

    Each participant is given two stimuli or more.

    answer   fields of the page, as filled in by whoever answers, whatever stimulus is due
    gap      fields that cannot be taken as they are
    wait_s   how long one looks or listens before an answer is taken
    earlier  events as they stand in older logs, of `earlier_events`: each its kind and what it holds
    """

    answer: Mapping[str, str]
    gap: Mapping[str, str]
    wait_s: float = 3
    earlier: Sequence[tuple[str, Mapping[str, Any]]] = ()

    def test_participants_are_told_what_they_do_and_what_is_kept_of_it(self) -> None:
        with self._study() as study:
            info = self._kind().participant_info(study.visit[-1], study)
            assert info.does and info.keeps

    def test_people_answer_one_after_another_and_every_answer_is_a_row(self) -> None:
        with self._study() as study, self._log() as log:
            with visitors(study, log) as visitor:
                person = self._begun(visitor())
                (plan,) = [event.event for event in _events(log, "stimuli_planned")]
                for number in range(1, len(plan.stimuli) + 1):
                    assert f"{number} of {len(plan.stimuli)}" in person.html, person.html
                    self._answer(person, log)
                assert not PageForms(person.html).forms.get("/respond"), (
                    "the step must end after the last answer"
                )
            events = _events(log, "response_given")
            assert [event.event.position for event in events] == list(range(len(plan.stimuli)))
            with tempfile.TemporaryDirectory() as folder:
                data = export_dataset(log, study.name, Path(folder) / "data")
                table = self._stimulus().table
                rows = data.read(table.name).to_pylist() if table else []
                checks = data.read("checks").to_pylist()
                steps = [row for row in data.read("steps").to_pylist() if row["kind"] == self.name]
            instants = [column.name for column in table.columns if column.kind == INSTANT] if table else []
            assert not rows or {row[instants[-1]] for row in rows} == {event.at for event in events}
            assert not any(row["simulated"] for row in rows)
            assert [step["duration_s"] > 0 for step in steps] == [True]
            assert all(0 <= check["credit"] <= 1 and check["step"] == self.name for check in checks)

    def test_an_answer_that_cannot_be_taken_is_told_and_not_stored(self) -> None:
        with self._study() as study, self._log() as log, visitors(study, log) as visitor:
            person = self._begun(visitor())
            person.press("/respond", 200, **self.gap)
            assert 'class="problem"' in person.html, "the page must show a message for a missing answer"
            assert _events(log, "response_given") == []
            self._answer(person, log)
            assert len(_events(log, "response_given")) == 1

    def test_a_form_sent_twice_and_one_of_another_tab_count_once(self) -> None:
        with self._study() as study, self._log() as log, visitors(study, log) as visitor:
            person = self._begun(visitor())
            late = PageForms(person.html).forms["/respond"] | dict(self.answer)
            self._answer(person, log)
            page = person.html
            assert person.client.post("/respond", data=late).status_code == 200
            assert len(_events(log, "response_given")) == 1
            person.html = page
            self._answer(person, log)
            assert [event.event.position for event in _events(log, "response_given")] == [0, 1]

    def test_another_process_goes_on_with_the_same_stimulus(self) -> None:
        with self._study() as study, self._log() as log:
            with visitors(study, log) as visitor:
                person = self._begun(visitor())
                self._answer(person, log)
                cookies, page = dict(person.client.cookies), person.look()
            with visitors(study, log) as visitor:
                later = visitor(cookies)
                assert later.look() == page
                self._answer(later, log)
            assert [event.event.position for event in _events(log, "response_given")] == [0, 1]
            assert len(_events(log, "stimuli_planned")) == 1

    def test_a_page_can_be_read_in_each_language_and_keeps_its_place(self) -> None:
        with self._study() as study, self._log() as log, visitors(study, log) as visitor:
            person = self._begun(visitor(), study.languages[0])
            for language in study.languages[1:]:
                before = person.html
                person.press("/language", language=language)
                assert f'lang="{language}"' in person.html and person.html != before
            self._answer(person, log)
            (response,) = _events(log, "response_given")
            assert response.event.language == study.languages[-1]

    def test_what_was_acknowledged_is_there_after_a_kill(self) -> None:
        with self._study() as study:
            folder = study.folder
            with served_apart(folder) as (server, url), closing(Visitor(url)) as person:
                self._begun(person)
                eventually(lambda: self._went_on(person), "no answer was accepted")
                cookies, due = dict(person.client.cookies), _position(person.html)
                server.send_signal(signal.SIGKILL)
            with served_apart(folder) as (_, url), closing(Visitor(url, cookies)) as later:
                assert _position(later.look()) == due

    def test_whoever_is_recorded_has_agreed_to_it_where_the_study_asks_for_that(self) -> None:
        with self._study() as study:
            aloud = self._stimulus().sound_plan(study.visit[-1]) is not None
            file = study.folder / "study.yaml"
            file.write_text(f"{study.file_text}\nrecordings: {{}}\n", encoding="utf-8")
            problems = [problem for problem in check_study(file) if "without consent" in problem.problem]
        assert bool(problems) == aloud, problems

    def test_events_of_older_logs_are_read_as_those_of_today(self) -> None:
        kind = self._stimulus()
        for name, model in kind.earlier_events.items():
            assert name not in EVENT_KINDS, f"{name} is already a kind of event"
            assert model in STIMULUS_EVENTS, (
                f"{name} is read as {model.kind}, which is not an event of this kind of step"
            )
            assert earlier_kinds()[name] == (model, kind.name), f"{name} also belongs to another step"
        for name, payload in self.earlier:
            event = read_event(name, dict(payload))
            assert isinstance(event, kind.earlier_events[name])
            if isinstance(event, ResponseGiven):
                kind.response.model_validate(event.response)
            for stimulus in event.stimuli if isinstance(event, StimuliPlanned) else ():
                kind.stimulus.model_validate(stimulus)

    def test_what_a_page_sends_that_was_open_at_an_update_still_counts(self) -> None:
        for earlier, now in self._stimulus().earlier_addresses.items():
            assert now in ("/respond", "/respond/recording", "/respond/cut"), f"unexpected address {now}"
            if now == "/respond":
                with self._study() as study, self._log() as log, visitors(study, log) as visitor:
                    person = self._begun(visitor())
                    late = PageForms(person.html).forms["/respond"] | dict(self.answer)
                    log.clock.advance(self.wait_s)  # type: ignore[attr-defined]
                    assert person.client.post(earlier, data=late).status_code == 200
                    assert len(_events(log, "response_given")) == 1

    def test_whoever_is_erased_leaves_no_answer(self) -> None:
        with self._study() as study, self._log() as log:
            with visitors(study, log) as visitor:
                self._answer(self._begun(visitor()), log)
            (opened,) = _events(log, "visit_opened")
            erase_participant(log, study.name, opened.event.participant_id, by="contract")
            assert _events(log, "response_given") == []

    def test_the_dashboard_counts_what_was_answered_and_says_what_people_are_doing(self) -> None:
        kind = self._stimulus()
        with self._study() as study, self._log() as log, visitors(study, log) as visitor:
            person = self._begun(visitor())
            self._answer(person, log)
            assert kind.activity_label in {visitor.doing for visitor in Board(study, log).see(whereabouts)[0]}
            self._answer(person, log)
            (work,) = Board(study, log).see(progress).work
            responses = [
                kind.response.model_validate(event.event.response) for event in _events(log, "response_given")
            ]
            assert (work.noun, work.item_label, work.participants) == (kind.counted, kind.item_label, 1)
            assert (work.pieces, work.different) == (sum(kind.pieces(response) for response in responses), 2)

    def _stimulus(self) -> StimulusStep[Any, Any, Any]:
        kind = self._kind()
        assert isinstance(kind, StimulusStep), f"{self.name} is not a StimulusStep: use StepContract"
        return kind

    def _begun(self, visitor: Visitor, language: str = "en") -> Visitor:
        visitor.look(f"/?lang={language}")
        visitor.press("/start")
        return visitor

    def _answer(self, visitor: Visitor, log: Log) -> None:
        log.clock.advance(self.wait_s)  # type: ignore[attr-defined]
        visitor.press("/respond", 200, **self.answer)

    def _went_on(self, visitor: Visitor) -> bool:
        due = _position(visitor.html)
        visitor.press("/respond", 200, **self.answer)
        return _position(visitor.html) != due

    @contextmanager
    def _log(self) -> Iterator[Log]:
        with (
            tempfile.TemporaryDirectory() as folder,
            Log.open(f"sqlite:///{Path(folder) / 'log.sqlite'}", ManualClock()) as log,
        ):
            yield log


def _events(log: Log, kind: str) -> list[Any]:
    """Events of a kind in the log, as stored."""
    return [stored for stored in log.all_events() if stored.event.kind == kind]


def _position(html: str) -> str:
    """Position of the stimulus that is due."""
    return PageForms(html).forms["/respond"]["position"]
