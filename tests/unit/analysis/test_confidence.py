"""Calibration of recognition: the figures of scikit-learn, the scale of the scores, clusters of speakers."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score
from typer.testing import CliRunner

from vivavoce.analysis.confidence import Calibration, calibration, confidence_results, has_confidences
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures.recognition import SureHypothesis
from vivavoce.reports.language import speaking, with_words
from vivavoce.reports.section import SECTIONS
from vivavoce.sections.recognition.section import recognition_blocks

Talk = tuple[str, str, float | None]


def dataset_of(
    folder: Path,
    talks: dict[str, Sequence[Talk]],
    system: str = "bot",
    people: Mapping[str, str | None] | None = None,
    **columns: Any,
) -> Dataset:
    """A dataset of `caller -> [(said, heard, score)]`, one dialogue a caller; `people`: who they are."""
    writer = DatasetWriter(folder, study={"name": "toy"}, source={"kind": "test"})
    for caller, turns in talks.items():
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": f"d-{caller}",
                    "study": "toy",
                    "system": system,
                    "condition": system,
                    "participant_id": people[caller] if people else caller,
                    "channel": "phone",
                    "language": "en",
                    "simulated": False,
                    **columns,
                }
            ],
        )
        for index, (said, heard, score) in enumerate(turns):
            at = {"dialogue_id": f"d-{caller}", "turn_index": index}
            writer.add("turns", [at | {"party": "user", "reference": said, "text": heard}])
            writer.add("hypotheses", [at | {"source": "live", "rank": 0, "text": heard, "score": score}])
    return writer.close()


def sure(*pairs: tuple[float, bool]) -> list[SureHypothesis]:
    return [SureHypothesis("d", index, confidence, right) for index, (confidence, right) in enumerate(pairs)]


def figures(
    found: Sequence[SureHypothesis], people: Sequence[str] | None = None, **options: Any
) -> Calibration:
    return calibration(found, people or ["one"] * len(found), **{"draws": 50} | options)


def test_a_small_case_worked_by_hand() -> None:
    found = figures(sure((0.9, True), (0.8, False), (0.3, False), (0.2, True)), bins=2)
    assert found.brier == pytest.approx((0.01 + 0.64 + 0.09 + 0.64) / 4)
    low, high = found.bins
    assert [(one.low, one.high) for one in (low, high)] == [(0.0, 0.5), (0.5, 1.0)]
    assert (low.confidence, low.right, low.n) == (pytest.approx(0.25), 0.5, 2)
    assert (high.confidence, high.right, high.n) == (pytest.approx(0.85), 0.5, 2)
    assert found.expected_calibration_error == pytest.approx((0.25 + 0.35) / 2)
    assert found.auc == pytest.approx(2 / 4)  # 0.9 beats both wrong ones, 0.2 none
    assert found.brier_low is None  # one speaker


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=40).filter(
        lambda pairs: len({right for _, right in pairs}) == 2
    )
)
def test_the_figures_are_those_of_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    found = figures(sure(*pairs))
    sureness, right = np.array([one for one, _ in pairs]), np.array([int(one) for _, one in pairs])
    assert found.brier == pytest.approx(brier_score_loss(right, sureness), abs=1e-12)
    assert found.auc == pytest.approx(roc_auc_score(right, sureness), abs=1e-9)


def test_the_bins_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(4)
    sureness = rng.random(500)
    right = rng.random(500) < sureness**2
    found = figures(sure(*zip(sureness.tolist(), right.tolist(), strict=True)))
    shares, means = calibration_curve(right, sureness, n_bins=10)
    assert [one.right for one in found.bins] == pytest.approx(shares.tolist())
    assert [one.confidence for one in found.bins] == pytest.approx(means.tolist())
    weights = np.array([one.n for one in found.bins]) / 500
    assert found.expected_calibration_error == pytest.approx(float(weights @ np.abs(shares - means)))


def test_intervals_hold_the_value_and_are_wider_where_speakers_differ() -> None:
    rng = np.random.default_rng(5)
    sureness = rng.random(600)
    right = rng.random(600) < sureness
    right[:200] = False  # who is never understood
    found = sure(*zip(sureness.tolist(), right.tolist(), strict=True))
    nested = figures(found, [f"p{index // 100}" for index in range(600)], draws=300)
    alone = figures(found, [f"p{index}" for index in range(600)], draws=300)
    for name in ("brier", "expected_calibration_error", "auc"):
        (low, high), (lower, upper) = nested.limits(name), alone.limits(name)
        assert low < getattr(nested, name) < high
        assert high - low > 1.5 * (upper - lower)


def test_all_right_has_no_area_under_the_curve() -> None:
    found = figures(sure((0.9, True), (0.4, True)), ["a", "b"])
    assert (found.auc, found.auc_low) == (None, None)
    assert found.brier_low is not None


def test_logarithms_and_probabilities_of_the_same_sureness_give_the_same(tmp_path: Path) -> None:
    plain = {"a": [("yes", "yes", 0.9), ("no", "yes", 0.6)], "b": [("yes", "yes", 0.5), ("no", "no", 0.7)]}
    logs = {who: [(said, text, math.log(score)) for said, text, score in own] for who, own in plain.items()}
    one, other = (
        confidence_results(dataset_of(tmp_path / name, talks), draws=20).all.found
        for name, talks in (("plain", plain), ("logs", logs))
    )
    for name in ("brier", "auc", "expected_calibration_error", "brier_low"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))
    assert one.n == 4
    assert one.participants == 2


def test_a_dataset_without_confidences_is_told_so(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path, {"a": [("yes", "yes", None)]})
    assert not has_confidences(dataset)
    with pytest.raises(InputError, match="no hypothesis of 'live'"):
        confidence_results(dataset)


def test_the_verb_prints_numbers_and_draws_the_diagram(tmp_path: Path) -> None:
    talks = {who: [("yes", "yes", 0.9), ("no", "yes", 0.6), ("no", "no", 0.8)] for who in "abc"}
    dataset_of(tmp_path / "D", talks)
    drawn = tmp_path / "diagram.svg"
    told = CliRunner().invoke(app, ["confidence", str(tmp_path / "D"), "--json", "--figure", str(drawn)])
    facts = json.loads(told.stdout)
    assert told.exit_code == 0
    assert facts["all"]["brier"] == pytest.approx((0.01 + 0.36 + 0.04) / 3)
    assert "unit:hypothesis" in facts["all"]["signature"]
    assert "n:9" in facts["all"]["signature"]
    assert drawn.read_text(encoding="utf-8").startswith("<svg")
    shown = CliRunner().invoke(app, ["confidence", str(tmp_path / "D")]).stdout
    assert "0.137" in shown


@pytest.mark.parametrize(("language", "title"), [("en", "Recognition confidence"), ("it", "Confidenza")])
def test_the_report_has_a_diagram_and_a_table_in_both_languages(
    language: str, title: str, tmp_path: Path
) -> None:
    talks = {who: [("yes", "yes", 0.9), ("no", "yes", 0.6)] for who in "ab"}
    facts = confidence_results(dataset_of(tmp_path, talks), draws=20)
    with speaking(language), with_words(SECTIONS.get("recognition").locale):
        said, drawn, table = recognition_blocks(facts)
        assert "50" in said.text  # type: ignore[union-attr]
        assert drawn.narrow.startswith("<svg")  # type: ignore[union-attr]
        assert title in table.caption  # type: ignore[union-attr]


@pytest.mark.parametrize(("language", "said"), [("en", "recogni"), ("it", "riconosc")])
def test_noise_between_simulated_users_who_type_and_a_system_is_no_recogniser(
    language: str, said: str, tmp_path: Path
) -> None:
    talks = {who: [("yes", "yes", 0.9), ("no", "yes", 0.6)] for who in "ab"}

    def told(name: str, **columns: Any) -> str:
        facts = confidence_results(dataset_of(tmp_path / name, talks, **columns), draws=20)
        with speaking(language), with_words(SECTIONS.get("recognition").locale):
            return recognition_blocks(facts)[0].text  # type: ignore[union-attr]

    assert said in told("noise", channel="text", simulated=True)
    for name, columns in {"spoken": {"simulated": True}, "people": {"channel": "text"}}.items():
        assert said not in told(name, **columns)


def test_dialogues_of_somebody_unknown_stand_for_themselves(tmp_path: Path) -> None:
    turns = [("yes", "yes", 0.9), ("no", "yes", 0.6)]
    who = {"a": "ann", "b": "ann", "c": None, "d": None}
    dataset = dataset_of(tmp_path, dict.fromkeys(who, turns), people=who)
    assert confidence_results(dataset, draws=20).all.found.participants == 3


def test_groups_come_in_order_and_what_has_no_group_last(tmp_path: Path) -> None:
    tasks = {"a": None, "b": "t2", "c": "t1", "d": "t2"}
    turns = [("yes", "yes", 0.9), ("no", "yes", 0.6)]
    parts = {
        who: dataset_of(tmp_path / who, {who: turns[: 1 + (task == "t1")]}, task_id=task)
        for who, task in tasks.items()
    }
    writer = DatasetWriter(tmp_path / "all", study={"name": "toy"}, source={"kind": "test"})
    for table in ("dialogues", "turns", "hypotheses"):
        for one in parts.values():
            writer.add(table, one.read(table).to_pylist())
    facts = confidence_results(writer.close(), "task", draws=20, bins=4)
    assert [(one.key, one.found.n) for one in facts.by] == [("t1", 2), ("t2", 2), (None, 1)]
    assert (facts.all.found.n, facts.dialogues, facts.noisy) == (5, 4, 0)
    middle, last = facts.by[0].found.bins[2:]
    assert (middle.low, middle.high, middle.n, last.low, last.high, last.n) == (0.5, 0.75, 1, 0.75, 1.0, 1)


def test_a_confidence_of_one_is_in_the_last_bin_and_the_level_makes_intervals_wider() -> None:
    rng = np.random.default_rng(8)
    sureness = np.append(rng.random(79), 1.0)
    found = sure(*zip(sureness.tolist(), (rng.random(80) < sureness).tolist(), strict=True))
    people = [f"p{index % 16}" for index in range(80)]
    narrow, wide = (figures(found, people, level=level, draws=200) for level in (0.5, 0.95))
    assert sum(one.n for one in narrow.bins) == 80 and narrow.participants == 16
    for name in ("brier", "auc", "expected_calibration_error"):
        (low, high), (lower, upper) = narrow.limits(name), wide.limits(name)
        assert lower < low < high < upper
    assert narrow.brier_constant == pytest.approx(narrow.right * (1 - narrow.right))
