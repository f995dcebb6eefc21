"""A new version against the last one."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.analysis.releases import ReleaseComparison, ReleaseRow, against, doubts
from vivavoce.dataset.reader import Dataset

Make = Callable[..., Dataset]


def talks(system: str, right: int, number: int = 40) -> list[tuple]:
    return [(system, f"{system}{place}", int(place < right)) for place in range(number)]


def success(found: ReleaseComparison, key: str | None = None) -> ReleaseRow:
    (row,) = (one for one in found.rows if one.key == key and one.measure == "subjective_success")
    return row


def test_a_better_version_is_no_worse_and_not_the_same(make: Make) -> None:
    new, old = make(*talks("a", 36), name="new"), make(*talks("a", 20), name="old")
    row = success(against(new, old))
    assert (row.new, row.old, row.new_n, row.old_n) == (0.9, 0.5, 40, 40)
    assert row.difference == pytest.approx(0.4) and row.clusters == 80
    assert (row.no_worse.shown, row.equivalent.shown, row.tested) == (True, False, 1)
    assert row.low < row.low_90 < 0.4 < row.high_90 < row.high and row.p_holm == row.p < 0.001
    assert row.no_worse.p < 1e-4 and row.equivalent.p > 0.5


def test_a_worse_version_is_told_as_such(make: Make) -> None:
    row = success(against(make(*talks("a", 20), name="new"), make(*talks("a", 36), name="old")))
    assert row.difference == pytest.approx(-0.4) and (row.no_worse.shown, row.equivalent.shown) == (
        False,
        False,
    )


def test_versions_that_are_close_are_equivalent_within_a_wide_margin_only(make: Make) -> None:
    new, old = make(*talks("a", 21), name="new"), make(*talks("a", 20), name="old")
    wide, narrow = success(against(new, old, margin=0.4)), success(against(new, old, margin=0.03))
    assert (wide.equivalent.shown, narrow.equivalent.shown) == (True, False)
    assert "margin:0.4" in wide.signature


def test_groups_that_both_have_are_a_family_of_their_own(make: Make) -> None:
    new = make(*talks("a", 36), *talks("b", 30), *talks("c", 5), name="new")
    old = make(*talks("a", 20), *talks("b", 24), *talks("d", 5), name="old")
    found = against(new, old)
    assert {row.key for row in found.rows} == {None, "a", "b"}
    a, b = success(found, "a"), success(found, "b")
    assert (success(found).tested, a.tested, b.tested) == (1, 2, 2)
    assert a.p_holm == pytest.approx(2 * a.p) and b.p_holm == b.p
    assert (a.new_n, b.old) == (40, 0.6)
    durations = [row for row in found.rows if row.measure == "dialogue_duration"]
    assert len(durations) == 3 and all(row.no_worse.shown is None and row.tested == 0 for row in durations)
    assert "margin" not in durations[0].signature


def test_people_of_two_datasets_are_different_people_and_dialogues_without_one_stand_alone(
    make: Make,
) -> None:
    def named(*people: str | None) -> list[tuple]:
        return [("a", one, number % 2) for number, one in enumerate(people)]

    new = make(*named("p", "p", "q", "q", None, None), name="new")
    old = make(*named("p", "q", "r", None), name="old")
    assert success(against(new, old)).clusters == 4 + 4


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        ({"system": "a", "name": "s"}, []),
        ({"system": "a", "name": "t"}, ["different studies"]),
        ({"system": "b", "name": "s"}, ["common"]),
        ({"system": "a", "name": "s", "simulated": True}, ["simulated"]),
    ],
)
def test_what_makes_a_comparison_doubtful_is_said(
    make: Make, tmp_path: Any, old: dict[str, Any], expected: list[str]
) -> None:
    new = make(*talks("a", 3, 4), name="s")
    (tmp_path / "s").rename(tmp_path / "new")
    new = Dataset(tmp_path / "new")
    other = make(*talks(old["system"], 2, 4), name=old["name"], simulated=old.get("simulated", False))
    told = [str(one) for one in doubts(new, other)]
    assert len(told) == len(expected) and all(one.lower() in told[0].lower() for one in expected)
    assert [str(one) for one in doubts(new, Dataset(tmp_path / "new"))] == [
        "Both datasets have the same rows: this compares a dataset with itself."
    ]


def test_figures_are_sums_over_sums_and_those_that_one_side_lacks_are_left_out(make: Make) -> None:
    """Words a turn: 17 of 5 turns against 8 of 3; the old one also has delays, of which the new has none."""

    def turns(*words: list[int]) -> list[dict[str, Any]]:
        return [
            {"dialogue_id": f"d{number}", "turn_index": place, "party": "system", "text": "word " * said}
            for number, own in enumerate(words)
            for place, said in enumerate(own)
        ]

    new = make(
        ("a", "p", 1), ("a", "p", 0), ("b", "q", None), name="new", rows={"turns": turns([3, 5], [2, 1], [6])}
    )
    old = make(("a", "p", None), ("a", "r", None), name="old", rows={"turns": turns([4], [1, 3])})
    found = {(row.key, row.measure): row for row in against(new, old).rows}
    row = found[None, "words_per_system_turn"]
    assert (row.new, row.old, row.new_n, row.old_n) == (pytest.approx(17 / 5), pytest.approx(8 / 3), 5, 3)
    assert row.difference == pytest.approx(17 / 5 - 8 / 3) and row.clusters == 4
    of_a = found["a", "words_per_system_turn"]
    assert (of_a.new, of_a.new_n, of_a.clusters) == (pytest.approx(11 / 4), 4, 3)
    assert not any(measure == "subjective_success" for _, measure in found), "nobody answered of the old"
    assert {key for key, _ in found} == {None, "a"}


def test_no_worse_is_tested_on_the_side_on_which_a_rate_is_worse(make: Make) -> None:
    better = success(against(make(*talks("a", 30), name="new"), make(*talks("a", 22), name="old")))
    worse = success(against(make(*talks("a", 22), name="low"), make(*talks("a", 30), name="high")))
    assert better.no_worse.p < 0.05 < worse.no_worse.p
    assert better.equivalent.p == pytest.approx(worse.equivalent.p, rel=0.2)
    assert worse.no_worse.p == pytest.approx(worse.equivalent.p)


def simulated(make: Make, name: str, failures: set[int], *, seed: int = 1, callers: int = 40) -> Dataset:
    """Three dialogues of each simulated caller; the rows with these numbers failed."""
    rows = [("a", f"{name}-{number // 3}", int(number not in failures)) for number in range(3 * callers)]
    people = [
        {
            "participant_id": f"{name}-{number}",
            "simulated": True,
            "attributes": json.dumps({"user": "agenda", "population": "p", "seed": seed, "caller": number}),
        }
        for number in range(callers)
    ]
    numbers = [number % 3 + 1 for number in range(len(rows))]
    return make(*rows, name=name, simulated=True, dialogue_number=numbers, rows={"participants": people})


def test_dialogues_of_the_same_simulated_callers_are_compared_in_pairs(make: Make) -> None:
    failures = {*range(0, 120, 7), *range(1, 120, 5)}
    new, old = simulated(make, "new", failures), simulated(make, "old", failures)
    row = success(against(new, old, margin=0.05))
    assert (row.pairs, row.clusters, row.new_n) == (120, 40, 120)
    assert row.no_worse.shown and row.p == 1
    other = success(against(new, simulated(make, "other", failures, seed=2), margin=0.05))
    assert other.pairs is None and other.clusters == 80
    assert row.high_90 - row.low_90 < (other.high_90 - other.low_90) / 2


def test_a_gate_that_cannot_pass_says_so(make: Make) -> None:
    few = success(against(simulated(make, "n", set(), callers=10), simulated(make, "o", set(), callers=10)))
    enough = success(against(simulated(make, "m", set()), simulated(make, "p", set())))
    assert (few.too_few, few.no_worse.shown) == (True, False)
    assert (enough.too_few, enough.no_worse.shown) == (False, True)
