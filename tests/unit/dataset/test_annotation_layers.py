"""How labels of several annotators become one."""

from typing import Any

from vivavoce.dataset.annotation_layers import LAYERS, Label, Labels


def row(annotator: str, turn: int | None, layer: str, label: str, value: str | None = None) -> dict[str, Any]:
    return {
        "dialogue_id": "d",
        "turn_index": turn,
        "layer": layer,
        "label": label,
        "value": value,
        "annotator_id": annotator,
    }


def standing(layer: str, *rows: dict[str, Any]) -> list[tuple[int | None, str]] | None:
    found = Labels(rows).of(layer).get("d")
    return None if found is None else [(label.turn_index, label.label) for label in found]


def test_a_dialogue_without_rows_is_not_annotated_and_one_with_none_has_no_labels() -> None:
    assert standing("cancel") is None
    assert standing("cancel", row("a", None, "cancel", "none")) == []


def test_an_exclusive_label_needs_more_than_half_of_those_who_judged_the_turn() -> None:
    votes = [row("a", 0, "context", "IA"), row("b", 0, "context", "IA"), row("c", 0, "context", "AP")]
    assert standing("context", *votes) == [(0, "IA")]
    assert standing("context", *votes[1:]) == []
    assert standing("context", *votes[1:], row("b", 2, "context", "AP")) == [(2, "AP")]


def test_a_flag_needs_more_than_half_of_those_who_annotated_the_dialogue() -> None:
    found = [row("a", 1, "cancel", "yes"), row("b", None, "cancel", "none")]
    assert standing("cancel", *found) == []
    assert standing("cancel", *found, row("c", 1, "cancel", "yes")) == [(1, "yes")]


def test_adjudication_settles_a_layer_alone() -> None:
    votes = [row(name, 0, "context", "IA") for name in "abc"]
    assert standing("context", *votes, row("adjudicated", 0, "context", "AP")) == [(0, "AP")]


def test_one_turn_may_have_one_label_for_each_value() -> None:
    rows = [row("a", 1, "avp", "c", "food=thai"), row("a", 1, "avp", "c", "area=north")]
    labels = Labels(rows).of("avp")["d"]
    assert labels == [Label(1, "c", "area=north"), Label(1, "c", "food=thai")]


def test_a_layer_of_ones_own_is_kept() -> None:
    assert standing("mood", row("a", 1, "mood", "cross")) == [(1, "cross")]
    assert "mood" not in LAYERS


def test_places_that_are_open_stand_in_the_order_of_turns_and_values() -> None:
    places = [(4, "b"), (None, "z"), (4, "a"), (2, None)]
    rows = [row("a", turn, "context", "IA", value) for turn, value in places]
    rows += [row("b", turn, "context", "AP", value) for turn, value in places]
    found = Labels(rows).open("context")["d"]
    assert [one.turn_index for one in found] == [None, 2, 4, 4]
    votes = [
        row("a", 4, "context", "IA", "b"),
        row("a", 4, "context", "IA", "a"),
        row("a", None, "context", "IA"),
    ]
    assert [(one.turn_index, one.value) for one in Labels(votes).of("context")["d"]] == [
        (None, None),
        (4, "a"),
        (4, "b"),
    ]
