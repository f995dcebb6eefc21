"""A running trial: it stops where its question is answered or idle, and not before a planned look."""

import json
from statistics import NormalDist

import pytest
from scipy.stats import norm

from vivavoce.analysis.clustered_summary import ClusteredSummary
from vivavoce.analysis.stopping import boundaries, conditional_power, monitor
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.result import as_json
from vivavoce.measures.compute import groups, sums
from vivavoce.stats.anytime import watch_differences


def trial(people: int, gap: int) -> list[tuple]:
    """Everybody has 4 dialogues with each system; `a` succeeds in up to `gap` more of them."""
    return [
        (system, f"p{person:02}", number < 1 + person % 2 - person % 3 % 2 + better)
        for person in range(people)
        for number in range(4)
        for system in ("a", "b")
        for better in [(gap - (person % 4 > 2)) * (system == "a")]
    ]


def test_a_clear_difference_stops_the_trial_early(make):
    facts = monitor(make(*trial(60, 2)), "subjective_success", ("a", "b"), planned=120, looks=4)
    assert facts.information == 0.5
    assert (facts.look.number, facts.look.verdict.stop) == (2, "effect")
    assert facts.anytime.p <= 0.05
    assert facts.anytime.interval.low > 0
    assert json.loads(json.dumps(as_json(facts), allow_nan=False)) == as_json(facts)


def test_a_trial_without_difference_stops_as_idle_only_late(make):
    rows = [
        (system, f"p{person}", (person + turn) % 2)
        for person in range(50)
        for turn in range(3)
        for system in ("a", "b")
    ]
    rows[0] = ("a", "p0", 1 - rows[0][2])
    rows[9] = ("b", "p1", 1 - rows[9][2])
    facts = monitor(make(*rows), "subjective_success", ("a", "b"), planned=60, looks=4)
    assert facts.look.verdict.stop == "futility"
    assert facts.anytime.p > 0.05


def test_before_the_first_planned_look_there_is_no_verdict(make):
    facts = monitor(make(*trial(12, 2)), "subjective_success", ("a", "b"), planned=100)
    assert facts.look is None
    assert facts.anytime is not None


def test_where_nobody_met_both_only_planned_looks_remain(make):
    rows = [(system, f"{system}{person}", person % 3 > 0) for person in range(15) for system in ("a", "b")]
    facts = monitor(make(*rows), "subjective_success", ("a", "b"), planned=30)
    assert facts.anytime is None
    assert facts.look.of == 5


def test_what_is_not_there_cannot_be_monitored(make):
    dataset = make(*trial(3, 1))
    with pytest.raises(UnknownName, match="Known: a, b"):
        monitor(dataset, "subjective_success", ("a", "z"), planned=10)
    with pytest.raises(InputError):
        monitor(dataset, "subjective_success", ("a", "b"), planned=1)


def test_an_early_look_may_decide_nothing_and_the_last_one_says_effect_where_there_is_one(make):
    rows = [
        (system, f"p{person}", (person + turn + (system == "a") * (person % 5 == 0)) % 2)
        for person in range(50)
        for turn in range(3)
        for system in ("a", "b")
    ]
    early = monitor(make(*rows, name="early"), "subjective_success", ("a", "b"), planned=200, looks=4).look
    assert (early.number, early.of, early.verdict.stop) == (1, 4, None)
    hoped = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)  # z of the planned effect, at the end
    chance = conditional_power(early.verdict.z, 0.25, expected=hoped, final=boundaries(4)[-1].z)
    assert early.verdict.conditional_power == pytest.approx(chance)
    done = monitor(make(*rows, name="done"), "subjective_success", ("a", "b"), planned=50, looks=2).look
    assert (done.number, done.verdict.stop) == (2, "end")
    late = monitor(make(*trial(60, 2)), "subjective_success", ("a", "b"), planned=60, looks=2).look
    assert (late.number, late.verdict.stop) == (2, "effect")
    missed = monitor(
        make(*rows, name="missed"), "subjective_success", ("a", "b"), planned=200, looks=4, before=[0.25]
    )
    assert missed.look is None


