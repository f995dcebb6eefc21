"""Where a visit stands: a fold of its events, and nothing else.

The same events give the same state in any process, so a reload, a second tab and a restarted server
all see what the participant saw last.
"""

import copy
from dataclasses import replace
from datetime import datetime
from functools import singledispatchmethod
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from vivavoce.log import arena_events
from vivavoce.log import events as log_events
from vivavoce.log.call_events import CallAwaited, CallConnected, CallRouted, SpeechHeard
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.stimulus_events import (
    QualificationTried,
    ResponseGiven,
    StepFinished,
    StimuliPlanned,
    WholeRecorded,
)
from vivavoce.log.store import StoredEvent
from vivavoce.steps.stimulus import Presented, Qualification, SoundPlan, StimulusStep
from vivavoce.study.model import ArenaStep, DialogueStep, Step, Study
from vivavoce.study.step_kind import kind_of
from vivavoce.trial.arena import BoutState
from vivavoce.trial.dialogue_state import DialogueState, TurnState

__all__ = ["DialogueState", "Phase", "TurnState", "VisitState"]

MOVING = 2  # dialogues that go on at the same time, in the arena
Phase = Literal["page", "stimulus", "arena", "ready", "chat", "code", "feedback", "ended"]

OfKind = TypeVar("OfKind")


