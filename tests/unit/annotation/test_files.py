"""Annotations to files and back: nothing is lost on the way, and a mistake is named with its place."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenes.annotating import annotated_study, hold_dialogue
from vivavoce.annotation.files import COLUMNS, Blank, read_annotations, with_annotations, write_annotations
from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.taking_in import take_in
from vivavoce.annotation.tiers import (
    Timeline,
    read_eaf,
    read_labels,
    read_textgrid,
    write_eaf,
    write_textgrid,
    written,
)
from vivavoce.core.errors import InputError
from vivavoce.dataset.annotation_layers import ADJUDICATED, Labels
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.schemes import bundled

NOW = datetime(2026, 11, 21, 14, 0, tzinfo=UTC)
Row = dict[str, Any]
HOSTILE = "=cmd|' /C calc'!A0"


def row(
    turn: int | None, layer: str, label: str, value: str | None = None, who: str = "anna"
) -> dict[str, Any]:
    found = {
        "dialogue_id": "dialogue-000",
        "turn_index": turn,
        "layer": layer,
        "label": label,
        "value": value,
    }
    return found | {"annotator_id": who, "annotated_at": NOW}


ROWS = [
    row(0, "context", "AP"),
    row(2, "context", "IA"),
    row(4, "context", "AP"),
    row(2, "maxim", "manner"),
    row(2, "maxim", "repair"),
    row(1, "avp", "c", "food=thai"),
    row(1, "avp", "s", "price=(cheap)|low\\"),
    row(3, "avp", "d", HOSTILE),
    row(None, "subtask", "S"),
    row(None, "correction", "none"),
    row(0, "context", "IA", who="bruno é@x"),
    row(2, "own_layer", "very good", "because"),
]


@pytest.fixture
def dataset(tmp_path: Path) -> Iterator[Dataset]:
    """Two dialogues, the first with annotations of many kinds."""
    study = annotated_study(tmp_path / "study", "schemes: [context]")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        for number in range(2):
            hold_dialogue(log, study, number)
        bare = export_dataset(log, study.name, tmp_path / "bare")
    yield with_annotations(bare, ROWS, tmp_path / "annotated", NOW)


def bare(rows: list[dict[str, Any]], *, times: bool = False) -> set[tuple[Any, ...]]:
    return {tuple(one[name] for name in COLUMNS if times or name != "annotated_at") for one in rows}


@pytest.mark.parametrize("format", ["csv", "parquet", "eaf", "textgrid"])
def test_what_is_written_is_read_again(dataset: Dataset, tmp_path: Path, format: str) -> None:
    paths = write_annotations(dataset, tmp_path / format, format)
    found = read_annotations(paths, dataset)
    exact = format in ("csv", "parquet")
    assert bare(found, times=exact) == bare(ROWS, times=exact)
    assert len(found) == len(ROWS)


@pytest.mark.parametrize("format", ["csv", "parquet", "eaf", "textgrid"])
def test_files_may_lie_at_an_address(dataset: Dataset, format: str) -> None:
    pytest.importorskip("upath")
    place = Path(f"memory://labels-{uuid4().hex}/files")  # as a verb is given it: a slash is gone
    write_annotations(dataset, place, format)
    assert bare(read_annotations([place], dataset)) == bare(ROWS)


def test_a_spreadsheet_runs_no_cell_of_the_csv(dataset: Dataset, tmp_path: Path) -> None:
    (path,) = write_annotations(dataset, tmp_path / "out", "csv")
    assert f"'{HOSTILE}" in path.read_text(encoding="utf-8")


def test_a_blank_form_is_filled_in_by_hand_and_taken_in(dataset: Dataset, tmp_path: Path) -> None:
    blank = Blank((bundled("context"), bundled("subtask")), "dora")
    (path,) = write_annotations(dataset, tmp_path / "out", "csv", blank=blank)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 2 * (1 + 3 + 1)
    assert "I am sorry" in lines[3]
    with pytest.raises(InputError, match="contains no annotations"):
        read_annotations([tmp_path / "nowhere"], dataset)
    with pytest.raises(InputError, match=r"annotations.csv:2: '\?' is not a label; 4 such"):
        read_annotations([path], dataset)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(",?,", ",,"), encoding="utf-8")
    assert read_annotations([path], dataset) == []
    path.write_text("\n".join([*lines[:2], lines[2].replace("context,,", "context,TF,")]), encoding="utf-8")
    (found,) = read_annotations([path], dataset)
    assert (found["turn_index"], found["label"], found["annotator_id"]) == (0, "TF", "dora")


@pytest.mark.parametrize("format", ["csv", "eaf"])
def test_dialogues_judged_by_hand_without_a_label_count_as_zero(
    dataset: Dataset, tmp_path: Path, format: str
) -> None:
    paths = write_annotations(
        dataset, tmp_path / "out", format, blank=Blank((bundled("help_request"),), "dora")
    )
    if format == "csv":
        text = paths[0].read_text(encoding="utf-8")
        first, second = text.split("dialogue-001", 1)
        filled = first.replace("help_request,,", "help_request,yes,", 1) + "dialogue-001" + second
        paths[0].write_text(filled.replace(",?,", ",none,"), encoding="utf-8")
    else:
        for path in paths:
            path.write_text(path.read_text(encoding="utf-8").replace(">?<", ">none<"), encoding="utf-8")
    judged = [one for one in read_annotations(paths, dataset) if one["annotator_id"] == "dora"]
    assert {one["dialogue_id"] for one in judged} == {"dialogue-000", "dialogue-001"}


def test_dialogues_with_strange_keys_have_files_of_their_own(tmp_path: Path) -> None:
    keys = ["a/b", "a_b", "a b", "../a", "è", "a%2Fb"]
    with DatasetWriter(tmp_path / "data", study={"name": "s"}, source={"kind": "test"}) as writer:
        fixed = {"study": "s", "system": "x", "condition": "x", "channel": "voice", "language": "en"}
        writer.add("dialogues", [{"dialogue_id": key, "simulated": False, **fixed} for key in keys])
        writer.add("turns", [{"dialogue_id": key, "turn_index": 0, "party": "system"} for key in keys])
        rows = [{**row(0, "context", "AP"), "dialogue_id": key} for key in keys]
        writer.add("annotations", rows)
        made = writer.close()
    paths = write_annotations(made, tmp_path / "out", "eaf")
    assert {path.parent for path in paths} == {tmp_path / "out"}
    assert len(set(paths)) == len(keys)
    assert bare(read_annotations(paths, made)) == bare(rows)


def test_blank_tiers_carry_the_words_and_wait_for_labels(dataset: Dataset, tmp_path: Path) -> None:
    blank = Blank((bundled("correction"), bundled("subtask")), "dora")
    paths = write_annotations(dataset, tmp_path / "out", "eaf", blank=blank)
    text = paths[0].read_text(encoding="utf-8")
    assert len(paths) == 2
    assert "I am sorry, I did not understand that." in text
    for tier in ("correction/user@dora", "correction/system@dora", "subtask/dialogue@dora", "said user"):
        assert f'TIER_ID="{tier}"' in text
    with pytest.raises(InputError, match=r"'\?' is not a label"):
        read_annotations(paths, dataset)


def test_an_interval_that_was_moved_is_about_the_turn_it_overlaps_most(
    dataset: Dataset, tmp_path: Path
) -> None:
    from pympi.Elan import Eaf

    (path,) = write_annotations(dataset, tmp_path / "out", "eaf")
    file = Eaf(str(path))
    file.add_tier("help_request/user@erin")
    line = next(one for one in _lines(dataset) if one.dialogue_id == "dialogue-000")
    start, end = line.spans[3]
    file.add_annotation("help_request/user@erin", start, end + 400, "yes")
    file.to_file(str(path))
    found = [one for one in read_annotations([path], dataset) if one["annotator_id"] == "erin"]
    assert [(one["turn_index"], one["layer"], one["label"]) for one in found] == [(3, "help_request", "yes")]


def _lines(dataset: Dataset) -> list[Timeline]:
    from vivavoce.annotation.files import timelines

    return timelines(dataset)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nobody,0,context,AP,,x", "annotations.csv:2: unknown dialogue 'nobody'"),
        ("dialogue-000,9,context,AP,,x", "annotations.csv:2: dialogue 'dialogue-000' has no turn 9"),
        ("dialogue-000,zero,context,AP,,x", "annotations.csv:2 turn_index: 'zero' is not a turn number"),
        ("dialogue-000,²,context,AP,,x", "annotations.csv:2 turn_index: '²' is not a turn number"),
        ("dialogue-000,0,context,XX,,x", "unknown label of context 'XX'"),
        ("dialogue-000,1,context,AP,,x", "'context' does not apply to this turn"),
        ("dialogue-000,0,subtask,S,,x", "applies to the dialogue: leave turn_index empty"),
        ("dialogue-000,0,context,AP,,", "annotations.csv:2: annotator_id is empty"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_place(
    dataset: Dataset, tmp_path: Path, line: str, expected: str
) -> None:
    path = tmp_path / "annotations.csv"
    path.write_text(f"dialogue_id,turn_index,layer,label,value,annotator_id\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_annotations([path], dataset)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("annotations.csv", b"dialogue_id,label\n", "column 'layer'"),
        ("annotations.csv", b"\xff\xfe\x00", "is not a UTF-8 CSV file"),
        ("annotations.parquet", b"PAR0", "is not a Parquet file"),
        ("dialogue-000.eaf", b"<not", "is not an ELAN file"),
        ("dialogue-000.eaf", b"<a/>", "is not an ELAN file"),
        ("dialogue-000.TextGrid", b"hello", "is not a TextGrid"),
        ("stranger.eaf", b"<a/>", "no dialogue 'stranger' in the dataset"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_one_line(
    dataset: Dataset, tmp_path: Path, name: str, content: bytes, expected: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_annotations([tmp_path / name], dataset)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_copy_of_a_dataset_keeps_every_other_table_and_replaces_whoever_annotates_anew(
    dataset: Dataset, tmp_path: Path
) -> None:
    again = with_annotations(dataset, [row(2, "context", "TF")], tmp_path / "again", NOW)
    for table in ("dialogues", "turns", "goals", "entities", "participants"):
        assert again.read(table).equals(dataset.read(table)), table
    kept = [one for one in again.read("annotations").to_pylist() if one["layer"] == "context"]
    assert [(one["annotator_id"], one["label"]) for one in kept] == [("anna", "TF"), ("bruno é@x", "IA")]
    with pytest.raises(InputError, match="written over itself"):
        with_annotations(dataset, [], dataset.folder, NOW)


def test_files_become_events_once_and_a_decision_wins(tmp_path: Path) -> None:
    study = annotated_study(tmp_path / "study", "schemes: [context]")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        hold_dialogue(log, study, 0)
        workplace = LABELS.open(study, log)
        given = [
            row(0, "context", "AP"),
            row(2, "context", "IA"),
            row(0, "context", "AP", who="bruno"),
            row(2, "context", "TF", who="bruno"),
            row(0, "context", "AP", who=ADJUDICATED),
            row(2, "context", "TF", who=ADJUDICATED),
        ]
        assert take_in(workplace, given, by="file") == 3
        first = export_dataset(log, study.name, tmp_path / "first").read("annotations").to_pylist()
        assert bare(first) == bare(given)
        seq = workplace.see().seq
        assert take_in(workplace, first, by="file") == 0
        assert workplace.see().seq == seq, "what is there already is not said again"
        assert take_in(workplace, [row(2, "context", "IC")], by="file") == 1
        later = export_dataset(log, study.name, tmp_path / "later").read("annotations").to_pylist()
        anna = [(one["turn_index"], one["label"]) for one in later if one["annotator_id"] == "anna"]
        assert anna == [(2, "IC")], "a layer is replaced as a whole"
        assert Labels(later).of("context")["dialogue-000"][-1].label == "TF"


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(
    lambda text: text.strip() == text and not {"\u2028", "\u2029", "\ufffe", "\uffff"} & set(text)
)


@given(st.lists(st.tuples(texts, st.one_of(st.none(), texts)), min_size=1, max_size=4))
def test_any_labels_survive_being_written_as_one_text(labels: list[tuple[str, str | None]]) -> None:
    assert read_labels(written(labels)) == labels


times = st.one_of(st.none(), st.floats(0, 60))


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from(["user", "system"]), times, times, texts), min_size=1, max_size=8),
    st.data(),
)
def test_tiers_of_any_dialogue_come_back_whatever_its_times(
    turns: list[tuple[str, float | None, float | None, str]], data: st.DataObject
) -> None:
    listed = [
        {"turn_index": index, "party": party, "text": text, "onset_s": onset, "offset_s": offset}
        for index, (party, onset, offset, text) in enumerate(turns)
    ]
    line = Timeline("d", listed)
    judged = data.draw(st.lists(st.sampled_from([None, *range(len(turns))]), unique=True))
    rows = [
        {
            "dialogue_id": "d",
            "turn_index": turn,
            "layer": "mine",
            "label": "good",
            "value": None,
            "annotator_id": "anna",
            "annotated_at": None,
        }
        for turn in judged
    ]
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for write, read, name in (
            (write_eaf, read_eaf, "d.eaf"),
            (write_textgrid, read_textgrid, "d.TextGrid"),
        ):
            write(Path(folder) / name, line, rows)
            found = [one for _, one in read(Path(folder) / name, line)]
            assert bare(found) == bare(rows), name
