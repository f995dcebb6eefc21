"""Who a screen lets through, and a study's own settings over those of a preset."""

from pathlib import Path

import pytest

from vivavoce.core.yaml_source import Source, parse_yaml
from vivavoce.languages.base import lookup_tags
from vivavoce.study.load import load_study
from vivavoce.study.presets import lay_over
from vivavoce.study.step_kind import STEPS
from vivavoce.study.steps import QuestionnaireStep, Range


@pytest.mark.parametrize(
    ("answers", "admitted"),
    [
        ({"age": 2, "skill": 1}, True),
        ({"age": 4, "skill": 1}, True),
        ({"age": 1, "skill": 1}, False),
        ({"age": 5, "skill": 1}, False),
        ({"age": 3, "skill": 0}, False),
        ({"age": 3}, False),
        ({"age": None, "skill": 1}, False),
        ({"age": 3, "skill": 1, "more": 9}, True),
    ],
)
def test_a_screen_admits_codes_from_the_first_to_the_last(answers: dict, admitted: bool) -> None:
    screen = QuestionnaireStep(
        name="own", about="visit", admit={"age": Range(min=2, max=4), "skill": Range(min=1, max=1)}
    )
    assert STEPS.get("questionnaire").admits(screen, answers) == admitted
    assert STEPS.get("questionnaire").admits(QuestionnaireStep(name="own", about="visit"), {})


@pytest.mark.parametrize(
    ("above", "below", "merged"),
    [
        ({"a": 1}, {"a": 2, "b": 3}, {"a": 1, "b": 3}),
        ({"a": [1]}, {"a": [2, 3]}, {"a": [1]}),
        ({"a": {"x": 1}}, {"a": {"x": 2, "y": 3}}, {"a": {"x": 1, "y": 3}}),
        ({"a": {"x": 1}}, {"a": 5}, {"a": {"x": 1}}),
        ({"a": 5}, {"a": {"x": 1}}, {"a": 5}),
        ({"a": None}, {"a": {"x": 1}}, {"a": None}),
        ({}, {"a": 1}, {"a": 1}),
    ],
)
def test_mappings_are_merged_key_by_key_and_all_else_is_replaced(
    above: dict, below: dict, merged: dict
) -> None:
    assert Source("study.yaml", above).over(below, "preset").data == merged


@pytest.mark.parametrize(
    ("tasks", "merged"),
    [
        ("tasks: tasks.yaml", "tasks.yaml"),
        ("tasks: {file: tasks.yaml}", {"file": "tasks.yaml"}),
        (
            "tasks: {generate: 5}",
            {
                "generate": 5,
                "constraints": "2..3",
                "requests": "1..2",
                "dontcare": 0.1,
                "unsatisfiable": 0.1,
                "seed": 1,
            },
        ),
    ],
)
def test_tasks_of_a_file_replace_those_that_a_preset_generates(tasks: str, merged: object) -> None:
    found = lay_over(parse_yaml(f"name: city\n{tasks}\n".encode(), "study.yaml"), "p851")
    assert found.data["tasks"] == merged
    assert found.data["name"] == "city" and found.place(("visit",)) == "study.yaml (protocol p851) visit"


def test_a_study_in_a_language_of_a_region_uses_what_is_written_in_the_language(tmp_path: Path) -> None:
    systems = "systems: {bot: {connect: http, url: 'http://127.0.0.1:1'}}"
    (tmp_path / "study.yaml").write_text(
        f"study: desk\nprotocol: idial-2018\nlanguages: [en-GB, it-CH]\n{systems}\n", "utf-8"
    )
    (tmp_path / "consent.it.md").write_text("# Consenso\n\nNostro.\n", "utf-8")
    study = load_study(tmp_path)
    assert study.wordings["idial"]["it-CH"].language == "it"
    assert study.documents["consent.md"]["it-CH"].endswith("Nostro.\n")
    assert study.documents["debrief.md"]["en-GB"].startswith("#")


@pytest.mark.parametrize(
    ("tag", "tags"),
    [
        ("it", ["it"]),
        ("pt-BR", ["pt-BR", "pt"]),
        ("zh-Hant-CN-x-private1", ["zh-Hant-CN-x-private1", "zh-Hant-CN", "zh-Hant", "zh"]),
    ],
)
def test_a_language_is_looked_up_as_rfc_4647_says(tag: str, tags: list[str]) -> None:
    assert lookup_tags(tag) == tags