class VisitState:
    """A visit after the events applied so far.

    step and round say where the participant is, phase what the page shows: `page` (consent, text,
    questionnaire or debrief of this step), `stimulus` (number `position` of what a step presents, or try
    `attempt` of the check before), `ready` (the next dialogue, or bout, can be begun), `arena`, `chat`,
    `code`, `feedback` (questionnaire `position` about the dialogue just held), `ended`.
    """

    def __init__(self, study: Study, visit_id: str) -> None:
        self.study, self.visit_id = study, visit_id
        self.seq = 0
        self.participant_id = ""
        self.pool = ""
        self.language = study.languages[0]
        self.simulated = False
        self.step, self.round, self.position = 0, 0, 0
        self.phase: Phase = "page"
        self.dialogues: list[DialogueState] = []
        self.recordings: dict[str, str] = {}
        self.planned: StimuliPlanned | None = None
        self.given: list[StoredEvent] = []
        self.whole: WholeRecorded | None = None
        self.bout: BoutState | None = None
        self.outcome: str | None = None
        self.completion_code: str | None = None
        self.wrong_codes: list[datetime] = []
        self.fruitless = 0
        self.shortfall = False
        self.refused = False
        self.last_at: datetime | None = None

    @property
    def current_step(self) -> Step | None:
        return self.study.visit[self.step] if self.step < len(self.study.visit) else None

    @property
    def dialogue(self) -> DialogueState | None:
        """The dialogue that is running or that the participant is still being asked about."""
        return self.dialogues[-1] if self.dialogues and self.phase in ("chat", "code", "feedback") else None

    def dialogue_by_id(self, dialogue_id: str) -> DialogueState:
        return next(one for one in self.dialogues if one.dialogue_id == dialogue_id)

    def _step_of(self, kind: type[OfKind]) -> OfKind:
        step = self.current_step
        if not isinstance(step, kind):
            raise TypeError(f"step {self.step} is no {kind.__name__}")
        return step

    @property
    def dialogue_step(self) -> DialogueStep:
        return self._step_of(DialogueStep)

    @property
    def stimulus_kind(self) -> StimulusStep[Any, Any, Any]:
        """The kind of the step whose stimuli are being answered."""
        kind = kind_of(self.current_step) if self.current_step is not None else None
        if not isinstance(kind, StimulusStep):
            raise TypeError(f"step {self.step} presents nothing")
        return kind

    @property
    def attempt(self) -> int | None:
        """The try that is due of the check before the stimuli; None once it was passed or no try is left."""
        tried = [one.event for one in self.given if isinstance(one.event, QualificationTried)]
        tries = self.planned.tries if self.planned is not None else []
        return None if len(tried) >= len(tries) or any(one.passed for one in tried) else len(tried)

    @property
    def asking(self) -> StimulusStep[Any, Any, Any] | Qualification[Any, Any, Any]:
        """What asks for something now: the check before the stimuli, or the step itself."""
        check = self.stimulus_kind.qualification if self.attempt is not None else None
        return check or self.stimulus_kind

    @property
    def shown(self) -> Presented[Any, Any]:
        """The stimulus that is due, or what the try presents that is due before."""
        return self.presented(self.position if self.attempt is None else self.attempt)

    def presented(self, number: int) -> Presented[Any, Any]:
        """A stimulus by its number, or what a try of the check before presents while one is due."""
        planned, due = self.planned, self.attempt is None
        if planned is None:
            raise LookupError("a visit that answers stimuli has a plan of them")
        of = planned.stimuli if due else planned.tries
        return Presented(
            self.step, self.current_step, self.study, self.asking.stimulus.model_validate(of[number]),
            self.language, number, len(of), again=due and number < self.position, planned=of,
        )  # fmt: skip

    @property
    def may_redo(self) -> bool:
        """Whether the last response may be given anew."""
        return self.attempt is None and self.position > 0 and self.stimulus_kind.redo(self.current_step)

    @property
    def sound_plan(self) -> SoundPlan | None:
        """How sound is kept that may be the response to what is due; None: it is answered with a form."""
        return self.stimulus_kind.sound_plan(self.current_step) if self.attempt is None else None

    @property
    def at_once(self) -> bool:
        """Whether one recording of all responses is due; who began to answer by forms goes on one by one."""
        return self.position == 0 and self.sound_plan is not None and self.sound_plan.at_once

    @property
    def answered(self) -> dict[int, ResponseGiven]:
        """The responses of this step that stand, by the place of their stimuli."""
        given = (one.event for one in self.given)
        return {one.position: one for one in given if isinstance(one, ResponseGiven)}

    @property
    def responses(self) -> list[tuple[BaseModel, BaseModel]]:
        """The stimuli of this step that were answered, each with its response."""
        kind, planned = self.stimulus_kind, self.planned
        return [
            (kind.stimulus.model_validate(planned.stimuli[place]), kind.response.model_validate(one.response))
            for place, one in self.answered.items() if planned is not None
        ]  # fmt: skip

    @property
    def arena_step(self) -> ArenaStep:
        return self._step_of(ArenaStep)

    @property
    def may_finish(self) -> bool:
        """Between dialogues: whether the participant may ask for no more of them."""
        enough = self.round >= self.dialogue_step.repeat.min
        return self.phase == "ready" and (enough or self.fruitless >= 3)

    def copy(self) -> "VisitState":
        """A state that can be carried on without touching this one (only the last dialogues still move)."""
        clone = copy.copy(self)
        clone.wrong_codes = list(self.wrong_codes)
        clone.recordings = dict(self.recordings)
        clone.given, clone.dialogues = list(self.given), list(self.dialogues)
        for place in range(max(0, len(self.dialogues) - MOVING), len(self.dialogues)):
            one = self.dialogues[place]
            clone.dialogues[place] = replace(one, turns=list(one.turns), failures=list(one.failures))
        if self.bout is not None:
            clone.bout = replace(self.bout, left=clone.dialogues[-2], right=clone.dialogues[-1])
        return clone

    def apply(self, stored: StoredEvent) -> None:
        """Take one more event in; an event already taken is ignored."""
        if stored.seq <= self.seq:
            return
        self.seq, self.last_at = stored.seq, stored.at
        self._take(stored.event, stored)

    @singledispatchmethod
    def _take(self, event: log_events.Event, stored: StoredEvent) -> None:
        pass  # an event that moves nothing, such as a pause of the trial

    @_take.register
    def _(self, event: log_events.VisitOpened, stored: StoredEvent) -> None:
        self.participant_id, self.pool = event.participant_id, event.pool
        self.language, self.simulated = event.language, event.simulated
        self._enter(0)

    @_take.register
    def _(self, event: log_events.LanguageChosen, stored: StoredEvent) -> None:
        self.language = event.language

    @_take.register
    def _(self, event: log_events.ConsentGiven, stored: StoredEvent) -> None:
        self._enter(event.step + 1)

    @_take.register
    def _(self, event: log_events.PageRead, stored: StoredEvent) -> None:
        self._enter(event.step + 1)

    @_take.register
    def _(self, event: log_events.DialogueAssigned, stored: StoredEvent) -> None:
        self.dialogues.append(
            DialogueState(
                dialogue_id=event.dialogue_id, step=event.step, round=event.round, system=event.system,
                task_id=event.task_id, task=event.task, channel=event.channel, language=event.language,
                conversation=event.conversation,
            )
        )  # fmt: skip
        if not isinstance(self.current_step, ArenaStep):
            self.phase = "chat"

    @_take.register
    def _(self, event: log_events.DialogueOpened, stored: StoredEvent) -> None:
        self.dialogue_by_id(event.dialogue_id).opened = stored

    @_take.register
    def _(self, event: log_events.UserTurnSent, stored: StoredEvent) -> None:
        dialogue = self.dialogue_by_id(event.dialogue_id)
        turn = TurnState(stored.seq, event.turn_index, "user", event, stored.client_key)
        dialogue.turns.append(turn)
        dialogue.unanswered = turn

    @_take.register
    def _(self, event: log_events.SystemTurnReceived, stored: StoredEvent) -> None:
        dialogue = self.dialogue_by_id(event.dialogue_id)
        if event.heard:
            dialogue.fill_in(event)
        dialogue.turns.append(TurnState(stored.seq, event.turn_index, "system", event))
        if event.reply_to is not None:
            dialogue.answered_turns += 1
        dialogue.notes = event.notes or {}
        dialogue.unanswered, dialogue.failures_in_a_row = None, 0
        if self.bout is not None:
            self.bout.answered = stored

    @_take.register
    def _(self, event: log_events.SystemTurnFailed, stored: StoredEvent) -> None:
        dialogue = self.dialogue_by_id(event.dialogue_id)
        dialogue.failures.append(stored)
        dialogue.failures_in_a_row += 1
        dialogue.unanswered = None

    @_take.register
    def _(self, event: log_events.SilenceKept, stored: StoredEvent) -> None:
        dialogue = self.dialogue_by_id(event.dialogue_id)
        dialogue.silent_opening = dialogue.silent_opening or event.reply_to is None
        dialogue.unanswered = None

    @_take.register
    def _(self, event: log_events.DialogueEnded, stored: StoredEvent) -> None:
        dialogue = self.dialogue_by_id(event.dialogue_id)
        dialogue.end_reason, dialogue.limit, dialogue.unanswered = event.reason, event.limit, None
        if self.phase == "arena":
            return  # the bout goes on to its own end
        step = self.dialogue_step
        if step.gate == "code" and dialogue.nontrivial(step):
            self.phase = "code"  # the code itself is issued in the same transaction
        elif step.gate == "none" or dialogue.nontrivial(step):
            self._ask_feedback()
        else:
            self.fruitless += 1
            self.phase = "ready"

    @_take.register
    def _(self, event: log_events.CodeIssued, stored: StoredEvent) -> None:
        self.dialogue_by_id(event.dialogue_id).code = event.code

    @_take.register
    def _(self, event: CallAwaited, stored: StoredEvent) -> None:
        self.dialogue_by_id(event.dialogue_id).pin = event.pin

    @_take.register
    def _(self, event: CallRouted, stored: StoredEvent) -> None:
        self.dialogue_by_id(event.dialogue_id).system = event.system

    @_take.register
    def _(self, event: CallConnected, stored: StoredEvent) -> None:
        self.dialogue_by_id(event.dialogue_id).called = True

    @_take.register
    def _(self, event: SpeechHeard, stored: StoredEvent) -> None:
        self.dialogue_by_id(event.dialogue_id).hear(event.party)

    @_take.register
    def _(self, event: log_events.CodeEntered, stored: StoredEvent) -> None:
        if event.accepted and event.dialogue_id is not None:
            self.dialogue_by_id(event.dialogue_id).code_accepted = True
            self.wrong_codes.clear()
            self._ask_feedback()
        else:
            self.wrong_codes.append(stored.at)

    @_take.register
    def _(self, event: log_events.QuestionnaireAnswered, stored: StoredEvent) -> None:
        if event.round is None:
            self._enter(event.step + 1)
        else:
            self.position = event.position + 1
            self._ask_feedback()

    @_take.register
    def _(self, event: StimuliPlanned, stored: StoredEvent) -> None:
        self.planned, self.given = event, [stored]

    @_take.register
    def _(self, event: WholeRecorded, stored: StoredEvent) -> None:
        self.whole = event

    @_take.register
    def _(self, event: QualificationTried, stored: StoredEvent) -> None:
        self.given.append(stored)

    @_take.register
    def _(self, event: ResponseGiven, stored: StoredEvent) -> None:
        self.given.append(stored)
        self.position = max(self.position, event.position + 1)

    @_take.register
    def _(self, event: StepFinished, stored: StoredEvent) -> None:
        if not event.accepted:  # work that does not count earns no completion code, unless the step says so
            self.refused = self.refused or not self.stimulus_kind.paid(self.current_step)
        self._enter(event.step + 1)

    @_take.register
    def _(self, event: arena_events.BoutAssigned, stored: StoredEvent) -> None:
        left, right = self.dialogues[-2:]
        self.bout, self.phase = BoutState(event, left, right), "arena"

    @_take.register
    def _(self, event: arena_events.VoteCast, stored: StoredEvent) -> None:
        if self.bout is not None:
            self.bout.voted, self.bout.last_voted = self.bout.voted + 1, event.exchange

    @_take.register
    def _(self, event: arena_events.BoutEnded, stored: StoredEvent) -> None:
        self.bout, self.phase = None, "ready"
        self.round += 1
        if self.round >= self.arena_step.bouts:
            self._enter(event.step + 1)

    @_take.register
    def _(self, event: RecordingStored, stored: StoredEvent) -> None:
        self.recordings[event.recording_id] = event.file

    @_take.register
    def _(self, event: RecordingRemoved, stored: StoredEvent) -> None:
        self.recordings.pop(event.recording_id, None)

    @_take.register
    def _(self, event: log_events.DialoguesFinished, stored: StoredEvent) -> None:
        self.shortfall = self.shortfall or self.round < self.dialogue_step.repeat.min
        self._enter(event.step + 1)

    @_take.register
    def _(self, event: log_events.VisitEnded, stored: StoredEvent) -> None:
        self.outcome, self.completion_code = event.outcome, event.completion_code
        self.phase = "ended"

    def _ask_feedback(self) -> None:
        """The next questionnaire about this dialogue, or the next round once all are answered."""
        step = self.dialogue_step
        if self.position < len(step.feedback):
            self.phase = "feedback"
            return
        self.position, self.fruitless = 0, 0
        self.round += 1
        if self.round >= step.repeat.max:
            self._enter(self.step + 1)
        else:
            self.phase = "ready"

    def _enter(self, step: int) -> None:
        self.step, self.round, self.position, self.fruitless = step, 0, 0, 0
        self.planned, self.given, self.whole = None, [], None
        step_now = self.current_step
        if step_now is not None and isinstance(kind_of(step_now), StimulusStep):
            self.phase = "stimulus"
            return
        kinds: dict[type, Phase] = {DialogueStep: "ready", ArenaStep: "ready"}
        self.phase = kinds.get(type(self.current_step), "page")
