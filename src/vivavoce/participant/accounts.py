"""Access: one-time links, accounts with passwords, sign-ins with roles.

The dashboard's people and the annotators are accounts of one kind; their role decides what they see.
Tokens are 256 random bits, of which the log keeps only the SHA-256; passwords are hashed by argon2.
"""

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Final, Literal, TypeVar
from uuid import uuid4

from pwdlib import PasswordHash

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.log import accounts
from vivavoce.log.accounts import Account, ApiToken
from vivavoce.log.events import ACTIONS, ActionTaken
from vivavoce.log.store import Conflict, Log, StoredEvent, Transaction
from vivavoce.participant.rate_limit import Backoff

ROLES: Final = ("viewer", "researcher", "owner")  # of the dashboard; each may what those before it may
OWNER: Final = "owner"
ANNOTATOR: Final = "annotator"
TRIES_OUT: Final = "tries_out"  # of a link by which the team tries the study out
NO_SIGN_IN: Final = (ANNOTATOR, TRIES_OUT)  # whose links sign nobody in to the dashboard
LINK_LIVES: Final = timedelta(hours=24)
SIGN_IN_LIVES: Final = timedelta(hours=12)
SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 200
LONGEST_NAME: Final = 80
FREE_TRIES: Final = 10  # of one name from one address, or from one known browser
FREE_TRIES_OF_ADDRESS: Final = 40
HASHES_AT_ONCE: Final = 2  # each takes 64 MiB and a core
MOST_WAITING: Final = 8  # for a hash, beside known browsers: threads that pages are not left without
SCOPES: Final = ("progress", "results", "export")  # what a token may read
PROGRAM: Final = "program"
LONGEST_TOKEN_DAYS: Final = 366
USED_AFTER: Final = timedelta(minutes=1)  # how exactly is known when a token was last used
BROWSER_COOKIE: Final = "vivavoce-browser"
BROWSER_DAYS: Final = 365


TOKEN_BEGINS: Final = "vivavoce_"  # so that whoever finds one somewhere knows what it is
Result = TypeVar("Result")
Mistake = Literal["too_many", "wrong", "old", "differ", "same", "taken", "used", "name", "password", "token"]


class SignInRefused(InputError):
    """Rejected sign-in input; `kind` says why, for pages in other languages."""

    def __init__(self, kind: Mistake, problem: str, *, hint: str, **values: object) -> None:
        """problem, hint: their places `%(name)s` are filled by `values`."""
        self.kind: Mistake = kind
        self.template, self.hint_template, self.values = problem, hint, values
        super().__init__(problem % values, hint=hint % values)


