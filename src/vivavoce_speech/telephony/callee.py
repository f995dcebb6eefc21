"""Whom a participant asks us to call: a number that is one, and that the study allows."""

import re
from fnmatch import fnmatchcase
from typing import Final, Literal

from vivavoce.study.outbound import Outbound

NotCallable = Literal["no_number", "not_allowed"]

_SIP: Final = re.compile(r"sip:[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,253}(:\d{1,5})?")
_LONGEST: Final = 320


class BadNumber(ValueError):
    """Nothing that may be called; `reason` says why."""

    def __init__(self, reason: NotCallable) -> None:
        self.reason: NotCallable = reason
        super().__init__(reason)


def callee(written: str, outbound: Outbound) -> str:
    """The number in its international form, or the SIP address, that is to be called.

    Raises  BadNumber: `no_number`, or `not_allowed` by the study, or for what such numbers cost
    """
    written = written.strip()
    if len(written) > _LONGEST:
        raise BadNumber("no_number")
    if written.startswith("sip:"):
        if not _SIP.fullmatch(written):
            raise BadNumber("no_number")
        return _permitted(written, outbound)
    return _permitted(_international(written, outbound.country), outbound)


def _permitted(number: str, outbound: Outbound) -> str:
    if not _matches(number, outbound.allowed) or _matches(number, outbound.denied):
        raise BadNumber("not_allowed")
    return number


def _matches(number: str, patterns: list[str]) -> bool:
    return any(
        fnmatchcase(number, one) if one.startswith("sip:") else number.startswith(one) for one in patterns
    )


def _international(written: str, country: str | None) -> str:
    import phonenumbers
    from phonenumbers import PhoneNumberType as Kind

    try:
        found = phonenumbers.parse(written, country)
    except phonenumbers.NumberParseException:
        raise BadNumber("no_number") from None
    if not phonenumbers.is_valid_number(found):
        raise BadNumber("no_number")
    costly = (Kind.PREMIUM_RATE, Kind.SHARED_COST, Kind.UAN, Kind.PAGER, Kind.VOICEMAIL)
    if phonenumbers.number_type(found) in costly:
        raise BadNumber("not_allowed")
    return phonenumbers.format_number(found, phonenumbers.PhoneNumberFormat.E164)
