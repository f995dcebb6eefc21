"""The plain facts of a dataset."""

from datetime import UTC, datetime, timedelta

import pytest

from vivavoce.analysis.description import describe
from vivavoce.dataset.columns import Level
from vivavoce.dataset.publication import reduce_dataset
from vivavoce.measures.compute import natural_grouping


def test_systems_period_and_endings_are_counted_by_group(make):
    facts = describe(
        make(("a", "p", 1), ("a", "q", 1), ("b", "p", 0), end_reason=["user", None, "limit"]), "system"
    )
    assert facts.systems == {"a": 2, "b": 1}
    assert (facts.started_at.hour, facts.ended_at.hour) == (12, 14)
    assert {entry.reason: entry.by for entry in facts.end_reasons} == {
        "user": {"a": 1, "b": 0},
        "unknown": {"a": 1, "b": 0},
        "limit": {"a": 0, "b": 1},
    }


def test_durations_are_quantiles_of_those_known(make):
    facts = describe(
        make(*[("a", "p", 1)] * 4, ("b", "p", 1), duration_s=[10.0, 20.0, 30.0, None, None]), "system"
    )
    (found,) = facts.durations
    assert (found.key, found.n) == ("a", 3) and found[2:] == pytest.approx((12, 15, 20, 25, 28))


def test_incidents_are_counted_by_kind_with_the_commonest_detail(make):
    incident = {"dialogue_id": "d0", "failure": "timeout", "detail": "30 s"}
    facts = describe(
        make(("a", "p", 1), incidents=[incident, incident, {**incident, "detail": "9 s"}]), "system"
    )
    assert facts.incidents == [("a", "timeout", 3, 1, "30 s")]


def test_items_keep_raw_codes_and_free_text_has_no_mean(make):
    answers = [
        {
            "dialogue_id": f"d{number}",
            "instrument": "sus",
            "wording": "file",
            "language": "en",
            "item_id": "q1",
            "value": value,
            "answer": label,
        }
        for number, (value, label) in enumerate([(1.0, "never"), (5.0, "always"), (5.0, "always")])
    ] + [
        {
            "dialogue_id": "d0",
            "instrument": "sus",
            "wording": "file",
            "language": "en",
            "item_id": "more",
            "answer": "nice",
        }
    ]
    (sheet,) = describe(make(*[("a", "p", None)] * 3, ratings=answers), "system").questionnaires
    first, more = sheet.items
    assert (sheet.instrument, sheet.wording) == ("sus", "file")
    assert (first.n, first.mean, first.least, first.most) == (3, pytest.approx(11 / 3), 1, 5)
    assert first.answers == {"never": 1, "always": 2}
    assert (more.n, more.mean, more.free_text) == (0, None, 1)


def test_a_dataset_without_any_row_is_described_too(make):
    facts = describe(make(), "system")
    assert facts.started_at is None
    assert facts.durations == facts.incidents == facts.questionnaires == facts.end_reasons == []


def test_the_natural_grouping_is_the_condition_where_the_design_has_factors(make):
    assert natural_grouping(make(("a", "p", 1), ("b", "p", 1))) == "system"
    assert natural_grouping(make(("a", "p", 1), factor_noise="low", name="factors")) == "condition"
    cells = make(("a", "p", 1), ("a", "p", 1), condition=["a1", "a2"], name="cells")
    assert natural_grouping(cells) == "condition"


