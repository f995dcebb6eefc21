"""Prolific: arrivals that prove where they come from, and codes for each outcome.

Source  Prolific's API for data collectors (docs.prolific.com, read November 2026)
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

import jwt
from pydantic import BaseModel, ValidationError

from vivavoce.log.store import Log
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted, NoticeRefused
from vivavoce.trial.codes import ALPHABET
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.platform import OUTCOMES, NotDone, PaidRecruiter, Terms, Unknown
from vivavoce_recruitment.prolific_api import NOTICE, STATUSES, ProlificPlatform
from vivavoce_recruitment.prolific_settings import ProlificSettings
from vivavoce_recruitment.settings import secret

COMPLETE: Final = "https://app.prolific.com/submissions/complete"
ISSUER: Final = "https://www.prolific.com"
PARAMETERS: Final = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
KEYS_FRESH_S: Final = 24 * 3600
LEEWAY_S: Final = 60
NOTICE_FRESH_S: Final = 600
_ID: Final = re.compile(r"[0-9a-f]{24}", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(r"\{\{.*\}\}|%.*%")


@lru_cache
def _signing_keys(address: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(address, cache_jwk_set=True, lifespan=KEYS_FRESH_S, timeout=10)


def _proven_by_token(settings: ProlificSettings, token: str) -> dict[str, str]:
    """Prolific's signed fields of an arrival. Raises NotAdmitted."""
    keys = _signing_keys(f"{settings.api}/.well-known/study/jwks.json")
    try:
        claims = jwt.decode(
            token,
            keys.get_signing_key_from_jwt(token).key,
            algorithms=["RS256"],
            audience=[settings.site, urlsplit(settings.site).netloc],
            issuer=ISSUER,
            leeway=LEEWAY_S,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
    except jwt.PyJWKClientConnectionError:
        raise NotAdmitted("recruiter_away") from None
    except jwt.PyJWTError:
        raise NotAdmitted("not_proven") from None
    signed = claims.get("prolific")
    fields = {name: str(signed.get(name)) for name in PARAMETERS} if isinstance(signed, dict) else {}
    if not fields or claims["sub"] != fields["SESSION_ID"]:
        raise NotAdmitted("not_proven")
    return fields


class _Notice(BaseModel):
    event_type: str
    resource_id: str = ""
    status: str = ""


def _instant(written: str) -> datetime:
    """An instant in seconds since 1970, or as ISO 8601 has it. Raises NoticeRefused."""
    try:
        if written.replace(".", "", 1).isdecimal():
            return datetime.fromtimestamp(float(written), UTC)
        return datetime.fromisoformat(written).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise NoticeRefused("unreadable") from None


def notice_signature(key: str, timestamp: str, body: bytes) -> str:
    """Signature of a notice, over its time and the bytes of its body."""
    return base64.b64encode(hmac.digest(key.encode(), timestamp.encode() + body, hashlib.sha256)).decode()


class Prolific(PaidRecruiter):
    """Its identifiers in an address are a claim; the signed token, or the API, is the proof."""

    name = "prolific"
    settings = ProlificSettings
    summary = "Prolific, with verified arrivals and payments by its API"
    place = "Prolific"

    def claims(self, settings: ProlificSettings, query: Mapping[str, str]) -> bool:
        return "SESSION_ID" in query or "prolific_token" in query

    def previews(self, settings: ProlificSettings, query: Mapping[str, str]) -> bool:
        return any(_PLACEHOLDER.fullmatch(query.get(name, "")) for name in PARAMETERS)

    def admit(self, settings: ProlificSettings, study: str, log: Log, query: Mapping[str, str]) -> Admission:
        arrival = {name: query.get(name, "") for name in PARAMETERS}
        if self.previews(settings, arrival):
            raise NotAdmitted("preview")
        listing = Ledger(log, study).listing(self.name)
        if settings.proof == "signed":
            proven = _proven_by_token(settings, query.get("prolific_token", ""))
        else:
            proven = self._proven_by_api(settings, arrival)
        study_id = listing.listing if listing is not None else None
        sound = all(_ID.fullmatch(value) for value in proven.values())
        if proven != arrival or not sound or proven["STUDY_ID"] != study_id:
            raise NotAdmitted("not_proven")
        return Admission(proven["SESSION_ID"], proven["PROLIFIC_PID"], verified=True, once=True)

    def _proven_by_api(self, settings: ProlificSettings, said: Mapping[str, str]) -> dict[str, str]:
        if _ID.fullmatch(said["SESSION_ID"]) is None:
            raise NotAdmitted("not_proven")
        try:
            with closing(self.open(settings)) as platform:
                submission = platform.submission(said["SESSION_ID"])
        except Unknown:
            raise NotAdmitted("recruiter_away") from None
        except NotDone as error:
            raise NotAdmitted("recruiter_away" if error.passing else "not_proven") from None
        if submission.status not in ("running", "submitted", "approved"):
            raise NotAdmitted("not_proven")
        return {
            "PROLIFIC_PID": submission.person,
            "STUDY_ID": submission.listing,
            "SESSION_ID": submission.ticket,
        }

    def hand_back(
        self, settings: ProlificSettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        listing = Ledger(log, study).listing(self.name)
        codes = listing.codes if listing is not None else {}
        completion_code = codes.get(outcome or "")
        if completion_code is None and outcome == "no_place":  # published before there were quotas
            completion_code = codes.get("screened_out")
        return HandBack(
            completion_code, f"{COMPLETE}?cc={completion_code}" if completion_code else None, self.place
        )

    def receive(
        self, settings: ProlificSettings, study: str, log: Log, headers: Mapping[str, str], body: bytes
    ) -> None:
        """Note how a submission stands now: signed, fresh, and each notice once."""
        if settings.webhook_secret is None:
            raise NoticeRefused("unexpected")
        stamp = headers.get("x-prolific-request-timestamp", "")
        signed = headers.get("x-prolific-request-signature", "")
        signature = notice_signature(secret(settings.webhook_secret), stamp, body)
        if not hmac.compare_digest(signed.encode(), signature.encode()):
            raise NoticeRefused("unsigned")
        if abs((log.clock.now() - _instant(stamp)).total_seconds()) > NOTICE_FRESH_S:
            raise NoticeRefused("late")
        try:
            notice, identifier = _Notice.model_validate_json(body), headers["x-event-id"]
        except (ValidationError, KeyError):
            raise NoticeRefused("unreadable") from None
        if notice.event_type != NOTICE:
            return
        status, at = STATUSES.get(notice.status, "other"), _instant(headers.get("x-timestamp", stamp))
        Ledger(log, study).take_notice(self.name, identifier, notice.resource_id, status, at)

    def terms(self, settings: ProlificSettings) -> Terms:
        return Terms(
            settings.reward,
            settings.places,
            settings.minutes,
            tuple(settings.bonuses),
            settings.fee_percent,
            settings.per_dialogue,
            settings.calls,
        )

    def codes(self) -> dict[str, str]:
        return {outcome: "".join(secrets.choice(ALPHABET) for _ in range(10)) for outcome in OUTCOMES}

    def open(self, settings: ProlificSettings) -> ProlificPlatform:
        return ProlificPlatform(settings)

    def open_for(self, settings: ProlificSettings, people: Sequence[str]) -> ProlificPlatform:
        return ProlificPlatform(settings, people)
