"""Recruitment by a private panel that shows the study in a frame, as Mechanical Turk's ExternalQuestion did.

The panel opens the study with `assignmentId`, `hitId`, `workerId` and `turkSubmitTo`; at the end a form is
posted back to it. Nothing of that is signed: an arrival is a claim, which opens one visit for one browser.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from sqlalchemy import ColumnElement, insert, select

from vivavoce.core.validation import mistake
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import recruit_links
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted, Recruiter
from vivavoce.study.settings import Settings
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment import tables
from vivavoce_recruitment.settings import HttpsAddress


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
        row = {
            "study": self.study,
            "ticket_hash": key,
            "assignment": assignment,
            "panel": panel,
            "came_at": self.log.clock.now(),
        }
        same = self._is(key)

        def write(tx: Transaction) -> None:
            if tx.connection.execute(select(tables.assignments).where(same)).first() is None:
                tx.connection.execute(insert(tables.assignments).values(row))

        self.log.transact_now(write)

    def of_visit(self, visit_id: str) -> Assignment | None:
        """The assignment that a visit answers; None: there is none, or it was erased."""
        query = select(recruit_links.c.ticket_hash).where(recruit_links.c.visit_id == visit_id)
        with self.log.reading() as connection:
            ticket_hash = connection.execute(query).scalar_one_or_none()
            query_assignment = select(tables.assignments).where(self._is(ticket_hash))
            row = connection.execute(query_assignment).first() if ticket_hash is not None else None
        return Assignment(row.assignment, row.panel) if row is not None else None

    def _is(self, ticket_hash: str | None) -> ColumnElement[bool]:
        return (tables.assignments.c.study == self.study) & (tables.assignments.c.ticket_hash == ticket_hash)


PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
LONGEST: Final = 200


def _origin(written: str) -> str:
    if urlsplit(written).path:
        raise mistake(f"{written!r} is not a bare origin", "write https://HOST, without a path")
    return written


def _path(written: str) -> str:
    if not written.startswith("/") or written.startswith("//"):
        raise mistake(
            f"{written!r} is not a path", "start with a single slash, such as /mturk/externalSubmit"
        )
    return written


class PanelSettings(Settings):
    """A panel whose pages show the study in a frame."""

    origins: list[Annotated[HttpsAddress, AfterValidator(_origin)]] = Field(
        min_length=1,
        description="origin of the panel whose pages embed the study, such as https://panel.example",
    )
    submit: Annotated[str, AfterValidator(_path)] = Field(
        "/mturk/externalSubmit", description="path at the panel that receives the form at the end"
    )
    title: str = Field(
        "Panel", min_length=1, max_length=60, description="display name of the panel for participants"
    )


class Panel(Recruiter):
    """Panel recruiter. A preview of a task shows what it is about, and begins nothing."""

    name = "panel"
    settings = PanelSettings
    summary = "a private panel that embeds the study, with the ExternalQuestion protocol"

    def framed_by(self, settings: PanelSettings) -> Sequence[str]:
        return settings.origins

    def claims(self, settings: PanelSettings, query: Mapping[str, str]) -> bool:
        return "assignmentId" in query

    def previews(self, settings: PanelSettings, query: Mapping[str, str]) -> bool:
        return query.get("assignmentId") == PREVIEW

    def admit(self, settings: PanelSettings, study: str, log: Log, query: Mapping[str, str]) -> Admission:
        if self.previews(settings, query):
            raise NotAdmitted("preview")
        assignment, worker = query.get("assignmentId", ""), query.get("workerId", "")
        panel = query.get("turkSubmitTo", "").rstrip("/")
        valid = all(
            identifier.isprintable() and 0 < len(identifier) <= LONGEST for identifier in (assignment, worker)
        )
        if not valid or panel not in settings.origins:  # else the answer would go to whoever wrote the link
            raise NotAdmitted("not_proven")
        Assignments(log, study).note(assignment, panel)
        return Admission(assignment, worker, once=True)

    def hand_back(
        self, settings: PanelSettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack(code)

    def hand_back_visit(
        self,
        settings: PanelSettings,
        study: str,
        log: Log,
        visit_id: str,
        outcome: str | None,
        code: str | None,
    ) -> HandBack:
        task = Assignments(log, study).of_visit(visit_id)
        if task is None or task.panel not in settings.origins:
            return HandBack(code)
        fields = {"assignmentId": task.assignment, "outcome": outcome or "", "code": code or ""}
        return HandBack(code, f"{task.panel}{settings.submit}", settings.title, fields)
