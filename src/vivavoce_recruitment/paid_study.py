"""A study with one of its recruiters that pay: what verbs and the dashboard's page share."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.study.recruiter import RECRUITERS
from vivavoce_recruitment.ledger import Ledger, Listing
from vivavoce_recruitment.payment import RecordedWork, judged
from vivavoce_recruitment.platform import (
    PaidRecruiter,
    Platform,
    PlatformError,
    PricedRecruiter,
    Terms,
)

Kind = TypeVar("Kind", bound=PricedRecruiter)


def priced_recruiters(study: Study, kind: type[Kind]) -> list[Kind]:
    """The recruiters of this kind that a study names, in its order."""
    recruiters = [RECRUITERS.get(name) for name in study.recruitment]
    return [recruiter for recruiter in recruiters if isinstance(recruiter, kind)]


def choose_recruiter(study: Study, kind: type[Kind], name: str | None, *, place: str) -> Kind:
    """The recruiter of this name, or the only one of its kind.

    Raises  InputError: there is none, or several and none is named; UnknownName
    """
    by_name = {priced_recruiter.name: priced_recruiter for priced_recruiter in priced_recruiters(study, kind)}
    if name is not None:
        if name not in by_name:
            raise UnknownName("recruiter of this study that does so", name, sorted(by_name), place=place)
        return by_name[name]
    if not by_name:
        hint = (
            "add `prolific: {reward: 2.00 GBP, places: 20, ...}` (or another paid recruiter) "
            "under `recruitment`"
        )
        raise InputError("this study has no recruiter that pays in this way", place=place, hint=hint)
    if len(by_name) > 1:
        names = ", ".join(sorted(by_name))
        hint = f"add --recruiter with one of: {names}"
        raise InputError(f"{len(by_name)} recruiters pay in this study", place=place, hint=hint)
    return next(iter(by_name.values()))


@dataclass(frozen=True)
class PaidStudy:
    """One recruiter of a study with its ledger; platforms that it opens are closed with `stack`."""

    study: Study
    recruiter: PricedRecruiter
    ledger: Ledger
    stack: ExitStack

    @property
    def name(self) -> str:
        return self.recruiter.name

    @property
    def settings(self) -> Any:
        return self.study.recruitment[self.name]

    @property
    def terms(self) -> Terms:
        return self.recruiter.terms(self.settings)

    def platform(self, only: Sequence[str] | None = None) -> Platform:
        """The platform; only: what is offered there is for these people alone, by its keys.

        Raises  InputError: it has no interface, cannot offer to some alone, or a secret is not set
        """
        if not isinstance(self.recruiter, PaidRecruiter):
            hint = "write a payment sheet with `vivavoce recruit sheet`"
            raise InputError(f"{self.recruiter.place} cannot pay from here", place=self.name, hint=hint)
        recruiter, settings = self.recruiter, self.settings
        platform = recruiter.open(settings) if only is None else recruiter.open_for(settings, only)
        return self.stack.enter_context(closing(platform))

    def listed(self) -> Listing:
        """Raises  InputError: the study is not offered yet"""
        published = self.ledger.listing(self.name)
        if published is None or published.listing is None:
            hint = "run `vivavoce recruit publish STUDY --confirm` first"
            raise InputError(f"{self.study.name} is not published on {self.recruiter.place}", hint=hint)
        return published

    @property
    def listing(self) -> str:
        """Platform's name of the study. Raises InputError before publication."""
        return self.listed().listing or ""

    def work(self, platform: Platform) -> list[RecordedWork]:
        """Everybody's work as the platform has it now, which the ledger notes, beside our own record."""
        submissions = platform.submissions(self.listing)
        self.ledger.note_submissions(
            self.name, {submission.ticket: submission.status for submission in submissions}
        )
        return judged(self.ledger.log, self.study.name, self.name, submissions)


@contextmanager
def opened(study: Study, recruiter: PricedRecruiter, log: Log) -> Iterator[PaidStudy]:
    """A study with a recruiter, while the block lasts.

    Raises  InputError: in the place of what a platform did not do
    """
    with ExitStack() as stack:
        try:
            yield PaidStudy(study, recruiter, Ledger(log, study.name), stack)
        except PlatformError as error:
            hint = "check with `vivavoce recruit status`, then run it again; no payment is sent twice"
            raise InputError(str(error), place=recruiter.place, hint=hint) from None
