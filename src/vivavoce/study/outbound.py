"""The section `telephone.outbound` of a study file: calls from the laboratory to participants."""

import re
from datetime import datetime, time
from typing import Annotated, Final
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, Field

from vivavoce.core.validation import Fits, mistake
from vivavoce.study.settings import Number, Settings, Whole

Prefix = Annotated[
    str,
    Fits(
        r"\+[1-9]\d{0,14}|sip:[A-Za-z0-9*._+-]+@[A-Za-z0-9*.-]+(:(\d{1,5}|\*))?",
        "{value} allows no number",
        'write the start of a number such as "+39", or "sip:*@HOST"',
    ),
]
_HOURS: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)")


def _hours(written: str) -> str:
    found = _HOURS.fullmatch(written)
    if found is None or written.partition("-")[0] >= written.partition("-")[2]:
        raise mistake(f"{written!r} is not a part of a day", 'write "09:00-20:00"')
    return written


def _zone(written: str) -> str:
    if written not in available_timezones():
        raise mistake(f"unknown time zone {written!r}", "write, for example, Europe/Rome")
    return written


class Outbound(Settings):
    """Calls to participants who request one on their page."""

    exchange: str | None = Field(
        None,
        pattern=r"^[^\s:]+:\d{1,5}$",
        description="HOST:PORT of the exchange for our SIP calls; it owns the trunk",
    )
    caller_id: str = Field(
        "vivavoce",
        pattern=r"^[A-Za-z0-9+._-]{1,64}$",
        description="caller number or name shown to participants",
    )
    username: str | None = Field(None, description="our user name at the exchange")
    password: str | None = Field(
        None,
        pattern=r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$",
        description="${NAME} of the environment variable with the password",
    )
    allowed: list[Prefix] = Field(
        min_length=1, description='allowed prefixes, such as "+39", or "sip:*@HOST"'
    )
    denied: list[Prefix] = Field(
        [], description="excluded prefixes; premium and shared-cost numbers are always excluded"
    )
    country: str | None = Field(
        None, pattern=r"^[A-Z]{2}$", description="country of numbers without a country code, such as IT"
    )
    hours: Annotated[str, AfterValidator(_hours)] = Field(
        "09:00-20:00", description="hours in which calls are allowed"
    )
    timezone: Annotated[str, AfterValidator(_zone)] = Field("UTC", description="time zone of these hours")
    ring_s: Number = Field(40, ge=1, le=120, description="maximum ringing time in seconds")
    max_per_day: Whole = Field(100, ge=1, le=10_000, description="maximum calls per day")
    max_per_number: Whole = Field(4, ge=1, le=100, description="maximum calls per day to one number")
    max_attempts: Whole = Field(5, ge=1, le=50, description="maximum calls per dialogue")
    max_concurrency: Whole = Field(5, ge=1, le=100, description="maximum simultaneous calls")
    pause_s: Number = Field(
        20, ge=0, le=3600, description=("seconds before the same visit may request another call")
    )

    def open_at(self, now: datetime) -> bool:
        """Check that calls are allowed at this time."""
        first, last = self.hours.split("-")
        local = now.astimezone(ZoneInfo(self.timezone)).time()
        return time.fromisoformat(first) <= local and (last == "24:00" or local < time.fromisoformat(last))
