"""Every kind of event, one versioned model each; together they are the truth about a trial.

Kinds are `<noun>_<past verb>`. A visit's events are ordered by `seq` (1-based, without gaps), never by time.
Fields are only ever added, with a default; a change of meaning is a new kind.
The models of a step define the content of its stimuli and responses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.dataset.reader import earlier_facts
from vivavoce.log.event import EVENT_KINDS, Event, LoggedRating
from vivavoce.study.prices import Prices
from vivavoce.study.retention import Part
from vivavoce.study.step_kind import STEPS


class LoggedSegment(BaseModel):
    """A stretch of a recording, in seconds from its start."""

    model_config = ConfigDict(frozen=True)
    onset_s: float
    offset_s: float


class StimuliPlanned(Event):
    """The stimuli of one participant in their order.

    name   of the step's kind, which can read its stimuli and responses
    slot   number of this participant's plan among those of the study: the first that nobody held; null in
           older logs, for a step whose plans are not balanced
    tries  what each try of the check before the stimuli presents; none where there is no check
    """

    kind = "stimuli_planned"
    step: int
    name: str
    slot: int | None = None
    stimuli: list[dict[str, Any]]
    tries: list[dict[str, Any]] = []


class QualificationTried(Event):
    """One try of the check that comes before the stimuli; attempt: from 0."""

    kind = "qualification_tried"
    step: int
    name: str
    attempt: int
    response: dict[str, Any]
    passed: bool


class WholeRecorded(Event):
    """Responses to all stimuli are there in one recording; this is where voice activity would cut it.

    Its speaker corrects the cuts; the responses that follow have `cut_from` and their own borders.
    """

    kind = "whole_recorded"
    step: int
    name: str
    recording_id: str
    proposed: list[LoggedSegment]


class ResponseGiven(Event):
    """One stimulus was answered; a later response to the same stimulus stands instead of it.

    language    of the page; null in older logs, where the step did not say it
    response_s  since it was due, breaks included
    """

    kind = "response_given"
    step: int
    name: str
    position: int
    language: str | None = None
    response: dict[str, Any]
    response_s: float


class StepFinished(Event):
    """The step is over: how long its responses took, whether they count, and what is odd about them.

    total_s  null in older logs, where the step did not say it
    """

    kind = "step_finished"
    step: int
    name: str
    total_s: float | None = None
    accepted: bool = True
    flags: list[str] = []


STIMULUS_EVENTS: Final[tuple[type[Event], ...]] = (
    StimuliPlanned,
    QualificationTried,
    WholeRecorded,
    ResponseGiven,
    StepFinished,
)


def earlier_kinds() -> Mapping[str, tuple[type[Event], str]]:
    """Kinds of logs written before, with what they are read as, and the step that declares them."""
    return _earlier_kinds(tuple(STEPS.names()))


@lru_cache
def _earlier_kinds(_: tuple[str, ...]) -> Mapping[str, tuple[type[Event], str]]:
    declared = ((kind.name, getattr(kind, "earlier_events", {})) for _, kind in STEPS)
    return {kind: (model, name) for name, earlier in declared for kind, model in earlier.items()}


def upcast(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """An earlier kind's payload as that of the event it is read as: what it does not name is a response."""
    model, name = earlier_kinds()[kind]
    shared = {key: value for key, value in payload.items() if key in model.model_fields}
    fields = {key: value for key, value in payload.items() if key not in model.model_fields}
    if model is StimuliPlanned:
        shared.setdefault("stimuli", max(filter(_are_objects, fields.values()), key=len, default=[]))
        shared["tries"] = [{"tones": count} for count in fields.get("tones", ())]
    elif model is QualificationTried:
        shared |= {"response": fields, "passed": fields["tones"] == fields["counted"]}
    elif model is ResponseGiven:
        shared["response"] = fields
    return {**shared, "name": name}


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def stored_kinds(model: type[Event]) -> list[str]:
    """The kinds under which a log may hold an event."""
    return [model.kind, *(kind for kind, (read_as, _) in earlier_kinds().items() if read_as is model)]


class LoggedToolCall(BaseModel):
    """One call of a tool. Seconds count from the opening of the dialogue; null where nobody told them."""

    model_config = ConfigDict(frozen=True)
    name: str
    arguments: str | None = None
    result: str | None = None
    failed: bool | None = None
    error: str | None = None
    started_s: float | None = None
    duration_s: float | None = None


class LoggedUsage(BaseModel):
    """Usage of one model call."""

    model_config = ConfigDict(frozen=True)
    model: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class LoggedRetrieval(BaseModel):
    """One document that was looked up; rank: 0-based, best first."""

    model_config = ConfigDict(frozen=True)
    rank: int
    document: str | None = None
    source: str | None = None
    query: str | None = None
    score: float | None = None


