"""Changes to the log inside a transaction."""

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from pydantic_core import PydanticSerializationError
from sqlalchemy import Connection, String, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from vivavoce.core.clock import Clock
from vivavoce.core.text import well_formed
from vivavoce.log.call_events import CallConnected
from vivavoce.log.event import Event
from vivavoce.log.events import (
    QuestionnaireAnswered,
    TrialPaused,
    TrialResumed,
    VisitEnded,
    earlier_kinds,
    stored_kinds,
)
from vivavoce.log.guarded_rows import STUDIES, recorded
from vivavoce.log.merkle_tree import new_commitment
from vivavoce.log.models import Conflict, EarnedCode, StoredEvent, VisitRecord, stored_event
from vivavoce.log.projections import writes
from vivavoce.log.tables import (
    bouts,
    calls,
    codes,
    dialogues,
    events,
    people,
    recruit_links,
    runs,
    studies,
    visits,
)

_THIS_VISIT: Final = events.c.visit_id == bindparam("this_visit")
_THIS_KEY: Final = events.c.client_key == bindparam("this_key", type_=String)
_LAST_SEQ: Final = select(func.max(events.c.seq)).where(_THIS_VISIT)
_BY_CLIENT_KEY: Final = select(events).where(_THIS_VISIT, _THIS_KEY)
_KNOWN: Final = select(events.c.seq).where(_THIS_VISIT, _THIS_KEY).correlate(None).scalar_subquery()
_LAST_AND_KNOWN: Final = (
    select(events.c.seq, _KNOWN).where(_THIS_VISIT).order_by(events.c.seq.desc()).limit(1)
)
_LAST_PAUSE: Final = (
    select(events.c.kind)
    .where((events.c.kind == TrialPaused.kind) | (events.c.kind == TrialResumed.kind))
    .order_by(events.c.position.desc())
    .limit(1)
)
_INSERT_EVENT: Final = insert(events)


