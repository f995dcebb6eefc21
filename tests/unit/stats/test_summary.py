"""The summary: counts add up, undefined is missing, tests are those of the formulas, warnings are said."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from vivavoce.core.errors import UnknownName
from vivavoce.core.result import as_json
from vivavoce.log.dataset import Dataset
from vivavoce.sections.results.section import ResultsSection
from vivavoce.stats.proportions import newcombe, two_proportion_z, wilson
from vivavoce.stats.rates import HEADLINES
from vivavoce.stats.summary import doubt_definitions, summarise


def trial(system: str, successes: int, n: int, people: int = 10) -> list[tuple]:
    """n dialogues with a system, held in turn by so many people of its own."""
    return [(system, f"{system}{number % people}", number < successes) for number in range(n)]


def test_rates_count_the_answers_of_each_group(make):
    summary = summarise(make(*trial("a", 7, 10), *trial("b", 3, 12)), "system")
    first, second = summary.by
    assert (first.key, first.dialogues, first.participants) == ("a", 10, 10)
    assert (first.rates["subjective_success"].successes, first.rates["subjective_success"].n) == (7, 10)
    assert first.rates["subjective_success"].ratio == 0.7
    assert (first.rates["subjective_success"].low, first.rates["subjective_success"].high) == wilson(7, 10)
    assert (second.rates["subjective_success"].successes, second.rates["subjective_success"].n) == (3, 12)
    assert summary.all.key == "all"
    assert (summary.all.rates["subjective_success"].successes, summary.all.dialogues) == (10, 22)
    assert summary.all.participants == 20


def test_every_rate_says_unit_method_and_signature(make):
    dataset = make(*trial("a", 7, 10))
    row = summarise(dataset, "system").by[0]
    for name in HEADLINES:
        assert row.rates[name].method == "wilson"
        assert row.rates[name].signature.startswith(f"{name}|unit:{row.rates[name].unit}|")
        assert f"n:{row.rates[name].n}|data:{dataset.hash}" in row.rates[name].signature
        assert "system:a" in row.rates[name].signature
    assert row.rates["objective_success_inferred"].unit == "goal"
    assert row.rates["objective_success_inferred_call_all"].unit == "call_all"
    assert len(row.rates) == 1 + 2 + 18


def test_what_was_not_counted_is_missing_and_not_zero(make):
    row = summarise(make(("a", "p", None)), "system").by[0]
    for name in HEADLINES:
        assert row.rates[name].n == 0
        assert row.rates[name].ratio is row.rates[name].low is row.rates[name].high is None
    assert row.word_error_rate is None
    assert row.dialogue_duration_s == 60


def test_the_summary_is_plain_json(make):
    summary = summarise(make(*trial("a", 7, 10), ("b", None, None)), "system")
    assert json.loads(json.dumps(as_json(summary), allow_nan=False)) == as_json(summary)


def test_every_pair_is_tested_on_every_measure(make):
    summary = summarise(make(*trial("a", 30, 40), *trial("b", 18, 40), *trial("c", 20, 40)), "system")
    tests = [test for test in summary.tests if test.measure == "subjective_success"]
    assert [(test.a, test.b) for test in tests] == [("a", "b"), ("a", "c"), ("b", "c")]
    counts = {"a": (30, 40), "b": (18, 40), "c": (20, 40)}
    for test in tests:
        both = (*counts[test.a], *counts[test.b])
        assert (test.z, test.p) == pytest.approx(two_proportion_z(*both))
        assert (test.low, test.high) == pytest.approx(newcombe(*both))
        assert test.difference == pytest.approx(both[0] / both[1] - both[2] / both[3])
        assert test.method == "z_pooled"


def test_one_group_gives_no_test(make):
    assert summarise(make(*trial("a", 7, 10)), "system").tests == []


def test_nothing_is_tested_where_nothing_varied(make):
    test = summarise(make(*trial("a", 5, 5), *trial("b", 9, 9)), "system").tests[0]
    assert test.z is test.p is test.significant is None
    assert test.difference == 0


@pytest.mark.parametrize(("people", "comparisons"), [(15, 105), (4, 6)])
def test_participants_are_not_tested_against_each_other_and_the_summary_says_so(make, people, comparisons):
    summary = summarise(make(*trial("a", 7, 30, people=people)), "participant")
    assert len(summary.by) == people
    assert summary.tests == []
    told = f"{people} groups by participant would make {comparisons} comparisons"
    assert any(told in str(text) for text in summary.warnings)


def test_an_unknown_grouping_is_refused_with_those_that_exist(make):
    with pytest.raises(UnknownName, match="grouping 'moon'"):
        summarise(make(*trial("a", 1, 2)), "moon")


def test_groups_follow_a_factor(make):
    dataset = make(*trial("a", 2, 4), factor_noise=["high", "low", "high", "low"])
    assert [(row.key, row.dialogues) for row in summarise(dataset, "noise").by] == [
        ("high", 2),
        ("low", 2),
    ]


def test_dialogues_without_the_attribute_form_a_group_without_key(make):
    rows = summarise(make(("a", "p", 1), ("a", None, 0)), "participant").by
    assert [(row.key, row.dialogues, row.rates["subjective_success"].n) for row in rows] == [
        ("p", 1, 1),
        (None, 1, 1),
    ]


def test_few_busy_participants_are_warned_of(make):
    busy = [("a", "busy", 1)] * 15 + [("a", f"p{number}", 1) for number in range(10)]
    assert any("15 of 25" in str(text) for text in summarise(make(*busy), "system").warnings)
    even = summarise(make(*trial("a", 20, 40, people=20), name="even"), "system")
    assert even.warnings == []


def test_unknown_participants_are_warned_of(make):
    summary = summarise(make(*trial("a", 5, 10), ("a", None, 1)), "system")
    assert any("participant of 1 of 11 dialogues is unknown" in str(text) for text in summary.warnings)


def test_unanswered_success_questions_are_counted(make):
    summary = summarise(make(*trial("a", 5, 10), ("a", "z", None)), "system")
    assert any("1 of 11 dialogues have no answer" in str(text) for text in summary.warnings)


def test_answers_on_a_scale_give_a_mean_and_no_interval(make):
    summary = summarise(make(("a", "p", 4), ("a", "q", 5), ("b", "r", 3)), "system")
    rate = summary.by[0].rates["subjective_success"]
    assert (rate.ratio, rate.low, rate.high) == (4.5, None, None)
    assert not [test for test in summary.tests if test["measure"] == "subjective_success"]
    assert any("not plain yes or no" in str(text) for text in summary.warnings)


def test_people_and_programs_together_are_warned_of(make):
    dataset = make(("a", "p", 1), ("a", "q", 1), simulated=[True, False])
    summary = summarise(dataset, "system")
    assert summary.simulated is True
    assert any("1 of 2 dialogues were held by programs" in str(text) for text in summary.warnings)


def test_people_who_met_several_groups_are_counted(make):
    assert summarise(make(("a", "p", 1), ("b", "p", 1), ("b", "q", 1)), "system").shared_participants == 1


def test_an_empty_dataset_says_that_it_is_empty(make):
    summary = summarise(make(), "system")
    assert summary.by == []
    assert summary.all.dialogues == 0
    assert summary.all.rates["subjective_success"].ratio is None
    assert [str(one) for one in summary.warnings] == ["The dataset holds no dialogue."]


PUBLISHED = {  # calls, callers, subjective successes, user turns, words, WER: the table
    "S0A0": (240, 86, 219, 1680, 6346, 0.3553),
    "S0A1": (353, 105, 330, 2285, 9277, 0.2709),
    "S1A0": (355, 102, 322, 2988, 10704, 0.3692),
    "S1A1": (352, 104, 327, 2680, 9944, 0.2736),
    "all": (1300, 113, 1198, 9633, 36271, 0.3154),
}


@pytest.mark.shared
def test_the_summary_of_the_real_calls_is_the_known_table(dstc2):
    summary = summarise(dstc2, "condition")
    found = {
        row.key: (
            row.dialogues,
            row.participants,
            row.rates["subjective_success"].successes,
            row.user_turns,
            row.user_words,
            round(row.word_error_rate, 4),
        )
        for row in [*summary.by, summary.all]
    }
    assert found == PUBLISHED
    assert summary.all.rates["objective_success_inferred"].n >= summary.all.dialogues


def test_a_dataset_that_was_edited_is_warned_of_and_signed_otherwise(make):
    first = make(("a", "p1", True), ("a", "p2", False))
    before = summarise(first).by[0].rates["subjective_success"].signature
    ratings = first.read("ratings")
    pq.write_table(ratings.slice(0, 1), first.path("ratings"))
    summary = summarise(Dataset(first.folder))
    assert "Changed since the dataset was written: ratings." in str(summary.warnings[0])
    after = summary.by[0].rates["subjective_success"].signature
    data = [one.partition("data:")[2].partition("|")[0] for one in (before, after)]
    assert data[0] != data[1] == summary.data


def test_totals_of_words_that_nobody_wrote_down_are_missing_and_not_nought(make):
    row = summarise(make(("a", "p1", True))).all
    assert (row.user_words, row.system_words) == (None, None)
    assert row.turns == 0


@pytest.mark.parametrize(("said", "apart"), [("yes", True), ("mixed", False)])
def test_definitions_of_success_that_part_by_much_are_doubted(make, said, apart):
    """Nobody found what the task asks for, whatever they say."""
    answers = [1] * 10 if said == "yes" else [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    dataset = make(*[("a", f"p{one}", answer) for one, answer in enumerate(answers)])
    summary = summarise(dataset)
    found = summary.all
    rates = {**found.rates, "objective_success_assigned": replace(
        found.rates["subjective_success"], successes=0.0, ratio=0.0
    )}  # fmt: skip
    doubt = doubt_definitions(replace(found, rates=rates))
    assert (doubt is not None) == apart
    front = ResultsSection().front(replace(summary, all=replace(found, rates=rates)))
    assert front.before == ((str(doubt),) if apart else ())
    if apart:
        assert str(doubt).startswith(
            "Two definitions of success part: Subjective success 100.0% of 10 dialogues, Objective success, "
            "assigned goal 0.0% of 10 dialogues (20% or more apart is much)."
        )
