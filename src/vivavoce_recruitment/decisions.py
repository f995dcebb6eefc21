"""What waits for a person, by what the platform last told: nobody is asked, and nothing is paid."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.log.models import VisitRecord
from vivavoce_recruitment.ledger import OPEN, PAID, Ledger, Payment, SubmissionStatus
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.payment import RecordedWork, bonuses_due, judged
from vivavoce_recruitment.platform import PlatformSubmission, Terms


@dataclass(frozen=True, slots=True)
class WaitingSubmission:
    """A submission that waits.

    minutes    from the visit's start to its last event, on our clock
    dialogues  that were completed in it
    approve    whether it is proposed to pay: our own record says that the visit was completed
    """

    ticket: str
    visit: VisitRecord
    minutes: float
    dialogues: int
    approve: bool


@dataclass(frozen=True, slots=True)
class RecruitmentStanding:
    """How recruiting by one recruiter stands.

    there      submissions by status, as the platform last told of those who came here
    waiting    submissions that wait for a decision, in the order in which they began here
    bonuses    what was earned on top and is not in the ledger, and how many times
    perhaps    payments that are perhaps made
    """

    came: Counter[str]
    there: Counter[SubmissionStatus]
    waiting: Sequence[WaitingSubmission]
    bonuses: tuple[int, Money]
    perhaps: Sequence[Payment]
    paid: Money


def standing(ledger: Ledger, recruiter: str, terms: Terms) -> RecruitmentStanding:
    """How recruiting stands by ledger and log alone."""
    told = ledger.submissions(recruiter)
    work = judged(ledger.log, ledger.study, recruiter, [_noted(*one) for one in told.items()])
    payments = ledger.payments(recruiter=recruiter)
    begun = {(one.ticket, one.reason) for one in payments if one.state != "planned"}
    earned = [pay for ticket, name, pay in bonuses_due(work, terms) if (ticket, name) not in begun]
    currency = terms.reward.currency
    waiting = [_proposal(one, one.visit) for one in work if one.visit is not None and _waits(one, begun)]
    visits = [one for one in ledger.log.visits(ledger.study) if one.pool == recruiter]
    return RecruitmentStanding(
        came=Counter(visit.outcome or "running" for visit in visits),
        there=Counter(one.submission.status for one in work),
        waiting=sorted(waiting, key=lambda one: one.visit.position),
        bonuses=(len(earned), Money(sum(one.minor for one in earned), currency)),
        perhaps=[one for one in payments if one.state in OPEN],
        paid=Money(sum(one.minor for one in payments if one.state in PAID), currency),
    )


def _noted(ticket: str, status: SubmissionStatus) -> PlatformSubmission:
    return PlatformSubmission(ticket, "", "", status, None, (), None)


def _waits(one: RecordedWork, begun: set[tuple[str, str]]) -> bool:
    return one.submission.status == "submitted" and (one.submission.ticket, "reward") not in begun


def _proposal(one: RecordedWork, visit: VisitRecord) -> WaitingSubmission:
    minutes = (visit.last_at - visit.opened_at).total_seconds() / 60
    ticket = one.submission.ticket
    return WaitingSubmission(ticket, visit, minutes, one.dialogues, approve=one.outcome == "completed")
