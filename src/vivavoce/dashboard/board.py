"""In-memory state of a trial: a fold of the log, continued from the last event read."""

import copy
import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from vivavoce.dashboard.dialogue_card import TURN_END, DialogueCard
from vivavoce.dashboard.dialogue_index import DialogueIndex
from vivavoce.dashboard.system_answers import SystemAnswers, prices_of
from vivavoce.dashboard.work_items import WorkItem, brought
from vivavoce.dataset.declaration import written_steps
from vivavoce.log import events as log_events
from vivavoce.log.call_events import CallRouted
from vivavoce.log.event import Event
from vivavoce.log.events import AgentWork, LoggedToolCall
from vivavoce.log.history import DialogueHistory, VisitHistory
from vivavoce.log.models import SCOPES, TEAM, Scope, StoredEvent, scope_of, team_study, usual_scope
from vivavoce.log.notes import Remarks, ViewRemoved, ViewSaved, remark_stream
from vivavoce.log.projections import STATUS_AFTER
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.trial.state import VisitState

if TYPE_CHECKING:
    from vivavoce.log.exclusion_monitor import LeftOut

Seen = TypeVar("Seen")
ANSWERS = (log_events.SystemTurnReceived, log_events.SystemTurnFailed, log_events.NoAnswer)
SAID = (log_events.UserTurnSent, log_events.SystemTurnReceived, log_events.SystemTurnFailed)


@dataclass(slots=True)
class VisitCard:
    """Summary of one visit.

    state   what happened in it, None once it has ended
    placed  it is known where it stands: the study's steps are those of the visit
    pool    who sent its participant
    same_steps  the study file that it began with has the steps of the present one, as far as anybody knows
    entered  when each of its steps began, by number; the last is where it stands, or where it ended
    team     by it the team tried the study out
    """

    visit_id: str
    participant_id: str
    simulated: bool
    opened_at: datetime
    last_at: datetime
    state: VisitState | None
    placed: bool = True
    outcome: str | None = None
    ended_at: datetime | None = None
    pool: str = ""
    same_steps: bool = True
    entered: dict[int, datetime] = field(default_factory=dict)
    team: bool = False

    @property
    def scope(self) -> Scope:
        return TEAM if self.team else scope_of(simulated=self.simulated)


@dataclass(frozen=True, slots=True)
class Incident:
    """One turn that a system failed to give."""

    at: datetime
    dialogue_id: str
    system: str
    failure: str
    detail: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Current pause of the trial: start, reason and author."""

    at: datetime
    reason: str
    by: str


@dataclass(slots=True)
class Part:
    """Visits of people, of programs, of the team, or all without the team's."""

    visits: dict[str, VisitCard] = field(default_factory=dict)
    dialogues: dict[str, DialogueCard] = field(default_factory=dict)
    incidents: list[Incident] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    deeds: dict[Hashable, WorkItem] = field(default_factory=dict)
    answers: dict[str, SystemAnswers] = field(default_factory=lambda: defaultdict(SystemAnswers))


