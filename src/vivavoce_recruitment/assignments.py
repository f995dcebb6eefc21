"""Which assignment of a panel each visit answers, and where its form goes at the end."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, insert, select

from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import recruit_links
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment import tables


class Assignment(NamedTuple):
    """One, by the panel's own key; panel: the origin to which the form is posted."""

    assignment: str
    panel: str


class Assignments:
    """The assignments of one study with which people came."""

    def __init__(self, log: Log, study: str) -> None:
        self.log, self.study = log, study
        log.bring_tables(tables.SCHEMA)

    def note(self, assignment: str, panel: str) -> None:
        """Remember an assignment; one that is known stays as it came first."""
        key = token_hash(assignment)
        row = {"study": self.study, "ticket_hash": key, "assignment": assignment, "panel": panel,
               "came_at": self.log.clock.now()}  # fmt: skip
        same = self._is(key)

        def write(tx: Transaction) -> None:
            if tx.connection.execute(select(tables.assignments).where(same)).first() is None:
                tx.connection.execute(insert(tables.assignments).values(row))

        self.log.transact_now(write)

    def of_visit(self, visit_id: str) -> Assignment | None:
        """The assignment that a visit answers; None: there is none, or it was erased."""
        came = select(recruit_links.c.ticket_hash).where(recruit_links.c.visit_id == visit_id)
        with self.log.reading() as connection:
            ticket_hash = connection.execute(came).scalar_one_or_none()
            wanted = select(tables.assignments).where(self._is(ticket_hash))
            row = connection.execute(wanted).first() if ticket_hash is not None else None
        return Assignment(row.assignment, row.panel) if row is not None else None

    def _is(self, ticket_hash: str | None) -> ColumnElement[bool]:
        return (tables.assignments.c.study == self.study) & (tables.assignments.c.ticket_hash == ticket_hash)
