"""Scoring of commands: the rules of the SUGAR task, and what goes beyond them."""

import json
import random
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.command_line import vivavoce
from vivavoce_commands.command_file import Command, CommandFile, read_command_file
from vivavoce_commands.figures import compare_figures, corpus_figures
from vivavoce_commands.notation import read_predicates
from vivavoce_commands.pairing import PredicatePair, pair_by_alignment
from vivavoce_commands.scoring import score_commands

WORKED = "1; [take(500 g, milk), add(milk, pot)]\n"


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "AbF20") -> CommandFile:
        path = tmp_path / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        read = read_command_file(path)
        path.unlink()
        return read

    return write


@pytest.fixture
def tuples(file):
    def score(reference: str, answer: str, mode: str = "strict") -> dict[str, tuple[int, int, int, int]]:
        scores = score_commands({"A": file(reference)}, {"A": file(answer)}, mode)
        return {each.id: each.tuple for each in scores.predicates}

    return score


@pytest.mark.parametrize("mode", ["strict", "official"])
def test_the_worked_example_of_the_paper(tuples, mode):
    answer = "1; take(500 g, cream)\n"
    assert tuples(WORKED, answer, mode) == {"1_1": (1, 2, 1, 0), "1_2": (0, 0, 0, 0)}
    assert tuples(WORKED, WORKED, mode) == {"1_1": (1, 2, 0, 0), "1_2": (1, 2, 0, 0)}


def test_a_dropped_first_predicate_does_not_spoil_the_second(tuples):
    assert tuples(WORKED, "1; add(milk, pot)\n") == {"1_1": (0, 0, 0, 0), "1_2": (1, 2, 0, 0)}


def test_implicit_arguments_and_actions_must_match_with_their_asterisks(tuples):
    assert tuples("1; add(flowers, *oil*)", "1; add(flowers, oil)") == {"1_1": (1, 2, 1, 0)}
    assert tuples("1; add(flowers, *oil*)", "1; add(flowers, *oil*)") == {"1_1": (1, 2, 0, 0)}
    assert tuples("1; *put*(salt, pot)", "1; put(salt, pot)") == {"1_1": (0, 0, 0, 0)}


@pytest.mark.parametrize(
    ("answer", "distance"),
    [("pot", 0), ("pan", 0), ("*wok*", 0), ("wok", 1), ("pot/pan", 1), ("pot, pan", 1)],
)
def test_one_of_the_alternatives_is_right_and_both_are_not(tuples, answer, distance):
    assert tuples("1; add(milk, pot/pan/*wok*)", f"1; add(milk, {answer})")["1_1"] == (1, 2, distance, 0)


def test_the_strict_mode_knows_all_alternatives_whole_lists_and_every_predicate(tuples):
    assert tuples("1; stir([flour, water])", "1; stir([flour, milk])")["1_1"] == (1, 1, 1, 0)
    assert tuples("1; add(milk, pot/pan/wok)", "1; add(milk, wok)")["1_1"] == (1, 2, 0, 0)
    four = "1; [a(x), b(x), c(x), d(x)]"
    assert len(tuples(four, four)) == 4


def test_a_request_to_repeat_counts_in_the_fourth_figure_and_not_in_the_distance(tuples):
    assert tuples("1; take(500 g, milk)", "1; take(#, milk)")["1_1"] == (1, 2, 0, 1)
    assert tuples("1; take(500 g, milk)", "1; take(#, #)")["1_1"] == (1, 2, 0, 2)
    assert tuples("1; take(500 g, milk)", "1; take(#, cream)")["1_1"] == (1, 2, 1, 1)
    assert tuples("1; take(500 g, milk)", "1; #")["1_1"] == (0, 0, 0, 0)


def test_the_weight_of_a_request_to_repeat_is_a_parameter(file):
    scores = score_commands({"A": file("1; take(500 g, milk)")}, {"A": file("1; take(#, cream)")})
    assert corpus_figures(scores)["corpus"]["weighted_argument_errors"] == pytest.approx(1.5 / 2)
    dear = corpus_figures(scores, repetition_weight=1)["corpus"]
    assert dear["weighted_argument_errors"] == pytest.approx(1)
    assert (dear["correct_arguments"], dear["incorrect_arguments"], dear["argument_repetitions"]) == (
        0,
        0.5,
        0.5,
    )


def test_the_distance_is_over_arguments_and_not_over_characters(tuples):
    assert tuples("1; add(a, b, c)", "1; add(b, c)")["1_1"] == (1, 3, 1, 0)
    assert tuples("1; add(a)", "1; add(aaaaaaaaaaaaaa, b)")["1_1"] == (1, 1, 2, 0)


def test_predicates_beyond_the_reference_are_told_as_put_in(file):
    scores = score_commands({"A": file("1; add(a)")}, {"A": file("1; [add(a), stir(a)]")})
    assert corpus_figures(scores)["counts"]["inserted"] == 1
    assert corpus_figures(scores)["corpus"]["exact_utterances"] == 0
    assert scores.confusions[None, "stir"] == 1


