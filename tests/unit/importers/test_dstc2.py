"""DSTC2 calls become a dataset: rows, places, broken calls, and the real corpus's published counts."""

import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.importers.base import IMPORTERS
from vivavoce.measures import compute
from vivavoce_corpora.dstc2 import import_dstc2

GOLDEN = Path(__file__).parents[2] / "golden" / "dstc2-table.json"


def rows(dataset: Dataset, table: str, **equal: Any) -> list[dict[str, Any]]:
    found = dataset.read(table).to_pylist()
    return [row for row in found if all(row[name] == value for name, value in equal.items())]


def acts(dataset: Dataset, layer: str, turn_index: int) -> list[tuple[Any, ...]]:
    found = rows(dataset, "acts", layer=layer, turn_index=turn_index)
    return [(row["rank"], row["act"], row["slot"], row["op"], row["value"]) for row in found]


@pytest.fixture
def one(corpus: Path, tmp_path: Path) -> Dataset:
    return import_dstc2([corpus / "Mar13_S1A0" / "one"], tmp_path / "D").dataset


def archive_of(folder: Path, path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, folder.name)
    return path


def test_the_importer_stands_on_its_shelf() -> None:
    assert IMPORTERS.get("dstc2").read is import_dstc2


def test_an_unknown_format_is_answered_with_the_nearest_before_anything_is_imported() -> None:
    with pytest.raises(InputError, match=r"^import: unknown format 'dstc'. Did you mean 'dstc2'\?"):
        IMPORTERS.get("dstc", place="import")


def test_a_call_becomes_a_dialogue_with_condition_and_factors(one: Dataset) -> None:
    (dialogue,) = rows(one, "dialogues")
    assert dialogue["condition"] == "S1A0"
    assert (dialogue["factor_dialogue_manager"], dialogue["factor_acoustic_condition"]) == ("S1", "A0")
    assert (dialogue["task_id"], dialogue["task_text"]) == ("00042", "Find something cheap.")
    assert dialogue["duration_s"] == 16.0
    assert not one.simulated


def test_one_turn_of_the_corpus_is_two_of_ours(one: Dataset) -> None:
    turns = rows(one, "turns")
    assert [(turn["turn_index"], turn["party"]) for turn in turns] == [
        (0, "system"),
        (1, "user"),
        (2, "system"),
        (3, "user"),
    ]
    assert (turns[3]["text"], turns[3]["reference"]) == ("the fond", "the phone")


def test_a_system_turn_that_was_cut_off_is_a_barge_in(one: Dataset) -> None:
    assert [turn["barge_in"] for turn in rows(one, "turns", party="user")] == [False, True]


def test_a_user_turn_without_any_hypothesis_has_no_text(
    call: dict[str, Any], write_call: Callable[..., Path], tmp_path: Path
) -> None:
    call["log.json"]["turns"][0]["input"]["live"]["asr-hyps"] = []
    dataset = import_dstc2([write_call(tmp_path / "c_S0A0" / "x", call)], tmp_path / "D").dataset
    assert rows(dataset, "turns", turn_index=1)[0]["text"] is None


def test_acts_keep_their_layer_rank_and_the_slot_asked_for(one: Dataset) -> None:
    assert acts(one, "system", 2) == [
        (0, "offer", "name", "=", "Yu Garden"),
        (0, "inform", "area", "=", "east"),
    ]
    assert acts(one, "understood", 3) == [(0, "request", "phone", None, None), (1, "null", None, None, None)]
    assert acts(one, "reference", 1)[1] == (0, "inform", "this", "=", "dontcare")


def test_both_recognition_passes_are_kept_with_rank_and_score(one: Dataset) -> None:
    found = rows(one, "hypotheses", turn_index=1)
    assert [(row["source"], row["rank"], row["score"]) for row in found] == [
        ("live", 0, -0.5),
        ("live", 1, -2.0),
        ("batch", 0, -0.6),
    ]


def test_the_form_becomes_ratings_with_raw_codes(one: Dataset) -> None:
    found = {row["item_id"]: (row["role"], row["value"], row["answer"]) for row in rows(one, "ratings")}
    assert found == {
        "found_all": ("subjective_success", 1.0, "yes"),
        "understood": (None, 3.0, "slightly agree"),
        "comment": (None, None, "fine"),
    }


def test_the_task_becomes_an_assigned_goal(one: Dataset) -> None:
    found = [(row["kind"], row["slot"], row["value"]) for row in rows(one, "goals", origin="assigned")]
    assert found == [
        ("type", None, "restaurant"),
        ("constraint", "pricerange", "cheap"),
        ("request", "phone", None),
    ]


