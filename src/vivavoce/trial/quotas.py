"""Places: who may begin, and which systems somebody may still be given, by the study's quotas.

All of it is read in the transaction that writes what follows, so arrivals at the same time see each other,
and it is a function of the log: another process finds the same.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from vivavoce.log.events import Cap, VisitEnded
from vivavoce.log.quota_openings import Places, dialogues_held, left_visits, taken_places, visits_made
from vivavoce.log.store import Transaction
from vivavoce.study.model import Study
from vivavoce.study.quotas import Quotas
from vivavoce.study.recruiter import repeat_of
from vivavoce.study.step_kind import battles_of, dialogues_in
from vivavoce.trial.state import VisitState


def turned_away(tx: Transaction, study: Study, state: VisitState, now: datetime) -> Cap | None:
    """The cap that somebody who has just come meets; None: they may begin."""
    quotas, who = study.quotas, state.participant_id
    if quotas is None:
        return None
    visit_key = (tx.connection, state.logged_study, who, state.visit_id)
    if quotas.visits is not None and visits_made(*visit_key) >= quotas.visits:
        return "participant"
    needed = needed_dialogues(study, state.pool)
    remaining = dialogues_left(tx, study, state)
    if remaining is not None and remaining < needed:
        return "participant"
    return "places" if needed and not open_systems(tx, study, state, now) else None


def needed_dialogues(study: Study, pool: str) -> int:
    """The fewest dialogues of a visit of somebody whom this recruiter sent; a battle is two."""
    talks = sum(repeat_of(study.recruitment, pool, plan).min for plan in dialogues_in(study.visit))
    battles = (battles_of(step) for step in study.visit)
    return talks + sum(2 * plan.battles for plan in battles if plan is not None)


def dialogues_left(tx: Transaction, study: Study, state: VisitState) -> int | None:
    """Number of dialogues that a participant may still get; None: no limit."""
    if study.quotas is None or study.quotas.dialogues is None:
        return None
    return study.quotas.dialogues - dialogues_held(tx.connection, state.logged_study, state.participant_id)


def open_systems(tx: Transaction, study: Study, state: VisitState, now: datetime) -> list[str]:
    """The systems that somebody may be given whose conditions have a place, for others or for them already.

    Where the next one hangs on it, visits that were left for too long are ended, which frees their places.
    """
    systems, quotas = _followed(study, state), study.quotas
    if quotas is None or (quotas.participants is None and quotas.conditions is None):
        return systems

    def found() -> list[str]:
        places = taken_places(
            tx.connection, state.logged_study, state.participant_id, simulated=state.simulated
        )
        return _open(quotas, study, systems, places)

    open_now = found()
    if len(open_now) == len(systems):
        return open_now
    since = now - timedelta(minutes=study.limits.visit_minutes)
    abandoned = left_visits(
        tx.connection, state.logged_study, since, simulated=state.simulated, but=state.visit_id
    )
    for visit_id in abandoned:
        tx.append(visit_id, VisitEnded(outcome="timed_out"))
    return found() if abandoned else open_now


def _followed(study: Study, state: VisitState) -> list[str]:
    """The systems of conditions that somebody keeps, or crosses over to, after an earlier session.

    Note    all of them where the study's conditions leave no choice
    """
    systems, follow_up = list(study.systems), study.follow_up
    earlier = state.opened.earlier if state.opened is not None else None
    if follow_up is None or earlier is None or follow_up.condition == "any":
        return systems
    keeps = follow_up.condition == "keep"
    matching = [system for system in systems if (study.condition(system) in earlier.conditions) == keeps]
    needed = 1 if state.battles_due is None else 2
    return matching if len(matching) >= needed else systems


def _open(quotas: Quotas, study: Study, systems: Sequence[str], occupied: Places) -> list[str]:
    if quotas.participants is not None and not occupied.mine and occupied.participants >= quotas.participants:
        return []

    def has_place(condition: str) -> bool:
        places = quotas.places(condition)
        return (
            condition in occupied.mine or places is None or occupied.by_condition.get(condition, 0) < places
        )

    return [system for system in systems if has_place(study.condition(system))]
