"""Recruitment by personal links: each leads a participant of an earlier session to the one that follows."""

import secrets
from collections.abc import Iterable, Mapping
from typing import Final

from vivavoce.log.follow_ups import Invited, invited_by_link, link_invited
from vivavoce.log.store import Log
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted, Recruiter
from vivavoce.study.settings import Settings
from vivavoce.trial.codes import token_hash

PARAMETER: Final = "again"


class PersonalLinkSettings(Settings):
    """Nothing is to be set: `follow_up` says who may come, and when."""


class PersonalLinks(Recruiter):
    """A link proves who comes; the log has its SHA-256 only, and the same link leads back into its visit."""

    name = "personal_links"
    settings = PersonalLinkSettings
    summary = "personal links for participants of an earlier session, in studies with `follow_up`"

    def claims(self, settings: PersonalLinkSettings, query: Mapping[str, str]) -> bool:
        return PARAMETER in query

    def admit(
        self, settings: PersonalLinkSettings, study: str, log: Log, query: Mapping[str, str]
    ) -> Admission:
        token = query.get(PARAMETER, "")
        invited = invited_by_link(log, study, token_hash(token))
        if invited is None:
            raise NotAdmitted("no_invitation")
        return Admission(ticket=token, verified=True, once=True, participant=invited.participant_id)

    def hand_back(
        self, settings: PersonalLinkSettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack(code)


def make_links(log: Log, study: str, people: Iterable[Invited], address: str) -> dict[str, str]:
    """A new link for each of these, by participant; a link that they had leads nowhere any more.

    Note  it can be told from here only: nobody keeps the tokens
    """
    tokens = {person.participant_id: secrets.token_urlsafe(32) for person in people}
    link_invited(log, study, {who: token_hash(token) for who, token in tokens.items()})
    return {who: f"{address.rstrip('/')}/?{PARAMETER}={token}" for who, token in tokens.items()}
