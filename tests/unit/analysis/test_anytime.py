"""Evidence at every moment: against integrals over what might be true, and differences counted by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, norm

from vivavoce.analysis.stopping import monitor
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.anytime import e_value, log_e_value, watch_differences

Make = Callable[..., Dataset]
RATES = (0.0, 0.05, 0.3, 0.5, 0.8, 1.0)


@pytest.mark.parametrize(
    ("successes", "n", "against", "prior"),
    [
        (3, 10, 0.5, (1.0, 1.0)),
        (9, 10, 0.4, (2.0, 1.0)),
        (0, 4, 0.7, (1.0, 3.0)),
        (6, 6, 0.5, (0.5, 0.5)),
    ],
)
def test_an_e_value_is_the_likelihood_averaged_over_the_prior(
    successes: int, n: int, against: float, prior: tuple[float, float]
) -> None:
    def odds(rate: float) -> float:
        return (rate / against) ** successes * ((1 - rate) / (1 - against)) ** (n - successes)

    averaged, _ = quad(lambda rate: beta.pdf(rate, *prior) * odds(rate), 0, 1, limit=200)
    assert e_value(successes, n, against, prior) == pytest.approx(averaged, rel=1e-6)
    assert np.exp(log_e_value(successes, n, against, prior)) == pytest.approx(averaged, rel=1e-6)


@pytest.mark.parametrize("expected", [None, 0.1, 0.6])
def test_evidence_of_a_mean_is_the_likelihood_averaged_over_effects(expected: float | None) -> None:
    given, scale = [0.4, -0.1, 0.7, 0.5, 0.2, 0.9], 0.8
    looks = watch_differences(given, scale, expected=expected)
    spread, running = expected or scale / 4, 1.0
    for n, look in enumerate(looks, 1):
        seen = np.array(given[:n])

        def odds(effect: float, seen: np.ndarray = seen) -> float:
            return float(np.exp(norm.logpdf(seen, effect, scale).sum() - norm.logpdf(seen, 0, scale).sum()))

        averaged, _ = quad(
            lambda effect: norm.pdf(effect, 0, spread) * odds(effect), -6, 6, points=[0], limit=200
        )
        running = min(running, 1 / averaged)
        assert (look.n, look.estimate, look.e_value) == (
            n,
            pytest.approx(seen.mean()),
            pytest.approx(averaged),
        )
        assert look.p == pytest.approx(running)
        assert look.interval is not None and look.interval.low < look.estimate < look.interval.high


@pytest.mark.parametrize(
    "ask",
    [
        lambda: e_value(-1, 3),
        lambda: e_value(4, 3),
        lambda: watch_differences([0.1], 0.0),
        lambda: watch_differences([0.1], -1.0),
    ],
)
def test_what_cannot_be_evidence_is_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises(InputError):
        ask()
    assert e_value(0, 3) > 0 and e_value(3, 3) > 0


def test_a_participants_difference_is_fixed_by_the_visit_that_shows_both_systems(make: Make) -> None:
    """p: 1 - 1/2 at once, and nothing later; q: 0 - 1 once the second visit has come; r met one only."""
    talks = [
        ("v1", "a", "p", 1),
        ("v1", "b", "p", 1),
        ("v1", "b", "p", 0),
        ("v2", "a", "q", 0),
        ("v3", "a", "p", 0),
        ("v4", "b", "q", 1),
        ("v5", "a", "r", 1),
        ("v6", "a", None, 1),
        ("v6", "b", None, 0),
    ]
    dataset = make(*[talk[1:] for talk in talks], visit_id=[talk[0] for talk in talks])

    def watched(visits: list[str] | None) -> tuple[int, float] | None:
        found = monitor(dataset, "subjective_success", ("a", "b"), planned=20, visits=visits).anytime
        return found and (found.n, found.estimate)

    assert watched(["v1", "v2", "v3", "v4", "v5", "v6"]) == (2, pytest.approx((0.5 - 1) / 2))
    assert watched(None) == watched(["v4", "v2", "v5", "v1"]) == (2, -0.25)
    assert watched(["v1", "v2"]) == (1, 0.5)
    assert watched(["v3", "v1"]) == (1, pytest.approx(1 / 2 - 1 / 2))
    assert watched(["v2", "v5", "v6"]) is None


@pytest.mark.parametrize(("alpha", "scale", "expected"), [(0.05, 0.8, None), (0.2, 1.3, 0.3)])
def test_an_interval_ends_where_the_evidence_reaches_one_over_alpha(
    alpha: float, scale: float, expected: float | None
) -> None:
    """Against the end of its interval a mean has evidence of just 1 / alpha."""
    given = [0.4, -0.1, 0.7, 0.5]
    for n, look in enumerate(watch_differences(given, scale, alpha, expected), 1):
        for end in look.interval:
            moved = [one - end for one in given[:n]]
            assert watch_differences(moved, scale, alpha, expected)[-1].e_value == pytest.approx(1 / alpha)
