"""What participants do beside holding dialogues: which event of each kind of step is a piece of work."""

from collections.abc import Callable, Hashable
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from vivavoce.log.arena_events import VoteCast
from vivavoce.log.event import Event
from vivavoce.log.events import QuestionnaireAnswered
from vivavoce.log.stimulus_events import ResponseGiven
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.step_kind import STEPS
from vivavoce.trial.state import VisitState


class DeedWork(NamedTuple):
    """What one kind of step is made of.

    noun    one piece of it; counts of it are said with it
    done    the event that brings it
    key     what is done anew when it comes twice in a visit, so that the later one stands
    about   what it is about, such as a pair; "" where that does not matter
    things  what those are called, in the plural
    pieces  how many pieces one event brings
    """

    step: str
    noun: str
    done: type[Event]
    key: Callable[[Any], Hashable]
    about: Callable[[Any], str] = lambda _: ""
    things: str = ""
    pieces: Callable[[Any], int] = lambda _: 1


class Deed(NamedTuple):
    """A piece of work, or several that one page brought."""

    step: str
    participant_id: str
    at: datetime
    about: str
    pieces: int


def _place(event: Any) -> Hashable:
    return event.step, event.position


WORK: Final[dict[str, DeedWork]] = {
    one.step: one
    for one in (
        DeedWork("arena", "vote", VoteCast, lambda event: (event.bout_id, event.exchange)),
        DeedWork("questionnaire", "form", QuestionnaireAnswered,
             lambda event: (event.step, event.round, event.position),
             lambda event: event.instrument, "questionnaires"),
    )
}  # fmt: skip
DIALOGUE: Final = "dialogue"
WITHOUT_WORK: Final = ("consent", "instructions", "debrief")
_BY_EVENT: Final = {one.done: one for one in WORK.values()}


@cache
def works() -> dict[str, DeedWork]:
    """What every kind of step is made of, by its name; those that present stimuli say it themselves."""
    return WORK | {
        kind.name: DeedWork(
            kind.name,
            kind.counted,
            ResponseGiven,
            _place,
            things=kind.things,
            pieces=lambda event, kind=kind: kind.pieces(kind.response.model_validate(event.response)),
        )
        for kind in map(STEPS.get, STEPS.names())
        if isinstance(kind, StimulusStep)
    }


def work_of(event: Event) -> DeedWork | None:
    """The kind of work that an event brings; None for most events, and for forms about a dialogue."""
    if isinstance(event, ResponseGiven):
        return works().get(event.name)
    return None if getattr(event, "dialogue_id", None) else _BY_EVENT.get(type(event))


def thing_of(work: DeedWork, event: Event, state: VisitState | None) -> str:
    """What a piece of work is about, or ""; state: of the visit, just after the event."""
    if not isinstance(event, ResponseGiven):
        return work.about(event)
    planned = state.planned if state is not None else None
    kind = STEPS.get(event.name)
    if planned is None or planned.name != event.name or not isinstance(kind, StimulusStep):
        return ""
    return kind.about(kind.stimulus.model_validate(planned.stimuli[event.position]))