class AgentWork(BaseModel):
    """All that a system told of one turn; `tools` is null where it tells nothing of its tools."""

    model_config = ConfigDict(frozen=True)
    tools: list[LoggedToolCall] | None = None
    usage: list[LoggedUsage] = []
    retrievals: list[LoggedRetrieval] = []


@dataclass
class AgentRows:
    """The rows that the turns of one dialogue add to the tables of agents, in the order of the turns.

    all_told  whether every answer told its calls of tools; None before the first
    """

    dialogue_id: str
    prices: Prices | None = None
    all_told: bool | None = None
    tables: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"tool_calls": [], "usage": [], "retrievals": []}
    )

    def take(self, work: AgentWork | None, turn_index: int | None, *, answers: bool) -> None:
        """Add what was done for one turn; null: no turn came of it."""
        work = work or AgentWork()
        if answers:
            self.all_told = self.all_told is not False and work.tools is not None
        self._add("tool_calls", "call_index", turn_index, work.tools or ())
        self._add("usage", "usage_index", turn_index, work.usage)
        self._add("retrievals", "retrieval_index", turn_index, work.retrievals)

    def _add(self, table: str, index: str, turn_index: int | None, done: Sequence[BaseModel]) -> None:
        rows = self.tables[table]
        for entry in done:
            place = {"dialogue_id": self.dialogue_id, "turn_index": turn_index, index: len(rows)}
            price = self.prices.charge(entry.model_dump()) if self.prices and table == "usage" else {}
            rows.append(place | entry.model_dump() | price)


TRIAL: Final = "trial"  # the stream of events that concern no single visit
ACTIONS: Final = "actions"  # the stream of what researchers did on the dashboard
ROWS: Final = "rows"  # the stream of hashes over rows of other tables

EndReason = Literal["user", "system", "limit", "failure", "abandoned"]
ReachedLimit = Literal["turns", "minutes"]
Outcome = Literal[
    "completed",
    "not_accepted",
    "screened_out",
    "no_place",
    "no_consent",
    "withdrew",
    "timed_out",
    "technical_failure",
]
Cap = Literal["participant", "places"]


ErasureReason = Literal["request", "retention"]


class LoggedAct(BaseModel):
    """One dialogue act item."""

    model_config = ConfigDict(frozen=True)
    act: str
    slot: str | None = None
    value: str | None = None
    op: str | None = None


class LoggedHypothesis(BaseModel):
    """One hypothesis of what was said (text) or meant (acts)."""

    model_config = ConfigDict(frozen=True)
    text: str | None = None
    acts: list[LoggedAct] = Field(default_factory=list)
    score: float | None = None


class LoggedMessage(BaseModel):
    """One message bubble of a system turn; `ssml`: its text as it was marked up for a synthesiser."""

    model_config = ConfigDict(frozen=True)
    text: str
    ssml: str | None = None
    choices: list[dict[str, str]] = Field(default_factory=list)
    images: list[str] = Field(default_factory=list)


class LoggedEarlier(BaseModel):
    """The session that a visit follows: its study, when it was completed, and the conditions held there."""

    model_config = ConfigDict(frozen=True)
    study: str
    completed_at: datetime
    conditions: list[str]


class VisitOpened(Event):
    """A participant pressed Start; only now does a visit exist.

    until  after when none of its dialogues begins, as the recruiter said; None: whenever
    """

    kind = "visit_opened"
    study: str
    revision: str
    participant_id: str
    pool: str
    language: str
    simulated: bool = False
    verified: bool | None = None
    earlier: LoggedEarlier | None = None
    until: datetime | None = None


class SimulatedUserDescribed(Event):
    """Kind of program that a simulated participant is, and in which dialogue where that differs.

    user     agenda: a program with habits; model: a language model behind an endpoint
    habits   as drawn for this participant; group: the kind of people of its population, if any
    prompt   what a model was told, whole
    caller   number of the participant in its population, the same in every run with this seed
    """

    kind = "simulated_user_described"
    user: Literal["agenda", "model"]
    caller: int | None = None
    population: str | None = None
    group: str | None = None
    seed: int | None = None
    habits: dict[str, float] = Field(default_factory=dict)
    word_error_rate: float | None = None
    dialogue_id: str | None = None
    model: str | None = None
    prompt: str | None = None


class LanguageChosen(Event):
    kind = "language_chosen"
    language: str


class ConsentGiven(Event):
    """`document` is the SHA-256 of the text that was shown."""

    kind = "consent_given"
    step: int
    document: str
    language: str


class ConsentDeclined(Event):
    kind = "consent_declined"
    step: int
    document: str
    language: str


