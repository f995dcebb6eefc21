"""A dataset is whole or is not there."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset, replacing
from vivavoce.dataset.schema import TABLES
from vivavoce.dataset.writer import DatasetWriter

DIALOGUE = {
    "dialogue_id": "d1",
    "study": "s",
    "system": "a",
    "condition": "a",
    "channel": "text",
    "language": "en",
    "simulated": False,
}


def write(folder: Path, **more: object) -> Dataset:
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}, factors=("nlg",)) as writer:
        writer.add("dialogues", [{**DIALOGUE, "factor_nlg": "template", **more}])
    return Dataset(folder)


def test_what_was_written_is_read_back_with_missing_as_null(tmp_path: Path) -> None:
    row = write(tmp_path).read("dialogues").to_pylist()[0]
    assert row["factor_nlg"] == "template" and row["duration_s"] is None


def test_a_table_that_was_not_written_has_its_columns_and_no_rows(tmp_path: Path) -> None:
    ratings = write(tmp_path).read("ratings")
    assert ratings.num_rows == 0 and ratings.column_names == [c.name for c in TABLES["ratings"].columns]


def test_the_same_rows_have_the_same_hash_and_others_another(tmp_path: Path) -> None:
    one, again = write(tmp_path / "1"), write(tmp_path / "2")
    assert one.hash == again.hash != write(tmp_path / "3", system="b").hash


def test_the_order_of_rows_is_no_other_data_and_a_row_twice_is(tmp_path: Path) -> None:
    rows = [{**DIALOGUE, "dialogue_id": f"d{number}"} for number in range(3)]
    hashes = []
    for number, order in enumerate(((0, 1, 2), (2, 0, 1), (0, 1, 2, 2), (0, 1))):
        with DatasetWriter(tmp_path / str(number), study={"name": "s"}, source={}) as writer:
            writer.add("dialogues", [rows[place] for place in order])
            hashes.append(writer.close().hash)
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_a_table_that_is_edited_afterwards_gives_another_hash_and_is_named(tmp_path: Path) -> None:
    written = write(tmp_path)
    before, table = written.hash, written.read("dialogues")
    place = table.schema.get_field_index("duration_s")
    pq.write_table(table.set_column(place, table.schema.field(place), [[1.5]]), written.path("dialogues"))
    edited = Dataset(tmp_path)
    assert before != edited.hash == Dataset(tmp_path).hash
    assert edited.changed == ["dialogues"]
    pq.write_table(TABLES["ratings"].arrow().empty_table(), written.path("ratings"))
    assert Dataset(tmp_path).changed == ["dialogues", "ratings"]


def test_a_table_that_is_gone_is_named_with_the_rows_it_held(tmp_path: Path) -> None:
    write(tmp_path).path("dialogues").unlink()
    with pytest.raises(
        InputError, match=r"dialogues\.parquet: the file is missing; it had 1 rows.*Restore it"
    ):
        Dataset(tmp_path)


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[: len(whole) // 2], lambda _: b"", lambda _: b"PAR1 no"]
)
def test_a_damaged_table_is_named_with_what_to_do(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path).path("dialogues")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=r"dialogues\.parquet: cannot read as Parquet \(.+\). Export"):
        Dataset(tmp_path).read("dialogues")


def test_an_error_while_writing_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        with replacing(), DatasetWriter(folder, study={"name": "s"}, source={}) as writer:
            writer.add("dialogues", [{**DIALOGUE, "system": "new"}])
            writer._flush("dialogues")
            raise ZeroDivisionError

    before = write(tmp_path / "there")
    for folder in (tmp_path / "there", tmp_path / "nothing"):
        with pytest.raises(ZeroDivisionError):
            fail(folder)
    assert Dataset(tmp_path / "there").hash == before.hash and not before.changed
    assert list((tmp_path / "nothing").iterdir()) == []
    assert {path.name for path in (tmp_path / "there").iterdir()} == {"dataset.json", "dialogues.parquet"}


def test_a_dataset_is_never_replaced_unasked(tmp_path: Path) -> None:
    before = write(tmp_path / "a")
    with pytest.raises(InputError, match=r"contains the dataset of s \(1 dialogues\).* --replace"):
        write(tmp_path / "a", system="b")
    assert Dataset(tmp_path / "a").hash == before.hash
    with replacing():
        assert write(tmp_path / "a", system="b").hash != before.hash
    with pytest.raises(InputError, match="already"):
        write(tmp_path / "a")


def test_a_file_that_a_table_would_replace_is_never_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "annotations.parquet").write_bytes(b"an annotator's work")
    with pytest.raises(InputError, match=r"contains annotations\.parquet"):
        write(tmp_path)
    assert (tmp_path / "annotations.parquet").read_bytes() == b"an annotator's work"


def test_other_files_of_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_misspelt_column_or_table_is_named_with_the_nearest(tmp_path: Path) -> None:
    writer = DatasetWriter(tmp_path, study={"name": "s"}, source={})
    with pytest.raises(UnknownName, match=r"unknown column 'sistem'. Did you mean 'system'"):
        writer.add("dialogues", [{"sistem": "a"}])
    with pytest.raises(UnknownName, match="Did you mean 'turns'"):
        writer.add("turn", [{}])


def test_a_required_column_may_not_be_missing(tmp_path: Path) -> None:
    writer = DatasetWriter(tmp_path, study={"name": "s"}, source={})
    writer.add("dialogues", [{key: DIALOGUE[key] for key in ("dialogue_id", "study")}])
    with pytest.raises(InputError, match="column 'system' is null"):
        writer.close()


def test_a_dataset_of_a_newer_schema_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    manifest = json.loads((tmp_path / "dataset.json").read_text())
    (tmp_path / "dataset.json").write_text(json.dumps({**manifest, "schema_version": 99}))
    with pytest.raises(InputError, match="it with the version of Vivavoce that wrote it"):
        Dataset(tmp_path)
