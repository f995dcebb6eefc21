"""Paying people: what is due by our own record, step by step through the ledger, and what became of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlalchemy import select

from vivavoce.log.models import VisitRecord
from vivavoce.log.store import Log
from vivavoce.log.tables import recruit_links
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment.ledger import OPEN, PAID, Ledger, Payment, PaymentState
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.platform import NotDone, Platform, PlatformSubmission, Terms, Unknown
from vivavoce_recruitment.tables import ERASED

MOST_AT_ONCE: Final = 200  # bonuses of one payment, as Prolific takes them


@dataclass(frozen=True, slots=True)
class RecordedWork:
    """A submission beside our own record of it; `visit` is None where nobody came with its ticket."""

    submission: PlatformSubmission
    visit: VisitRecord | None
    dialogues: int

    @property
    def outcome(self) -> str:
        """Outcome in our record: the outcome, `running`, or `absent`."""
        if self.visit is None:
            return "absent"
        return self.visit.outcome or "running"


def judged(
    log: Log, study: str, recruiter: str, submissions: Sequence[PlatformSubmission]
) -> list[RecordedWork]:
    """Submissions with the visits that their tickets opened, and how many dialogues were completed there."""
    links = select(recruit_links.c.ticket_hash, recruit_links.c.visit_id).where(
        recruit_links.c.study == study, recruit_links.c.pool == recruiter
    )
    with log.reading() as connection:
        visit_ids = {row.ticket_hash: row.visit_id for row in connection.execute(links)}
    visits = {visit.visit_id: visit for visit in log.visits(study)}
    dialogue_counts = Counter(
        dialogue.visit_id for dialogue in log.dialogues(study) if dialogue.status == "completed"
    )
    recorded_works = []
    for submission in submissions:
        visit_id = visit_ids.get(token_hash(submission.ticket))
        visit = visits.get(visit_id) if visit_id is not None else None
        recorded_works.append(
            RecordedWork(submission, visit, dialogue_counts[visit_id] if visit_id is not None else 0)
        )
    return recorded_works


def rewards_due(work: Sequence[RecordedWork], terms: Terms) -> list[tuple[str, str, Money]]:
    """Rewards to approve: submitted there, and completed by our own record, whatever code was entered."""
    ready = [
        recorded_work
        for recorded_work in work
        if recorded_work.submission.status == "submitted" and recorded_work.outcome == "completed"
    ]
    return [(recorded_work.submission.ticket, "reward", terms.reward) for recorded_work in ready]


def bonuses_due(work: Sequence[RecordedWork], terms: Terms) -> list[tuple[str, str, Money]]:
    """Bonuses of participants whose reward is approved."""
    return [
        (recorded_work.submission.ticket, name, pay)
        for recorded_work in work
        if recorded_work.submission.status == "approved"
        for name, pay in terms.earned(recorded_work.dialogues)
    ]


def screen_outs_due(work: Sequence[RecordedWork], pay: Money) -> list[tuple[str, str, Money]]:
    """Submissions to screen out: submitted there, and screened out by our own record."""
    ready = [
        recorded_work
        for recorded_work in work
        if recorded_work.submission.status == "submitted" and recorded_work.outcome == "screened_out"
    ]
    return [(recorded_work.submission.ticket, "screened_out", pay) for recorded_work in ready]


def pay_rewards(ledger: Ledger, platform: Platform, payments: Sequence[Payment], by: str = "") -> None:
    """Approve each submission: it is `sent` on disk before the platform is called; by: who decided it."""
    for payment in payments:
        _send(ledger, [payment], partial(platform.approve, payment.ticket), done="confirmed", by=by)


def pay_bonuses(ledger: Ledger, platform: Platform, recruiter: str, listing: str, by: str = "") -> None:
    """Pay all bonuses that are planned, and those that were set up and never sent.

    Raises  NotDone, Unknown: they could not be set up, and nothing was paid
    """
    planned = _bonuses(ledger, recruiter, "planned")
    for start in range(0, len(planned), MOST_AT_ONCE):
        some = planned[start : start + MOST_AT_ONCE]
        reference = platform.set_up_bonuses(listing, [(payment.ticket, payment.amount) for payment in some])
        ledger.move(some, "set_up", reference=reference)
    ready = _bonuses(ledger, recruiter, "set_up")
    for reference in sorted({payment.reference or "" for payment in ready}):
        some = [payment for payment in ready if payment.reference == reference]
        _send(ledger, some, partial(platform.pay_bonuses, reference), done="accepted", by=by)


def pay_screen_outs(
    ledger: Ledger, platform: Platform, listing: str, payments: Sequence[Payment], by: str = ""
) -> None:
    """Screen out, and pay, everybody of these at once."""
    for amount in sorted({payment.amount for payment in payments}):
        some = [payment for payment in payments if payment.amount == amount]
        call = partial(platform.screen_out, listing, [payment.ticket for payment in some], amount)
        _send(ledger, some, call, done="accepted", by=by)


def _bonuses(ledger: Ledger, recruiter: str, state: PaymentState) -> list[Payment]:
    return [payment for payment in ledger.payments(state, recruiter=recruiter) if payment.kind == "bonus"]


def _send(
    ledger: Ledger, payments: Sequence[Payment], call: Callable[[], None], done: PaymentState, by: str = ""
) -> None:
    """Send what is ready; once `sent` is on disk only the platform's word that it did nothing leads back."""
    before = payments[0].state
    sent = ledger.move(payments, "sent", note=f"decided by {by}" if by else None)
    try:
        call()
    except NotDone as error:
        ledger.move(sent, before if error.passing else "refused", note=str(error))
    except Unknown as error:
        ledger.move(sent, "unknown", note=str(error))
    else:
        ledger.move(sent, done)


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Ledger, platform and log side by side.

    ledger       what the ledger has as paid; platform: what the platform has as paid
    open         perhaps paid: nothing of it is sent again
    under_way    accepted by the platform, and not shown there yet
    differences  tickets for which the two have paid different sums: ledger, platform
    unvisited    tickets submitted there whose visit nobody began here
    unlisted     visits of people from there whose ticket the platform does not have
    erased       people who were erased here; the ledger's sum and one of the platform's are taken for theirs
    """

    ledger: Money
    platform: Money
    open: tuple[Payment, ...]
    under_way: tuple[Payment, ...]
    differences: dict[str, tuple[Money, Money]]
    unvisited: tuple[str, ...]
    unlisted: int
    erased: int = 0

    @property
    def agrees(self) -> bool:
        """True if all three agree to the last unit, with nothing left open."""
        problems = (self.open, self.under_way, self.differences, self.unvisited, self.unlisted)
        return not any(problems) and self.ledger == self.platform


def reconcile(ledger: Ledger, recruiter: str, terms: Terms, work: Sequence[RecordedWork]) -> Reconciliation:
    """Settle what the platform says was paid, and compare. Pays nothing, and sends nothing again."""
    by_ticket = {recorded_work.submission.ticket: recorded_work.submission for recorded_work in work}
    all_payments = ledger.payments(recruiter=recruiter)
    for ticket, submission in by_ticket.items():
        _settle(ledger, submission, [payment for payment in all_payments if payment.ticket == ticket])
    payments, currency = ledger.payments(recruiter=recruiter), terms.reward.currency
    listing = ledger.listing(recruiter)
    reward = listing.minor if listing is not None else terms.reward.minor
    ours = _sums(payment for payment in payments if payment.state in PAID)
    waiting = _sums(payment for payment in payments if payment.state == "accepted")
    theirs = {
        key: reward * (submission.status == "approved") + sum(submission.bonuses)
        for key, submission in by_ticket.items()
    }
    strange = [recorded_work.submission for recorded_work in work if recorded_work.visit is None]
    erased = _paired(
        ours,
        {unvisited.ticket: theirs[unvisited.ticket] for unvisited in strange if unvisited.ticket not in ours},
    )
    unlike = {
        key: (Money(ours[key], currency), Money(theirs.get(key, 0), currency))
        for key in sorted({*ours, *theirs} - {*erased, *erased.values()})
        if ours[key] - waiting[key] != theirs.get(key, 0)
    }
    return Reconciliation(
        ledger=Money(sum(ours.values()), currency),
        platform=Money(sum(theirs.values()), currency),
        open=tuple(payment for payment in payments if payment.state in OPEN),
        under_way=tuple(
            payment for payment in payments if payment.state == "accepted" and payment.ticket not in erased
        ),
        differences=unlike,
        unvisited=tuple(
            submission.ticket
            for submission in strange
            if submission.status in ("submitted", "approved") and submission.ticket not in erased.values()
        ),
        unlisted=_visits(ledger, recruiter) - sum(recorded_work.visit is not None for recorded_work in work),
        erased=len(erased),
    )


def _sums(payments: Iterable[Payment]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for payment in payments:
        sums[payment.ticket] += payment.minor
    return sums


def _paired(ours: Counter[str], strange: dict[str, int]) -> dict[str, str]:
    """Erased people of the ledger, each with a ticket of the platform that was paid the same sum."""
    free, pairs = dict(strange), dict[str, str]()
    for name in sorted(key for key in ours if key.startswith(ERASED)):
        same = next((ticket for ticket, minor in free.items() if minor == ours[name]), None)
        if same is not None:
            pairs[name] = same
            del free[same]
    return pairs


def _visits(ledger: Ledger, recruiter: str) -> int:
    return sum(visit.pool == recruiter for visit in ledger.log.visits(ledger.study))


def _settle(ledger: Ledger, submission: PlatformSubmission, payments: Sequence[Payment]) -> None:
    """Note as confirmed what the platform shows as paid; a bonus only if no other payment explains it."""
    for own_payment in payments:
        if own_payment.kind == "reward" and submission.status == "approved" and own_payment.state in OPEN:
            ledger.move([own_payment], "confirmed", note="already approved")
    besides = [payment for payment in payments if payment.kind != "reward"]
    unmatched = Counter(submission.bonuses)
    unmatched.subtract(beside.minor for beside in besides if beside.state == "confirmed")
    for own_payment in besides:
        unsettled = own_payment.state in (*OPEN, "accepted")
        if unsettled and unmatched[own_payment.minor] > 0:
            unmatched[own_payment.minor] -= 1
            ledger.move([own_payment], "confirmed", note="already paid")
