"""Erasure of a participant: everything of theirs leaves the log, and a tombstone says that it did.

It is the one exception to the rule that events are only ever added. What goes: their visits with all their
events, recordings and tapes; who they are; what annotators, reviewers, researchers and stress tests have of
their dialogues; what leads to them in the tables of packages, which say what stays there. In the visits
of others who wrote down such recordings stands that they did, without the words. Everybody else's events
stay as they were, so that the projections of the rest can still be rebuilt.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, select, text

from vivavoce.core.errors import InputError
from vivavoce.dataset.responded_kinds import responded_kinds
from vivavoce.log.annotation_events import ANNOTATION_EVENTS
from vivavoce.log.call_events import CALL_EVENTS
from vivavoce.log.events import (
    TRIAL,
    ErasureReason,
    ParticipantErased,
    ResponseGiven,
    StimuliPlanned,
    read_event,
    stored_kinds,
)
from vivavoce.log.follow_ups import forget_invited
from vivavoce.log.merkle_tree import leaves_of, record_root, replace_payload
from vivavoce.log.notes import ON_DIALOGUES
from vivavoce.log.package_tables import ErasedParticipant, PackageTables, erase_beside, present_tables
from vivavoce.log.persons import identifiers
from vivavoce.log.recordings import folder_of
from vivavoce.log.spool import tapes_of
from vivavoce.log.store import Log, Transaction
from vivavoce.log.stress_events import STRESS_EVENTS, StressRunPlanned
from vivavoce.log.tables import (
    bouts,
    calls,
    codes,
    dialogues,
    events,
    people,
    recordings,
    recruit_links,
    visits,
)

_ELSEWHERE: Final = {
    event.kind for event in (*ANNOTATION_EVENTS, *STRESS_EVENTS, *CALL_EVENTS, *ON_DIALOGUES)
}
_MANY: Final = 500
Payload = dict[str, Any]


@dataclass
class _Theirs:
    """References to one person in the events of others."""

    participant_id: str
    visits: list[str]
    dialogues: set[str]
    files: set[str]
    items: set[str] = field(default_factory=set)
    cases: set[tuple[str, str]] = field(default_factory=set)

    def about(self, payload: Payload) -> bool:
        """True if an event is about a dialogue or commands of theirs, or follows from one."""
        key = payload.get("dialogue_id") or ""
        if key in self.dialogues or key.startswith(f"{self.participant_id}/"):
            self.items |= {payload["item_id"]} if "item_id" in payload else set()
            return True
        return payload.get("item_id") in self.items or (
            (payload.get("run_id", ""), payload.get("case_id", "")) in self.cases
        )

    def mended(self, kind: str, payload: Payload) -> Payload:
        """An event of somebody else without what is theirs in it."""
        if kind == StressRunPlanned.kind:
            gone = {case["case_id"] for case in payload["cases"] if case.get("dialogue_id") in self.dialogues}
            self.cases |= {(payload["run_id"], case_id) for case_id in gone}
            cases = [case for case in payload["cases"] if case["case_id"] not in gone]
            not_applicable = [
                case for case in payload["not_applicable"] if case.get("dialogue_id") not in self.dialogues
            ]
            return {**payload, "cases": cases, "not_applicable": not_applicable}
        return payload


@dataclass
class _Answers:
    """Responses of others to stimuli, without what they say of somebody who is erased."""

    theirs: _Theirs
    planned: dict[tuple[str, int], list[Payload]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kinds = {kind.name: kind for kind in responded_kinds()}

    def mended(self, kind: str, payload: Payload, visit_id: str) -> Payload:
        event = read_event(kind, payload)
        if isinstance(event, StimuliPlanned):
            self.planned[visit_id, event.step] = event.stimuli
            return payload
        if not isinstance(event, ResponseGiven) or event.name not in self.kinds:
            return payload  # of a step that no package offers any more: nobody can say what it holds
        of = self.kinds[event.name]
        stimulus = of.stimulus.model_validate(self.planned[visit_id, event.step][event.position])
        response = of.response.model_validate(event.response)
        without = of.without(stimulus, response, self.theirs.dialogues, self.theirs.files)
        if without == response:
            return payload
        remaining: Payload = without.model_dump(mode="json")
        if kind == ResponseGiven.kind:
            return {**payload, "response": remaining}
        return {**payload, **{name: value for name, value in remaining.items() if name in payload}}


def erase_participant(
    log: Log,
    study: str,
    who: str,
    *,
    by: str,
    reason: ErasureReason = "request",
    check: Callable[[Transaction], None] | None = None,
) -> ParticipantErased:
    """Erase a participant, by pseudonym or by the identifier with which they came; gives the tombstone.

    Input   check: called in the transaction first; where it raises, nothing is erased
    Note    no service may hold their visits meanwhile, but those that are over; datasets and backups made
            before are not reached
    Raises  InputError: the study knows nobody of this name
    """
    participant_id = _pseudonym(log, study, who)
    recordings = [
        recording for recording in log.recordings(study) if recording.participant_id == participant_id
    ]
    tapes = tapes_of(log, study).get(participant_id, []) if log.recording_folder is not None else []
    beside = present_tables(log)

    def write(tx: Transaction) -> ParticipantErased:
        if check is not None:
            check(tx)
        return _erase(tx, study, participant_id, by, reason, beside)

    tombstone = log.transact_now(write)
    for tape in tapes:
        tape.unlink(missing_ok=True)
    for erased in recordings:
        folder_of(log).remove(erased.file)
    log.forget_deleted()
    return tombstone


def _pseudonym(log: Log, study: str, who: str) -> str:
    participants = {visit.participant_id for visit in log.visits(study)}
    pseudonyms = {identifier: pseudonym for pseudonym, identifier in identifiers(log, study).items()}
    participant_id = who if who in participants else pseudonyms.get(who)
    if participant_id is None:
        raise InputError(
            f"participant {who!r} not found",
            place=f"study {study}",
            hint="use a participant_id of the dataset, or the identifier of the participant's link",
        )
    return participant_id


def _erase(
    tx: Transaction,
    study: str,
    participant_id: str,
    by: str,
    reason: ErasureReason,
    beside: Sequence[PackageTables],
) -> ParticipantErased:
    connection = tx.connection
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA secure_delete=ON"))
    theirs = _theirs(connection, study, participant_id)
    whose = known_as(connection, study, participant_id)
    sentences = erase_beside(tx, beside, whose)
    record_root(connection, tx.now())  # over all that goes, so that later roots hold its leaves, too
    doomed, mended = _others(connection, theirs)
    positions = _all(connection, select(events.c.position).where(events.c.visit_id.in_(theirs.visits)))
    tombstone = ParticipantErased(
        study=study,
        participant_id=participant_id,
        by=by,
        visits=len(theirs.visits),
        events=len(positions) + len(doomed),
        mended=len(mended),
        kept=sentences,
        reason=reason,
        leaves=leaves_of(connection, [*doomed, *positions]),
        commitments=mended,
    )
    tx.append(TRIAL, tombstone)  # before anything goes: a position is never given twice
    _delete(connection, events, "position", [*doomed, *positions])
    _delete(connection, calls, "position", [*doomed, *positions])
    _delete(connection, bouts, "position", positions)
    for table in (visits, dialogues, codes, recordings, recruit_links):
        _delete(connection, table, "visit_id", theirs.visits)
    connection.execute(delete(people).where(people.c.participant_id == participant_id))
    forget_invited(connection, study, participant_id, wholly=True)
    return tombstone


def _theirs(connection: Connection, study: str, participant_id: str) -> _Theirs:
    def of(table: Table, column: str) -> list[Any]:
        whose = (table.c.study == study) & (table.c.participant_id == participant_id)
        return _all(connection, select(table.c[column]).where(whose))

    files = {Path(name).stem for name in of(recordings, "file")}
    return _Theirs(participant_id, of(visits, "visit_id"), set(of(dialogues, "dialogue_id")), files)


def known_as(connection: Connection, study: str, participant_id: str) -> ErasedParticipant:
    """One person, under the names that packages' tables may know."""
    theirs = (visits.c.study == study) & (visits.c.participant_id == participant_id)
    visit_ids = _all(connection, select(visits.c.visit_id).where(theirs))
    tickets = select(recruit_links.c.ticket_hash).where(recruit_links.c.visit_id.in_(visit_ids))
    persons = select(people.c.person_key).where(people.c.participant_id == participant_id)
    return ErasedParticipant(
        study,
        participant_id,
        visit_ids,
        frozenset(ticket for ticket in _all(connection, tickets) if ticket),
        frozenset(_all(connection, persons)),
    )


