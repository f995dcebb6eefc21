"""Who may come in to the dashboard: the accounts of `web.accounts`, and the first owner's link."""

from typing import Final

from vivavoce.core.i18n import N_
from vivavoce.log import accounts
from vivavoce.log.store import Log
from vivavoce.web.accounts import (
    ANNOTATOR,
    BROWSER_COOKIE,
    BROWSER_DAYS,
    OWNER,
    ROLES,
    SIGN_IN_LIVES,
    Access,
    SignedIn,
)

__all__ = [
    "ANNOTATOR",
    "BROWSER_COOKIE",
    "BROWSER_DAYS",
    "NAMES_OF_ROLES",
    "OWNER",
    "ROLES",
    "SIGN_IN_LIVES",
    "Access",
    "SignedIn",
    "first_link",
]  # fmt: skip

NAMES_OF_ROLES: Final = (
    N_("viewer"), N_("researcher"), N_("owner"), N_("annotator"), N_("wizard"), N_("team"),
)  # fmt: skip


def first_link(log: Log, base_url: str, *, always: bool = False) -> str:
    """The address by which a researcher comes in: a one-time link for the first owner.

    Once there is an owner's account it is the plain sign-in page, unless `always`.
    """
    with log.reading() as connection:
        owned = any(account.role == OWNER for account in accounts.all_accounts(connection))
    if owned and not always:
        return base_url.rstrip("/") + "/sign-in"
    return Access(log).invite(OWNER, base_url)
