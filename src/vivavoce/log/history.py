"""A visit's history: its events, folded once.

The engine carries the history of a visit on, event by event, and so does the dashboard; export, transcripts
and whoever else reads a visit fold what the log holds. Who reads a history changes nothing in it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Self, TypeVar

from vivavoce.log import events as log_events
from vivavoce.log.arena_events import BoutAssigned, BoutEnded, VoteCast
from vivavoce.log.call_events import CallAwaited, CallConnected, CallRouted, SpeechHeard
from vivavoce.log.event import Event
from vivavoce.log.events import QualificationTried, ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.log.models import StoredEvent
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored

if TYPE_CHECKING:
    from vivavoce.study.steps import DialoguePlan

Party = Literal["user", "system"]
Kind = TypeVar("Kind", bound=Event)

AT_ONCE_S: Final = 1.0
"""Maximum time between two events of one action; too short for a person to end a dialogue and confirm
withdrawal.
"""


class Events:
    """State made of events, in their order."""

    __slots__ = ()
    events: list[StoredEvent]

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The events of one kind."""
        return [event for _, event in self.stored(kind)]

    def stored(self, kind: type[Kind]) -> Iterator[tuple[StoredEvent, Kind]]:
        """The events of one kind, with when each was stored."""
        return ((event, event.event) for event in self.events if isinstance(event.event, kind))


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a dialogue.

    text  its words; of a turn that went over as sound those that the system says it heard
    """

    stored: StoredEvent
    turn_index: int
    party: Party
    event: log_events.UserTurnSent | log_events.SystemTurnReceived
    text: str


@dataclass(slots=True)
class DialogueHistory(Events):
    """One dialogue of a visit: what was said, what is owed, how it ended.

    system, condition, factors  of a call those that were drawn when it came
    awaits_call                 held by telephone, and nobody has called yet
    greeted                     the opening is over: the system has spoken, failed or chosen to wait
    unanswered                  the user's turn that the system owes an answer to
    answered_turns              turns of the user that the system answered
    heard_turns                 turns of the user in a dialogue that is only listened to
    growing                     what was shown of the answer that is not whole yet
    growing_since               when the first words of that were
    ended                       None: it goes on, or was left
    """

    assigned_at: datetime
    dialogue_id: str
    step: int
    round: int
    system: str
    task_id: str | None
    task: dict[str, Any] | None
    channel: str
    spoken: bool | None
    calls_out: bool
    language: str
    conversation: str
    condition: str | None = None
    factors: dict[str, str] = field(default_factory=dict)
    events: list[StoredEvent] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    opened: StoredEvent | None = None
    turns: list[Turn] = field(default_factory=list)
    failures: list[StoredEvent] = field(default_factory=list)
    unanswered: Turn | None = None
    answered_turns: int = 0
    failures_in_a_row: int = 0
    greeted: bool = False
    running: bool = True
    ended: StoredEvent | None = None
    end_reason: log_events.EndReason | None = None
    limit: log_events.ReachedLimit | None = None
    duration_s: float | None = None
    code: str | None = None
    pin: str | None = None
    awaits_call: bool = False
    heard_turns: int = 0
    heard_last: Party | None = None
    growing: str = ""
    growing_since: StoredEvent | None = None
    code_accepted: bool = False

    @property
    def user_turns(self) -> int:
        return sum(turn.party == "user" for turn in self.turns) + self.heard_turns

    @property
    def task_text(self) -> str | None:
        """The task as it was shown; None where there was none."""
        texts = (self.task or {}).get("text") or {}
        return texts.get(self.language) or next(iter(texts.values()), None)

    @property
    def lines(self) -> list[Turn | StoredEvent]:
        """Its turns, failures and silences, in their order."""
        turns = {turn.stored.seq: turn for turn in self.turns}
        quiet = log_events.SystemTurnFailed | log_events.NoAnswer
        spoken = (event for event in self.events if event.seq in turns or isinstance(event.event, quiet))
        return [turns.get(stored_event.seq, stored_event) for stored_event in spoken]

    def nontrivial(self, step: "DialoguePlan") -> bool:
        """Enough user turns that the system answered."""
        return self.answered_turns >= step.nontrivial.user_turns

    def elapsed_s(self, stored: StoredEvent) -> float | None:
        """Seconds from its opening to an event; None where it was not opened.

        Note  where the service was started anew in between the clock on the wall tells it; None if that was
              set back
        """
        opened = self.opened
        if opened is None:
            return None
        if stored.boot == opened.boot:
            return stored.monotonic_s - opened.monotonic_s
        by_wall_s = (stored.at - opened.at).total_seconds()
        return by_wall_s if by_wall_s >= 0 else None

    def copy(self) -> "DialogueHistory":
        """A history that can be carried on without touching this one."""
        clone = object.__new__(DialogueHistory)
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(clone, name, value.copy() if isinstance(value, list) else value)
        return clone

    def take(self, stored: StoredEvent) -> None:
        """Carry it on by one of its events."""
        self.events.append(stored)
        if isinstance(stored.event, _ANSWERED):
            self.growing, self.growing_since = "", None
        match stored.event:
            case log_events.WordsShown() as event:
                self.growing = self.growing[: event.kept] + event.text
                self.growing_since = self.growing_since or stored
            case log_events.UserTurnSent() as event:
                self.unanswered = Turn(stored, event.turn_index, "user", event, event.text)
                self.turns.append(self.unanswered)
                self.greeted = True
            case log_events.SystemTurnReceived() as event:
                self._answer(stored, event)
            case log_events.SystemTurnFailed():
                self.failures.append(stored)
                self.failures_in_a_row += 1
                self.greeted, self.unanswered = True, None
            case log_events.NoAnswer() as event:
                self.greeted, self.unanswered = self.greeted or event.reply_to is None, None
            case log_events.DialogueOpened():
                self.opened = stored
            case log_events.DialogueEnded() as event:
                self.ended, self.running, self.unanswered = stored, False, None
                self.end_reason, self.limit, self.duration_s = event.reason, event.limit, event.duration_s
            case log_events.CodeIssued() as event:
                self.code = event.code
            case log_events.CodeEntered() as event:
                self.code_accepted = self.code_accepted or event.accepted
            case CallAwaited() as event:
                self.pin = event.pin
            case CallRouted() as event:
                self.system, self.condition, self.factors = event.system, event.condition, event.factors
            case CallConnected():
                self.awaits_call = False
            case SpeechHeard() as event:
                self._hear(event.party)
            case _:
                pass

    def _answer(self, stored: StoredEvent, event: log_events.SystemTurnReceived) -> None:
        for place, turn in enumerate(self.turns) if event.heard else ():
            if turn.turn_index == event.reply_to and turn.party == "user" and not turn.text:
                self.turns[place] = replace(turn, text=event.heard[0].text or "")
        self.turns.append(Turn(stored, event.turn_index, "system", event, event.text))
        self.answered_turns += event.reply_to is not None
        self.notes = event.notes or {}
        self.greeted, self.unanswered, self.failures_in_a_row = True, None, 0

    def _hear(self, party: Party) -> None:
        """Count a stretch of speech in a dialogue that is only listened to; one party's are one turn."""
        if party == self.heard_last:
            return
        self.heard_turns += party == "user"
        self.answered_turns += self.heard_last == "user"
        self.heard_last = party


