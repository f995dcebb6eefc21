"""Rules of exclusion: written as a mapping or in words, wrong ones named with their hint."""

import pytest

from vivavoce.core.errors import InputError
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.exclusion import Exclusion, holds, read_rules, unknown_names


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("trivial", "trivial"),
        ({"user_turns": "< 2"}, "user_turns < 2"),
        ({"dialogue_number": 1}, "dialogue_number = 1"),
        (
            {"end_reason": ["failure", "abandoned"], "duration_s": "<= 10.5"},
            "duration_s <= 10.5 and end_reason = failure, abandoned",
        ),
        ({"outcome": "!= completed"}, "outcome != completed"),
        ({"answer": {"attention": "!= 4"}}, "answer.attention != 4"),
        ({"factor": {"noise": "high"}}, "factor.noise = high"),
        ({"system": "Rock and Roll", "user_turns": "< 2"}, "user_turns < 2 and system = Rock and Roll"),
    ],
)
def test_a_rule_reads_the_same_as_a_mapping_and_in_words(written: object, words: str) -> None:
    rule = Exclusion.model_validate(written)
    assert rule.text == words
    assert Exclusion.model_validate(words) == rule


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("usr_turns < 2", "Did you mean 'user_turns'"),
        ("user_turns < few", "does not compare with a number"),
        ("user_turns < 2, 3", "does not compare with a number"),
        ("user_turns < nan", "does not compare with a number"),
        ("user_turns = 2, few", "numbers"),
        ("answer.a < few", "does not compare with a number"),
        ("end_reason = bored", "unknown value 'bored'. Known: user"),
        ("system < 3", "needs a number"),
        ("answer > 3", "answer.NAME > 3"),
        ("system.a = 3", "write system = 3"),
        ("", "unknown rule ''"),
    ],
)
def test_a_wrong_rule_is_answered_with_what_would_be_right(words: str, said: str) -> None:
    with pytest.raises(InputError, match="--exclude") as caught:
        read_rules([words])
    assert said.lower() in str(caught.value).lower()


@pytest.mark.parametrize(
    "words", ["user_turns = 2, 3", "user_turns != 2, 3", "answer.a = yes, no", "answer.a != 1, 2"]
)
def test_several_values_may_be_told_apart_by_being_the_same_or_not(words: str) -> None:
    assert read_rules([words])[0].text == words


@pytest.mark.parametrize("answer", [{}, 4, {"a": []}, {"a": ["<"]}])
def test_answers_of_a_rule_are_named_each_with_a_condition(answer: object) -> None:
    with pytest.raises(ValueError, match=r"names nothing|is not a condition|has no value to compare"):
        Exclusion.model_validate({"answer": answer})


def test_none_leaves_nothing_out_and_stands_alone() -> None:
    assert read_rules(["none"]) == ()
    with pytest.raises(InputError, match="rite none alone"):
        read_rules(["none", "trivial"])


def test_trivial_dialogues_are_left_out_unless_the_file_says_otherwise() -> None:
    assert [rule.text for rule in Analysis.model_validate({}).exclude] == ["trivial"]
    assert Analysis.model_validate({"exclude": []}).exclude == []


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ("< 2", 1, True),
        ("< 2", 2, False),
        ("<= 2", 2, True),
        ("> 2", 2, False),
        (">= 2", 2, True),
        ("= 4", 4.0, True),
        ("!= 4", 3.0, True),
        ("!= 4", 4.0, False),
        ("= a, b", "b", True),
        ("!= a, b", "b", False),
        ("= failure", ["x", "failure"], True),
        ("!= completed", None, False),
        ("< 2", None, False),
        ("= 007", "7", False),
        ("!= 4", [], False),
        ("< 2", "few", False),
        ("< 2", [None, "x", 1], True),
        ("!= 4", [4.0, 3.0], False),
        ("!= 4", [None, 3.0], True),
    ],
)
def test_a_condition_holds_of_values_and_never_of_what_is_missing(
    condition: str, value: object, expected: bool
) -> None:
    assert holds(condition, value) is expected


