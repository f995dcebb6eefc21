"""The page of the two papers is rebuilt from counts, and says where the printed values differ."""

from pathlib import Path

import pytest
from benchmarks.two_papers import PREFERENCES, TABLE_2, _agree, _p, compare_counts, half_up, half_width, page
from scipy.stats import norm

from vivavoce.analysis.populations import compare_populations, rank_agreement
from vivavoce.core.errors import InputError

ROOT = Path(__file__).parents[3]


def test_the_page_in_the_docs_is_what_our_functions_give():
    kept = (ROOT / "docs" / "explanation" / "two-papers-recomputed.md").read_text(encoding="utf-8")
    assert kept == page(), "rebuild it: python -m benchmarks two_papers"


def test_all_half_widths_reproduce_but_the_two_known_ones():
    off = {
        (system, place)
        for system, cells in TABLE_2.items()
        for place, cell in enumerate(cells)
        if half_up(half_width(cell.successes, cell.n), 1) != cell.half
    }
    assert off == {("A/1BT", 1), ("C/NBRL", 1)}
    rates = [(100 * cell.successes / cell.n, cell.rate) for cells in TABLE_2.values() for cell in cells]
    assert all(half_up(ours, 1) == printed for ours, printed in rates)


def test_every_ratio_and_marginal_of_the_transcript_study_reproduces():
    for counts, ratios, marginal, women, men in PREFERENCES.values():
        assert tuple(half_up(k / 143, 2) for k in counts) == ratios
        assert half_up(sum(ratios) / 4, 2) == marginal
        assert half_up((50 * women + 93 * men) / 143, 2) == marginal
    assert (2860, pytest.approx(10.296)) == (143 * 4 * 5, 51.48 / 5)
    assert half_up(81 / 40, 2) == 2.03


def test_populations_are_compared_by_rank_and_by_equivalence():
    crowd, lab = {"x": (259, 403), "y": (30, 40)}, {"x": (130, 199), "y": (20, 40)}
    facts = compare_counts(crowd, lab, margin=0.1)
    assert facts.by[0].p_equivalent == pytest.approx(0.01525, abs=5e-6)
    assert [row.equivalent for row in facts.by] == [True, False]
    assert (facts.ranks.tau, facts.ranks.same_order) == (pytest.approx(-1), False)
    assert rank_agreement({"x": 0.5}, {"x": 0.4}).tau is None
    for a, b in (({"x": 0.5, "y": 0.5}, {"x": 0.4, "y": 0.3}), ({"x": 0.5, "y": 0.6}, {"x": 0.4, "y": 0.4})):
        found = rank_agreement(a, b)
        assert (found.tau, found.rho) == (None, None), "where all are equal there is no order"


def test_two_datasets_are_compared_system_by_system(make):
    def trial(name: str, people: int, offset: int):
        rows = [
            (system, f"p{person}", (person**2 + number + offset) % 5 > (system == "b"))
            for person in range(people)
            for system in ("a", "b")
            for number in range(3)
        ]
        return make(*rows, name=name)

    facts = compare_populations(trial("crowd", 40, 0), trial("lab", 12, 1), costs=(60.0, None))
    assert [row.key for row in facts.by if row.measure == "subjective_success"] == ["a", "b"]
    assert facts.ranks["subjective_success"].same_order
    first, second = facts.trials
    assert (first.calls_per_user, first.cost_per_call) == (6, 0.25)
    assert (second.participants, second.cost_per_call) == (12, None)
    rate = facts.by[0]
    assert rate.interval_90 and rate.difference is not None
    assert rate.interval_90[0] < rate.difference < rate.interval_90[1]
    with pytest.raises(InputError, match="no system in common"):
        compare_populations(make(("a", "p", 1), name="one"), make(("z", "p", 1), name="two"))


def test_counts_of_common_systems_are_subtracted_system_by_system():
    a, b = {"x": (30, 40), "only": (1, 2), "y": (12, 50)}, {"y": (20, 80), "x": (15, 60), "other": (3, 4)}
    found = compare_counts(a, b, margin=0.1)
    assert [(one.key, one.difference) for one in found.by] == [("x", 0.5), ("y", pytest.approx(-0.01))]
    z = 0.5 / (0.45 * 0.55 * (1 / 40 + 1 / 60)) ** 0.5
    assert found.by[0].p == pytest.approx(2 * norm.sf(z))
    assert found.by[0].low < 0.5 < found.by[0].high
    assert (found.ranks.systems, found.ranks.tau, found.ranks.same_order) == (2, None, True)
    nothing = compare_counts({"x": (4, 4), "y": (1, 2)}, {"x": (6, 6), "y": (1, 2)})
    assert (nothing.by[0].p, nothing.by[0].difference) == (None, 0)


def test_a_system_that_nobody_judged_has_no_rank_and_unknown_people_are_people_of_their_own(make):
    talks = [
        ("a", "p", 1),
        ("a", "p", 1),
        ("a", "q", 0),
        ("a", None, 1),
        ("a", None, 0),
        ("b", "p", 0),
        ("b", "q", 1),
        ("b", "q", 0),
        ("c", "p", None),
    ]
    found = compare_populations(make(*talks, name="one"), make(*talks[::-1], name="other"), costs=(18.0, 0.0))
    assert found.ranks["subjective_success"].systems == 2 and found.ranks["subjective_success"].same_order
    assert [one.cost_per_call for one in found.trials] == [2.0, 0.0]
    rows = {one.key: one for one in found.by if one.measure == "subjective_success"}
    assert (rows["c"].difference, rows["c"].se, rows["c"].equivalent) == (None, None, None)
    assert rows["a"].difference == 0 and rows["a"].se > 0
    apart = [(system, who or f"unknown {place}", said) for place, (system, who, said) in enumerate(talks)]
    again = compare_populations(make(*apart, name="two"), make(*apart[::-1], name="three"))
    known = next(one for one in again.by if (one.measure, one.key) == ("subjective_success", "a"))
    assert known.se == pytest.approx(rows["a"].se)


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.0001, "0.0001"),
        (0.00009999, "1.0e-04"),
        (0.0312, "0.0312"),
        (0.0, "0.0e+00"),
        (None, ""),
    ],
)
def test_a_p_has_four_digits_down_to_one_in_ten_thousand(p, said):
    assert _p(p) == said


@pytest.mark.parametrize(
    ("ours", "printed", "same"),
    [
        (4.65, 4.7, True),
        (4.649, 4.7, False),
        (4.7499, 4.7, True),
        (4.75, 4.7, False),
    ],
)
def test_what_is_printed_agrees_where_ours_rounds_to_it(ours, printed, same):
    assert _agree(ours, printed, 1) == ("yes" if same else "**no**")
