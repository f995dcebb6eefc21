"""The declared comparison under every other choice: which ways there are, and what each of them says."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from vivavoce.analysis.declared import declared_family
from vivavoce.analysis.specifications import AnalysisWay, SpecificationCurve, specification_curves
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.stats.prediction_powered import JudgedCases, powered_difference

AT = datetime(2026, 3, 1, tzinfo=UTC)
STUDY = """study: two pools
systems: {{alpha: {{connect: http}}, beta: {{connect: http}}}}
visit: [dialogue]
analysis:
  primary: {{measure: {measure}, compare: [alpha, beta]}}
  exclude: {exclude}
"""


def written(
    folder: Path,
    *,
    measure: str = "subjective_success",
    exclude: str = '[{user_turns: "< 2"}]',
    judge: bool = True,
    people: int = 24,
) -> Dataset:
    """Alpha pleases more people of the panel, beta those who came by the link; who left early failed."""
    rng, file = np.random.default_rng(3), STUDY.format(measure=measure, exclude=exclude)
    seen = [{"revision": "r", "file": file, "seen_at": AT.isoformat()}]
    study = {"name": "two pools", "revision": "r", "file": file, "revisions": seen}
    with DatasetWriter(folder, study=study, source={"kind": "log"}) as writer:
        for person in range(people):
            panel, left = person % 3 != 0, person % 4 == 0
            who = {"participant_id": f"p{person}", "simulated": False}
            writer.add(
                "participants",
                [
                    {
                        **who,
                        "outcome": "withdrew" if person % 5 == 0 else "completed",
                        "first_seen_at": AT,
                        "pool": "prolific" if panel else "link",
                    }
                ],
            )
            for number in range(4):
                system = ("alpha", "beta")[number % 2]
                key = {"dialogue_id": f"d{person}-{number}"}
                trivial = left and number == 3
                writer.add(
                    "dialogues",
                    [
                        {
                            **key,
                            **who,
                            "study": "two pools",
                            "system": system,
                            "condition": system,
                            "language": "en",
                            "channel": "text",
                            "dialogue_number": number + 1,
                            "duration_s": 30.0,
                            "end_reason": "user",
                        }
                    ],
                )
                turns = ["user", "system"] if trivial else ["user", "system", "user", "system"]
                writer.add(
                    "turns",
                    [
                        {**key, "turn_index": at, "party": party, "text": "so be it"}
                        for at, party in enumerate(turns)
                    ],
                )
                liked = 0.9 if panel == (system == "alpha") else 0.35
                good = float(not trivial and rng.random() < liked)
                if number < 2 or trivial:
                    writer.add(
                        "ratings",
                        [
                            {
                                **key,
                                "participant_id": who["participant_id"],
                                "instrument": "cambridge",
                                "item_id": "found_all",
                                "role": "subjective_success",
                                "value": good,
                            }
                        ],
                    )
                if judge:
                    writer.add(
                        "judgements",
                        [
                            {
                                **key,
                                "judge": "clerk",
                                "kind": "python",
                                "target": "found_all",
                                "asked": 1,
                                "value": good if rng.random() < 0.9 else 1 - good,
                                "refused": 0,
                                "unreadable": 0,
                                "frozen": "f",
                                "judged_at": AT,
                            }
                        ],
                    )
    return Dataset(folder)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return written(tmp_path_factory.mktemp("ways") / "d", people=168)


@pytest.fixture(scope="module")
def curve(dataset: Dataset) -> SpecificationCurve:
    (found,) = specification_curves(dataset)
    return found


def test_every_way_is_there_once_and_the_declared_one_is_marked(curve: SpecificationCurve) -> None:
    ways = [one.choice for one in curve.specifications]
    rules = ("user_turns < 2", "none", "outcome != completed")
    recruits = (None, "link", "prolific")
    assert set(ways) == {
        AnalysisWay("subjective_success", rule, pool, alike, judge)
        for rule in rules
        for pool in recruits
        for alike, judge in (("case", None), ("participant", None), ("case", "clerk"))
    }
    assert len(ways) == len(set(ways)) and not curve.untold and not curve.nearest
    assert [one.choice for one in curve.specifications if one.declared] == [
        AnalysisWay("subjective_success", "user_turns < 2", None, "case", None)
    ]
    differences = [one.difference for one in curve.specifications]
    assert differences == sorted(differences)


def test_the_declared_way_says_what_the_declared_comparison_says(
    dataset: Dataset, curve: SpecificationCurve
) -> None:
    family = declared_family(dataset)
    assert family is not None
    (told,) = family.results
    one = curve.declared
    assert (one.difference, one.low, one.high, one.p) == (told.difference, told.low, told.high, told.p)


def test_whose_dialogues_count_changes_the_conclusion(curve: SpecificationCurve) -> None:
    by = {one.choice: one for one in curve.specifications}
    link = by[AnalysisWay("subjective_success", "user_turns < 2", "link", "case", None)]
    panel = by[AnalysisWay("subjective_success", "user_turns < 2", "prolific", "case", None)]
    assert (link.participants, panel.participants) == (56, 112)
    assert link.difference < 0 < panel.difference
    assert curve.declared.sign(0.05) == panel.sign(0.05) == 1 and link.sign(0.05) == -1
    assert link in curve.changed and panel not in curve.changed and curve.declared not in curve.changed


def test_each_participant_may_weigh_alike(dataset: Dataset, curve: SpecificationCurve) -> None:
    """Whoever left early answered twice about beta: as one, and not as two."""
    whole = dataset.everything
    system = {row["dialogue_id"]: row["system"] for row in whole.read("dialogues").to_pylist()}
    own: dict[str, dict[str, list[float]]] = {"alpha": {}, "beta": {}}
    for row in whole.read("ratings").to_pylist():
        own[system[row["dialogue_id"]]].setdefault(row["participant_id"], []).append(row["value"])
    means = {name: np.mean([np.mean(one) for one in people.values()]) for name, people in own.items()}
    by = {one.choice: one.difference for one in curve.specifications}
    way = AnalysisWay("subjective_success", "none", None, "participant", None)
    assert by[way] == pytest.approx(means["alpha"] - means["beta"])
    assert by[way] != pytest.approx(by[way._replace(alike="case")])


@pytest.mark.parametrize(
    ("difference", "p", "sign"),
    [
        (0.2, 0.01, 1),
        (-0.2, 0.01, -1),
        (0.2, 0.05, 0),
        (0.2, None, 0),
    ],
)
def test_only_a_difference_that_is_shown_has_a_direction(
    curve: SpecificationCurve, difference: float, p: float | None, sign: int
) -> None:
    assert replace(curve.declared, difference=difference, p=p).sign(0.05) == sign


def test_a_judge_speaks_beside_people_of_the_same_dialogues(
    dataset: Dataset, curve: SpecificationCurve
) -> None:
    rows = dataset.read("dialogues").to_pylist()
    answers = {row["dialogue_id"]: row["value"] for row in dataset.read("ratings").to_pylist()}
    said = {row["dialogue_id"]: row["value"] for row in dataset.read("judgements").to_pylist()}
    sides = [
        JudgedCases(
            np.array([row["participant_id"] for row in rows if row["system"] == system]),
            np.array([said[row["dialogue_id"]] for row in rows if row["system"] == system]),
            np.array([answers.get(row["dialogue_id"], np.nan) for row in rows if row["system"] == system]),
        )
        for system in ("alpha", "beta")
    ]
    expected = powered_difference(*sides)
    way = AnalysisWay("subjective_success", "user_turns < 2", None, "case", "clerk")
    found = next(one for one in curve.specifications if one.choice == way)
    assert (found.difference, found.p) == pytest.approx((expected.estimate, expected.p))


def test_rules_that_leave_out_the_same_are_one_way(tmp_path: Path) -> None:
    """No dialogue is without a user turn, so that `trivial` leaves out what `none` does."""
    (found,) = specification_curves(written(tmp_path / "d", exclude="[trivial]", judge=False))
    assert {one.choice.left_out for one in found.specifications} == {"trivial", "outcome != completed"}
    assert {one.choice.judge for one in found.specifications} == {None}


def test_far_ways_are_left_out_where_there_are_very_many(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vivavoce.analysis.specifications.MOST", 20)
    (found,) = specification_curves(dataset)
    declared = found.declared.choice
    apart = [sum(x != y for x, y in zip(one.choice, declared, strict=True)) for one in found.specifications]
    assert found.nearest and max(apart) == 2 and len(apart) < 27


def test_nothing_declared_or_nothing_to_test_gives_no_curve(tmp_path: Path) -> None:
    assert specification_curves(written(tmp_path / "a", measure="user_turnz", judge=False, people=4)) == []
    assert specification_curves(written(tmp_path / "b", measure="objective_success_inferred", people=4)) == []
