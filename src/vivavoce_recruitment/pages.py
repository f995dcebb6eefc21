"""Recruitment on the dashboard: how it stands, what is proposed, and a person who decides."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk, fixed
from vivavoce.dashboard.language import gettext, ngettext, told
from vivavoce.dashboard.page import CostLine, DashboardPage, DueAction, MenuItem
from vivavoce.dashboard.progress import OUTCOMES
from vivavoce.dashboard.security import OwnForm, field, who_of
from vivavoce.log.models import PEOPLE, VisitRecord
from vivavoce.study.model import Study
from vivavoce_recruitment.estimate import Estimate, called_minutes, completed_minutes, estimate
from vivavoce_recruitment.ledger import OPEN, PAID, Ledger, Payment, SubmissionStatus
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.paid_study import PaidStudy, choose_recruiter, opened, priced_recruiters
from vivavoce_recruitment.payment import (
    RecordedWork,
    bonuses_due,
    judged,
    pay_bonuses,
    pay_rewards,
    rewards_due,
)
from vivavoce_recruitment.platform import PaidRecruiter, PlatformSubmission, PricedRecruiter, Terms
from vivavoce_recruitment.workers import CHANGED, FoundSigns, found_signs


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
    """State of recruitment by one recruiter.

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
    """State of recruitment by ledger and log alone."""
    submissions = ledger.submissions(recruiter)
    work = judged(
        ledger.log, ledger.study, recruiter, [_noted(*submission) for submission in submissions.items()]
    )
    payments = ledger.payments(recruiter=recruiter)
    begun_payments = {(payment.ticket, payment.reason) for payment in payments if payment.state != "planned"}
    earned = [pay for ticket, name, pay in bonuses_due(work, terms) if (ticket, name) not in begun_payments]
    currency = terms.reward.currency
    waiting = [
        _proposal(recorded_work, recorded_work.visit)
        for recorded_work in work
        if recorded_work.visit is not None and _waits(recorded_work, begun_payments)
    ]
    visits = [visit for visit in ledger.log.visits(ledger.study) if visit.pool == recruiter]
    return RecruitmentStanding(
        came=Counter(visit.outcome or "running" for visit in visits),
        there=Counter(recorded_work.submission.status for recorded_work in work),
        waiting=sorted(waiting, key=lambda one: one.visit.position),
        bonuses=(len(earned), Money(sum(pay.minor for pay in earned), currency)),
        perhaps=[payment for payment in payments if payment.state in OPEN],
        paid=Money(sum(payment.minor for payment in payments if payment.state in PAID), currency),
    )


def _noted(ticket: str, status: SubmissionStatus) -> PlatformSubmission:
    return PlatformSubmission(ticket, "", "", status, None, (), None)


def _waits(one: RecordedWork, begun: set[tuple[str, str]]) -> bool:
    return one.submission.status == "submitted" and (one.submission.ticket, "reward") not in begun


def _proposal(one: RecordedWork, visit: VisitRecord) -> WaitingSubmission:
    minutes = (visit.last_at - visit.opened_at).total_seconds() / 60
    ticket = one.submission.ticket
    return WaitingSubmission(ticket, visit, minutes, one.dialogues, approve=one.outcome == "completed")


MOST_AT_ONCE: Final = 40  # fields of a form; who waits longer is on the next page
THERE: Final = {
    "running": N_("under way"),
    "submitted": N_("to decide"),
    "approved": N_("approved"),
    "rejected": N_("rejected"),
    "returned": N_("returned"),
    "timed_out": N_("timed out"),
    "screened_out": N_("screened out"),
    "other": N_("other"),
}
KINDS: Final = {
    "reward": N_("reward"),
    "bonus": N_("bonus"),
    "screen_out": N_("screened out"),
    "credit": N_("credit"),
}
router = APIRouter(prefix="/recruitment")


def _pays(study: Study) -> bool:
    return bool(priced_recruiters(study, PricedRecruiter))


