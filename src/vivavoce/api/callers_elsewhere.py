"""Simulated callers in pieces, each with a separate log; their visits are merged into the study's log."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, cast

from vivavoce.api.studies import make_connectors, run_to_end
from vivavoce.core.errors import InputError
from vivavoce.core.executor import PLACE, in_pieces
from vivavoce.log.events import CodeEntered, CodeIssued, VisitOpened
from vivavoce.log.store import Log, StoredEvent, Transaction
from vivavoce.simulation.trial import (
    CALLERS_AT_ONCE,
    POOL,
    Callers,
    callers_of,
    looks_at_others,
    new_prefix,
    run_trial,
)
from vivavoce.simulation.user_profile import Population
from vivavoce.trial import codes
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused
from vivavoce.trial.visits import paused

if TYPE_CHECKING:
    from vivavoce.simulation.user_factory import UserSimulator
    from vivavoce.study.model import Study

Progress = Callable[[int, int], None]
Visits = list[list[StoredEvent]]
_PIECE: Final = CALLERS_AT_ONCE


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTrial:
    """Facts that the pieces of one simulation share; `seed` is of tasks and systems, drawn by caller."""

    study: "Study"
    population: Population
    casting: "UserSimulator | None"
    language: str | None
    seed: int
    error_rate: float


def simulate_elsewhere(trial: SharedTrial, log: Log, amount: int, report: Progress | None) -> int:
    """Simulate this many dialogues or visits on the chosen engine; return how many ended.

    Note    so many callers are a piece, however many workers there are; each piece has a log of its own while
            it lasts, and its visits are written into the study's as they were held
    Raises  InputError: what callers are given depends on others, or they cannot be sent elsewhere
            Refused: the trial is paused
    """
    study = trial.study
    if why := looks_at_others(study):
        hint = "remove --engine, so that each caller knows the previous ones"
        raise InputError(f"callers are not independent: {why}", place=PLACE, hint=hint)
    _require_portable(trial)
    log.transact_now(partial(_begin, study))
    quotas, prefix = callers_of(study, trial.population, amount), new_prefix()
    pieces = [Callers(quotas[start : start + _PIECE], prefix) for start in range(0, len(quotas), _PIECE)]
    total = 0
    for count, visits in in_pieces(partial(_call, trial), pieces):
        for visit in visits:
            log.transact_now(partial(_adopt, study.limits.code_digits, visit))
        total += count
        if report is not None:
            report(total, amount)
    return total


def _require_portable(trial: SharedTrial) -> None:
    try:
        pickle.dumps(trial)
    except (pickle.PicklingError, TypeError, AttributeError):
        hint = "remove --engine: models that play users are called from this process"
        raise InputError("these users cannot be sent to workers", place=PLACE, hint=hint) from None


def _begin(study: "Study", tx: Transaction) -> None:
    if paused(tx):
        raise Refused("paused")
    tx.record_study(study.name, study.revision, study.file_text, study.entities())


def _call(trial: SharedTrial, callers: Callers) -> tuple[int, Visits]:
    """Number of dialogues or visits that ended, and the events of each visit, by caller."""
    with (
        TemporaryDirectory(prefix="vivavoce-callers-") as folder,
        Log.open(f"sqlite:///{Path(folder) / 'log.sqlite'}") as log,
    ):
        count = run_to_end(_held(trial, callers, log))
        visits = [log.events(visit.visit_id) for visit in log.visits(trial.study.name)]
    return count, sorted(visits, key=_number)


async def _held(trial: SharedTrial, callers: Callers, log: Log) -> int:
    engine = SessionEngine(trial.study, log, make_connectors(trial.study))
    await engine.start()
    try:
        return await run_trial(
            engine,
            sum(number for _, number in callers.quotas),
            seed=trial.seed,
            error_rate=trial.error_rate,
            population=trial.population,
            casting=trial.casting,
            language=trial.language,
            callers=callers,
        )
    finally:
        await engine.stop()
        if trial.casting is not None:
            await trial.casting.shut_down()


def _number(visit: Sequence[StoredEvent]) -> int:
    """Number of a visit's caller, from the end of the pseudonym."""
    return int(_opened(visit).participant_id.rpartition("-")[2])


def _opened(visit: Sequence[StoredEvent]) -> VisitOpened:
    return cast("VisitOpened", visit[0].event)


def _adopt(digits: int, visit: Sequence[StoredEvent], tx: Transaction) -> None:
    opened = _opened(visit)
    tx.bind_visit(visit[0].visit_id, opened.study, opened.participant_id, POOL, codes.new_token()[1])
    tx.adopt(list(_with_free_codes(digits, visit, tx)))


def _with_free_codes(digits: int, visit: Sequence[StoredEvent], tx: Transaction) -> Iterator[StoredEvent]:
    """A visit's events, with other codes for those that a dialogue of this log has."""
    renamed: dict[str, str] = {}
    for stored in visit:
        event = stored.event
        if isinstance(event, CodeIssued) and tx.find_code(event.code) is not None:
            new = renamed[event.code] = codes.free_code(digits, lambda code: tx.find_code(code) is None)
            event = event.model_copy(update={"code": new})
        elif isinstance(event, CodeEntered) and event.entered in renamed:
            event = event.model_copy(update={"entered": renamed[event.entered]})
        yield replace(stored, event=event)
