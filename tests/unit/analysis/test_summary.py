"""The summary: counts add up, undefined is missing, tests are those of the formulas, warnings are said."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from vivavoce.analysis.summary import doubt_definitions, summarise
from vivavoce.core.errors import UnknownName
from vivavoce.core.result import as_json
from vivavoce.dataset.reader import Dataset
from vivavoce.sections.results.section import ResultsSection
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.stats.proportions import newcombe, two_proportion_z, wilson

BROKEN = "In {n} dialogues a turn failed because of Vivavoce, not the system ({which})."


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
    told = f"{people} groups by participant would require {comparisons} comparisons"
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
    assert any("participant is unknown for 1 of 11 dialogues" in str(text) for text in summary.warnings)


def test_unanswered_success_questions_are_counted(make):
    summary = summarise(make(*trial("a", 5, 10), ("a", "z", None)), "system")
    assert any(
        "No answer to the success question: 1 of 11 dialogues." in str(text) for text in summary.warnings
    )


def test_answers_on_a_scale_give_a_mean_and_no_interval(make):
    summary = summarise(make(("a", "p", 4), ("a", "q", 5), ("b", "r", 3)), "system")
    rate = summary.by[0].rates["subjective_success"]
    assert (rate.ratio, rate.low, rate.high) == (4.5, None, None)
    assert not [test for test in summary.tests if test["measure"] == "subjective_success"]
    assert any("not yes or no" in str(text) for text in summary.warnings)


def test_people_and_programs_together_are_warned_of(make):
    dataset = make(("a", "p", 1), ("a", "q", 1), simulated=[True, False])
    summary = summarise(dataset, "system")
    assert summary.simulated is True
    assert any("1 of 2 dialogues are simulated" in str(text) for text in summary.warnings)


def test_people_who_met_several_groups_are_counted(make):
    assert summarise(make(("a", "p", 1), ("b", "p", 1), ("b", "q", 1)), "system").shared_participants == 1


def test_an_empty_dataset_says_that_it_is_empty(make):
    summary = summarise(make(), "system")
    assert summary.by == []
    assert summary.all.dialogues == 0
    assert summary.all.rates["subjective_success"].ratio is None
    assert [str(one) for one in summary.warnings] == ["The dataset has no dialogues."]


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
    assert "Changed after export: ratings." in str(summary.warnings[0])
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
    rates = {
        **found.rates,
        "objective_success_assigned": replace(found.rates["subjective_success"], successes=0.0, ratio=0.0),
    }
    doubt = doubt_definitions(replace(found, rates=rates))
    assert (doubt is not None) == apart
    front = ResultsSection().front(replace(summary, all=replace(found, rates=rates)))
    assert front.before == ((str(doubt),) if apart else ())
    if apart:
        assert str(doubt).startswith(
            "Two definitions of success differ by 20 percentage points or more: Subjective success: "
            "100.0% of 10 dialogues; Objective "
            "success, assigned goal: 0.0% of 10 dialogues."
        )


def told(summary, part: str) -> list[str]:
    return [str(one) for one in summary.warnings if part in str(one)]


@pytest.mark.parametrize(
    ("answers", "successes", "counted"),
    [
        ([0, 0, 0], 0, True),
        ([1, 1, 1], 3, True),
        ([0, 1, 0], 1, True),
        ([0.5, 1, 0], 1.5, False),
        ([1, 1, 2], 4, False),
        ([-1, 0, 0], -1, False),
    ],
)
def test_only_whole_counts_of_successes_among_cases_have_an_interval(make, answers, successes, counted):
    row = summarise(make(*[("a", f"p{one}", answer) for one, answer in enumerate(answers)])).by[0]
    rate = row.rates["subjective_success"]
    assert (rate.successes, rate.n, rate.ratio) == (successes, 3, pytest.approx(successes / 3))
    assert (rate.low, rate.high) == (wilson(successes, 3) if counted else (None, None))
    assert row.measures["subjective_success"].numerator == successes


@pytest.mark.parametrize(("number", "tests"), [(12, 66), (13, 0)])
def test_twelve_groups_are_compared_and_thirteen_are_not(make, number, tests):
    rows = [(f"s{group:02}", f"p{group}-{person}", person) for group in range(number) for person in (0, 1)]
    found = summarise(make(*rows))
    assert len([test for test in found.tests if test.measure == "subjective_success"]) == tests
    refused = told(found, "would require")
    assert refused == ([] if tests else ["No tests: 13 groups by system would require 78 comparisons."])
    assert not told(summarise(make(("a", "p", 1), name="one"), "participant"), "comparisons")


def test_a_test_counts_the_cases_of_both_its_groups(make):
    found = summarise(make(*trial("a", 7, 11), *trial("b", 3, 6), ("b", "z", None)))
    (test,) = found.tests
    assert (test.a, test.b, test.unit) == ("a", "b", "participant")
    assert "|n:16|" in test.signature and f"|data:{found.data}" in test.signature
    unknown = summarise(make(*[(one, None, one == "a") for one in "aab"], name="unknown")).tests
    assert [one.unit for one in unknown] == ["case"] and "|n:3|" in unknown[0].signature


@pytest.mark.parametrize(
    ("simulated", "mixed"),
    [
        ([False] * 3, None),
        ([True] * 3, None),
        ([True, False, False], 1),
        ([True, True, False], 2),
    ],
)
def test_only_people_beside_programs_are_a_mixture(make, simulated, mixed):
    found = summarise(make(*[("a", f"p{one}", 1) for one in range(3)], simulated=simulated))
    said = told(found, "dialogues are simulated")
    assert [one.partition(" dialogues")[0] for one in said] == ([f"{mixed} of 3"] if mixed else [])


@pytest.mark.parametrize("simulated", [False, True])
def test_populations_are_compared_on_calls_too_and_programs_not_on_how_long_they_take(make, simulated):
    """Three of one population call three times each, four of the other once and twice."""
    held = [f"p{one // 3}" for one in range(9)] + ["q0", "q1", "q2", "q2", "q3", "q3"]
    people = [
        {
            "participant_id": one,
            "pool": "panel" if one[0] == "q" else "campus",
            "simulated": simulated and one[0] == "q",
        }
        for one in sorted(set(held))
    ]
    rows = [("a", one, place % 2) for place, one in enumerate(held)]
    dataset = make(
        *rows, rows={"participants": people}, simulated=[simulated and one[0] == "q" for one in held]
    )
    tests = {one.measure: one for one in summarise(dataset, "population").tests}
    calls = tests["dialogues_per_participant"]
    assert calls.clustered.difference == pytest.approx(3 - 6 / 4) and calls.a == "campus"
    assert ("dialogue_duration" in tests) == (not simulated)
    assert "dialogues_per_participant" not in {one.measure for one in summarise(dataset, "system").tests}


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([1, 0, 1], None),
        ([1, None, None], "2 of 3"),
        ([None] * 3, None),
        ([1, 0, None], "1 of 3"),
    ],
)
def test_dialogues_without_an_answer_are_told_where_others_have_one(make, answers, said):
    found = told(
        summarise(make(*[("a", f"p{n}", one) for n, one in enumerate(answers)])), "No answer to the success"
    )
    assert [one.partition(": ")[2].partition(" dialogues")[0] for one in found] == ([said] if said else [])


def test_faults_of_this_service_are_told_by_group_and_those_of_a_system_are_not(make):
    faults = [
        {"dialogue_id": f"d{number}", "failure": kind}
        for number, kind in enumerate(["timeout", "internal", "interrupted", "internal", "closed"])
    ]
    rows = [(system, f"p{number}", 1) for number, system in enumerate("aabbc")]
    turns = [
        {"dialogue_id": f"d{number}", "turn_index": 0, "party": "user", "restarted": number in (0, 1, 4)}
        for number in range(5)
    ]
    found = summarise(make(*rows, incidents=faults, rows={"turns": turns}))
    assert told(found, "because of Vivavoce")[0].startswith(BROKEN.format(n=3, which="a 1, b 2"))
    assert len(told(found, "restarted during 3 dialogues")) == 1
    sound = summarise(make(*rows, incidents=[faults[0]], name="sound"))
    assert not told(sound, "because of Vivavoce") and not told(sound, "Vivavoce restarted")


@pytest.mark.parametrize(
    ("ratios", "doubted"),
    [
        ((0.5, 0.3, None), (0.5, 0.3)),
        ((0.5, 0.31, None), None),
        ((0.3, 0.5, 0.9), (0.9, 0.3)),
        ((0.9, 0.5, 0.2), (0.9, 0.2)),
        ((0.4, None, None), None),
        ((0.1, 0.6, 0.4), (0.6, 0.1)),
    ],
)
def test_the_two_definitions_that_part_most_are_named_the_higher_first(make, ratios, doubted):
    whole = summarise(make(("a", "p", 1))).all
    rate = whole.rates["subjective_success"]
    rates = {name: replace(rate, ratio=one, n=40) for name, one in zip(HEADLINES, ratios, strict=True)}
    found = doubt_definitions(replace(whole, rates=rates))
    if doubted is None:
        assert found is None
        return
    assert [f"{one:.1%} of 40" in str(found) for one in doubted] == [True, True]
    assert str(found).index(f"{doubted[0]:.1%}") < str(found).index(f"{doubted[1]:.1%}")


def test_busy_participants_are_told_of_the_whole_or_of_the_groups_they_dominate(make):
    """22 dialogues of a are of 2 busy callers and of 6 others; b is held by 40 people, one each."""
    busy = [("a", f"p{one % 2}", 1) for one in range(16)] + [("a", f"q{one}", 0) for one in range(6)]
    even = [("b", f"r{one}", 1) for one in range(40)]
    whole = told(summarise(make(*busy, *even, name="whole")), "one participant had")
    assert len(whole) == 1 and "8 of 62" in whole[0]
    even = [("b", f"r{one}", 1) for one in range(80)]
    (group,) = told(summarise(make(*busy, *even, name="group")), "one participant had")
    assert "8 of 22" in group
    only = summarise(make(*busy, name="alone"))
    (alone,) = told(only, "one participant had")
    assert "8 of 22" in alone and not told(only, "same applies")


@pytest.mark.parametrize(("people", "of_group"), [(1, []), (2, ["11 of 22"])])
def test_a_group_of_one_participant_is_not_told_to_be_dominated_by_them(make, people, of_group):
    rows = [("a", f"p{one % people}", one % 2) for one in range(22)]
    rows += [("b", f"r{one}", 1) for one in range(200)]
    found = told(summarise(make(*rows)), "one participant had")
    assert [part for one in found for part in of_group if part in one] == of_group
    assert len(found) == len(of_group)


def test_a_group_without_an_answer_is_compared_with_none(make):
    found = summarise(make(("a", "p", 1), ("a", "q", 0), ("b", "r", None), ("c", "s", 1), ("c", "t", 1)))
    assert [(one.a, one.b) for one in found.tests] == [("a", "c")]


def test_a_measure_is_signed_with_its_interval_where_it_has_one_and_counts_its_dialogues(make):
    row = summarise(make(*trial("a", 7, 11), ("a", "z", None))).by[0]
    known, missing = row.measures["subjective_success"], row.measures["objective_success_assigned"]
    assert (known.dialogues, missing.dialogues) == (11, 0)
    assert known.signature == known.clustered.signature
    assert known.signature.endswith("|interval:cluster_robust_wilson_t 0.95|participants:10")
    assert missing.clustered.signature is None and missing.signature and "interval" not in missing.signature