def _others(connection: Connection, theirs: _Theirs) -> tuple[list[int], dict[int, str]]:
    """Positions of others' events that go as a whole; new commitments of those that were mended."""
    response_kinds = {*stored_kinds(StimuliPlanned), *stored_kinds(ResponseGiven)}
    query = (
        select(events.c.position, events.c.kind, events.c.payload, events.c.visit_id)
        .where(
            events.c.kind.in_(sorted(_ELSEWHERE | response_kinds)), events.c.visit_id.not_in(theirs.visits)
        )
        .order_by(events.c.position)
    )
    deleted, mended = list[int](), dict[int, str]()
    answers = _Answers(theirs)
    for position, kind, payload, stream in connection.execute(query).all():
        if kind not in response_kinds and theirs.about(payload):
            deleted.append(position)
            continue
        without = (
            answers.mended(kind, payload, stream) if kind in response_kinds else theirs.mended(kind, payload)
        )
        if without != payload:
            read_event(kind, without)
            mended[position] = replace_payload(connection, position, without)
    return deleted, mended


def _all(connection: Connection, query: Any) -> list[Any]:
    return list(connection.execute(query).scalars())


def _delete(connection: Connection, table: Table, column: str, keys: list[Any]) -> None:
    for begin in range(0, len(keys), _MANY):
        connection.execute(delete(table).where(table.c[column].in_(keys[begin : begin + _MANY])))
