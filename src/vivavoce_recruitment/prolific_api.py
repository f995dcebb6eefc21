"""Prolific's API for data collectors, as much of it as recruits and pays.

Rewards are whole minor units there, bonuses decimal major units. Approving is idempotent there; paying
bonuses is not, and what is sent twice is paid twice.

Source  docs.prolific.com/api-reference: studies, filters, participant groups, submissions, bonuses (read
        November 2026)
"""

import random
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from vivavoce.core.errors import InputError, UnknownName
from vivavoce_recruitment.ledger import Listing, SubmissionStatus
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.platform import (
    NotDone,
    Platform,
    PlatformSubmission,
    Switch,
    Unknown,
)
from vivavoce_recruitment.prolific_settings import ProlificSettings
from vivavoce_recruitment.settings import secret

Answer = TypeVar("Answer", bound=BaseModel)

TIMEOUT_S: Final = 30.0
TRIES: Final = 5
FIRST_WAIT_S: Final = 0.5
PAGE: Final = 100
STATUSES: Final[dict[str, SubmissionStatus]] = {
    "RESERVED": "running",
    "ACTIVE": "running",
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "REJECTED": "rejected",
    "RETURNED": "returned",
    "TIMED-OUT": "timed_out",
    "SCREENED OUT": "screened_out",
}
SWITCHES: Final[dict[Switch, str]] = {"pause": "PAUSE", "resume": "START", "stop": "STOP"}
ALLOWED: Final = "participant_group_allowlist"  # who is in none of these groups does not see the study
NOTICE: Final = "submission.status.change"
CATEGORIES: Final = (
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
)
LEAST_MESSAGE: Final = 100  # characters that a rejection says at least
CODES: Final[dict[str, tuple[str, str]]] = {
    "completed": ("COMPLETED", ""),
    "not_accepted": ("FAILED_ATTENTION_CHECK", ""),
    "technical_failure": ("OTHER", ""),
    "no_consent": ("NO_CONSENT", "Did not agree to take part"),
    "screened_out": ("OTHER", "The study needs people with different experience"),
    "withdrew": ("OTHER", "Stopped taking part"),
    "no_place": ("OTHER", "All places of the study are taken"),
}
"""Prolific's code of each outcome, and the reason for requesting a return; "": a person reviews it."""


class _Study(BaseModel):
    id: str
    internal_name: str | None = None
    status: str = ""
    total_available_places: int = 0


class _Group(BaseModel):
    id: str


class _Bulk(BaseModel):
    id: str
    amount: int


class _Secret(BaseModel):
    value: str


class _Subscription(BaseModel):
    id: str
    target_url: str = ""
    event_type: str = ""
    is_enabled: bool = False


class _Submission(BaseModel):
    """In a list it has `participant_id` and `study_code`, alone `participant` and `entered_code`."""

    id: str
    status: str
    participant_id: str | None = None
    participant: str | None = None
    study_id: str | None = None
    study_code: str | None = None
    entered_code: str | None = None
    bonus_payments: list[float] | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    def read(self, listing: str) -> PlatformSubmission:
        minutes = None
        if self.started_at is not None and self.completed_at is not None:
            minutes = (self.completed_at - self.started_at).total_seconds() / 60
        return PlatformSubmission(
            ticket=self.id,
            person=self.participant_id or self.participant or "",
            listing=self.study_id or listing,
            status=STATUSES.get(self.status, "other"),
            code=self.study_code or self.entered_code,
            bonuses=tuple(round(amount) for amount in self.bonus_payments or ()),
            minutes=minutes,
        )


@lru_cache
def _trusted() -> ssl.SSLContext:
    """Context with the system's certificates; reading them for each client takes longer than a request."""
    return httpx.create_ssl_context()


