"""The full comparison: other models agree with the default, items are ranked, the family is declared."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from vivavoce.analysis.comparison import _welch, compare_systems
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.result import as_json
from vivavoce.stats.bootstrap import bootstrap_difference
from vivavoce.stats.glmm import fit_mixed_logistic
from vivavoce.stats.models import Cases, _cases_one_by_one, _random_effects, check_models, mixed_linear
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.ranks import clustered_superiority, mann_whitney, ordinal_regression

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-ranks.json").read_text(encoding="utf-8")
)


def drawn(seed: int = 7, people: int = 80, effect: float = 1.0) -> Cases:
    """Success of dialogues, half with each system, of participants who differ by 1 on the logit scale."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), rng.integers(2, 12, people))
    is_a = rng.random(len(who)) < 0.5
    chance = 1 / (1 + np.exp(-(rng.normal(0, 1, people)[who] + effect * is_a - 0.3)))
    hits = (rng.random(len(who)) < chance).astype(float)
    return Cases(hits, np.ones(len(who)), who, rng.integers(0, 12, len(who)), is_a)


def test_gee_mixed_model_and_bootstrap_find_the_same_difference():
    found = check_models(drawn())
    differences = [found[name].difference for name in ("bootstrap", "gee", "mixed")]
    assert np.ptp(differences) < 0.03
    for one in found.values():
        assert one.low < one.difference < one.high
    assert found["gee"].p < 0.001
    assert set(found["mixed"].deviations) == {"participant", "participant by system", "task"}


def test_the_mixed_model_finds_how_much_participants_differ():
    cases = drawn(people=400)
    fixed = np.column_stack([np.ones(len(cases.people)), cases.is_a]).astype(float)
    fit = fit_mixed_logistic(cases.numerators, cases.denominators, fixed, [cases.people])
    assert fit.deviations[0] == pytest.approx(1, abs=0.15)
    assert fit.effects[1] == pytest.approx(1, abs=3 * fit.covariance[1, 1] ** 0.5)


def test_means_get_linear_models():
    cases = drawn()
    times = Cases(cases.numerators * 7.5 + 30 + cases.people % 5, *cases[1:])
    found = check_models(times)
    assert found["mixed"].method == "mixed_linear"
    assert found["gee"].difference == pytest.approx(found["bootstrap"].difference, abs=0.5)


def test_a_linear_mixed_model_takes_each_dialogue_by_its_own_ratio():
    cases = drawn()
    values = cases.numerators * 7.5 + 30 + cases.people % 5
    sizes = 1.0 + np.arange(len(values)) % 4
    found = mixed_linear(Cases(values * sizes, sizes, *cases[2:]))
    one_each = mixed_linear(Cases(values, np.ones(len(values)), *cases[2:]))
    assert found.difference == pytest.approx(one_each.difference)


@pytest.mark.parametrize(("tasks", "recur"), [(4, True), (5, False)])
def test_tasks_are_random_where_they_recur_three_times_on_average(tasks, recur):
    draw = np.random.default_rng(3)
    success, people = draw.integers(0, 2, 12).astype(float), np.arange(12) % 6
    cases = Cases(success, np.ones(12), people, np.arange(12) % tasks, np.arange(12) < 6)
    assert ("task" in check_models(cases)["mixed"].deviations) is recur


def test_a_model_that_cannot_be_fitted_says_why():
    same = Cases(np.ones(8), np.ones(8), np.arange(8), np.zeros(8), np.arange(8) < 4)
    for one in check_models(same).values():
        assert one.p is None
        assert "nothing varied" in one.why


def test_the_bootstrap_draws_whole_participants():
    sums = (np.array([5.0, 0.0] * 10), np.full(20, 5.0)), (np.full(20, 2.0), np.full(20, 5.0))
    low, high = bootstrap_difference(*sums)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / 20**0.5, rel=0.15), (
        "20 participants, not 100 dialogues"
    )
    assert bootstrap_difference(*sums) == (low, high), "seeded"
    assert bootstrap_difference(*(((np.ones(1), np.ones(1)),) * 2)) is None


