"""What was paid, for the accounts: every payment that was sent, and sums that tell apart what is open."""

import csv
import io
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from vivavoce.log.store import Log
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.money import CREDITS, Money
from vivavoce_recruitment.receipts import COLUMNS, receipts_of, totals

# recruiter, kind, ticket, amount, and what became of it once it was sent; None: it was not
PAYMENTS = [
    ("prolific", "reward", "a", Money(205, "GBP"), "confirmed"),
    ("prolific", "bonus", "a", Money(50, "GBP"), "confirmed"),
    ("prolific", "reward", "b", Money(200, "GBP"), "unknown"),
    ("prolific", "reward", "c", Money(200, "GBP"), "refused"),
    ("prolific", "reward", "d", Money(200, "GBP"), None),
    ("prolific", "reward", "=e", Money(200, "GBP"), "accepted"),
    ("connect", "reward", "f", Money(300, "JPY"), "sent"),
    ("sona", "credit", "g", Money(50, CREDITS), "confirmed"),
]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield Ledger(log, "paid")


def pay(ledger: Ledger) -> None:
    for recruiter, kind, ticket, amount, state in PAYMENTS:
        ledger.plan(recruiter, "l", kind, [(ticket, kind, amount)])
        (planned,) = (one for one in ledger.payments("planned") if (one.ticket, one.kind) == (ticket, kind))
        if state is not None:
            (sent,) = ledger.move([planned], "sent")
            if state != "sent":
                ledger.move([sent], state)


def test_a_receipt_is_a_row_for_what_was_sent_in_major_units(ledger: Ledger) -> None:
    pay(ledger)
    rows = list(csv.DictReader(io.StringIO(receipts_of(ledger.payments()))))
    names = "submission", "kind", "amount", "currency", "state"
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("a", "reward", "2.05", "GBP", "confirmed"),
        ("a", "bonus", "0.50", "GBP", "confirmed"),
        ("b", "reward", "2.00", "GBP", "perhaps paid"),
        ("'=e", "reward", "2.00", "GBP", "accepted"),
        ("f", "reward", "300", "JPY", "perhaps paid"),
        ("g", "credit", "0.50", "credits", "confirmed"),
    ]
    assert all(row["at"].endswith("+00:00") for row in rows)
    pounds = [row for row in rows if row["currency"] == "GBP" and row["state"] != "perhaps paid"]
    assert sum(Decimal(row["amount"]) for row in pounds) == Decimal("4.55")


def test_sums_tell_currencies_and_what_is_only_perhaps_paid_apart(ledger: Ledger) -> None:
    pay(ledger)
    assert totals(ledger.payments()) == [
        ("connect", "reward", True, 1, Money(300, "JPY")),
        ("prolific", "bonus", False, 1, Money(50, "GBP")),
        ("prolific", "reward", False, 2, Money(405, "GBP")),
        ("prolific", "reward", True, 1, Money(200, "GBP")),
        ("sona", "credit", False, 1, Money(50, CREDITS)),
    ]


def test_where_nothing_was_sent_only_columns_are_written(ledger: Ledger) -> None:
    ledger.plan("prolific", "l", "reward", [("a", "reward", Money(200, "GBP"))])
    assert receipts_of(ledger.payments()) == ",".join(COLUMNS) + "\n" and totals(ledger.payments()) == []
