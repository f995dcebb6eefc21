"""Two runs of the same stress tests: what passed before and fails now, and the reverse."""

from pathlib import Path
from typing import Any

import pytest

from scenes.campaigns import stress_row, transcript
from vivavoce.dataset.writer import DatasetWriter
from vivavoce_stress.releases import RunsCompared, compare_last_runs, compare_runs


def run(name: str, came: str, **changes: Any) -> list[dict[str, Any]]:
    """Cases in their order: p passed, f failed, c clarification, u unsure, o even the original is lost."""
    verdicts = {"p": "pass", "f": "fail", "c": "clarification", "u": "unsure", "o": None}
    rows = [
        stress_row(
            at, 2, verdicts[one] or "", original=f"text {at}", text=f"txet {at}", run_id=name, **changes
        )
        for at, one in enumerate(came)
    ]
    lost = {"status": "not_admitted", "verdict": None}
    return [
        {"release": None, **row, **(lost if one == "o" else {})} for row, one in zip(rows, came, strict=True)
    ]


def compared(before: str, now: str) -> RunsCompared:
    return compare_runs(run("a", before), run("b", now))


def test_each_case_is_held_against_itself() -> None:
    found = compared("ppffcu", "pfpffp")
    assert [one.case_id for one in found.fell] == ["c1"]
    assert [one.case_id for one in found.rose] == ["c2"]
    assert (found.passed_both, found.failed_both) == (1, 2)
    assert [(one.case_id, one.left) for one in found.not_compared] == [("c5", "open_before")]


def test_an_original_that_is_no_longer_served_is_a_loss() -> None:
    found = compared("pf", "oo")
    assert [(one.case_id, one.now) for one in found.fell] == [("c0", "original_lost")]
    assert found.failed_both == 1


def test_a_variant_that_passes_against_another_answer_of_the_original_is_no_gain() -> None:
    """A release that breaks original and variant alike would else look better than the one before."""
    before, now = run("a", "fpf"), run("b", "ppf")
    for row in now[:2]:
        row["clean_transcript"] = transcript("text", "Which one do you want?")
    found = compare_runs(before, now)
    assert (found.rose, found.passed_both, found.failed_both) == ((), 0, 1)
    assert [one.case_id for one in found.otherwise] == ["c0", "c1"]


def test_a_person_who_set_the_rules_right_is_not_compared_with_the_rules_alone() -> None:
    """The rules passed what a person failed; that they pass it again is no gain."""
    before, now = run("a", "ff"), run("b", "pp")
    before[0] |= {"verdict_of_person": "fail", "verdict_automatic": "pass"}
    before[1] |= {"verdict_of_person": "fail", "verdict_automatic": "fail"}
    found = compare_runs(before, now)
    assert [one.case_id for one in found.rose] == ["c1"]
    assert [(one.case_id, one.left) for one in found.not_compared] == [("c0", "person_before")]
    # the other way round, and once somebody judged it in both
    assert [one.left for one in compare_runs(now, before).not_compared] == ["person_now"]
    now[0]["verdict_of_person"] = "pass"
    assert [one.case_id for one in compare_runs(before, now).rose] == ["c0", "c1"]


def test_the_chance_of_so_uneven_a_change_is_exact() -> None:
    assert compared("pppppppp", "ffffffff").p == pytest.approx(2 / 2**8)
    assert compared("pf", "fp").p == 1
    assert compared("pp", "pp").p is None


def test_other_variants_are_not_compared() -> None:
    before, now = run("a", "pp"), run("b", "ff")
    now[0] = {**now[0], "text": "another variant"}
    found = compare_runs(before, now)
    assert (len(found.fell), found.common, found.only_one) == (1, 1, 2)
    assert found.shares == ((2, 2), (0, 2))
    assert compare_runs(before, [{**now[0]}]).common == 0


def test_of_several_runs_the_last_two_of_the_system_count(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        for name, came, more in (
            ("a", "ff", {}),
            ("x", "pp", {"system": "other"}),
            ("b", "pp", {"release": "1.0"}),
            ("c", "pf", {"release": "1.1"}),
        ):
            writer.add("stress", run(name, came, **more))
        dataset = writer.close()
    found = compare_last_runs(dataset, "ch")
    assert found is not None and (found.release_before, found.release_now) == ("1.0", "1.1")
    assert [one.case_id for one in found.fell] == ["c1"]
    assert compare_last_runs(dataset, "other") is None