def test_dialogues_are_numbered_within_a_caller_by_time(corpus: Path, tmp_path: Path) -> None:
    result = import_dstc2([corpus], tmp_path / "D")
    numbers = {row["dialogue_id"]: row["dialogue_number"] for row in rows(result.dataset, "dialogues")}
    assert numbers == {
        "voip-aa-20130301_100000": 1,
        "voip-aa-20130301_110000": 2,
        "voip-bb-20130301_100000": 1,
    }
    assert len(rows(result.dataset, "participants")) == 2


def test_without_venues_the_most_frequent_value_is_the_entity(
    make_call: Callable[..., dict[str, Any]], write_call: Callable[..., Path], tmp_path: Path
) -> None:
    for number, area in enumerate(("east", "west", "east")):
        call = make_call(f"call-{number}")
        call["log.json"]["turns"][1]["output"]["dialog-acts"][1]["slots"] = [["area", area]]
        write_call(tmp_path / "c_S0A0" / str(number), call)
    dataset = import_dstc2([tmp_path / "c_S0A0"], tmp_path / "D").dataset
    (entity,) = rows(dataset, "entities", slot="area")
    assert (entity["entity_id"], entity["value"], entity["source"]) == ("yu garden", "east", "self_reported")


def test_with_venues_the_database_is_the_entities_and_strange_offers_are_noted(
    corpus: Path, tmp_path: Path
) -> None:
    venues = tmp_path / "db.json"
    place = {"name": "charlie", "id": "7", "address": "A2", "postcode": "C.B 2, 1 A.B", "area": None}
    venues.write_text("# ours\n#\n" + json.dumps([place]))
    dataset = import_dstc2([corpus], tmp_path / "D", venues=venues).dataset
    found = {
        row["slot"]: (row["entity_id"], row["match"], row["source"]) for row in rows(dataset, "entities")
    }
    assert found == {"addr": ("7", "exact", "database"), "postcode": ("7", "prefix", "database")}
    assert any("yu garden" in note for note in dataset.manifest["notes"])


@pytest.mark.parametrize("content", ["", "{}", "[]", "[{}]", '[{"name": "a"}, {"name": "a"}]', "["])
def test_a_bad_venue_file_is_named(corpus: Path, tmp_path: Path, content: str) -> None:
    venues = tmp_path / "db.json"
    venues.write_text(content)
    with pytest.raises(InputError, match=r"db\.json"):
        import_dstc2([corpus], tmp_path / "D", venues=venues)


def test_folders_archives_and_a_folder_of_archives_give_the_same_calls(corpus: Path, tmp_path: Path) -> None:
    archives = tmp_path / "archives"
    archives.mkdir()
    archive_of(corpus / "Mar13_S0A1", archives / "b.tar.gz")
    archive_of(corpus / "Mar13_S1A0", archives / "a.tgz")
    results = [
        import_dstc2(paths, tmp_path / f"D{number}")
        for number, paths in enumerate(
            [
                [corpus],
                [archives],
                [archives / "a.tgz", archives / "b.tar.gz"],
                [tmp_path / "corpus" / "."],
            ]
        )
    ]
    tables = [sorted(map(str, rows(result.dataset, "dialogues"))) for result in results]
    assert [result.calls for result in results] == [3, 3, 3, 3]
    assert all(table == tables[0] for table in tables)


