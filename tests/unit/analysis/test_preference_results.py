"""What a comparison found in one piece: groups of people, cost, the study's own rating, signatures."""

from pathlib import Path

import pytest
from statsmodels.stats.proportion import proportions_ztest

from scenes.judgements import judge_rows, made, person_row
from vivavoce.analysis.preference_results import has_preferences, preference_results, study_rating
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.stats.preferences import StudyRating


def rated(person: int, value: float, instrument: str = "study_rating", answer: str = "good") -> dict:
    return {
        "visit_id": f"v{person}",
        "participant_id": f"p{person}",
        "instrument": instrument,
        "item_id": "rating",
        "value": value,
        "answer": answer,
    }


def test_cost_is_told_by_judgement_and_by_variable(tmp_path: Path) -> None:
    """The paper's: 51.48 dollars for 2860 judgements on five variables."""
    likes = dict.fromkeys(("a", "b", "c", "d", "e"), 0.7)
    dataset = made(tmp_path / "data", preferences=judge_rows(143, likes))
    cost = preference_results(dataset, cost=51.48).cost
    assert cost.per_judgement == pytest.approx(51.48 / 2860)
    assert cost.per_variable == pytest.approx(10.296)
    assert cost.per_participant == pytest.approx(51.48 / 143)
    assert preference_results(dataset, cost=0).cost.total == 0
    with pytest.raises(InputError, match="cost -1"):
        preference_results(dataset, cost=-1)


def test_people_are_grouped_by_attribute_or_by_what_they_answered(tmp_path: Path) -> None:
    people = [person_row(number, gender=("woman", "man")[number % 2]) for number in range(60)]
    ages = [rated(number, 1.0, "background", ("young", "old")[number % 3 == 0]) for number in range(60)]
    dataset = made(
        tmp_path / "data", preferences=judge_rows(60, {"facing": 0.7}), participants=people, ratings=ages
    )
    (one,) = preference_results(dataset, by="gender").by_group
    assert {name: share.participants for name, share in one.groups.items()} == {"man": 30, "woman": 30}
    assert one.differences[0].p_judgements is not None
    (one,) = preference_results(dataset, by="rating").by_group
    assert {name: share.participants for name, share in one.groups.items()} == {"old": 20, "young": 40}
    with pytest.raises(UnknownName, match="gender, population, rating"):
        preference_results(dataset, by="shoes")


def test_answers_that_are_one_answer_make_judgements_look_surer_than_people(tmp_path: Path) -> None:
    """The paper's effect of gender on facing: clear over judgements, not over people."""
    rows = judge_rows(143, {"facing": 0.7})
    whole = {row["participant_id"]: row["choice"] for row in rows if row["question"] == "ease"}
    people = [person_row(number, gender="woman" if number < 50 else "man") for number in range(143)]
    alike = [{**row, "choice": whole[row["participant_id"]]} for row in rows]
    dataset = made(tmp_path / "data", preferences=alike, participants=people)
    (test,) = preference_results(dataset, by="gender").by_group[0].differences
    assert test.p_judgements < test.p
    won = {test.a: [0, 0], test.b: [0, 0]}
    for row in alike:
        own = won["woman" if int(row["participant_id"][1:]) < 50 else "man"]
        own[0] += row["choice"] == "experimental"
        own[1] += 1
    _, expected = proportions_ztest(*zip(*won.values(), strict=True))
    assert test.p_judgements == pytest.approx(expected)


def test_the_rating_of_the_study_itself_is_a_mean_over_people(tmp_path: Path) -> None:
    ratings = [rated(0, 5.0), rated(1, 4.0), rated(2, 1.0, "other")]
    dataset = made(tmp_path / "data", preferences=judge_rows(3, {"a": 0.6}), ratings=ratings)
    assert study_rating(dataset) == StudyRating(mean=4.5, of=5, participants=2)
    assert preference_results(dataset).study_rating == study_rating(dataset)