class Board:
    """All visits and dialogues of one study, updated from new events of the log.

    scope  whose visits, dialogues and incidents stand on it; None: everybody's but the team's
    whole  the board of everybody's, from which this one was taken
    remarks  what researchers say of dialogues: tags, notes, named views
    index    all dialogues of everybody, to be found by what is known of them
    """

    def __init__(self, study: Study, log: Log) -> None:
        self.study, self.log = study, log
        self._lock = threading.Lock()
        self._remarks_stream = remark_stream(study.name)
        self.whole = self
        self._begin()

    def _begin(self) -> None:
        """Reset to an empty board."""
        self.position = self._read = 0
        self.scope: Scope | None = None
        self._parts: dict[Scope | None, Part] = {scope: Part() for scope in (None, *SCOPES)}
        self._show(self._parts[None])
        self.pause: Pause | None = None
        self.pauses: list[StoredEvent] = []
        self.looks: list[StoredEvent] = []
        self.suspended: dict[str, StoredEvent] = {}
        self.suspensions: list[StoredEvent] = []
        self.remarks, self.index = Remarks(), DialogueIndex()
        self._left_out: LeftOut | None = None
        self._stale: dict[str, VisitCard] = {}
        self._same_steps: dict[str, bool] = {}

    def see(self, look: Callable[["Board"], Seen]) -> Seen:
        """Read new events, then call a function while the board is locked."""
        parent = self.whole
        with parent._lock:
            position_before = parent.position
            if (
                parent._carry_on_from_log() and position_before
            ):  # a participant of the board was erased meanwhile
                parent._begin()
                parent._carry_on_from_log()
            for visit in parent._stale.values():
                if visit.state is not None:
                    parent._show_dialogues(visit, visit.state)
            parent._stale.clear()
            if parent.position != position_before:
                parent._mark_excluded()
            return look(parent if self.scope is None else parent.of(self.scope))

    def _carry_on_from_log(self) -> bool:
        """Read new events; True if they contain a participant's erasure."""
        erased = False
        for stored in self.log.all_events(after=self._read):
            self._read = max(self._read, stored.position)
            if stored.visit_id in (log_events.ACTIONS, log_events.ROWS):  # no effect on figures
                continue
            if stored.visit_id == self._remarks_stream:
                self._take_remark(stored)
                continue
            erased |= isinstance(stored.event, log_events.ParticipantErased)
            self.position = max(self.position, stored.position)
            self._apply(stored)
        return erased

    def _mark_excluded(self) -> None:
        from vivavoce.annotation.parsers import parser_of
        from vivavoce.log.exclusion_monitor import LeftOut  # slow import (export modules), so not at startup

        self._left_out = self._left_out or LeftOut(
            self.log, self.study.name, self.study.file_text, partial(parser_of, self.study)
        )
        dialogues = self._left_out.dialogues()
        for card in self.dialogues.values():  # the team's are never counted, so rules need not exclude them
            if card.excluded != (card.dialogue_id in dialogues):
                card.excluded = not card.excluded
                self.index.put(card)

    def _take_remark(self, stored: StoredEvent) -> None:
        """Apply a remark; tags and notes move the position because they are in the dataset, views do not."""
        about = self.remarks.apply(stored)
        if about is not None:
            self.index.tag(about, self.remarks.tags.get(about, ()))
        if not isinstance(stored.event, ViewSaved | ViewRemoved):
            self.position = max(self.position, stored.position)

    def of(self, scope: Scope) -> "Board":
        """Board of people, programs or the team only, also updated by `see`."""
        view = copy.copy(self.whole)
        view.scope = scope
        view._show(self._parts[scope])
        return view

    def _show(self, part: Part) -> None:
        self.visits, self.dialogues = part.visits, part.dialogues
        self.incidents, self.ended, self.deeds = part.incidents, part.ended, part.deeds
        self.answers = part.answers

    @property
    def visits_by_scope(self) -> dict[Scope, int]:
        """Number of visits by scope: people, programs, team."""
        return {scope: len(self._parts[scope].visits) for scope in SCOPES}

    @property
    def usual(self) -> Scope:
        """Default scope of a page."""
        return usual_scope(**self.visits_by_scope)

    def _parts_of(self, visit: VisitCard) -> tuple[Part, ...]:
        """Boards that hold a visit: the whole board unless it is the team's, and the one of its kind."""
        part = self._parts[visit.scope]
        return (part,) if visit.team else (self._parts[None], part)

    def dialogue(self, dialogue_id: str) -> DialogueCard | None:
        """Dialogue by id, including the team's."""
        return self._parts[None].dialogues.get(dialogue_id) or self._parts[TEAM].dialogues.get(dialogue_id)

    def visit(self, visit_id: str) -> VisitCard | None:
        """Visit by id, including the team's."""
        return self._parts[None].visits.get(visit_id) or self._parts[TEAM].visits.get(visit_id)

    def running_visits(self) -> Iterator[VisitCard]:
        return (visit for visit in self.visits.values() if visit.outcome is None)

    def _apply(self, stored: StoredEvent) -> None:
        if isinstance(stored.event, log_events.VisitOpened):
            if stored.event.study in (self.study.name, team_study(self.study.name)):
                self._open(stored, stored.event)
        elif stored.visit_id == log_events.TRIAL:
            self._steer(stored)
        if (visit := self.visit(stored.visit_id)) is not None:
            visit.last_at = stored.at
            self._carry_on(visit, stored)
            self._note_answer(visit, stored)
            self._note_work(visit, stored)

    def _open(self, stored: StoredEvent, event: log_events.VisitOpened) -> None:
        card = VisitCard(
            visit_id=stored.visit_id,
            participant_id=event.participant_id,
            simulated=event.simulated,
            opened_at=stored.at,
            last_at=stored.at,
            state=VisitState(self.study, stored.visit_id),
            pool=event.pool,
            same_steps=self._has_same_steps(event.revision),
            team=event.study != self.study.name,
        )
        for part in self._parts_of(card):
            part.visits[stored.visit_id] = card

    def _has_same_steps(self, revision: str) -> bool:
        """True if a served revision has the same steps, or is unknown."""
        if revision == self.study.revision:
            return True
        if revision not in self._same_steps:
            files = {
                study_record.revision: study_record.file
                for study_record in self.log.study_records(self.study.name)
            }
            file = files.get(revision)
            now = written_steps(self.study.file_text)
            self._same_steps[revision] = file is None or not now or written_steps(file) == now
        return self._same_steps[revision]

    def _steer(self, stored: StoredEvent) -> None:
        event = stored.event
        if isinstance(event, log_events.InterimAnalysisRun):
            if event.study == self.study.name:
                self.looks.append(stored)
            return
        if isinstance(event, log_events.SystemSuspended | log_events.SystemRestored):
            self._suspend(stored, event)
            return
        if isinstance(event, log_events.TrialPaused):
            self.pause = Pause(stored.at, event.reason, event.by)
        elif isinstance(event, log_events.TrialResumed):
            self.pause = None
        else:
            return
        self.pauses.append(stored)

    def _suspend(
        self, stored: StoredEvent, event: log_events.SystemSuspended | log_events.SystemRestored
    ) -> None:
        self.suspensions.append(stored)
        if isinstance(event, log_events.SystemSuspended):
            self.suspended[event.system] = stored
        else:
            self.suspended.pop(event.system, None)

    def _carry_on(self, visit: VisitCard, stored: StoredEvent) -> None:
        event = stored.event
        if visit.state is None:
            if isinstance(event, SAID):  # was in transit when the visit ended
                self._show_dialogues(visit, self.log.history(visit.visit_id))
            return
        try:
            visit.state.apply(stored)
        except (TypeError, LookupError, StopIteration):
            visit.placed = False
        visit.entered.setdefault(visit.state.step, stored.at)
        self._stale[visit.visit_id] = visit
        if isinstance(event, log_events.DialogueAssigned | CallRouted | log_events.VisitEnded):
            self._show_dialogues(visit, visit.state)
        if isinstance(event, log_events.VisitEnded):
            if event.outcome == "completed" and visit.state.current_step is not None:
                visit.entered.setdefault(visit.state.step + 1, stored.at)  # also the end of the step
            visit.outcome, visit.ended_at, visit.state = event.outcome, stored.at, None
            for part in self._parts_of(visit):
                part.ended.append(visit.visit_id)

    def _show_dialogues(self, visit: VisitCard, history: VisitHistory) -> None:
        cards = {dialogue.dialogue_id: _card(visit, history, dialogue) for dialogue in history.dialogues}
        for part in self._parts_of(visit):
            part.dialogues.update(cards)
        for card in cards.values():
            self.index.put(card)

    def _note_answer(self, visit: VisitCard, stored: StoredEvent) -> None:
        event = stored.event
        if not isinstance(event, ANSWERS):
            return
        system = self._parts[visit.scope].dialogues[event.dialogue_id].system
        prices = prices_of(self.study) if event.agent is not None else None
        for part in self._parts_of(visit):
            answers = part.answers[system]
            answers.charge(event.agent, prices)
            if isinstance(event, log_events.NoAnswer):
                continue
            if isinstance(event, log_events.SystemTurnReceived):
                answers.take(stored, event)
                continue
            answers.failed, answers.in_a_row = answers.failed + 1, answers.in_a_row + 1
            part.incidents.append(Incident(stored.at, event.dialogue_id, system, event.failure, event.detail))

    def _note_work(self, visit: VisitCard, stored: StoredEvent) -> None:
        work = brought(stored.event, self.study, visit.state)
        if work is None:
            return
        step = work.kind.name
        deed = WorkItem(step, visit.participant_id, stored.at, work.about, work.pieces)
        for part in self._parts_of(visit):
            part.deeds[visit.visit_id, step, work.key] = deed


