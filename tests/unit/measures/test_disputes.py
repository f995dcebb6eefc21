"""Open disputes of annotators: the mean over them, bounds by trying every decision, and how many are open."""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from vivavoce.analysis.summary import summarise
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import MEASURES, compute
from vivavoce.measures.compute import sums
from vivavoce.measures.values import values

Row = dict[str, Any]
Make = Callable[..., Dataset]
TURNS = 10


def label(
    who: str, index: int | None, name: str, layer: str = "context", dialogue: str = "d0", value=None
) -> Row:
    return {
        "dialogue_id": dialogue,
        "turn_index": index,
        "layer": layer,
        "label": name,
        "value": value,
        "annotator_id": who,
    }


def write(folder: Path, rows: Sequence[Row], dialogues: int = 1) -> Dataset:
    """Dialogues of ten turns, the system's first, with these labels."""
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        for number in range(dialogues):
            key = {"dialogue_id": f"d{number}"}
            row = {
                "study": "s",
                "system": f"s{number % 2}",
                "condition": "c",
                "channel": "text",
                "language": "en",
                "simulated": False,
            }
            writer.add("dialogues", [key | row])
            parties = [("system", "user")[index % 2] for index in range(TURNS)]
            turns = [key | {"turn_index": index, "party": party} for index, party in enumerate(parties)]
            writer.add("turns", turns)
        writer.add("annotations", rows)
    return Dataset(folder)


@pytest.fixture
def made(tmp_path: Path) -> Make:
    numbers = iter(range(1000))
    return lambda rows, dialogues=1: write(tmp_path / f"D{next(numbers)}", rows, dialogues)


def facts(dataset: Dataset, measure: str) -> Row:
    (row,) = compute(dataset, [measure]).to_dict("records")
    return row


def disputed() -> list[Row]:
    """Two annotators of fifteen system turns in three dialogues: eleven agreed appropriate, four disputed."""
    rows: list[Row] = []
    for place in range(15):
        dialogue, index = f"d{place // 5}", 2 * (place % 5)
        rows.append(label("anna", index, "AP", dialogue=dialogue))
        rows.append(label("bruno", index, "IA" if place in (1, 2, 6, 13) else "AP", dialogue=dialogue))
    return rows


def test_disputed_turns_count_in_rates_and_counts_alike(made: Make) -> None:
    dataset = made(disputed(), 3)
    rate, number = (facts(dataset, f"contextually_appropriate{one}") for one in ("_rate", ""))
    assert (rate["numerator"], rate["denominator"], rate["open"]) == (13, 15, 4)
    assert (rate["lowest"], rate["highest"]) == (pytest.approx(11 / 15), 1.0)
    assert number["numerator"] == rate["numerator"]
    assert (number["lowest"], number["highest"]) == (pytest.approx(11 / 3), 5.0)
    wrong = facts(dataset, "contextually_inappropriate_rate")
    assert rate["value"] + wrong["value"] == pytest.approx(1)


def test_a_label_that_nobody_gave_is_not_open(made: Make) -> None:
    failures = facts(made(disputed(), 3), "contextual_failures_rate")
    assert (failures["value"], failures["open"]) == (0, 0)
    assert failures["denominator"] == 15
    assert failures["lowest"] != failures["lowest"], "missing"


def test_the_number_open_is_told_before_any_figure_and_by_group(made: Make) -> None:
    dataset = made(disputed(), 3)
    warnings = [str(one) for one in summarise(dataset).warnings]
    assert any("disagree on 4 of 15 items of layer context" in one for one in warnings)
    by_system = {row.key: row.measures["contextually_appropriate_rate"].open for row in summarise(dataset).by}
    assert by_system == {"s0": 3, "s1": 1}
    told = values(dataset, ["contextually_appropriate_rate"]).set_index("key")["signature"]
    assert "|open:3|" in told["s0"]
    assert "|open:4|" in told["all"]


def test_without_a_dispute_nothing_is_open_and_no_bounds_are_given(made: Make) -> None:
    dataset = made([label("anna", 0, "AP"), label("bruno", 0, "AP")])
    found = values(dataset)
    assert set(found["open"].tolist()) == {0}
    assert all(one != one for one in found["lowest"].tolist()), "missing"
    assert not any("Annotators differ" in str(one) for one in summarise(dataset).warnings)


