"""Events of steps that present stimuli and collect responses; their own models define the content."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from vivavoce.log.event import Event
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
