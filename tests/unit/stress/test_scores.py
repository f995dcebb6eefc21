"""Results of stress tests: counts, ratios, the permutation test and agreement, on rows made by hand."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import STRESS
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.stats.proportions import wilson
from vivavoce_stress.scores import agree, agreement, figures, permutation_p, score, stress_results

FAMILIES = {"ST-2": "spelling", "ST-5": "lexical", "ST-9": "syntactic"}


def row(number: int, test: str = "ST-2", verdict: str | None = "pass", **more: Any) -> dict[str, Any]:
    return (
        dict.fromkeys(column.name for column in STRESS.columns)
        | {
            "run_id": "r",
            "case_id": f"{test}-{number}",
            "system": "bot",
            "test": test,
            "family": FAMILIES[test],
            "language": "en",
            "dialogue_id": f"d{number}",
            "original": f"o {number}",
            "text": "t",
            "status": "applied",
            "verdict": verdict,
            "verdict_automatic": verdict,
            "rung": "acts",
            "reason": "why",
            "repeats": 1,
            "continuation": "logged",
            "first_score": None if verdict == "unsure" else float(verdict == "pass"),
            "clean_count": 0,
            "clean_passed_count": 0,
            "variant_count": 1,
            "variant_passed_count": int(verdict == "pass"),
        }
        | more
    )


ROWS = [
    *(row(number) for number in range(6)),
    row(6, verdict="fail"),
    row(7, verdict="clarification"),
    row(8, verdict="unsure", suspicion="pass", verdict_of_person=None),
    row(9, verdict=None, status="not_admitted", first_score=0.0, reason="goal missed", variant_count=0),
    *(row(number, "ST-5") for number in range(10, 12)),
    *(row(number, "ST-5", "fail") for number in range(12, 14)),
    row(
        14,
        "ST-9",
        None,
        status="not_applicable",
        case_id=None,
        reason="no adjective",
        first_score=None,
        variant_count=None,
    ),
]


def test_while_cases_are_open_no_share_is_told_but_between_which_two_it_lies() -> None:
    """25 cases, 16 passed and 9 without a verdict: from 16 of 25 to all."""
    rows = [row(n) for n in range(16)] + [row(n, verdict="unsure") for n in range(16, 25)]
    whole = score(rows, "data")["whole"]
    assert (whole["ratio"], whole["idial_ratio"]) == (None, None)
    assert (whole["worst"], whole["best"], whole["open"], whole["waiting"]) == (0.64, 1.0, 9, 9)
    assert (
        whole["low"]
        == figures([row(n, verdict="pass" if n < 16 else "fail") for n in range(25)], "", "")["low"]
    )
    assert whole["high"] == 1.0 and "n:25|" in whole["signature"] and "open:9" in whole["signature"]


def test_a_persons_doubt_an_outage_and_a_run_cut_short_leave_cases_open_but_wait_for_nobody() -> None:
    rows = [
        row(1),
        row(2, verdict="unsure", verdict_of_person="unsure"),
        row(3, verdict=None, status="outage"),
        row(4, verdict=None, status="unfinished", first_score=None),
    ]
    whole = score(rows, "data")["whole"]
    assert (whole["open"], whole["waiting"], whole["worst"], whole["best"]) == (3, 0, 0.25, 1.0)
    assert {one["status"] for one in score(rows, "data")["open_cases"]} == {"applied", "outage", "unfinished"}


def test_ratios_are_of_decided_cases_and_idials_of_all_single_runs() -> None:
    facts = score([one for one in ROWS if one["verdict"] != "unsure"], "data")
    by = {one["name"]: one for one in facts["tests"]}
    spelling = by["ST-2"]
    assert (spelling["passed"], spelling["decided"], spelling["unsure"]) == (6, 8, 0)
    assert spelling["ratio"] == 0.75
    assert (spelling["idial_passed"], spelling["idial_n"]) == (6, 9)  # the one not admitted counts there
    assert spelling["idial_ratio"] == pytest.approx(6 / 9)
    assert by["ST-9"]["idial_ratio"] is None
    assert facts["macro_tests"] == pytest.approx((0.75 + 0.5) / 2)
    assert facts["whole"]["ratio"] == pytest.approx(8 / 12)
    assert by["ST-9"]["ratio"] is None and by["ST-9"]["why_not_applicable"] == {"no adjective": 1}
    assert [one["verdict"] for one in facts["failures"]] == ["fail", "clarification", "fail", "fail"]
    assert facts["whole"]["signature"].startswith("stress_pass_ratio|unit:case|")
    assert facts["rungs"] == {"acts": 12}  # what decided them; the one that is unsure was decided by none


def test_what_was_given_to_another_test_or_variant_is_not_called_inapplicable() -> None:
    reasons = ["no variant of it was proposed", "its interaction is tried with another variant"]
    reasons += ["people rejected all variants", "no adjective"]
    rows = [row(1, "ST-9")] + [
        row(at, "ST-9", None, status="not_applicable", case_id=None, reason=reason)
        for at, reason in enumerate(reasons, 2)
    ]
    (one,) = score(rows, "data")["tests"]
    assert (one["applied"], one["not_applicable"], one["left_out"]) == (1, 1, 3)
    assert one["why_not_applicable"] == {"no adjective": 1} and len(one["why_left_out"]) == 3


def test_a_rung_is_held_against_people_only_where_they_judged_its_cases() -> None:
    judged = [row(1, verdict_of_person="pass", rung_automatic="acts")]
    alone = [row(2, rung_automatic="entities"), row(3, "ST-5", rung_automatic=None)]
    assert score(judged + alone, "data")["agreement_by_rung"].keys() == {"acts"}


def test_idial_verified_the_clean_utterance_of_ad_hoc_tests_alone() -> None:
    left = [row(n, verdict=None, status="not_admitted", first_score=0.0, ad_hoc=n == 2) for n in (1, 2)]
    assert figures([row(0), *left], "all", "data")["idial_n"] == 2


def test_wilsons_interval_is_that_of_the_literature() -> None:
    """8 of 10: .490 to .943 (Wilson 1927, as in Newcombe 1998's method 3)."""
    facts = figures([row(n, verdict="pass" if n < 8 else "fail") for n in range(10)], "all", "data")
    assert (round(facts["low"], 3), round(facts["high"], 3)) == (0.490, 0.943)


def test_cases_of_one_utterance_are_counted_over_utterances() -> None:
    """Ten variants of five utterances, all alike within each: as five, beside Wilson's of ten."""
    cases = [row(n, verdict="pass" if n < 6 else "fail", original=f"o {n // 2}") for n in range(10)]
    apart = [row(n, verdict=one["verdict"]) for n, one in enumerate(cases)]
    facts, alone = figures(cases, "all", "data"), figures(apart, "all", "data")
    assert (facts["interval"], facts["originals"], facts["decided"]) == ("clustered", 5, 10)
    assert (alone["interval"], alone["originals"]) == ("wilson", 10) and facts["ratio"] == alone["ratio"]
    assert facts["low"] < alone["low"] and facts["high"] > alone["high"]
    assert "interval:clustered" in facts["signature"]
    one = figures([row(n, verdict="pass", original="O!") for n in range(10)], "all", "data")
    assert (one["low"], one["high"]) == pytest.approx(wilson(1, 1))
    waits = figures([*cases, row(10, verdict="unsure", original="o 4")], "all", "data")
    assert waits["low"] < waits["worst"] < waits["best"] < waits["high"]


def test_cases_of_one_utterance_that_differ_among_themselves_make_nothing_more_certain() -> None:
    """Of each of five utterances one passes and one fails: clusters are alike, and cases are ten, no more."""
    cases = [row(n, verdict="fail" if n % 2 else "pass", original=f"o {n // 2}") for n in range(10)]
    cases.append(row(10, verdict="fail", original="o 1"))
    facts = figures(cases, "all", "data")
    assert (facts["interval"], facts["originals"]) == ("wilson", 5)
    assert (facts["low"], facts["high"]) == pytest.approx(wilson(5, 11))


def test_what_people_chose_to_judge_says_nothing_of_how_far_they_agree_with_rules() -> None:
    by_lot = row(0, verdict="pass", verdict_of_person="pass", chosen=False)
    chosen = row(1, verdict="fail", verdict_automatic="pass", verdict_of_person="fail", chosen=True)
    found = agreement([by_lot, chosen])
    assert found is not None and (found["same"], found["n"]) == (1, 1)


def test_cases_of_one_dialogue_widen_the_interval_and_single_ones_need_no_clusters() -> None:
    alone = [row(n, verdict="pass" if n % 2 else "fail") for n in range(20)]
    assert figures(alone, "all", "data")["clustered_low"] is None
    together = [
        one | {"dialogue_id": f"d{int(one['verdict'] == 'pass')}{n % 4 // 2}"} for n, one in enumerate(alone)
    ]
    facts = figures(together, "all", "data")
    assert facts["clusters"] == 4
    assert facts["clustered_high"] - facts["clustered_low"] > facts["high"] - facts["low"]


def test_the_permutation_test_counts_all_signs() -> None:
    """Fisher's: five pairs that all fell by one: only one of 2^5 signings is as large."""
    assert permutation_p([1, 1, 1, 1, 1]) == 1 / 32
    assert permutation_p([1, 1, -1]) == pytest.approx(4 / 8)
    assert permutation_p([0, 0]) == 1.0
    assert permutation_p([]) is None


@given(st.lists(st.sampled_from([-1.0, -1 / 3, 0.0, 1 / 3, 1.0]), min_size=1, max_size=9))
def test_the_permutation_test_is_what_counting_by_hand_gives(differences: list[float]) -> None:
    at_least = [
        sum(sign * one for sign, one in zip(signs, differences, strict=True)) >= sum(differences) - 1e-9
        for signs in product((-1, 1), repeat=len(differences))
    ]
    # signs of absolute values or of the differences themselves: the same set of sums
    assert permutation_p(differences) == pytest.approx(sum(at_least) / len(at_least))


def test_false_alarms_are_rare_and_a_real_loss_is_found() -> None:
    """60 items, 3 repeats: false positives near .05, power near .85 when a quarter loses 60 %."""
    rng = np.random.default_rng(7)

    def share(lost: float, trials: int = 150) -> float:
        hits = 0
        for _ in range(trials):
            clean = 1 / (1 + np.exp(-rng.normal(2.2, 1.0, 60)))
            worse = np.where(rng.random(60) < 0.25, clean * (1 - lost), clean)
            falls = rng.binomial(3, clean) / 3 - rng.binomial(3, worse) / 3
            p = permutation_p(falls.tolist(), draws=499)
            hits += p is not None and p < 0.05
        return hits / trials

    assert share(0.0) <= 0.1
    assert share(0.6) >= 0.7


def test_a_test_without_repeats_has_no_p_and_holm_adjusts_the_others() -> None:
    once = figures([row(1, verdict="fail")], "all", "data")
    assert once["p"] is None and once["pairs"] == 0
    more = {
        "clean_count": 3,
        "clean_passed_count": 3,
        "variant_count": 3,
        "variant_passed_count": 0,
        "repeats": 3,
    }
    facts = score([row(n, test, "fail", **more) for test in ("ST-2", "ST-5") for n in range(6)], "data")
    assert [one["p"] for one in facts["tests"]] == [1 / 64, 1 / 64]
    assert [one["p_holm"] for one in facts["tests"]] == [2 / 64, 2 / 64]
    assert facts["tests"][0]["pass_all"] == 0.0


def test_passing_every_time_is_asked_of_cases_whose_every_replay_was_decided() -> None:
    """A system that passes 4 of 5 times passes five times running in .8^5 = .328 of cases."""
    rng = np.random.default_rng(6)
    cases = []
    for number in range(3000):
        decided, passed = rng.random(5) < 0.7, rng.random(5) < 0.8
        counts = {"variant_count": int(decided.sum()), "variant_passed_count": int((decided & passed).sum())}
        cases.append(row(number, repeats=5, **counts))
    facts = figures(cases, "all", "data")
    assert facts["pass_all_n"] == sum(case["variant_count"] == 5 for case in cases)
    assert facts["pass_all"] == pytest.approx(0.8**5, abs=0.06)  # over all cases it would be .47


def test_fewer_replays_in_a_row_are_estimated_without_bias() -> None:
    """By hand, after tau-bench: C(passed, k) / C(replays, k), averaged over cases."""
    cases = [
        row(n, repeats=3, variant_count=3, variant_passed_count=passed)
        for n, passed in ((1, 3), (2, 2), (3, 0))
    ]
    power = figures(cases, "all", "data")["pass_power"]
    assert [(one["k"], one["n"]) for one in power] == [(1, 3), (2, 3), (3, 3)]
    assert [one["ratio"] for one in power] == pytest.approx([5 / 9, (1 + 1 / 3) / 3, 1 / 3])


def test_agreement_of_ladder_and_people_counts_suspicions() -> None:
    rows = [
        row(1, verdict="pass", verdict_of_person="pass"),
        row(2, verdict="fail", verdict_automatic="unsure", suspicion="pass", verdict_of_person="fail"),
        row(3, verdict="fail", verdict_automatic="fail", verdict_of_person="clarification"),
        row(4, verdict="pass"),
    ]
    facts = score(rows, "data")["agreement"]
    assert (facts["n"], facts["same"], facts["ladder_pass_person_not"]) == (3, 2, 1)
    assert agree([]) is None


def test_results_are_read_from_a_dataset_and_an_unknown_run_is_named(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("stress", [one | {"clean_transcript": "[]"} for one in ROWS])
    facts = stress_results(Dataset(tmp_path))
    assert [one["system"] for one in facts["runs"]] == ["bot"]
    json.dumps(facts, allow_nan=False)
    with pytest.raises(InputError, match="run 'x' not found"):
        stress_results(Dataset(tmp_path), run_id="x")


def test_twelve_differences_are_counted_exactly_and_more_are_drawn() -> None:
    assert permutation_p([0.5] * 12) == 1 / 4096
    assert permutation_p([0.5] * 12 + [0.0] * 5) == 1 / 4096
    assert permutation_p([0.5] * 13, draws=999) >= 1 / 1000