def _card(visit: VisitCard, history: VisitHistory, dialogue: DialogueHistory) -> DialogueCard:
    reason = history.end_reason(dialogue)
    ratings = [rating for form in dialogue.of(log_events.QuestionnaireAnswered) for rating in form.ratings]
    success = [rating.value for rating in ratings if rating.role == "subjective_success"]
    user_turns = sum(turn.party == "user" for turn in dialogue.turns)
    tools = (call.name for event in dialogue.events for call in _calls(event.event))
    return DialogueCard(
        dialogue_id=dialogue.dialogue_id,
        visit_id=visit.visit_id,
        participant_id=visit.participant_id,
        simulated=visit.simulated,
        team=visit.team,
        system=dialogue.system,
        condition=dialogue.condition,
        task_id=dialogue.task_id,
        assigned_at=dialogue.assigned_at,
        status=STATUS_AFTER[reason] if reason is not None else "running",
        end_reason=reason,
        started_at=dialogue.opened.at if dialogue.opened else None,
        ended_at=dialogue.ended.at if dialogue.ended else None,
        duration_s=dialogue.duration_s,
        user_turns=user_turns,
        system_turns=len(dialogue.turns) - user_turns,
        failures=len(dialogue.failures),
        code=dialogue.code,
        code_accepted=dialogue.code_accepted,
        success=success[-1] if success else None,
        user_words=_words(dialogue, "user"),
        system_words=_words(dialogue, "system"),
        language=dialogue.language,
        factors=dialogue.factors,
        tools=tuple(dict.fromkeys(tools)),
        errors=tuple(dict.fromkeys(getattr(failure.event, "failure", "") for failure in dialogue.failures)),
    )


def _words(dialogue: DialogueHistory, party: str) -> str:
    return TURN_END.join(turn.text.casefold() for turn in dialogue.turns if turn.party == party)


def _calls(event: Event) -> Sequence[LoggedToolCall]:
    agent: AgentWork | None = getattr(event, "agent", None)
    return agent.tools or () if agent is not None else ()
