"""Readers of a library come by the link on their card: its number, and a word that stands nowhere else."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted, Recruiter
from vivavoce.study.settings import Settings


class CardSettings(Settings):
    """The cards of readers who may take part."""

    cards: dict[str, str] = Field(min_length=1, description="SHA-256 of the word on a card, by its number")


class Cards(Recruiter):
    name = "cards"
    settings = CardSettings
    summary = "readers of a library, by the number and the word on their card"

    def claims(self, settings: CardSettings, query: Mapping[str, str]) -> bool:
        return "card" in query

    def admit(self, settings: CardSettings, study: str, log: Any, query: Mapping[str, str]) -> Admission:
        card = query.get("card", "")
        word = hashlib.sha256(query.get("word", "").encode()).hexdigest()
        if not hmac.compare_digest(word, settings.cards.get(card, "")):
            raise NotAdmitted("not_proven")
        return Admission(ticket=card, person=card, verified=True)

    def hand_back(
        self, settings: CardSettings, study: str, log: Any, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack(code)
