"""A campaign's report: what mends failures, by the test that failed, and every case in a line."""

import json
from pathlib import Path

import pytest

from scenes.campaigns import campaign_dataset, stress_row
from unit.report.test_campaign import ANSWERS, table, text
from vivavoce_campaign.document.campaign import compose_campaign
from vivavoce_campaign.document.evaluation import evaluate
from vivavoce_stress.cascade import MORE, WRONG_ANSWER


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
