"""Notices of Prolific: signed, fresh, each once, and none older than what is known."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scenes.recruiting import write_study
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import VisitOpened
from vivavoce.log.store import Log, Transaction
from vivavoce.study.load import load_study
from vivavoce.study.recruiter import RECRUITERS, NoticeRefused
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.prolific import notice_signature

TICKET = "60d9aadeb86739de712faee0"
VECTOR = (
    '{"resource_id": "60d9aadeb86739de712faee0", "event_type": "submission.status.change", '
    '"participant_id": "60bf9310e8dec401be6e9615", "status": "AWAITING REVIEW"}'
)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock()) as log:

        def come(tx: Transaction) -> None:
            tx.bind_visit("visit-1", "paid", "participant-1", "prolific", "token", token_hash(TICKET))
            tx.append(
                "visit-1",
                VisitOpened(
                    study="paid", revision="1", participant_id="participant-1", pool="prolific", language="en"
                ),
            )

        log.transact_now(come)
        yield log


def tell(
    log: Log, folder: Path, status: str, *, notice: str, at: datetime, key: str = "s3cr3t", **other
) -> None:
    """Send a notice to the recruiter of a study, as its page does."""
    folder = folder if folder.exists() else write_study(folder, "https://api.prolific.com")
    settings = load_study(folder).recruitment["prolific"]
    body = json.dumps({"resource_id": TICKET, "event_type": "submission.status.change", "status": status})
    stamp = str(log.clock.now().timestamp())
    headers = {
        "x-prolific-request-timestamp": stamp,
        "x-event-id": notice,
        "x-timestamp": str(at.timestamp()),
        "x-prolific-request-signature": notice_signature(key, stamp, body.encode()),
        **other,
    }
    RECRUITERS.get("prolific").receive(settings, "paid", log, headers, body.encode())


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROLIFIC_WEBHOOK_SECRET", "s3cr3t")


def test_the_signature_is_prolific_s() -> None:
    """The vector was computed by hand with openssl, from the description of Prolific's signatures."""
    signed = notice_signature("s3cr3t", "1735689600", VECTOR.encode())
    assert signed == "uXwcaIiJqFzKU2KCa9dN8ZX5d46Ktz2qV6K9wtnOeVI="


def test_each_notice_counts_once_and_none_undoes_a_later_one(log: Log, tmp_path: Path) -> None:
    folder, ledger, now = tmp_path / "paid", Ledger(log, "paid"), log.clock.now()
    tell(log, folder, "ACTIVE", notice="one", at=now)
    assert ledger.submissions("prolific") == {TICKET: "running"}
    tell(log, folder, "AWAITING REVIEW", notice="two", at=now + timedelta(seconds=2))
    tell(log, folder, "RETURNED", notice="one", at=now + timedelta(seconds=9))
    tell(log, folder, "ACTIVE", notice="three", at=now + timedelta(seconds=1))
    assert ledger.submissions("prolific") == {TICKET: "submitted"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"key": "guessed"}, "unsigned"),
        ({"x-prolific-request-signature": "é"}, "unsigned"),
        ({"x-timestamp": "yesterday"}, "unreadable"),
    ],
)
def test_what_prolific_did_not_send_changes_nothing(
    log: Log, tmp_path: Path, change: dict[str, str], reason: str
) -> None:
    with pytest.raises(NoticeRefused, match=reason):
        tell(log, tmp_path / "paid", "RETURNED", notice="one", at=log.clock.now(), **change)
    assert Ledger(log, "paid").submissions("prolific") == {}


def test_a_notice_that_was_kept_back_is_too_late(log: Log, tmp_path: Path) -> None:
    stamp = (log.clock.now() - timedelta(seconds=601)).astimezone(UTC).timestamp()
    folder = write_study(tmp_path / "paid", "https://api.prolific.com")
    settings = load_study(folder).recruitment["prolific"]
    headers = {
        "x-prolific-request-timestamp": str(stamp),
        "x-event-id": "one",
        "x-prolific-request-signature": notice_signature("s3cr3t", str(stamp), VECTOR.encode()),
    }
    with pytest.raises(NoticeRefused, match="late"):
        RECRUITERS.get("prolific").receive(settings, "paid", log, headers, VECTOR.encode())


def test_a_recruiter_that_sends_nothing_takes_nothing(log: Log) -> None:
    links = RECRUITERS.get("links")
    with pytest.raises(NoticeRefused, match="unexpected"):
        links.receive(links.settings(), "paid", log, {}, b"{}")
