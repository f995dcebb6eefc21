"""What the rules leave out of a trial that goes on, and that no more is read for it than is needed."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scenes.histories import assigned
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import DialogueEnded, DialogueOpened, UserTurnSent, VisitEnded, VisitOpened
from vivavoce.log.exclusion_monitor import LeftOut
from vivavoce.log.store import Log, Transaction

FILE = """study: shops
systems: {one: {connect: http}}
visit:
  - dialogue: {nontrivial: {user_turns: 2}}
analysis: {exclude: [EXCLUDE]}
"""


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(
        f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    ) as log:
        yield log


def left_out(log: Log, exclude: str) -> LeftOut:
    return LeftOut(log, "s", FILE.replace("EXCLUDE", exclude))


def talk(tx: Transaction, visit: str, *dialogues: int, person: str = "", ends: bool = True) -> None:
    """A visit with dialogues of so many user turns; of fewer than none, one that never began."""
    tx.append(
        visit,
        VisitOpened(
            study="s", revision="r", participant_id=person or f"p-{visit}", pool="link", language="en"
        ),
    )
    for number, turns in enumerate(dialogues):
        key = f"{visit}-{number}"
        tx.append(visit, assigned(key, system="one", condition="one"))
        if turns < 0:
            continue
        tx.append(visit, DialogueOpened(dialogue_id=key))
        say(tx, visit, key, turns)
        if ends:
            tx.append(visit, DialogueEnded(dialogue_id=key, reason="user", user_turns=turns))
    if ends:
        tx.append(visit, VisitEnded(outcome="completed"))


def say(tx: Transaction, visit: str, dialogue: str, turns: int) -> None:
    for index in range(turns):
        tx.append(visit, UserTurnSent(dialogue_id=dialogue, turn_index=index, text=f"turn {index}"))


def test_a_trivial_dialogue_is_out_until_it_has_turns_enough(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(tx: Transaction) -> None:
        talk(tx, "v1", 1, 2, -1)
        talk(tx, "v2", 2, 3)
        talk(tx, "v3", 1, ends=False)

    log.transact_now(fill)
    read: list[str] = []
    history = log.history
    monkeypatch.setattr(log, "history", lambda visit: read.append(visit) or history(visit))
    monitor = left_out(log, "trivial")
    assert monitor.dialogues() == {"v1-0"}, "what goes on is not judged yet"
    assert sorted(read) == ["v1", "v3"], "of the other visit nothing can be out"
    assert monitor.dialogues() == {"v1-0"} and len(read) == 2, "nothing was logged since"

    def end(tx: Transaction) -> None:
        tx.append("v3", DialogueEnded(dialogue_id="v3-0", reason="user", user_turns=1))

    log.transact_now(end)
    assert monitor.dialogues() == {"v1-0", "v3-0"} and read[2:] == ["v3"]


@pytest.mark.parametrize(
    ("exclude", "out"),
    [
        ("", set()),
        ('{user_turns: ">= 3"}', {"v2-1"}),
        ('trivial, {user_turns: ">= 3"}', {"v1-0", "v2-1", "v3-0"}),
        ('{dialogue_number: "> 2"}', {"v3-0"}),  # of somebody who came twice
        ("{outcome: no_place}", set()),
        ("{outcome: completed}", {"v1-0", "v1-1", "v2-0", "v2-1", "v3-0"}),
    ],
)
def test_rules_of_every_kind_hold_while_the_trial_goes_on(log: Log, exclude: str, out: set[str]) -> None:
    def fill(tx: Transaction) -> None:
        talk(tx, "v1", 1, 2, person="ann")
        talk(tx, "v2", 2, 3)
        talk(tx, "v3", 1, person="ann")

    log.transact_now(fill)
    assert left_out(log, exclude).dialogues() == out
