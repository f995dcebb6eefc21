"""The clustered side of the summary: beside every rate and test, by the design, with reasons."""

import numpy as np
import pytest

from vivavoce.analysis.clustered_summary import _evened, signed_difference
from vivavoce.analysis.summary import summarise
from vivavoce.core.result import as_json
from vivavoce.reports.rate_tables import rate_cell, rate_note, signature_of
from vivavoce.sections.results.answer import answer
from vivavoce.sections.results.section import answer_figure
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.summary_results import choose_model


def crossed(people: int, better: int = 0) -> list[tuple]:
    """Everybody has four dialogues with each of two systems; `b` succeeds once more for some people."""
    return [
        (system, f"p{person}", (person + turn) % 4 < 2 + (system == "b" and person < better))
        for person in range(people)
        for system in ("a", "b")
        for turn in range(4)
    ]


def subjective(summary: dict) -> list[dict]:
    return [test for test in summary.tests if test.measure == "subjective_success"]


def test_every_rate_and_test_has_its_clustered_twin(make):
    summary = summarise(make(*crossed(12, 6)), "system")
    rate = summary.by[0].rates["subjective_success"].clustered
    facts = {"low", "high", "se", "design_effect", "icc", "clusters", "method", "n_effective", "signature"}
    assert set(as_json(rate)) == facts
    assert rate.clusters == 12
    (test,) = subjective(summary)
    assert test.clustered.difference == pytest.approx(test.difference)
    assert test.clustered.method == "permutation_within"
    assert test.signature.startswith("subjective_success_difference|unit:participant|a:a|b:b|by:system|")
    assert "|n:12|" in test.signature
    assert "Permutation of 12 participants" in str(test.clustered.why)
    assert summary.all.rates["subjective_success"].clustered.clusters == 12
    assert summary.model.name == "permutation"
    assert "more than one group (own controls): 12" in str(summary.model.why)


def test_alike_dialogues_of_one_person_widen_the_interval(make):
    rows = [("a", f"p{person}", person < 10) for person in range(20) for _ in range(10)]
    rate = summarise(make(*rows), "system").by[0].rates["subjective_success"]
    assert rate.clustered.icc == pytest.approx(1)
    assert rate.clustered.n_effective == pytest.approx(20)
    assert rate.clustered.low < rate.low < rate.high < rate.clustered.high


def test_clustered_p_values_are_adjusted_and_naive_ones_are_not(make):
    rows = crossed(12, 6) + [("c", f"p{number}", number % 3) for number in range(12)]
    rows = [(system, person, bool(answer)) for system, person, answer in rows]
    found = subjective(summarise(make(*rows), "system"))
    tests = [test.clustered for test in found]
    assert [test.p_adjusted for test in found] == [None] * 3
    assert [test.p_adjusted for test in tests] == pytest.approx(holm([test.p for test in tests]))


def test_few_participants_are_permuted_within_themselves_where_they_met_both(make):
    summary = summarise(make(*crossed(6, 6)), "system")
    (test,) = subjective(summary)
    assert summary.model.name == "permutation"
    assert test.clustered.method == "permutation_within"
    assert "all 64 permutations" in str(test.clustered.why)
    assert 0 < test.clustered.p < 0.2


def test_few_participants_change_sides_as_wholes_where_nobody_met_both(make):
    rows = [("a", f"a{person}", True) for person in range(4) for _ in range(5)]
    rows += [("b", f"b{person}", False) for person in range(4) for _ in range(5)]
    (test,) = subjective(summarise(make(*rows), "system"))
    assert test.clustered.method == "permutation_between"
    assert test.clustered.p == pytest.approx(2 / 70, abs=0.01), "2 of the 70 ways to split 8 people"
    assert test.p < 1e-6, "taken as independent, 40 dialogues look far surer"


def test_where_nothing_varied_nothing_is_tested(make):
    rows = [(system, f"p{person}", True) for person in range(12) for system in "ab"]
    (test,) = subjective(summarise(make(*rows), "system"))
    assert test.clustered.p is None
    assert str(test.clustered.why) == "Participants do not vary."


def test_unknown_participants_leave_the_clustered_side_empty(make):
    summary = summarise(make(*[("a", None, 1), ("a", None, 0), ("b", None, 1), ("b", None, 1)]), "system")
    assert summary.model.name == "independent"
    assert summary.by[0].rates["subjective_success"].clustered.low is None
    assert subjective(summary)[0].clustered.method == "none"