class Transaction:
    """One caller's view of the log while it writes; synchronous, and alone: nobody else writes meanwhile.

    What is read here is still true when it is committed. Use it only during the call it was given to.
    """

    def __init__(self, connection: Connection, clock: Clock, boot: str) -> None:
        self.connection, self._clock, self._boot = connection, clock, boot
        self.root_due = False

    def request_root(self) -> None:
        """Have the root of all events recorded with the commit."""
        self.root_due = True

    def now(self) -> datetime:
        """The instant by the log's clock."""
        return self._clock.now()

    def append(
        self, visit_id: str, event: Event, *, client_key: str | None = None, expected_seq: int | None = None
    ) -> StoredEvent:
        """Write an event as the visit's next, with all that follows from it.

        client_key    a key of the sender's; a known one gives the stored event back and writes nothing
        expected_seq  the visit's last seq as the caller knows it
        Raises        Conflict: the visit has moved on past expected_seq
        """
        this = {"this_visit": visit_id, "this_key": client_key}
        row = self.connection.execute(_LAST_AND_KNOWN, this).one_or_none()
        last, known_event = (0, None) if row is None else tuple(row)
        if known_event is not None:
            return stored_event(self.connection.execute(_BY_CLIENT_KEY, this).one(), replayed=True)
        if expected_seq is not None and expected_seq != last:
            raise Conflict(f"visit {visit_id} is at event {last}, not {expected_seq}")
        return self._write(visit_id, last + 1, event, client_key)

    def _write(self, visit_id: str, seq: int, event: Event, client_key: str | None) -> StoredEvent:
        facts: dict[str, Any] = {
            "event_id": uuid.uuid4().hex,
            "visit_id": visit_id,
            "seq": seq,
            "at": self._clock.now(),
            "monotonic_s": self._clock.monotonic_s(),
            "boot": self._boot,
            "client_key": client_key,
        }
        return self._put(facts, event)

    def _put(self, facts: dict[str, Any], event: Event) -> StoredEvent:
        event, payload = _written(event)
        row = {**facts, "kind": event.kind, "version": event.version, "payload": payload}
        row |= new_commitment(payload)
        position = self.connection.execute(_INSERT_EVENT, row).inserted_primary_key
        stored = StoredEvent(**facts, event=event, position=position[0] if position else 0)
        for statement, parameters in writes(stored):
            self.connection.execute(statement, parameters)
        self.root_due |= isinstance(event, VisitEnded)
        return stored

    def adopt(self, visit: Sequence[StoredEvent]) -> None:
        """Write a whole visit that went on elsewhere: its events as they are, at the times that they have."""
        self.root_due = True
        for event in visit:
            facts = {
                "event_id": event.event_id,
                "visit_id": event.visit_id,
                "seq": event.seq,
                "at": event.at,
                "monotonic_s": event.monotonic_s,
                "boot": event.boot,
                "client_key": event.client_key,
            }
            self._put(facts, event.event)

    def events(self, visit_id: str, after: int = 0) -> list[StoredEvent]:
        """A visit's events in order, those after seq `after`."""
        return events_of(self.connection, visit_id, after)

    def last_seq(self, visit_id: str) -> int:
        """The seq of a visit's last event; 0 when it has none."""
        return self.connection.execute(_LAST_SEQ, {"this_visit": visit_id}).scalar_one() or 0

    def allocation_counts(self, study: str, *, simulated: bool | None = None) -> list[tuple[str, int, int]]:
        """(system, running, completed) of every system that was ever allocated.

        simulated  count only visits that are, or are not, a program's
        """
        query = (
            select(dialogues.c.system, dialogues.c.status, func.count())
            .where(dialogues.c.study == study)
            .group_by(dialogues.c.system, dialogues.c.status)
        )
        if simulated is not None:
            query = query.where(dialogues.c.simulated == simulated)
        counts: dict[str, dict[str, int]] = {}
        for system, status, count in self.connection.execute(query):
            counts.setdefault(system, {})[status] = count
        return [(name, by.get("running", 0), by.get("completed", 0)) for name, by in sorted(counts.items())]

    def participant_counts(self, study: str, participant_id: str) -> dict[str, int]:
        """Number of dialogues of a participant with each system, over all visits."""
        mine = (dialogues.c.study == study) & (dialogues.c.participant_id == participant_id)
        # counted here: told to group, SQLite reads the index by systems, which is everybody's dialogues
        return Counter(self.connection.execute(select(dialogues.c.system).where(mine)).scalars())

    def answered_count(self, study: str, instrument: str, item: str, code: int, *, simulated: bool) -> int:
        """Number of participants, present or completed, who gave this answer."""
        is_present = (visits.c.status == "running") | (visits.c.outcome == "completed")
        query = (
            select(visits.c.participant_id, events.c.payload)
            .join(visits, visits.c.visit_id == events.c.visit_id)
            .where(events.c.kind == QuestionnaireAnswered.kind, visits.c.study == study, is_present)
            .where(visits.c.simulated == simulated)
        )
        return len(
            {
                person
                for person, payload in self.connection.execute(query)
                if payload["instrument"] == instrument
                for rating in payload["ratings"]
                if rating["item_id"] == item and rating["value"] == code
            }
        )

    def call_counts(
        self, study: str, *, caller: str | None = None, participant_id: str | None = None
    ) -> dict[str, int]:
        """Number of calls of each system: all, those of one caller, or those of one participant."""
        query = (
            select(dialogues.c.system, func.count())
            .select_from(calls)
            .join(dialogues, dialogues.c.dialogue_id == calls.c.dialogue_id)
            .where(calls.c.study == study, calls.c.kind == CallConnected.kind)
            .group_by(dialogues.c.system)
        )
        if caller is not None:
            query = query.where(calls.c.party == caller)
        if participant_id is not None:
            query = query.where(dialogues.c.participant_id == participant_id)
        return {row[0]: row[1] for row in self.connection.execute(query)}

    def used_tasks(self, study: str, participant_id: str) -> set[str]:
        """The tasks that a participant has already been given."""
        query = select(dialogues.c.task_id).where(
            dialogues.c.study == study,
            dialogues.c.participant_id == participant_id,
            dialogues.c.task_id.is_not(None),
        )
        return set(self.connection.execute(query).scalars())

    def plan_slots(
        self,
        study: str,
        assigned: type[Event],
        finished: type[Event],
        *,
        simulated: bool,
        since: datetime,
        name: str | None = None,
    ) -> set[int]:
        """Slots of a balanced plan that are taken: by who is at it since then, or finished well.

        assigned, finished  the events that take a slot and that say `accepted` at the end
        name                of the kind of step, where several kinds log these events
        """
        begins, ends = stored_kinds(assigned), stored_kinds(finished)
        earlier = earlier_kinds()
        query = (
            select(
                events.c.visit_id,
                events.c.kind,
                events.c.payload["slot"].as_integer(),
                events.c.payload["accepted"].as_boolean(),
                events.c.payload["name"].as_string(),
                visits.c.outcome,
                visits.c.last_at,
            )
            .join(visits, visits.c.visit_id == events.c.visit_id)
            .where(
                visits.c.study == study,
                visits.c.simulated == simulated,
                events.c.kind.in_([*begins, *ends]),
            )
        )
        slots: dict[str, int] = {}
        refused: set[str] = set()
        for visit_id, kind, slot, accepted, of_kind, outcome, last_at in self.connection.execute(query):
            has_left = outcome is None and last_at < since
            if name is not None and name != (earlier[kind][1] if kind in earlier else of_kind):
                continue
            if kind in ends:
                refused |= set() if accepted else {visit_id}
            elif not has_left and outcome in (None, "completed"):
                slots[visit_id] = slot
        return {slot for visit_id, slot in slots.items() if visit_id not in refused}

    def bouts(
        self, study: str, participant_id: str | None = None, *, simulated: bool | None = None
    ) -> Counter[tuple[str, str]]:
        """Number of bouts of each pair of systems in a study, left and right; all, or one participant's.

        simulated  count only bouts that were, or were not, before a program
        """
        sides = (bouts.c.left_system, bouts.c.right_system)
        if participant_id is not None:  # few: counted here, as in `participant_counts`
            mine = (bouts.c.study == study) & (bouts.c.participant_id == participant_id)
            return Counter(tuple(row) for row in self.connection.execute(select(*sides).where(mine)))
        query = select(*sides, func.count()).where(bouts.c.study == study).group_by(*sides)
        if simulated is not None:
            alike = (visits.c.study == study) & (visits.c.simulated == simulated)
            query = query.where(bouts.c.participant_id.in_(select(visits.c.participant_id).where(alike)))
        return Counter(
            {(left_system, right): met for left_system, right, met in self.connection.execute(query)}
        )

    def paused(self) -> bool:
        """True if the researcher or a stopping rule has paused the trial."""
        return self.connection.execute(_LAST_PAUSE).scalar_one_or_none() == TrialPaused.kind

    def reserve_code(self, code: str, dialogue_id: str, visit_id: str) -> bool:
        """Take an earned code for a dialogue, then append CodeIssued; False when the code is taken."""
        if self.find_code(code) is not None:
            return False
        row = {"code": code, "dialogue_id": dialogue_id, "visit_id": visit_id, "issued_at": self._clock.now()}
        self.connection.execute(insert(codes).values(row))
        return True

    def find_code(self, code: str) -> EarnedCode | None:
        row = self.connection.execute(select(codes).where(codes.c.code == code)).one_or_none()
        return EarnedCode(*row) if row else None

    def use_code(self, code: str) -> bool:
        """Mark a code as used; False when it is unknown or was used before. Append CodeEntered after it."""
        unused = update(codes).where(codes.c.code == code, codes.c.used_at.is_(None))
        return self.connection.execute(unused.values(used_at=self._clock.now())).rowcount == 1

    def visit_by_token(self, token_hash: str) -> VisitRecord | None:
        """The visit that a participant's token opens."""
        return self._linked(recruit_links.c.token_hash == token_hash)

    def visit_by_ticket(self, study: str, pool: str, ticket_hash: str) -> VisitRecord | None:
        """The visit that a recruiter's ticket has already opened."""
        links = recruit_links.c
        return self._linked(
            (links.study == study) & (links.pool == pool) & (links.ticket_hash == ticket_hash)
        )

    def _linked(self, condition: Any) -> VisitRecord | None:
        linked = select(visits).join(recruit_links, recruit_links.c.visit_id == visits.c.visit_id)
        row = self.connection.execute(linked.where(condition)).one_or_none()
        return VisitRecord(*row) if row else None

    def visits_of_participant(self, study: str, participant_id: str) -> list[VisitRecord]:
        """A participant's visits, in the order in which they were opened."""
        query = select(visits).where(visits.c.study == study, visits.c.participant_id == participant_id)
        return [VisitRecord(*row) for row in self.connection.execute(query.order_by(visits.c.position))]

    def participant_of(self, study: str, pool: str, person_key: str, pseudonym: str) -> str:
        """The pseudonym of a person known by a recruiter's key; where there is none yet, this one."""
        whose = (people.c.study == study) & (people.c.pool == pool) & (people.c.person_key == person_key)
        participant = self.connection.execute(
            select(people.c.participant_id).where(whose)
        ).scalar_one_or_none()
        if participant is None:
            row = {"study": study, "pool": pool, "person_key": person_key, "participant_id": pseudonym}
            self.connection.execute(insert(people).values(row))
        return participant or pseudonym

    def bind_visit(
        self,
        visit_id: str,
        study: str,
        participant_id: str,
        pool: str,
        token_hash: str,
        ticket_hash: str | None = None,
        key_hash: str | None = None,
    ) -> None:
        """Remember which token, ticket and page lead to a visit. Append VisitOpened in the same transaction.

        Raises  Conflict: the token or the ticket already leads somewhere
        """
        link = {
            "visit_id": visit_id,
            "study": study,
            "participant_id": participant_id,
            "pool": pool,
            "token_hash": token_hash,
            "ticket_hash": ticket_hash,
            "key_hash": key_hash,
        }
        try:
            with self.connection.begin_nested():
                self.connection.execute(insert(recruit_links).values(link))
        except IntegrityError:
            raise Conflict(f"visit {visit_id}: its token or ticket already belongs to a visit") from None

    def opened_by(self, visit_id: str, key_hash: str) -> bool:
        """True if a visit was opened with this key of a page."""
        link = select(recruit_links.c.key_hash).where(recruit_links.c.visit_id == visit_id)
        return self.connection.execute(link).scalar_one_or_none() == key_hash

    def replace_token(self, visit_id: str, token_hash: str) -> None:
        """Let a new token lead to a visit instead of the old one: a participant came back by ticket."""
        link = update(recruit_links).where(recruit_links.c.visit_id == visit_id)
        self.connection.execute(link.values(token_hash=token_hash))

    def leave_sign(self) -> None:
        """Write that this process is alive: to see whether the log can be written."""
        sign = {"last_at": self._clock.now()}
        updated = self.connection.execute(update(runs).where(runs.c.boot == self._boot).values(sign)).rowcount
        if not updated:
            self.connection.execute(insert(runs).values(boot=self._boot, batch=0, **sign))

    def record_study(
        self, study: str, revision: str, file: str, entities: list[dict[str, str]] | None = None
    ) -> None:
        """Keep a study file as it is served, with its domain's entities (rows of the dataset's table)."""
        revision_query = select(studies.c.study).where(
            studies.c.study == study, studies.c.revision == revision
        )
        if self.connection.execute(revision_query).one_or_none() is None:
            row = {"study": study, "revision": revision, "file": file, "entities": entities}
            with recorded(self, STUDIES, studies.c.study == study):
                self.connection.execute(insert(studies).values(seen_at=self._clock.now(), **row))


def _written(event: Event) -> tuple[Event, str]:
    """An event and its JSON; half characters are mended first, which is tried only where there are some."""
    try:
        return event, event.model_dump_json()
    except PydanticSerializationError:
        mended = type(event).model_validate(well_formed(event.model_dump()))
        return mended, mended.model_dump_json()


def events_of(connection: Connection, visit_id: str, after: int = 0) -> list[StoredEvent]:
    query = select(events).where(events.c.visit_id == visit_id, events.c.seq > after).order_by(events.c.seq)
    return [stored_event(row) for row in connection.execute(query)]