def test_a_group_without_a_dispute_has_no_bounds_beside_one_that_has(made: Make) -> None:
    rows = [label("anna", 0, "AP"), label("bruno", 0, "IA")]
    rows += [label(who, 0, "AP", dialogue="d1") for who in ("anna", "bruno")]
    table = compute(made(rows, 2), ["contextually_appropriate_rate"], "system").set_index("key")
    assert table["open"].to_dict() == {"s0": 1, "s1": 0}
    assert table.loc["s0", ["lowest", "highest"]].tolist() == [0, 1]
    assert table.loc["s1", ["lowest", "highest"]].isna().all()


def test_a_majority_settles_a_place_and_a_decision_settles_it_alone(made: Make) -> None:
    votes = [label("anna", 0, "AP"), label("bruno", 0, "IA"), label("carla", 0, "IA")]
    assert facts(made(votes), "contextually_inappropriate_rate")["open"] == 0
    decided = [*votes[:2], label("adjudicated", 0, "TF")]
    found = facts(made(decided), "contextual_failures_rate")
    assert (found["value"], found["open"]) == (1, 0)


def test_what_was_not_yet_decided_stays_open_beside_what_was(made: Make) -> None:
    rows = [
        label("anna", 0, "AP"),
        label("bruno", 0, "IA"),
        label("anna", 2, "AP"),
        label("bruno", 2, "IA"),
        label("adjudicated", 0, "IA"),
        label("adjudicated", 2, "undecided"),
    ]
    found = facts(made(rows), "contextually_appropriate_rate")
    assert (found["numerator"], found["denominator"], found["open"]) == (0.5, 2, 1)


def test_a_flag_that_one_of_two_gave_is_half_there(made: Make) -> None:
    rows = [label("anna", 1, "yes", "cancel"), label("bruno", None, "none", "cancel")]
    found = facts(made(rows), "cancel_attempts")
    assert (found["value"], found["lowest"], found["highest"], found["open"]) == (0.5, 0, 1, 1)


def test_open_places_reach_measures_that_experts_tell_by_the_way(made: Make) -> None:
    rows = [label("anna", 0, "question", "system_flag"), label("bruno", 2, "question", "system_flag")]
    found = facts(made(rows), "system_questions")
    assert (found["value"], found["lowest"], found["highest"], found["open"]) == (1, 0, 2, 2)


LAYERS = {
    "context": ("AP", "IA", "TF"),
    "answer": ("CO", "IC", "PA", "FA"),
    "parse": ("CO", "PA", "IC"),
    "correction": ("yes", None),
}
READ = [
    name
    for name, one in MEASURES
    if one.family in ("cooperativity", "answers", "task_success", "meta_communication", "understanding")
    and not name.startswith(("objective_success", "subjective"))
]


def decisions(dataset: Dataset, rows: Sequence[Row]) -> list[list[Row]]:
    """Every way to decide: at each place where two annotators differ, the labels of one of them."""
    places = sorted({(row["layer"], row["turn_index"]) for row in rows}, key=str)
    ways: list[list[list[Row]]] = []
    for layer, index in places:
        said = [
            [
                row
                for row in rows
                if (row["layer"], row["turn_index"]) == (layer, index) and row["annotator_id"] == who
            ]
            for who in ("anna", "bruno")
        ]
        names = [{row["label"] for row in own} for own in said]
        differ = names[0] != names[1] and (all(said) or layer == "correction")
        ways.append(said if differ else [said[0] or said[1]])
    nothing = label("judge", None, "none", rows[0]["layer"])
    return [
        [nothing, *(row | {"annotator_id": "judge"} for own in way for row in own)] for way in product(*ways)
    ]


