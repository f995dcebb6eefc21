"""What a trial costs: at its declared size, by the hour, and so far."""

from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from vivavoce.log.store import Log
from vivavoce_recruitment.ledger import OPEN, PAID, Payment
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.platform import Terms


@dataclass(frozen=True, slots=True)
class Estimate:
    """Figures of one recruiter's terms.

    bonuses         at most: everybody earns all of them
    fee             None: nobody said what the platform takes
    total           rewards, bonuses and, where it is known, the fee
    median_minutes  of completed visits so far, by our clock; None: there is none
    hourly_declared, hourly_so_far  the reward by the hour, without bonuses
    paid, perhaps   what the ledger has as paid, and what is perhaps paid
    """

    places: int
    rewards: Money
    bonuses: Money
    fee: Money | None
    total: Money
    minutes: int
    median_minutes: float | None
    visits: int
    hourly_declared: Money
    hourly_so_far: Money | None
    paid: Money
    perhaps: Money


def completed_minutes(log: Log, study: str, recruiter: str) -> list[float]:
    """Minutes from start to end of each completed visit of a person whom this recruiter sent."""
    return [
        (visit.last_at - visit.opened_at).total_seconds() / 60
        for visit in log.visits(study, running=False)
        if visit.pool == recruiter and visit.outcome == "completed" and not visit.simulated
    ]


def estimate(terms: Terms, minutes: list[float], payments: list[Payment]) -> Estimate:
    """What these terms cost; minutes: of completed visits so far."""
    currency = terms.reward.currency
    rewards = terms.reward.minor * terms.places
    bonuses = sum(bonus.pay.minor for bonus in terms.bonuses) * terms.places
    fee = None if terms.fee_percent is None else _rounded((rewards + bonuses) * terms.fee_percent / 100)
    typical = median(minutes) if minutes else None
    spent: Counter[str] = Counter()
    for one in payments:
        spent["paid" if one.state in PAID else "perhaps" if one.state in OPEN else "due"] += one.minor
    return Estimate(
        places=terms.places, rewards=Money(rewards, currency), bonuses=Money(bonuses, currency),
        fee=None if fee is None else Money(fee, currency),
        total=Money(rewards + bonuses + (fee or 0), currency), minutes=terms.minutes, median_minutes=typical,
        visits=len(minutes), hourly_declared=_hourly(terms.reward, Decimal(terms.minutes)),
        hourly_so_far=_hourly(terms.reward, Decimal(str(typical))) if typical else None,
        paid=Money(spent["paid"], currency), perhaps=Money(spent["perhaps"], currency),
    )  # fmt: skip


def _hourly(reward: Money, minutes: Decimal) -> Money:
    return Money(_rounded(reward.minor * 60 / minutes), reward.currency)


def _rounded(minor: Decimal) -> int:
    return int(minor.quantize(Decimal(1), ROUND_HALF_UP))
