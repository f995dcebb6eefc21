"""What of people may leave the log by the study's rules of retention, and its going.

The days of a rule are counted from when somebody's last visit began. Nothing goes of who takes part now, or
may still take a visit up; so all this may be done while the study is served. Programs are no people: nothing
of theirs is ever due.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Connection, delete, func, select, text, update

from vivavoce.log.erasure import erase_participant, known_as
from vivavoce.log.events import TRIAL, PartExpired, QuestionnaireAnswered
from vivavoce.log.follow_ups import forget_invited, invited_people
from vivavoce.log.hash_chain import chain_anew
from vivavoce.log.models import VisitRecord
from vivavoce.log.package_tables import PackageTables, present_tables
from vivavoce.log.stimulus_events import ResponseGiven, stored_kinds
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import dialogues, events, people, recruit_links, visits
from vivavoce.study.retention import Part

ERASED: Final = "erased-"
_PARTS: Final[tuple[Part, ...]] = ("identifiers", "free_text", "visits")
Days = Mapping[Part, int]


@dataclass(frozen=True)
class DuePart:
    """What may go of one participant.

    begun_at  when their last visit began
    pieces    identifiers and tickets, answers, or visits
    waits     why it stays for now all the same; none: it may go
    """

    part: Part
    participant_id: str
    begun_at: datetime
    pieces: int
    waits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Loss:
    """What analyses have now of people, and what they have once all that is due is gone.

    participants, left          how many there are, and stay
    dialogues, dialogues_left   by system, those that began
    answers, answers_left       what was written freely, by question
    """

    participants: int
    left: int
    dialogues: dict[str, int]
    dialogues_left: dict[str, int]
    answers: dict[str, int]
    answers_left: dict[str, int]


def find_due(log: Log, study: str, days: Days, idle: timedelta) -> list[DuePart]:
    """What may go now, by participant in the order in which they came; of visits that go, nothing else.

    Input   days: by what a rule is about; idle: a visit left for so long cannot be taken up again
    """
    now, beside = log.clock.now(), present_tables(log)
    due_parts: list[DuePart] = []
    with log.reading() as connection:
        answers = _answers(connection, study)
        for who, own in _people(log, study).items():
            begun_at = max(one.opened_at for one in own)
            past: list[Part] = [
                part for part in _PARTS if part in days and begun_at + timedelta(days=days[part]) <= now
            ]
            if not past or not _over(own, now, idle):
                continue
            pieces: dict[Part, int] = {
                "identifiers": _identifiers(connection, who, own),
                "visits": len(own),
                "free_text": sum(answers.get(who, {}).values()),
            }
            for part in past if "visits" not in past else ("visits",):
                waits = _waits(connection, beside, study, who) if part != "free_text" else ()
                if pieces[part]:
                    due_parts.append(DuePart(part, who, begun_at, pieces[part], waits))
    return [*due_parts, *_never_came(log, study, days)]


def _never_came(log: Log, study: str, days: Days) -> list[DuePart]:
    """What leads to people who were to come after an earlier session and did not; counted from its end."""
    if "identifiers" not in days:
        return []
    came, oldest = _people(log, study), log.clock.now() - timedelta(days=days["identifiers"])
    return [
        DuePart("identifiers", invited_person.participant_id, invited_person.completed_at, leading)
        for invited_person in invited_people(log, study)
        if (leading := invited_person.linked + (invited_person.person_key is not None))
        and not invited_person.simulated
        and invited_person.participant_id not in came
        and invited_person.completed_at <= oldest
    ]


def losses(log: Log, study: str, due: Sequence[DuePart]) -> Loss:
    """What analyses of people lose when what is due, and need not wait, goes."""
    going = [one for one in due if not one.waits]
    gone = {one.participant_id for one in going if one.part == "visits"}
    silent = gone | {one.participant_id for one in going if one.part == "free_text"}
    known = _people(log, study)
    wanted = (
        select(dialogues.c.system, dialogues.c.participant_id, func.count())
        .where(dialogues.c.study == study, ~dialogues.c.simulated, dialogues.c.started_at.is_not(None))
        .group_by(dialogues.c.system, dialogues.c.participant_id)
    )
    held, left = dict[str, int](), dict[str, int]()
    answers, answers_left = dict[str, int](), dict[str, int]()
    with log.reading() as connection:
        for system, participant_id, number in connection.execute(wanted):
            held[system] = held.get(system, 0) + number
            left[system] = left.get(system, 0) + (0 if participant_id in gone else number)
        for participant_id, items in _answers(connection, study).items():
            for item, number in items.items():
                answers[item] = answers.get(item, 0) + number
                answers_left[item] = answers_left.get(item, 0) + (0 if participant_id in silent else number)
    return Loss(len(known), len(known.keys() - gone), held, left, answers, answers_left)


class _TakesPart(Exception):
    """Somebody has come again since they were found due."""


def expire_due(log: Log, study: str, days: Days, idle: timedelta, *, by: str) -> list[DuePart]:
    """Erase what is due, each participant in a transaction of their own; what went.

    Note    killed in between, the rest is still due; who comes again meanwhile keeps what they have
    """
    gone: list[DuePart] = []
    beside = present_tables(log)
    for one in find_due(log, study, days, idle):
        if one.waits:
            continue
        try:
            _expire(log, study, one, days, idle, by, beside)
        except _TakesPart:
            continue
        gone.append(one)
    if any(one.part != "visits" for one in gone):
        log.forget_deleted()
    return gone


def _expire(
    log: Log, study: str, one: DuePart, days: Days, idle: timedelta, by: str, beside: Sequence[PackageTables]
) -> None:
    who, part = one.participant_id, one.part

    def check(tx: Transaction) -> None:
        own = tx.visits_of_participant(study, who)
        latest = max((visit.opened_at for visit in own), default=one.begun_at)
        if latest > one.begun_at or not _over(own, log.clock.now(), idle):
            raise _TakesPart

    def write(tx: Transaction) -> None:
        check(tx)
        if tx.connection.dialect.name == "sqlite":
            tx.connection.execute(text("PRAGMA secure_delete=ON"))
        kept: list[str] = []
        if part == "identifiers":
            kept = _erase_identifiers(tx.connection, study, who, beside)
        else:
            _erase_answers(tx.connection, study, who)
        facts = {"study": study, "participant_id": who, "days": days[part], "pieces": one.pieces}
        tx.append(TRIAL, PartExpired(**facts, part=part, by=by, kept=kept))

    if part == "visits":
        erase_participant(log, study, who, by=by, reason="retention", check=check)
    else:
        log.transact_now(write)


def _people(log: Log, study: str) -> dict[str, list[VisitRecord]]:
    found: dict[str, list[VisitRecord]] = {}
    for visit in log.visits(study):
        if not visit.simulated:
            found.setdefault(visit.participant_id, []).append(visit)
    return found


def _over(own: Sequence[VisitRecord], now: datetime, idle: timedelta) -> bool:
    return all(one.status == "ended" or one.last_at + idle <= now for one in own)


def _waits(
    connection: Connection, beside: Sequence[PackageTables], study: str, participant_id: str
) -> tuple[str, ...]:
    whose = known_as(connection, study, participant_id)
    return tuple(
        sentence for one in beside if one.open_business for sentence in one.open_business(connection, whose)
    )


def _identifiers(connection: Connection, participant_id: str, own: Sequence[VisitRecord]) -> int:
    """Identifiers of a person, and links that lead to their visits."""
    whose = select(func.count()).select_from(people).where(people.c.participant_id == participant_id)
    theirs = recruit_links.c.visit_id.in_([one.visit_id for one in own])
    leading = ~recruit_links.c.token_hash.startswith(ERASED)
    links = select(func.count()).select_from(recruit_links).where(theirs, leading)
    return connection.execute(whose).scalar_one() + connection.execute(links).scalar_one()


def _erase_identifiers(
    connection: Connection, study: str, participant_id: str, beside: Sequence[PackageTables]
) -> list[str]:
    whose = known_as(connection, study, participant_id)
    kept = [sentence for one in beside for sentence in one.erase(connection, whose)]
    connection.execute(delete(people).where(people.c.participant_id == participant_id))
    forget_invited(connection, study, participant_id, wholly=False)
    for visit_id in whose.visits:
        nobody = {"token_hash": f"{ERASED}{uuid4().hex}", "ticket_hash": None, "key_hash": None}
        this = update(recruit_links).where(recruit_links.c.visit_id == visit_id)
        connection.execute(this.values(nobody))
    return kept


def _answers(connection: Connection, study: str) -> dict[str, dict[str, int]]:
    """How many answers people wrote freely to each question, by participant."""
    wanted = _answering(study).where(~visits.c.simulated)
    found: dict[str, dict[str, int]] = {}
    for row in connection.execute(wanted):
        for rating in _ratings(row.payload):
            if _is_free(rating):
                own = found.setdefault(row.participant_id, {})
                own[rating["item_id"]] = own.get(rating["item_id"], 0) + 1
    return found


def _answering(study: str) -> Any:
    kinds = sorted({QuestionnaireAnswered.kind, *stored_kinds(ResponseGiven)})
    return (
        select(events.c.position, events.c.visit_id, events.c.seq, events.c.payload, visits.c.participant_id)
        .join(visits, visits.c.visit_id == events.c.visit_id)
        .where(events.c.kind.in_(kinds), visits.c.study == study)
        .order_by(events.c.position)
    )


def _erase_answers(connection: Connection, study: str, participant_id: str) -> None:
    wanted, touched = _answering(study).where(visits.c.participant_id == participant_id), dict[str, int]()
    for row in connection.execute(wanted).all():
        free = [rating for rating in _ratings(row.payload) if _is_free(rating)]
        for one in free:
            one["answer"] = None
        if free:
            this = update(events).where(events.c.position == row.position)
            connection.execute(this.values(payload=row.payload))
            touched.setdefault(row.visit_id, row.seq)
    for stream, first in touched.items():
        chain_anew(connection, stream, first)


def _ratings(payload: Any) -> list[dict[str, Any]]:
    """The answers of a form or response, wherever its step keeps them."""
    if isinstance(payload, list):
        return [rating for part in payload for rating in _ratings(part)]
    if not isinstance(payload, dict):
        return []
    if {"item_id", "value", "answer"} <= payload.keys():
        return [payload]
    return [rating for part in payload.values() for rating in _ratings(part)]


def _is_free(rating: Mapping[str, Any]) -> bool:
    return rating["value"] is None and rating["answer"] is not None
