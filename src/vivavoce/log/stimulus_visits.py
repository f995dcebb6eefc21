"""Stimuli of a step in all visits: who received which, their answers, and whether they count."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, NamedTuple

from pydantic import BaseModel
from sqlalchemy import Connection, and_, or_, select

from vivavoce.log.events import read_event
from vivavoce.log.stimulus_events import (
    STIMULUS_EVENTS,
    ResponseGiven,
    StepFinished,
    StimuliPlanned,
    earlier_kinds,
)
from vivavoce.log.stimulus_rows import Response, Stimulus
from vivavoce.log.tables import events, visits


class Answered(NamedTuple, Generic[Stimulus, Response]):
    """One stimulus that was answered."""

    stimulus: Stimulus
    response: Response
    at: datetime


@dataclass
class StimulusVisit(Generic[Stimulus, Response]):
    """One visit's part.

    held      its participant is still at it
    accepted  whether the whole counts; None: not decided
    at        where in `answered` the response to a stimulus stands, by its place in `stimuli`
    """

    participant_id: str
    language: str
    held: bool
    stimuli: Sequence[Stimulus] = ()
    answered: list[Answered[Stimulus, Response]] = field(default_factory=list)
    accepted: bool | None = None
    at: dict[int, int] = field(default_factory=dict, repr=False)


def stimulus_visits(
    connection: Connection,
    name: str,
    stimulus: type[Stimulus],
    response: type[Response],
    *,
    study: str | None = None,
    since: datetime | None = None,
    simulated: bool | None = None,
) -> list[StimulusVisit[Stimulus, Response]]:
    """Every visit that was given stimuli of a kind of step, in the order of the log; a step twice is two.

    name       of the kind; stimulus, response: its models
    study      None: of all studies of the log
    since      whoever did nothing since then is not at it any more
    simulated  of programs, or of people, alone
    """
    earlier = [kind for kind, (_, step) in earlier_kinds().items() if step == name]
    shared = events.c.kind.in_([kind.kind for kind in STIMULUS_EVENTS])
    query = (
        select(
            events.c.visit_id,
            events.c.kind,
            events.c.payload,
            events.c.at,
            visits.c.participant_id,
            visits.c.language,
            visits.c.outcome,
            visits.c.last_at,
        )
        .join(visits, visits.c.visit_id == events.c.visit_id)
        .where(
            or_(events.c.kind.in_(earlier), and_(shared, events.c.payload["name"].as_string() == name)),
            *([visits.c.study == study] if study is not None else []),
            *([visits.c.simulated == simulated] if simulated is not None else []),
        )
        .order_by(events.c.position)
    )
    by_visit: dict[tuple[str, int], StimulusVisit[Stimulus, Response]] = {}
    for visit_id, kind, payload, at, participant_id, language, outcome, last_at in connection.execute(query):
        event: Any = read_event(kind, payload)
        running = outcome is None and (since is None or last_at >= since)
        visit = by_visit.setdefault((visit_id, event.step), StimulusVisit(participant_id, language, running))
        _take(visit, event, at, stimulus, response)
    return list(by_visit.values())


def _take(
    visit: StimulusVisit[Any, Any],
    event: Any,
    at: datetime,
    stimulus: type[BaseModel],
    response: type[BaseModel],
) -> None:
    if isinstance(event, StimuliPlanned):
        visit.stimuli = [stimulus.model_validate(stimulus_fields) for stimulus_fields in event.stimuli]
    elif isinstance(event, ResponseGiven):
        parsed = response.model_validate(event.response)
        answer = Answered(visit.stimuli[event.position], parsed, at)
        if visit.at.setdefault(event.position, len(visit.answered)) == len(visit.answered):
            visit.answered.append(answer)
        else:  # given anew
            visit.answered[visit.at[event.position]] = answer
    elif isinstance(event, StepFinished):
        visit.accepted = event.accepted