def test_differences_of_people_are_known_once_they_met_both_and_in_that_order(make):
    """Of three who met both: 1/2 - 1, 1 - 0 and 0 - 0; one met `a` alone."""
    rows = [
        ("a", "one", 1),
        ("a", "two", 1),
        ("b", "two", 0),
        ("a", "alone", 1),
        ("a", "one", 0),
        ("b", "one", 1),
        ("b", "three", 0),
        ("a", "three", 0),
    ]
    dataset = make(*rows)
    visits = ["one", "two", "alone", "three"]
    for pair, sign in ((("a", "b"), 1), (("b", "a"), -1)):
        found = monitor(dataset, "subjective_success", pair, planned=10, visits=visits)
        expected = watch_differences([sign * -0.5, sign * 1.0, 0.0])
        assert found.anytime == expected
        assert (found.participants, found.information) == (4, 0.4)
    some = monitor(dataset, "subjective_success", ("a", "b"), planned=2, visits=["two", "alone"])
    assert some.anytime == watch_differences([1.0])
    assert (some.participants, some.information) == (2, 1.0)
    more = monitor(dataset, "subjective_success", ("a", "b"), planned=20, visits=visits, participants=5)
    assert (more.participants, more.information) == (5, 0.25)


def test_a_look_judges_the_z_of_the_clustered_test_at_what_was_really_known(make):
    dataset = make(*trial(60, 2))
    one, other = (
        monitor(dataset, "subjective_success", pair, planned=120, looks=4, before=[0.25])
        for pair in (("a", "b"), ("b", "a"))
    )
    z = float(norm.isf(one.test.p / 2))
    assert (one.look.verdict.z, other.look.verdict.z) == (pytest.approx(z), pytest.approx(-z))
    bar = boundaries([0.25, 0.5, 0.75, 1.0])[1]
    assert one.look.verdict.boundary == pytest.approx(bar.z)
    low, high = one.look.interval
    assert (-high, -low) == pytest.approx(other.look.interval) and low > 0
    assert monitor(dataset, "subjective_success", ("a", "b"), planned=120, looks=4, before=[0.5]).look is None
    planned = monitor(dataset, "subjective_success", ("a", "b"), planned=120, looks=[0.5, 1.0]).look
    assert (planned.number, planned.of) == (1, 2)


@pytest.mark.parametrize(
    ("seconds", "known"),
    [
        ([0.4, 0.9, 0.5], 1),
        ([0.4, 70.0, 0.5], None),
        ([70.0, 0.9, 0.5], None),
        ([-0.1, 0.4, 0.2], None),
        ([0.0, 1.0, 0.5], 1),
        ([1.0, 0.0, 0.5], 1),
    ],
)
def test_only_differences_of_values_from_0_to_1_can_be_watched_at_all_times(make, seconds, known):
    dataset = make(("a", "p", 1), ("b", "p", 1), ("a", "q", 1), duration_s=seconds)
    found = monitor(dataset, "dialogue_duration", ("a", "b"), planned=9).anytime
    assert (found and found.n) == known
    if found:
        assert found.estimate == pytest.approx(seconds[0] - seconds[1])


def test_the_last_look_at_a_trial_in_which_nothing_varied_ends_it_and_an_earlier_one_says_nothing(make):
    dataset = make(*[(system, f"p{person}", 1) for person in range(12) for system in ("a", "b")])
    early = monitor(dataset, "subjective_success", ("a", "b"), planned=24, looks=2)
    late = monitor(dataset, "subjective_success", ("a", "b"), planned=12, looks=2, before=[0.5])
    assert early.look is None and (late.look.number, late.look.of, late.look.interval) == (2, 2, None)
    assert late.look.verdict.stop == "end" and "do not vary" in str(late.look.verdict.why)


def test_looks_go_by_what_was_planned_and_not_taken_yet(make):
    """Half of the people are there: the second of four looks is due, unless it was taken."""
    dataset = make(*trial(60, 1))
    ask = {"planned": 120, "looks": 4}
    due = {
        before: monitor(dataset, "subjective_success", ("a", "b"), before=before, **ask).look
        for before in ((), (0.25,), (0.3,), (0.49,), (0.5,), (0.7,))
    }
    assert {before: one and (one.number, one.of) for before, one in due.items()} == {
        (): (2, 4),
        (0.25,): (2, 4),
        (0.3,): (2, 4),
        (0.49,): (2, 4),
        (0.5,): None,
        (0.7,): None,
    }
    bar = boundaries([0.3, 0.5, 0.75, 1.0])[1].z
    assert due[0.3,].verdict.boundary == pytest.approx(bar)
    level = 1 - 2 * norm.sf(bar)
    assert due[0.3,].interval == pytest.approx(
        ClusteredSummary(sums(dataset, ["subjective_success"]), groups(dataset, "system"))
        .compare("subjective_success", 0, 1, level=0.95)
        .interval(level)
    )
