"""Preferences over transcripts: the published tables, known effects found again, and people as the unit."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import InputError
from vivavoce.log.dataset import Dataset, DatasetWriter
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.proportions import two_proportion_z
from vivavoce.stats.transcripts import cell, compare_transcripts, marginal

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-transcripts.json").read_text(encoding="utf-8")
)
QUESTIONS = {
    "ease": "service",
    "utility": "service",
    "satisfaction": "experience",
    "interaction": "experience",
}


@pytest.mark.parametrize("case", GOLDEN["table_2"], ids=lambda case: case["input"]["variable"])
def test_ratios_and_marginals_are_those_of_table_2(case):
    n, preferred = case["input"]["n"], case["input"]["preferred"]
    cells = [cell(k, n - k) for k in preferred]
    assert [round(one.ratio, 2) for one in cells] == case["expected"]["ratios"]
    assert round(marginal(cells), 2) == case["expected"]["marginal"]


@pytest.mark.parametrize("case", GOLDEN["tests"], ids=lambda case: str(case["input"][0]))
def test_chi_square_and_exact_tests_are_those_of_the_reference(case):
    k, n = case["input"]
    found = cell(k, n - k)._asdict()
    for name, value in case["expected"].items():
        assert found[name] == pytest.approx(value, abs=case["tolerance"])


def test_all_twenty_cells_are_significant_after_holm_and_two_are_not_after_bonferroni():
    p = [cell(k, 143 - k).p for case in GOLDEN["table_2"] for k in case["input"]["preferred"]]
    assert len(p) == 20
    assert max(holm(p)) < 0.05
    assert sum(20 * one >= 0.05 for one in p) == 2


@pytest.mark.parametrize("case", GOLDEN["gender"], ids=lambda case: case["source"][-20:])
def test_the_gender_effect_for_facing_depends_on_the_unit(case):
    assert two_proportion_z(*case["input"]).p == pytest.approx(case["expected"], abs=case["tolerance"])


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 50))
def test_a_cell_mirrors_when_the_versions_change_places(experimental, control, ties):
    one, other = cell(experimental, control, ties), cell(control, experimental, ties)
    if not experimental + control:
        assert one.ratio is None
        return
    assert one.ratio + other.ratio == pytest.approx(1)
    assert one.p == pytest.approx(other.p)
    assert one.low == pytest.approx(1 - other.high)


Make = Callable[..., Dataset]


@pytest.fixture
def dataset(tmp_path: Path) -> Make:
    """A dataset of judges with likes by variable, a leaning to the left, and tastes of their own."""

    def make(people: int, likes: dict[str, float], *, left: float = 0.0, ties: float = 0.0, seed: int = 1,
             **changes: object) -> Dataset:  # fmt: skip
        chance, rows = Random(seed), []
        for person in range(people):
            for number, (variable, rate) in enumerate(likes.items(), 1):
                side = ("left", "right")[(person + number) % 2]
                for question, quality in QUESTIONS.items():
                    wins = chance.random() < rate + (left if side == "left" else -left)
                    choice = "tie" if chance.random() < ties else "experimental" if wins else "control"
                    other = {"left": "right", "right": "left"}[side]
                    chosen = None if choice == "tie" else side if choice == "experimental" else other
                    rows.append({
                        "participant_id": f"p{person}", "visit_id": f"v{person}", "role": "main",
                        "comparison_number": number, "pair_id": variable, "variable": variable,
                        "change": "insertion", "control_level": "old", "experimental_level": "new",
                        "question": question, "quality": quality, "choice": choice, "side": chosen,
                        "experimental_side": side, "total_s": 200.0, "accepted": True, "flags": "",
                        "simulated": True, **changes,
                    })  # fmt: skip
        with DatasetWriter(
            tmp_path / f"data{seed}-{people}", study={"name": "talk"}, source={"kind": "test"}
        ) as writer:
            writer.add("preferences", rows)
            return writer.close()

    return make


LIKES = {"alignment": 0.63, "empathy": 0.75, "formality": 0.3}


@pytest.mark.long
def test_intervals_hold_known_preferences_about_as_often_as_they_say(dataset: Make):
    held = [
        one.low < LIKES[one.variable] < one.high
        for seed in range(20)
        for one in compare_transcripts(dataset(50, LIKES, seed=seed)).variables
    ]
    assert len(held) == 60
    assert 52 <= sum(held) <= 60  # 57 expected; fewer than 52 would come once in a hundred times


def test_preferences_are_told_by_variable_as_the_experimental_version_s_share(dataset: Make):
    facts = compare_transcripts(dataset(300, LIKES))
    for one in facts.variables:
        assert one.participants == 300
        assert one.marginal == pytest.approx(one.ratio)
        assert one.p_holm < 0.001
        assert one.service is not None and one.experience is not None
    assert [one.preferred for one in facts.variables] == ["experimental", "experimental", "control"]
    assert facts.variables[2].ratio < 0.5

    assert len(facts.cells) == 12
    assert all(one.p < 1e-6 for one in facts.same_preference)
    assert facts.position.p > 0.01


def test_a_leaning_to_the_left_is_told_apart_from_preference(dataset: Make):
    facts = compare_transcripts(dataset(300, {"empathy": 0.7, "facing": 0.6}, left=0.1))
    position = facts.position
    assert position.log_odds > 0.2
    assert position.p < 0.001
    assert position.left > position.low > 0.5
    assert {one.variable: round(one.ratio, 1) for one in facts.variables} == {
        "empathy": 0.7,
        "facing": 0.6,
    }


def test_the_unit_is_the_person_not_the_judgement(dataset: Make):
    """Four answers that are one answer weigh as one: the interval is as wide as that of 60 people."""
    made = dataset(60, {"empathy": 0.65})
    rows = made.read("preferences").to_pylist()
    first = {row["participant_id"]: row["choice"] for row in rows if row["question"] == "ease"}
    with DatasetWriter(
        made.folder.with_name("same"), study={"name": "talk"}, source={"kind": "test"}
    ) as writer:
        writer.add("preferences", [{**row, "choice": first[row["participant_id"]]} for row in rows])
        facts = compare_transcripts(writer.close())
    (variable,) = facts.variables
    (ease, *_) = facts.cells
    assert variable.high - variable.low > 0.95 * (ease.high - ease.low)


def test_ties_are_counted_beside_the_share(dataset: Make):
    facts = compare_transcripts(dataset(200, {"empathy": 0.7}, ties=0.3))
    (one,) = facts.variables
    assert one.decided + one.ties == one.choices == 800
    assert one.low < 0.7 < one.high


def test_groups_are_compared_by_person(dataset: Make):
    made = dataset(100, {"empathy": 0.7})
    groups = {f"p{person}": ("women", "men")[person % 2] for person in range(100)}
    (one,) = compare_transcripts(made, groups=groups).by_group
    assert {name: share.participants for name, share in one.groups.items()} == {"men": 50, "women": 50}
    assert one.differences[0].low < one.differences[0].difference < one.differences[0].high


def test_what_was_not_accepted_is_counted_and_left_out(dataset: Make):
    with pytest.raises(InputError, match="no accepted choices"):
        compare_transcripts(dataset(5, {"empathy": 0.7}, accepted=False, flags="fast"))
    facts = compare_transcripts(dataset(6, {"empathy": 0.7}, flags="fast one_side"))
    assert facts.responses.flags == {"fast": 6, "one_side": 6}
    assert facts.responses.seconds_per_judgement == pytest.approx(50)


def test_a_dataset_without_choices_is_told(tmp_path: Path):
    with DatasetWriter(tmp_path / "empty", study={"name": "talk"}, source={"kind": "test"}) as writer:
        made = writer.close()
    with pytest.raises(InputError, match="no choices between transcripts"):
        compare_transcripts(made)


def test_a_variable_that_everybody_prefers_has_an_interval_and_no_model(dataset: Make):
    facts = compare_transcripts(dataset(30, {"empathy": 1.5}))
    assert facts.variables[0].ratio == 1
    assert facts.variables[0].low < 1
    assert facts.position.log_odds is None


@pytest.mark.parametrize("seed", range(4))
def test_no_interval_leaves_what_is_possible_with_few_and_opposite_people(dataset: Make, seed: int):
    facts = compare_transcripts(dataset(4, {"pace": 0.93, "empathy": 0.07, "facing": 0.5}, seed=seed))
    known = [one for one in facts.differences if one.low is not None]
    assert known
    for one in known:
        assert -1 <= one.low <= one.difference <= one.high <= 1
        assert (one.p < 0.05) == (not one.low <= 0 <= one.high)


@pytest.mark.parametrize(("people", "like"), [(4, 0.8), (8, 0.9), (30, 0.62), (30, 1.5)])
def test_the_interval_of_a_variable_excludes_one_half_exactly_where_its_p_is_small(
    dataset: Make, people: int, like: float
):
    for seed in range(5):
        (one,) = compare_transcripts(dataset(people, {"pace": like}, seed=seed)).variables
        assert (one.p < 0.05) == (not one.low <= 0.5 <= one.high)


def test_what_everybody_prefers_is_tested_over_people(dataset: Make):
    (one,) = compare_transcripts(dataset(30, {"empathy": 1.5})).variables
    assert one.p == pytest.approx(2 * 0.5**30)