def test_rank_tests_are_those_of_the_reference():
    for case in GOLDEN["two_groups"]:
        (a, b), expected, close = case["input"], case["expected"], case["tolerance"]
        found = mann_whitney(a, b)
        ours = (found.u, found.p, found.superiority, found.cliff_delta)
        assert ours == pytest.approx(
            [expected[name] for name in ("u", "p", "superiority", "cliff_delta")], abs=close
        )
        plain = mann_whitney(a, b, continuity=False)
        assert plain.p == pytest.approx(expected["p_without_continuity"], abs=close)
        share = clustered_superiority(a, b, range(8), [f"b{one}" for one in range(8)])
        assert share.share == pytest.approx(expected["superiority"])
        assert mann_whitney([1, 1], [1]) is None


def test_repeated_answers_of_a_person_do_not_make_a_group_surer():
    rng = np.random.default_rng(1)
    a, b = rng.integers(2, 6, 12), rng.integers(1, 5, 12)
    once = clustered_superiority(a, b, range(12), range(12, 24))
    tenfold = clustered_superiority(
        np.repeat(a, 10), np.repeat(b, 10), np.repeat(range(12), 10), np.repeat(range(12, 24), 10)
    )
    assert tenfold.p == pytest.approx(once.p)
    assert mann_whitney(np.repeat(a, 10), np.repeat(b, 10)).p < mann_whitney(a, b).p / 10
    odds = ordinal_regression(a, b, range(12), range(12, 24))
    assert odds.odds_ratio > 1