_ANSWERED = (log_events.SystemTurnReceived, log_events.SystemTurnFailed, log_events.NoAnswer)


class BoutVote(NamedTuple):
    """Vote in a bout, and its time."""

    event: VoteCast
    at: datetime


@dataclass(frozen=True, slots=True)
class Bout:
    """Two dialogues side by side, and the votes on what was said in them."""

    event: BoutAssigned
    votes: tuple[BoutVote, ...] = ()


@dataclass(frozen=True, slots=True)
class StimuliHistory(Events):
    """The stimuli of one step.

    events  the plan, tries of the check before, responses, and the end of the step
    """

    planned: StimuliPlanned
    events: list[StoredEvent]

    @property
    def qualified(self) -> bool | None:
        """True if the check before was passed; None where there is none."""
        tried = [event.passed for event in self.of(QualificationTried)]
        return any(tried) if self.planned.tries or tried else None

    @property
    def finished(self) -> StepFinished | None:
        """End of the step; None while it goes on."""
        return next(iter(self.of(StepFinished)), None)


@dataclass(eq=False)
class VisitHistory(Events):
    """One visit after the events applied so far.

    stimulus_steps  the stimuli of steps that present some, by step
    recordings      files that are there, by the recordings' keys
    wrong_codes     when they were entered, since the last right one
    moves           what else an event changes in a history that is more than this
    """

    visit_id: str = ""
    seq: int = 0
    events: list[StoredEvent] = field(default_factory=list)
    opened: log_events.VisitOpened | None = None
    opened_at: datetime | None = None
    participant_id: str = ""
    pool: str = ""
    language: str = ""
    simulated: bool = False
    dialogues: list[DialogueHistory] = field(default_factory=list)
    bouts: list[Bout] = field(default_factory=list)
    stimulus_steps: dict[int, StimuliHistory] = field(default_factory=dict)
    recordings: dict[str, str] = field(default_factory=dict)
    wrong_codes: list[datetime] = field(default_factory=list)
    outcome: log_events.Outcome | None = None
    completion_code: str | None = None
    cap: log_events.Cap | None = None
    last_at: datetime | None = None
    moves: ClassVar[Mapping[Any, Callable[..., None]]] = {}
    _own: set[str] = field(default_factory=set)  # dialogues that no copy shares

    @property
    def logged_study(self) -> str:
        """The study under which the log keeps this visit; "" before it was opened."""
        return self.opened.study if self.opened is not None else ""

    def dialogue_by_id(self, dialogue_id: str) -> DialogueHistory:
        return next(dialogue for dialogue in self.dialogues if dialogue.dialogue_id == dialogue_id)

    def with_key(self, client_key: str) -> StoredEvent | None:
        """The event that was logged under this key; None: none was."""
        return next((event for event in reversed(self.events) if event.client_key == client_key), None)

    def end_reason(self, dialogue: DialogueHistory) -> log_events.EndReason | None:
        """End reason of a dialogue; one still open at the end of its visit was left.

        Note  logs of before call a dialogue that withdrawing cut off one that the participant ended
        """
        if self.outcome is None or (dialogue.end_reason == "user" and not self._cut_off(dialogue)):
            return dialogue.end_reason
        return "abandoned" if dialogue.end_reason in (None, "user") else dialogue.end_reason

    def _cut_off(self, dialogue: DialogueHistory) -> bool:
        """True if withdrawing ended both the dialogue and, in the same move, the visit."""
        dialogue_end = dialogue.ended
        last = next((stored_event for stored_event, _ in self.stored(log_events.VisitEnded)), None)
        if (
            self.outcome != "withdrew"
            or dialogue_end is None
            or last is None
            or dialogue_end.boot != last.boot
        ):
            return False
        between = (event.event for event in self.events if dialogue_end.seq < event.seq < last.seq)
        at_once = 0 <= last.monotonic_s - dialogue_end.monotonic_s < AT_ONCE_S
        return at_once and all(isinstance(event, BoutEnded | log_events.DialogueEnded) for event in between)

    def copy(self) -> Self:
        """A history that can be carried on without touching this one."""
        clone = object.__new__(type(self))
        for name, value in vars(self).items():
            vars(clone)[name] = value.copy() if isinstance(value, (list, dict)) else value
        self._own, clone._own = set(), set()
        return clone

    def apply(self, stored: StoredEvent) -> None:
        """Take one more event in; an event already taken is ignored."""
        if stored.seq <= self.seq:
            return
        event = stored.event
        self.seq, self.last_at = stored.seq, stored.at
        self.events.append(stored)
        if isinstance(event, log_events.DialogueAssigned):
            self._own.add(event.dialogue_id)
            dialogue = DialogueHistory(stored.at, **dict(event), events=[stored], awaits_call=event.calls_out)
            self.dialogues.append(dialogue)
        elif (dialogue_id := vars(event).get("dialogue_id")) is not None:
            self._carry_on(dialogue_id, stored)
        self._take(stored)
        if (move := self.moves.get(type(event))) is not None:
            move(self, event, stored)

    def _carry_on(self, dialogue_id: str, stored: StoredEvent) -> None:
        for place in range(len(self.dialogues) - 1, -1, -1):
            dialogue = self.dialogues[place]
            if dialogue.dialogue_id != dialogue_id:
                continue
            if dialogue_id not in self._own:
                self._own.add(dialogue_id)
                dialogue = self.dialogues[place] = dialogue.copy()
            dialogue.take(stored)

    def _take(self, stored: StoredEvent) -> None:
        match stored.event:
            case log_events.VisitOpened() as event:
                self.visit_id, self.opened, self.opened_at = stored.visit_id, event, stored.at
                self.participant_id, self.pool = event.participant_id, event.pool
                self.language, self.simulated = event.language, event.simulated
            case log_events.LanguageChosen() as event:
                self.language = event.language
            case log_events.CodeEntered() as event:
                self.wrong_codes = [] if event.accepted else [*self.wrong_codes, stored.at]
            case BoutAssigned() as event:
                self.bouts.append(Bout(event))
            case VoteCast() as event:
                bout = self.bouts[-1]
                self.bouts[-1] = replace(bout, votes=(*bout.votes, BoutVote(event, stored.at)))
            case RecordingStored() as event:
                self.recordings[event.recording_id] = event.file
            case RecordingRemoved() as event:
                self.recordings.pop(event.recording_id, None)
            case log_events.VisitEnded() as event:
                self.outcome, self.completion_code = event.outcome, event.completion_code
                self.cap = event.cap
            case StimuliPlanned() as event:
                self.stimulus_steps[event.step] = StimuliHistory(event, [stored])
            case QualificationTried() | ResponseGiven() | StepFinished() as event:
                if (step := self.stimulus_steps.get(event.step)) is not None:
                    self.stimulus_steps[event.step] = replace(step, events=[*step.events, stored])
            case _:
                pass


def fold(events: Iterable[StoredEvent]) -> VisitHistory:
    """The history of a visit from its events, in their order."""
    history = VisitHistory()
    for stored in events:
        history.apply(stored)
    return history