class PageRead(Event):
    """A page that only wants reading (instructions, debrief) was left forwards."""

    kind = "page_read"
    step: int


class DialogueAssigned(Event):
    """A task and a system were allocated, in the transaction that counted the allocations so far."""

    kind = "dialogue_assigned"
    dialogue_id: str
    step: int
    round: int
    system: str
    task_id: str | None
    task: dict[str, Any] | None
    channel: str
    spoken: bool | None = Field(description="the channel transmits participants' speech; null: unknown")
    calls_out: bool = Field(description="the dialogue is a telephone call")
    language: str
    conversation: str = Field(description="random key shown to the system under test")
    condition: str | None = None
    factors: dict[str, str] = Field(default_factory=dict)


class DialogueOpened(Event):
    """The conversation with the system begins; times of turns count from here."""

    kind = "dialogue_opened"
    dialogue_id: str


class UserTurnSent(Event):
    """A participant's turn. Committed before the system under test sees it.

    response_delay_s and first_key_delay_s: seconds since the last system turn was shown, measured in the
    browser. heard: what a channel made of it. meant: true acts, known only of simulated users.
    sound: the recording that went to a system which listens by itself; then no words did, and text is empty.
    played_s: seconds of the sound of the system's turn before it that were played until the participant spoke
    into it. overheard: the system got the sound while it was spoken, before it was on disk. onset_s and
    offset_s: where speech began and ended, in seconds from the opening of the dialogue; null where nobody
    listened for that, as to writing.
    """

    kind = "user_turn_sent"
    dialogue_id: str
    turn_index: int
    text: str
    payload: str | None = None
    response_delay_s: float | None = None
    first_key_delay_s: float | None = None
    barge_in: bool = False
    heard: list[LoggedHypothesis] = Field(default_factory=list)
    meant: list[LoggedAct] | None = None
    sound: str | None = None
    played_s: float | None = None
    overheard: bool = False
    onset_s: float | None = None
    offset_s: float | None = None


class WordsShown(Event):
    """Words of an answer that is not whole yet. Committed before the participant sees them.

    Input   turn_index: that the answer will have; kept: how many characters stay of what was shown of it
            before, behind which `text` comes
    """

    kind = "words_shown"
    dialogue_id: str
    turn_index: int
    kept: int
    text: str


class SystemTurnReceived(Event):
    """A whole system turn. Committed before the participant sees it.

    sent_s, first_output_s, complete_s: seconds since the dialogue was opened; sent_s is when the user turn
    was handed to the connector. sound: the recording of it, where the system spoke by itself. heard: what a
    system that listens by itself says that it heard of the turn it answers. agent: what it did besides.
    """

    kind = "system_turn_received"
    dialogue_id: str
    turn_index: int
    reply_to: int | None
    messages: list[LoggedMessage]
    sent_s: float | None = None
    first_output_s: float | None = None
    complete_s: float | None = None
    acts: list[LoggedAct] | None = None
    understood: list[LoggedHypothesis] = Field(default_factory=list)
    ends_dialogue: bool = False
    notes: dict[str, Any] | None = Field(None, description="state of the conversation kept by the connector")
    raw: Any = None
    wire: list[dict[str, Any]] | None = Field(None, description="exchange with the system, redacted")
    sound: str | None = None
    heard: list[LoggedHypothesis] = Field(default_factory=list)
    agent: AgentWork | None = None

    @property
    def text(self) -> str:
        return "\n".join(message.text for message in self.messages)


class TurnRecognised(Event):
    """Our recogniser's text, for the log alone, of a turn whose sound went to the system."""

    kind = "turn_recognised"
    dialogue_id: str
    turn_index: int
    heard: list[LoggedHypothesis]


class SystemTurnFailed(Event):
    """The system gave no usable turn; the participant was told so decently.

    partial  what came of it; shown: what the participant had seen of that
    """

    kind = "system_turn_failed"
    dialogue_id: str
    reply_to: int | None
    failure: Literal["unreachable", "timeout", "bad_answer", "refused", "closed", "interrupted", "internal"]
    detail: str
    partial: str = ""
    shown: str = ""
    wire: list[dict[str, Any]] | None = Field(None, description="exchange with the system, redacted")
    agent: AgentWork | None = None


class NoAnswer(Event):
    """The system gave nothing where it could have: no greeting, or an empty answer."""

    kind = "silence_kept"
    dialogue_id: str
    reply_to: int | None
    agent: AgentWork | None = None


class DialogueEnded(Event):
    """A dialogue is over; limit: which one of the study's was reached, where that is the reason."""

    kind = "dialogue_ended"
    dialogue_id: str
    reason: EndReason
    user_turns: int
    duration_s: float | None = None
    limit: ReachedLimit | None = None


