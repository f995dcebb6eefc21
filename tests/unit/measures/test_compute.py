"""Pooling: exact over any grouping, missing where undefined, the same in any order."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES, Tables, components, compute
from vivavoce.measures.base import Origin, field_of
from vivavoce.measures.compute import Sums, pool
from vivavoce.measures.values import as_json, values

Make = Callable[..., Dataset]


def talk(user_turns: int, **dialogue: Any) -> dict[str, Any]:
    turns = [
        {"turn_index": 2 * number, "party": "user", "reference": "w " * number}
        for number in range(user_turns)
    ]
    return {"dialogue": dialogue, "rows": {"turns": turns}}


@pytest.fixture
def dataset(make_dataset: Make) -> Dataset:
    return make_dataset(
        {
            "a": talk(2, system="x", condition="x1", participant_id="p", task_id="t", factor_shade="dark"),
            "b": talk(4, system="x", condition="x2", participant_id="q", factor_shade="light"),
            "c": talk(0, system="y", condition="y1", participant_id=None, language="it", factor_shade="dark"),
        }
    )


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        (None, ["all"]),
        ("system", ["x", "y"]),
        ("condition", ["x1", "x2", "y1"]),
        ("participant", ["p", "q", None]),
        ("task", ["t", None]),
        ("channel", ["text"]),
        ("language", ["en", "it"]),
        ("shade", ["dark", "light"]),
    ],
)
def test_dialogues_are_grouped_by_what_is_asked(
    dataset: Dataset, by: str | None, keys: list[str | None]
) -> None:
    table = compute(dataset, ["user_turns"], by=by)
    assert table["key"].tolist() == keys
    assert table["numerator"].sum() == 6


def test_a_measure_of_ones_own_is_a_function_over_arrow_tables(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def components(tables: Tables) -> pa.Table:
        turns = tables.read("turns").filter((field_of("party") == "user") & field_of("barge_in").is_null())
        counted = turns.group_by("dialogue_id").aggregate([("turn_index", "count")])
        return pa.table(
            {
                "dialogue_id": counted["dialogue_id"],
                "numerator": counted["turn_index_count"],
                "denominator": pa.array([1.0] * len(counted)),
            }
        )

    own = replace(MEASURES.get("user_turns"), name="turns_of_ones_own", components=components)
    monkeypatch.setattr(MEASURES, "_entries", dict(MEASURES))
    MEASURES.add(own.name, own)
    table = compute(dataset, ["user_turns", own.name], by="system").set_index(["key", "measure"])
    assert table.loc["x", "numerator"].tolist() == [6, 6]
    assert table.loc["y", "dialogues"].tolist() == [1, 0]  # no row for a dialogue: missing


def test_an_unknown_grouping_names_what_there_is(dataset: Dataset) -> None:
    with pytest.raises(UnknownName, match=r"Did you mean 'shade'.*participant"):
        compute(dataset, ["user_turns"], by="shades")


def test_an_unknown_measure_names_the_nearest(dataset: Dataset) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'user_turns'"):
        components(dataset, ["user_turn"])


def test_there_is_one_row_a_measure_and_dialogue(dataset: Dataset) -> None:
    table = components(dataset)
    assert len(table) == 3 * len(MEASURES)
    assert not table.isna().any().any()
    assert (
        components(dataset, ["turns", "system_turns"])["measure"].tolist()
        == ["turns"] * 3 + ["system_turns"] * 3
    )


def test_keywords_that_are_given_count_though_all_measures_were_computed_without(make_dataset: Make) -> None:
    turn = {"turn_index": 0, "party": "user", "reference": "north north please", "text": "please"}
    dataset = make_dataset({"d": {"dialogue": {"channel": "phone"}, "rows": {"turns": [turn]}}})

    def missed(keywords: tuple[str, ...] | None) -> float:
        table = components(dataset, keywords=keywords).set_index("measure")
        return float(table.loc["keyword_deletions", "numerator"])

    assert [missed(None), missed(("north",)), missed(("south",)), missed(None)] == [0, 2, 0, 0]


def test_no_measure_at_all_is_an_empty_table(dataset: Dataset) -> None:
    assert compute(dataset, []).empty


def test_the_value_pools_turns_and_macro_averages_dialogues(dataset: Dataset) -> None:
    row = compute(dataset, ["words_per_user_turn"]).iloc[0]
    assert row["value"] == pytest.approx((0 + 1 + 0 + 1 + 2 + 3) / 6)
    assert row["macro"] == pytest.approx((0.5 + 1.5) / 2)
    assert row["dialogues"] == 2


def test_undefined_is_missing(dataset: Dataset) -> None:
    table = compute(dataset, ["words_per_user_turn"], by="system").set_index("key")
    assert pd.isna(table.loc["y", "value"])
    assert pd.isna(table.loc["y", "macro"])
    assert table.loc["y", "denominator"] == 0


def test_a_dataset_without_dialogues_has_no_values(make_dataset: Make) -> None:
    assert compute(make_dataset({})).empty


def test_the_order_of_the_dialogues_does_not_matter(make_dataset: Make) -> None:
    talks = {key: talk(number, participant_id=key) for number, key in enumerate("abcde")}
    there, back = make_dataset(talks), make_dataset(dict(reversed(talks.items())))
    for by in (None, "participant"):
        pd.testing.assert_frame_equal(compute(there, by=by), compute(back, by=by))


PARTS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 20), st.sampled_from("xyz")), min_size=1, max_size=30
)


@given(PARTS)
def test_pooling_the_sums_of_any_grouping_gives_the_whole(rows: list[tuple[int, int, str]]) -> None:
    ids = [str(number) for number in range(len(rows))]
    numerators, denominators = (np.array([[float(row[side]) for row in rows]]) for side in (0, 1))
    parts = Sums(["m"], ids, numerators, denominators)
    whole = pool(parts, ["all"] * len(rows)).iloc[0]
    groups = pool(parts, [row[2] for row in rows])
    for column in ("numerator", "denominator", "dialogues"):
        assert groups[column].sum() == whole[column]
    defined = groups[groups["denominator"] > 0]
    assert (defined["value"] == defined["numerator"] / defined["denominator"]).all()
    assert groups.loc[groups["denominator"] == 0, ["value", "macro"]].isna().all().all()
    assert pd.isna(whole["value"]) == (whole["denominator"] == 0)


def test_every_measure_states_its_facts() -> None:
    for name in MEASURES.names():
        measure = MEASURES.get(name)
        assert measure.name == name
        for fact in ("title", "meaning", "unit", "level", "family", "source", "empty", "analysis_unit"):
            assert getattr(measure, fact), f"{name} lacks {fact}"
        assert measure.origin in get_args(Origin)
        assert measure.direction in ("higher", "lower", None)


@pytest.mark.shared
def test_most_measures_say_something_about_the_real_corpus(dstc2_checked: Dataset) -> None:
    table = compute(dstc2_checked, by="condition")
    assert (table.groupby("measure")["dialogues"].sum() > 0).sum() >= 75


def test_json_has_an_entry_a_group_and_one_of_all_also_where_a_group_has_no_name(make_dataset: Make) -> None:
    dialogues = {
        "d": {"dialogue": {"participant_id": "p"}, "turns": ["U hello()"]},
        "e": {"turns": ["U hello()"]},
        "f": {"turns": ["U hello()"]},
    }
    for content in dialogues.values():
        content["rows"] = {"turns": [{"turn_index": 0, "party": "user"}]}
    dataset = make_dataset(dialogues)
    told = as_json(dataset, values(dataset, ["turns", "user_turns"], "participant"), "participant")
    found = [(one["key"], one["measures"]["user_turns"]["dialogues"]) for one in told["by"]]
    assert found == [("p", 1), (None, 2)]
    assert (told["all"]["key"], told["all"]["measures"]["turns"]["dialogues"]) == ("all", 3)
    assert all(list(one["measures"]) == ["turns", "user_turns"] for one in (*told["by"], told["all"]))
