"""How strong preferences are: signed strengths, their mean with an interval over people, signed ranks."""

from pathlib import Path

import pytest
from scipy.stats import wilcoxon

from scenes.judgements import judge_rows, made
from vivavoce.analysis.preference_results import preference_results, strengths

SIGNS = {"experimental": 1, "control": -1, "tie": 0}


def asked(people: int, like: float, *, ties: float = 0.0, seed: int = 1) -> list[dict]:
    """Choices by people who are the surer the more they like the experimental version."""
    rows = judge_rows(people, {"empathy": like}, ties=ties, seed=seed)
    for place, row in enumerate(rows):
        sure = {"experimental": 3 - place % 2, "control": 1, "tie": None}
        row["strength"] = sure[row["choice"]]
    return rows


def test_a_tie_is_0_and_a_choice_of_the_control_is_below_it() -> None:
    (one,) = [one for one in strengths(asked(60, 0.7, ties=0.2)) if one.question == "ease"]
    own = [row for row in asked(60, 0.7, ties=0.2) if row["question"] == "ease"]
    signed = [SIGNS[row["choice"]] * (row["strength"] or 0) for row in own]
    assert one.mean == pytest.approx(sum(signed) / len(signed))
    assert one.counts == {code: signed.count(code) for code in range(-3, 4)}
    assert one.low < one.mean < one.high
    assert one.p_signed_rank == pytest.approx(
        wilcoxon(signed, zero_method="pratt", method="asymptotic").pvalue
    )


def test_a_lead_in_strength_shows_where_the_votes_are_even() -> None:
    """Half prefer each version, but those for the experimental one very much."""
    whole = next(one for one in strengths(asked(200, 0.5, seed=4)) if one.question is None)
    assert whole.mean > 0.5
    assert whole.p_holm < 0.001
    assert whole.participants == 200


@pytest.mark.parametrize("people", [3, 5, 8])
def test_the_interval_stays_on_the_scale_however_few_they_are(people: int) -> None:
    for seed in range(5):
        for one in strengths(asked(people, 0.9, seed=seed)):
            if one.low is not None:
                assert -3 <= one.low <= one.mean <= one.high <= 3


def test_people_are_the_unit_of_all_questions_together() -> None:
    """Four answers that are one answer count as one person."""
    rows = asked(30, 0.65)
    first = {row["participant_id"]: row for row in rows if row["question"] == "ease"}
    same = [
        {**row, **{key: first[row["participant_id"]][key] for key in ("choice", "strength")}} for row in rows
    ]
    of_one, *_, whole = sorted(strengths(same), key=lambda one: one.question is None)
    assert whole.high - whole.low == pytest.approx(of_one.high - of_one.low, rel=0.05)
    assert whole.p_signed_rank == pytest.approx(of_one.p_signed_rank)


def test_a_strength_that_was_not_asked_is_not_analysed(tmp_path: Path) -> None:
    assert strengths(judge_rows(20, {"empathy": 0.7}, ties=0.2)) == []
    facts = preference_results(made(tmp_path / "data", preferences=asked(20, 0.7)))
    assert facts.strengths[0].variable == "empathy"
    line = facts.signatures["empathy, strength"]
    assert line.startswith("preference_strength|unit:participant|interval:cluster_robust_logit_t 0.95|")
    assert "|n:20|" in line


def of_people(*strengths_: list[float]) -> list[dict]:
    """One question; every person with the signed strengths of their choices."""
    kinds = {-1: "control", 0: "tie", 1: "experimental"}
    return [
        {
            "variable": "v",
            "question": "q",
            "participant_id": f"p{person}",
            "visit_id": None,
            "choice": kinds[(one > 0) - (one < 0)],
            "strength": abs(one) or None,
        }
        for person, own in enumerate(strengths_)
        for one in own
    ]


def test_signs_of_few_peoples_means_are_turned_one_by_one() -> None:
    """Of three with means of one sign 2 in 8 ways are as extreme; a mean of 0 has no sign to turn."""
    for people, expected in [
        ([[2]], None),
        ([[3], [1]], 0.5),
        ([[3], [-1]], 1.0),
        ([[1, -1], [2, -2]], None),
        ([[3], [1], [2]], 0.25),
        ([[3, 1], [3, -3], [2]], 0.5),
    ]:
        found = strengths(of_people(*people))[0].p_signed_rank
        assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(("people", "method"), [(12, "exact"), (13, "asymptotic")])
def test_signs_of_more_than_twelve_people_are_judged_by_the_normal_law(people: int, method: str) -> None:
    means = [[3, 1, -1, 2][: 1 + place % 4] * (1 + place % 2) + [1] * place for place in range(people)]
    values = [sum(own) / len(own) for own in means]
    expected = wilcoxon(values, zero_method="pratt", method="asymptotic").pvalue
    if method == "exact":
        expected = 2 / 2**12  # all means are above 0
    assert strengths(of_people(*means))[0].p_signed_rank == pytest.approx(expected)


def test_a_decided_choice_without_a_strength_is_left_out_and_a_tie_is_not() -> None:
    rows = of_people([3], [0], [-1])
    rows.append({**rows[0], "participant_id": "p9", "strength": None})
    one = strengths(rows)[0]
    assert (one.choices, one.mean, one.counts[0]) == (3, pytest.approx(2 / 3), 1)