def test_bounds_of_a_share_count_a_case_that_may_be_none(made: Make) -> None:
    """Turn 3 was understood in part and well answered; turn 1, badly answered, in part for one of two."""
    rows = [label(who, 3, "PA", "parse") for who in ("anna", "bruno")]
    rows += [label("anna", 1, "PA", "parse"), label("bruno", 1, "CO", "parse")]
    rows += [label(who, index, name) for who in ("anna", "bruno") for index, name in ((2, "IA"), (4, "AP"))]
    found = facts(made(rows), "implicit_recovery")
    assert (found["lowest"], found["highest"], found["open"]) == (0.5, 1.0, 1)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_what_trying_every_decision_gives(layer: str, seed: int, tmp_path: Path) -> None:
    """Independent computation: every combination of decisions written as a dataset of one annotator."""
    chance = Random(f"{layer} {seed}")
    indices = range(1, 8, 2) if layer in ("answer", "parse") else range(0, 8, 2)
    rows = [
        label(who, index, name, layer)
        for index in indices
        for who in ("anna", "bruno")
        if (name := chance.choice(LAYERS[layer])) is not None
    ]
    rows += [label(who, None, "none", layer) for who in ("anna", "bruno")]
    folder = tmp_path
    dataset = write(folder / "open", rows)
    found = sums(dataset, READ)
    tried = [
        sums(write(folder / f"{number}", way), READ) for number, way in enumerate(decisions(dataset, rows))
    ]
    for number, name in enumerate(READ):
        ratios = [
            one.numerators[number, 0] / one.denominators[number, 0]
            for one in tried
            if one.denominators[number, 0]
        ]
        open_ = found.open.get(name)
        if not ratios or open_ is None or not open_.places.any():
            assert len({round(one, 9) for one in ratios}) <= 1, name
            continue
        low, high = ((one[0, 0] / one[1, 0]) if one[1, 0] else None for one in (open_.low, open_.high))
        assert (low, high) == (pytest.approx(min(ratios)), pytest.approx(max(ratios))), name


@pytest.mark.parametrize("party", ["system", "user"])
def test_corrections_are_counted_of_the_party_that_made_them(made: Make, party: str) -> None:
    places = {"system": [0, 2, 4], "user": [1]}
    rows = [label("anna", at, "yes", "correction") for at in (*places["system"], *places["user"])]
    assert facts(made(rows), f"{party}_correction_turns")["value"] == len(places[party])


def test_every_dialogue_has_the_mean_over_its_own_annotators(made: Make) -> None:
    """Two who differ in the first dialogue, three in the second: a half, and a third."""
    rows = [label("anna", 0, "AP"), label("bruno", 0, "IA")]
    rows += [
        label(who, 0, name, dialogue="d1") for who, name in (("anna", "AP"), ("bruno", "IA"), ("carla", "TF"))
    ]
    found = sums(made(rows, 2), ["contextually_appropriate_rate"])
    assert found.numerators[0].tolist() == [0.5, pytest.approx(1 / 3)]
    assert found.denominators[0].tolist() == [1, 1]


def test_concepts_that_annotators_wrote_down_are_new_once(made: Make) -> None:
    """Thai is understood twice, cheap once, and the north is missed: two concepts in three tries."""
    told = [
        (1, "c", "food=thai"),
        (3, "c", "food=thai"),
        (3, "d", "area=north"),
        (5, "c", "price=cheap"),
        (5, "i", "food=any"),
    ]
    rows = [label("anna", index, name, "avp", value=value) for index, name, value in told]
    found = facts(made(rows), "concept_efficiency")
    assert found["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("labels", "weighted"),
    [
        ({0: "IA", 2: "IA", 4: "IA", 6: "AP", 8: "IA"}, 10),
        ({0: "IA", 4: "IA"}, 2),
        ({0: "IA", 2: "AP", 4: "IA"}, 2),
        ({0: "AP"}, 0),
    ],
)
def test_inappropriate_turns_weigh_by_their_runs_which_a_turn_that_nobody_judged_breaks(
    made: Make, labels: dict[int, str], weighted: int
) -> None:
    rows = [label("anna", index, name) for index, name in labels.items()]
    assert facts(made(rows), "weighted_inappropriateness")["value"] == weighted


def test_where_no_turns_are_logged_runs_are_those_of_what_was_judged(
    make_dataset: Callable[..., Dataset],
) -> None:
    said = ((0, "IA"), (2, "IA"), (4, "AP"), (6, "IA"))
    rows = [
        {"turn_index": index, "layer": "context", "label": name, "annotator_id": "anna"}
        for index, name in said
    ]
    dataset = make_dataset({"d": {"rows": {"annotations": rows}}})
    assert facts(dataset, "weighted_inappropriateness")["value"] == 5
