"""Damage as a factor and days of retention: what fits together, and words of a task."""

from types import SimpleNamespace
from typing import Any

import pytest

from vivavoce.audio.degradation import Degradation
from vivavoce.core.yaml_source import Source
from vivavoce.study.degradation import DamagePlan, check_degradation
from vivavoce.study.file import levels_of
from vivavoce.study.recordings import Recordings
from vivavoce.study.retention import RetentionRules, check_retention
from vivavoce.study.task import Task

NOISY, LOSSY = Degradation(snr_db=5), Degradation(loss=0.2)


def system(connect: str = "http", **factors: str) -> Any:
    return SimpleNamespace(connect=connect, factors=factors)


def told(source: Source) -> list[str]:
    return [f"{one.place}: {one.problem}".removeprefix("study.yaml ") for one in source.problems]


def test_a_level_has_its_own_damage_each_way_and_others_stay_clean() -> None:
    plan = DamagePlan(factor="line", levels={"bad": NOISY, "clean": Degradation()}, answers={"far": LOSSY})
    each = [{"line": "bad"}, {"line": "clean"}, {"line": "far"}, {"other": "bad"}, {}]
    assert [plan.of(one) for one in each] == [NOISY, None, None, None, None]
    assert [plan.of_answers(one) for one in each] == [None, None, LOSSY, None, None]


@pytest.mark.parametrize("settings", [{"levels": {"bad": NOISY}}, {"answers": {"bad": NOISY}}])
def test_one_way_is_enough_and_nothing_is_not(settings: dict[str, Any]) -> None:
    assert DamagePlan(factor="line", **settings).factor == "line"
    with pytest.raises(ValueError, match="degrades nothing"):
        DamagePlan(factor="line")


@pytest.mark.parametrize(
    ("settings", "systems", "spoken", "problems"),
    [
        ({"levels": {"bad": NOISY}}, {"a": system(line="bad"), "b": system(line="good")}, True, []),
        (
            {"levels": {"bad": NOISY}},
            {"a": system(lyne="bad")},
            True,
            ["degradation.factor: no system has a factor 'line'"],
        ),
        (
            {"levels": {"bad": NOISY, "worse": NOISY}, "answers": {"worst": LOSSY}},
            {"a": system(line="bad")},
            True,
            [
                "degradation.levels.worse: no system has this level of 'line'",
                "degradation.answers.worst: no system has this level of 'line'",
            ],
        ),
        (
            {"levels": {"bad": NOISY}},
            {"a": system(line="bad")},
            False,
            ["degradation: this study has no spoken dialogue"],
        ),
        (
            {"levels": {"bad": NOISY}, "answers": {"far": LOSSY}},
            {
                "a": system("phone", line="bad"),
                "b": system("phone", line="far"),
                "c": system("phone", line="good"),
                "d": system("http", line="bad"),
            },
            True,
            [
                "systems.a: is a telephone: its calls cannot be degraded",
                "systems.b: is a telephone: its calls cannot be degraded",
            ],
        ),
    ],
)
def test_damage_is_of_levels_that_systems_have_and_that_are_heard(
    settings: dict[str, Any], systems: dict[str, Any], spoken: bool, problems: list[str]
) -> None:
    source = Source("study.yaml")
    plan = DamagePlan(factor="line", **settings)
    check_degradation(plan, systems, levels_of(systems), spoken, source)
    assert told(source) == problems


@pytest.mark.parametrize(
    ("rules", "keep_days", "places"),
    [
        ({}, 9, []),
        ({"identifiers_days": 9}, 9, []),
        ({"visits_days": 5}, 5, []),
        ({"visits_days": 5}, None, []),
        ({"visits_days": 5}, 0, []),
        ({"visits_days": 5}, 6, ["recordings.keep_days"]),
        ({"visits_days": 5, "identifiers_days": 5, "free_text_days": 4}, 5, []),
        (
            {"visits_days": 5, "identifiers_days": 6, "free_text_days": 7},
            5.5,
            ["retention.identifiers_days", "retention.free_text_days", "recordings.keep_days"],
        ),
    ],
)
def test_nothing_is_kept_for_longer_than_the_visits_it_belongs_to(
    rules: dict[str, int], keep_days: float | None, places: list[str]
) -> None:
    source = Source("study.yaml")
    written = RetentionRules(**rules)
    check_retention(written, Recordings(keep_days=keep_days), source)
    assert [one.split(":")[0] for one in told(source)] == places
    without = Source("study.yaml")
    check_retention(written, None, without)
    assert len(without.problems) == len([one for one in places if one.startswith("retention")])


@pytest.mark.parametrize(
    ("settings", "expires"),
    [
        ({}, False),
        ({"keep_days": 0}, True),
        ({"keep_until": "transcribed"}, True),
        ({"keep_days": 3, "keep_until": "transcribed"}, True),
    ],
)
def test_sound_expires_by_days_or_once_it_is_transcribed(settings: dict[str, Any], expires: bool) -> None:
    assert Recordings(**settings).expires is expires


def test_a_task_is_read_in_the_language_or_the_first_there_is() -> None:
    task = Task(
        task_id="t", type="pub", constraints={}, requests=(), text={"it": "Trova.", "en": "PiiMatch."}
    )
    assert [task.words(one) for one in ("en", "it", "de")] == ["PiiMatch.", "Trova.", "Trova."]
    assert task.model_copy(update={"text": {}}).words("en") == ""
