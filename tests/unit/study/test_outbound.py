"""When participants may be called, and what is missing before anybody can be."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vivavoce.study.outbound import Outbound
from vivavoce_speech.telephony.channel import outbound_warnings


def planned(**settings: Any) -> Outbound:
    return Outbound.model_validate({"allowed": ["+39"], "exchange": "sip.example.org:5060"} | settings)


@pytest.mark.parametrize(
    ("hours", "at", "allowed"),
    [
        ("09:00-20:00", "08:59:59", False),
        ("09:00-20:00", "09:00:00", True),
        ("09:00-20:00", "19:59:59", True),
        ("09:00-20:00", "20:00:00", False),
        ("18:00-24:00", "23:59:59", True),
        ("18:00-24:00", "17:59:59", False),
        ("00:00-24:00", "00:00:00", True),
    ],
)
def test_people_are_called_from_the_first_minute_to_before_the_last(
    hours: str, at: str, allowed: bool
) -> None:
    now = datetime.fromisoformat(f"2026-07-01T{at}").replace(tzinfo=UTC)
    assert planned(hours=hours).open_at(now) == allowed
    rome = planned(hours=hours, timezone="Europe/Rome")
    assert rome.open_at(now - timedelta(hours=2)) == allowed  # summer time


@pytest.mark.parametrize(
    ("settings", "environment", "told"),
    [
        ({}, {}, []),
        ({"exchange": None}, {}, ["need an exchange"]),
        ({"exchange": None, "allowed": ["sip:*@lab.example.org"]}, {}, []),
        ({"username": "lab", "password": "${PIN}"}, {"PIN": "1"}, []),
        ({"username": "lab", "password": "${PIN}"}, {"PIN": ""}, ["secret ${PIN} is not set"]),
        ({"password": "${PIN}"}, {"PIN": "1"}, ["a password without a user name"]),
        ({"username": "lab"}, {}, []),
    ],
)
def test_what_calls_still_need_is_said(
    settings: dict[str, Any], environment: dict[str, str], told: list[str]
) -> None:
    found = outbound_warnings(planned(**settings), environment)
    assert len(found) == len(told) and all(one in line for one, line in zip(told, found, strict=True))
