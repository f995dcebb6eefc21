"""Trials drawn for a sample size: who holds how many dialogues, how outcomes vary, the search itself."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vivavoce.analysis.planning import (
    BATCH,
    Means,
    Rates,
    Simulated,
    _design,
    _judged,
    _search,
    check_attainable,
    find_participants,
    simulate,
)
from vivavoce.core.errors import InputError
from vivavoce.stats.power import Nested

DRAWN = 200_000


@example(1, 5, 6)
@example(40, 1, 30)
@example(7, 2, 90)
@given(st.integers(1, 3000), st.integers(1, 500), st.integers(1, 2500))
def test_the_search_finds_the_least_size_to_one_in_a_hundred(wanted: int, least: int, guess: int) -> None:
    most, asked = 2500, []

    def reaches(size: int) -> bool:
        asked.append(size)
        assert isinstance(size, int) and len(asked) < 60, "the search ends"
        return size >= wanted

    found = _search(reaches, least, max(least, guess), most)
    if wanted > most:
        assert found is None
        return
    smallest = max(wanted, least)
    assert found is not None and smallest <= found <= smallest + max(1, smallest // 99)
    assert least <= min(asked) and max(asked) <= most
    assert found == smallest or smallest > 100


@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_sums_of_values_vary_as_their_participants_and_dialogues_do(spread: float) -> None:
    """A sum of n values of which a share s of the variance is their participant's: d2 (n2 s + n (1 - s))."""
    effect, sizes = Means(2.0, 3.0), np.array([1, 4])
    nested, rng = Nested(icc=spread / 3, interaction=2 * spread / 3), np.random.default_rng(1)
    own = rng.standard_normal((2, DRAWN))
    for side, mean in ((0, 2.0), (1, 0.0)):
        found = effect.outcomes(rng, side, own, sizes, nested)
        assert found.mean(axis=1) == pytest.approx(sizes * mean, abs=0.1)
        assert found.var(axis=1) == pytest.approx(9 * (sizes**2 * spread + sizes * (1 - spread)), rel=0.02)
        likeness = [np.corrcoef(one, other)[0, 1] for one, other in zip(found, own, strict=True)]
        assert all(one > 0.3 for one in likeness) == (spread > 0), "who is better does better"
    assert effect.same() == Means(0.0, 3.0)


@pytest.mark.parametrize("icc", [0.0, 0.2])
def test_successes_vary_as_rates_of_participants_with_this_icc(icc: float) -> None:
    """Variance of successes of n cases: n p (1 - p) (1 + (n - 1) icc), the beta-binomial's."""
    sizes, rng = np.array([1, 5]), np.random.default_rng(2)
    for side, rate in ((0, 0.3), (1, 0.6)):
        own = rng.standard_normal((2, DRAWN))
        found = Rates(0.3, 0.6).outcomes(rng, side, own, sizes, Nested(icc=icc / 4, interaction=icc * 3 / 4))
        assert found.mean(axis=1) == pytest.approx(sizes * rate, rel=0.02)
        assert found.var(axis=1) == pytest.approx(
            sizes * rate * (1 - rate) * (1 + (sizes - 1) * icc), rel=0.02
        )
    assert Rates(0.3, 0.6).same() == Rates(0.3, 0.3)


