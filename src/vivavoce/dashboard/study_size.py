"""Sample size of a study: progress in total and by condition, and expected end."""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from vivavoce.core.errors import MissingExtra
from vivavoce.core.extras import require
from vivavoce.core.result import signature
from vivavoce.dashboard.board import Board, VisitCard
from vivavoce.dashboard.language import told
from vivavoce.dashboard.stopping import compared_visits
from vivavoce.log.models import SIMULATED
from vivavoce.stats.eta import LEVEL, TimeToCome, time_to_come
from vivavoce.study.model import Study
from vivavoce.study.recruiter import RECRUITERS
from vivavoce.trial.quotas import needed_dialogues

PACE_OF: Final = timedelta(days=7)


class ConditionProgress(NamedTuple):
    """Counted dialogues of one condition; planned: at the sample size, None without one."""

    condition: str
    completed: int
    planned: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySize:
    """Progress towards the sample size.

    declared     people with a visit that counts; None: nobody declared it, or programs are shown
    declared_by  its stopping rule, or the places of its recruiters
    unit         which visits count: completed ones; where a stopping rule watches, finished ones with a
                 dialogue that is compared, as it counts them
    reached      people (or programs) with a visit that counts; where recruiters declare, whom those sent
    first_at     when the first visit was begun; last_at: when the last one that counts was completed
    recent       visits that count, completed in the last `PACE_OF`
    to_come      None: nothing is declared, it is reached, or too few visits were completed to tell
    problem      why `to_come` cannot be computed; "": it can
    conditions   in the order of the study's systems; empty where nobody talks to a system
    signature    of the expected end; "": there is none
    """

    declared: int | None
    declared_by: Literal["stopping", "places", ""]
    unit: Literal["completed", "finished"]
    reached: int
    first_at: datetime | None
    last_at: datetime | None
    recent: int
    to_come: TimeToCome | None
    problem: str
    earliest: datetime | None
    expected: datetime | None
    latest: datetime | None
    conditions: list[ConditionProgress]
    signature: str


def study_size(board: Board) -> StudySize:
    """Progress towards the sample size; the unit is the participant, for conditions the dialogue."""
    now = board.log.clock.now()
    by, places = ("", {}) if board.scope == SIMULATED else _declared(board)
    size = sum(places.values()) if places else None
    watched = by == "stopping" and _is_watched(board.study)
    counted = compared_visits(board) if watched else _completed(board, places if by == "places" else None)
    done: dict[str, datetime] = {}
    for visit in sorted(counted, key=lambda counted_visit: counted_visit.ended_at or counted_visit.last_at):
        done.setdefault(visit.participant_id, visit.ended_at or visit.last_at)
    first = min((visit.opened_at for visit in board.visits.values()), default=None)
    since = max(first or now, now - PACE_OF)
    recent = sum(at >= since for at in done.values())
    to_come, problem = None, ""
    if size is not None and size > len(done):
        try:
            require("scipy")
            to_come = time_to_come(recent, (now - since).total_seconds(), size - len(done))
        except MissingExtra as error:
            problem = told(error)
    return StudySize(
        declared=size,
        declared_by=by,
        unit="finished" if watched else "completed",
        reached=len(done),
        first_at=first,
        last_at=max(done.values(), default=None),
        recent=recent,
        to_come=to_come,
        problem=problem,
        earliest=_after(now, to_come and to_come.low_s),
        expected=_after(now, to_come and to_come.expected_s),
        latest=_after(now, to_come and to_come.high_s),
        conditions=_conditions(board, places),
        signature=_signature(board, to_come) if to_come else "",
    )


def _signature(board: Board, estimate: TimeToCome) -> str:
    return signature(
        "expected_end",
        unit="participant",
        n=estimate.visits,
        data=f"event{board.position}",
        level=LEVEL,
        days=PACE_OF.days,
        wanted=estimate.wanted,
    )


def _is_watched(study: Study) -> bool:
    stopping = study.analysis.stopping
    return stopping is not None and stopping.rule is not None and study.analysis.primary is not None


def _completed(board: Board, pools: Container[str] | None) -> list[VisitCard]:
    """Completed visits, of these recruiters or of all."""
    done = (visit for visit in board.visits.values() if visit.outcome == "completed")
    return [visit for visit in done if pools is None or visit.pool in pools]


def _after(now: datetime, seconds: float | None) -> datetime | None:
    """Time after a moment; None beyond the range of calendars."""
    try:
        return None if seconds is None else now + timedelta(seconds=seconds)
    except OverflowError:
        return None


def is_reached(board: Board) -> bool | None:
    """True if the sample size is reached; None without one."""
    size = study_size(board)
    return None if size.declared is None else size.reached >= size.declared


def declared_people(board: Board) -> int | None:
    """Sample size in people, whichever visits the board shows."""
    places = _declared(board)[1]
    return sum(places.values()) if places else None


def _declared(board: Board) -> tuple[Literal["stopping", "places", ""], dict[str, int]]:
    """Source of the sample size, and number of people by recruiter; "" for all."""
    study, stopping = board.study, board.study.analysis.stopping
    if stopping is not None and stopping.participants is not None:
        return "stopping", {"": int(stopping.participants)}
    targets = {
        name: RECRUITERS.get(name).places(settings, study.name, board.log)
        for name, settings in study.recruitment.items()
    }
    places = {name: number for name, number in targets.items() if number is not None}
    return ("places" if places else ""), places


def _conditions(board: Board, places: dict[str, int]) -> list[ConditionProgress]:
    study = board.study
    if not needed_dialogues(study, ""):
        return []
    planned = sum(number * needed_dialogues(study, pool) for pool, number in places.items())
    systems = Counter(study.condition(system) for system in study.systems)
    completed = (dialogue for dialogue in board.dialogues.values() if dialogue.outcome == "completed")
    done = Counter(visit.condition or visit.system for visit in completed)
    share = planned / len(study.systems) if places else None
    return [
        ConditionProgress(name, done[name], None if share is None else share * number)
        for name, number in systems.items()
    ]
