"""The section `quality` of a study file, and rules of exclusion about the quality of work."""

from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.study.exclusion import OF_WORK, Exclusion, read_rules
from vivavoce.study.load import check_study
from vivavoce.study.quality import SIGNS, Marks

STUDY = """study: talk
systems: {one: {connect: scripted, otherwise: I see.}}
visit:
  - consent: consent.md
  - dialogue: {gate: none}
  - questionnaire: cambridge
  - debrief: bye.md
"""


def problems(folder: Path, more: str) -> list[str]:
    for name in ("consent.md", "bye.md"):
        (folder / name).write_text("# Text\n\nWords.\n", "utf-8")
    (folder / "study.yaml").write_text(STUDY + more, "utf-8")
    return [str(one) for one in check_study(folder)]


def test_a_sound_section_has_no_problems(tmp_path: Path) -> None:
    more = """quality:
  checks: {understood: "> 1"}
  answer_at_least_s: 1.5
  mark: {gold: "< 0.8", fast_answers: "> 0.5", disagreement: "> 0.5"}
analysis: {exclude: [trivial, {gold: "< 0.5"}, "pace < 0.3 and copies >= 1"]}
"""
    assert problems(tmp_path, more) == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("quality: {mark: {god: '< 0.8'}}", ("study.yaml:8", "quality.mark", "'god'", "did you mean 'gold'")),
        ("quality: {marks: {}}", ("unknown key 'marks'", "did you mean 'mark'")),
        ("quality: {mark: {gold: low}}", ("compares with no number",)),
        ("quality: {checks: {understod: 4}}", ("no question 'understod'", "did you mean 'understood'")),
        ("quality: {mark: {fast_answers: '> 0.5'}}", ("nobody said which", "answer_at_least_s: 1.5")),
        ("analysis: {exclude: [{fast_answers: '> 0.5'}]}", ("analysis.exclude", "answer_at_least_s")),
        ("analysis: {exclude: [{disagreement: '> 0.5'}]}", ("outcomes that are to be measured", "a person")),
    ],
)
def test_what_is_wrong_has_its_value_place_and_next_step(
    tmp_path: Path, more: str, told: tuple[str, ...]
) -> None:
    found = problems(tmp_path, more + "\n")
    assert len(found) == 1 and all(one in found[0] for one in told), found


def test_a_rule_about_work_is_about_people() -> None:
    assert Exclusion.model_validate({"gold": "< 0.8", "outcome": "completed"}).of_people
    assert not Exclusion.model_validate({"gold": "< 0.8", "system": "one"}).of_people
    with pytest.raises(InputError, match="made of the outcomes"):
        read_rules(["disagreement > 0.5"])


def test_everything_that_may_be_marked_may_exclude_but_what_is_made_of_outcomes() -> None:
    assert {*OF_WORK, "disagreement"} == set(SIGNS) == set(Marks.model_fields)