class ProlificPlatform(Platform):
    """One account. What only reads is asked again when it fails; what changes something, only if refused.

    Input   only: the people to whom a study is offered alone, by Prolific's identifiers
    Raises  InputError: a secret is not set; no workspace is named, in which people stand together
    """

    def __init__(self, settings: ProlificSettings, only: Sequence[str] | None = None) -> None:
        self.settings, self._only = settings, only
        if only is not None:
            self._workspace()
        self._client = httpx.Client(
            base_url=f"{settings.api}/api/v1",
            timeout=TIMEOUT_S,
            trust_env=False,
            verify=_trusted(),
            headers={"Authorization": f"Token {secret(settings.token)}"},
        )

    def close(self) -> None:
        self._client.close()

    def make_listing(self, listing: Listing, *, title: str, url: str) -> str:
        for answer in self._all("/studies/", {}):
            study = _read(_Study, answer)
            if study.internal_name == listing.mark:
                return study.id
        body = self._body(listing, title, url)
        if self._only is not None:
            other_filters = [
                filter_ for filter_ in self.settings.filters if filter_.get("filter_id") != ALLOWED
            ]
            body["filters"] = [*other_filters, self._these_alone(listing.mark, self._only)]
        return _read(_Study, self._call("POST", "/studies/", body)).id

    def _these_alone(self, name: str, people: Sequence[str]) -> dict[str, object]:
        """The filter by a group of these people, made for it; one left without a study does nothing."""
        group = {"name": name, "workspace_id": self._workspace(), "participant_ids": list(people)}
        created = _read(_Group, self._call("POST", "/participant-groups/", group))
        return {"filter_id": ALLOWED, "selected_values": [created.id]}

    def _body(self, listing: Listing, title: str, url: str) -> dict[str, object]:
        plan = self.settings
        query = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
        body: dict[str, object] = {
            "name": title,
            "internal_name": listing.mark,
            "description": plan.description,
            "external_study_url": f"{url.rstrip('/')}/?{query}",
            "prolific_id_option": "url_parameters",
            "is_external_study_url_secure": plan.proof == "signed",
            "completion_codes": [self._code(outcome, code) for outcome, code in listing.codes.items()],
            "estimated_completion_time": plan.minutes,
            "reward": listing.minor,
            "total_available_places": listing.places,
            "device_compatibility": plan.devices,
            "peripheral_requirements": plan.needs,
            "filters": plan.filters,
            "submissions_config": {"max_submissions_per_participant": 1},
        }
        body |= {"is_custom_screening": True} if plan.screen_out_pay is not None else {}
        body |= {"maximum_allowed_time": plan.maximum_minutes} if plan.maximum_minutes else {}
        return body | ({"project": plan.project} if plan.project else {})

    def _code(self, outcome: str, code: str) -> dict[str, object]:
        kind, asked_back = CODES[outcome]
        action = {"action": "MANUALLY_REVIEW"}
        if asked_back and not (outcome == "screened_out" and self.settings.screen_out_pay):
            action = {"action": "REQUEST_RETURN", "return_reason": asked_back}
        return {"code": code, "code_type": kind, "actor": "participant", "actions": [action]}

    def publish(self, listing: str) -> str:
        path = f"/studies/{listing}/"
        if _read(_Study, self._call("GET", path)).status == "UNPUBLISHED":
            self._call("POST", f"{path}transition/", {"action": "PUBLISH"})
        return _read(_Study, self._call("GET", path)).status

    def submissions(self, listing: str) -> list[PlatformSubmission]:
        answers = self._all("/submissions/", {"study": listing})
        return [_read(_Submission, answer).read(listing) for answer in answers]

    def submission(self, ticket: str) -> PlatformSubmission:
        """One person's work. Raises NotDone: there is none; Unknown."""
        return _read(_Submission, self._call("GET", f"/submissions/{ticket}/")).read("")

    def approve(self, ticket: str) -> None:
        self._call("POST", f"/submissions/{ticket}/transition/", {"action": "APPROVE"})

    def reject(self, ticket: str, category: str, message: str) -> None:
        """Raises  InputError: no such category, or the message is too short; NotDone, Unknown"""
        if category not in CATEGORIES:
            raise UnknownName("reason for a rejection", category, list(CATEGORIES), place="--category")
        if len(message) < LEAST_MESSAGE:
            problem = f"{len(message)} characters; Prolific requires {LEAST_MESSAGE}"
            raise InputError(problem, place="--message", hint="tell the participant what was wrong")
        body = {"action": "REJECT", "message": message, "rejection_category": category}
        self._call("POST", f"/submissions/{ticket}/transition/", body)

    def ask_back(self, ticket: str, reason: str) -> None:
        body = {"request_return_reasons": [reason]}
        self._call("POST", f"/submissions/{ticket}/request-return/", body)

    def screen_out(self, listing: str, tickets: Sequence[str], pay: Money) -> None:
        path = f"/studies/{listing}/screen-out-submissions/"
        # as text the amount would be exact, but Prolific's interface wants a number: two places survive it
        body = {
            "submission_ids": list(tickets),
            "bonus_per_submission": float(pay.major),
            "increase_places": True,
        }
        self._call("POST", path, body)

    def switch(self, listing: str, to: Switch) -> str:
        path = f"/studies/{listing}/"
        self._call("POST", f"{path}transition/", {"action": SWITCHES[to]})
        return _read(_Study, self._call("GET", path)).status

    def set_places(self, listing: str, places: int) -> int:
        path = f"/studies/{listing}/"
        self._call("PATCH", path, {"total_available_places": places})
        return _read(_Study, self._call("GET", path)).total_available_places

    def make_notice_secret(self) -> str:
        body = {"workspace_id": self._workspace()}
        return _read(_Secret, self._call("POST", "/hooks/secrets/", body)).value

    def subscribe(self, address: str) -> str:
        """Prolific confirms a subscription by a word in a header, which is sent back to it."""
        workspace = self._workspace()
        subscription = {"workspace_id": workspace, "event_type": NOTICE, "target_url": address}
        for entry in self._all("/hooks/subscriptions/", {"workspace_id": workspace}):
            existing = _read(_Subscription, entry)
            if existing.is_enabled and (existing.target_url, existing.event_type) == (address, NOTICE):
                return existing.id
        answer = self._answer("POST", "/hooks/subscriptions/", subscription)
        created = _read(_Subscription, _json(answer))
        word = {"secret": answer.headers.get("x-hook-secret", "")}
        self._call("POST", f"/hooks/subscriptions/{created.id}/", word)
        return created.id

    def _workspace(self) -> str:
        if self.settings.workspace is None:
            hint = "add `workspace: ID` under `prolific`"
            raise InputError("the workspace is not set", place="recruitment.prolific", hint=hint)
        return self.settings.workspace

    def set_up_bonuses(self, listing: str, bonuses: Sequence[tuple[str, Money]]) -> str:
        lines = "\n".join(f"{ticket},{amount.major:f}" for ticket, amount in bonuses)
        body = {"study_id": listing, "csv_bonuses": lines}
        bulk = _read(_Bulk, self._call("POST", "/submissions/bonus-payments/", body))
        total = sum(amount.minor for _, amount in bonuses)
        if bulk.amount != total:
            problem = f"Prolific interpreted the payment as {bulk.amount} minor units instead of {total}"
            raise NotDone(problem, passing=False)
        return bulk.id

    def pay_bonuses(self, reference: str) -> None:
        self._call("POST", f"/bulk-bonus-payments/{reference}/pay/")

    def _all(self, path: str, query: Mapping[str, str]) -> Iterator[Any]:
        """Everything of a list, page by page, until there is no next one."""
        number = 1
        while True:
            parameters = {**query, "page": str(number), "page_size": str(PAGE)}
            page = self._call("GET", str(httpx.URL(path, params=parameters)))
            if not isinstance(page, dict) or not isinstance(page.get("results"), list):
                raise Unknown("Prolific returned something other than a list")
            yield from page["results"]
            following = ((page.get("_links") or {}).get("next") or {}).get("href")
            if following is None:
                return
            number += 1

    def _call(self, method: str, path: str, body: object = None) -> Any:
        """The answer's JSON; None where it has none. Raises NotDone, Unknown."""
        for attempt in range(TRIES):
            try:
                return _json(self._answer(method, path, body))
            except NotDone as error:
                if not error.passing or attempt == TRIES - 1:
                    raise
            except Unknown:
                if method != "GET" or attempt == TRIES - 1:
                    raise
            time.sleep(FIRST_WAIT_S * 2**attempt * random.uniform(0.5, 1))
        raise AssertionError("the last try returns or raises")

    def _answer(self, method: str, path: str, body: object) -> httpx.Response:
        try:
            answer = self._client.request(method, path, json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout):
            raise NotDone("Prolific cannot be reached", passing=True) from None
        except httpx.HTTPError as error:
            raise Unknown(f"Prolific did not answer: {type(error).__name__}") from None
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise NotDone("Prolific's rate limit was reached (HTTP 429)", passing=True)
        if answer.is_client_error:
            raise NotDone(f"Prolific refused: {_told(answer)}", passing=False)
        if not answer.is_success:
            raise Unknown(f"Prolific failed ({answer.status_code})")
        return answer


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json() if answer.content else None
    except ValueError:
        raise Unknown("Prolific did not return JSON") from None


def _told(answer: httpx.Response) -> str:
    """Error message of Prolific, in one line; it comes in two shapes."""
    try:
        content = answer.json()
    except ValueError:
        content = None
    error = content.get("error", content) if isinstance(content, dict) else {}
    error = error if isinstance(error, dict) else {"detail": error}
    message = error.get("detail") or error.get("message") or error.get("title") or ""
    return f"{answer.status_code} {' '.join(str(message).split())[:200]}".strip()


def _read(model: type[Answer], found: Any) -> Answer:
    try:
        return model.model_validate(found)
    except ValidationError as error:
        lacks = ", ".join(str(detail["loc"][-1]) for detail in error.errors() if detail["loc"])
        raise Unknown(f"Prolific's answer lacks {lacks or 'the expected content'}") from None
