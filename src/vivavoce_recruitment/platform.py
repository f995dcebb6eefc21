"""Interface of a platform that pays people; plan, approval, bonuses and reconciliation use it.

Every call that may cost money fails in one of two ways, which are never mixed up: the platform refused or was
not reached (`NotDone`), or nobody knows (`Unknown`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.study.recruiter import Recruiter
from vivavoce_recruitment.ledger import Ledger, Listing, SubmissionStatus
from vivavoce_recruitment.money import CREDITS, Money
from vivavoce_recruitment.settings import BY_DIALOGUE, Bonus, CallCost, DialoguePay

Switch = Literal["pause", "resume", "stop"]
OUTCOMES: Final = (
    "completed",
    "not_accepted",
    "screened_out",
    "no_place",
    "no_consent",
    "withdrew",
    "technical_failure",
)


class PlatformError(VivavoceError):
    """A platform did not do what it was asked."""


class NotDone(PlatformError):
    """It certainly did nothing: it refused, or was not reached; `passing` when it may do it later."""

    def __init__(self, told: str, *, passing: bool) -> None:
        self.passing = passing
        super().__init__(told)


class Unknown(PlatformError):
    """Unknown outcome of a request: no answer, or an unclear one."""


@dataclass(frozen=True, slots=True)
class PlatformSubmission:
    """One person's work as the platform has it.

    bonuses  what it says was paid on top, each in minor units
    minutes  on its clock; None: not over
    """

    ticket: str
    person: str
    listing: str
    status: SubmissionStatus
    code: str | None
    bonuses: tuple[int, ...]
    minutes: float | None


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a study: the reward of each place, and possible bonuses.

    minutes       how long the platform tells people that it takes
    fee_percent   what the platform takes of everything paid; None: nobody said
    per_dialogue  pay for each completed dialogue; None: the reward covers them
    calls         what telephone minutes cost; None: nobody said, or nobody calls
    """

    reward: Money
    places: int
    minutes: int
    bonuses: tuple[Bonus, ...] = ()
    fee_percent: Decimal | None = None
    per_dialogue: DialoguePay | None = None
    calls: CallCost | None = None

    def earned(self, dialogues: int) -> list[tuple[str, Money]]:
        """Bonuses for this number of completed dialogues, with their reasons."""
        bonuses = [(bonus.name, bonus.pay) for bonus in self.bonuses if dialogues >= bonus.dialogues]
        per_dialogue = self.per_dialogue
        if per_dialogue is not None and dialogues:
            bonuses.append(
                (
                    BY_DIALOGUE,
                    Money(
                        per_dialogue.pay.minor * min(dialogues, per_dialogue.max_dialogues),
                        per_dialogue.pay.currency,
                    ),
                )
            )
        return bonuses

    @property
    def most_earned(self) -> int:
        """Highest possible bonus of a participant, in minor units."""
        dialogue_pay = (
            self.per_dialogue.pay.minor * self.per_dialogue.max_dialogues
            if self.per_dialogue is not None
            else 0
        )
        return sum(bonus.pay.minor for bonus in self.bonuses) + dialogue_pay

    @property
    def is_credit(self) -> bool:
        """True if participants get credit, and no money."""
        return self.reward.currency == CREDITS


class Platform(ABC):
    """A platform with its account, as one study uses it; closed by whoever opened it.

    What not every platform does has a body here that says so.
    """

    @abstractmethod
    def close(self) -> None:
        """Let go of connections."""

    @abstractmethod
    def make_listing(self, listing: Listing, *, title: str, url: str) -> str:
        """Offer the study there, not yet to anybody, or find what was made under its mark; its identifier."""

    @abstractmethod
    def publish(self, listing: str) -> str:
        """Show it to people where it is not shown yet; its status in the platform's words."""

    @abstractmethod
    def submissions(self, listing: str) -> list[PlatformSubmission]:
        """Everybody's work, as it is now."""

    @abstractmethod
    def approve(self, ticket: str) -> None:
        """Pay the reward of a submission. Raises NotDone, Unknown."""

    @abstractmethod
    def set_up_bonuses(self, listing: str, bonuses: Sequence[tuple[str, Money]]) -> str:
        """Name what is to be paid to whom; pays nothing yet. The platform's word for it.

        Raises  NotDone: it refuses, or understood another sum; Unknown
        """

    @abstractmethod
    def pay_bonuses(self, reference: str) -> None:
        """Pay what was set up: at some platforms once more each time that it is called.

        Raises  NotDone, Unknown
        """

    def reject(self, ticket: str, category: str, message: str) -> None:
        """Refuse a submission, and say why to its participant. Raises NotDone, Unknown."""
        raise _not_offered("rejections")

    def ask_back(self, ticket: str, reason: str) -> None:
        """Ask a participant to give a submission back. Raises NotDone, Unknown."""
        raise _not_offered("return requests")

    def screen_out(self, listing: str, tickets: Sequence[str], pay: Money) -> None:
        """End submissions of people who do not fit, and pay each of them. Raises NotDone, Unknown."""
        raise _not_offered("screen-outs")

    def switch(self, listing: str, to: Switch) -> str:
        """Pause a listing, go on with it, or end it; its status. Raises NotDone, Unknown."""
        raise _not_offered("pausing")

    def set_places(self, listing: str, places: int) -> int:
        """Offer so many places in all; how many there are then. Raises NotDone, Unknown."""
        raise _not_offered("changes of places")

    def make_notice_secret(self) -> str:
        """A new secret with which the platform signs its notices. Raises NotDone, Unknown."""
        raise _not_offered("signed notices")

    def subscribe(self, address: str) -> str:
        """Have notices of changes sent to an address; the platform's word for it. Raises NotDone, Unknown."""
        raise _not_offered("notices")


def _not_offered(what: str) -> NotDone:
    return NotDone(f"the platform's API does not support {what}: use the platform's website", passing=False)


class PricedRecruiter(Recruiter):
    """A recruiter whose participants get something for it.

    place  what it is called
    """

    place: str

    @abstractmethod
    def terms(self, settings: Any) -> Terms:
        """Terms that the study offers there."""

    def places(self, settings: Any, study: str, log: Any) -> int | None:
        """Those that are offered, else those that are planned."""
        listing = Ledger(log, study).listing(self.name)
        return listing.places if listing is not None else self.terms(settings).places


class SheetRecruiter(PricedRecruiter):
    """A recruiter whose participants are paid on its pages, by a sheet that is written here.

    columns  of the sheet: the person, the outcome, and what is paid on top
    """

    columns: tuple[str, str, str]


class CreditRecruiter(PricedRecruiter):
    """A recruiter whose participants get credit that is a state there: granted twice, it is granted once."""

    @abstractmethod
    def grant(self, settings: Any, person: str) -> None:
        """Grant somebody their credit.

        Raises  NotDone, Unknown; InputError: a secret is not set
        """


class PaidRecruiter(PricedRecruiter):
    """A recruiter whose participants are paid by the platform's interface."""

    @abstractmethod
    def codes(self) -> dict[str, str]:
        """New codes, one for each outcome, that nobody can guess."""

    @abstractmethod
    def open(self, settings: Any) -> Platform:
        """The platform with the account that the settings name. Raises InputError: a secret is not set."""

    def open_for(self, settings: Any, people: Sequence[str]) -> Platform:
        """The platform, where a study is offered to these people alone, by the platform's keys for them.

        Raises  InputError: the platform offers to everybody, or nobody; what `open` raises
        """
        hint = "give people personal links: `recruitment: {personal_links: {}}`"
        raise InputError(f"{self.place} cannot restrict a study to selected people", hint=hint)