class LastOwner(InputError):
    """The only owner cannot be removed; `values` fills the places of `template`."""

    def __init__(self, name: str) -> None:
        self.template, self.values = N_("%(name)r is the only owner"), {"name": name}
        super().__init__(self.template % self.values, hint=N_("invite another owner first"))


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Someone who is signed in; `token` is the cookie's, `account_id` None until there is an account.

    scopes  of a program that shows a token: what it may read, beside which it may nothing
    study   the one whose pages they may open; None: those of every study of the log
    """

    token: str = field(repr=False)
    role: str
    name: str
    account_id: str | None
    scopes: tuple[str, ...] = ()
    study: str | None = None

    def may(self, role: str) -> bool:
        """True if this role includes the one that a page needs; owners and operators may also annotate."""
        if self.role not in ROLES:
            return self.role == role
        return ROLES.index(self.role) >= ROLES.index("researcher" if role == ANNOTATOR else role)


class Hashing:
    """Turns at hashing passwords, of which this process holds few at once; who finds a queue is refused."""

    def __init__(self, at_once: int, most_waiting: int) -> None:
        self._turns = threading.BoundedSemaphore(at_once)
        self._places = threading.BoundedSemaphore(at_once + most_waiting)

    def run(self, work: Callable[[], Result], *, waits: bool) -> Result:
        """Do the work in its turn; `waits`: however many came before.

        Raises  SignInRefused: too many came before
        """
        if not waits and not self._places.acquire(blocking=False):
            raise _too_many(1)
        try:
            with self._turns:
                return work()
        finally:
            if not waits:
                self._places.release()


HASHING: Final = Hashing(HASHES_AT_ONCE, MOST_WAITING)


class Access:
    """The doorkeeper of one log; `study`: of whose pages, where they are of one."""

    def __init__(self, log: Log, study: str | None = None) -> None:
        self.log, self.study = log, study
        self._passwords = PasswordHash.recommended()
        self._tries, self._of_addresses = Backoff(FREE_TRIES), Backoff(FREE_TRIES_OF_ADDRESS)

    @cached_property
    def _nobody(self) -> str:
        """The hash that a name without account is compared with, so that both take as long."""
        return self._passwords.hash(secrets.token_urlsafe(16))

    def _reaches(self, study: str | None) -> bool:
        """True if access to one study's pages, or to all, includes these."""
        return study is None or self.study in (None, study)

    def invite(self, role: str, base_url: str, *, everywhere: bool = False) -> str:
        """A link that signs in once with this role, within a day; `everywhere`: to every study of the log."""
        return f"{base_url.rstrip('/')}/link/{self._link(role, None if everywhere else self.study)}"

    def try_out(self, participant_url: str) -> str:
        """An address of participants' pages at which, for a day, visits are the team's and count nowhere."""
        return f"{participant_url.rstrip('/')}/?team={self._link(TRIES_OUT, self.study)}"

    def tries_out(self, token: str) -> bool:
        """True if a token belongs to a preview address of the team. Does not use it up."""
        return self.link_role(token) == TRIES_OUT

    def _link(self, role: str, study: str | None) -> str:
        """The token of a new link."""
        token = secrets.token_urlsafe(32)
        expires_at = self.log.clock.now() + LINK_LIVES
        self.log.transact_now(
            lambda tx: accounts.add_sign_in_link(tx.connection, _hashed(token), role, expires_at, study)
        )
        return token

    def link_role(self, token: str) -> str | None:
        """The role that a link would give; None when it is unknown, used or expired. Uses nothing up."""
        with self.log.reading() as connection:
            if not self._reaches(accounts.study_of_link(connection, _hashed(token))):
                return None
            return accounts.find_sign_in_link(connection, _hashed(token), self.log.clock.now())

    def use_link(self, token: str) -> str | None:
        """Use a link up: the token of a new sign-in without an account, or None."""
        session_token = secrets.token_urlsafe(32)

        def run(tx: Transaction) -> str | None:
            study = accounts.study_of_link(tx.connection, _hashed(token))
            if not self._reaches(study):
                return None
            role = accounts.use_sign_in_link(tx.connection, _hashed(token), self.log.clock.now())
            if role is None:
                return None
            self._remember(tx, session_token, role, None, study)
            return session_token

        return self.log.transact_now(run)

    def who(self, token: str) -> SignedIn | None:
        """Account or link of a cookie's token."""
        with self.log.reading() as connection:
            sign = accounts.find_sign_in(connection, _hashed(token), self.log.clock.now())
            if sign is None:
                return None
            account = accounts.account(connection, sign.account_id) if sign.account_id else None
        study = account.study if account else sign.study
        if (sign.account_id and account is None) or not self._reaches(study):
            return None
        name = account.name if account else f"{sign.role} by link"
        return SignedIn(token, sign.role, name, sign.account_id, study=study)

    def sign_in(self, name: str, password: str, address: str, browser: str = "") -> str:
        """The token of a new sign-in.

        Wrong passwords make whoever sends them wait: from one address for one name, and from one address for
        all names. A browser in which this account signed in before (`browser_of`) waits for its own alone, so
        a stranger cannot keep anybody out.

        Raises  SignInRefused: name or password are wrong (not saying which), or too many attempts
        """
        with self.log.reading() as connection:
            account = accounts.find_account(connection, name)
        if account is not None and not self._reaches(account.study):
            account = None
        right = self._is_right(account, name, password, address, browser)
        if account is None or not right:
            raise SignInRefused(
                "wrong",
                N_("wrong name or password"),
                hint=N_("try again, or ask an owner for a new link"),
            )
        token = secrets.token_urlsafe(32)
        self.log.transact_now(lambda tx: self._remember(tx, token, account.role, account.account_id))
        return token

    def _is_right(
        self, account: Account | None, name: str, password: str, address: str, browser: str
    ) -> bool:
        """Check a password against an account, with the rate limit of `sign_in`."""
        is_known = account is not None and _is_known(account, browser)
        key, now_s = browser if is_known else f"{name}\n{address}", self.log.clock.monotonic_s()
        waits_s = [
            self._tries.wait_s(key, now_s),
            0.0 if is_known else self._of_addresses.wait_s(address, now_s),
        ]
        if max(waits_s) > 0:
            raise _too_many(max(waits_s))
        self._tries.tried(key, now_s)
        self._of_addresses.tried(address, now_s)
        right = len(password) <= LONGEST_PASSWORD and HASHING.run(
            lambda: self._passwords.verify(password, account.password_hash if account else self._nobody),
            waits=is_known,
        )
        if account is not None and right:
            self._tries.forget(key)
        return right

    def _hash(self, password: str) -> str:
        """The hash of a new password, of somebody who is signed in."""
        return HASHING.run(lambda: self._passwords.hash(password), waits=True)

    def browser_of(self, token: str) -> str:
        """Browser's token, to recognise it at the next sign-in; "" without an account."""
        who = self.who(token)
        with self.log.reading() as connection:
            account = accounts.find_account(connection, who.name) if who and who.account_id else None
        return _mark(account, secrets.token_urlsafe(16)) if account is not None else ""

    def make_account(self, who: SignedIn, name: str, password: str) -> str:
        """An account for someone who came by a link, with the link's role: the token of its first sign-in.

        Raises  SignInRefused: the name is empty or taken, the password too short or too long
        """
        _check_credentials(name, password)
        hashed, token = self._hash(password), secrets.token_urlsafe(32)

        def run(tx: Transaction) -> None:
            now = self.log.clock.now()
            still = accounts.find_sign_in(tx.connection, _hashed(who.token), now)
            if still is None or still.account_id is not None:
                raise SignInRefused(
                    "used",
                    N_("this link was already used to create an account"),
                    hint=N_("sign in with that account"),
                )
            account = accounts.add_account(tx.connection, name, hashed, still.role, now, still.study)
            accounts.end_sign_in(tx.connection, _hashed(who.token))
            self._remember(tx, token, still.role, account.account_id)

        try:
            self.log.transact_now(run)
        except Conflict:
            raise SignInRefused(
                "taken", N_("the name %(name)r is already taken"), hint=N_("choose another"), name=name
            ) from None
        return token

    def change_password(
        self, who: SignedIn, old: str, new: str, address: str, browser: str = ""
    ) -> tuple[str, int]:
        """Another password for one's own account: the token of a new sign-in, and how many others it ended.

        Wrong old passwords make one wait as they do at `sign_in`.

        Raises  SignInRefused: the old one is wrong or tried too often, the new one too short, too long or no
                other; InputError: there is no account, or it changed meanwhile
        """
        with self.log.reading() as connection:
            account = accounts.account(connection, who.account_id) if who.account_id else None
        if account is None:
            raise InputError(N_("no account to change"), hint=N_("create one first"))
        _check_credentials(account.name, new)
        if new == old:
            raise SignInRefused("same", N_("the new password equals the old one"), hint=N_("choose another"))
        if not self._is_right(account, account.name, old, address, browser):
            raise SignInRefused("old", N_("the old password is wrong"), hint=N_("type your current password"))
        hashed, token = self._hash(new), secrets.token_urlsafe(32)

        def run(tx: Transaction) -> int:
            accounts.forget_expired(tx.connection, self.log.clock.now())
            if accounts.account(tx.connection, account.account_id) != account:
                raise InputError(N_("the account was changed in another session"), hint=N_("sign in again"))
            accounts.end_sign_in(tx.connection, _hashed(who.token))
            sessions_ended = accounts.change_password(tx.connection, account.account_id, hashed)
            self._remember(tx, token, account.role, account.account_id)
            return sessions_ended

        return token, self.log.transact_now(run)

    def sign_out(self, who: SignedIn) -> None:
        self.log.transact_now(lambda tx: accounts.end_sign_in(tx.connection, _hashed(who.token)))

    def accounts(self) -> list[Account]:
        """Those that may open these pages."""
        with self.log.reading() as connection:
            return [account for account in accounts.all_accounts(connection) if self._reaches(account.study)]

    def remove(self, account_id: str, by: SignedIn | None = None) -> None:
        """Remove an account and sign it out everywhere.

        Raises  InputError: there is no such account here, it is the last owner's, or it reaches further than
                that of `by`, who removes it
        """

        def run(tx: Transaction) -> None:
            remaining = {account.account_id: account for account in accounts.all_accounts(tx.connection)}
            gone = remaining.pop(account_id, None)
            if gone is None or not self._reaches(gone.study):
                raise InputError(N_("account not found"), hint=N_("reload the page"))
            if by is not None and by.study is not None and gone.study is None:
                hint = N_("ask an owner of all studies")
                raise InputError(N_("this account covers all studies of the log"), hint=hint)
            owners = [
                account
                for account in remaining.values()
                if account.role == OWNER and account.study in (None, gone.study)
            ]
            if gone.role == OWNER and not owners:
                raise LastOwner(gone.name)
            accounts.remove_account(tx.connection, account_id)

        self.log.transact_now(run)

    def make_token(self, name: str, scopes: Sequence[str], days: int, by: str) -> str:
        """Token for a program, limited to its scopes; it is returned only once.

        Raises  SignInRefused: it has no name, no scope that there is, or no end
        """
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            hint = N_("use 1 to %(most)s characters")
            raise SignInRefused("name", N_("the name is empty or too long"), hint=hint, most=LONGEST_NAME)
        if not scopes or not set(scopes) <= set(SCOPES) or not 1 <= days <= LONGEST_TOKEN_DAYS:
            hint = N_("choose its permissions, and 1 to %(most)s days")
            raise SignInRefused(
                "token", N_("this token has no permissions"), hint=hint, most=LONGEST_TOKEN_DAYS
            )
        token, now = TOKEN_BEGINS + secrets.token_urlsafe(32), self.log.clock.now()
        api_token = ApiToken(
            token_id=uuid4().hex,
            name=name,
            scopes=tuple(scopes),
            study=self.study,
            made_by=by,
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        self.log.transact_now(lambda tx: accounts.add_api_token(tx.connection, api_token, _hashed(token)))
        return token

    def program(self, token: str) -> SignedIn | None:
        """The program that shows a token; None: it is unknown, revoked, expired, or of another study."""
        now = self.log.clock.now()
        with self.log.reading() as connection:
            api_token = accounts.find_api_token(connection, _hashed(token), now)
        if api_token is None or api_token.study not in (None, self.study):
            return None
        if api_token.last_used_at is None or now - api_token.last_used_at >= USED_AFTER:
            self.log.transact_now(
                lambda tx: accounts.note_api_token_used(tx.connection, api_token.token_id, now)
            )
        return SignedIn("", PROGRAM, api_token.name, api_token.token_id, api_token.scopes)

    def tokens(self) -> list[ApiToken]:
        """Those of this study, the last one first, also those that hold no more."""
        with self.log.reading() as connection:
            tokens = accounts.all_api_tokens(connection)
        return [token for token in tokens if token.study in (None, self.study)]

    def revoke_token(self, token_id: str) -> None:
        """Raises  InputError: there is no such token, or it is no longer valid"""
        now = self.log.clock.now()
        exists = any(token.token_id == token_id for token in self.tokens())
        if not exists or not self.log.transact_now(
            lambda tx: accounts.revoke_api_token(tx.connection, token_id, now)
        ):
            raise InputError(N_("token not found"), hint=N_("reload the page"))

    def note(self, who: SignedIn, action: str, about: Mapping[str, str]) -> None:
        """Log an action permanently."""
        event = ActionTaken(
            by=who.name,
            role=who.role,
            account_id=who.account_id,
            action=action,
            about=dict(about),
            study=self.study,
        )
        self.log.transact_now(lambda tx: tx.append(ACTIONS, event))

    def actions(self) -> list[StoredEvent]:
        """Actions on this study's pages, latest first."""
        stored = self.log.events(ACTIONS)[::-1]
        return [
            action
            for action in stored
            if isinstance(action.event, ActionTaken) and action.event.study == self.study
        ]

    def _remember(
        self, tx: Transaction, token: str, role: str, account_id: str | None, study: str | None = None
    ) -> None:
        now = self.log.clock.now()
        accounts.forget_expired(tx.connection, now)
        accounts.add_sign_in(tx.connection, _hashed(token), role, now + SIGN_IN_LIVES, account_id, study)


def typed_twice(password: str, again: str) -> str:
    """A new password that was typed twice. Raises SignInRefused: the two differ."""
    if password != again:
        raise SignInRefused("differ", N_("the two passwords differ"), hint=N_("type the same password twice"))
    return password


def _too_many(wait_s: float) -> SignInRefused:
    hint = N_("wait %(seconds)s s, then try again")
    return SignInRefused("too_many", N_("too many attempts"), hint=hint, seconds=f"{wait_s:.0f}")


def _check_credentials(name: str, password: str) -> None:
    """Raises  SignInRefused: the name or the password is not allowed"""
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        hint = N_("use 1 to %(most)s characters")
        raise SignInRefused("name", N_("the name is empty or too long"), hint=hint, most=LONGEST_NAME)
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        hint = N_("use %(least)s to %(most)s characters; a sentence is easy to remember")
        raise SignInRefused(
            "password",
            N_("the password has %(length)s characters"),
            hint=hint,
            length=len(password),
            least=SHORTEST_PASSWORD,
            most=LONGEST_PASSWORD,
        )
    if name.casefold() in password.casefold() and len(password) < len(name) + SHORTEST_PASSWORD:
        raise SignInRefused(
            "password", N_("the password is too similar to the name"), hint=N_("choose another")
        )


def _mark(account: Account, number: str) -> str:
    """A number that only we can have given to a browser of this account; void with another password."""
    text = f"browser of {account.account_id}: {number}"
    return f"{number}.{hmac.new(account.password_hash.encode(), text.encode(), hashlib.sha256).hexdigest()}"


def _is_known(account: Account, browser: str) -> bool:
    return hmac.compare_digest(_mark(account, browser.partition(".")[0]).encode(), browser.encode())


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