def due_decisions(request: Request, desk: Desk) -> list[DueAction]:
    """Submissions, bonuses and payments that wait for a person."""
    ledger, actions = Ledger(desk.log, desk.study.name), list[DueAction]()
    for recruiter in priced_recruiters(desk.study, PricedRecruiter):
        now = standing(ledger, recruiter.name, recruiter.terms(desk.study.recruitment[recruiter.name]))
        at, values = f"/recruitment#{recruiter.name}", {"place": recruiter.place}
        if n := len(now.perhaps):
            text = ngettext(
                "%(num)s uncertain payment by %(place)s: check it on the platform",
                "%(num)s uncertain payments by %(place)s: check them on the platform",
                n,
                **values,
            )
            actions.append(DueAction(text, at, urgent=True))
        if n := len(now.waiting):
            text = ngettext(
                "%(num)s submission by %(place)s to approve",
                "%(num)s submissions by %(place)s to approve",
                n,
                **values,
            )
            actions.append(DueAction(text, at))
        if n := now.bonuses[0]:
            text = ngettext(
                "%(num)s unpaid bonus by %(place)s",
                "%(num)s unpaid bonuses by %(place)s",
                n,
                **values,
            )
            actions.append(DueAction(text, at))
    return actions


def recruitment_costs(request: Request, desk: Desk) -> list[CostLine]:
    """Cost of each paying recruiter, for people only; simulated participants are not paid."""
    if desk.scope != PEOPLE:
        return []
    ledger = Ledger(desk.log, desk.study.name)
    recruiters = priced_recruiters(desk.study, PricedRecruiter)
    return [_cost(desk, ledger, recruiter) for recruiter in recruiters]


def _cost(desk: Desk, ledger: Ledger, recruiter: PricedRecruiter) -> CostLine:
    name, study = recruiter.name, desk.study.name
    terms = recruiter.terms(desk.study.recruitment[name])
    costs = estimate(
        terms,
        completed_minutes(desk.log, study, name),
        ledger.payments(recruiter=name),
        called_minutes(desk.log, study, name),
    )
    at = ngettext("Planned sample size: %(num)s place.", "Planned sample size: %(num)s places.", costs.places)
    about = [at, _hourly_words(costs)]
    if costs.perhaps.minor:
        about.append(gettext("Uncertain payments: %(amount)s.", amount=_written(costs.perhaps)))
    if costs.fee is None:
        about.append(gettext("Platform fee not included (not set)."))
    if costs.calls_so_far is not None:
        about.append(gettext("Telephone costs: %(amount)s.", amount=_written(costs.calls_so_far)))
    return CostLine(
        recruiter.place, _written(costs.paid), _written(costs.total), " ".join(about), "/recruitment"
    )


def _hourly_words(found: Estimate) -> str:
    if found.median_minutes is None or found.hourly_so_far is None:
        return gettext("%(amount)s per hour (advertised time).", amount=_written(found.hourly_declared))
    return ngettext(
        "%(amount)s per hour (median time of %(num)s completed visit: %(minutes)s min).",
        "%(amount)s per hour (median time of %(num)s completed visits: %(minutes)s min).",
        found.visits,
        amount=_written(found.hourly_so_far),
        minutes=fixed(found.median_minutes, 1),
    )


def _written(amount: Money) -> str:
    places = str(amount.major).partition(".")[2]
    return f"{fixed(float(amount.major), len(places))} {amount.currency}"


PAGE: Final = DashboardPage(
    name="recruitment",
    router=router,
    menu=(MenuItem("/recruitment", N_("Recruitment"), 950),),
    role="researcher",
    templates=Path(__file__).parent / "templates",
    shown=_pays,
    due=due_decisions,
    costs=recruitment_costs,
    help="how-to/recruit-on-prolific",
)


@router.get("")
def recruitment(request: Request, desk: ThisDesk) -> Response:
    """State of recruitment by ledger and log; no platform request."""
    return _page(request, desk)


