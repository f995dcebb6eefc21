"""Accounts, one-time links and sign-ins of the dashboard."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from vivavoce.log import accounts
from vivavoce.log.store import Conflict, Log

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOON = NOW + timedelta(hours=1)


@pytest.fixture
def log(log_url: str) -> Iterator[Log]:
    with Log.open(log_url) as log:
        yield log


def test_a_one_time_link_works_once_and_in_time(log: Log) -> None:
    log.transact_now(lambda tx: accounts.add_sign_in_link(tx.connection, "h1", "owner", SOON))
    log.transact_now(lambda tx: accounts.add_sign_in_link(tx.connection, "h2", "viewer", SOON))

    def use(token_hash: str, now: datetime) -> str | None:
        return log.transact_now(lambda tx: accounts.use_sign_in_link(tx.connection, token_hash, now))

    assert [use("h1", NOW), use("h1", NOW), use("h2", SOON), use("none", NOW)] == ["owner", None, None, None]
    assert use("h2", SOON - timedelta(seconds=1)) == "viewer"


def test_an_account_is_found_by_its_name_and_taken_once(log: Log) -> None:
    added = log.transact_now(lambda tx: accounts.add_account(tx.connection, "anna", "hash", "owner", NOW))
    with log.reading() as connection:
        assert accounts.find_account(connection, "anna") == added
        assert accounts.account(connection, added.account_id) == added
        assert accounts.all_accounts(connection) == [added]
        assert accounts.count_accounts(connection) == 1
        assert accounts.find_account(connection, "bruno") is None
    with pytest.raises(Conflict, match="already an account named 'anna'"):
        log.transact_now(lambda tx: accounts.add_account(tx.connection, "anna", "other", "viewer", NOW))


def test_a_sign_in_ends_by_itself_by_hand_and_with_a_new_password(log: Log) -> None:
    anna = log.transact_now(lambda tx: accounts.add_account(tx.connection, "anna", "hash", "owner", NOW))

    def sign_in(token_hash: str) -> None:
        log.transact_now(
            lambda tx: accounts.add_sign_in(tx.connection, token_hash, "owner", SOON, anna.account_id)
        )

    def found(token_hash: str, now: datetime = NOW) -> bool:
        with log.reading() as connection:
            return accounts.find_sign_in(connection, token_hash, now) is not None

    sign_in("t1")
    sign_in("t2")
    assert found("t1") and not found("t1", SOON) and not found("none")
    log.transact_now(lambda tx: accounts.end_sign_in(tx.connection, "t1"))
    assert not found("t1") and found("t2")
    log.transact_now(lambda tx: accounts.change_password(tx.connection, anna.account_id, "new"))
    assert not found("t2")
    sign_in("t3")
    log.transact_now(lambda tx: accounts.forget_expired(tx.connection, SOON))
    assert not found("t3")
    sign_in("t4")
    log.transact_now(lambda tx: accounts.remove_account(tx.connection, anna.account_id))
    assert not found("t4")
