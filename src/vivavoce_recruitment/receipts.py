"""Receipts: every payment of a study that was sent, for the accounts."""

import csv
import io
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from vivavoce.dataset.csv_files import safe_csv_cell
from vivavoce_recruitment.ledger import OPEN, PAID, Payment
from vivavoce_recruitment.money import Money

COLUMNS: Final = (
    "payment",
    "at",
    "recruiter",
    "listing",
    "submission",
    "kind",
    "reason",
    "amount",
    "currency",
    "state",
)
PERHAPS: Final = "perhaps paid"


def receipts_of(payments: Sequence[Payment]) -> str:
    """A CSV with one row a payment that was sent, oldest first.

    Output  at: when it got into its state, ISO 8601 in UTC; amount: in major units, such as pounds; state: as
            in the ledger, and `perhaps paid` where nobody knows what became of it. Who was erased is
            `erased-...`
    Empty   nothing was sent: the names of the columns
    """
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(COLUMNS)
    for payment in sorted(_sent(payments), key=lambda one: (one.changed_at, one.payment_id)):
        table.writerow(
            [
                payment.payment_id,
                payment.changed_at.isoformat(),
                payment.recruiter,
                safe_csv_cell(payment.listing),
                safe_csv_cell(payment.ticket),
                payment.kind,
                safe_csv_cell(payment.reason),
                f"{payment.amount.major:f}",
                payment.currency,
                PERHAPS if payment.state in OPEN else payment.state,
            ]
        )
    return buffer.getvalue()


def totals(payments: Sequence[Payment]) -> list[tuple[str, str, bool, int, Money]]:
    """Recruiter, kind, whether it is only perhaps paid, number and sum, one each for every currency."""
    amounts: defaultdict[tuple[str, str, bool, str], list[int]] = defaultdict(list)
    for payment in _sent(payments):
        amounts[payment.recruiter, payment.kind, payment.state in OPEN, payment.currency].append(
            payment.minor
        )
    return [
        (recruiter, kind, perhaps, len(sums), Money(sum(sums), currency))
        for (recruiter, kind, perhaps, currency), sums in sorted(amounts.items())
    ]


def _sent(payments: Sequence[Payment]) -> list[Payment]:
    return [payment for payment in payments if payment.state in PAID | OPEN]
