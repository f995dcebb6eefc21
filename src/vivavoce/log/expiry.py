"""Personal data that may leave the log by the study's retention rules, and its deletion.

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
from vivavoce.log.events import TRIAL, PartExpired, QuestionnaireAnswered, ResponseGiven, stored_kinds
from vivavoce.log.follow_ups import forget_invited, invited_people
from vivavoce.log.merkle_tree import replace_payload
from vivavoce.log.models import VisitRecord
from vivavoce.log.package_tables import PackageTables, erase_beside, present_tables
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import dialogues, events, people, recruit_links, visits
from vivavoce.study.retention import Part

ERASED: Final = "erased-"
_PARTS: Final[tuple[Part, ...]] = ("identifiers", "free_text", "visits")
Days = Mapping[Part, int]


@dataclass(frozen=True)
class DuePart:
    """Part of one participant's data that may be deleted.

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
    """Data of people that analyses have now, and after deletion of everything that is due.

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
    """Parts that may be deleted now, by participant in order of arrival; of visits that go, nothing else.

    Input   days: by what a rule is about; idle: a visit left for so long cannot be taken up again
    """
    now, beside = log.clock.now(), present_tables(log)
    due_parts: list[DuePart] = []
    with log.reading() as connection:
        answers = _answers(connection, study)
        for who, person_visits in _people(log, study).items():
            begun_at = max(visit.opened_at for visit in person_visits)
            past: list[Part] = [
                part for part in _PARTS if part in days and begun_at + timedelta(days=days[part]) <= now
            ]
            if not past or not _over(person_visits, now, idle):
                continue
            pieces: dict[Part, int] = {
                "identifiers": _identifiers(connection, who, person_visits),
                "visits": len(person_visits),
                "free_text": sum(answers.get(who, {}).values()),
            }
            for part in past if "visits" not in past else ("visits",):
                waits = _waits(connection, beside, study, who) if part != "free_text" else ()
                if pieces[part]:
                    due_parts.append(DuePart(part, who, begun_at, pieces[part], waits))
    return [*due_parts, *_never_came(log, study, days)]


def _never_came(log: Log, study: str, days: Days) -> list[DuePart]:
    """Links of people invited after an earlier session who did not come; counted from its end."""
    if "identifiers" not in days:
        return []
    visitors, oldest = _people(log, study), log.clock.now() - timedelta(days=days["identifiers"])
    return [
        DuePart("identifiers", invited_person.participant_id, invited_person.completed_at, leading)
        for invited_person in invited_people(log, study)
        if (leading := invited_person.linked + (invited_person.person_key is not None))
        and not invited_person.simulated
        and invited_person.participant_id not in visitors
        and invited_person.completed_at <= oldest
    ]


def losses(log: Log, study: str, due: Sequence[DuePart]) -> Loss:
    """Loss for analyses of people when everything goes that is due and need not wait."""
    going = [part for part in due if not part.waits]
    gone = {part.participant_id for part in going if part.part == "visits"}
    silent = gone | {part.participant_id for part in going if part.part == "free_text"}
    people_visits = _people(log, study)
    query = (
        select(dialogues.c.system, dialogues.c.participant_id, func.count())
        .where(dialogues.c.study == study, ~dialogues.c.simulated, dialogues.c.started_at.is_not(None))
        .group_by(dialogues.c.system, dialogues.c.participant_id)
    )
    counts, remaining = dict[str, int](), dict[str, int]()
    answers, answers_left = dict[str, int](), dict[str, int]()
    with log.reading() as connection:
        for system, participant_id, number in connection.execute(query):
            counts[system] = counts.get(system, 0) + number
            remaining[system] = remaining.get(system, 0) + (0 if participant_id in gone else number)
        for participant_id, items in _answers(connection, study).items():
            for item, number in items.items():
                answers[item] = answers.get(item, 0) + number
                answers_left[item] = answers_left.get(item, 0) + (0 if participant_id in silent else number)
    return Loss(
        len(people_visits), len(people_visits.keys() - gone), counts, remaining, answers, answers_left
    )


class _TakesPart(Exception):
    """The person has come again since their data were due."""


def expire_due(log: Log, study: str, days: Days, idle: timedelta, *, by: str) -> list[DuePart]:
    """Erase what is due, each participant in a transaction of their own; what went.

    Note    killed in between, the rest is still due; who comes again meanwhile keeps what they have
    """
    gone: list[DuePart] = []
    beside = present_tables(log)
    for part in find_due(log, study, days, idle):
        if part.waits:
            continue
        try:
            _expire(log, study, part, days, idle, by, beside)
        except _TakesPart:
            continue
        gone.append(part)
    if any(part.part != "visits" for part in gone):
        log.forget_deleted()
    return gone


def _expire(
    log: Log,
    study: str,
    due_part: DuePart,
    days: Days,
    idle: timedelta,
    by: str,
    beside: Sequence[PackageTables],
) -> None:
    who, part = due_part.participant_id, due_part.part

    def check(tx: Transaction) -> None:
        person_visits = tx.visits_of_participant(study, who)
        latest = max((visit.opened_at for visit in person_visits), default=due_part.begun_at)
        if latest > due_part.begun_at or not _over(person_visits, log.clock.now(), idle):
            raise _TakesPart

    def write(tx: Transaction) -> None:
        check(tx)
        if tx.connection.dialect.name == "sqlite":
            tx.connection.execute(text("PRAGMA secure_delete=ON"))
        facts: dict[str, Any] = {"study": study, "participant_id": who, "days": days[part]}
        if part == "identifiers":
            facts["kept"] = _erase_identifiers(tx, study, who, beside)
        else:
            facts["commitments"] = _erase_answers(tx.connection, study, who)
        tx.append(TRIAL, PartExpired(**facts, part=part, pieces=due_part.pieces, by=by))

    if part == "visits":
        erase_participant(log, study, who, by=by, reason="retention", check=check)
    else:
        log.transact_now(write)


def _people(log: Log, study: str) -> dict[str, list[VisitRecord]]:
    by_person: dict[str, list[VisitRecord]] = {}
    for visit in log.visits(study):
        if not visit.simulated:
            by_person.setdefault(visit.participant_id, []).append(visit)
    return by_person


def _over(visits: Sequence[VisitRecord], now: datetime, idle: timedelta) -> bool:
    return all(visit.status == "ended" or visit.last_at + idle <= now for visit in visits)


def _waits(
    connection: Connection, beside: Sequence[PackageTables], study: str, participant_id: str
) -> tuple[str, ...]:
    whose = known_as(connection, study, participant_id)
    return tuple(
        sentence
        for eraser in beside
        if eraser.open_business
        for sentence in eraser.open_business(connection, whose)
    )


def _identifiers(connection: Connection, participant_id: str, visits: Sequence[VisitRecord]) -> int:
    """Identifiers of a person, and links that lead to their visits."""
    whose = select(func.count()).select_from(people).where(people.c.participant_id == participant_id)
    theirs = recruit_links.c.visit_id.in_([visit.visit_id for visit in visits])
    leading = ~recruit_links.c.token_hash.startswith(ERASED)
    links = select(func.count()).select_from(recruit_links).where(theirs, leading)
    return connection.execute(whose).scalar_one() + connection.execute(links).scalar_one()


def _erase_identifiers(
    tx: Transaction, study: str, participant_id: str, beside: Sequence[PackageTables]
) -> list[str]:
    connection = tx.connection
    whose = known_as(connection, study, participant_id)
    sentences = erase_beside(tx, beside, whose)
    connection.execute(delete(people).where(people.c.participant_id == participant_id))
    forget_invited(connection, study, participant_id, wholly=False)
    for visit_id in whose.visits:
        nobody = {"token_hash": f"{ERASED}{uuid4().hex}", "ticket_hash": None, "key_hash": None}
        this = update(recruit_links).where(recruit_links.c.visit_id == visit_id)
        connection.execute(this.values(nobody))
    return sentences


def _answers(connection: Connection, study: str) -> dict[str, dict[str, int]]:
    """Number of free answers to each question, by participant."""
    query = _answering(study).where(~visits.c.simulated)
    answers: dict[str, dict[str, int]] = {}
    for row in connection.execute(query):
        for rating in _ratings(row.payload):
            if _is_free(rating):
                item_counts = answers.setdefault(row.participant_id, {})
                item_counts[rating["item_id"]] = item_counts.get(rating["item_id"], 0) + 1
    return answers


def _answering(study: str) -> Any:
    kinds = sorted({QuestionnaireAnswered.kind, *stored_kinds(ResponseGiven)})
    return (
        select(events.c.position, events.c.payload, visits.c.participant_id)
        .join(visits, visits.c.visit_id == events.c.visit_id)
        .where(events.c.kind.in_(kinds), visits.c.study == study)
        .order_by(events.c.position)
    )


def _erase_answers(connection: Connection, study: str, participant_id: str) -> dict[int, str]:
    """Erase free answers; new commitments of the events that they were in, by position."""
    query, commitments = _answering(study).where(visits.c.participant_id == participant_id), dict[int, str]()
    for row in connection.execute(query).all():
        free = [rating for rating in _ratings(row.payload) if _is_free(rating)]
        for text_rating in free:
            text_rating["answer"] = None
        if free:
            commitments[row.position] = replace_payload(connection, row.position, row.payload)
    return commitments


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
