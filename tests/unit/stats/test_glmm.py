"""Mixed models held to lme4 and ordinal of R, by golden numbers and, where R is installed, by R itself."""

import json
import math
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from scenes.mixed_data import design, draw_trial, write_csv
from vivavoce.stats.glmm import (
    Binomial,
    Cumulative,
    FittedGlmm,
    NotFitted,
    Poisson,
    fit_mixed,
    fit_mixed_linear,
    fit_mixed_logistic,
)

FOLDER = Path(__file__).parents[2] / "golden"
GOLDEN = json.loads((FOLDER / "mixed-models.json").read_text(encoding="utf-8"))
CASES = ["rate_one", "rate_crossed", "count_crossed", "mean_crossed", "answer_one", "answer_crossed"]
SLOW = {"count_crossed", "answer_crossed"}  # in `make test-long`


def fitted(name: str, data: dict):
    grouping = [data["participant"]] + ([data["task"]] if name.endswith("crossed") else [])
    if name.startswith("answer"):
        answers = Cumulative(data["answer"] - 1, np.arange(1.0, 6))
        return fit_mixed(answers, design(data, constant=False), grouping)
    if name.startswith("mean"):
        return fit_mixed_linear(data["duration"], design(data), grouping)
    ones = np.ones(len(data["success"]))
    likelihood = Poisson(data["turns"]) if name.startswith("count") else Binomial(data["success"], ones)
    return fit_mixed(likelihood, design(data), grouping)


def hold(found, expected: dict) -> None:
    close = GOLDEN["tolerance"]
    assert found.effects == pytest.approx(expected["effects"], abs=close["estimates"])
    assert found.errors == pytest.approx(expected["errors"], rel=close["errors"])
    assert sorted(found.deviations) == pytest.approx(
        sorted(expected["deviations"].values()), abs=close["estimates"]
    )
    assert found.log_likelihood == pytest.approx(expected["log_likelihood"], abs=close["log_likelihood"])
    assert found.extra == pytest.approx(expected.get("thresholds", []), abs=close["estimates"])
    if "residual" in expected:
        assert found.residual == pytest.approx(expected["residual"], abs=close["estimates"])


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.long) if one in SLOW else one for one in CASES]
)
def test_estimates_errors_and_likelihoods_are_those_of_r(name):
    hold(fitted(name, draw_trial()), GOLDEN["expected"][name])


def test_one_grouping_is_integrated_by_quadrature_and_crossed_ones_by_laplace():
    data = draw_trial()
    assert fitted("rate_one", data).method == "adaptive_quadrature_25"
    assert fitted("rate_crossed", data).method == "laplace"


@pytest.mark.long
@pytest.mark.parametrize("seed", [GOLDEN["seed"], 1, 2])
def test_r_itself_says_the_same_of_other_draws(tmp_path, seed):
    if not shutil.which("Rscript"):
        pytest.skip("no R here: apt-get install r-base-core r-cran-lme4 r-cran-ordinal r-cran-jsonlite")
    data = draw_trial(seed)
    answers = tmp_path / "answers.json"
    command = ["Rscript", str(FOLDER / "mixed-models.R"), str(write_csv(data, tmp_path / "data.csv"))]
    done = subprocess.run([*command, str(answers)], capture_output=True, text=True, timeout=300, check=False)
    if "there is no package" in done.stderr:
        pytest.skip(f"R lacks a package: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    told = json.loads(answers.read_text(encoding="utf-8"))
    for name in CASES:
        hold(fitted(name, data), told[name])


def test_an_integral_over_one_person_is_that_of_a_fine_grid():
    successes, cases = np.array([3.0, 0.0, 4.0]), np.array([4.0, 3.0, 5.0])
    found = fit_mixed_logistic(np.tile(successes, 8), np.tile(cases, 8), np.ones((24, 1)), [np.arange(24)])
    assert found.deviations[0] > 0.5
    grid = np.linspace(-9, 9, 20_001)
    rate = expit(found.effects[0] + found.deviations[0] * grid)
    each = [
        np.log(np.trapezoid(rate**k * (1 - rate) ** (n - k) * norm.pdf(grid), grid))
        for k, n in zip(successes, cases, strict=True)
    ]
    assert found.log_likelihood == pytest.approx(8 * sum(each), abs=1e-4)


def test_cells_give_the_model_of_single_cases():
    data = draw_trial()
    one = np.ones((len(data["success"]), 1))
    single = fit_mixed_logistic(data["success"], one[:, 0], one, [data["participant"]])
    _, codes = np.unique(data["participant"], return_inverse=True)
    hits, sizes = np.bincount(codes, data["success"]), np.bincount(codes).astype(float)
    pooled = fit_mixed_logistic(hits, sizes, np.ones((len(hits), 1)), [np.arange(len(hits))])
    assert pooled.effects == pytest.approx(single.effects, abs=1e-5)
    assert pooled.deviations == pytest.approx(single.deviations, abs=1e-5)
    assert pooled.log_likelihood == pytest.approx(single.log_likelihood, abs=1e-6)


def test_a_grouping_without_differences_has_deviation_nought():
    hits = np.tile([1.0, 0.0], 40)
    found = fit_mixed_logistic(hits, np.ones(80), np.ones((80, 1)), [np.repeat(np.arange(20), 4)])
    assert found.deviations[0] == 0
    assert found.errors[0] == pytest.approx(np.sqrt(4 / 80), rel=1e-3)


def test_what_runs_away_or_cannot_be_told_apart_is_not_fitted():
    side = np.tile([0.0, 1.0], 30)
    columns = np.column_stack([np.ones(60), side])
    people = np.arange(60) // 4
    with pytest.raises(NotFitted, match="runs away"):
        fit_mixed_logistic(side, np.ones(60), columns, [people])
    with pytest.raises(NotFitted, match="cannot be separated"):
        fit_mixed_logistic(
            np.tile([0.0, 1.0, 1.0], 20), np.ones(60), np.column_stack([columns, side]), [people]
        )
    with pytest.raises(NotFitted, match="fewer than there are values"):
        fit_mixed_linear(np.arange(60.0), columns, [np.arange(60)])


@pytest.mark.parametrize("deviations", [(0.0,), (0.9,), (0.6, 0.8)])
def test_a_marginal_rate_is_the_integral_over_everybody(deviations):
    fitted = FittedGlmm(
        effects=np.array([0.3, -1.2]),
        extra=np.empty(0),
        deviations=np.array(deviations),
        covariance=np.zeros((3, 3)),
        log_likelihood=0.0,
        method="",
        likelihood=Binomial(np.ones(1), np.ones(1)),
    )
    spread = math.sqrt(sum(one**2 for one in deviations))

    def rate(eta: float) -> float:
        return quad(lambda z: norm.pdf(z) / (1 + math.exp(-eta - spread * z)), -9, 9)[0]

    assert fitted.marginal(np.array([[1.0, 0.0], [1.0, 1.0]])) == pytest.approx((rate(0.3) + rate(-0.9)) / 2)
    plain = replace(fitted, likelihood=None)
    assert plain.marginal(np.array([[1.0, 0.0], [1.0, 1.0]])) == pytest.approx((0.3 - 0.9) / 2)
    assert replace(fitted, covariance=np.diag([4.0, 9.0, 1.0])).errors.tolist() == [2.0, 3.0]