def test_the_odds_p_is_that_of_their_own_interval():
    """Log odds over their error against t with one degree of freedom fewer than participants."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(2, 6, 20), rng.integers(1, 6, 20)
    odds = ordinal_regression(a, b, range(20), range(20, 40))
    assert odds.low < odds.odds_ratio < odds.high
    error = np.log(odds.high / odds.low) / (2 * student.ppf(0.975, 39))
    assert odds.p == pytest.approx(2 * student.sf(abs(np.log(odds.odds_ratio)) / error, 39))


@pytest.mark.parametrize(
    ("a", "b", "who_a", "who_b"),
    [
        ([3, 3], [3], [1, 2], [3]),
        ([], [1, 2], [], [1, 2]),
        ([1, 2], [], [1, 2], []),
        ([1, 2], [3], [1, 1], [1]),
    ],
    ids=["one answer", "nobody answered of a", "nobody answered of b", "one participant"],
)
def test_no_odds_are_made_up_where_nothing_can_be_compared(a, b, who_a, who_b):
    odds = ordinal_regression(a, b, who_a, who_b)
    assert (odds.p, odds.odds_ratio) == (None, None)
    assert odds.why == "Nothing varied, or a group has no answer."


@pytest.mark.parametrize(("people", "errors"), [(39, "bias-reduced"), (40, "robust")])
def test_gee_of_fewer_than_40_participants_has_bias_reduced_errors(people, errors):
    assert f"{people} participants; {errors} errors" in check_models(drawn(people=people))["gee"].why


def answered(make, people: int = 20):
    rows, ratings = [], []
    for person in range(people):
        for system in ("a", "b", "c"):
            number = len(rows)
            rows.append((system, f"p{person}", (person + number) % 3 > (system == "b")))
            value = float(1 + (person + 2 * (system == "a")) % 5)
            ratings.append(
                {
                    "dialogue_id": f"d{number}",
                    "participant_id": f"p{person}",
                    "instrument": "sus",
                    "wording": "file",
                    "language": "en",
                    "item_id": "q1",
                    "value": value,
                }
            )
    return make(*rows, ratings=ratings)


def test_every_measure_asked_for_is_in_a_family_that_is_named(make):
    facts = compare_systems(answered(make), measures=["subjective_success", "dialogue_duration"], margin=0.2)
    assert json.loads(json.dumps(as_json(facts), allow_nan=False)) == as_json(facts)
    told = [item.superiority.p for item in facts.items]
    assert [one.tests for one in facts.families] == [3, 3, 2]
    assert sum(p is not None for p in told) == 2  # the third pair could not be tested, so it is in no family
    for name in ("subjective_success", "dialogue_duration"):
        tests = [test.clustered for test in facts.tests if test.measure == name]
        assert [one.p_adjusted for one in tests] == pytest.approx(holm([one.p for one in tests]))
    assert facts.tests[0].effect.name == "cohen_h"
    assert facts.tests[-1].effect.name == "cohen_d"
    assert facts.tests[0].equivalence.margin == 0.2
    assert [item.item_id for item in facts.items] == ["q1"] * 3


@pytest.mark.parametrize("silent", ["a", "b"])
def test_a_system_without_a_case_is_compared_with_nothing(make, silent):
    rows = [
        (system, f"p{person}", None if system == silent else person % 2)
        for person in range(4)
        for system in ("a", "b")
    ]
    (test,) = compare_systems(make(*rows), measures=["subjective_success"]).tests
    assert (test.clustered.difference, test.naive.difference, test.effect.name) == (None, None, None)


def test_only_the_pairs_asked_for_are_compared(make):
    dataset = answered(make)
    facts = compare_systems(dataset, measures=["subjective_success"], pairs=[("c", "a")])
    assert [(test.a, test.b) for test in facts.tests] == [("c", "a")]
    with pytest.raises(UnknownName, match="Known: a, b, c"):
        compare_systems(dataset, pairs=[("a", "d")])
    with pytest.raises(InputError):
        compare_systems(dataset, pairs=[("a", "a")])
    with pytest.raises(UnknownName):
        compare_systems(dataset, correction="sidak")


REAL = {  # measure: (S0A0 - S0A1, S1A0 - S1A1) difference
    "subjective_success": (-0.0223, -0.0219),
    "objective_success_assigned": (-0.0632, -0.0913),
    "objective_success_inferred": (-0.0736, -0.0402),
}


@pytest.mark.long
@pytest.mark.shared
def test_acoustic_conditions_of_the_real_calls_are_compared_within_each_manager(dstc2):
    pairs = [("S0A0", "S0A1"), ("S1A0", "S1A1")]
    facts = compare_systems(dstc2, by="condition", pairs=pairs)
    assert [one.tests for one in facts.families if one.measures] == [18]
    for name, expected in REAL.items():
        tests = [test for test in facts.tests if test.measure == name]
        found = [round(test.clustered.difference, 4) for test in tests]
        assert found == pytest.approx(expected, abs=2e-4)
        for test in tests:
            others = [test.models[model] for model in ("bootstrap", "gee", "mixed")]
            widths = [one.high - one.low for one in (test.clustered, *others)]
            assert max(widths) < 1.35 * min(widths), "four ways to respect callers agree"
            assert all(abs(one.difference - test.clustered.difference) < 0.02 for one in others)
    assert not any(test.significant for test in facts.tests), "18 comparisons were explored, not six"


def test_superiority_is_that_of_every_pair_of_answers_over_participants():
    """Pairs in loops, a participant's influence weighed as if left out, and t over participants."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        a, b = rng.integers(1, 6, 14).astype(float), rng.integers(2, 6, 11).astype(float)
        people_a, people_b = (
            [f"p{n}" for n in rng.integers(0, 7, 14)],
            [f"p{n}" for n in rng.integers(3, 10, 11)],
        )
        won = [[1.0 if one > other else 0.5 if one == other else 0.0 for other in b] for one in a]
        share = sum(map(sum, won)) / (len(a) * len(b))
        square, people = 0.0, sorted({*people_a, *people_b})
        for person in people:
            influence = 0.0
            of_a = [
                sum(row) / len(b) - share for row, who in zip(won, people_a, strict=True) if who == person
            ]
            of_b = [
                sum(row[n] for row in won) / len(a) - share for n, who in enumerate(people_b) if who == person
            ]
            for left, size in ((of_a, len(a)), (of_b, len(b))):
                influence += sum(left) / size / (1 - len(left) / size)
            square += influence**2
        found = clustered_superiority(a, b, people_a, people_b)
        reach = student.ppf(0.975, len(people) - 1) * square**0.5
        assert (found.share, found.clusters) == (pytest.approx(share), len(people))
        assert found.low == pytest.approx(max(0, share - reach))
        assert found.high == pytest.approx(min(1, share + reach))
        assert found.p == pytest.approx(2 * student.sf(abs(share - 0.5) / square**0.5, len(people) - 1))


