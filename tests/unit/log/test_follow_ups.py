"""Who may come to a later session, among people of other studies, other recruiters, and who left."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scenes.histories import assigned
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import DialogueEnded, VisitEnded, VisitOpened
from vivavoce.log.follow_ups import (
    Invited,
    completed_people,
    forget_invited,
    invited_as,
    invited_by_link,
    invited_people,
    invited_person,
    link_invited,
    note_invited,
    visits_of,
)
from vivavoce.log.store import Log, Transaction

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock(NOON)) as log:
        yield log


def hold(
    tx: Transaction,
    visit: str,
    person: str,
    *held: tuple[str, str],
    study: str = "first",
    outcome: str | None = "completed",
    key: str | None = None,
    simulated: bool = False,
) -> None:
    """A visit with dialogues, each in a condition and with how it ended."""
    if key is not None:
        tx.participant_of(study, "panel", key, person)
    tx.bind_visit(visit, study, person, "panel", f"token-{visit}")
    tx.append(
        visit,
        VisitOpened(
            study=study, revision="r", participant_id=person, pool="panel", language="en", simulated=simulated
        ),
    )
    for number, (condition, reason) in enumerate(held):
        tx.append(visit, assigned(f"{visit}-{number}", condition=condition))
        over = DialogueEnded.model_validate(
            {"dialogue_id": f"{visit}-{number}", "reason": reason, "user_turns": 1}
        )
        tx.append(visit, over)
    if outcome is not None:
        tx.append(visit, ended(outcome))


def ended(outcome: str) -> VisitEnded:
    return VisitEnded.model_validate({"outcome": outcome})


def test_people_completed_a_study_with_the_conditions_of_their_last_completed_visit(log: Log) -> None:
    clock = log.clock
    assert isinstance(clock, ManualClock)
    lost = (("lost", "failure"), ("gone", "abandoned"))
    for who, held, more in (
        ("ann", [("old", "user")], {"key": "key-ann"}),
        ("ben", [("slow", "user"), ("fast", "limit"), *lost], {}),
        ("program", [("fast", "user")], {"simulated": True}),
        ("ann", [("new", "user")], {}),
        ("ann", [("later", "user")], {"outcome": "withdrew"}),
        ("who-left", [("fast", "user")], {"outcome": None}),
        ("elsewhere", [("fast", "user")], {"study": "other"}),
    ):
        hours = int((clock.now() - NOON).total_seconds() // 3600)
        outcome = more.pop("outcome", "completed")
        log.transact_now(lambda tx: hold(tx, f"v{hours}", who, *held, outcome=None, **more))  # noqa: B023
        clock.advance(3600)
        if outcome is not None:
            log.transact_now(lambda tx: tx.append(f"v{hours}", ended(outcome)))  # noqa: B023
    assert completed_people(log, "first") == [
        Invited("ben", "panel", None, ("fast", "slow"), NOON + timedelta(hours=2)),
        Invited("program", "panel", None, ("fast",), NOON + timedelta(hours=3), simulated=True),
        Invited("ann", "panel", "key-ann", ("new",), NOON + timedelta(hours=4)),
    ]
    assert [one.participant_id for one in completed_people(log, "other")] == ["elsewhere"]
    assert completed_people(log, "nobody") == []


ANN, BEN, EVE = (
    Invited(who, pool, key, (who,), NOON + timedelta(hours=hours))
    for who, pool, key, hours in (
        ("ann", "panel", "k1", 2),
        ("ben", "panel", "k2", 1),
        ("eve", "link", "k1", 3),
    )
)
ELSEWHERE = replace(ANN, conditions=("other",))


@pytest.fixture
def invited(log: Log) -> Log:
    note_invited(log, "later", [ANN, BEN, EVE])
    note_invited(log, "other", [ELSEWHERE])
    return log


def test_who_may_come_stands_in_the_order_in_which_they_completed(invited: Log) -> None:
    assert invited_people(invited, "later") == [BEN, ANN, EVE]
    assert invited_people(invited, "other") == [ELSEWHERE]


def test_what_is_known_of_somebody_stays_and_new_ones_are_added(invited: Log) -> None:
    zoe = replace(EVE, participant_id="zoe", person_key=None)
    note_invited(invited, "other", [replace(ELSEWHERE, conditions=("changed",)), BEN, zoe])
    note_invited(invited, "other", [])
    assert invited_people(invited, "other") == [BEN, ELSEWHERE, zoe]


def test_somebody_is_found_by_pseudonym_and_by_what_their_recruiter_knows(invited: Log) -> None:
    with invited.reading() as connection:
        found = [
            invited_as(connection, *asked)
            for asked in (("later", "ann"), ("other", "ann"), ("other", "ben"), ("later", "nobody"))
        ]
    assert found == [ANN, ELSEWHERE, None, None]
    found = [
        invited_person(invited, *asked)
        for asked in (
            ("later", "panel", "k1"),
            ("later", "panel", "k2"),
            ("later", "link", "k1"),
            ("later", "link", "k2"),
            ("other", "panel", "k1"),
            ("other", "link", "k1"),
        )
    ]
    assert found == [ANN, BEN, EVE, None, ELSEWHERE, None]


def test_a_personal_link_leads_to_one_person_of_one_study(invited: Log) -> None:
    link_invited(invited, "later", {"ann": "hash-1", "eve": "hash-2"})
    link_invited(invited, "other", {"ann": "hash-3"})
    linked = [invited_by_link(invited, "later", f"hash-{number}") for number in range(1, 4)]
    assert linked == [replace(ANN, linked=True), replace(EVE, linked=True), None]
    assert [one.linked for one in invited_people(invited, "later")] == [False, True, True]
    link_invited(invited, "later", {"ann": "hash-4"})
    assert invited_by_link(invited, "later", "hash-1") is None
    assert invited_by_link(invited, "other", "hash-3") == replace(ELSEWHERE, linked=True)


def test_who_is_forgotten_may_still_come_unless_they_are_forgotten_wholly(invited: Log) -> None:
    link_invited(invited, "later", {"ann": "hash-1", "ben": "hash-2"})
    invited.transact_now(lambda tx: forget_invited(tx.connection, "later", "ann", wholly=False))
    nameless = replace(ANN, person_key=None)
    assert invited_people(invited, "later") == [replace(BEN, linked=True), nameless, EVE]
    invited.transact_now(lambda tx: forget_invited(tx.connection, "later", "ann", wholly=True))
    assert invited_people(invited, "later") == [replace(BEN, linked=True), EVE]
    assert invited_people(invited, "other") == [ELSEWHERE]


def test_visits_of_somebody_are_those_of_the_study_in_their_order(log: Log) -> None:
    def fill(tx: Transaction) -> None:
        hold(tx, "v2", "ann")
        hold(tx, "v3", "ben")
        hold(tx, "v1", "ann", outcome=None)
        hold(tx, "v4", "ann", study="other")

    log.transact_now(fill)
    assert [one.visit_id for one in visits_of(log, "first", "ann")] == ["v2", "v1"]
    assert visits_of(log, "first", "nobody") == []
