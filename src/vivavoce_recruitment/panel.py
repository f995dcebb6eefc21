"""Recruitment by a private panel that shows the study in a frame, as Mechanical Turk's ExternalQuestion did.

The panel opens the study with `assignmentId`, `hitId`, `workerId` and `turkSubmitTo`; at the end a form is
posted back to it. Nothing of that is signed: an arrival is a claim, which opens one visit for one browser.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from vivavoce.core.validation import mistake
from vivavoce.log.store import Log
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted, Recruiter
from vivavoce.study.settings import Settings
from vivavoce_recruitment.assignments import Assignments
from vivavoce_recruitment.settings import HttpsAddress

PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
LONGEST: Final = 200


def _origin(written: str) -> str:
    if urlsplit(written).path:
        raise mistake(f"{written!r} is more than an origin", "write https://HOST, without a path")
    return written


def _path(written: str) -> str:
    if not written.startswith("/") or written.startswith("//"):
        raise mistake(f"{written!r} is no path", "begin with one slash, such as /mturk/externalSubmit")
    return written


class PanelSettings(Settings):
    """A panel whose pages show the study in a frame."""

    origins: list[Annotated[HttpsAddress, AfterValidator(_origin)]] = Field(
        min_length=1, description="whose pages may show the study in a frame, such as https://panel.example"
    )
    submit: Annotated[str, AfterValidator(_path)] = Field(
        "/mturk/externalSubmit", description="path at the panel to which the form is posted at the end"
    )
    title: str = Field("Panel", min_length=1, max_length=60, description="what participants call the panel")


class Panel(Recruiter):
    """Whoever previews a task sees what it is about, and begins nothing."""

    name = "panel"
    settings = PanelSettings
    summary = "a private panel that shows the study in a frame, by the protocol of ExternalQuestion"

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
        known = all(one.isprintable() and 0 < len(one) <= LONGEST for one in (assignment, worker))
        if not known or panel not in settings.origins:  # else the answer would go to whoever wrote the link
            raise NotAdmitted("not_proven")
        Assignments(log, study).note(assignment, panel)
        return Admission(assignment, worker, once=True)

    def hand_back(
        self, settings: PanelSettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack(code)

    def hand_back_visit(
        self, settings: PanelSettings, study: str, log: Log, visit_id: str, outcome: str | None,
        code: str | None,
    ) -> HandBack:  # fmt: skip
        found = Assignments(log, study).of_visit(visit_id)
        if found is None or found.panel not in settings.origins:
            return HandBack(code)
        fields = {"assignmentId": found.assignment, "outcome": outcome or "", "code": code or ""}
        return HandBack(code, f"{found.panel}{settings.submit}", settings.title, fields)