def test_items_are_told_by_group_with_deviation_and_without_endless_labels(make):
    def answers(item: str, *values: float, label: str | None = None) -> list[dict]:
        return [
            {
                "dialogue_id": f"d{number}",
                "instrument": "own",
                "item_id": item,
                "value": value,
                "answer": label or f"label {value}",
            }
            for number, value in enumerate(values)
        ]

    talks = [("a", "p", None), ("b", "q", None), *[("a", "r", None)] * 11]
    rated = answers("q1", 1, 4, 2) + answers("wide", *range(13)) + answers("twelve", *range(12))
    rated += [*answers("one", 3), {"visit_id": "v", "instrument": "own", "item_id": "q1", "value": 5.0}]
    (sheet,) = describe(make(*talks, ratings=rated), "system").questionnaires
    items = {one.item_id: one for one in sheet.items}
    assert (items["q1"].n, items["q1"].mean) == (4, 3.0)
    assert items["q1"].deviation == pytest.approx((10 / 3) ** 0.5)
    assert items["q1"].by == {"a": (2, 1.5), "b": (1, 4.0)}
    assert (items["one"].deviation, len(items["twelve"].answers), items["wide"].answers) == (
        None,
        12,
        {},
    )
    assert sheet.answered == 14


def test_only_what_is_known_is_counted(make):
    start = datetime(2026, 5, 1, 9, tzinfo=UTC)
    later = start + timedelta(hours=3)
    people = [
        {"participant_id": name, "pool": pool, "outcome": outcome, "simulated": False}
        for name, pool, outcome in (("p", "x", "completed"), ("q", None, None), ("r", "x", "withdrew"))
    ]
    facts = describe(
        make(
            *[("a", "p", None)] * 4,
            rows={"participants": people},
            started_at=[None, later, start, None],
            ended_at=[None, later + timedelta(minutes=5), None, None],
            task_id=["t1", None, "t2", "t1"],
            factor_noise=["low", None, "high", "low"],
            simulated=[True, False, False, True],
        ),
        "system",
    )
    assert (facts.started_at, facts.ended_at) == (start, later + timedelta(minutes=5))
    assert (facts.tasks, facts.factors, facts.simulated_dialogues) == (2, {"noise": ["high", "low"]}, 2)
    assert (facts.pools, facts.outcomes) == ({"x": 2}, {"completed": 1, "withdrew": 1})


def test_a_dataset_that_was_made_shareable_tells_no_instants(make, tmp_path):
    talks = make(("a", "p", 1), ("a", "q", 0))
    assert describe(talks, "system").started_at is not None
    facts = describe(reduce_dataset(talks, tmp_path / "shared", Level.shareable), "system")
    assert (facts.started_at, facts.ended_at) == (None, None)


def test_groups_with_more_of_a_failure_come_first_and_an_answer_without_a_code_is_text(make):
    kinds = ["timeout", "crash", "crash", "timeout", "crash"]
    incidents = [
        {"dialogue_id": f"d{number % 2}", "failure": kind, "detail": None if kind == "crash" else "30 s"}
        for number, kind in enumerate(kinds)
    ]
    ratings = [
        {"dialogue_id": "d0", "instrument": "own", "item_id": "q", "value": value, "answer": answer}
        for value, answer in ((2.0, None), (None, "text"), (None, None), (5.0, "five"))
    ]
    facts = describe(make(("a", "p", None), ("b", "q", None), incidents=incidents, ratings=ratings), "system")
    assert [tuple(one) for one in facts.incidents] == [
        ("a", "crash", 2, 1, None),
        ("a", "timeout", 1, 1, "30 s"),
        ("b", "crash", 1, 1, None),
        ("b", "timeout", 1, 1, "30 s"),
    ]
    (item,) = facts.questionnaires[0].items
    assert (item.n, item.free_text, item.answers, item.mean) == (2, 1, {"five": 1}, 3.5)
    assert item.by == {"a": (2, 3.5)}


@pytest.mark.parametrize(("instrument", "mean"), [("demographics", None), ("own", 2.0)])
def test_codes_that_are_names_have_no_mean(make, instrument, mean):
    ratings = [
        {"dialogue_id": f"d{number}", "instrument": instrument, "item_id": "gender", "value": value}
        for number, value in enumerate((1.0, 3.0))
    ]
    sheets = describe(make(("a", "p", None), ("a", "q", None), ratings=ratings), "system").questionnaires
    (item,) = sheets[0].items
    assert (item.n, item.mean, bool(item.by)) == (2, mean, mean is not None)
