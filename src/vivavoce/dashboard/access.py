"""Sign-in of the first owner, and the names of roles."""

from typing import Final

from vivavoce.core.i18n import N_
from vivavoce.log import accounts
from vivavoce.log.store import Log
from vivavoce.participant.accounts import OWNER, Access

NAMES_OF_ROLES: Final = (
    N_("viewer"),
    N_("researcher"),
    N_("owner"),
    N_("annotator"),
    N_("wizard"),
    N_("team"),
    N_("program"),
)


def first_link(log: Log, base_url: str, *, always: bool = False) -> str:
    """Sign-in address for a researcher: an invite link for the first owner.

    Once there is an owner's account it is the plain sign-in page, unless `always`.
    """
    with log.reading() as connection:
        existing = accounts.all_accounts(connection)
        owned = any(account.role == OWNER and account.study is None for account in existing)
    if owned and not always:
        return base_url.rstrip("/") + "/sign-in"
    return Access(log).invite(OWNER, base_url)
