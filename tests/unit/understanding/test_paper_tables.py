"""`understand tables`: the tables of the SUGAR paper from files of annotated commands and answers."""

import json
from pathlib import Path

import pytest

from scenes.command_line import vivavoce

REFERENCE = {
    "AbF20": "1; [take(500 g, milk), add(milk, pot)]\n2; stir([milk, flour], *spoon*)\n",
    "CdM31": "1; put(pan, hob)\n---\n1; *put*(lid, pan)\n",
}
SAID = (
    "command_id,participant_id,recipe,utterance,text,annotator_id,annotation,stands,seconds,draft\n"
    'c1,AbF20,soup,1,,anna,"take(milk)",,,\nc1,AbF20,soup,1,,bruno,"take(milk)",,,\n'
    'c1,AbF20,soup,1,,anna bruno,"take(milk)",yes,,\n'
    'c2,AbF20,soup,2,,anna,"add(milk, pot)",,,\nc2,AbF20,soup,2,,bruno,"put(milk, pot)",,,\n'
)


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for speaker, text in files.items():
        (folder / f"{speaker}.csv").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def annotated(tmp_path: Path) -> Path:
    """As `annotate commands-out` leaves it."""
    write(tmp_path / "annotated" / "notation", REFERENCE)
    (tmp_path / "annotated" / "commands.csv").write_text(SAID, encoding="utf-8")
    return tmp_path / "annotated"


def test_systems_stand_side_by_side_with_who_is_missing_and_how_far_annotators_agree(annotated, tmp_path):
    one = write(tmp_path / "one", {"AbF20": "1; take(500 g, cream)\n2; stir([milk, flour], #)\n"})
    two = write(tmp_path / "two", REFERENCE)
    few = write(
        tmp_path / "few", {"AbF20": "2; stir(milk)\n", "CdM31": "1; put(pan, hob)\n---\n1; put(lid)\n"}
    )
    vivavoce("understand", "tables", annotated, one, f"gold={two}", few, "--into", tmp_path / "made")
    printed = (tmp_path / "made" / "tables.md").read_text("utf-8")
    assert "b Commands without an answer are skipped, as in 2018: 1." in printed and "| few (b) |" in printed
    # in 2018 a list was as many arguments as it has things, and a `#` stood in the distance as well
    assert "| one (a) | 66.7 | 60.0 | 33.3 | 20.0 | 20.0 |" in printed
    assert "| gold | 100.0 | 100.0 | 0.0 | 0.0 | 0.0 |" in printed
    assert "a One user is missing: CdM31." in printed
    assert "| commands | 1 of 2 | 50.0 |" in printed
    assert "| put | quantity?, container/tool/[ingredient], container/appliance, manner? | 2 |" in printed
    assert "| put | 2 | - / - | 100.0 / 100.0 | 50.0 / 100.0 |" in printed
    tuples = (tmp_path / "made" / "tuples" / "one" / "AbF20.csv").read_text("utf-8")
    assert tuples == "1_1; (1, 2, 1, 0)\n1_2; (0, 0, 0, 0)\n2_1; (1, 3, 1, 1)\n"
    last = (tmp_path / "made" / "tuples" / "gold" / "CdM31.csv").read_text("utf-8")
    assert last == "1_1; (1, 2, 0, 0)\n---\n1_1; (1, 2, 0, 0)\n"


def test_the_same_is_said_in_json_and_counted_strictly(annotated, tmp_path):
    one = write(tmp_path / "one", {"AbF20": "1; take(500 g, cream)\n2; stir([milk, flour], #)\n"})
    facts = json.loads(vivavoce("understand", "tables", annotated, one, "--mode", "strict", "--json").stdout)
    assert facts["corpus"] == {
        "speakers": 2,
        "recipes": 3,
        "utterances": 4,
        "predicates": 5,
        "several_predicates": 1,
        "arguments": 10,
        "implicit_arguments": 1,
        "lists": 1,
    }
    assert facts["templates_name"] == "kitchen-en" and facts["mode"] == "strict"
    found = facts["systems"]["one"]
    assert found["corpus"]["correct_arguments"] == 2 / 4 and found["missing_speakers"] == ["CdM31"]
    assert [one["share"] for one in facts["agreement"]["shares"]] == [0.5, 0.5, 1.0]


def test_files_alone_have_no_agreement_and_what_cannot_be_is_refused(tmp_path):
    reference = write(tmp_path / "reference", REFERENCE)
    facts = json.loads(vivavoce("understand", "tables", reference, reference, "--json").stdout)
    assert facts["agreement"] is None
    twice = vivavoce("understand", "tables", reference, reference, f"reference={reference}", code=2)
    assert "two systems are called 'reference'" in twice.stderr
    there = vivavoce("understand", "tables", reference, reference, "--into", tmp_path, code=2)
    assert "already" in there.stderr
    wrong = vivavoce("understand", "tables", reference, reference, "--said", reference / "AbF20.csv", code=2)
    assert "column 'command_id'" in wrong.stderr
