"""What is no file of the kind that was asked for is named in one line, never by a stack trace."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from unit.importers.foreign_logs import MAPPING
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import IMPORTERS

CONTENTS = {
    "latin.csv": "dialogue_id,turn_index,transcript\nd,1,café\n".encode("latin-1"),
    "junk.tar.gz": bytes(range(256)),
    "half.json": b'{"a":',
    "zero.csv": b"",
    "nul.csv": b"a\0b\n",
}


@pytest.mark.parametrize("corpus", IMPORTERS.names())
def test_an_import_of_something_else_says_so_in_one_line(tmp_path: Path, corpus: str) -> None:
    mapping = tmp_path / "mapping.yaml" if corpus == "table" else None
    (tmp_path / "mapping.yaml").write_text(MAPPING)
    for name, content in CONTENTS.items():
        path, into = tmp_path / name, tmp_path / f"into {name}"
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            result = IMPORTERS.get(corpus).make_dataset([path], into, mapping=mapping)
            assert result.calls == 0 == len(result.skipped), "something was read, or skipped and called done"
            raise InputError("an empty file is an empty corpus")
        assert "\n" not in str(caught.value)
        assert not (into / "dataset.json").exists() or not content


def test_transcripts_that_are_no_utf8_are_refused_in_one_line(tmp_path: Path) -> None:
    dataset = tmp_path / "D"
    writer = DatasetWriter(dataset, study={"name": "toy"}, source={"kind": "test"})
    facts = {"study": "toy", "system": "s", "condition": "c", "channel": "text", "language": "en"}
    writer.add("dialogues", [{"dialogue_id": "d", "simulated": False, **facts}])
    writer.add("turns", [{"dialogue_id": "d", "turn_index": 1, "party": "user", "text": "hi"}])
    writer.close()
    path = tmp_path / "latin.csv"
    path.write_bytes(CONTENTS["latin.csv"])
    words = ["annotate", "in", str(dataset), str(path), "--into", str(tmp_path / "with")]
    with pytest.raises(InputError, match=r"latin\.csv: not a UTF-8 CSV file .*. Save it as CSV in UTF-8"):
        CliRunner().invoke(app, words, catch_exceptions=False)
    assert not (tmp_path / "with" / "dataset.json").exists()
