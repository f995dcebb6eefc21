"""Relabelling of participants: against every labelling gone through in a loop."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import t as student

from vivavoce.stats.interval import Interval
from vivavoce.stats.permutation import Cells, Relabelled, _tail, relabellings

Labelling = tuple[bool, ...]


def cells(seed: int, both: int, only_a: int, only_b: int) -> tuple[Cells, Cells, np.ndarray]:
    """Sums of participants who met both systems, a alone and b alone, in mixed order."""
    rng = np.random.default_rng(seed)
    met = [(True, True)] * both + [(True, False)] * only_a + [(False, True)] * only_b
    met = np.array([met[place] for place in rng.permutation(len(met))])
    bottoms = rng.integers(1, 5, met.shape) * met
    tops = rng.normal(0.4, 0.5, met.shape) * bottoms
    a, b = (Cells(tops[:, side], bottoms[:, side].astype(float)) for side in (0, 1))
    return a, b, rng.uniform(0.5, 3.0, len(met))


def labellings(met_a: np.ndarray, met_b: np.ndarray) -> set[Labelling]:
    """Who keeps the labels: anybody who met both; of the others any who leave as many on each side."""
    both, one = np.flatnonzero(met_a & met_b), np.flatnonzero(met_a ^ met_b)
    number, found = int((met_a & ~met_b).sum()), set()
    for swaps in product((True, False), repeat=len(both)):
        for on_a in combinations(one, number):
            kept = np.ones(len(met_a), dtype=bool)
            kept[both] = swaps
            kept[one] = [(person in on_a) == met_a[person] for person in one]
            found.add(tuple(kept.tolist()))
    return found


def studentised(a: Cells, b: Cells, spread: np.ndarray, kept: Labelling, supposed: float) -> float:
    """The difference beyond what is supposed over its error, participant by participant."""
    people = range(len(kept))
    sides: list[dict[int, tuple[float, float]]] = [{}, {}]
    for person in people:
        given = [
            (a.tops[person] - supposed * a.bottoms[person], a.bottoms[person]),
            (b.tops[person], b.bottoms[person]),
        ]
        for side, pair in enumerate(given if kept[person] else given[::-1]):
            if pair[1]:
                sides[side][person] = pair
    sizes = [sum(n for _, n in side.values()) for side in sides]
    means = [sum(top for top, _ in side.values()) / size for side, size in zip(sides, sizes, strict=True)]
    error = 0.0
    twice = set(sides[0]) & set(sides[1])
    for stratum in (twice, set(people) - twice):
        left = [
            {one: top - mean * n for one, (top, n) in side.items() if one in stratum}
            for side, mean in zip(sides, means, strict=True)
        ]
        scales = [
            sum(spread[one] for one in own) / sum(spread[one] ** 0.5 for one in own) if own else 0
            for own in left
        ]
        for own, size, scale in zip(left, sizes, scales, strict=True):
            error += scale * sum(value**2 / spread[one] ** 0.5 for one, value in own.items()) / size**2
        for one in stratum & twice:
            error -= 2 * scales[0] * left[0][one] * left[1][one] / spread[one] ** 0.5 / sizes[0] / sizes[1]
    return (means[0] - means[1]) / math.sqrt(max(error, 1e-12))


DESIGNS = [(4, 0, 0), (0, 3, 4), (3, 2, 2), (2, 3, 1)]


def test_every_relabelling_that_the_design_allows_is_there_once_the_one_seen_first():
    for design in DESIGNS:
        a, b, _ = cells(1, *design)
        met = a.bottoms > 0, b.bottoms > 0
        found = relabellings(*met)
        assert found.every and found.kept[0].all()
        assert {tuple((row == 1).tolist()) for row in found.kept} == labellings(*met)
        assert len(found.kept) == len(labellings(*met))
        assert relabellings(*met, draws=len(found.kept) - 1).every
        assert not relabellings(*met, draws=len(found.kept) - 2).every


def test_relabellings_drawn_are_some_that_the_design_allows_as_likely_as_each_other():
    a, b, _ = cells(1, 2, 2, 1)
    met = a.bottoms > 0, b.bottoms > 0
    found = relabellings(*met, draws=11)
    assert found.every
    drawn = relabellings(*(np.tile(one, 5) for one in met), draws=3000)
    assert not drawn.every and drawn.kept[0].all() and len(drawn.kept) == 3001
    on_a = np.where(drawn.kept == 1, np.tile(met[0], 5), np.tile(met[1], 5))
    one = np.tile(met[0] ^ met[1], 5)
    assert set(on_a[:, one].sum(axis=1)) == {10}
    assert np.abs(drawn.kept[1:, ~one].mean(axis=0) - 0.5).max() < 0.05
    assert np.abs(on_a[1:, one].mean(axis=0) - 10 / 15).max() < 0.05


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("supposed", [0.0, 0.3])
def test_p_is_the_share_of_labellings_that_part_the_systems_as_far(design, supposed):
    for seed in range(3):
        a, b, spread = cells(seed, *design)
        met = a.bottoms > 0, b.bottoms > 0
        tests = {mid: Relabelled(a, b, spread, relabellings(*met), mid=mid) for mid in (True, False)}
        every = {kept: studentised(a, b, spread, kept, supposed) for kept in labellings(*met)}
        seen = every[(True,) * len(a.tops)]
        for side, how in (("two", abs), ("greater", float), ("less", lambda one: -one)):
            beyond = sum(how(one) > how(seen) + 1e-6 for one in every.values())
            tied = sum(
                math.isclose(how(one), how(seen), rel_tol=1e-7, abs_tol=1e-7) for one in every.values()
            )
            assert tests[False].p(supposed, side) == pytest.approx((beyond + tied) / len(every))
            assert tests[True].p(supposed, side) == pytest.approx((beyond + tied / 2) / len(every))
        ratios = [one.tops.sum() / one.bottoms.sum() for one in (a, b)]
        assert tests[True].estimate == pytest.approx(ratios[0] - ratios[1])


@pytest.mark.parametrize(
    ("design", "ways"), [((5, 0, 0), 2 / 32), ((0, 3, 3), 2 / 20), ((0, 2, 4), 1 / 15), ((2, 2, 2), 2 / 24)]
)
def test_the_smallest_p_is_that_of_the_widest_parting(design, ways):
    """Systems that part all participants cleanly; the mirror image counts where the design has one."""
    a, b, spread = cells(3, *design)
    rng = np.random.default_rng(5)
    a = a._replace(tops=a.bottoms * (5 + rng.random(len(a.tops)) / 100))
    b = b._replace(tops=b.bottoms * rng.random(len(b.tops)) / 100)
    found = Relabelled(a, b, spread, relabellings(a.bottoms > 0, b.bottoms > 0), mid=False)
    assert found.smallest_p == pytest.approx(ways) and found.p() >= found.smallest_p
    half = Relabelled(a, b, spread, relabellings(a.bottoms > 0, b.bottoms > 0), mid=True)
    assert half.smallest_p == pytest.approx(ways / 2)
    drawn = relabellings(a.bottoms > 0, b.bottoms > 0, draws=3)
    assert Relabelled(a, b, spread, drawn, mid=False).smallest_p == 0.0


def test_an_interval_ends_where_differences_begin_to_be_rejected():
    for seed in range(3):
        a, b, spread = cells(seed, 5, 3, 3)
        found = Relabelled(a, b, spread, relabellings(a.bottoms > 0, b.bottoms > 0), mid=True)
        low, high = found.interval(0.9) or (0.0, 0.0)
        assert low < found.estimate < high
        step = (high - low) / 200
        for end, out in ((low, -step), (high, step)):
            assert found.p(end + out) < 0.1 <= found.p(end - out) + 1e-9
        assert (low <= 0 <= high) == (found.p() >= 0.1)
        limits = Interval(found.estimate - step, found.estimate + step)
        assert found.interval(0.9, limits) == pytest.approx(limits, abs=step / 100)


def test_an_interval_holds_what_is_rejected_at_no_smaller_p_than_its_own():
    """16 labellings give a p in steps of 2/16, so that whole ranges of differences have exactly 1/4."""
    for seed in range(6):
        a, b, spread = cells(seed, 4, 0, 0)
        found = Relabelled(a, b, spread, relabellings(a.bottoms > 0, b.bottoms > 0), mid=False)
        low, high = found.interval(0.75)
        step = (high - low) / 500
        assert found.p(low - step) < 0.25 <= found.p(low + step)
        assert found.p(high + step) < 0.25 <= found.p(high - step)
        a = a._replace(tops=a.tops - (low + step) * a.bottoms)  # now a difference of 0 has the p of the edge
        moved = Relabelled(a, b, spread, relabellings(a.bottoms > 0, b.bottoms > 0), mid=False)
        assert moved.p() == 0.25
        assert moved.interval(0.75) == pytest.approx((-step, high - low - step), abs=step / 5)
        limits = Interval(0.0, high - low - 2 * step)
        assert moved.interval(0.75, limits) == limits


def test_a_p_of_draws_is_their_share_where_more_than_ten_are_as_extreme_and_else_a_tails():
    a, b, spread = cells(7, 30, 0, 0)
    labels = relabellings(a.bottoms > 0, b.bottoms > 0, draws=1999)
    found = Relabelled(a, b, spread, labels, mid=False)
    seen = set()
    for supposed in np.linspace(found.estimate - 0.3, found.estimate - 0.6, 300):
        drawn = np.abs(found._studentised(supposed))
        extreme = int((drawn >= drawn[0] - 1e-6).sum())
        tail = _tail(drawn[1:], float(drawn[0]))
        if extreme in (10, 11) and tail < 0.999 * extreme / 2000:
            seen.add(extreme)
            assert found.p(supposed) == pytest.approx(tail if extreme == 10 else 11 / 2000)
    assert seen == {10, 11}


def test_a_design_that_can_reject_nothing_has_no_interval_but_its_limits():
    a, b, spread = cells(2, 3, 0, 0)
    found = Relabelled(a, b, spread, relabellings(a.bottoms > 0, b.bottoms > 0), mid=False)
    assert found.smallest_p == 0.25
    assert found.interval(0.75) is None and found.interval(0.95) is None
    assert found.interval(0.95, Interval(-1.0, 1.0)) == pytest.approx(Interval(-1.0, 1.0))


@pytest.mark.parametrize(("df", "used"), [(0.4, 0.5), (3, 3), (12, 12), (400, 200)])
def test_a_tail_goes_on_as_that_of_students_t(df, used):
    """Through its own 5 % and 0.5 % points, with degrees of freedom from one half to 200."""
    drawn = student.ppf((np.arange(200_000) + 0.5) / 200_000, df)
    seen = 1.7 * float(student.isf(0.005, df))
    expected = student.sf(seen * student.isf(0.005, used) / student.isf(0.005, df), used)
    assert _tail(drawn, seen) == pytest.approx(expected, rel=0.01)
    assert _tail(drawn, float(student.isf(0.01, df))) == 1.0


def test_of_draws_a_p_is_the_share_or_beyond_the_tenth_the_tail():
    a, b, spread = cells(7, 30, 0, 0)
    labels = relabellings(a.bottoms > 0, b.bottoms > 0, draws=1999)
    every = [abs(studentised(a, b, spread, tuple(row == 1), 0.0)) for row in labels.kept]
    beyond = sum(one >= every[0] - 1e-6 for one in every)
    assert Relabelled(a, b, spread, labels, mid=False).p() * 2000 == pytest.approx(beyond)
    far = Relabelled(a, b, spread, labels, mid=False).p(-2.0)
    assert 0 < far < 10 / 2000
