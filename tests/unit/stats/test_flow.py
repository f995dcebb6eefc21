"""How many came, took part and answered: counted by hand."""

from vivavoce.stats.flow import COUNTED, flow


def test_a_dialogue_counts_for_a_measure_only_where_it_has_a_value(make):
    facts = flow(make(("a", "p", 1), ("a", "q", 0), ("b", "r", None)))
    assert "subjective_success" in COUNTED
    assert facts.counted["subjective_success"] == 2
