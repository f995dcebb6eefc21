"""Whether the participants there are, or are planned, could show anything at all."""

import math

import pytest

from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.summary import summarise
from vivavoce.cli.check import warnings_of
from vivavoce.stats.summary_results import ClusteredDifference, reach_warning
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study


def between(make, people: int, calls: int = 4):
    """Half the people with each system; everything succeeds with a, nothing with b."""
    return make(
        *[("ab"[person % 2], f"p{person}", person % 2 == 0) for person in range(people) for _ in range(calls)]
    )


def out_of_reach(facts) -> list[str]:
    return [told for warning in facts.warnings if "is impossible" in (told := str(warning))]


def test_three_against_three_are_told_that_nothing_could_have_come_out(make):
    dataset = between(make, 6)
    facts = compare_systems(dataset, measures=["subjective_success"])
    floor = facts.tests[0].clustered.smallest_p
    assert floor == pytest.approx(2 / math.comb(6, 3), abs=0.02)
    (warning,) = out_of_reach(facts)
    assert "at most 6" in warning
    assert "more dialogues with the same people do not help" in warning
    assert out_of_reach(summarise(dataset, "system"))


def test_four_against_four_could_show_one_thing_but_not_one_of_many(make):
    dataset = between(make, 8)
    alone = compare_systems(dataset, measures=["subjective_success"])
    assert alone.tests[0].clustered.smallest_p == pytest.approx(2 / math.comb(8, 4), abs=0.01)
    assert not out_of_reach(alone)
    three = make(
        *[("abc"[one % 3], f"p{one}", one in (0, 1, 3, 6, 9)) for one in range(12)] * 4, name="three"
    )
    assert "after adjustment for 3 comparisons" in out_of_reach(summarise(three))[0]


def test_many_participants_are_told_nothing_of_the_kind(make):
    facts = compare_systems(between(make, 12), measures=["subjective_success"])
    # 924 ways to split twelve, of which two are the farthest apart, and ties count half
    assert facts.tests[0].clustered.smallest_p == pytest.approx(1 / 924)
    assert not out_of_reach(facts)


def test_p_of_thirty_participants_has_no_floor(make):
    facts = compare_systems(between(make, 30), measures=["subjective_success"])
    assert facts.tests[0].clustered.smallest_p is None


def test_check_doubts_a_plan_of_too_few_participants(tmp_path):
    folder = tmp_path / "plan"
    write_study(folder, "cambridge-2011", name="plan")
    file = folder / "study.yaml"
    plan = (
        "allocation: random\nanalysis:\n  primary: {measure: subjective_success}\n"
        "  stopping: {words: enough, participants: 6}\n"
    )
    before = file.read_text(encoding="utf-8").split("\nallocation:")[0]
    file.write_text(f"{before}\n{plan}", encoding="utf-8")
    doubts = [line for line in warnings_of(load_study(file)) if "cannot reach" in line]
    assert len(doubts) == 1
    assert (
        "analysis.stopping.participants" in doubts[0] and "at least 10" in doubts[0]
    )  # Bonferroni over three
    file.write_text(f"{before}\n{plan.replace('participants: 6', 'participants: 60')}", encoding="utf-8")
    assert not [line for line in warnings_of(load_study(file)) if "cannot reach" in line]


def test_a_p_that_cannot_fall_below_alpha_is_out_of_reach_also_where_it_may_equal_it() -> None:
    """What is significant lies below alpha: three against three give .1 at best, not less."""
    for floors, alpha, adjusted_by, told in [
        ([0.1], 0.1, 1, "this comparison"),
        ([0.0999], 0.1, 1, None),
        ([0.1, 0.02], 0.05, 1, "1 of 2 comparisons"),
        ([0.1, 0.1], 0.05, 1, "any comparison"),
        ([None], 0.05, 5, None),
        ([0.02, 0.03], 0.05, 1, None),
        ([0.02, 0.03], 0.05, 2, None),
        ([0.025, 0.03], 0.05, 2, "after adjustment for 2 comparisons"),
        ([0.025, None], 0.05, 2, None),
        ([], 0.05, 3, None),
    ]:
        tests = [
            ClusteredDifference(smallest_p=one, clusters=6, method="permutation_between") for one in floors
        ]
        found = reach_warning(tests, alpha, adjusted_by)
        assert (found is None) == (told is None) and (told or "") in str(found or "")
