"""Questionnaires as scales: codes that were chosen, scores and their reliability, computed apart."""

from collections.abc import Callable
from random import Random
from statistics import mean, stdev, variance
from typing import Any

import pytest

from vivavoce.analysis.scales import answered_scales
from vivavoce.dataset.reader import Dataset
from vivavoce.questionnaires.instrument import INSTRUMENTS

Make = Callable[..., Dataset]
FORMS = [
    [4, 2, 5, 1, 4, 2, 4, 2, 5, 1],
    [3, 3, 2, 2, 4, 3, 3, 4, 2, 3],
    [5, 1, 4, 2, 5, 1, 5, 2, 4, 3],
    [2, 4, 3, 3, 2, 4, 1, 5, 2, 4],
]


def rating(item: str, value: float | None, dialogue: str = "d0", **columns: Any) -> dict[str, Any]:
    return {
        "dialogue_id": dialogue,
        "participant_id": f"p-{dialogue}",
        "instrument": "own",
        "item_id": item,
        "wording": "file",
        "language": "en",
        "value": value,
    } | columns


def usability(*forms: list[int]) -> list[dict[str, Any]]:
    return [
        rating(f"q{place}", value, f"d{number}", instrument="sus")
        for number, form in enumerate(forms)
        for place, value in enumerate(form, 1)
    ]


def sus(form: list[int]) -> float:
    """Brooke's rule: odd items minus 1, even ones 5 minus the code, times 2.5."""
    return 2.5 * sum(code - 1 if place % 2 == 0 else 5 - code for place, code in enumerate(form))


def test_scores_of_a_known_instrument_follow_its_key(make: Make) -> None:
    dataset = make(ratings=usability(*FORMS))
    keys: dict[str, str | None] = {"d0": "b", "d1": "a", "d2": "b"}
    (sheet,) = answered_scales(dataset, keys)
    values = [sus(form) for form in FORMS]
    score = next(one for one in sheet.scores if one.name == "sus")
    assert (score.n, score.items, score.low, score.high) == (4, 10, 0, 100)
    assert score.mean == pytest.approx(mean(values)) and score.deviation == pytest.approx(stdev(values))
    assert [(one.key, one.n, one.mean, one.deviation) for one in score.by] == [
        ("b", 2, pytest.approx((values[0] + values[2]) / 2), pytest.approx(stdev([values[0], values[2]]))),
        ("a", 1, pytest.approx(values[1]), None),
    ]
    turned = [[code if place % 2 == 0 else 6 - code for place, code in enumerate(form)] for form in FORMS]
    total = variance([sum(form) for form in turned])
    alpha = 10 / 9 * (1 - sum(variance(column) for column in zip(*turned, strict=True)) / total)
    assert score.alpha == pytest.approx(alpha)
    assert [(item.item_id, item.low, item.high, item.reverse) for item in sheet.items[:3]] == [
        ("q1", 1, 5, False),
        ("q2", 1, 5, True),
        ("q3", 1, 5, False),
    ]
    assert sheet.items[0].counts == {1: 0, 2: 1, 3: 1, 4: 1, 5: 1}


def test_a_form_with_an_item_missing_has_no_score_of_it(make: Make) -> None:
    rows = usability(*FORMS[:3])
    rows.remove(next(row for row in rows if row["item_id"] == "q4" and row["dialogue_id"] == "d1"))
    (sheet,) = answered_scales(make(ratings=rows), {})
    assert {one.name: one.n for one in sheet.scores} == {"sus": 2, "learnability": 2, "usability": 3}


@pytest.mark.parametrize(
    ("codes", "kept"),
    [
        ([1, 2], False),
        ([1, 3], True),
        ([0, 10], True),
        ([0, 11], False),
        ([1, 2.5, 4], False),
        ([None], False),
    ],
)
def test_items_of_three_to_eleven_whole_codes_are_scales(make: Make, codes: list, kept: bool) -> None:
    rows = [rating("x", code, f"d{number}") for number, code in enumerate(codes)]
    found = answered_scales(make(ratings=rows), {})
    assert [item.item_id for sheet in found for item in sheet.items] == (["x"] if kept else [])


def test_codes_are_counted_and_named_by_the_label_most_often_seen(make: Make) -> None:
    rows = [
        rating("x", 1, "d0", answer="poor"),
        rating("x", 3, "d1", answer="fine"),
        rating("x", 3, "d2", answer="good"),
        rating("x", 3, "d3", answer="good"),
    ]
    (sheet,) = answered_scales(make(ratings=rows), {})
    (item,) = sheet.items
    assert item.counts == {1: 1, 2: 0, 3: 3} and item.labels == {1: "poor", 3: "good"}
    assert (sheet.title, sheet.scores, item.reverse) == ("own", [], False)


def test_a_foreign_log_with_codes_beyond_the_scale_shows_them_as_they_are(make: Make) -> None:
    rows = [rating("q2", code, f"d{code}", instrument="sus") for code in (0, 4, 7)]
    (sheet,) = answered_scales(make(ratings=rows), {})
    (item,) = sheet.items
    assert (item.low, item.high, item.reverse) == (0, 7, False)


def answered(instrument: str, seed: int = 2) -> list[dict[str, Any]]:
    """Four whole forms of a known instrument, codes within its scale."""
    chance, known = Random(seed), INSTRUMENTS.get(instrument)
    return [
        rating(
            item.item_id,
            float(chance.randint(int(scale.low), int(scale.high))),
            f"d{number}",
            instrument=instrument,
        )
        for number in range(4)
        for item in known.items
        if (scale := known.scale_of(item)) is not None
    ]


@pytest.mark.parametrize(
    ("instrument", "scores"),
    [
        ("idial", ["overall", "task_completion", "effectiveness", "satisfaction"]),
        (
            "bus11",
            [
                "bus11",
                "bus11_percent",
                "accessibility",
                "quality_of_functions",
                "conversation_and_information",
            ],
        ),
        ("satisfaction", []),
    ],
)
def test_scores_are_those_of_several_items_under_the_usual_mapping(make: Make, instrument, scores) -> None:
    (sheet,) = answered_scales(make(ratings=answered(instrument)), {})
    assert [one.name for one in sheet.scores] == scores and sheet.items
    known = INSTRUMENTS.get(instrument).scores
    assert [one.meaning for one in sheet.scores] == [known[name].meaning or name for name in scores]


def test_items_stand_in_the_order_of_their_instrument_and_foreign_ones_behind(make: Make) -> None:
    rows = [
        rating(item, code, f"d{code}", instrument="sus")
        for item in ("q3", "own", "q1", "q2")
        for code in (1, 2, 4)
    ]
    (sheet,) = answered_scales(make(ratings=rows), {})
    assert [item.item_id for item in sheet.items] == ["q1", "q2", "q3", "own"]


def test_a_known_instrument_is_told_also_where_nothing_of_it_is_a_scale(make: Make) -> None:
    rows = [rating("own", 1, instrument="sus"), rating("mine", 1, instrument="foreign")]
    (sheet,) = answered_scales(make(ratings=rows), {})
    assert (sheet.instrument, sheet.items, sheet.scores) == ("sus", [], []) and sheet.source


def test_codes_that_are_names_are_no_scale(make: Make) -> None:
    rows = [rating("gender", code, f"d{code}", instrument="demographics") for code in (1, 2, 3)]
    assert not any(sheet.items for sheet in answered_scales(make(ratings=rows), {}))
