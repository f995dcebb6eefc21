"""Payments in the ledger: planned once, moved once, on disk before anybody is called."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.log.store import Log
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.payment import pay_bonuses, pay_rewards
from vivavoce_recruitment.platform import NotDone, Platform, Unknown

POUND = Money(100, "GBP")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield Ledger(log, "paid")


class Teller(Platform):
    """Looks into the ledger whenever it is asked to pay, and fails as it is told."""

    def __init__(self, ledger: Ledger, error: Exception | None = None) -> None:
        self.ledger, self.error = ledger, error
        self.states: list[str] = []

    def close(self) -> None: ...

    def make_listing(self, listing, *, title, url) -> str:
        raise NotImplementedError

    def publish(self, listing) -> str:
        raise NotImplementedError

    def submissions(self, listing):
        raise NotImplementedError

    def approve(self, ticket: str) -> None:
        self._pay()

    def set_up_bonuses(self, listing, bonuses) -> str:
        return "bulk-1"

    def pay_bonuses(self, reference: str) -> None:
        self._pay()

    def _pay(self) -> None:
        assert self.ledger.log.recording_folder is not None
        file = self.ledger.log.recording_folder.with_name("log.sqlite")
        with sqlite3.connect(file) as other:
            self.states += [state for (state,) in other.execute("select state from recruitment_payments")]
        other.close()
        if self.error is not None:
            raise self.error


def test_what_is_due_twice_is_planned_once(ledger: Ledger) -> None:
    for _ in range(2):
        planned = ledger.plan("prolific", "s", "reward", [("a", "reward", POUND), ("b", "reward", POUND)])
    assert {one.ticket for one in planned} == {"a", "b"}
    assert len(ledger.payments()) == 2


def test_a_payment_that_somebody_else_took_cannot_be_moved(ledger: Ledger) -> None:
    planned = ledger.plan("prolific", "s", "reward", [("a", "reward", POUND), ("b", "reward", POUND)])
    ledger.move(planned[:1], "sent")
    with pytest.raises(InputError, match="no longer planned"):
        ledger.move(planned, "sent")
    assert sorted(one.state for one in ledger.payments()) == ["planned", "sent"], "all or none"


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (None, "confirmed"),
        (Unknown("no answer"), "unknown"),
        (NotDone("not there", passing=True), "planned"),
        (NotDone("no such submission", passing=False), "refused"),
    ],
)
def test_a_reward_is_sent_on_disk_before_it_is_paid(
    ledger: Ledger, error: Exception | None, state: str
) -> None:
    teller = Teller(ledger, error)
    pay_rewards(ledger, teller, ledger.plan("prolific", "s", "reward", [("a", "reward", POUND)]))
    assert teller.states == ["sent"]
    assert [one.state for one in ledger.payments()] == [state]


@pytest.mark.postgresql
def test_the_ledger_is_the_same_on_a_server(postgresql_url: str, tmp_path: Path) -> None:
    with Log.open(postgresql_url, recording_folder=tmp_path) as log:
        ledger = Ledger(log, "paid")
        [one] = ledger.plan("prolific", "s", "reward", [("a", "reward", POUND)])
        ledger.move([one], "sent")
        with pytest.raises(InputError, match="no longer planned"):
            ledger.move([one], "sent")
        assert [each.state for each in Ledger(log, "paid").payments()] == ["sent"]


def test_a_bonus_of_which_nobody_knows_is_never_sent_again(ledger: Ledger) -> None:
    teller = Teller(ledger, Unknown("no answer"))
    for _ in range(3):
        ledger.plan("prolific", "s", "bonus", [("a", "five", POUND)])
        pay_bonuses(ledger, teller, "prolific", "s")
    assert teller.states == ["sent"]
    assert [(one.state, one.reference) for one in ledger.payments()] == [("unknown", "bulk-1")]
