"""Recruitment by links: an open one for everybody, or invitations of which each brings one visit."""

import secrets
from collections.abc import Mapping
from typing import Final

from pydantic import Field

from vivavoce.log.store import Log
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted, Recruiter
from vivavoce.study.settings import Flag, Settings
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment.ledger import Ledger

PARAMETER: Final = "t"


class LinkSettings(Settings):
    """Who may come by link."""

    open: Flag = Field(False, description="let participants in without an invitation")


class Links(Recruiter):
    """An invitation's token is stored as its SHA-256 only; the same token leads back into its visit."""

    name = "links"
    settings = LinkSettings
    summary = "an open link, or invitations for one visit each"

    def claims(self, settings: LinkSettings, query: Mapping[str, str]) -> bool:
        return PARAMETER in query or settings.open

    def admit(self, settings: LinkSettings, study: str, log: Log, query: Mapping[str, str]) -> Admission:
        token = query.get(PARAMETER)
        if token is None:
            return Admission()
        if not Ledger(log, study).invited(token_hash(token)):
            raise NotAdmitted("no_invitation")
        return Admission(ticket=token, verified=True)

    def hand_back(
        self, settings: LinkSettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack(code)


def invite(ledger: Ledger, number: int, address: str) -> list[str]:
    """New invitations: links that can be told from here only, since nobody keeps their tokens."""
    tokens = [secrets.token_urlsafe(32) for _ in range(number)]
    ledger.add_invitations(map(token_hash, tokens))
    return [f"{address.rstrip('/')}/?{PARAMETER}={token}" for token in tokens]