def test_nothing_of_an_archive_is_ever_written_to_disk(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "evil_S0A0.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("log.json", "label.json"):
            archive.add(corpus / "Mar13_S1A0" / "one" / name, f"../../escaped/{name}")
        link = tarfile.TarInfo("Mar13_S0A0/linked/log.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    result = import_dstc2([path], tmp_path / "D")
    assert result.calls == 1
    assert not list(tmp_path.parent.rglob("escaped"))


def test_the_condition_falls_back_on_the_log(corpus: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain" / "call"
    shutil.copytree(corpus / "Mar13_S0A1" / "three", plain)
    (dialogue,) = rows(import_dstc2([plain.parent], tmp_path / "D").dataset, "dialogues")
    assert dialogue["condition"] == "S1A0"


def _break_json(call: Path) -> None:
    (call / "log.json").write_text('{"session-id": ')


def _lose_label(call: Path) -> None:
    (call / "label.json").unlink()


def _edit(call: Path, name: str, change: Any) -> None:
    content = json.loads((call / name).read_text())
    change(content)
    (call / name).write_text(json.dumps(content))


BREAKAGES = {
    "unfinished": (_break_json, r"log\.json is not JSON"),
    "label lost": (_lose_label, r"label\.json is missing"),
    "key lost": (
        lambda call: _edit(call, "log.json", lambda log: log.pop("caller-id")),
        "no key 'caller-id'",
    ),
    "feedback lost": (
        lambda call: _edit(call, "label.json", lambda label: label["task-information"].pop("feedback")),
        "no key 'feedback'",
    ),
    "a list": (lambda call: (call / "log.json").write_text("[]"), "unexpected content"),
    "turn lost": (
        lambda call: _edit(call, "label.json", lambda label: label["turns"].pop()),
        "2 turns in log",
    ),
    "time a word": (
        lambda call: _edit(
            call, "log.json", lambda log: log["turns"][0]["output"].update({"end-time": "soon"})
        ),
        "unexpected content",
    ),
    "other call": (
        lambda call: _edit(call, "label.json", lambda label: label.update({"session-id": "x"})),
        "label.json of x",
    ),
    "null id": (
        lambda call: [
            _edit(call, name, lambda file: file.update({"session-id": None}))
            for name in ("log.json", "label.json")
        ],
        "null",
    ),
}


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_broken_call_is_reported_with_its_place_and_skipped(
    corpus: Path, tmp_path: Path, name: str
) -> None:
    damage, message = BREAKAGES[name]
    damage(corpus / "Mar13_S1A0" / "two")
    result = import_dstc2([corpus], tmp_path / "D")
    assert result.calls == 2
    (line,) = result.skipped
    assert "Mar13_S1A0/two" in line
    with pytest.raises(InputError, match=message):
        import_dstc2([corpus], tmp_path / "E", strict=True)
    assert not (tmp_path / "E" / "dataset.json").exists()


def test_a_call_found_twice_is_counted_once(corpus: Path, tmp_path: Path) -> None:
    archive_of(corpus / "Mar13_S0A1", corpus / "copy.tar.gz")
    result = import_dstc2([corpus], tmp_path / "D")
    assert result.calls == 3
    assert "already read from" in result.skipped[0]


def test_a_truncated_archive_is_reported_and_the_rest_is_read(corpus: Path, tmp_path: Path) -> None:
    whole = archive_of(corpus / "Mar13_S1A0", tmp_path / "whole.tar.gz").read_bytes()
    (corpus / "cut.tar.gz").write_bytes(whole[: len(whole) // 3])
    result = import_dstc2([corpus], tmp_path / "D")
    assert result.calls == 3
    assert "cut.tar.gz" in result.skipped[0]


def test_no_call_at_all_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="xpected <condition>"):
        import_dstc2([tmp_path / "empty"], tmp_path / "D")


@pytest.mark.parametrize("name", ["absent", "text.txt"])
def test_a_path_that_is_no_corpus_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.txt").write_text("hello")
    with pytest.raises(InputError, match=name):
        import_dstc2([tmp_path / name], tmp_path / "D")


def test_progress_counts_up_to_the_number_of_calls(corpus: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    import_dstc2([corpus], tmp_path / "D", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.shared
def test_the_real_corpus_gives_the_published_counts(dstc2: Dataset) -> None:
    golden = json.loads(GOLDEN.read_text())
    names = ["user_turns", "user_words", "word_error_rate"]
    pooled = {by: compute(dstc2, names, by=by).set_index(["key", "measure"]) for by in (None, "condition")}
    for condition, calls, callers, successes, *numbers in golden["expected"]:
        whole = condition == "all"
        dialogues = rows(dstc2, "dialogues") if whole else rows(dstc2, "dialogues", condition=condition)
        ids = {row["dialogue_id"] for row in dialogues}
        rated = [
            row["value"]
            for row in rows(dstc2, "ratings", role="subjective_success")
            if row["dialogue_id"] in ids
        ]
        table = pooled[None if whole else "condition"].loc[condition]
        assert (len(ids), len({row["participant_id"] for row in dialogues}), sum(rated)) == (
            calls,
            callers,
            successes,
        )
        assert [table.loc[name, "numerator"] for name in names[:2]] == numbers[:2]
        assert table.loc["word_error_rate", "value"] == pytest.approx(
            numbers[2], abs=golden["tolerance"]["word_error_rate"]
        )


@pytest.mark.shared
def test_the_real_calls_are_all_read_and_all_venues_known(dstc2: Dataset, dstc2_checked: Dataset) -> None:
    assert dstc2.manifest["tables"]["dialogues"]["rows"] == 1300
    assert not any("left out" in note for note in dstc2.manifest["notes"])
    assert {row["source"] for row in rows(dstc2_checked, "entities")} == {"database"}
    assert not any("lacks" in note for note in dstc2_checked.manifest["notes"])
