"""The verb `measure`: its catalogue, its tables, its files, and what it says to mistakes."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import MEASURES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two spoken dialogues, one by a participant who is not known."""
    writer = DatasetWriter(tmp_path / "D", study={"name": "toy"}, source={"kind": "test"})
    for number, participant in enumerate(("p", None)):
        key = {"dialogue_id": f"d{number}"}
        writer.add(
            "dialogues",
            [
                {
                    **key,
                    "study": "toy",
                    "system": f"bot{number}",
                    "condition": "c",
                    "participant_id": participant,
                    "channel": "phone",
                    "language": "en",
                    "simulated": False,
                }
            ],
        )
        writer.add(
            "turns",
            [
                {
                    **key,
                    "turn_index": 0,
                    "party": "user",
                    "reference": "cheap food please",
                    "text": "cheap feed please",
                }
            ],
        )
    writer.close()
    return tmp_path / "D"


def run(*words: str | Path) -> str:
    result = CliRunner().invoke(app, ["measure", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_the_catalogue_lists_every_measure_with_its_facts() -> None:
    listed = json.loads(run("--list", "--json"))["measures"]
    assert [one["name"] for one in listed] == MEASURES.names()
    facts = {"name", "symbol", "unit", "level", "family", "origin", "direction", "source", "empty"}
    assert all(facts <= one.keys() and one["unit"] in ("1", "s") for one in listed)
    assert {"DARPA_s", "DARPA_me", "TSw", "WER", "kappa", "QD", "CE"} <= {one["symbol"] for one in listed}
    assert "word_error_rate" in run("--list", "--only", "recognition")


def test_only_gives_the_chosen_measures_of_every_group(folder: Path) -> None:
    found = json.loads(run(folder, "--only", "WER", "--only", "turns", "--json"))
    assert [group["key"] for group in found["by"]] == ["bot0", "bot1"]
    assert found["all"]["measures"].keys() == {"word_error_rate", "turns"}
    figures = found["all"]["measures"]["word_error_rate"]
    assert (figures["numerator"], figures["denominator"], figures["dialogues"]) == (2, 6, 2)
    assert figures["value"] == pytest.approx(1 / 3)
    assert "|n:6|" in figures["signature"]


def test_a_group_without_name_is_null_and_what_is_undefined_is_null(folder: Path) -> None:
    found = json.loads(run(folder, "--by", "participant", "--only", "DARPA_s", "--json"))
    assert [group["key"] for group in found["by"]] == ["p", None]
    assert found["by"][0]["measures"]["darpa_score"]["value"] is None


def test_one_table_shows_families_apart_with_values_and_numbers_of_dialogues(folder: Path) -> None:
    shown = run(folder, "--only", "recognition")
    assert "Recognition" in shown
    assert "33.3%" in shown
    assert "Communication" not in shown


def test_files_hold_every_value(folder: Path, tmp_path: Path) -> None:
    csv, parquet = tmp_path / "values.csv", tmp_path / "values.parquet"
    run(folder, "--csv", csv, "--parquet", parquet)
    for table in (pd.read_csv(csv), pd.read_parquet(parquet)):
        assert len(table) == 3 * len(MEASURES)
        assert {"key", "measure", "unit", "value", "macro", "dialogues", "whole"} <= set(table.columns)
        assert not table[["analysis_unit", "denominator", "signature"]].isna().any().any()
        assert table["signature"].is_unique


def test_one_number_has_one_signature_however_it_is_asked_for(folder: Path, tmp_path: Path) -> None:
    chosen, whole = (json.loads(run(folder, *words, "--json")) for words in (("--only", "all"), ()))
    run(folder, "--csv", tmp_path / "values.csv")
    written = set(pd.read_csv(tmp_path / "values.csv")["signature"])
    for name, figures in whole["all"]["measures"].items():
        assert chosen["all"]["measures"][name]["signature"] == figures["signature"]
        assert figures["signature"] in written
    for first, second in zip(chosen["by"], whole["by"], strict=True):
        for name, figures in second["measures"].items():
            assert first["measures"][name]["signature"] == figures["signature"]


def test_keywords_of_a_file_are_those_that_count(folder: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("Food\ncheap\n", encoding="utf-8")
    found = json.loads(run(folder, "--only", "WER_iso", "--keywords", words, "--json"))
    figures = found["all"]["measures"]["keyword_error_rate"]
    assert (figures["numerator"], figures["denominator"]) == (2, 4)
    words.write_text("Food\nmoderate\n", encoding="utf-8")
    others = json.loads(run(folder, "--only", "WER_iso", "--keywords", words, "--json"))
    assert others["all"]["measures"]["keyword_error_rate"]["signature"] != figures["signature"]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ((), "its folder"),
        (("--only", "recogniton"), "recognition"),
        (("--keywords", "no.txt"), "one keyword per line"),
    ],
)
def test_a_mistake_is_answered_with_a_cure(folder: Path, words: tuple[str, ...], hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        run(*([folder] if words else []), *words)


def test_a_name_from_a_foreign_log_is_no_formula_in_the_csv(tmp_path: Path) -> None:
    writer = DatasetWriter(tmp_path / "D", study={"name": "toy"}, source={"kind": "test"})
    writer.add(
        "dialogues",
        [
            {
                "dialogue_id": "=cmd()",
                "study": "toy",
                "system": "@bot",
                "condition": "c",
                "channel": "phone",
                "language": "en",
                "simulated": False,
            }
        ],
    )
    writer.add("turns", [{"dialogue_id": "=cmd()", "turn_index": 0, "party": "user", "text": "hi"}])
    writer.close()
    run(tmp_path / "D", "--only", "turns", "--csv", tmp_path / "values.csv")
    cells = [cell for line in (tmp_path / "values.csv").read_text().splitlines() for cell in line.split(",")]
    assert "'@bot" in cells and not any(cell.startswith(("=", "@", "+")) for cell in cells)