@pytest.mark.parametrize(
    ("by", "tops", "bottoms"),
    [
        ("dialogue", [0.5, 0.25, 1.0], [1.0, 1.0, 1.0]),
        ("participant", [1 / 6, 1 / 6, 1.0], [1 / 3, 2 / 3, 1.0]),
    ],
)
def test_a_dialogue_without_a_case_has_no_weight_of_its_own(by, tops, bottoms):
    """p has 1 of 2 and 1 of 4, and a dialogue without a case; q has 3 of 3; r has none at all."""
    people = np.array(["p", "p", "p", "q", "r"])
    sums = np.array([1.0, 1, 0, 3, 0]), np.array([2.0, 4, 0, 3, 0])
    found = _evened(*sums, people, np.ones(5), by=by)
    assert found[0] == pytest.approx(tops) and found[1] == pytest.approx(bottoms)
    assert found[2].tolist() == ["p", "p", "q"]
    twice = _evened(*sums, people, np.array([2.0, 2, 1, 1, 1]), by="dialogue")
    assert (twice[0].tolist(), twice[1].tolist()) == ([1.0, 0.5, 1.0], [2.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("people", "name", "few"),
    [
        (9, "permutation", True),
        (10, "permutation", False),
        (400, "permutation", False),
        (401, "cluster_robust_t", False),
    ],
)
def test_a_design_asks_for_an_analysis_by_its_number_of_people(people: int, name: str, few: bool) -> None:
    who = [f"p{number}" for number in range(people)]
    model = choose_model([who, who[:1], [None]])
    assert (model.name, "only large differences" in str(model.why)) == (name, few)
    assert f"{people} participants held {people + 1} dialogues" in str(model.why)


@pytest.mark.parametrize(
    ("groups", "told", "how"),
    [
        ([["p", "q", "p"], [None]], "held 3 dialogues (median 1.5, maximum 2).", "participants switch"),
        ([["p", "q", "p"], ["r"]], "(median 1, maximum 2), each in one group only", "participants switch"),
        (
            [["p", "q", "p"], ["q", "r", "r", "r"]],
            "more than one group (own controls): 1",
            "swaps the systems",
        ),
    ],
)
def test_a_design_is_told_by_who_met_what(groups: list, told: str, how: str) -> None:
    why = str(choose_model(groups).why)
    assert told in why and how in why


def test_without_dialogues_or_people_there_is_no_model_of_people() -> None:
    assert "no dialogue" in str(choose_model([[], []]).why)
    unknown = choose_model([[None], [None, None]])
    assert unknown.name == "independent" and "Participants are unknown" in str(unknown.why)


@pytest.mark.parametrize(
    ("measure", "method", "clusters", "unit", "n"),
    [
        ("words_per_user_turn", "permutation_within", 5, "participant", 5),
        ("words_per_user_turn", "none", 5, "turn", 31),
        ("words_per_user_turn", "z_pooled", None, "turn", 31),
        ("words_per_user_turn", "z_pooled", 0, "turn", 31),
        ("strange", "none", None, "participant", 31),
    ],
)
def test_a_difference_is_signed_by_people_where_they_could_be_told_apart(measure, method, clusters, unit, n):
    line = signed_difference(measure, "a", "b", method=method, clusters=clusters, by="system", n=31, data="x")
    assert f"|unit:{unit}|" in line and f"|n:{n}|" in line


def test_one_participant_gives_no_interval_whatever_they_held(make) -> None:
    summary = summarise(make(*[("a", "p", True)] * 4), "system")
    rate = summary.all.rates["subjective_success"]
    assert rate.low is not None, "that of independent cases, which these are not"
    cell, said = rate_cell(rate), " ".join([*answer(summary), rate_note(summary), str(summary.model.why)])
    assert (cell.main, *cell.under) == ("100.0%", "no interval: one participant", "4 of 4")
    assert "do not show how much participants differ" in said
    for claimed in ("95% CI", "Wilson", "switch groups", "permutation", "None"):
        assert claimed not in said
    assert "wilson" not in signature_of(rate)
    assert answer_figure(summary, "subjective_success") is not None


def test_where_one_system_stands_nothing_is_said_of_comparing(make) -> None:
    summary = summarise(make(*[("a", f"p{n}", n % 3 > 0) for n in range(6)]), "system")
    assert "change sides" not in str(summary.model.why) and "large differences" not in str(summary.model.why)
    assert "95% CI" in " ".join(answer(summary))
