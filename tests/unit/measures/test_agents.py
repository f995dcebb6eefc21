"""What agents did, counted by hand."""

from pathlib import Path
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import components, compute

NAMES = ["checked_success", "tool_calls", "repeated_tool_calls", "tool_error_rate", "tokens", "input_tokens"]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """In `a` four calls, one of them twice, and one that failed; in `b` none; of `c` nobody knows."""
    facts = {"study": "s", "system": "x", "condition": "x", "channel": "text", "language": "en"}
    writer = DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"})
    told: dict[str, dict[str, Any]] = {
        "a": {"tools_logged": True, "reward": 0.5},
        "c": {},
        "b": {"tools_logged": True, "reward": 1.0},
    }
    writer.add(
        "dialogues", [{"dialogue_id": key, "simulated": True, **facts, **own} for key, own in told.items()]
    )
    calls = [
        ("find", '{"a": 1, "b": 2}', None),
        ("find", '{"b": 2, "a": 1}', True),
        ("find", '{"a": 2}', False),
        ("book", '{"a": 2}', False),
    ]
    writer.add(
        "tool_calls",
        [
            {
                "dialogue_id": "a",
                "turn_index": 1,
                "call_index": n,
                "name": name,
                "arguments": given,
                "failed": failed,
            }
            for n, (name, given, failed) in enumerate(calls)
        ],
    )
    used = [("a", 10, 5), ("a", 20, 7), ("b", 10, None)]
    writer.add(
        "usage",
        [
            {"dialogue_id": key, "usage_index": n, "input_tokens": read, "output_tokens": wrote}
            for n, (key, read, wrote) in enumerate(used)
        ],
    )
    return writer.close()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("checked_success", {"a": (0, 1), "b": (1, 1)}),
        ("tool_calls", {"a": (4, 1), "b": (0, 1)}),
        ("repeated_tool_calls", {"a": (1, 1), "b": (0, 1)}),
        ("tool_error_rate", {"a": (1, 3)}),
        ("tokens", {"a": (42, 1)}),
        ("input_tokens", {"a": (30, 1), "b": (10, 1)}),
    ],
)
def test_what_agents_did_is_counted_where_the_log_tells_it(
    dataset: Dataset, name: str, expected: dict[str, tuple[float, float]]
) -> None:
    frame = components(dataset, NAMES)
    own = frame[(frame["measure"] == name) & (frame["denominator"] > 0)]
    found = {row.dialogue_id: (row.numerator, row.denominator) for row in own.itertuples()}
    assert found == expected


def test_cost_for_a_success_takes_what_failed_dialogues_cost_too(tmp_path: Path) -> None:
    """Three dialogues cost 3, two of them succeeded; of the fourth a call has no price."""
    facts = {"study": "s", "system": "x", "condition": "x", "channel": "text", "language": "en"}
    writer = DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"})
    rewards = {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0}
    writer.add(
        "dialogues",
        [{"dialogue_id": key, "simulated": True, **facts, "reward": one} for key, one in rewards.items()],
    )
    costs = [("a", 0.5), ("a", 0.25), ("b", 0.25), ("c", 2.0), ("d", None), ("d", 9.0)]
    writer.add(
        "usage",
        [
            {"dialogue_id": key, "usage_index": n, "cost": cost, "currency": "EUR"}
            for n, (key, cost) in enumerate(costs)
        ],
    )
    frame = compute(writer.close(), names=["cost", "cost_per_checked_success"])
    values = dict(zip(frame["measure"], frame["value"], strict=True))
    assert values == {"cost": pytest.approx(1.0), "cost_per_checked_success": pytest.approx(1.5)}


@pytest.mark.parametrize(
    ("reward", "done"), [(1.0, 1), (1.0 - 5e-7, 1), (1.0 + 5e-7, 1), (1.0 - 2e-6, 0), (2.0, 0), (0.0, 0)]
)
def test_a_reward_so_close_to_one_is_success(reward: float, done: int, tmp_path: Path) -> None:
    facts = {"study": "s", "system": "x", "condition": "x", "channel": "text", "language": "en"}
    writer = DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"})
    writer.add("dialogues", [{"dialogue_id": "a", "simulated": True, **facts, "reward": reward}])
    found = components(writer.close(), ["checked_success"])
    assert found["numerator"].tolist() == [done]


@pytest.mark.parametrize(
    ("one", "other", "repeated"),
    [
        ('{"a": 1}', '{ "a" : 1 }', 1),
        (None, "{}", 1),
        (None, "", 1),
        ("a place", "a place", 1),
        ("a place", "another", 0),
        ("a place", None, 0),
    ],
)
def test_calls_are_the_same_by_what_they_ask_for(
    one: str | None, other: str | None, repeated: int, tmp_path: Path
) -> None:
    """Arguments that are no JSON are told apart by their words."""
    facts = {"study": "s", "system": "x", "condition": "x", "channel": "text", "language": "en"}
    writer = DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"})
    writer.add("dialogues", [{"dialogue_id": "a", "simulated": True, **facts, "tools_logged": True}])
    writer.add(
        "tool_calls",
        [
            {"dialogue_id": "a", "turn_index": 1, "call_index": n, "name": "find", "arguments": given}
            for n, given in enumerate((one, other))
        ],
    )
    assert components(writer.close(), ["repeated_tool_calls"])["numerator"].tolist() == [repeated]


def test_answers_are_grounded_where_annotators_say_so_else_missing(tmp_path: Path) -> None:
    """Of `a` two of three answers are, of `b` none of one; nobody annotated `c`; most labels decide."""
    facts = {"study": "s", "system": "x", "condition": "x", "channel": "text", "language": "en"}
    writer = DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"})
    writer.add("dialogues", [{"dialogue_id": key, "simulated": True, **facts} for key in "abc"])
    given = [
        ("a", 1, "one", "grounded"),
        ("a", 1, "two", "grounded"),
        ("a", 1, "three", "ungrounded"),
        ("a", 3, "one", "grounded"),
        ("a", 5, "one", "partly"),
        ("b", 1, "one", "ungrounded"),
    ]
    writer.add(
        "annotations",
        [
            {
                "dialogue_id": key,
                "turn_index": turn,
                "layer": "grounding",
                "annotator_id": who,
                "label": label,
            }
            for key, turn, who, label in given
        ],
    )
    dataset, names = writer.close(), ["grounded_answers", "ungrounded_answers"]
    frame = components(dataset, names)
    counted = {
        (row.dialogue_id, row.measure): (row.numerator, row.denominator)
        for row in frame.itertuples()
        if row.denominator
    }
    assert counted == {
        ("a", "grounded_answers"): (2, 3),
        ("b", "grounded_answers"): (0, 1),
        ("a", "ungrounded_answers"): (0, 3),
        ("b", "ungrounded_answers"): (1, 1),
    }
