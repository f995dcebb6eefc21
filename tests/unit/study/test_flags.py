"""Rules for flags in a study file, in a file of their own, and on turns."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import InputError
from vivavoce.study.flags import FlagRules, flag
from vivavoce.study.flags_file import read_flag_rules
from vivavoce.study.load import check_study, load_study

RULES = FlagRules.model_validate(
    {
        "question": [{"pattern": r"\?\s*$"}],
        "help": ["you can say"],
        "error_message": [{"act": "oops"}, "cannot do"],
        "timeout_prompt": [],
    }
)


@pytest.mark.parametrize(
    ("name", "text", "acts", "expected"),
    [
        ("question", "Which area?", None, (True, "rules")),
        ("question", "Which area.", None, (False, "rules")),
        ("question", "Which area?", ["offer"], (False, "acts")),
        ("question", "Tell me the area.", ["request"], (True, "acts")),
        ("help", "YOU  can\nsay: north", None, (True, "rules")),
        ("help", "now you can saying it", None, (False, "rules")),
        ("help", "you can say", ["offer"], (True, "rules")),
        ("error_message", "all is well", ["oops"], (True, "acts")),
        ("error_message", "I cannot do that", ["offer"], (False, "acts")),
        ("error_message", "I cannot do that", None, (True, "rules")),
        ("timeout_prompt", "Are you there?", None, (False, "rules")),
        ("rejection_prompt", "Sorry?", None, (None, None)),
        ("rejection_prompt", "Sorry?", ["repeat"], (True, "acts")),
        ("question", None, None, (None, None)),
    ],
)
def test_acts_tell_a_flag_where_they_are_logged_and_rules_where_they_are_not(
    name: Any, text: str | None, acts: list[str] | None, expected: tuple[bool | None, str | None]
) -> None:
    assert flag(name, text, acts, RULES) == expected


def test_without_rules_and_acts_nothing_is_known() -> None:
    assert flag("question", "Which?", None, None) == (None, None)


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.text(max_size=20))
def test_a_phrase_is_found_in_itself_whatever_its_characters(phrase: str, other: str) -> None:
    rules = FlagRules.model_validate({"help": [{"phrase": phrase}]})
    assert flag("help", f"{other} {phrase.strip()} {other}", None, rules) == (True, "rules")


SYSTEM = 'a: {connect: http, url: "http://127.0.0.1:9101/chat", title: First, '


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("question: [{pattern: '(why'}]", r".question\[0\].pattern: .*'\(why'"),
        ("questions: ['?']", r".questions: unknown key 'questions'. Did you mean 'question'"),
        ("help: [{phrase: a, act: b}]", r".help\[0\]: a rule needs exactly one condition"),
        ("help: ['']", r".help\[0\]: a rule needs exactly one condition"),
    ],
)
def test_a_mistake_in_a_rule_is_named_with_its_line(
    study_folder: Callable[..., Path], rules: str, expected: str
) -> None:
    path = study_folder() / "study.yaml"
    text = path.read_text(encoding="utf-8").replace(SYSTEM, f"{SYSTEM}flags: {{{rules}}}, ")
    path.write_text(text, encoding="utf-8")
    problems = [str(problem) for problem in check_study(path)]
    expected = r"study\.yaml:4 systems\.a\.flags" + expected
    assert any(re.match(expected, problem) for problem in problems), problems


def test_a_study_keeps_its_rules_and_its_connector_does_not_see_them(
    study_folder: Callable[..., Path],
) -> None:
    path = study_folder() / "study.yaml"
    text = path.read_text(encoding="utf-8").replace(SYSTEM, f"{SYSTEM}flags: {{help: [you can say]}}, ")
    path.write_text(text, encoding="utf-8")
    study = load_study(path)
    assert study.flags["a"].help is not None
    assert set(study.flags) == {"a"}
    assert "flags" not in study.systems["a"]
    assert set(read_flag_rules(path)) == {"a"}


@pytest.mark.parametrize(
    ("written", "fine"),
    [
        ("rules", True),
        ("my.module:parse", True),
        ("https://host/parse", True),
        ("nonsense", False),
    ],
)
def test_a_study_names_its_parser(study_folder: Callable[..., Path], written: str, fine: bool) -> None:
    path = study_folder() / "study.yaml"
    path.write_text(f"parser: {written}\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    problems = [str(problem) for problem in check_study(path)]
    assert (not problems) == fine
    if fine:
        assert load_study(path).parser == written
    else:
        assert problems[0].startswith("study.yaml:1 parser: 'nonsense' is not a parser. Write rules")


def test_a_file_of_rules_names_the_place_of_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("flags:\n  bot:\n    question: ['?', {pattern: '['}]\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_flag_rules(path)
    assert caught.value.place == "rules.yaml:3 flags.bot.question[1].pattern"
    path.write_text("visit: []\n", encoding="utf-8")
    with pytest.raises(InputError, match="no flag rules"):
        read_flag_rules(path)
