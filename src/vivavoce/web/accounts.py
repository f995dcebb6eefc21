"""Who may come in: one-time links, accounts with passwords, sign-ins with roles.

The dashboard's people and the annotators are accounts of one kind; what they may see is their role's.
Tokens are 256 random bits, of which the log keeps only the SHA-256; passwords are hashed by argon2.
"""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Final

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from pwdlib import PasswordHash

from vivavoce.core.errors import InputError
from vivavoce.log import accounts
from vivavoce.log.accounts import Account
from vivavoce.log.store import Conflict, Log, Transaction

ROLES: Final = ("viewer", "researcher", "owner")  # of the dashboard; each may what those before it may
OWNER: Final = "owner"
ANNOTATOR: Final = "annotator"
LINK_LIVES: Final = timedelta(hours=24)
SIGN_IN_LIVES: Final = timedelta(hours=12)
SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 200
LONGEST_NAME: Final = 80
TRIES: Final = {
    "name from address": parse("10 per 15 minutes"),
    "address": parse("40 per 15 minutes"),
    "name": parse("100 per 15 minutes"),
}


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Someone who is signed in; `token` is the cookie's, `account_id` None until there is an account."""

    token: str = field(repr=False)
    role: str
    name: str
    account_id: str | None

    def may(self, role: str) -> bool:
        """Whether this role reaches the one that a page needs; who steers a trial may also annotate."""
        if self.role not in ROLES:
            return self.role == role
        return ROLES.index(self.role) >= ROLES.index("researcher" if role == ANNOTATOR else role)


class Access:
    """The doorkeeper of one log."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._passwords = PasswordHash.recommended()
        self._tries = MovingWindowRateLimiter(MemoryStorage())

    @cached_property
    def _nobody(self) -> str:
        """The hash that a name without account is compared with, so that both take as long."""
        return self._passwords.hash(secrets.token_urlsafe(16))

    def invite(self, role: str, base_url: str) -> str:
        """A link that signs in once with this role, within a day."""
        token = secrets.token_urlsafe(32)
        expires_at = self.log.clock.now() + LINK_LIVES
        self.log.transact_now(
            lambda tx: accounts.add_sign_in_link(tx.connection, _hashed(token), role, expires_at)
        )
        return f"{base_url.rstrip('/')}/link/{token}"

    def link_role(self, token: str) -> str | None:
        """The role that a link would give; None when it is unknown, used or expired. Uses nothing up."""
        with self.log.reading() as connection:
            return accounts.find_sign_in_link(connection, _hashed(token), self.log.clock.now())

    def use_link(self, token: str) -> str | None:
        """Use a link up: the token of a new sign-in without an account, or None."""
        made = secrets.token_urlsafe(32)

        def run(tx: Transaction) -> str | None:
            role = accounts.use_sign_in_link(tx.connection, _hashed(token), self.log.clock.now())
            if role is None:
                return None
            self._remember(tx, made, role, None)
            return made

        return self.log.transact_now(run)

    def who(self, token: str) -> SignedIn | None:
        """Who a cookie's token stands for."""
        with self.log.reading() as connection:
            found = accounts.find_sign_in(connection, _hashed(token), self.log.clock.now())
            if found is None:
                return None
            account = accounts.account(connection, found.account_id) if found.account_id else None
        if found.account_id and account is None:
            return None
        return SignedIn(
            token, found.role, account.name if account else f"{found.role} by link", found.account_id
        )

    def sign_in(self, name: str, password: str, address: str) -> str:
        """The token of a new sign-in.

        Raises  InputError: name or password are wrong (not saying which), or too many attempts
        """
        keys = {"name from address": f"{name}\n{address}", "address": address, "name": name}
        hits = [self._tries.hit(limit, kind, keys[kind]) for kind, limit in TRIES.items()]
        if not all(hits):
            raise InputError("too many attempts to sign in", cure="wait a quarter of an hour")
        with self.log.reading() as connection:
            account = accounts.find_account(connection, name)
        known = account.password_hash if account else self._nobody
        right = len(password) <= LONGEST_PASSWORD and self._passwords.verify(password, known)
        if account is None or not right:
            raise InputError("name or password is wrong", cure="try again, or ask an owner for a new link")
        self._tries.clear(TRIES["name from address"], "name from address", keys["name from address"])
        token = secrets.token_urlsafe(32)
        self.log.transact_now(lambda tx: self._remember(tx, token, account.role, account.account_id))
        return token

    def make_account(self, who: SignedIn, name: str, password: str) -> str:
        """An account for someone who came by a link, with the link's role: the token of its first sign-in.

        Raises  InputError: the name is empty or taken, the password too short or too long
        """
        _check_credentials(name, password)
        hashed, token = self._passwords.hash(password), secrets.token_urlsafe(32)

        def run(tx: Transaction) -> None:
            now = self.log.clock.now()
            still = accounts.find_sign_in(tx.connection, _hashed(who.token), now)
            if still is None or still.account_id is not None:
                raise InputError("this link has already made an account", cure="sign in with it")
            account = accounts.add_account(tx.connection, name, hashed, still.role, now)
            accounts.end_sign_in(tx.connection, _hashed(who.token))
            self._remember(tx, token, still.role, account.account_id)

        try:
            self.log.transact_now(run)
        except Conflict:
            raise InputError(f"the name {name!r} is taken", cure="choose another") from None
        return token

    def sign_out(self, who: SignedIn) -> None:
        self.log.transact_now(lambda tx: accounts.end_sign_in(tx.connection, _hashed(who.token)))

    def accounts(self) -> list[Account]:
        with self.log.reading() as connection:
            return accounts.all_accounts(connection)

    def remove(self, account_id: str) -> None:
        """Remove an account and sign it out everywhere.

        Raises  InputError: there is no such account, or it is the last owner's
        """

        def run(tx: Transaction) -> None:
            left = {account.account_id: account for account in accounts.all_accounts(tx.connection)}
            gone = left.pop(account_id, None)
            if gone is None:
                raise InputError("there is no such account", cure="reload the page")
            if gone.role == OWNER and not any(account.role == OWNER for account in left.values()):
                raise InputError(f"{gone.name!r} is the only owner", cure="invite another owner first")
            accounts.remove_account(tx.connection, account_id)

        self.log.transact_now(run)

    def _remember(self, tx: Transaction, token: str, role: str, account_id: str | None) -> None:
        now = self.log.clock.now()
        accounts.forget_expired(tx.connection, now)
        accounts.add_sign_in(tx.connection, _hashed(token), role, now + SIGN_IN_LIVES, account_id)


def _check_credentials(name: str, password: str) -> None:
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise InputError("the name is empty or too long", cure=f"use 1 to {LONGEST_NAME} characters")
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        cure = f"use {SHORTEST_PASSWORD} to {LONGEST_PASSWORD}; a sentence is easy to remember"
        raise InputError(f"the password has {len(password)} characters", cure=cure)
    if name.casefold() in password.casefold() and len(password) < len(name) + SHORTEST_PASSWORD:
        raise InputError("the password is little more than the name", cure="choose another")


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
