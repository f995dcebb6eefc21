"""The section `quality` of a study file, and rules of exclusion about the quality of work."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import read_yaml
from vivavoce.study.exclusion import OF_WORK, Exclusion, read_rules
from vivavoce.study.load import check_study
from vivavoce.study.quality import SIGNS, Marks, Quality
from vivavoce.study.recordings import Recordings
from vivavoce.study.retention import RetentionRules, check_retention
from vivavoce.study.session_link import FollowUp

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
  min_answer_s: 1.5
  thresholds: {gold: "< 0.8", fast_answers: "> 0.5", disagreement: "> 0.5"}
analysis: {exclude: [trivial, {gold: "< 0.5"}, "pace < 0.3 and copies >= 1", "fast_answers > 0.5"]}
"""
    assert problems(tmp_path, more) == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            "quality: {thresholds: {god: '< 0.8'}}",
            ("study.yaml:8", "quality.thresholds", "'god'", "Did you mean 'gold'"),
        ),
        ("quality: {threshold: {}}", ("unknown key 'threshold'", "Did you mean 'thresholds'")),
        ("quality: {thresholds: {gold: low}}", ("does not compare with a number",)),
        ("quality: {checks: {understod: 4}}", ("no question 'understod'", "Did you mean 'understood'")),
        ("quality: {thresholds: {fast_answers: '> 0.5'}}", ("fast_answers", "min_answer_s: 1.5")),
        ("analysis: {exclude: [{fast_answers: '> 0.5'}]}", ("analysis.exclude", "min_answer_s")),
        (
            "analysis: {exclude: [{disagreement: '> 0.5'}]}",
            ("the outcome that the analysis measures", "quality.thresholds"),
        ),
    ],
)
def test_what_is_wrong_has_its_value_place_and_next_step(
    tmp_path: Path, more: str, told: tuple[str, ...]
) -> None:
    found = problems(tmp_path, more + "\n")
    assert len(found) == 1 and all(one.lower() in found[0].lower() for one in told), found


def test_a_rule_about_work_is_about_people() -> None:
    assert Exclusion.model_validate({"gold": "< 0.8", "outcome": "completed"}).of_people
    assert not Exclusion.model_validate({"gold": "< 0.8", "system": "one"}).of_people
    with pytest.raises(InputError, match="depends on the outcome"):
        read_rules(["disagreement > 0.5"])


def test_everything_that_may_be_marked_may_exclude_but_what_is_made_of_outcomes() -> None:
    assert {*OF_WORK, "disagreement"} == set(SIGNS) == set(Marks.model_fields)


@pytest.mark.parametrize(
    ("condition", "value", "reached"),
    [
        ("< 0.5", 0.4, True),
        ("< 0.5", 0.5, False),
        ("< 0.5", None, False),
        (None, 0.4, False),
        (None, None, False),
    ],
)
def test_a_sign_is_reached_where_something_was_declared_and_is_known(
    condition: str | None, value: float | None, reached: bool
) -> None:
    mark = Quality.model_validate({"thresholds": {"gold": condition} if condition else {}}).thresholds
    assert mark.reached("gold", value) is reached


@pytest.mark.parametrize(
    ("recordings", "expires"),
    [
        ({}, False),
        ({"keep_days": 0}, True),
        ({"keep_until": "transcribed"}, True),
        ({"keep_days": 3, "keep_until": "transcribed"}, True),
    ],
)
def test_sound_expires_where_a_day_or_an_event_is_written(recordings: dict, expires: bool) -> None:
    assert Recordings.model_validate(recordings).expires is expires


def test_who_comes_again_may_begin_from_a_day_to_a_day() -> None:
    done = datetime(2026, 3, 1, 12, tzinfo=UTC)
    endless = FollowUp.model_validate({"of": "../first", "after_days": 7})
    limited = FollowUp.model_validate({"of": "../first", "after_days": 7, "within_days": 3})
    assert endless.opens(done) == limited.opens(done) == datetime(2026, 3, 8, 12, tzinfo=UTC)
    assert (endless.closes(done), limited.closes(done)) == (None, datetime(2026, 3, 11, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("rules", "keep_days", "problems"),
    [
        ({"visits_days": 90, "identifiers_days": 90, "free_text_days": 30}, 90, 0),
        ({"visits_days": 90, "identifiers_days": 91}, None, 1),
        ({"visits_days": 90, "identifiers_days": 91, "free_text_days": 91}, 91, 3),
        ({"visits_days": 90}, 90.5, 1),
        ({"identifiers_days": 400}, 900, 0),
    ],
)
def test_nothing_is_kept_for_longer_than_the_visits_that_it_belongs_to(
    tmp_path: Path, rules: dict, keep_days: float | None, problems: int
) -> None:
    (tmp_path / "study.yaml").write_text("study: s\n", encoding="utf-8")
    source = read_yaml(tmp_path / "study.yaml")
    kept = Recordings.model_validate({"keep_days": keep_days}) if keep_days else None
    check_retention(RetentionRules.model_validate(rules), kept, source)
    assert len(source.problems) == problems
