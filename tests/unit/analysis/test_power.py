"""Power: the numbers of the 2011 paper, the formulas' own identities, the simulation, the study file."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, norm
from statsmodels.stats.power import TTestIndPower

from scenes.judging import judged_often
from vivavoce.analysis import planning
from vivavoce.analysis.planning import (
    Pilot,
    Rates,
    _weakest_pair,
    answer,
    find_participants,
    read_pilot,
    simulate,
)
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.stats.power import (
    Nested,
    likert,
    one_rate,
    power_of_two_rates,
    preference,
    two_rates,
)

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-power.json").read_text(encoding="utf-8")
)


def test_the_sizes_around_the_claim_of_810_calls_are_the_published_ones():
    for case in GOLDEN["two_rates"]:
        facts, expected = two_rates(*case["input"]), case["expected"]
        for name in (
            "pooled",
            "continuity_corrected",
            "unpooled",
            "unpooled_continuity_corrected",
            "steps_of_ten",
        ):
            assert getattr(facts.critical_difference, name) == expected[name]
        for name in ("per_group", "per_group_continuity_corrected"):
            assert getattr(facts, name) == expected[name]
        assert two_rates(*case["input"], power=0.9).per_group == expected["per_group_90"]
        half = facts.half_the_difference
        assert round(half.pooled, 2) == expected["half_pooled"]
        assert round(half.continuity_corrected, 2) == expected["half_continuity_corrected"]
        for n in (806, 810):
            power = power_of_two_rates(*case["input"], n)
            assert power == pytest.approx(expected[f"power_at_{n}"], abs=5e-6)


def test_the_size_found_has_the_power_asked_for():
    for a, b in ((0.45, 0.5), (0.6, 0.8), (0.9, 0.85)):
        n = two_rates(a, b).per_group
        assert power_of_two_rates(a, b, n) >= 0.8 > power_of_two_rates(a, b, n - 2)


def test_nesting_costs_its_design_effect():
    facts = two_rates(0.45, 0.5, nested=Nested(calls=6, icc=0.2)).clustered
    assert facts.design_effect == pytest.approx(2)
    assert (facts.size.per_group, facts.size.participants) == (3130, 1044)
    within = two_rates(0.45, 0.5, nested=Nested(calls=6, icc=0.2, design="within")).clustered
    assert within.design_effect == pytest.approx(0.8)
    assert within.size.participants == 418


def test_one_rate_preference_and_likert_agree_with_each_other_and_their_sources():
    one, choice = one_rate(0.6), preference(0.6, ties=0.5)
    assert choice.decided == one.per_group == 194
    assert choice.per_group == 388
    assert one.exact > one.per_group
    assert preference(0.6, ties=0.2).exact == math.ceil(one.exact / 0.8)
    assert two_rates(0.45, 0.51).half_the_difference.rates == pytest.approx((0.45, 0.48))
    assert one_rate(0.5, half_width=0.05).precision == 381
    scale = likert(0.5, 1.2)
    assert TTestIndPower().power(0.5 / 1.2, scale.per_group, 0.05) >= 0.8
    assert scale.per_group_ranks == pytest.approx(scale.per_group / 0.955, abs=1)


@pytest.mark.long
@pytest.mark.parametrize("design", ["between", "within"])
def test_simulated_trials_of_many_have_the_power_of_the_formula(design):
    nested = Nested(calls=6, icc=0.2, interaction=0.05 if design == "within" else 0.0, design=design)
    people = two_rates(0.4, 0.55, nested=nested).clustered.size.participants
    found = simulate(Rates(0.4, 0.55), people, nested, draws=1000, seed=2)
    assert found.share == pytest.approx(0.8, abs=0.05)
    few = [simulate(Rates(0.4, 0.55), people, nested, draws=50, seed=2) for _ in range(2)]
    assert few[0] == few[1]


def own_trials(nested: Nested, people: int, trials: int, seed: int) -> float:
    """Power at .4 against .8 by trials drawn here, dialogue by dialogue: rates by Beta, by a copula."""
    rng = np.random.default_rng(seed)
    spread = nested.icc + nested.interaction
    sides = [
        [person % 2] * int(nested.calls) if nested.design == "between" else [0, 1] * int(nested.calls / 2)
        for person in range(people)
    ]
    base, liking = rng.standard_normal((trials, people, 1)), rng.standard_normal((trials, people, 2))
    place = norm.cdf(math.sqrt(nested.icc / spread) * base + math.sqrt(nested.interaction / spread) * liking)
    size = 1 / spread - 1
    level = np.stack(
        [beta.ppf(place[..., side], rate * size, (1 - rate) * size) for side, rate in enumerate((0.4, 0.8))],
        axis=-1,
    )
    who, side = np.repeat(np.arange(people), [len(one) for one in sides]), np.concatenate(sides)
    hits = rng.random((trials, len(who))) < level[:, who, side]
    rows = [("ab"[one], f"p{person}") for person, one in zip(who, side, strict=True)]
    return float(np.mean([found.p < 0.05 for found in judged_often(rows, hits)]))


@pytest.mark.parametrize(
    ("nested", "fails"),
    [
        (Nested(calls=20, icc=0.05), 6),
        pytest.param(Nested(calls=20, icc=0.05, design="within"), 3, marks=pytest.mark.long),
        pytest.param(
            Nested(calls=20, icc=0.05, interaction=0.05, design="within"), 4, marks=pytest.mark.long
        ),
    ],
    ids=["between", "within", "within, with likings"],
)
def test_few_participants_have_the_power_that_was_asked_for(nested, fails):
    people, found = find_participants(Rates(0.4, 0.8), nested, power=0.8, guess=fails)
    assert people > fails, "what the formula says, which knows nothing of so few"
    assert found.share >= 0.78
    trials = 200
    assert own_trials(nested, people, trials, seed=5) >= 0.8 - 3 * math.sqrt(0.16 / trials)
    assert own_trials(nested, fails, 100, seed=6) < 0.7


def test_a_smallest_p_that_equals_alpha_reaches_nothing():
    five = Nested(calls=2, icc=0.0, design="within")
    assert planning.smallest_p(5, five) == 2 / 2**5  # all five signs alike, on either side
    with pytest.raises(InputError, match=r"5 participants .* cannot reach p < 0\.0625"):
        planning.check_attainable(5, five, alpha=2 / 2**5)
    planning.check_attainable(5, five, alpha=0.07)


@pytest.mark.parametrize("people", [6, 12, 24])
def test_sums_over_participants_are_judged_like_their_dialogues(people):
    nested = Nested(calls=4, icc=0.2, design="within")
    judge = []
    whole = planning._design(people, nested, 2, (1, 0))
    repeats = np.repeat(np.arange(len(whole.people)), whole.sizes)
    single = planning._Design(whole.people[repeats], whole.sides[repeats], np.ones(len(repeats), int))
    hits = np.random.default_rng(3).binomial(2, 0.5, (2 * people, 5)).astype(float)
    dialogues = np.arange(2)[:, None] < hits[:, None, :]
    for design, outcomes in ((whole, hits), (single, dialogues.reshape(-1, 5).astype(float))):
        judge.append([p for p, _ in design.test(outcomes)])
    assert judge[0] == pytest.approx(judge[1])


def test_an_odd_number_of_participants_is_answered_for_all_of_them():
    facts = answer("two-rates", [0.1, 0.9], participants=11, calls=4, design="between")
    assert facts.clustered.size.participants == facts.simulated.participants == 11
    assert not any("declares" in said for said in facts.assumptions), "no study declares anything here"
    with pytest.raises(InputError, match="5 participants with two systems, 2 against 3"):
        answer("two-rates", [0.4, 0.7], participants=5, design="between")


@pytest.mark.parametrize(("whole", "lost", "needed"), [(100, 0, 80), (100, 20, 100), (62_500, 0, 50_000)])
def test_the_fewest_participants_are_as_many_on_each_side_as_fresh_trials_need(
    monkeypatch, whole, lost, needed
):
    """Trials whose power grows by 1 with `whole` participants; the fresh ones lag by so many."""

    def simulated(_effect, participants, _nested, *, seed, **_options):
        assert isinstance(participants, int) and participants % 2 == 0, "half of them a side"
        share = min(1.0, (participants - (lost if seed == 2 else 0)) / whole)
        return planning.Simulated(share, 0.0, 1, seed, ())

    monkeypatch.setattr(planning, "simulate", simulated)
    nested = Nested(calls=1, icc=0.0, design="between")
    people, _ = find_participants(Rates(0.4, 0.8), nested, power=0.8, guess=11)
    assert people == needed


def test_a_plan_that_cannot_show_anything_is_refused_with_the_smallest_that_can():
    options = {"calls": 20, "icc": 0.05, "design": "between"}
    with pytest.raises(InputError, match=r"6 participants.*3 against 3.*at least 8"):
        answer("two-rates", [0.4, 0.8], participants=6, **options)
    with pytest.raises(InputError, match="at least 2 dialogues"):
        answer("two-rates", [0.4, 0.8], calls=1, design="within")
    facts = answer("two-rates", [0.4, 0.8], participants=8, **options)
    assert facts.clustered.size.participants == facts.simulated.participants == 8
    assert 0 < facts.simulated.power < 0.8


@pytest.mark.long
def test_means_are_simulated_too():
    facts = answer("likert", [1.0, 1.2], calls=3, icc=0.1)
    assert facts.simulated.power == pytest.approx(0.8, abs=0.05)
    assert facts.clustered.size.participants >= facts.clustered.formula.participants


@pytest.mark.long
def test_a_pilot_gives_the_profile_of_calls_and_how_alike_they_are(make):
    sizes = [2] * 10 + [20, 2]
    pilot = read_pilot(
        make(
            *[
                ("ab"[place % 2], f"p{person}", (person + place) % 3 > 0)
                for person, size in enumerate(sizes)
                for place in range(size)
            ]
        )
    )
    assert pilot.profile == (*[2] * 11, 20)
    assert "12 participants of the pilot had 42 dialogues (median 2, most 20)" in pilot.said[0]
    even = answer("two-rates", [0.4, 0.7], calls=42 / 12, icc=0.3).clustered
    uneven = answer("two-rates", [0.4, 0.7], pilot=pilot, icc=0.3).clustered
    assert uneven.calls == pytest.approx(42 / 12)
    assert uneven.size.participants > 1.2 * even.size.participants, "a whale is not many people"
    nobody = make(("a", None, True), name="nobody")
    with pytest.raises(InputError, match="participants are unknown"):
        read_pilot(nobody)


def test_questions_that_make_no_sense_are_refused():
    for question, values, options in [
        ("two-rates", [0.4], {}),
        ("two-rates", [0.4, 0.4], {}),
        ("two-rates", [0.4, 1.4], {}),
        ("two-rates", [0.4, 0.5], {"alpha": 2.0}),
        ("two-rates", [0.4, 0.5], {"calls": 0.5}),
        ("likert", [0.0, 1.0], {}),
        ("preference", [0.6], {"ties": 1.0}),
        ("one-rate", [0.6], {"half_width": 0.9}),
        ("one-rate", [0.6], {"participants": 9}),
        ("study", [], {}),
    ]:
        with pytest.raises(InputError):
            answer(question, values, **options)


def test_unknown_questions_name_the_known_ones():
    with pytest.raises(UnknownName, match="likert"):
        answer("two-rats", [0.4, 0.5])
    with pytest.raises(UnknownName, match="between"):
        answer("two-rates", [0.4, 0.5], design="crossed")


@pytest.mark.parametrize(
    ("facts", "right"),
    [
        ({"calls": 1}, True),
        ({"calls": 0.9}, False),
        ({"icc": 0.0}, True),
        ({"icc": 0.99}, True),
        ({"icc": 1.0}, False),
        ({"icc": -0.1}, False),
        ({"interaction": 0.0}, True),
        ({"interaction": 1.0}, False),
        ({"interaction": -0.1}, False),
        ({"calls": 1, "design": "within"}, False),
        ({"calls": 1.1, "design": "within"}, True),
        ({"profile": (1, 1), "design": "within"}, False),
        ({"profile": (1, 2), "design": "within"}, True),
    ],
)
def test_nesting_that_cannot_be_is_refused_and_its_edges_are_not(facts, right):
    if right:
        Nested(**facts)
        return
    with pytest.raises(InputError):
        Nested(**facts)


@pytest.mark.parametrize(
    ("facts", "typical", "effect"),
    [
        ({"calls": 4, "icc": 0.2}, 4, 1 + 3 * 0.2),
        ({"profile": (1, 3), "icc": 0.2}, 2.5, 1 + 1.5 * 0.2),
        ({"calls": 6, "icc": 0.2, "interaction": 0.1, "design": "within"}, 6, 1 - 0.3 + 3 * 0.1),
        ({"calls": 1.5, "icc": 0.2, "interaction": 0.1, "design": "within"}, 1.5, 1 - 0.3 + 0.1),
        ({"calls": 4, "icc": 0.7, "interaction": 0.6, "design": "within"}, 4, 2 * 0.6),
    ],
)
def test_what_nesting_multiplies_dialogues_by(facts, typical, effect):
    """Kish's 1 + (m - 1) rho between; within, pairs cancel what a participant's dialogues share."""
    nested = Nested(**facts)
    assert (nested.typical_calls, nested.design_effect) == pytest.approx((typical, effect))


def exact_power(rate: float, against: float, n: int, tail: float) -> float:
    """Chance at `rate` of counts that are in either tail at `against`, count by count."""
    chances = {
        one: [math.comb(n, k) * one**k * (1 - one) ** (n - k) for k in range(n + 1)]
        for one in (rate, against)
    }
    extreme = [
        k for k in range(n + 1) if min(sum(chances[against][: k + 1]), sum(chances[against][k:])) <= tail
    ]
    return sum(chances[rate][k] for k in extreme)


@pytest.mark.parametrize(("rate", "against"), [(0.8, 0.5), (0.25, 0.5), (0.9, 0.7)])
def test_the_exact_size_is_the_first_of_twenty_with_the_power_that_was_asked_for(rate, against):
    found = one_rate(rate, against).exact
    powers = {n: exact_power(rate, against, n, 0.025) for n in range(5, found + 20)}
    runs = [n for n in range(5, found + 1) if all(powers[n + more] >= 0.8 for more in range(20))]
    assert runs == [found]


@pytest.mark.parametrize(("rate", "half"), [(0.5, 0.1), (0.8, 0.05), (0.1, 0.04)])
def test_the_size_for_an_interval_is_the_least_at_which_wilsons_is_as_narrow(rate, half):
    z = norm.ppf(0.975)
    widths = (
        (n, z * math.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)) for n in range(1, 2000)
    )
    assert one_rate(rate, half_width=half).precision == next(n for n, width in widths if width <= half)


@pytest.mark.parametrize(
    ("ask", "right"),
    [
        (lambda: one_rate(0.5, 0.5), False),
        (lambda: one_rate(0.5, 0.5, half_width=0.1), True),
        (lambda: one_rate(0.5, half_width=0.0), False),
        (lambda: one_rate(0.5, half_width=0.5), False),
        (lambda: one_rate(1.0, 0.5), False),
        (lambda: one_rate(0.5, 0.0), False),
        (lambda: one_rate(0.0, 0.5), False),
        (lambda: one_rate(0.5, 1.0), False),
        (lambda: two_rates(0.4, 0.4), False),
        (lambda: likert(0.5, 0.0), False),
        (lambda: likert(0.0, 1.0), False),
        (lambda: likert(-0.5, 1.0), True),
        (lambda: preference(0.6, ties=1.0), False),
        (lambda: preference(0.6, ties=-0.1), False),
        (lambda: preference(0.6, ties=0.0), True),
    ],
)
def test_questions_without_an_answer_are_refused_and_their_neighbours_are_not(ask, right):
    if right:
        assert ask().per_group > 1
        return
    with pytest.raises(InputError):
        ask()


def test_a_difference_of_means_is_the_same_either_way_and_systems_share_participants():
    assert likert(-0.5, 1.2).per_group == likert(0.5, 1.2).per_group
    one = two_rates(0.4, 0.6, systems=3, nested=Nested(calls=4, icc=0.1))
    cases = math.ceil(one.per_group * 1.3)
    assert one.clustered.size.per_group == cases and one.clustered.size.dialogues == 3 * cases
    assert one.clustered.size.participants == 3 * math.ceil(cases / 4)
    within = two_rates(0.4, 0.6, systems=3, nested=Nested(calls=6, icc=0.1, design="within")).clustered
    assert within.size.participants == math.ceil(within.size.dialogues / 6)
    alone = one_rate(0.6, nested=Nested(calls=4, icc=0.1)).clustered
    assert alone.size.participants == math.ceil(alone.size.per_group / 4)


@pytest.mark.parametrize("systems", [2, 3, 5])
def test_the_weakest_pair_are_the_two_smallest_of_groups_as_even_as_can_be(systems):
    for people in range(1, 30):
        sizes = sorted(len(range(first, people, systems)) for first in range(systems))
        assert _weakest_pair(people, systems) == sizes[0] + sizes[1]


@pytest.mark.parametrize(
    ("options", "icc"),
    [
        ({}, 0.0),
        ({"calls": 1.0}, 0.0),
        ({"calls": 1.5}, 0.2),
        ({"calls": 4, "icc": 0.0}, 0.0),
        ({"calls": 4, "icc": 0.3}, 0.3),
    ],
)
def test_likeness_is_assumed_where_people_hold_several_dialogues_and_nobody_says(options, icc):
    facts = answer("one-rate", [0.6, 0.5], **options)
    assert facts.clustered.icc == icc
    assert any("Assumed correlation" in one for one in facts.assumptions) == (icc == 0.2)
    several = options.get("calls", 1) > 1
    assert any("By formula with the design effect" in one for one in facts.assumptions) == several


def test_likeness_is_assumed_also_where_a_pilot_or_a_plan_has_several_dialogues():
    pilot = Pilot(profile=(1, 3), icc=None, said=("a pilot",))
    found = answer("one-rate", [0.6], pilot=pilot)
    assert (found.clustered.calls, found.clustered.icc) == (2, 0.2) and found.assumptions[0] == "a pilot"
    told = answer("one-rate", [0.6], pilot=replace(pilot, icc=0.4)).clustered
    assert told.icc == 0.4 and told.design_effect == pytest.approx(1 + (10 / 4 - 1) * 0.4)
    assert answer("one-rate", [0.6], pilot=replace(pilot, icc=0.4), icc=0.1).clustered.icc == 0.1
    fixed = answer("one-rate", [0.6], pilot=replace(pilot, icc=0.4), calls=5).clustered
    assert (fixed.calls, fixed.design_effect) == (5, pytest.approx(1 + 4 * 0.4)), "no profile beside calls"


def test_a_pilot_tells_the_profile_of_its_people_and_how_alike_their_dialogues_are(make):
    """Nobody knows who held the last dialogue; p and q always succeeded, r and s never."""
    people = [("p", 1)] * 5 + [("q", 1)] * 2 + [("r", 0)] * 3 + [("s", 0)] * 2 + [(None, 1)]
    dataset = make(*[("ab"[place % 2], *one) for place, one in enumerate(people)], simulated=True)
    pilot = read_pilot(dataset, "subjective_success")
    assert (pilot.profile, pilot.icc, pilot.simulated) == ((2, 2, 3, 5), 0.95, True), "1 is the most there is"
    assert "4 participants of the pilot had 12 dialogues (median 2.5, most 5)" in pilot.said[0]
    assert pilot.said[1].startswith("SIMULATED") and "ICC 1.000 for subjective_success" in pilot.said[2]
    assert read_pilot(dataset).said == pilot.said, "the first success rate that has cases"
    unknown = read_pilot(dataset, "word_error_rate")
    assert (unknown.icc, len(unknown.said)) == (None, 2)


@pytest.mark.parametrize(
    ("asked", "design", "refused"),
    [
        (3, "between", True),
        (4, "between", False),
        (1, "within", True),
        (2, "within", False),
    ],
)
def test_each_system_takes_two_participants_or_all_of_them_two(asked, design, refused):
    with pytest.raises(InputError) as caught:
        answer("two-rates", [0.1, 0.9], participants=asked, calls=2, design=design)
    assert ("at least two per system" in str(caught.value)) is refused


def test_numbers_that_do_not_fit_a_question_are_refused():
    for question, values, options in [
        ("one-rate", [], {}),
        ("one-rate", [0.6, 0.5, 0.4], {}),
        ("preference", [0.6, 0.5], {}),
        ("one-rate", [0.6], {"alpha": 0.0}),
        ("one-rate", [0.6], {"alpha": 1.0}),
        ("one-rate", [0.6], {"power": 1.0}),
        ("one-rate", [0.6], {"power": 0.0}),
        ("one-rate", [0.6], {"participants": 20}),
        ("study", [], {}),
    ]:
        with pytest.raises(InputError):
            answer(question, values, **options)
        assert answer("one-rate", [0.6], alpha=0.01, power=0.99).per_group > 500


def test_the_share_of_simulated_trials_has_the_error_of_a_share_and_stops_where_it_is_clear():
    nested = Nested(calls=4, icc=0.1, design="within")
    found = simulate(Rates(0.4, 0.6), 14, nested, draws=100, seed=2)
    assert found.draws == 100 and 0 < found.share < 1
    assert found.error == pytest.approx(math.sqrt(found.share * (1 - found.share) / 100))
    clear = simulate(Rates(0.4, 0.6), 14, nested, draws=500, seed=2, wanted=0.999)
    assert clear.draws == 50 and simulate(Rates(0.4, 0.6), 14, nested, draws=75, seed=2).draws == 100
