"""The verdict on a code that was typed, case by case."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from vivavoce.trial.visits import judged_code

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Codes:
    """The codes of a log: who they were issued to, and whether they were used."""

    def __init__(self) -> None:
        self.issued = {
            "1111": ("mine", "this"),
            "2222": ("mine", "earlier"),
            "3333": ("another", "other"),
            "4444": ("mine", "this"),
        }
        self.used = {"4444"}

    def find_code(self, digits: str) -> Any:
        found = self.issued.get(digits)
        return SimpleNamespace(visit_id=found[0], dialogue_id=found[1]) if found else None

    def use_code(self, digits: str) -> bool:
        fresh = digits not in self.used
        self.used.add(digits)
        return fresh


@pytest.mark.parametrize(
    ("digits", "problem"),
    [("1111", None), ("2222", "reused"), ("3333", "other_visit"), ("4444", "reused"), ("9999", "unknown")],
    ids=["its own", "of an earlier dialogue", "of another visit", "used before", "of nobody"],
)
def test_only_the_unused_code_of_this_very_dialogue_is_taken(digits: str, problem: str | None) -> None:
    codes = Codes()
    draft: Any = SimpleNamespace(tx=codes, state=SimpleNamespace(visit_id="mine", wrong_codes=[]))
    dialogue: Any = SimpleNamespace(dialogue_id="this")
    said = judged_code(draft, dialogue, digits, NOW - HOUR, attempts=3)
    assert (said.accepted, said.problem) == (problem is None, problem)
    assert said.dialogue_id == ("this" if problem is None else None)
    assert ("2222" in codes.used, "3333" in codes.used) == (False, False), "nobody else's code is used up"


@pytest.mark.parametrize(("recent", "problem"), [(2, None), (3, "too_many")])
def test_after_too_many_wrong_ones_a_code_is_not_even_read(recent: int, problem: str | None) -> None:
    codes = Codes()
    wrong = [NOW - 2 * HOUR] * 5 + [NOW] * recent  # of which only those since an hour count
    draft: Any = SimpleNamespace(tx=codes, state=SimpleNamespace(visit_id="mine", wrong_codes=wrong))
    dialogue: Any = SimpleNamespace(dialogue_id="this")
    assert judged_code(draft, dialogue, "1111", NOW - HOUR, attempts=3).problem == problem
    assert ("1111" in codes.used) is (problem is None)
