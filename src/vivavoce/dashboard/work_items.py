"""Work of participants beside dialogues: the events that count as a piece of work, by kind of step."""

from collections.abc import Callable, Hashable
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from vivavoce.log.arena_events import VoteCast
from vivavoce.log.event import Event
from vivavoce.log.events import QuestionnaireAnswered, ResponseGiven
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.model import Study
from vivavoce.study.step_kind import STEPS, StepKind, kind_of
from vivavoce.trial.state import VisitState


class WorkItem(NamedTuple):
    """One piece of work, or several from one page."""

    step: str
    participant_id: str
    at: datetime
    about: str
    pieces: int


class Contribution(NamedTuple):
    """Work reported by an event.

    kind    the kind of step whose work it is
    key     what is done anew when it comes twice in a visit, so that the later one stands
    about   what it is about, such as a pair; "" where that does not matter
    pieces  how many pieces
    """

    kind: StepKind[Any]
    key: Hashable
    about: str
    pieces: int


KEYS: Final[dict[type[Event], Callable[[Any], Hashable]]] = {
    VoteCast: lambda event: (event.bout_id, event.exchange),
    QuestionnaireAnswered: lambda event: (event.step, event.round, event.position),
    ResponseGiven: lambda event: (event.step, event.position),
}


@cache
def works() -> dict[str, StepKind[Any]]:
    """Kinds of step with countable work, by name."""
    return {name: kind for name, kind in STEPS if kind.counted}


def brought(event: Event, study: Study, state: VisitState | None) -> Contribution | None:
    """Work in an event; None for most events, and for forms about a dialogue.

    state  of the visit, just after the event
    """
    if type(event) not in KEYS or getattr(event, "dialogue_id", None):
        return None
    kind = works().get(event.name) if isinstance(event, ResponseGiven) else _kind(event, study, state)
    if kind is None:
        return None
    about, pieces = getattr(event, "instrument", ""), 1
    if isinstance(event, ResponseGiven) and isinstance(kind, StimulusStep):
        about, pieces = (
            _stimulus(kind, event, state),
            kind.pieces(kind.response.model_validate(event.response)),
        )
    return Contribution(kind, KEYS[type(event)](event), about, pieces)


def _kind(event: Any, study: Study, state: VisitState | None) -> StepKind[Any] | None:
    """Kind of the step of the event; in a changed study, a kind with such work."""
    bouts = state.bouts if state is not None else []
    place = next(
        (bout.event.step for bout in bouts if bout.event.bout_id == getattr(event, "bout_id", "")), -1
    )
    place = getattr(event, "step", place)
    step_kinds = [kind_of(study.visit[place])] if 0 <= place < len(study.visit) else []
    return next((kind for kind in (*step_kinds, *works().values()) if kind.done == event.kind), None)


def _stimulus(kind: StimulusStep[Any, Any, Any], event: ResponseGiven, state: VisitState | None) -> str:
    planned = state.planned if state is not None else None
    if planned is None or planned.name != event.name:
        return ""
    return kind.about(kind.stimulus.model_validate(planned.stimuli[event.position]))
