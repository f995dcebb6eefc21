"""Trials drawn for a sample size: who holds how many dialogues, how outcomes vary, the search itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.stats.power import Nested
from vivavoce.stats.simulation_of_power import Means, Rates, _design, _search

DRAWN = 200_000


@given(st.integers(1, 3000), st.integers(1, 500), st.integers(1, 2500))
def test_the_search_finds_the_least_size_to_one_in_a_hundred(wanted: int, least: int, guess: int) -> None:
    most, asked = 2500, []

    def reaches(size: int) -> bool:
        asked.append(size)
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
    assert effect.same() == Means(0.0, 3.0)


@pytest.mark.parametrize("icc", [0.0, 0.2])
def test_successes_vary_as_rates_of_participants_with_this_icc(icc: float) -> None:
    """Variance of successes of n cases: n p (1 - p) (1 + (n - 1) icc), the beta-binomial's."""
    sizes, rng = np.array([1, 5]), np.random.default_rng(2)
    for side, rate in ((0, 0.3), (1, 0.6)):
        own = rng.standard_normal((2, DRAWN))
        found = Rates(0.3, 0.6).outcomes(rng, side, own, sizes, Nested(icc=icc))
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