def test_a_speaker_without_answers_is_told_and_never_scored_zero(file):
    both = {"A": file(WORKED), "B": file(WORKED)}
    scores = score_commands(both, {"A": file(WORKED), "C": file(WORKED)})
    assert (scores.missing_speakers, scores.unknown_speakers) == (["B"], ["C"])
    assert corpus_figures(scores)["corpus"]["correct_actions"] == 1


def test_a_reference_that_cannot_be_read_is_not_scored_but_an_unreadable_answer_is_wrong(file):
    scores = score_commands(
        {"A": file("1; add(a\n2; add(b)\n3; add(c)\n")}, {"A": file("1; add(a)\n2; add(b\n3; add(c)\n")}
    )
    assert (scores.unread, [each.recognised for each in scores.predicates]) == (1, [0, 1])


def test_numbers_that_begin_anew_are_matched_within_their_recipe(file):
    text = "1; add(a)\n---\n1; stir(b)\n"
    scores = score_commands({"A": file(text)}, {"A": file(text)})
    assert [each.recognised for each in scores.predicates] == [1, 1]


def test_arguments_count_with_and_without_those_of_unrecognised_predicates(file):
    corpus = corpus_figures(score_commands({"A": file(WORKED)}, {"A": file("1; take(500 g, milk)")}))[
        "corpus"
    ]
    assert (corpus["correct_arguments"], corpus["correct_arguments_of_all"]) == (1, 0.5)
    assert corpus["slot_f1"] == pytest.approx(2 * 2 / (4 + 2))


LINES = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from("pqr"), st.lists(st.sampled_from(["a", "b", "#", "a/b", "*a*"]), max_size=3)
        ),
        min_size=1,
        max_size=4,
    ),
    min_size=1,
    max_size=4,
)


def as_file(lines) -> CommandFile:
    commands = []
    for number, line in enumerate(lines, start=1):
        text = "[" + ", ".join(f"{action}({', '.join(given)})" for action, given in line) + "]"
        commands.append(Command(0, number, number, text, read_predicates(text)))
    return CommandFile("A", commands)


@given(LINES, LINES)
def test_counts_stay_within_what_was_expected_whatever_is_answered(reference, answers):
    scores = score_commands({"A": as_file(reference)}, {"A": as_file(answers)})
    for each in scores.predicates:
        assert 0 <= each.correct <= each.arguments
        assert each.recognised or each.tuple == (0, 0, 0, 0)
        assert each.distance <= each.expected + each.answered
    assert len(scores.predicates) == sum(map(len, reference))


@given(LINES, LINES)
def test_pairing_keeps_the_order_and_recognises_at_least_what_stands_at_the_same_place(reference, answers):
    for said, heard in zip(as_file(reference).commands, as_file(answers).commands, strict=False):
        aligned = pair_by_alignment(said.predicates, heard.predicates)
        alike = sum(
            PredicatePair(*both).recognised for both in zip(said.predicates, heard.predicates, strict=False)
        )
        assert sum(pair.recognised for pair in aligned) >= alike
        assert [pair.reference for pair in aligned if pair.reference] == list(said.predicates)
        assert [pair.answer for pair in aligned if pair.answer] == list(heard.predicates)


def test_two_systems_are_compared_on_the_speakers_that_both_answered(file):
    chance = random.Random(1)
    people = [f"S{number}" for number in range(12)]
    truth = {one: file("".join(f"{n}; add(x{n})\n" for n in range(20))) for one in people}

    def system(share: float) -> dict[str, CommandFile]:
        def line(n: int) -> str:
            return f"{n}; {'add' if chance.random() < share else 'stir'}(x{n})\n"

        return {one: file("".join(map(line, range(20)))) for one in people}

    good, poor = system(0.9), system(0.6)
    del poor["S3"]
    facts = compare_figures(score_commands(truth, good), score_commands(truth, poor))["correct_actions"]
    assert facts["speakers"] == 11
    assert facts["interval"][0] < facts["difference"] < facts["interval"][1]
    assert facts["interval"][0] > 0
    with_itself = compare_figures(score_commands(truth, good), score_commands(truth, good))
    assert with_itself["correct_actions"]["interval"] is None  # no speaker differs: no width, no claim
    assert "unit:speaker|mode:strict|repetition_weight:0.5|seed:1|n:11|" in facts["signature"]


def test_the_verb_answers_with_ids_tuples_and_places(tmp_path):
    (tmp_path / "reference.csv").write_text(WORKED + "2; stir(egg\n", encoding="utf-8")
    (tmp_path / "answers.csv").write_text("1; take(500 g, cream)\n", encoding="utf-8")
    paths = [str(tmp_path / "reference.csv"), str(tmp_path / "answers.csv")]

    def run(*options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return vivavoce("understand", "score", *paths, *options, code=code)

    facts = json.loads(run("--json").stdout)
    assert [(each["id"], each["tuple"]) for each in facts["predicates"]] == [
        ("1_1", [1, 2, 1, 0]),
        ("1_2", [0, 0, 0, 0]),
    ]
    assert (facts["corpus"]["correct_actions"], facts["corpus"]["correct_arguments"]) == (0.5, 0.5)
    problem = facts["problems"][0]
    assert (problem["file"], problem["line"], problem["column"]) == ("reference.csv", 2, 12)
    assert "reference.csv:2:12" in run("--stop-at-first-problem", code=2).stderr
    run("--mode", "lax", code=2)