@pytest.mark.parametrize(
    ("rule", "known", "met"),
    [
        ("trivial", {"trivial": True}, True),
        ("trivial", {"trivial": False}, False),
        ("trivial", {}, False),
        ("trivial and user_turns < 2", {"trivial": True, "user_turns": 2}, False),
        ("trivial and user_turns < 2", {"trivial": False, "user_turns": 1}, False),
        ("trivial and user_turns < 2", {"trivial": True, "user_turns": 1}, True),
        ("answer.a = 1 and answer.b = 2", {"answer": {"a": 1.0, "b": 2.0}}, True),
        ("answer.a = 1 and answer.b = 2", {"answer": {"a": 1.0, "b": 3.0}}, False),
        ("answer.a = 1", {"answer": {}}, False),
        ("answer.a = 1", {}, False),
        ("factor.noise = high", {"factor": {"noise": "high"}}, True),
    ],
)
def test_a_rule_is_met_where_all_of_it_holds_of_what_is_known(rule: str, known: dict, met: bool) -> None:
    (read,) = read_rules([rule])
    assert read.met_by(known.get) is met and read.text == rule


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ([], "is not a condition"),
        ([True], "is not a condition"),
        ([None], "is not a condition"),
        ([["a"]], "is not a condition"),
        ({}, "is not a condition"),
        ("<", "has no value to compare"),
        (" , ", "has no value to compare"),
    ],
)
def test_what_is_no_condition_is_told(condition: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Exclusion.model_validate({"system": condition})


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("system = one", None),
        ("system = ones, one", "unknown system 'ones'"),
        ("system != ones", "unknown system 'ones'"),
        ("factor.noise = high", None),
        ("factor.noise = higher", "noise has no level 'higher'"),
        ("factor.noises = high", "unknown factor 'noises'"),
        ("answer.attention = 4", None),
        ("answer.attentions = 4", "there is no question 'attentions'"),
        ("user_turns < 2", None),
        ("factor.noise < 3", None),
    ],
)
def test_what_a_rule_asks_for_that_there_is_not_is_named(rule: str, problem: str | None) -> None:
    (read,) = read_rules([rule])
    found = unknown_names(read, {"system": ["one", "two"]}, {"noise": ["high", "low"]}, ["attention"])
    assert [said for _, said, _ in found] == ([] if problem is None else [problem])


def asked(*systems: str, margin: float | None = None, measure: str = "turns") -> dict[str, object]:
    return {"measure": measure, "compare": list(systems), "margin": margin}


@pytest.mark.parametrize(
    ("primary", "secondary", "systems", "expected"),
    [
        (asked(), [asked("a", "b")], ["a", "b", "c"], (["a", "b", "c"], [["a", "b"]])),
        (asked(), [asked()], ["a"], (None, [])),
        (asked(), [asked("a", "b")], ["a"], (None, [["a", "b"]])),
        (asked("a", "b"), [asked(), asked("b", "c")], ["a"], (["a", "b"], [["b", "c"]])),
        (None, [asked(), asked("b", "a")], ["a", "b"], (None, [["a", "b"], ["b", "a"]])),
    ],
)
def test_a_comparison_that_names_no_system_takes_all_and_needs_two(
    primary: object, secondary: list, systems: list[str], expected: tuple
) -> None:
    found = Analysis.model_validate({"primary": primary, "secondary": secondary}).over(systems)
    first = found.primary.compare if found.primary else None
    assert (first, [one.compare for one in found.secondary]) == expected


def test_margins_are_those_of_each_comparison_and_of_all_rates() -> None:
    both = asked("a", "b", margin=2.0), asked("a", "b", margin=0.1, measure="subjective_success")
    whole = Analysis.model_validate(
        {"primary": both[0], "secondary": [both[1], asked("a", "b")], "margin": 0.2}
    )
    assert whole.margins == {"turns": 2.0, "subjective_success": 0.1, "rates": 0.2}
    assert Analysis.model_validate({"primary": asked("a", "b")}).margins == {}
    assert Analysis.model_validate({"secondary": [both[1]]}).margins == {"subjective_success": 0.1}