@pytest.mark.parametrize(("calls", "systems"), [(6, 2), (5, 2), (7, 3), (8, 3), (2.5, 2)])
def test_dialogues_within_participants_divide_as_evenly_as_they_can(calls: float, systems: int) -> None:
    found = _design(400, Nested(calls=calls, design="within"), systems, (1, 0))
    held = np.zeros((400, 2), dtype=int)
    held[found.people, found.sides] = found.sizes
    assert np.abs(held[:, 0] - held[:, 1]).max() == (0 if calls == 6 else 1)
    assert set(np.unique(held)) <= {int(calls // systems), int(calls // systems) + 1}
    assert held.mean() == pytest.approx(calls / systems, rel=0.05)


def test_dialogues_between_participants_are_all_with_one_system() -> None:
    found = _design(300, Nested(calls=2.5), 2, (1, 0))
    assert found.people.tolist() == list(range(300)) and found.sides.tolist() == [0, 1] * 150
    assert set(found.sizes) == {2, 3} and found.sizes.mean() == pytest.approx(2.5, abs=0.1)
    profile = _design(300, Nested(profile=(1, 1, 7)), 2, (1, 0))
    assert set(profile.sizes) == {1, 7} and (profile.sizes == 7).mean() == pytest.approx(1 / 3, abs=0.08)


SURE, NEVER = Rates(1.0, 0.0), Rates(0.0, 0.0)
EIGHT = Nested(calls=2, design="within")


def test_a_p_that_equals_alpha_is_not_significant() -> None:
    """All of five participants do better with one system: p is 2 / 2^5."""
    assert simulate(SURE, 5, EIGHT, alpha=2 / 2**5, draws=BATCH).share == 0
    assert simulate(SURE, 5, EIGHT, alpha=0.07, draws=BATCH).share == 1
    assert simulate(NEVER, 8, EIGHT, draws=BATCH).share == 0, "nothing varied: no p"


@pytest.mark.parametrize(
    ("wanted", "draws"),
    [
        (None, 4 * BATCH),
        (0.8, BATCH),
        (0.95, 2 * BATCH),
        (0.98, 4 * BATCH),
    ],
)
def test_trials_end_once_their_share_lies_clearly_beside_the_wanted_one(wanted, draws) -> None:
    """All succeed, so the error after n trials is taken as 1 / n: .02, .01, .0067, .005; 3.3 of it decide."""
    found = simulate(SURE, 8, EIGHT, draws=4 * BATCH, wanted=wanted)
    assert (found.draws, found.share) == (draws, 1)


def test_the_error_of_a_simulated_share_is_that_of_a_binomial() -> None:
    found = simulate(Rates(0.8, 0.3), 8, Nested(calls=4, design="within"), draws=2 * BATCH, seed=4)
    assert 0.2 < found.share < 0.95 and found.draws == 100
    assert found.error == pytest.approx((found.share * (1 - found.share) / 100) ** 0.5)


class Watched:
    """An effect that keeps what participants' places were, and what else was drawn beside them."""

    def __init__(self) -> None:
        self.own, self.noise = {}, {}

    def outcomes(self, rng, side, own, sizes, nested):
        self.own[side], self.noise[side] = own.ravel(), rng.standard_normal(own.shape).ravel()
        return np.zeros_like(own)


@pytest.mark.parametrize(
    ("icc", "interaction", "together"),
    [
        (0.1, 0.3, 0.25),
        (0.3, 0.1, 0.75),
        (0.2, 0.0, 1),
        (0.0, 0.2, 0),
        (0.0, 0.0, 0),
    ],
)
def test_a_participant_is_alike_with_both_systems_as_far_as_no_liking_parts_them(icc, interaction, together):
    watched = Watched()
    list(_judged(watched, 400, Nested(calls=2, icc=icc, interaction=interaction, design="within"), 2, 1, 0))
    first, second = watched.own[0], watched.own[1]
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(together, abs=0.03)
    assert (first.std(), second.std()) == pytest.approx((1, 1), abs=0.03)
    for side, other in ((0, 0), (0, 1), (1, 0), (1, 1)):
        assert np.corrcoef(watched.own[side], watched.noise[other])[0, 1] == pytest.approx(0, abs=0.03)
    assert np.corrcoef(watched.noise[0], watched.noise[1])[0, 1] == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize(("lag", "needed"), [(0.0, 80), (0.015, 80), (0.03, 82)])
def test_fresh_trials_may_fall_short_by_their_own_error(monkeypatch, lag: float, needed: int) -> None:
    def simulated(_effect, participants, _nested, *, seed, **_options):
        return Simulated(participants / 100 - (lag if seed == 2 else 0), 0.02, 1, seed, ())

    monkeypatch.setattr("vivavoce.analysis.planning.simulate", simulated)
    assert find_participants(SURE, Nested(calls=1), power=0.8, guess=90)[0] == needed


@pytest.mark.parametrize(
    ("people", "nested", "said"),
    [
        (1, EIGHT, "1 participants with two systems cannot reach p < 0.05: no test is possible"),
        (5, EIGHT, "the smallest possible p is 0.062"),
        (5, Nested(), "2 against 3, cannot reach"),
    ],
)
def test_too_few_participants_are_told_how_small_their_p_can_get(people, nested, said) -> None:
    with pytest.raises(InputError, match=said):
        check_attainable(people, nested)


def test_a_difference_that_no_number_of_participants_shows_is_told(monkeypatch) -> None:
    nothing = Simulated(0.0, 0.0, 1, 1, ())
    monkeypatch.setattr("vivavoce.analysis.planning.simulate", lambda *_args, **_options: nothing)
    with pytest.raises(InputError, match="more than 50000 participants are needed"):
        find_participants(NEVER, Nested(calls=1), power=0.8)
