"""SONA Systems: credit for students, granted from here by SONA's server-side address, never by the browser.

The client-side address of SONA carries the token that grants credit to anybody; it is not used. Credit is a
state there: granting it twice grants it once, so what got lost is sent again.

Source  SONA's help pages as public projects cite them (read November 2026); not tried on SONA itself
"""

import logging
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Final

import httpx
from pydantic import BeforeValidator, Field

from vivavoce.core.validation import mistake
from vivavoce.log.store import Log
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted
from vivavoce.study.settings import Settings, Whole
from vivavoce_recruitment.money import CREDITS, Money
from vivavoce_recruitment.platform import CreditRecruiter, NotDone, Terms, Unknown
from vivavoce_recruitment.settings import HttpsAddress, SecretName, read_decimal, secret

GRANT: Final = "/services/SonaAPI.svc/WebstudyCredit"
TIMEOUT_S: Final = 30.0
PLACEHOLDER: Final = "%SURVEY_CODE%"
logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log the address, which has the token
_CODE: Final = re.compile(r"[0-9A-Za-z]{1,32}")


class SonaSettings(Settings):
    """A study on a school's SONA system."""

    site: HttpsAddress = Field(
        description="address of the school's system, such as https://school.sona-systems.com"
    )
    experiment: Whole = Field(ge=1, description="experiment_id from the study's page on SONA")
    token: SecretName = Field(
        "${SONA_CREDIT_TOKEN}",
        description="key for granting credit, from the environment",
        validate_default=True,
    )
    parameter: str = Field("id", description="link parameter with the survey code: `?id=%SURVEY_CODE%`")
    credits: Annotated[Decimal, BeforeValidator(read_decimal)] = Field(
        gt=0, le=100, decimal_places=2, description="credit for each participant, such as 0.5"
    )
    places: Whole = Field(ge=1, le=100_000, description="number of participants")
    minutes: Whole = Field(ge=1, le=1440, description="advertised duration in minutes")

    def model_post_init(self, _: object) -> None:
        if not self.parameter.isidentifier():
            raise mistake(f"{self.parameter!r} is not a valid link parameter", "use a word, such as id")


class Sona(CreditRecruiter):
    """A survey code is made at each sign-up, and is all that SONA tells of somebody."""

    name = "sona"
    settings = SonaSettings
    summary = "SONA Systems: credit for students, granted automatically after a completed visit"
    place = "SONA"

    def claims(self, settings: SonaSettings, query: Mapping[str, str]) -> bool:
        return settings.parameter in query

    def admit(self, settings: SonaSettings, study: str, log: Log, query: Mapping[str, str]) -> Admission:
        code = query.get(settings.parameter, "")
        if code == PLACEHOLDER:
            raise NotAdmitted("preview")
        if _CODE.fullmatch(code) is None:
            raise NotAdmitted("not_proven")
        return Admission(ticket=code, person=code)

    def hand_back(
        self, settings: SonaSettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack(code)

    def terms(self, settings: SonaSettings) -> Terms:
        return Terms(Money(int(settings.credits * 100), CREDITS), settings.places, settings.minutes)

    def grant(self, settings: SonaSettings, person: str) -> None:
        query = {
            "experiment_id": str(settings.experiment),
            "credit_token": secret(settings.token),
            "survey_code": person,
        }
        try:
            address = f"{settings.site}{GRANT}"
            answer = httpx.get(address, params=query, timeout=TIMEOUT_S, trust_env=False)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise NotDone("SONA cannot be reached", passing=True) from None
        except httpx.HTTPError as error:
            raise Unknown(f"SONA did not answer: {type(error).__name__}") from None
        if answer.is_client_error:
            raise NotDone(f"SONA refused ({answer.status_code})", passing=answer.status_code == 429)
        if not answer.is_success:
            raise Unknown(f"SONA answered {answer.status_code}")