@router.post("/{name}/ask")
def ask(name: str, request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Ask the platform how everybody's work stands now."""
    return _done(request, desk, name, lambda paid: paid.work(paid.platform()))


@router.post("/{name}/approve")
def approve(name: str, request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Pay the rewards of the visits that were chosen, as far as they are due when the platform is asked."""
    chosen = {visit_id for visit_id in form.getlist("visit") if isinstance(visit_id, str)}

    def pay(paid: PaidStudy) -> None:
        platform, by = paid.platform(), who_of(request).name
        work = [
            recorded_work
            for recorded_work in paid.work(platform)
            if recorded_work.visit is not None and recorded_work.visit.visit_id in chosen
        ]
        due = rewards_due(work, paid.terms)
        planned = paid.ledger.plan(paid.name, paid.listing, "reward", due)
        tickets = {ticket for ticket, _, _ in due}
        pay_rewards(
            paid.ledger, platform, [payment for payment in planned if payment.ticket in tickets], by=by
        )

    return _done(request, desk, name, pay)


@router.post("/{name}/bonus")
def bonus(name: str, request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Pay what approved participants earned on top."""

    def pay(paid: PaidStudy) -> None:
        platform = paid.platform()
        paid.ledger.plan(paid.name, paid.listing, "bonus", bonuses_due(paid.work(platform), paid.terms))
        pay_bonuses(paid.ledger, platform, paid.name, paid.listing, by=who_of(request).name)

    return _done(request, desk, name, pay)


@router.post("/settle")
def settle(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Note what somebody saw of a payment that is perhaps made."""
    became = field(form, "became")
    if became not in ("paid", "not-paid"):
        raise HTTPException(422, gettext("Select paid or not paid."))
    try:
        Ledger(desk.log, desk.study.name).settle(
            field(form, "payment"), paid=became == "paid", by=who_of(request).name
        )
    except InputError as error:
        return _page(request, desk, 409, told(error))
    return RedirectResponse("/recruitment", 303)


def _done(request: Request, desk: Desk, name: str, work: Callable[[PaidStudy], object]) -> Response:
    try:
        recruiter = choose_recruiter(desk.study, PaidRecruiter, name, place="recruitment")
        with opened(desk.study, recruiter, desk.log) as paid:
            work(paid)
    except InputError as error:
        return _page(request, desk, 409, told(error))
    return RedirectResponse("/recruitment", 303)


def _page(request: Request, desk: Desk, status: int = 200, problem: str = "") -> Response:
    ledger = Ledger(desk.log, desk.study.name)
    cards = [
        _facts(desk, ledger, priced_recruiter)
        for priced_recruiter in priced_recruiters(desk.study, PricedRecruiter)
    ]
    signs = _signs(desk) if any(card["waiting"] for card in cards) else None
    return desk.page(
        request,
        "recruitment.html",
        status,
        recruiters=cards,
        there=THERE,
        outcomes=OUTCOMES,
        kinds=KINDS,
        problem=problem,
        changed=gettext(CHANGED) if signs and signs.changed else "",
        told=lambda person: signs.told(person, gettext) if signs is not None else (),
    )


def _signs(desk: Desk) -> FoundSigns:
    """Signs of people only, whatever the page shows: nobody else is paid."""
    snapshots = desk.snapshots.of("people")
    return snapshots.make(lambda snapshot: found_signs(snapshot.dataset, desk.study))


def _facts(desk: Desk, ledger: Ledger, recruiter: PricedRecruiter) -> dict[str, Any]:
    terms = recruiter.terms(desk.study.recruitment[recruiter.name])
    now, listing = standing(ledger, recruiter.name, terms), ledger.listing(recruiter.name)
    minutes = completed_minutes(desk.log, desk.study.name, recruiter.name)
    return {
        "name": recruiter.name,
        "place": recruiter.place,
        "now": now,
        "offered": listing is not None,
        "places": listing.places if listing is not None else terms.places,
        "reward": terms.reward,
        "cost": estimate(terms, minutes, ledger.payments(recruiter=recruiter.name)),
        "asks": isinstance(recruiter, PaidRecruiter),
        "waiting": now.waiting[:MOST_AT_ONCE],
        "more": max(0, len(now.waiting) - MOST_AT_ONCE),
    }
