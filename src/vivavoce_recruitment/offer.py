"""Offering a study on a platform once, whatever stops in between, and having it tell what changes."""

import os
from secrets import token_hex

from vivavoce.connectors.secrets import names_in
from vivavoce.core.errors import InputError
from vivavoce_recruitment.ledger import Listing
from vivavoce_recruitment.paid_study import PaidStudy
from vivavoce_recruitment.platform import PaidRecruiter, Platform


class NoticeSecretMissing(Exception):
    """The environment lacks the secret with which notices are signed; `name` is its name there."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def make_offer(paid: PaidStudy, platform: Platform) -> str:
    """The platform's word for the study, made there where it is not yet: its mark is on disk before."""
    name, terms = paid.study.name, paid.terms
    assert isinstance(paid.recruiter, PaidRecruiter)
    listing = paid.ledger.begin_listing(
        Listing(name, paid.name, f"{name}-{token_hex(8)}", None, terms.reward.minor, terms.reward.currency,
                terms.places, paid.recruiter.codes())
    )  # fmt: skip
    if listing.listing is not None:
        return listing.listing
    title = paid.study.title[paid.study.default_language]
    identifier = platform.make_listing(listing, title=title, url=paid.settings.site)
    paid.ledger.name_listing(listing, identifier)
    return identifier


def subscribe_notices(paid: PaidStudy, platform: Platform) -> tuple[str, str]:
    """Where notices will come, and the platform's word for the subscription, made where it is not yet.

    Raises  NoticeSecretMissing; InputError: the study file names no secret
    """
    written = getattr(paid.settings, "webhook_secret", None)
    if written is None:
        hint = f"add `webhook_secret: ${{{paid.name.upper()}_WEBHOOK_SECRET}}` under `{paid.name}`"
        raise InputError("no secret is named that signs notices", place=f"recruitment.{paid.name}", hint=hint)
    missing = [name for name in names_in(written) if not os.environ.get(name)]
    if missing:
        raise NoticeSecretMissing(missing[0])
    address = f"{paid.settings.site}/recruiters/{paid.name}/notices"
    return address, platform.subscribe(address)
