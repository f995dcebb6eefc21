"""Laws that every measure keeps, whatever was said: order, pooling, emptiness."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.dataset.reader import Dataset, replacing
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import MEASURES, components, compute

Rows = dict[str, list[dict[str, Any]]]
WORDS = ("cheap", "thai", "food", "please", "no", "")
CONCEPTS = (
    ("inform", "food", "="),
    ("inform", "area", "="),
    ("request", "phone", None),
    ("deny", "food", "="),
)
VENUES = {
    "v": {"food": "thai", "area": "north", "phone": "1"},
    "w": {"food": "pizza", "area": "south", "phone": "2"},
}
FLAGS = ("question", "help", "error_message", "rejection_prompt", "timeout_prompt")


def talks(seed: int) -> Rows:
    """Some dialogues of both channels, with everything that a dataset may say about a turn."""
    draw = random.Random(seed)
    rows: Rows = {
        name: []
        for name in (
            "dialogues",
            "turns",
            "hypotheses",
            "acts",
            "goals",
            "annotations",
            "ratings",
            "entities",
            "tool_calls",
            "usage",
        )
    }
    for venue, slots in VENUES.items():
        rows["entities"] += [
            {
                "entity_id": venue,
                "name": venue,
                "slot": slot,
                "value": value,
                "source": "database",
                "match": "exact",
            }
            for slot, value in slots.items()
        ]
    for number in range(draw.randint(1, 6)):
        _talk(draw, f"d{number}", rows)
    return rows


def _talk(draw: random.Random, key: str, rows: Rows) -> None:
    channel = draw.choice(("phone", "text"))
    rows["dialogues"].append(
        {
            "dialogue_id": key,
            "study": "laws",
            "system": draw.choice("xy"),
            "condition": draw.choice("xyz"),
            "participant_id": draw.choice("pq"),
            "channel": channel,
            "language": "en",
            "simulated": False,
            "duration_s": draw.choice((None, draw.uniform(1, 90))),
        }
    )
    food = draw.choice(("thai", "pizza", "welsh"))
    rows["goals"] += [
        {
            "dialogue_id": key,
            "goal_index": 0,
            "origin": "assigned",
            "kind": "constraint",
            "slot": "food",
            "op": "=",
            "value": food,
        },
        {"dialogue_id": key, "goal_index": 0, "origin": "assigned", "kind": "request", "slot": "phone"},
    ]
    found_all = {"instrument": "cambridge", "item_id": "found_all", "role": "subjective_success"}
    answer = {"wording": "w", "value": float(draw.random() < 0.5)}
    rows["ratings"].append({"dialogue_id": key} | found_all | answer)
    for index in range(draw.randint(0, 8)):
        party = ("system", "user")[index % 2]
        _turn(draw, {"dialogue_id": key, "turn_index": index}, party, channel, rows)
    for name in ("subtask", "avm"):
        labels = tuple(LAYERS[name].labels) or ("food",)
        row = {
            "dialogue_id": key,
            "layer": name,
            "label": draw.choice(labels),
            "value": draw.choice(("thai", "x")),
        }
        rows["annotations"] += [row | {"annotator_id": one} for one in draw.sample("abc", draw.randint(0, 2))]
    _agent(draw, key, rows)


def _agent(draw: random.Random, key: str, rows: Rows) -> None:
    rows["dialogues"][-1] |= {
        "reward": draw.choice((None, 0.0, 1.0)),
        "tools_logged": draw.choice((None, True)),
    }
    for index in range(draw.randint(0, 3)):
        call = {"turn_index": 0, "call_index": index, "name": draw.choice("ab")}
        ended = {"arguments": draw.choice(("{}", None, "{")), "failed": draw.choice((True, False, None))}
        rows["tool_calls"].append({"dialogue_id": key} | call | ended)
        tokens = {name: draw.choice((None, 1, 7, 7, 3)) for name in ("input_tokens", "output_tokens")}
        price = {"cost": draw.choice((None, 0.5, 2.0, 2.0, 1.0)), "currency": "EUR"}
        rows["usage"].append({"dialogue_id": key, "usage_index": index, **tokens, **price})


def _turn(draw: random.Random, at: dict[str, Any], party: str, channel: str, rows: Rows) -> None:
    start = 10.0 * at["turn_index"] + draw.uniform(-2, 2)
    said, heard = (" ".join(draw.choices(WORDS, k=draw.randint(0, 4))) for _ in range(2))
    turn = at | {
        "party": party,
        "text": heard,
        "reference": draw.choice((said, None)),
        "onset_s": start,
        "offset_s": start + draw.uniform(0.5, 5),
    }
    if party == "system":
        turn |= {flag: draw.choice((True, False, None)) for flag in FLAGS}
        turn |= {"first_output_s": start, "complete_s": start + 1}
    else:
        turn |= {
            "sent_s": turn["offset_s"] if channel == "text" else None,
            "barge_in": draw.choice((True, False)),
        }
    rows["turns"].append(turn)
    if party == "user":
        texts = [heard, *(" ".join(draw.choices(WORDS, k=2)) for _ in range(draw.randint(0, 3)))]
        rows["hypotheses"] += [
            at | {"source": "live", "rank": rank, "text": text, "score": draw.choice((None, draw.random()))}
            for rank, text in enumerate(texts)
        ]
    layers = ("reference", "understood") if party == "user" else ("system",)
    for layer in layers:
        _acts(draw, at, layer, rows)
    for layer in LAYERS.values():
        if layer.about in ("turn", party) and layer.labels and draw.random() < 0.5:
            label = {
                "layer": layer.name,
                "label": draw.choice(tuple(layer.labels)),
                "annotator_id": draw.choice("ab"),
            }
            rows["annotations"].append(at | label | {"value": "food=thai" if layer.name == "avp" else None})


def _acts(draw: random.Random, at: dict[str, Any], layer: str, rows: Rows) -> None:
    if layer == "system":
        venue = draw.choice(tuple(VENUES))
        said = [("offer", "name", "=", venue), ("inform", "phone", "=", VENUES[venue]["phone"])]
    else:
        chosen = draw.sample(CONCEPTS, draw.randint(1, 2))
        said = [
            (act, slot, op, draw.choice(("thai", "pizza", "north")) if op else None)
            for act, slot, op in chosen
        ]
    source = "label" if layer == "reference" else "bot"
    rows["acts"] += [
        at
        | {
            "layer": layer,
            "source": source,
            "rank": 0,
            "position": place,
            "act": act,
            "slot": slot,
            "op": op,
            "value": value,
        }
        for place, (act, slot, op, value) in enumerate(said)
    ]


def written(folder: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Dataset:
    with replacing():
        writer = DatasetWriter(folder, study={"name": "laws"}, source={"kind": "test"})
    for name, own in rows.items():
        writer.add(name, own)
    return writer.close()


def shuffled(rows: Rows, seed: int) -> Rows:
    draw = random.Random(seed)
    return {name: draw.sample(own, len(own)) for name, own in rows.items()}


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), order=st.integers(0, 2**32))
def test_the_order_of_the_rows_of_any_table_never_matters(tmp_path: Path, seed: int, order: int) -> None:
    rows = talks(seed)
    there = compute(written(tmp_path / "there", rows), by="condition")
    back = compute(written(tmp_path / "back", shuffled(rows, order)), by="condition")
    pd.testing.assert_frame_equal(there, back, check_exact=False, rtol=1e-9)


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_every_measure_over_a_group_is_the_sum_of_its_dialogues_components(tmp_path: Path, seed: int) -> None:
    dataset = written(tmp_path / "D", talks(seed))
    conditions = dataset.read("dialogues").to_pylist()
    key_of = {row["dialogue_id"]: row["condition"] for row in conditions}
    parts = components(dataset)
    sums = parts.assign(key=[key_of[one] for one in parts["dialogue_id"]]).groupby(["key", "measure"])
    for row in compute(dataset, by="condition").to_dict("records"):
        own = sums.get_group((row["key"], row["measure"]))
        numerator, denominator = own["numerator"].sum(), own["denominator"].sum()
        assert row["dialogues"] == (own["denominator"] > 0).sum()
        if denominator:
            assert row["value"] == pytest.approx(numerator / denominator), row["measure"]
        else:
            assert pd.isna(row["value"]), row["measure"]


def test_the_random_talks_reach_nearly_every_measure(tmp_path: Path) -> None:
    """Else the laws would hold of nothing."""
    reached: set[str] = set()
    for seed in range(8):
        table = compute(written(tmp_path / str(seed), talks(seed)))
        reached |= set(table[table["dialogues"] > 0]["measure"])
    assert set(MEASURES.names()) - reached == set()


def test_of_an_empty_dialogue_only_the_numbers_of_turns_are_known(tmp_path: Path) -> None:
    row = {
        "dialogue_id": "d",
        "study": "laws",
        "system": "x",
        "condition": "x",
        "channel": "text",
        "language": "en",
        "simulated": False,
    }
    table = compute(written(tmp_path / "D", {"dialogues": [row]})).set_index("measure")
    known = set(table[table["value"].notna()].index)
    assert known == {"turns", "user_turns", "system_turns"}
    assert (table.loc[list(known), "value"] == 0).all()
