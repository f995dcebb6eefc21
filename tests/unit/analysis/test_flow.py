"""How many came, took part and answered: counted by hand."""

import pytest

from vivavoce.analysis.flow import COUNTED, flow


def test_a_dialogue_counts_for_a_measure_only_where_it_has_a_value(make):
    facts = flow(make(("a", "p", 1), ("a", "q", 0), ("b", "r", None)))
    assert "subjective_success" in COUNTED
    assert facts.counted["subjective_success"] == 2


@pytest.mark.parametrize(
    ("outcomes", "consented", "completed", "left", "unrecorded"),
    [
        (
            ["completed"] * 3 + ["no_consent", "no_place", "withdrew", "withdrew", None],
            6,
            3,
            {"no_place": 1, "no_consent": 1, "withdrew": 2},
            1,
        ),
        ([None, None], None, None, {}, 2),
        (["withdrew"], 1, 0, {"withdrew": 1}, 0),
    ],
)
def test_people_are_counted_by_how_they_left(make, outcomes, consented, completed, left, unrecorded):
    people = [
        {"participant_id": f"p{number}", "outcome": outcome, "simulated": False}
        for number, outcome in enumerate(outcomes)
    ]
    talks = [("a", "p0", 1), ("a", "p0", 1), ("b", None, 1), ("b", "p1", 1)]
    facts = flow(make(*talks, rows={"participants": people}))
    assert (facts.arrived, facts.consented, facts.completed) == (len(outcomes), consented, completed)
    assert (facts.left, facts.unrecorded) == (left, unrecorded)
    assert (facts.with_dialogue, facts.dialogues, facts.analysed, facts.running) == (2, 4, 4, 0)


@pytest.mark.parametrize(("issued", "coded"), [([True, False, None], 1), ([False, None, None], None)])
def test_codes_are_counted_where_any_were_given(make, issued, coded):
    assert flow(make(*[("a", "p", 1)] * 3, code_issued=issued)).coded == coded
