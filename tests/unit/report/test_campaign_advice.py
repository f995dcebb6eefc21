"""A campaign's report: what mends failures, by the test that failed, and every case in a line."""

import json
from pathlib import Path

import pytest

from scenes.campaigns import campaign_dataset, stress_row, transcript
from unit.report.test_campaign import ANSWERS, table, text
from vivavoce_campaign.document.campaign import compose_campaign
from vivavoce_campaign.document.evaluation import evaluate
from vivavoce_stress.cascade import DONE_WITH_ANOTHER, MORE, WRONG_ANSWER


@pytest.mark.parametrize("kind", [WRONG_ANSWER, MORE])
def test_a_misspelling_asks_for_tolerance_of_spelling_whatever_the_system_did_instead(
    tmp_path: Path, kind: str
) -> None:
    why = json.dumps({"template": kind, "values": {"more": 2}})
    rows = [stress_row(at, 4, "fail", why=why) for at in range(3)] + [stress_row(4, 8, "fail", why=why)]
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {}, stress=rows)))
    told = text(document)
    assert "What usually mends it: Correct spelling before understanding" in told
    assert "among its examples. (3 cases)" in told
    assert "Not recognised as they were written: “meel” for “mele” (3)." in told
    assert told.count("in the passive and pointing back") == 1  # the one of syntax


def test_every_case_stands_in_the_appendix_passed_or_not(tmp_path: Path) -> None:
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "pf"})))
    lines = [[cell.main for cell in row.cells] for row in table(document, "stress_pairs").rows]
    assert sorted(line[2] for line in lines) == ["fail", "pass"]
    assert all(line[0] != line[1] for line in lines)


@pytest.mark.parametrize(
    ("verdict", "answer", "kind"),
    [
        ("clarification", "Which part?", "The system asked to be told again"),
        ("fail", "Booked for Monday.", "The system understood or did something else"),
    ],
)
def test_a_case_stands_under_what_the_person_saw_and_not_under_what_the_rules_had_seen(
    tmp_path: Path, verdict: str, answer: str, kind: str
) -> None:
    """The rules had said the reverse of the person in either case."""
    rules = {"clarification": DONE_WITH_ANOTHER, "fail": MORE}[verdict]
    why = json.dumps({"template": rules, "values": {"more": 2, "original": "a", "variant": "b"}})
    by_rules = {"clarification": "fail", "fail": "clarification"}[verdict]
    row = stress_row(1, 7, verdict, why=why, verdict_automatic=by_rules, verdict_of_person=verdict,
                     transcript=transcript("due meel", answer))  # fmt: skip
    told = {}
    for name, more in (("derived", {}), ("said", {"instead": "hand_over"})):
        found = evaluate(campaign_dataset(tmp_path / name, [], {}, stress=[row | more]))
        (section,) = (one for one in compose_campaign(found).sections if one.name == "reasons")
        told[name] = [block.text for block in section.blocks if block.kind == "heading"]
        shown = str(section)
        assert "a person decided otherwise than the rules" in shown.lower() and rules not in shown
    assert told == {"derived": [kind], "said": ["The system sent the user to a person or elsewhere"]}


def test_a_system_that_asked_first_is_not_told_to_ask_before_it_acts(tmp_path: Path) -> None:
    cures = []
    for name, answer in (("asked", "Day: Monday. Confirm?"), ("did", "Booked for Monday.")):
        why = json.dumps({"template": MORE, "values": {"more": 2}})
        row = stress_row(1, 7, "clarification", why=why, transcript=transcript("due meel", answer))
        found = evaluate(campaign_dataset(tmp_path / name, [], {}, stress=[row]))
        (section,) = (one for one in compose_campaign(found).sections if one.name == "reasons")
        cures.append("Repeat what was understood before acting" in str(section))
    assert cures == [False, True]
