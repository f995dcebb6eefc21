"""State of a visit: its history, and the resulting place in the study.

The same events give the same state in any process, so a reload, a second tab and a restarted server
all see what the participant saw last.
"""

from datetime import datetime
from functools import singledispatchmethod
from typing import Any, Literal

from pydantic import BaseModel

from vivavoce.log import arena_events
from vivavoce.log import events as log_events
from vivavoce.log.events import (
    QualificationTried,
    ResponseGiven,
    StepFinished,
    StimuliPlanned,
    WholeRecorded,
)
from vivavoce.log.history import DialogueHistory, VisitHistory
from vivavoce.log.store import StoredEvent
from vivavoce.steps.stimulus import Qualification, SoundPlan, StimulusStep, StimulusView
from vivavoce.study.model import Step, Study
from vivavoce.study.recruiter import repeat_of
from vivavoce.study.step_kind import battles_of, dialogues_of, kind_of
from vivavoce.study.steps import BattlePlan, DialoguePlan, Range
from vivavoce.trial.arena import BoutState

Phase = Literal["page", "stimulus", "battle", "ready", "chat", "code", "feedback", "ended"]


class VisitState(VisitHistory):
    """A visit after the events applied so far.

    step and round say where the participant is, phase what the page shows: `page` (consent, text,
    questionnaire or debrief of this step), `stimulus` (number `position` of what a step presents, or try
    `attempt` of the check before), `ready` (the next dialogue, or bout, can be begun), `battle`, `chat`,
    `code`, `feedback` (questionnaire `position` about the dialogue just held), `ended`.
    dialogues_due and battles_due are the dialogues or battles of this step; None: it has none.
    """

    def __init__(self, study: Study, visit_id: str) -> None:
        super().__init__(visit_id, language=study.languages[0])
        self.study = study
        self.step, self.round, self.position = 0, 0, 0
        self.dialogues_due: DialoguePlan | None = None
        self.battles_due: BattlePlan | None = None
        self.phase: Phase = "page"
        self.whole: WholeRecorded | None = None
        self.fruitless = 0
        self.shortfall = False
        self.refused = False

    @property
    def current_step(self) -> Step | None:
        return self.study.visit[self.step] if self.step < len(self.study.visit) else None

    @property
    def dialogue(self) -> DialogueHistory | None:
        """The dialogue that is running or that the participant is still being asked about."""
        return self.dialogues[-1] if self.dialogues and self.phase in ("chat", "code", "feedback") else None

    @property
    def bout(self) -> BoutState | None:
        """The bout that goes on."""
        if self.phase != "battle":
            return None
        bout = self.bouts[-1]
        return BoutState(bout.event, bout.votes, *self.dialogues[-2:])

    @property
    def dialogue_plan(self) -> DialoguePlan:
        """The dialogues of this step. Raises TypeError: it holds none."""
        if self.dialogues_due is None:
            raise TypeError(f"step {self.step} holds no dialogues")
        return self.dialogues_due

    @property
    def repeat(self) -> Range:
        """Number of dialogues in this step: the recruiter's, or the step's.

        Note    no more than there are tasks, unless a visit asks for more of them
        """
        repeat_plan = repeat_of(self.study.recruitment, self.pool, self.dialogue_plan)
        if not self.study.tasks:
            return repeat_plan
        before = {dialogue.task_id for dialogue in self.dialogues if dialogue.step != self.step} - {None}
        return repeat_plan.within(len(self.study.tasks) - len(before))

    @property
    def due_channel(self) -> str | None:
        """Settings of this step's dialogues; None without dialogues."""
        return self.dialogues_due.channel if self.dialogues_due is not None else None

    @property
    def battle_plan(self) -> BattlePlan:
        """The battles of this step. Raises TypeError: there are none."""
        if self.battles_due is None:
            raise TypeError(f"step {self.step} has no battles")
        return self.battles_due

    @property
    def stimulus_kind(self) -> StimulusStep[Any, Any, Any]:
        """The kind of the step whose stimuli are being answered."""
        kind = kind_of(self.current_step) if self.current_step is not None else None
        if not isinstance(kind, StimulusStep):
            raise TypeError(f"step {self.step} presents nothing")
        return kind

    @property
    def planned(self) -> StimuliPlanned | None:
        """The plan of this step's stimuli."""
        step = self.stimulus_steps.get(self.step)
        return step.planned if step is not None else None

    @property
    def given(self) -> list[StoredEvent]:
        """The plan of this step's stimuli, and what was answered since."""
        step = self.stimulus_steps.get(self.step)
        return step.events if step is not None else []

    @property
    def attempt(self) -> int | None:
        """The try that is due of the check before the stimuli; None once it was passed or no try is left."""
        tried = [stored.event for stored in self.given if isinstance(stored.event, QualificationTried)]
        tries = self.planned.tries if self.planned is not None else []
        return (
            None
            if len(tried) >= len(tries) or any(attempt_event.passed for attempt_event in tried)
            else len(tried)
        )

    @property
    def asking(self) -> StimulusStep[Any, Any, Any] | Qualification[Any, Any, Any]:
        """Part that is due now: the check before the stimuli, or the step itself."""
        check = self.stimulus_kind.qualification if self.attempt is not None else None
        return check or self.stimulus_kind

    @property
    def shown(self) -> StimulusView[Any, Any]:
        """The stimulus that is due, or what the try presents that is due before."""
        return self.presented(self.position if self.attempt is None else self.attempt)

    def presented(self, number: int) -> StimulusView[Any, Any]:
        """A stimulus by its number, or what a try of the check before presents while one is due."""
        planned, due = self.planned, self.attempt is None
        if planned is None:
            raise LookupError("a visit that answers stimuli has a plan of them")
        of = planned.stimuli if due else planned.tries
        return StimulusView(
            self.step,
            self.current_step,
            self.study,
            self.asking.stimulus.model_validate(of[number]),
            self.language,
            number,
            len(of),
            again=due and number < self.position,
            planned=of,
        )

    @property
    def may_redo(self) -> bool:
        """True if the last response may be changed."""
        return self.attempt is None and self.position > 0 and self.stimulus_kind.redo(self.current_step)

    @property
    def sound_plan(self) -> SoundPlan | None:
        """Recording settings of the response that is due; None: a form."""
        return self.stimulus_kind.sound_plan(self.current_step) if self.attempt is None else None

    @property
    def single_take(self) -> bool:
        """True if one recording of all responses is due; a participant who began with forms continues with
        forms.
        """
        return self.position == 0 and self.sound_plan is not None and self.sound_plan.single_take

    @property
    def answered(self) -> dict[int, ResponseGiven]:
        """The responses of this step that stand, by the place of their stimuli."""
        step_events = (stored.event for stored in self.given)
        return {event.position: event for event in step_events if isinstance(event, ResponseGiven)}

    @property
    def responses(self) -> list[tuple[BaseModel, BaseModel]]:
        """The stimuli of this step that were answered, each with its response."""
        kind, planned = self.stimulus_kind, self.planned
        return [
            (
                kind.stimulus.model_validate(planned.stimuli[place]),
                kind.response.model_validate(response.response),
            )
            for place, response in self.answered.items()
            if planned is not None
        ]

    @property
    def until(self) -> datetime | None:
        """After when no dialogue begins in this step; None: whenever, or it holds none."""
        if self.opened is None or self.dialogues_due is None:
            return None
        return self.opened.until

    @property
    def may_finish(self) -> bool:
        """Between dialogues: whether the participant may ask for no more of them."""
        enough = self.round >= self.repeat.min
        return self.phase == "ready" and (enough or self.fruitless >= 3)

    @singledispatchmethod
    def _move(self, event: log_events.Event, stored: StoredEvent) -> None:
        """Apply an event to the participant's place; the history already has its facts."""

    @_move.register
    def _(self, event: log_events.VisitOpened, stored: StoredEvent) -> None:
        self._enter(0)

    @_move.register
    def _(self, event: log_events.ConsentGiven | log_events.PageRead, stored: StoredEvent) -> None:
        self._enter(event.step + 1)

    @_move.register
    def _(self, event: log_events.DialogueAssigned, stored: StoredEvent) -> None:
        if self.battles_due is None:
            self.phase = "chat"

    @_move.register
    def _(self, event: log_events.DialogueEnded, stored: StoredEvent) -> None:
        dialogue = self.dialogue_by_id(event.dialogue_id)
        if self.phase == "battle":
            return  # the bout goes on to its own end
        step = self.dialogue_plan
        if step.gate == "code" and dialogue.nontrivial(step):
            self.phase = "code"  # the code itself is issued in the same transaction
        elif step.gate == "none" or dialogue.nontrivial(step):
            self._ask_feedback()
        else:
            self.fruitless += 1
            self.phase = "ready"

    @_move.register
    def _(self, event: log_events.CodeEntered, stored: StoredEvent) -> None:
        if event.accepted:
            self._ask_feedback()

    @_move.register
    def _(self, event: log_events.QuestionnaireAnswered, stored: StoredEvent) -> None:
        if event.round is None:
            self._enter(event.step + 1)
        else:
            self.position = event.position + 1
            self._ask_feedback()

    @_move.register
    def _(self, event: WholeRecorded, stored: StoredEvent) -> None:
        self.whole = event

    @_move.register
    def _(self, event: ResponseGiven, stored: StoredEvent) -> None:
        self.position = max(self.position, event.position + 1)

    @_move.register
    def _(self, event: StepFinished, stored: StoredEvent) -> None:
        if not event.accepted:  # work that does not count earns no completion code, unless the step says so
            self.refused = self.refused or not self.stimulus_kind.paid(self.current_step)
        self._enter(event.step + 1)

    @_move.register
    def _(self, event: arena_events.BoutAssigned, stored: StoredEvent) -> None:
        self.phase = "battle"

    @_move.register
    def _(self, event: arena_events.BoutEnded, stored: StoredEvent) -> None:
        self.phase = "ready"
        self.round += 1
        if self.round >= self.battle_plan.battles:
            self._enter(event.step + 1)

    @_move.register
    def _(self, event: log_events.DialoguesFinished, stored: StoredEvent) -> None:
        enough = self.round >= self.repeat.min or (event.time_over and self.round > 0)
        self.shortfall = self.shortfall or not enough
        self._enter(event.step + 1)

    @_move.register
    def _(self, event: log_events.VisitEnded, stored: StoredEvent) -> None:
        self.phase = "ended"

    moves = _move.dispatcher.registry

    def _ask_feedback(self) -> None:
        """The next questionnaire about this dialogue, or the next round once all are answered."""
        step = self.dialogue_plan
        if self.position < len(step.feedback):
            self.phase = "feedback"
            return
        self.position, self.fruitless = 0, 0
        self.round += 1
        if self.round >= self.repeat.max:
            self._enter(self.step + 1)
        else:
            self.phase = "ready"

    def _enter(self, step: int) -> None:
        self.step, self.round, self.position, self.fruitless = step, 0, 0, 0
        self.whole = None
        due = self.current_step
        self.dialogues_due, self.battles_due = dialogues_of(due), battles_of(due)
        if due is not None and isinstance(kind_of(due), StimulusStep):
            self.phase = "stimulus"
        else:
            self.phase = "ready" if self.dialogues_due or self.battles_due else "page"
