"""Accounts, one-time links and sign-ins of the dashboard."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection

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
        assert accounts.find_account(connection, "bruno") is None
    with pytest.raises(Conflict, match="account named 'anna' already exists"):
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


@pytest.fixture
def one_log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield log


def test_what_is_done_to_an_account_is_done_to_no_other(one_log: Log) -> None:
    def fill(connection: Connection) -> list[str]:
        added = [
            accounts.add_account(connection, name, f"hash-{name}", "owner", NOW + timedelta(days=days))
            for name, days in (("anna", 1), ("bruno", 0))
        ]
        for place, own in enumerate((0, 0, 1)):
            accounts.add_sign_in(connection, f"t{place}", "owner", SOON, added[own].account_id)
        return [one.account_id for one in added]

    def there(connection: Connection) -> list[tuple[str, str]]:
        return [(one.name, one.password_hash) for one in accounts.all_accounts(connection)]

    anna, bruno = one_log.transact_now(lambda tx: fill(tx.connection))
    assert one_log.transact_now(lambda tx: accounts.change_password(tx.connection, anna, "new")) == 2
    with one_log.reading() as connection:
        assert there(connection) == [("bruno", "hash-bruno"), ("anna", "new")]
        signed = [accounts.find_sign_in(connection, f"t{place}", NOW) for place in range(3)]
    assert [one and one.account_id for one in signed] == [None, None, bruno]
    one_log.transact_now(lambda tx: accounts.remove_account(tx.connection, anna))
    with one_log.reading() as connection:
        assert there(connection) == [("bruno", "hash-bruno")]
        assert accounts.find_sign_in(connection, "t2", NOW) is not None
        assert accounts.account(connection, anna) is None


def test_a_link_is_shown_as_it_is_until_it_is_used_or_its_time_is_over(one_log: Log) -> None:
    def fill(connection: Connection) -> None:
        accounts.add_sign_in_link(connection, "h1", "owner", SOON, "mine")
        accounts.add_sign_in_link(connection, "h2", "viewer", SOON + timedelta(seconds=1))

    def shown(now: datetime) -> list[str | None]:
        with one_log.reading() as connection:
            return [accounts.find_sign_in_link(connection, name, now) for name in ("h1", "h2", "none")]

    one_log.transact_now(lambda tx: fill(tx.connection))
    with one_log.reading() as connection:
        assert [accounts.study_of_link(connection, name) for name in ("h1", "h2")] == ["mine", None]
    assert shown(NOW) == shown(NOW) == ["owner", "viewer", None]
    assert shown(SOON) == [None, "viewer", None]
    one_log.transact_now(lambda tx: accounts.use_sign_in_link(tx.connection, "h1", NOW))
    assert shown(NOW) == [None, "viewer", None]
    one_log.transact_now(lambda tx: accounts.forget_expired(tx.connection, SOON))
    assert shown(NOW) == [None, "viewer", None]


def test_a_program_s_token_holds_until_it_expires_or_is_revoked(one_log: Log) -> None:
    tokens = [
        accounts.ApiToken(
            token_id=f"t{place}",
            name=f"n{place}",
            scopes=("results",),
            study=None,
            made_by="anna",
            created_at=NOW + timedelta(seconds=place),
            expires_at=SOON + timedelta(seconds=place),
        )
        for place in range(2)
    ]

    def found(now: datetime) -> list[str | None]:
        with one_log.reading() as connection:
            known = [accounts.find_api_token(connection, name, now) for name in ("h0", "h1", "none")]
        return [one and one.token_id for one in known]

    def revoke(token_id: str) -> bool:
        return one_log.transact_now(lambda tx: accounts.revoke_api_token(tx.connection, token_id, NOW))

    for place, token in enumerate(tokens):
        one_log.transact_now(lambda tx, of=(token, f"h{place}"): accounts.add_api_token(tx.connection, *of))
    assert found(NOW) == ["t0", "t1", None] and found(SOON) == [None, "t1", None]
    one_log.transact_now(lambda tx: accounts.note_api_token_used(tx.connection, "t1", NOW))
    with one_log.reading() as connection:
        told = {one.token_id: one.last_used_at for one in accounts.all_api_tokens(connection)}
    assert told == {"t1": NOW, "t0": None} and list(told) == ["t1", "t0"], "the last one first"
    assert [revoke("t0"), revoke("t0"), revoke("none")] == [True, False, False]
    assert found(NOW) == [None, "t1", None]
