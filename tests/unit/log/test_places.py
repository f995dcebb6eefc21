"""Places by condition, beside people who left, dialogues that failed, programs and other studies."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scenes.histories import assigned
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import DialogueEnded, VisitEnded, VisitOpened
from vivavoce.log.quota_openings import Places, dialogues_held, left_visits, taken_places, visits_made
from vivavoce.log.store import Log, Transaction

START = datetime(2026, 1, 1, tzinfo=UTC)
VISITS = (  # key, participant, outcome, dialogues as condition:how they ended
    ("v0", "ann", "completed", "a:user"),
    ("v1", "ann", None, "a:failure b:"),
    ("v2", "ben", "withdrew", "a:user a:user"),
    ("v3", "ben", "no_place", ""),
    ("v4", "cid", None, "a:failure"),
    ("v5", "dan", None, "a:abandoned a:limit"),
    ("v6", "eva", None, ""),
    ("v7", "program", None, "b:user"),
    ("v8", "ann", "completed", "c:user"),
)
ELSEWHERE = "v8"


def fill(tx: Transaction, key: str, who: str, outcome: str | None, held: str) -> None:
    study = "other" if key == ELSEWHERE else "s"
    tx.append(
        key,
        VisitOpened(
            study=study,
            revision="r",
            participant_id=who,
            pool="link",
            language="en",
            simulated=who == "program",
        ),
    )
    for number, (condition, _, reason) in enumerate(one.partition(":") for one in held.split()):
        dialogue = f"{key}-{number}"
        tx.append(key, assigned(dialogue, condition=condition))
        if reason:
            over = {"dialogue_id": dialogue, "reason": reason, "user_turns": 1}
            tx.append(key, DialogueEnded.model_validate(over))
    if outcome is not None:
        tx.append(key, VisitEnded.model_validate({"outcome": outcome}))


@pytest.fixture(scope="module")
def tx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Transaction]:
    """A minute lies between two visits."""
    clock, folder = ManualClock(START), tmp_path_factory.mktemp("places")
    with Log.open(f"sqlite:///{Path(folder) / 'log.sqlite'}", clock) as log:
        for visit in VISITS:
            log.transact_now(lambda tx, visit=visit: fill(tx, *visit))
            clock.advance(60)
        with log.reading() as connection:
            yield Transaction(connection, clock, log.boot)


def test_who_is_there_or_has_completed_has_a_place_in_each_condition_that_did_not_fail(
    tx: Transaction,
) -> None:
    places = taken_places(tx.connection, "s", "ann", simulated=False)
    assert places == Places(2, {"a": 2, "b": 1}, frozenset({"a", "b"}))
    assert taken_places(tx.connection, "s", "dan", simulated=False).mine == {"a"}
    assert taken_places(tx.connection, "s", "ben", simulated=False).mine == frozenset()
    assert taken_places(tx.connection, "s", "program", simulated=True) == Places(1, {"b": 1}, frozenset("b"))
    assert taken_places(tx.connection, "other", "x", simulated=False) == Places(1, {"c": 1}, frozenset())


def test_visits_with_dialogues_were_left_where_nothing_happened_for_long(tx: Transaction) -> None:
    at_cid, later = START + timedelta(minutes=4), START + timedelta(days=1)

    def left(since: datetime, *, study: str = "s", simulated: bool = False, but: str = "v9") -> list[str]:
        return left_visits(tx.connection, study, since, simulated=simulated, but=but)

    assert left(later) == ["v1", "v4", "v5"]
    assert left(at_cid) == ["v1"], "who did something at that very moment is still there"
    assert left(at_cid + timedelta(seconds=1)) == ["v1", "v4"]
    assert left(later, but="v4") == ["v1", "v5"]
    assert left(later, simulated=True) == ["v7"]
    assert left(later, study="other") == []


@pytest.mark.parametrize(("who", "number"), [("ann", 2), ("ben", 2), ("cid", 0), ("dan", 2), ("eva", 0)])
def test_dialogues_that_failed_are_not_counted(tx: Transaction, who: str, number: int) -> None:
    assert dialogues_held(tx.connection, "s", who) == number


@pytest.mark.parametrize(
    ("who", "but", "number"), [("ann", "v1", 1), ("ann", "v9", 2), ("ben", "v9", 1), ("ben", "v2", 0)]
)
def test_visits_that_found_no_place_are_not_counted(tx: Transaction, who: str, but: str, number: int) -> None:
    assert visits_made(tx.connection, "s", who, but) == number
