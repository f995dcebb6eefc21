"""Cost of a trial: at its declared size, by the hour, and so far."""

from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from babel.numbers import get_currency_precision

from vivavoce.log.store import Log
from vivavoce.study.channel import calls_out
from vivavoce_recruitment.ledger import OPEN, PAID, Payment
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.platform import Terms


@dataclass(frozen=True, slots=True)
class Estimate:
    """Figures of one recruiter's terms.

    bonuses         at most: everybody earns all of them, and is paid for all dialogues
    fee             None: nobody said what the platform takes
    calls           telephone minutes, at most; None: nobody said what they cost
    total           rewards, bonuses and, where they are known, the fee and the calls
    median_minutes  of completed visits so far, by our clock; None: there is none
    hourly_declared, hourly_so_far  the reward by the hour, without bonuses
    calls_so_far    of those whom this recruiter sent; None: nobody said what they cost
    paid, perhaps   what the ledger has as paid, and what is perhaps paid
    """

    places: int
    rewards: Money
    bonuses: Money
    fee: Money | None
    calls: Money | None
    total: Money
    minutes: int
    median_minutes: float | None
    visits: int
    hourly_declared: Money
    hourly_so_far: Money | None
    calls_so_far: Money | None
    paid: Money
    perhaps: Money


def completed_minutes(log: Log, study: str, recruiter: str) -> list[float]:
    """Minutes from start to end of each completed visit of a person whom this recruiter sent."""
    return [
        (visit.last_at - visit.opened_at).total_seconds() / 60
        for visit in log.visits(study, running=False)
        if visit.pool == recruiter and visit.outcome == "completed" and not visit.simulated
    ]


def called_minutes(log: Log, study: str, recruiter: str) -> float:
    """Minutes that people whom this recruiter sent were in dialogues by telephone."""
    sent = {visit.visit_id for visit in log.visits(study) if visit.pool == recruiter and not visit.simulated}
    return sum(
        (dialogue.ended_at - dialogue.started_at).total_seconds() / 60
        for dialogue in log.dialogues(study)
        if calls_out(dialogue.channel)
        and dialogue.visit_id in sent
        and dialogue.started_at
        and dialogue.ended_at
    )


def estimate(terms: Terms, minutes: list[float], payments: list[Payment], called: float = 0.0) -> Estimate:
    """Cost of these terms; minutes: of completed visits so far; called: minutes of calls so far."""
    currency = terms.reward.currency
    rewards = terms.reward.minor * terms.places
    bonuses = terms.most_earned * terms.places
    calls = None if terms.calls is None else _calls(terms, terms.calls.minutes * terms.places)
    fee = None if terms.fee_percent is None else _rounded((rewards + bonuses) * terms.fee_percent / 100)
    typical = median(minutes) if minutes else None
    spent: Counter[str] = Counter()
    for payment in payments:
        spent["paid" if payment.state in PAID else "perhaps" if payment.state in OPEN else "due"] += (
            payment.minor
        )
    return Estimate(
        places=terms.places,
        rewards=Money(rewards, currency),
        bonuses=Money(bonuses, currency),
        fee=None if fee is None else Money(fee, currency),
        calls=calls,
        total=Money(rewards + bonuses + (fee or 0) + (calls.minor if calls else 0), currency),
        minutes=terms.minutes,
        median_minutes=typical,
        visits=len(minutes),
        hourly_declared=_hourly(terms.reward, Decimal(terms.minutes)),
        hourly_so_far=_hourly(terms.reward, Decimal(str(typical))) if typical else None,
        calls_so_far=None if terms.calls is None else _calls(terms, Decimal(str(called))),
        paid=Money(spent["paid"], currency),
        perhaps=Money(spent["perhaps"], currency),
    )


def _calls(terms: Terms, minutes: Decimal) -> Money:
    """Cost of call minutes at a price in major units."""
    assert terms.calls is not None
    unit = get_currency_precision(terms.reward.currency)
    return Money(_rounded((minutes * terms.calls.per_minute).scaleb(unit)), terms.reward.currency)


def _hourly(reward: Money, minutes: Decimal) -> Money:
    return Money(_rounded(reward.minor * 60 / minutes), reward.currency)


def _rounded(minor: Decimal) -> int:
    return int(minor.quantize(Decimal(1), ROUND_HALF_UP))
