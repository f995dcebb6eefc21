"""What is computed in pieces is the same to the last digit wherever the pieces are done."""

from pathlib import Path

import pytest

from scenes.engines import carrying
from scenes.shops import shops
from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.planning import Rates, simulate
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.power import Nested


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More people than there are relabellings to list, so that they are drawn."""
    return shops(tmp_path_factory.mktemp("pieces") / "shops", people=14)


def test_comparisons_resampled_elsewhere_have_the_same_digits(folder: Path) -> None:
    asked = {"measures": ["subjective_success", "turns"], "margin": {"turns": 2.0}}
    here = compare_systems(Dataset(folder), **asked)
    assert "random permutations" in str(here.tests[0].clustered.why)
    with carrying() as engine:
        assert compare_systems(Dataset(folder), **asked) == here
    assert engine.pieces >= 6  # of both measures: as they are, by participant, and models


def test_simulated_trials_stop_as_soon_wherever_they_are_held() -> None:
    nested = Nested(calls=3, icc=0.1, interaction=0.0, design="within")
    asked = {"draws": 200, "wanted": 0.1}
    here = simulate(Rates(0.9, 0.3), 12, nested, **asked)
    assert here.draws < 200, "it was clear before"
    with carrying():
        assert simulate(Rates(0.9, 0.3), 12, nested, **asked) == here
