"""Preference and agreement: the published values, the real judgements of MarCo against HDSA, the edges."""

import json
from pathlib import Path

import numpy as np
import pytest

from vivavoce.core.errors import InputError
from vivavoce.stats.agreement import SCALES, cohen, fleiss, krippendorff
from vivavoce.stats.preference import (
    bradley_terry,
    davidson,
    davidson_intervals,
    pairwise_shares,
)

FOLDER = Path(__file__).parents[2] / "golden"
PREFERENCE = json.loads((FOLDER / "statistics-preference.json").read_text(encoding="utf-8"))
AGREEMENT = json.loads((FOLDER / "statistics-agreement.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", PREFERENCE["bradley_terry"])
def test_bradley_terry_gives_the_reference_worths(case):
    worths = bradley_terry(case["input"])
    assert worths.shares == pytest.approx(case["expected"]["p"], abs=case["tolerance"])
    assert worths.log_worths == pytest.approx(case["expected"]["logworth"], abs=case["tolerance"])
    assert worths.better(0, 1) == pytest.approx(case["expected"]["P12"], abs=case["tolerance"])


@pytest.mark.parametrize("case", PREFERENCE["davidson"])
def test_davidson_gives_the_reference_worths_with_ties(case):
    worths = davidson([tuple(row) for row in case["input"]])
    assert worths.log_worths == pytest.approx(case["expected"]["beta"], abs=case["tolerance"])
    assert worths.nu == pytest.approx(case["expected"]["nu"], abs=case["tolerance"])
    assert worths.better(0, 1) + worths.tied(0, 1) + worths.better(1, 0) == pytest.approx(1)


def test_without_ties_davidson_is_bradley_terry():
    one, other = (
        davidson([(0, 1, 7, 3, 0), (0, 2, 9, 1, 0), (1, 2, 6, 4, 0)]),
        bradley_terry([[0, 7, 9], [3, 0, 6], [1, 4, 0]]),
    )
    assert one.log_worths == pytest.approx(other.log_worths)


def test_a_system_that_never_loses_has_no_finite_worth():
    with pytest.raises(InputError, match="no finite worth"):
        bradley_terry([[0, 5], [0, 0]])


def test_two_systems_with_ties_have_the_closed_form():
    worths = davidson([(0, 1, 30, 20, 50)])
    assert worths.log_worths[0] - worths.log_worths[1] == pytest.approx(np.log(30 / 20))
    assert worths.tied(0, 1) == pytest.approx(0.5)


def test_judgements_of_one_cluster_do_not_count_as_many():
    outcomes = ["win"] * 70 + ["loss"] * 30
    alone = pairwise_shares(outcomes, range(100))
    alike = pairwise_shares(outcomes, [place // 10 for place in range(100)])
    assert alone["net"]["p"] < 0.05 < alike["net"]["p"]
    assert alike["shares"]["win"]["design_effect"] == pytest.approx(10)
    assert alike["sign_test"]["decided"] == 100


def test_an_unknown_outcome_is_refused():
    with pytest.raises(InputError, match="maybe"):
        pairwise_shares(["win", "maybe"], [1, 2])


@pytest.mark.shared
@pytest.mark.parametrize("case", PREFERENCE["marco"])
def test_the_judgements_of_marco_against_hdsa_are_the_published_ones(shared, case):
    file = shared / "data" / "marco" / "human_evaluation" / "human_annotation.json"
    names = {"MarCo": "win", "Tie": "tie", "HDSA": "loss"}
    turns = [
        (dialogue["file"], [names[one] for one in turn["MarCo vs. HDSA"][case["input"]]])
        for dialogue in json.loads(file.read_text(encoding="utf-8"))
        for turn in dialogue["info"]
    ]
    outcomes = [one for _, judged in turns for one in judged]
    clusters = [name for name, judged in turns for _ in judged]
    facts = pairwise_shares(outcomes, clusters)
    assert (len(turns), facts["judgements"]) == (742, 2226)
    for outcome, expected in case["expected"].items():
        assert facts["shares"][outcome]["share"] == pytest.approx(expected, abs=case["tolerance"])
        assert facts["shares"][outcome]["clusters"] == 100
    counts = [[judged.count(outcome) for outcome in ("win", "tie", "loss")] for _, judged in turns]
    kappa = fleiss(counts, draws=200)
    assert kappa.value == pytest.approx(0.450, abs=5e-4)
    assert kappa.interval.low < 0.450 < kappa.interval.high
    codes = {"win": 1.0, "tie": 0.0, "loss": -1.0}
    judges = [[codes[judged[place]] for _, judged in turns] for place in range(3)]
    assert krippendorff(judges, draws=10).value == pytest.approx(kappa.value, abs=1e-3)
    won, tied, lost = (facts["shares"][outcome]["count"] for outcome in ("win", "tie", "loss"))
    worths = davidson([(0, 1, won, lost, tied)])
    assert worths.tied(0, 1) == pytest.approx(0.6828, abs=5e-5)
    first, _ = davidson_intervals([(0, 1, one) for one in outcomes], clusters, draws=100)
    assert 0 < first.low < worths.log_worths[0] < first.high


@pytest.mark.parametrize("scale", SCALES)
def test_krippendorffs_matrix_has_the_published_alpha(scale):
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