class CodeIssued(Event):
    """The earned code of a dialogue that was not trivial; unique in the log."""

    kind = "code_issued"
    dialogue_id: str
    code: str


class CodeEntered(Event):
    """A code was entered to unlock the form; wrong ones are counted."""

    kind = "code_entered"
    entered: str
    accepted: bool
    dialogue_id: str | None = None
    problem: Literal["unknown", "reused", "other_visit", "too_many"] | None = None


class QuestionnaireAnswered(Event):
    kind = "questionnaire_answered"
    step: int
    round: int | None
    position: int = Field(0, description="position among the questionnaires that follow one dialogue")
    dialogue_id: str | None
    instrument: str
    wording: str
    language: str
    ratings: list[LoggedRating]


class DialoguesFinished(Event):
    """The participant asked for no further task, or the time for them was over."""

    kind = "dialogues_finished"
    step: int
    time_over: bool = False


class VisitEnded(Event):
    """The outcome comes first; any code is derived from it.

    cap  which one left no place: what one participant may do, or how many participants there are
    """

    kind = "visit_ended"
    outcome: Outcome
    completion_code: str | None = None
    cap: Cap | None = None


class TrialPaused(Event):
    kind = "trial_paused"
    reason: str
    by: str


class TrialResumed(Event):
    kind = "trial_resumed"
    by: str


class ActionTaken(Event):
    """An action of a signed-in dashboard user: a change or an export.

    by      name of the account, or of the token of a program; `account_id` its key, where it has one
    action  method and address; `about`: what or whom it concerned, never a secret
    study   the study whose dashboard it was
    """

    kind = "action_taken"
    by: str
    role: str
    account_id: str | None = None
    action: str
    about: dict[str, str] = {}
    study: str | None = None


class RowRecorded(Event):
    """A row beside the events was written or deleted: a study as it was served, a payment.

    key     of the row, as text
    sha256  over the row's columns that stay when a participant is erased; null: it was deleted
    """

    kind = "row_recorded"
    table: str
    key: list[str]
    sha256: str | None


class ParticipantErased(Event):
    """Everything of a participant was taken out of the log.

    mended  events of others that named them
    kept    what stays without leading to them, and why, in sentences
    reason  somebody asked for it, or the study keeps visits no longer
    leaves  in the tree of the log, by the positions of the events that were erased
    commitments  to what stays of events that were mended, by their positions
    """

    kind = "participant_erased"
    study: str
    participant_id: str
    by: str
    visits: int
    events: int
    mended: int
    kept: list[str] = []
    reason: ErasureReason = "request"
    leaves: dict[int, str] = {}
    commitments: dict[int, str] = {}


class PartExpired(Event):
    """A part of what is kept of a participant was taken out of the log by the study's rules of retention.

    part    identifiers: what leads to them; free_text: what they wrote freely
    days    that the study keeps it, from the beginning of their last visit
    pieces  how many identifiers and links, or answers
    kept    what stays without leading to them, and why, in sentences
    commitments  to what stays of events without their answers, by their positions
    """

    kind = "part_expired"
    study: str
    participant_id: str
    part: Part
    days: int
    pieces: int
    by: str
    kept: list[str] = []
    commitments: dict[int, str] = {}


class LoggedVerdict(BaseModel):
    """One pair of systems at a look of the stopping rule; `low` and `high` hold at all looks together.

    statistic  |z|, or the e-value; `bar` is what it must reach
    stop       effect, equal, futility, end; none: go on
    """

    model_config = ConfigDict(frozen=True)
    a: str
    b: str
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    statistic: float | None = None
    bar: float | None = None
    stop: str | None = None
    why: str = ""


class InterimAnalysisRun(Event):
    """The declared stopping rule looked at the results; each planned look is taken once."""

    kind = "look_taken"
    study: str
    rule: str
    measure: str
    number: int
    of: int | None = None
    participants: int
    planned: int | None = None
    information: float
    verdicts: list[LoggedVerdict]
    stop: str | None = None
    why: str = ""


class SystemSuspended(Event):
    """A system gets no new dialogue for now: it keeps failing, or has cost what it may."""

    kind = "system_suspended"
    system: str
    reason: str


class SystemRestored(Event):
    kind = "system_restored"
    system: str


def read_event(kind: str, payload: dict[str, Any]) -> Event:
    """The model of a stored payload, of an earlier kind as the present one that says the same.

    Unknown kinds raise KeyError: the log is newer than this version.
    """
    if kind not in EVENT_KINDS and (earlier := earlier_kinds().get(kind)) is not None:
        return earlier[0].model_validate(upcast(kind, payload))
    if kind == DialogueAssigned.kind:
        payload = earlier_facts(payload["channel"]) | payload
    return EVENT_KINDS[kind].model_validate(payload)
