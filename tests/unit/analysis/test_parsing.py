"""The score of a parser, against turns that one can count by hand and against real labels."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.analysis.parsing import ParsedItem, _asked, _concepts, _Counts, _items, _people, score_parser
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

TURNS = {
    1: (["inform food = thai", "inform area = north"], ["inform food = thai", "inform type = pub"]),
    3: (["request phone"], ["request area"]),
    5: (["inform this = dontcare"], ["inform pricerange = dontcare"]),
    7: (["null"], ["null"]),
}


def written(folder: Path, *, sources: tuple[str, ...] = ("label", "parser")) -> Dataset:
    writer = DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"})
    for key in "ab":
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": key,
                    "study": "s",
                    "system": "x",
                    "condition": "x",
                    "participant_id": key,
                    "channel": "phone",
                    "language": "en",
                    "simulated": False,
                }
            ],
        )
        asked = {
            "dialogue_id": key,
            "turn_index": 4,
            "layer": "system",
            "source": "bot",
            "rank": 0,
            "position": 0,
        }
        writer.add("acts", [asked | {"act": "request", "slot": "pricerange"}])
        for index, both in TURNS.items():
            for source, said in zip(("label", "parser"), both, strict=True):
                if source in sources:
                    writer.add("acts", [row(key, index, source, *one) for one in enumerate(said)])
    return writer.close()


def row(key: str, index: int, source: str, position: int, said: str) -> dict[str, object]:
    act, slot, op, value = (*said.split(), None, None, None)[:4]
    return {
        "dialogue_id": key,
        "turn_index": index,
        "layer": "reference",
        "source": source,
        "rank": 0,
        "position": position,
        "act": act,
        "slot": slot,
        "op": op,
        "value": value,
    }


def test_items_acts_and_slots_are_counted_as_by_hand(tmp_path: Path) -> None:
    """Of four items in each dialogue two are read; one is invented, and `type` left out."""
    found = score_parser(written(tmp_path / "D"))
    items = found.items
    assert (items.hits, items.missed, items.extra) == (4, 4, 2)
    assert items.f1 == pytest.approx(2 * 4 / (2 * 4 + 6))
    assert found.acts.f1 == 1
    assert found.slots.recall == 0.5
    assert found.exact.share == 0.5
    assert found.left_out == ["type"]
    assert (found.turns, found.participants, found.judge) == (8, 2, "label")
    assert list(found.by_act) == ["inform", "request"]
    told = {act: (one.hits, one.missed, one.extra) for act, one in found.by_act.items()}
    assert told == {"inform": (4, 2, 0), "request": (0, 2, 2)}
    assert found.by_act["request"].f1 == 0
    assert found.success is None


@pytest.mark.parametrize(
    ("sources", "problem"),
    [
        (("label",), "no parser results"),
        (("parser",), "no labels"),
    ],
)
def test_without_two_readings_there_is_no_score(
    tmp_path: Path, sources: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        score_parser(written(tmp_path / "D", sources=sources))


@pytest.mark.shared
def test_the_rules_read_real_callers_nearly_as_their_labels_do(shared: Path, tmp_path: Path) -> None:
    lists = shared / "data" / "cambridge_restaurants" / "CamRestOTGY.json"
    calls, archive = tmp_path / "calls", shared / "data" / "dstc2" / "Mar13_S0A0.tar.gz"
    run = CliRunner()
    assert run.invoke(app, ["import", "dstc2", str(archive), "--into", str(calls)]).exit_code == 0
    shown = run.invoke(app, ["parse", str(calls), "--domain", str(lists), "--json"])
    facts = json.loads(shown.stdout)
    assert facts["items"]["f1"] > 0.95
    assert facts["slots"]["low"] > 0.94
    assert abs(facts["success"]["difference"]) < 0.03
    assert facts["success"]["low"] <= facts["success"]["difference"] <= facts["success"]["high"]


def test_an_act_is_read_with_the_slot_that_was_asked_for() -> None:
    for act, slot, op, value, asked, expected in [
        ("inform", "food", "=", "Thai", None, ("inform", "food", "thai")),
        ("deny", "food", "!=", "thai", "area", ("deny", "food", "not thai")),
        ("inform", "this", "=", "thai", "food", ("inform", "food", "thai")),
        ("inform", "this", "=", "thai", None, ("inform", "this", "thai")),
        ("hello", None, None, None, "food", ("hello", "", "")),
        ("null", None, None, None, "food", None),
    ]:
        found = _items([{"act": act, "slot": slot, "op": op, "value": value}], asked)
        assert found == (set() if expected is None else {ParsedItem(*expected)})


def test_what_is_said_of_slots_is_values_that_are_told_and_slots_that_are_asked_for() -> None:
    told = [
        ("request", "area", ""),
        ("inform", "food", "thai"),
        ("deny", "food", "greek"),
        ("hello", "", ""),
        ("select", "food", "thai"),
        ("inform", "", "yes"),
        ("request", "", ""),
    ]
    expected = {("request", "area"), ("food", "thai"), ("food", "greek")}
    assert _concepts([ParsedItem(*one) for one in told]) == expected


@pytest.mark.parametrize(
    ("hits", "extra", "missed", "expected"),
    [
        (3, 1, 2, (3 / 4, 3 / 5, 6 / 9)),
        (0, 0, 2, (None, 0.0, 0.0)),
        (0, 3, 0, (0.0, None, 0.0)),
        (0, 0, 0, (None, None, None)),
        (5, 2, 0, (5 / 7, 1.0, 10 / 12)),
    ],
)
def test_precision_recall_and_f1_are_shares_of_what_was_read_and_meant(hits, extra, missed, expected) -> None:
    counts, said = (
        _Counts(),
        [set(range(hits + missed)), set(range(hits)) | {-1 - one for one in range(extra)}],
    )
    counts.add("p", *said)
    counts.add("q", set(), set())
    found = counts.score()
    assert (found.precision, found.recall, found.f1) == pytest.approx(expected)
    assert (found.hits, found.extra, found.missed) == (hits, extra, missed)


def test_only_the_first_reading_counts_and_the_last_slot_asked_for_by_the_system(tmp_path: Path) -> None:
    dataset = written(tmp_path / "D")
    with DatasetWriter(tmp_path / "E", study={"name": "s"}, source={"kind": "test"}) as writer:
        talk = dataset.read("dialogues").to_pylist()[0]
        writer.add("dialogues", [talk | {"participant_id": None}, talk | {"dialogue_id": "c"}])
        asked = [
            (1, "area", 0, "system"),
            (0, "food", 0, "system"),
            (2, "name", 1, "system"),
            (3, "type", 0, "reference"),
        ]
        for position, slot, rank, layer in asked:
            base = row("a", 4, "bot", position, f"request {slot}")
            writer.add("acts", [base | {"rank": rank, "layer": layer}])
        writer.add("acts", [row("a", 4, "bot", 4, "inform phone") | {"layer": "system"}])
        writer.add("acts", [row("a", 6, "bot", 0, "confirm food") | {"layer": "system"}])
        writer.add("acts", [row("a", 8, "bot", 0, "select") | {"layer": "system"}])
        made = writer.close()
    assert _asked(made) == {("a", 5): "area", ("a", 7): "food"}
    assert _people(made) == {"a": "unknown a", "c": "a"}
