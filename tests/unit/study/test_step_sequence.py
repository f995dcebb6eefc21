"""Steps of a visit that do, or do not, fit together, by what the study file says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vivavoce.study.load import check_study
from vivavoce.study.step_sequence import written_dialogues

SYSTEMS = 'systems:\n  a: {connect: http, url: "http://127.0.0.1:1"}\n'
TALK = "  - dialogue: {repeat: 1..4, gate: none}\n"


def said(folder: Path) -> list[str]:
    return [str(one).partition("study.yaml:")[2].partition(" ")[2] for one in check_study(folder)]


@pytest.mark.parametrize(
    ("screen", "problems"),
    [
        ("admit: {age: 1..6}", []),
        ("admit: {age: 1..1}", []),
        ("admit: {age: 6}", []),
        ("admit: {age: 0..6}", ["screen.admit.age: 0..6 is outside the scale of 'age'"]),
        ("admit: {age: 1..7}", ["screen.admit.age: 1..7 is outside the scale of 'age'"]),
        ("admit: {age: 2..5}, quotas: {age: {1: 3, 6: 4}}", []),
        ("admit: {age: 2..5}, quotas: {age: {0: 3, 6: 4}}", ["screen.quotas.age: 0..6 is outside"]),
        ("admit: {age: 2..5}, quotas: {age: {1: 3, 7: 4}}", ["screen.quotas.age: 1..7 is outside"]),
        (
            "admit: {aeg: 2..5, experience: 9}",
            [
                "screen.admit.aeg: 'p851_background' has no item 'aeg'",
                "screen.admit.experience: 9 is outside",
            ],
        ),
    ],
)
def test_a_screen_asks_for_codes_from_the_lowest_to_the_highest_of_the_scale(
    screen: str, problems: list[str], study_folder: Callable[..., Path]
) -> None:
    step = f"  - screen: {{use: p851_background, {screen}}}\n"
    found = said(study_folder(f"study: s\n{SYSTEMS}visit:\n{step}{TALK}"))
    assert len(found) == len(problems)
    assert all(one.startswith(f"visit[0].{told}") for one, told in zip(found, problems, strict=True)), found


@pytest.mark.parametrize(
    ("forms", "problems"),
    [
        (["cambridge", "nasa_tlx", "cambridge"], ["visit[3].questionnaire: 'cambridge' is asked twice"]),
        (["cambridge", "nasa_tlx", "sus"], []),
        (["sus", "sus"], ["visit[2].questionnaire: 'sus' is asked twice"]),
        (["sus", "cambridge"], []),
        (["{use: sus, about: dialogue}", "sus"], ["visit[2].questionnaire: 'sus' is asked twice"]),
    ],
)
def test_forms_in_an_unbroken_run_are_each_asked_once(
    forms: list[str], problems: list[str], study_folder: Callable[..., Path]
) -> None:
    steps = "".join(f"  - questionnaire: {one}\n" for one in forms)
    found = said(study_folder(f"study: s\n{SYSTEMS}visit:\n{TALK}{steps}"))
    assert len(found) == len(problems)
    assert all(one.startswith(told) for one, told in zip(found, problems, strict=True)), found


def test_the_same_form_may_be_asked_again_after_another_step(study_folder: Callable[..., Path]) -> None:
    form = "  - questionnaire: cambridge\n"
    assert said(study_folder(f"study: s\n{SYSTEMS}visit:\n{TALK}{form}{TALK}{form}")) == []


@pytest.mark.parametrize(
    ("elsewhere", "gate", "refused"),
    [(True, "none", True), (True, "dialogue", True), (True, "code", False), (False, "none", False)],
)
def test_only_a_code_shows_that_a_dialogue_was_held_elsewhere(
    elsewhere: bool, gate: str, refused: bool, study_folder: Callable[..., Path]
) -> None:
    more = ", external: consent.md" if elsewhere else ""
    step = f"  - dialogue: {{repeat: 1..4, gate: {gate}{more}}}\n"
    found = said(study_folder(f"study: s\n{SYSTEMS}visit:\n{step}"))
    assert any("cannot see a dialogue outside the page" in one for one in found) is refused


@pytest.mark.parametrize(
    ("systems", "visit", "problems"),
    [
        ("", TALK, ["systems: 'systems' is missing"]),
        ("systems: {}\n", TALK, ["systems: no system is defined"]),
        (SYSTEMS, TALK, []),
        (
            SYSTEMS,
            "  - arena: {battles: 2, turns: 3}\n",
            ["visit[0].arena: two different systems are needed"],
        ),
        (
            SYSTEMS + '  b: {connect: http, url: "http://127.0.0.1:2"}\n',
            "  - arena: {battles: 2, turns: 3}\n",
            [],
        ),
    ],
)
def test_as_many_systems_are_named_as_the_visit_needs(
    systems: str, visit: str, problems: list[str], study_folder: Callable[..., Path]
) -> None:
    found = said(study_folder(f"study: s\n{systems}visit:\n{visit}"))
    assert len(found) == len(problems), found
    assert all(one.startswith(told) for one, told in zip(found, problems, strict=True)), found


@pytest.mark.parametrize(
    ("step", "repeat"),
    [
        ({"dialogue": {"repeat": "2..5", "gate": "none"}}, "2..5"),
        ({"consent": "consent.md"}, None),
        ({"questionnaire": "sus"}, None),
        ({"nothing like it": {}}, None),
        ("dialogue", "1"),
        (None, None),
    ],
)
def test_dialogues_are_read_of_a_step_as_written_where_this_version_can(
    step: object, repeat: str | None
) -> None:
    found = written_dialogues(step)
    assert (None if found is None else str(found.repeat)) == repeat
