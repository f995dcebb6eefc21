"""The corpus of judged verdicts, and the page that tells how far the program agrees with people."""

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks._stress_cases import CASES, make_cases  # noqa: E402
from benchmarks._stress_verdicts import VERDICTS, Judged, figures, read_cases, read_labels  # noqa: E402
from benchmarks.stress_quality import PAGE, written  # noqa: E402


def test_the_corpus_has_enough_cases_domains_tests_and_both_languages() -> None:
    cases = read_cases()
    judged = [row for row in read_labels().values() if row["verdict"] != "unsure"]
    assert len(cases) == len({case["id"] for case in cases}) >= 400
    assert len(judged) >= 400
    assert len({case["bot"] for case in cases}) >= 8
    assert min(Counter(case["language"] for case in cases).values()) >= 200
    assert {case["test"] for case in cases} == {f"ST-{number}" for number in range(1, 12)}


def test_every_case_is_what_its_bot_says_today() -> None:
    assert list(make_cases()) == read_cases()


def test_every_case_was_judged_twice_and_a_disagreement_settled_by_a_named_rule() -> None:
    labels = read_labels()
    assert list(labels) == [case["id"] for case in read_cases()], CASES
    for row in labels.values():
        assert {row["first"], row["second"], row["verdict"]} <= set(VERDICTS), row
        assert bool(row["rule"]) == (row["first"] != row["second"]), row
        assert row["rule"] or row["verdict"] == row["first"], row


def test_undecided_and_unsure_cases_stand_in_no_agreement() -> None:
    case = {"bot": "a"}
    said = [
        ("pass", "pass"),
        ("fail", "pass"),
        ("clarification", "fail"),
        ("pass", "unsure"),
        ("unsure", "fail"),
    ]
    found = figures([Judged(case, person, program, "") for person, program in said])
    assert (found["judged"], found["decided"]["top"], found["decided"]["n"]) == (4, 3, 4)
    assert (found["agreement"]["top"], found["agreement"]["n"]) == (2, 3)


def test_the_page_is_made_anew_to_the_letter_from_the_judged_files() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    (now,) = re.findall(r"^\| all \(\d+\) \| now .*$", page, re.MULTILINE)
    decided, agreed = map(float, re.findall(r"\d, ([\d.]+)%", now))
    assert decided >= 85 and agreed >= 95, "goals that were reached"
