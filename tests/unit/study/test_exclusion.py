"""Rules of exclusion: written as a mapping or in words, wrong ones named with their hint."""

import pytest

from vivavoce.core.errors import InputError
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.exclusion import Exclusion, holds, read_rules


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("trivial", "trivial"),
        ({"user_turns": "< 2"}, "user_turns < 2"),
        ({"dialogue_number": 1}, "dialogue_number = 1"),
        ({"end_reason": ["failure", "abandoned"], "duration_s": "<= 10.5"},
         "duration_s <= 10.5 and end_reason = failure, abandoned"),
        ({"outcome": "!= completed"}, "outcome != completed"),
        ({"answer": {"attention": "!= 4"}}, "answer.attention != 4"),
        ({"factor": {"noise": "high"}}, "factor.noise = high"),
        ({"system": "Rock and Roll", "user_turns": "< 2"}, "user_turns < 2 and system = Rock and Roll"),
    ],
)  # fmt: skip
def test_a_rule_reads_the_same_as_a_mapping_and_in_words(written: object, words: str) -> None:
    rule = Exclusion.model_validate(written)
    assert rule.text == words
    assert Exclusion.model_validate(words) == rule


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("usr_turns < 2", "did you mean 'user_turns'"),
        ("user_turns < few", "compares with no number"),
        ("user_turns < 2, 3", "compares with no number"),
        ("user_turns < nan", "compares with no number"),
        ("end_reason = bored", "unknown value 'bored'; known: user"),
        ("system < 3", "compares numbers"),
        ("answer > 3", "write answer.NAME > 3"),
        ("system.a = 3", "write system = 3"),
        ("", "unknown rule ''"),
    ],
)
def test_a_wrong_rule_is_answered_with_what_would_be_right(words: str, said: str) -> None:
    with pytest.raises(InputError, match="--exclude") as caught:
        read_rules([words])
    assert said in str(caught.value)


def test_none_leaves_nothing_out_and_stands_alone() -> None:
    assert read_rules(["none"]) == ()
    with pytest.raises(InputError, match="say none alone"):
        read_rules(["none", "trivial"])


def test_trivial_dialogues_are_left_out_unless_the_file_says_otherwise() -> None:
    assert [rule.text for rule in Analysis.model_validate({}).exclude] == ["trivial"]
    assert Analysis.model_validate({"exclude": []}).exclude == []


def test_sentences_of_older_files_are_read_as_notes() -> None:
    old = Analysis.model_validate({"exclusions": ["Whoever writes nothing."]})
    assert old.notes == ["Whoever writes nothing."]
    assert Analysis.model_validate(old.model_dump()) == old


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ("< 2", 1, True), ("< 2", 2, False), ("<= 2", 2, True), ("> 2", 2, False), (">= 2", 2, True),
        ("= 4", 4.0, True), ("!= 4", 3.0, True), ("!= 4", 4.0, False), ("= a, b", "b", True),
        ("!= a, b", "b", False), ("= failure", ["x", "failure"], True), ("!= completed", None, False),
        ("< 2", None, False), ("= 007", "7", False), ("!= 4", [], False),
    ],
)  # fmt: skip
def test_a_condition_holds_of_values_and_never_of_what_is_missing(
    condition: str, value: object, expected: bool
) -> None:
    assert holds(condition, value) is expected
