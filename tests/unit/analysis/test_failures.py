"""Which failed dialogues a report shows, and what it shows of them."""

from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.analysis.failures import typical_failures
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import groups

Make = Callable[..., Dataset]


def turns(*lengths: int) -> list[dict[str, Any]]:
    """Dialogues d0, d1, ... of so many turns."""
    return [
        {"dialogue_id": f"d{dialogue}", "turn_index": index, "party": "user", "text": f"{dialogue}.{index}"}
        for dialogue, length in enumerate(lengths)
        for index in range(length)
    ]


@pytest.fixture
def dataset(make: Make) -> Dataset:
    """Of a: failures of 2, 6 and 4 turns and a success. Of b: failures of one turn and of 3."""
    talks = [("a", "p", 0), ("a", "p", 0), ("a", "q", 0), ("b", "q", 0), ("b", "p", 0), ("a", "p", 1)]
    return make(*talks, rows={"turns": turns(2, 6, 4, 1, 3, 4)})


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (0, []),
        (1, ["d2"]),
        (3, ["d2", "d4", "d0"]),
        (9, ["d2", "d4", "d0", "d1"]),
    ],
)
def test_groups_take_turns_and_begin_with_failures_of_middling_length(
    dataset: Dataset, most: int, expected: list[str]
) -> None:
    found = typical_failures(dataset, groups(dataset, "system"), most)
    assert [one.dialogue_id for one in found] == expected


def test_who_fails_by_more_rates_comes_first(make: Make) -> None:
    """d0 and d1 fail by what people say; d1, the longest, offers what nobody wanted besides."""
    goal = {
        "dialogue_id": "d1",
        "goal_index": 0,
        "origin": "assigned",
        "kind": "constraint",
        "slot": "food",
        "op": "=",
        "value": "thai",
    }
    act = {
        "dialogue_id": "d1",
        "turn_index": 1,
        "layer": "system",
        "source": "bot",
        "rank": 0,
        "position": 0,
        "act": "offer",
        "slot": "name",
        "op": "=",
        "value": "uno",
    }
    venues = [
        {
            "entity_id": name,
            "name": name,
            "slot": "food",
            "value": food,
            "source": "database",
            "match": "exact",
        }
        for name, food in (("uno", "greek"), ("due", "thai"))
    ]
    rows = {
        "turns": turns(3, 9, 3),
        "goals": [goal | {"origin": "inferred"}, goal],
        "acts": [act],
        "entities": venues,
    }
    dataset = make(("a", "p", 0), ("a", "q", 0), ("a", "r", 0), rows=rows)
    found = typical_failures(dataset, groups(dataset, "system"), 2)
    assert [(one.dialogue_id, one.failed) for one in found] == [
        ("d1", ["objective_success_assigned", "subjective_success"]),
        ("d0", ["subjective_success"]),
    ]
    assert [item["origin"] for item in found[0].goal] == ["assigned"] and found[0].said == 0.0


def test_a_transcript_goes_before_what_was_recognised_of_users_only(make: Make) -> None:
    said = [
        {"dialogue_id": "d0", "turn_index": 2, "party": "user", "text": "fly", "reference": "tie"},
        {"dialogue_id": "d0", "turn_index": 0, "party": "system", "text": "Hello", "reference": "Hallo"},
        {"dialogue_id": "d0", "turn_index": 1, "party": "user", "text": "thai", "reference": None},
    ]
    dataset = make(("a", "p", 0), task_text="Find food.", rows={"turns": said})
    (found,) = typical_failures(dataset, groups(dataset, "system"), 1)
    assert found.turns == [("system", "Hello"), ("user", "thai"), ("user", "tie")]
    assert (found.system, found.key, found.task_text) == ("a", "a", "Find food.")
