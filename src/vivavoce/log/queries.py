"""Reading the log from outside a transaction: for the dashboard, the export and the curious."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, select
from sqlalchemy.exc import DBAPIError

from vivavoce.core.errors import LogError
from vivavoce.log.engine import first_line, shown
from vivavoce.log.events import TRIAL
from vivavoce.log.history import DialogueHistory, VisitHistory, fold
from vivavoce.log.merkle_tree import short_fingerprint
from vivavoce.log.models import (
    PEOPLE,
    SIMULATED,
    Collected,
    DialogueRecord,
    Recording,
    Scope,
    StoredEvent,
    StudyRecord,
    VisitRecord,
    logged_study,
    scope_of,
    stored_event,
    team_study,
    usual_scope,
)
from vivavoce.log.tables import dialogues, events, recordings, recruit_links, roots, studies, visits
from vivavoce.log.transaction import events_of


class Reader:
    """Reads of what is committed. Each call is a snapshot of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one snapshot and may not write.

        Raises  LogError: the database cannot be read; its server may be back in a moment
        """
        options = {"isolation_level": "REPEATABLE READ"} if self._engine.dialect.name == "postgresql" else {}
        try:
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        except DBAPIError as error:
            problem = f"cannot read the log: {first_line(error)}"
            raise LogError(f"{shown(self._engine.url)}: {problem}") from error

    def _all(self, query: Select[Any], record: type[Any]) -> list[Any]:
        with self.reading() as connection:
            return [record(*row) for row in connection.execute(query)]

    def events(self, visit_id: str, after: int = 0) -> list[StoredEvent]:
        """A visit's events in order, those after seq `after`."""
        with self.reading() as connection:
            return events_of(connection, visit_id, after)

    def trial_events(self, after: int = 0) -> list[StoredEvent]:
        """The events that concern no single visit."""
        return self.events(TRIAL, after)

    def all_events(self, after: int = 0) -> Iterator[StoredEvent]:
        """Every event of the log in the order of commit, those after position `after`; one snapshot."""
        query = select(events).where(events.c.position > after).order_by(events.c.position)
        with self.reading() as connection:
            for row in connection.execution_options(yield_per=1000).execute(query):
                yield stored_event(row)

    def study_records(self, study: str) -> list[StudyRecord]:
        """The revisions of a study as they were served, oldest first."""
        return self._all(
            select(studies).where(studies.c.study == study).order_by(studies.c.seen_at), StudyRecord
        )

    def visit(self, visit_id: str) -> VisitRecord | None:
        visit_records = self._all(select(visits).where(visits.c.visit_id == visit_id), VisitRecord)
        return visit_records[0] if visit_records else None

    def fingerprint(self, visit_id: str) -> str | None:
        """Fingerprint of the first root over all events of a visit; None: not all are under one."""
        last = select(func.max(events.c.position)).where(events.c.visit_id == visit_id).scalar_subquery()
        query = select(roots.c.root).where(roots.c.last >= last).order_by(roots.c.size).limit(1)
        with self.reading() as connection:
            root = connection.execute(query).scalar_one_or_none()
        return None if root is None else short_fingerprint(root)

    def visit_by_token(self, study: str, token_hash: str) -> str | None:
        """The visit that a token opens: a participant's, or one by which the team tried the study out."""
        links = recruit_links.c
        ours = links.study.in_([study, team_study(study)])
        query = select(links.visit_id).where(ours, links.token_hash == token_hash)
        with self.reading() as connection:
            return connection.execute(query).scalar_one_or_none()

    def idle_visits(self, study: str, before: datetime) -> list[str]:
        """Visits with a running dialogue in which nothing happened since `before`, the team's as well."""
        ours = visits.c.study.in_([study, team_study(study)])
        query = (
            select(visits.c.visit_id)
            .join(dialogues, dialogues.c.visit_id == visits.c.visit_id)
            .where(ours, dialogues.c.status == "running", visits.c.last_at < before)
        )
        with self.reading() as connection:
            return list(connection.execute(query.distinct()).scalars())

    def visits(self, study: str, *, running: bool | None = None) -> list[VisitRecord]:
        """A study's visits in the order in which they were opened; all, or only those (not) running."""
        query = select(visits).where(visits.c.study == study)
        if running is not None:
            query = query.where((visits.c.status == "running") == running)
        return self._all(query.order_by(visits.c.position), VisitRecord)

    def visits_by_scope(self, study: str) -> dict[Scope, int]:
        """Number of a study's visits by people, and by programs."""
        counted = select(visits.c.simulated, func.count()).where(visits.c.study == study)
        with self.reading() as connection:
            by_scope = {bool(flag): n for flag, n in connection.execute(counted.group_by(visits.c.simulated))}
        return {PEOPLE: by_scope.get(False, 0), SIMULATED: by_scope.get(True, 0)}

    def collected(self, study: str) -> dict[Scope, Collected]:
        """Holdings of a study, of people and of programs; zero where nobody came."""
        opened = select(visits.c.simulated, func.count(), func.min(visits.c.opened_at))
        held_dialogues = select(dialogues.c.simulated, func.count()).where(
            dialogues.c.study == study, dialogues.c.started_at.is_not(None)
        )
        with self.reading() as connection:
            began = {
                bool(flag): n
                for flag, n in connection.execute(held_dialogues.group_by(dialogues.c.simulated))
            }
            openings = connection.execute(opened.where(visits.c.study == study).group_by(visits.c.simulated))
            by_scope: dict[Scope, Collected] = {
                scope_of(simulated=flag): Collected(n, began.get(bool(flag), 0), since)
                for flag, n, since in openings
            }
        return {PEOPLE: Collected(), SIMULATED: Collected(), **by_scope}

    def usual_scope(self, study: str) -> Scope:
        """Default scope of visits: people as soon as there is one."""
        return usual_scope(**self.visits_by_scope(study))

    def dialogue(self, dialogue_id: str) -> DialogueRecord | None:
        dialogue_records = self._all(
            select(dialogues).where(dialogues.c.dialogue_id == dialogue_id), DialogueRecord
        )
        return dialogue_records[0] if dialogue_records else None

    def dialogues(
        self, study: str, *, system: str | None = None, scope: Scope | None = None
    ) -> list[DialogueRecord]:
        """A study's dialogues in the order of their assignment; all of participants, or only those."""
        query = select(dialogues).where(dialogues.c.study == logged_study(study, scope))
        if scope is not None:
            query = query.where(dialogues.c.simulated == (scope == SIMULATED))
        if system is not None:
            query = query.where(dialogues.c.system == system)
        return self._all(query.order_by(dialogues.c.position), DialogueRecord)

    def recordings(
        self, study: str | None = None, *, visit_id: str | None = None, dialogue_id: str | None = None
    ) -> list[Recording]:
        """Recordings in the order in which they were stored, removed ones included; all, or only some."""
        query = select(recordings).order_by(recordings.c.position)
        filters = {"study": study, "visit_id": visit_id, "dialogue_id": dialogue_id}
        for column, value in filters.items():
            if value is not None:
                query = query.where(recordings.c[column] == value)
        return self._all(query, Recording)

    def user_turns_by_system(self, study: str) -> dict[str, int]:
        """Number of user turns ever sent to each system of a study."""
        turns = select(dialogues.c.system, func.sum(dialogues.c.user_turns)).where(dialogues.c.study == study)
        with self.reading() as connection:
            return {
                system: int(sent) for system, sent in connection.execute(turns.group_by(dialogues.c.system))
            }

    def history(self, visit_id: str) -> VisitHistory:
        """History of a visit."""
        return fold(self.events(visit_id))

    def dialogue_history(self, dialogue_id: str) -> DialogueHistory | None:
        """History of a dialogue; None where it was never assigned."""
        state = self.dialogue(dialogue_id)
        return self.history(state.visit_id).dialogue_by_id(dialogue_id) if state is not None else None