def test_superiority_over_one_person_or_none_has_no_interval():
    alone = clustered_superiority([1, 2], [1, 1], ["p", "p"], ["q", "r"])
    assert (alone.share, alone.low, alone.clusters) == (0.75, None, 3)
    assert clustered_superiority([], [1], [], ["q"]).share is None
    even = clustered_superiority([2, 2], [1, 1], ["p", "q"], ["r", "s"])
    assert (even.share, even.p) == (1.0, None)


def test_each_estimand_weighs_what_it_says(make):
    """Words a turn of dialogues (system, person, words of each turn): over turns, dialogues, and people."""
    talks = [
        ("a", "p", [4, 6]),
        ("a", "p", [2]),
        ("a", "q", [9, 9, 9]),
        ("a", "r", [1]),
        ("b", "p", [3, 1]),
        ("b", "s", [7]),
        ("b", "s", [5, 5, 2]),
        ("b", "t", [4]),
    ]
    turns = [
        {"dialogue_id": f"d{number}", "turn_index": index, "party": "user", "reference": "word " * words}
        for number, (_, _, said) in enumerate(talks)
        for index, words in enumerate(said)
    ]
    seconds = [20.0, 35.0, 50.0, 41.0, 90.0, 75.0, 60.0, 82.0]
    held = [(system, person, None) for system, person, _ in talks]
    names = ["words_per_user_turn", "dialogue_duration"]
    found = compare_systems(make(*held, rows={"turns": turns}, duration_s=seconds), measures=names)
    tests = {one.measure: one for one in found.tests}
    sides = [[(person, said) for one, person, said in talks if one == system] for system in "ab"]

    def difference(mean) -> float:
        return mean(sides[0]) - mean(sides[1])

    def over_people(own: list) -> float:
        whole = {who: [word for person, said in own if person == who for word in said] for who, _ in own}
        return np.mean([np.mean(words) for words in whole.values()])

    words = tests["words_per_user_turn"]
    assert words.clustered.difference == pytest.approx(
        difference(lambda own: np.mean([word for _, said in own for word in said]))
    )
    assert {one.estimand: one.found.difference for one in words.weighted} == {
        "per dialogue": pytest.approx(difference(lambda own: np.mean([np.mean(said) for _, said in own]))),
        "per participant": pytest.approx(difference(over_people)),
    }
    assert words.naive.method == "ratio_of_independent_dialogues" and words.effect.name is None
    assert words.naive.clusters == 8 and words.clustered.clusters == 5
    lasted, (first, second) = tests["dialogue_duration"], (seconds[:4], seconds[4:])
    peer = ttest_ind(first, second, equal_var=False)
    assert [one.estimand for one in lasted.weighted] == ["per participant"]
    assert lasted.naive.p == pytest.approx(peer.pvalue)
    assert (lasted.naive.low, lasted.naive.high) == pytest.approx(tuple(peer.confidence_interval()))
    spread = ((np.var(first, ddof=1) + np.var(second, ddof=1)) / 2) ** 0.5
    assert lasted.effect.value == pytest.approx((np.mean(first) - np.mean(second)) / spread)


@pytest.mark.parametrize("values", [([1.0], [2.0, 3.0]), ([1.0, 2.0], [3.0]), ([2.0, 2.0], [2.0, 2.0])])
def test_one_dialogue_or_one_value_alone_gives_a_difference_without_interval_or_p(values):
    first, second = (np.array(one) for one in values)
    n = len(first) + len(second)
    is_a = np.arange(n) < len(first)
    cases = Cases(np.concatenate([first, second]), np.ones(n), np.arange(n), np.zeros(n, int), is_a)
    found, size = _welch(cases)
    assert found.difference == first.mean() - second.mean()
    assert (found.low, found.high, found.p, size.value) == (None, None, None, None)


def test_means_are_compared_by_welchs_t_and_cohens_d():
    first, second = np.array([1.0, 2.0, 4.0]), np.array([3.0, 7.0])
    cases = Cases(
        np.concatenate([first, second]), np.ones(5), np.arange(5), np.zeros(5, int), np.arange(5) < 3
    )
    found, size = _welch(cases)
    reference = ttest_ind(first, second, equal_var=False)
    span = reference.confidence_interval(0.95)
    assert (found.low, found.high, found.p) == pytest.approx((span.low, span.high, reference.pvalue))
    assert size.value == pytest.approx((7 / 3 - 5) / np.sqrt((7 / 3 + 8) / 2))


