"""Agreement of judges, held against other libraries on tables that nobody chose."""

import json
from pathlib import Path

import krippendorff as peer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from vivavoce.core.errors import InputError
from vivavoce.stats.agreement import SCALES, Agreement, cohen, fleiss, krippendorff
from vivavoce.stats.bootstrap import ends

AGREEMENT = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-agreement.json").read_text(encoding="utf-8")
)
CODE = st.one_of(st.none(), st.integers(1, 4).map(float))
JUDGED = st.integers(1, 8).flatmap(
    lambda units: st.lists(st.lists(CODE, min_size=units, max_size=units), min_size=2, max_size=4)
)
TABLES = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 5), min_size=size, max_size=size), min_size=size, max_size=size
    )
)


@settings(deadline=None, max_examples=50)
@given(JUDGED, st.sampled_from(SCALES))
def test_alpha_with_missing_judgements_is_that_of_another_library(judged, scale) -> None:
    codes = np.array([[np.nan if one is None else one for one in row] for row in judged])
    found = krippendorff(judged, scale, draws=10)
    paired = codes[:, (~np.isnan(codes)).sum(axis=0) > 1]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert found == Agreement(None, None)
        return
    assert found.value == pytest.approx(peer.alpha(codes, level_of_measurement=scale))


@settings(deadline=None, max_examples=50)
@given(TABLES, st.sampled_from([None, "linear", "quadratic"]))
def test_cohens_kappa_is_that_of_another_library_and_its_interval_never_leaves_the_scale(
    table, weights
) -> None:
    counts = np.array(table)
    rows, columns = np.indices(counts.shape)
    one, other = (np.repeat(side.ravel(), counts.ravel()) for side in (rows, columns))
    found = cohen(table, weights)
    if len(set(one) | set(other)) < 2:
        assert found == Agreement(None, None)
        return
    assert found.value == pytest.approx(cohen_kappa_score(one, other, weights=weights))
    if found.interval is not None:
        assert -1 <= found.interval.low < found.interval.high <= 1


def test_judges_who_always_agree_have_a_value_and_no_interval() -> None:
    for found in (
        cohen([[3, 0], [0, 2]]),
        fleiss([[3, 0], [0, 3]] * 3),
        krippendorff([[1, 2, 1], [1, 2, 1]]),
    ):
        assert found.value == pytest.approx(1)
        assert found.interval is None


def test_intervals_are_those_of_items_drawn_one_by_one() -> None:
    """Independent: items drawn in a loop, each draw judged by another library."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 40)
    judged = np.array([np.where(rng.random(40) < 0.7, truth, rng.integers(0, 3, 40)) for _ in range(4)])
    table = np.array([[(judged[:, item] == code).sum() for code in range(3)] for item in range(40)])
    draws = [rng.integers(40, size=40) for _ in range(1500)]
    kappas = [fleiss_kappa(table[drawn]) for drawn in draws]
    alphas = [peer.alpha(judged[:, drawn].astype(float), level_of_measurement="nominal") for drawn in draws]
    by_kappa = fleiss(table.tolist(), draws=4000)
    by_alpha = krippendorff(judged.astype(float).tolist(), draws=4000)
    for found, drawn in ((by_kappa, kappas), (by_alpha, alphas)):
        assert found.interval == pytest.approx(np.quantile(drawn, ends(0.95, 40)), abs=0.025)


def test_one_item_has_agreement_and_no_interval() -> None:
    assert fleiss([[2, 1]]).interval is None and krippendorff([[1.0], [2.0], [1.0]]).interval is None


def test_krippendorffs_matrix_has_the_published_alpha():
    for scale in SCALES:
        (case,) = AGREEMENT["krippendorff"]
        found = krippendorff(case["input"], scale, draws=200)
        assert found.value == pytest.approx(case["expected"][scale], abs=case["tolerance"])
        assert found.interval.low < found.value <= found.interval.high


def test_fleiss_and_cohen_have_the_published_kappas():
    (table,), (confusion,) = AGREEMENT["fleiss"], AGREEMENT["cohen"]
    assert fleiss(table["input"], draws=50).value == pytest.approx(table["expected"], abs=table["tolerance"])
    found = cohen(confusion["input"])
    value, low, high = confusion["expected"]
    assert (found.value, *found.interval) == pytest.approx((value, low, high), abs=confusion["tolerance"])


def test_agreement_without_variation_is_undefined():
    assert krippendorff([[1, 1], [1, 1]]).value is None
    assert fleiss([[3, 0], [3, 0]]).value is None
    assert cohen([[5, 0], [0, 0]]).value is None
    assert krippendorff([[1, None], [None, 2]]).value is None


def test_full_agreement_is_one_on_every_scale():
    for scale in SCALES:
        assert krippendorff([[1, 2, 3], [1, 2, 3]], scale, draws=5).value == pytest.approx(1)


def test_judges_of_unequal_number_need_alpha():
    with pytest.raises(InputError, match="Krippendorff"):
        fleiss([[3, 0], [1, 1]])


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        ([[1, 2, 3], [4, 5, 6]], "2 x 3"),
        ([[1, 2], [3, 4], [5, 6]], "3 x 2"),
        ([1, 2], "2"),
        ([[[1, 0], [0, 1]], [[1, 0], [0, 1]]], "2 x 2 x 2"),
    ],
)
def test_a_confusion_matrix_has_the_same_categories_for_both(table: list, shape: str) -> None:
    with pytest.raises(InputError, match=rf"a confusion matrix of {shape}\."):
        cohen(table)


def test_nothing_judged_has_no_agreement() -> None:
    nothing = Agreement(None, None)
    assert fleiss([]) == krippendorff([[], []]) == krippendorff([[1, None], [None, 2]]) == nothing
    assert fleiss([[0, 3], [0, 3]]) == cohen([[0, 0], [0, 4]]) == nothing
    assert fleiss([[1, 2], [2, 1]]).value == pytest.approx(fleiss_kappa(np.array([[1, 2], [2, 1]])))


def test_codes_of_nought_are_codes_and_unused_categories_none() -> None:
    for scale in SCALES:
        judged = [[0.0, 0, 1, 3, None, 0], [0.0, 1, 1, 3, 3, 2], [0.0, 0, None, 1, 3, 2]]
        codes = np.array([[np.nan if one is None else one for one in row] for row in judged])
        found = krippendorff(judged, scale, draws=50)
        assert found.value == pytest.approx(peer.alpha(codes, level_of_measurement=scale))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_cohens_kappa_has_the_error_of_fleiss_cohen_and_everitt(level: float) -> None:
    """(10, 2, 1 / 3, 8, 2 / 1, 4, 9): the variance of 1969, written out."""
    counts = np.array([[10, 2, 1], [3, 8, 2], [1, 4, 9]]) / 40
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    seen, chance = np.trace(counts), float(rows @ columns)
    kappa = (seen - chance) / (1 - chance)
    own = sum(counts[i, i] * ((1 - chance) - (rows[i] + columns[i]) * (1 - seen)) ** 2 for i in range(3))
    rest = (1 - seen) ** 2 * sum(
        counts[i, j] * (columns[i] + rows[j]) ** 2 for i in range(3) for j in range(3) if i != j
    )
    square = (own + rest - (seen * chance - 2 * chance + seen) ** 2) / ((1 - chance) ** 4 * 40)
    found = cohen((40 * counts).round().astype(int).tolist(), level=level)
    reach = norm.ppf((1 + level) / 2) * square**0.5
    assert (found.value, *found.interval) == pytest.approx((kappa, kappa - reach, kappa + reach))
