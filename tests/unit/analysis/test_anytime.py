"""Evidence at every moment: against integrals over what might be true, and differences counted by hand."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from vivavoce.analysis.stopping import monitor
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.anytime import (
    MEANS,
    STEP,
    betting_evidence,
    e_value,
    log_e_value,
    watch_differences,
)

Make = Callable[..., Dataset]
GOLDEN = Path(__file__).parents[2] / "golden"


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


def test_evidence_of_a_mean_difference_equals_the_reference() -> None:
    golden = json.loads((GOLDEN / "decisions.json").read_text())["betting"]
    means = np.append(MEANS, 0.0)
    evidence = list(betting_evidence(golden["values"], means))
    assert [against[-1] for against in evidence] == pytest.approx(golden["evidence"], rel=1e-8)
    kept = MEANS[evidence[-1][:-1] < 20]
    assert [kept[0], kept[-1]] == pytest.approx(golden["interval_of_all"], abs=STEP)
    looks = [watch_differences(golden["values"][:n]) for n in range(1, 21)]
    assert next(look.n for look in looks if look.e_value >= 20) == golden["first_at_20"]
    assert looks[-1].estimate == pytest.approx(golden["estimate"])


def test_an_interval_never_widens_and_leaves_zero_out_where_p_is_small() -> None:
    differences = [1, 1, 0, 1, -1, 1, 1, 1, 0.5, 1, 1, 1, -1, 1, 1, 1, 1, 1]
    looks = [watch_differences(differences[:n]) for n in range(1, len(differences) + 1)]
    for before, look in pairwise(looks):
        assert before.interval.low <= look.interval.low < look.interval.high <= before.interval.high
        assert look.p <= before.p
        assert (look.interval.low > 0) == (look.p <= 0.05)
    assert looks[-1].p <= 0.05


def test_drift_that_rejects_every_mean_leaves_no_interval() -> None:
    assert watch_differences([1.0] * 60 + [-1.0] * 200).interval is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda: e_value(-1, 3),
        lambda: e_value(4, 3),
        lambda: watch_differences([]),
        lambda: watch_differences([0.1, 1.5]),
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