def test_random_effects_are_those_that_recur():
    """Who met both systems; tasks of three dialogues each on average."""
    for people, tasks, names in [
        ("pqrstu", [0] * 6, []),
        ("ppqqrr", [0] * 6, ["participant by system"]),
        ("ppqrst", [0] * 6, ["participant by system"]),
        ("pqrstu", [0, 1, 0, 1, 0, 1], ["task"]),
        ("pqrstu", [0, 1, 2, 0, 1, 2], []),
        ("ppqqrr", [0, 0, 1, 1, 0, 0], ["participant by system", "task"]),
    ]:
        cases = Cases(np.ones(6), np.ones(6), np.array(list(people)), np.array(tasks), np.arange(6) % 2 == 0)
        grouping, found = _random_effects(cases)
        assert found == ["participant", *names] and len(grouping) == len(found)
        if "participant by system" in found:
            assert len(set(grouping[1].tolist())) == len(set(zip(people, [0, 1] * 3, strict=True)))


def test_counted_dialogues_are_taken_apart_into_their_cases():
    people = np.arange(3)
    counted = Cases(np.array([2.0, 0, 1]), np.array([3.0, 1, 2]), people, people, people == 0)
    values, rows = _cases_one_by_one(counted)
    assert (values.tolist(), rows.tolist()) == ([1, 1, 0, 0, 1, 0], [0, 0, 0, 1, 2, 2])
    for tops, bottoms in (
        ([2.5, 0, 1], [3, 1, 2]),
        ([4, 0, 1], [3, 1, 2]),
        ([-1, 0, 1], [3, 1, 2]),
        ([1, 0, 1], [3, 1, 2.5]),
    ):
        other = Cases(np.array(tops, float), np.array(bottoms, float), people, people, people == 0)
        assert counted.counted and not other.counted
        values, rows = _cases_one_by_one(other)
        assert values == pytest.approx(np.array(tops) / np.array(bottoms)) and rows.tolist() == [0, 1, 2]


def test_what_was_not_counted_or_has_no_margin_is_said_and_rates_have_wilsons_interval(make):
    names = ["subjective_success", "words_per_user_turn", "dialogue_duration"]
    rows = [
        (system, f"p{person}", (person + (system == "a")) % 3 > 0)
        for person in range(6)
        for system in ("a", "b")
    ]
    dataset = make(*rows)
    found = compare_systems(dataset, measures=names, margin={"subjective_success": 0.2})
    said = [str(one) for one in found.warnings]
    assert [one for one in said if one.startswith("No cases for")] == [
        one for one in said if "for words_per_user_turn. Rule of the measure: " in one
    ] and sum("No cases for" in one for one in said) == 1
    assert [one for one in said if "No margin for" in one] == [
        "No margin for dialogue_duration: add --margin dialogue_duration=VALUE, in the unit of the measure."
    ]
    assert [one.equivalence is not None for one in found.tests] == [True, False]
    methods = {(one.measure, one.naive.method, one.n) for one in found.rates}
    assert methods == {("subjective_success", "wilson", 6), ("dialogue_duration", "none", 6)}
    for one in found.rates:
        assert (one.naive.low is not None) == (one.measure == "subjective_success")
    without = compare_systems(dataset, measures=names[:1])
    assert not any("margin" in str(one) for one in without.warnings)
    assert [(test.unit, test.n) for test in found.tests] == [("participant", 12), ("participant", 12)]


def test_people_whom_nobody_knows_are_compared_by_cases(make):
    rows = [
        (system, None, (number + (system == "a")) % 3 > 0) for number in range(7) for system in ("a", "b")
    ]
    (test,) = compare_systems(make(*rows), measures=["subjective_success"], margin=0.3).tests
    assert (test.unit, test.n, test.equivalence) == ("case", 14, None)
    assert test.p_adjusted == pytest.approx(test.naive.p) and test.clustered.p_adjusted is None
    assert [one.estimand for one in test.weighted] == []


def test_participants_are_not_compared_with_each_other_unasked(make):
    rows = [("a", "p", 1), ("a", "q", 0), ("b", "p", 0), ("b", "q", 0)]
    found = compare_systems(make(*rows), by="participant", measures=["subjective_success"])
    assert found.tests == [] and len(found.rates) == 2
