"""Rules told anew over a dataset: of which turns they speak."""

from pathlib import Path

from vivavoce.dataset.turn_flags import flag_again
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.study.flags import FlagRules


def test_rules_tell_the_flags_of_the_turns_of_their_own_system_alone(tmp_path: Path) -> None:
    facts = {"study": "s", "condition": "c", "channel": "text", "language": "en", "simulated": False}
    with DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"}) as writer:
        for system in ("kiosk", "counter"):
            key = {"dialogue_id": system}
            writer.add("dialogues", [key | facts | {"system": system}])
            turns = [("system", "Which book?"), ("user", "The atlas?"), ("system", "It is on the shelf.")]
            writer.add(
                "turns",
                [
                    key | {"turn_index": at, "party": party, "text": text}
                    for at, (party, text) in enumerate(turns)
                ],
            )
            for at, layer, rank in ((2, "proposed", 0), (2, "system", 1)):
                act = {"act": "request", "source": "bot", "layer": layer, "rank": rank, "position": 0}
                writer.add("acts", [key | act | {"turn_index": at}])
        dataset = writer.close()
    rules = {"kiosk": FlagRules.model_validate({"question": [{"pattern": "[?]$"}]})}
    turns = flag_again(dataset, rules, tmp_path / "F").read("turns").to_pylist()
    told = {(one["dialogue_id"], one["turn_index"]): one["question"] for one in turns}
    assert {key: told[key] for key in told if key[0] == "kiosk"} == {
        ("kiosk", 0): True,
        ("kiosk", 1): None,
        ("kiosk", 2): False,
    }
    assert [value for (system, _), value in told.items() if system == "counter"] == [None] * 3
