"""What every step that presents stimuli and collects responses logs; its own models say what is in them."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from vivavoce.log.event import Event


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
    StimuliPlanned, QualificationTried, WholeRecorded, ResponseGiven, StepFinished,
)  # fmt: skip
EARLIER_KINDS: Final[dict[str, tuple[type[Event], str]]] = {
    "transcripts_assigned": (StimuliPlanned, "rate"),
    "transcript_rated": (ResponseGiven, "rate"),
    "transcripts_finished": (StepFinished, "rate"),
    "comparisons_assigned": (StimuliPlanned, "compare"),
    "comparison_answered": (ResponseGiven, "compare"),
    "comparisons_finished": (StepFinished, "compare"),
    "clips_assigned": (StimuliPlanned, "listen"),
    "hearing_checked": (QualificationTried, "listen"),
    "clip_judged": (ResponseGiven, "listen"),
    "listening_finished": (StepFinished, "listen"),
    "transcriptions_assigned": (StimuliPlanned, "transcribe"),
    "transcript_given": (ResponseGiven, "transcribe"),
    "transcriptions_finished": (StepFinished, "transcribe"),
    "stimuli_assigned": (StimuliPlanned, "elicit"),
    "command_given": (ResponseGiven, "elicit"),
    "commands_cut": (WholeRecorded, "elicit"),
    "commands_finished": (StepFinished, "elicit"),
}
"""Kinds of logs written before, with what they are read as, and the step that wrote them."""
_STIMULI: Final = ("transcripts", "comparisons", "trials", "items", "stimuli")


def upcast(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """An earlier kind's payload as that of the event it is read as: what it does not name is a response."""
    model, name = EARLIER_KINDS[kind]
    shared = {key: value for key, value in payload.items() if key in model.model_fields}
    rest = {key: value for key, value in payload.items() if key not in model.model_fields}
    if model is StimuliPlanned:
        shared["stimuli"] = next(payload[key] for key in _STIMULI if key in payload)
        shared["tries"] = [{"tones": count} for count in rest.get("tones", ())]
    elif model is QualificationTried:
        shared |= {"response": rest, "passed": rest["tones"] == rest["counted"]}
    elif model is ResponseGiven:
        shared["response"] = rest
    return {**shared, "name": name}


def stored_kinds(model: type[Event]) -> list[str]:
    """The kinds under which a log may hold an event."""
    return [model.kind, *(kind for kind, (read_as, _) in EARLIER_KINDS.items() if read_as is model)]
