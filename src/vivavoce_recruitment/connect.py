"""CloudResearch Connect: arrivals that nothing proves, and a sheet of what is to be paid on its pages.

Connect appends participantId, assignmentId and projectId to the study's link and signs none of them; it has
no public interface that pays. So an arrival opens a visit once, and leads back into it from its own browser
only.

Source  links and hand-back as public projects use them (read November 2026); not tried on Connect itself
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

from vivavoce.core.validation import mistake
from vivavoce.log.store import Log
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted
from vivavoce.study.settings import Settings, Whole
from vivavoce_recruitment.money import Amount
from vivavoce_recruitment.platform import SheetRecruiter, Terms
from vivavoce_recruitment.settings import Bonus, CallCost, DialoguePay, read_percent, same_currency

COMPLETE: Final = "https://connect.cloudresearch.com/participant/project/{project}/complete"
PARAMETERS: Final = ("participantId", "assignmentId", "projectId")
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")


class ConnectSettings(Settings):
    """A project on CloudResearch Connect."""

    project: str = Field(description="project ID on Connect, part of each participant's link")
    reward: Amount = Field(description="reward for each participant, such as 2.00 USD")
    places: Whole = Field(ge=1, le=100_000, description="number of participants")
    minutes: Whole = Field(ge=1, le=1440, description="advertised duration in minutes")
    bonuses: list[Bonus] = Field([], description="bonuses with their conditions")
    per_dialogue: DialoguePay | None = Field(None, description="pay for each completed dialogue")
    calls: CallCost | None = Field(None, description="telephone costs per minute; for `recruit plan`")
    fee_percent: Annotated[Decimal | None, BeforeValidator(read_percent)] = Field(
        None, ge=0, le=200, description="fee of Connect in per cent of all payments, including tax"
    )

    def model_post_init(self, _: object) -> None:
        if _ID.fullmatch(self.project) is None:
            raise mistake(
                f"{self.project!r} is not a project ID of Connect",
                "copy it from the address of the project page",
            )
        same_currency(self.reward, self.bonuses, self.per_dialogue and self.per_dialogue.pay)


class Connect(SheetRecruiter):
    """Connect recruiter. A known participantId is enough to enter: check the sheet against Connect's list."""

    name = "connect"
    settings = ConnectSettings
    summary = "CloudResearch Connect; arrivals are not verified, payments are made by hand from a sheet"
    place = "CloudResearch Connect"
    columns = ("participantId", "outcome", "bonus")

    def claims(self, settings: ConnectSettings, query: Mapping[str, str]) -> bool:
        return "assignmentId" in query or "participantId" in query

    def admit(self, settings: ConnectSettings, study: str, log: Log, query: Mapping[str, str]) -> Admission:
        person, ticket, project = (query.get(name, "") for name in PARAMETERS)
        if project != settings.project or not (_ID.fullmatch(person) and _ID.fullmatch(ticket)):
            raise NotAdmitted("not_proven")
        return Admission(ticket, person, once=True)

    def hand_back(
        self, settings: ConnectSettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        done = COMPLETE.format(project=settings.project) if outcome == "completed" else None
        return HandBack(code, done, self.place)

    def terms(self, settings: ConnectSettings) -> Terms:
        return Terms(
            settings.reward,
            settings.places,
            settings.minutes,
            tuple(settings.bonuses),
            settings.fee_percent,
            settings.per_dialogue,
            settings.calls,
        )
