"""What participants said of their success beside what the log shows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vivavoce.analysis.subjective_vs_objective import RecordedOpinion, _kappa, opinion_against_record
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import groups

Make = Callable[..., Dataset]
DB = [
    {"entity_id": name, "name": name, "slot": "food", "value": food, "source": "database", "match": "exact"}
    for name, food in (("uno", "greek"), ("due", "thai"))
]


def log(shown: str) -> dict[str, list[dict[str, Any]]]:
    """Dialogues in which the venue that was wanted was offered (`+`), or another (`-`), or nothing."""
    acts, goals = [], []
    for number, one in enumerate(shown):
        key = {"dialogue_id": f"d{number}"}
        goals.append(
            key
            | {
                "goal_index": 0,
                "origin": "assigned",
                "kind": "constraint",
                "slot": "food",
                "op": "=",
                "value": "thai",
            }
        )
        if one in "+-":
            acts.append(
                key
                | {
                    "turn_index": 1,
                    "layer": "system",
                    "source": "bot",
                    "rank": 0,
                    "position": 0,
                    "act": "offer",
                    "slot": "name",
                    "op": "=",
                    "value": {"+": "due", "-": "uno"}[one],
                }
            )
    return {"acts": acts, "goals": goals, "entities": DB}


def compared(make: Make, *talks: tuple, shown: str) -> RecordedOpinion:
    dataset = make(*talks, rows=log(shown))
    found = opinion_against_record(dataset, groups(dataset, "system"))
    assert found is not None and found.measure == "objective_success_assigned"
    return found


def test_the_cross_table_counts_what_was_said_against_what_was_shown(make: Make) -> None:
    """Of a: yes+, yes-, yes-, no+, no-, one not asked, one not logged. Of b: yes+."""
    said = (1, 1, 1, 0, 0, None, 1)
    talks = [("a", f"p{number % 3}", one) for number, one in enumerate(said)] + [("b", "p9", 1)]
    found = compared(make, *talks, shown="+--+-- +")
    a, b, whole = found.by
    assert [getattr(a, name) for name in ("both", "only_said", "only_shown", "neither", "n")] == [
        1,
        2,
        1,
        1,
        5,
    ]
    assert [getattr(b, name) for name in ("both", "only_said", "only_shown", "neither", "n")] == [
        1,
        0,
        0,
        0,
        1,
    ]
    assert whole.key == "all" and [whole.both, whole.n] == [2, 6]
    assert (a.optimism, b.optimism, whole.optimism) == (2 / 3, None, 2 / 3)
    assert a.low is not None and a.high is not None and a.low < 2 / 3 < a.high
    assert b.low is b.high is None
    assert a.excess.difference == pytest.approx(3 / 5 - 2 / 5)
    assert a.excess.p_mcnemar == pytest.approx(1.0)  # exact: 2 against 1
    observed, chance = 2 / 5, 3 / 5 * 2 / 5 + 2 / 5 * 3 / 5
    assert a.kappa.value == pytest.approx((observed - chance) / (1 - chance))
    assert a.kappa.low is None  # fewer than ten participants


def test_kappa_has_an_interval_over_ten_participants_that_resampling_them_gives(make: Make) -> None:
    """Independent computation: kappa of participants drawn one by one with Python's own loop."""
    said, shown = (1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0), "++-+--++-+-+"
    talks = [("a", f"p{number % 10}", one) for number, one in enumerate(said)]
    (row,) = compared(make, *talks, shown=shown).by
    pairs = [(one, int(other == "+")) for one, other in zip(said, shown, strict=True)]
    chance, drawn = np.random.default_rng(7), []
    for _ in range(4000):
        people = chance.integers(10, size=10)
        held = [pair for person in people for number, pair in enumerate(pairs) if number % 10 == person]
        agreed = sum(one == other for one, other in held) / len(held)
        yes, right = (sum(pair[side] for pair in held) / len(held) for side in (0, 1))
        expected = yes * right + (1 - yes) * (1 - right)
        drawn += [(agreed - expected) / (1 - expected)] if expected < 1 else []
    low, high = np.quantile(drawn, [0.025, 0.975])
    value, lowest, highest = row.kappa
    assert value is not None and lowest is not None and highest is not None
    assert lowest <= low + 0.08 and highest >= high - 0.08
    assert -1 <= lowest < value < highest <= 1


def test_without_both_answers_there_is_nothing_to_compare(make: Make) -> None:
    dataset = make(("a", "p", 1), ("a", "q", 0.5))
    assert opinion_against_record(dataset, groups(dataset, "system")) is None


def test_draws_in_which_everybody_agrees_have_no_kappa_and_are_left_out() -> None:
    """Of eleven people nine say yes and are right, so that many draws of them hold nothing else."""
    pairs = [(True, True)] * 9 + [(False, True), (False, False)]
    found = _kappa([(pair, f"p{person}") for person, pair in enumerate(pairs)], draws=400)
    assert found.value == pytest.approx((10 / 11 - (81 + 2) / 121 - 9 / 121) / (1 - 92 / 121))
    assert found.low is not None and found.high is not None and found.low <= 0 < found.value < found.high <= 1
    alike = [(pair, f"p{person}") for person, pair in enumerate([(True, True)] * 6 + [(False, False)] * 6)]
    assert _kappa(alike) == (1.0, None, None)
    nine = [(pair, f"p{person % 9}") for person, pair in enumerate(pairs)]
    assert _kappa(nine).low is None and _kappa([]).value is None
