"""Accounts of the dashboard, one-time links, and who is signed in. Only storage: hashing is the caller's.

Every function takes a connection: `tx.connection` to write, that of `log.reading()` to look something up.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.log.models import Conflict
from vivavoce.log.tables import accounts, api_tokens, sign_in_links, sign_ins


@dataclass(frozen=True, slots=True)
class Account:
    """One person who may sign in to the dashboard of a study; None: to that of every study of the log."""

    account_id: str
    name: str
    password_hash: str
    role: str
    created_at: datetime
    study: str | None = None


@dataclass(frozen=True, slots=True)
class SignIn:
    """One browser that is signed in; without an account where a one-time link was used."""

    account_id: str | None
    role: str
    expires_at: datetime
    study: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A researcher's API token, used instead of a password; `scopes`: readable parts of the study."""

    token_id: str
    name: str
    scopes: tuple[str, ...]
    study: str | None
    made_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


def add_account(
    connection: Connection, name: str, password_hash: str, role: str, now: datetime, study: str | None = None
) -> Account:
    """A new account.

    Raises  Conflict: the name is taken
    """
    if find_account(connection, name) is not None:
        raise Conflict(f"an account named {name!r} already exists")
    account = Account(uuid.uuid4().hex, name, password_hash, role, now, study)
    connection.execute(
        insert(accounts).values(
            account_id=account.account_id,
            name=name,
            password_hash=password_hash,
            role=role,
            created_at=now,
            study=study,
        )
    )
    return account


def find_account(connection: Connection, name: str) -> Account | None:
    row = connection.execute(select(accounts).where(accounts.c.name == name)).one_or_none()
    return Account(*row) if row else None


def account(connection: Connection, account_id: str) -> Account | None:
    row = connection.execute(select(accounts).where(accounts.c.account_id == account_id)).one_or_none()
    return Account(*row) if row else None


def all_accounts(connection: Connection) -> list[Account]:
    return [Account(*row) for row in connection.execute(select(accounts).order_by(accounts.c.created_at))]


def change_password(connection: Connection, account_id: str, password_hash: str) -> int:
    """Set a new password and sign the account out everywhere; gives back of how many sign-ins."""
    changed = update(accounts).where(accounts.c.account_id == account_id)
    connection.execute(changed.values(password_hash=password_hash))
    return connection.execute(delete(sign_ins).where(sign_ins.c.account_id == account_id)).rowcount


def remove_account(connection: Connection, account_id: str) -> None:
    """Remove an account and sign it out everywhere."""
    connection.execute(delete(sign_ins).where(sign_ins.c.account_id == account_id))
    connection.execute(delete(accounts).where(accounts.c.account_id == account_id))


def add_sign_in_link(
    connection: Connection, token_hash: str, role: str, expires_at: datetime, study: str | None = None
) -> None:
    """A link that signs in once, until it expires."""
    row = {"token_hash": token_hash, "role": role, "expires_at": expires_at, "study": study}
    connection.execute(insert(sign_in_links).values(row))


def study_of_link(connection: Connection, token_hash: str) -> str | None:
    """The study whose dashboard a link opens; None: that of every one."""
    query = select(sign_in_links.c.study).where(sign_in_links.c.token_hash == token_hash)
    return connection.execute(query).scalar_one_or_none()


def find_sign_in_link(connection: Connection, token_hash: str, now: datetime) -> str | None:
    """The role that a link would give; None when it is unknown, expired or used. The link stays unused."""
    link = sign_in_links.c
    valid = (link.token_hash == token_hash) & link.used_at.is_(None) & (link.expires_at > now)
    return connection.execute(select(link.role).where(valid)).scalar_one_or_none()


def use_sign_in_link(connection: Connection, token_hash: str, now: datetime) -> str | None:
    """The role that a link gives, this once; None when it is unknown, expired or used."""
    link = sign_in_links.c
    valid = (link.token_hash == token_hash) & link.used_at.is_(None) & (link.expires_at > now)
    used = connection.execute(update(sign_in_links).where(valid).values(used_at=now)).rowcount
    if not used:
        return None
    return connection.execute(select(link.role).where(link.token_hash == token_hash)).scalar_one()


def add_sign_in(
    connection: Connection,
    token_hash: str,
    role: str,
    expires_at: datetime,
    account_id: str | None = None,
    study: str | None = None,
) -> None:
    """Remember a browser that is signed in, by the hash of its cookie's token."""
    row = {"token_hash": token_hash, "role": role, "expires_at": expires_at, "account_id": account_id}
    row["study"] = study
    connection.execute(insert(sign_ins).values(row))


def find_sign_in(connection: Connection, token_hash: str, now: datetime) -> SignIn | None:
    """Return the account of a token; None when it is unknown or expired."""
    signed = sign_ins.c
    query = select(signed.account_id, signed.role, signed.expires_at, signed.study)
    query = query.where(signed.token_hash == token_hash, signed.expires_at > now)
    row = connection.execute(query).one_or_none()
    return SignIn(*row) if row else None


def end_sign_in(connection: Connection, token_hash: str) -> None:
    connection.execute(delete(sign_ins).where(sign_ins.c.token_hash == token_hash))


def forget_expired(connection: Connection, now: datetime) -> None:
    """Delete links and sign-ins whose time is over."""
    for table in (sign_in_links, sign_ins):
        connection.execute(delete(table).where(table.c.expires_at <= now))


def add_api_token(connection: Connection, token: ApiToken, token_hash: str) -> None:
    row = {field.name: getattr(token, field.name) for field in fields(token)}
    connection.execute(
        insert(api_tokens).values({**row, "scopes": list(token.scopes), "token_hash": token_hash})
    )


def find_api_token(connection: Connection, token_hash: str, now: datetime) -> ApiToken | None:
    """Return the facts of a token; None when it is unknown, expired or revoked."""
    columns = api_tokens.c
    valid = (columns.token_hash == token_hash) & columns.revoked_at.is_(None) & (columns.expires_at > now)
    rows = connection.execute(select(api_tokens).where(valid)).mappings()
    return next(map(_api_token, rows), None)


def all_api_tokens(connection: Connection) -> list[ApiToken]:
    """Every token that there ever was, the last one first."""
    rows = connection.execute(select(api_tokens).order_by(api_tokens.c.created_at.desc())).mappings()
    return list(map(_api_token, rows))


def note_api_token_used(connection: Connection, token_id: str, now: datetime) -> None:
    connection.execute(update(api_tokens).where(api_tokens.c.token_id == token_id).values(last_used_at=now))


def revoke_api_token(connection: Connection, token_id: str, now: datetime) -> bool:
    """Revoke a token; False if it was not valid."""
    mine = (api_tokens.c.token_id == token_id) & api_tokens.c.revoked_at.is_(None)
    return connection.execute(update(api_tokens).where(mine).values(revoked_at=now)).rowcount == 1


def _api_token(row: Mapping[Any, Any]) -> ApiToken:
    facts = {field.name: row[field.name] for field in fields(ApiToken)}
    return ApiToken(**{**facts, "scopes": tuple(facts["scopes"])})