def test_every_cell_and_variable_has_a_signature_with_its_unit_and_n(tmp_path: Path) -> None:
    dataset = made(tmp_path / "data", preferences=judge_rows(30, {"a": 0.6}, ties=0.2))
    facts = preference_results(dataset)
    cell = facts.cells[0]
    line = facts.signatures[f"a, {cell.question}"]
    assert "unit:participant" in line
    assert f"n:{cell.experimental + cell.control}" in line
    assert f"data:{dataset.hash}" in line
    assert [one.model for one in facts.ties] == ["decided", "davidson", "rao_kupper"] * 5


def test_who_decides_the_same_twice_is_one_person_and_not_two(tmp_path: Path) -> None:
    once = judge_rows(30, {"facing": 0.7})
    again = [{**row, "visit_id": f"again-{row['visit_id']}"} for row in once]
    one = preference_results(made(tmp_path / "once", preferences=once)).cells[0]
    both = preference_results(made(tmp_path / "twice", preferences=[*once, *again]))
    cell = both.cells[0]
    assert (one.method, one.participants, cell.participants) == ("wilson", 30, 30)
    assert cell.ratio == one.ratio
    assert cell.high - cell.low > 0.9 * (one.high - one.low)  # as sure as of thirty, not of sixty
    assert cell.p > 0.5 * one.p
    assert (cell.chi_square, cell.p_exact) == (None, None)
    assert "|n:30|" in both.signatures[f"facing, {cell.question}"]


def test_a_dataset_of_dialogues_has_no_preferences(tmp_path: Path) -> None:
    assert not has_preferences(made(tmp_path / "data", participants=[person_row(1)]))


def test_a_study_of_few_pairs_judged_by_many_gets_no_agreement_over_pairs(tmp_path: Path) -> None:
    dataset = made(tmp_path / "data", preferences=judge_rows(60, {"empathy": 0.7}))
    assert len({row["pair_id"] for row in dataset.read("preferences").to_pylist()}) < 10
    assert preference_results(dataset).agreement == []


def test_only_accepted_choices_of_the_main_part_count_and_only_ties_have_no_method(tmp_path: Path) -> None:
    rows = judge_rows(12, {"facing": 0.7}, ties=0.2) + judge_rows(12, {"empathy": 0.7}, ties=2.0)
    others = [{**row, "visit_id": f"other-{row['visit_id']}", "choice": "tie", "side": None} for row in rows]
    trained = [{**row, "role": "practice"} for row in others]
    refused = [{**row, "accepted": False} for row in others]
    found = preference_results(made(tmp_path / "data", preferences=[*rows, *trained, *refused]))
    whole = next(one for one in found.ties if one.variable == "facing" and one.question is None)
    facing = [row["choice"] for row in rows if row["variable"] == "facing"]
    assert (whole.choices, whole.ties) == (len(facing), facing.count("tie"))
    assert "interval:none 0.95" in found.signatures["empathy"]
    assert "interval:none" not in found.signatures["facing"]
    families = {one.of: (one.tests, one.untested) for one in found.families}
    assert families["cells"] == (4, 4) and families["variables"] == (1, 1)


def test_who_answers_in_another_language_is_of_the_same_group(tmp_path: Path) -> None:
    """A group is what was chosen, not how it is called there; most call it so."""
    told = {True: {"en": "Woman", "it": "Donna"}, False: {"en": "Man", "it": "Uomo"}}
    answers = [
        {
            "participant_id": f"p{number}",
            "visit_id": f"v{number}",
            "instrument": "demographics",
            "item_id": "gender",
            "wording": "project",
            "value": 1.0 if number % 2 else 2.0,
            "language": "it" if number % 5 == 0 else "en",
            "answer": told[bool(number % 2)]["it" if number % 5 == 0 else "en"],
        }
        for number in range(40)
    ]
    rows = judge_rows(40, {"empathy": 0.7})
    people = [person_row(number) for number in range(40)]
    dataset = made(tmp_path / "data", preferences=rows, participants=people, ratings=answers)
    (one,) = preference_results(dataset, by="gender").by_group or ()
    assert {name: share.participants for name, share in one.groups.items()} == {"Man": 20, "Woman": 20}
