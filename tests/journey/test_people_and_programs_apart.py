"""Analyses refuse to take people and simulated users together unless told; exports can part them."""

import asyncio
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from scenes.command_line import vivavoce
from vivavoce.api.studies import export_study, make_connectors, open_log
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine

STUDY = """
study: apart
systems:
  house: {connect: python, call: "vivavoce_bots.calling:house", in_process: true, greeting: true}
visit:
  - consent: consent.md
  - dialogue: {repeat: 1, gate: none}
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    with DatasetWriter(folder, study={"name": "toy"}, source={"kind": "test"}) as writer:
        for number in range(6):
            key = f"d{number}"
            writer.add(
                "dialogues",
                [
                    {
                        "dialogue_id": key,
                        "study": "toy",
                        "system": "s",
                        "condition": "s",
                        "channel": "text",
                        "language": "en",
                        "participant_id": f"p{number}",
                        "simulated": number < 2,
                    }
                ],
            )
            writer.add("turns", [{"dialogue_id": key, "turn_index": 0, "party": "user", "text": "hello"}])
        writer.close()
    return folder


@pytest.mark.parametrize(
    "verb",
    [
        ("measure", "DATASET"),
        ("measure", "DATASET", "--only", "all"),
        ("analyse", "DATASET"),
        ("report", "DATASET", "--out", "OUT"),
        ("predict", "correlate", "DATASET"),
    ],
)
def test_a_verb_of_analysis_refuses_to_mix_and_says_what_to_do(
    mixed: Path, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    words = [{"DATASET": mixed, "OUT": tmp_path / "report.html"}.get(word, word) for word in verb]
    refused = vivavoce(*words, code=2)
    assert "contains 4 dialogues of people and 2 of simulated users" in refused.stderr
    assert "--only people" in refused.stderr and "vivavoce --mixed" in refused.stderr


def test_who_compared_instead_of_talking_is_not_mixed_either(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "toy"}, source={"kind": "test"}) as writer:
        writer.add("participants", [{"participant_id": f"p{n}", "simulated": n == 0} for n in range(3)])
        writer.close()
    for verb in (("measure",), ("analyse",)):
        refused = vivavoce(*verb, tmp_path, code=2)
        assert "contains 2 visitors of people and 1 of simulated users" in refused.stderr


def test_told_to_mix_it_does_and_warns(mixed: Path) -> None:
    told = vivavoce("--mixed", "measure", mixed)
    assert "2 of 6 dialogues are simulated" in told.stderr


def test_an_export_parts_people_and_programs(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "consent.en.md").write_text("Do you agree?", encoding="utf-8")
    study = load_study(tmp_path)

    async def visits() -> None:
        engine = SessionEngine(study, log, make_connectors(study))
        await engine.start()
        for name, simulated in (("person", False), ("program", True)):
            opened = await engine.open_visit(language="en", participant_id=name, simulated=simulated)
            await engine.give_consent(opened.visit_id, 0, agreed=True, document="x")
            await engine.next_dialogue(opened.visit_id, 1, 0)
            while not (state := await engine.state(opened.visit_id)).dialogues[-1].greeted:
                await engine.updates(opened.visit_id, state.seq, wait_s=1)
        await engine.stop()

    with open_log(study, None) as log:
        asyncio.run(visits())
        for wanted, simulated in (("person", False), ("program", True)):
            export_study(study, log, tmp_path / wanted, scope="simulated" if simulated else "people")
    for wanted, simulated in (("person", False), ("program", True)):
        for table in ("participants", "dialogues"):
            rows = pq.read_table(tmp_path / wanted / f"{table}.parquet").to_pylist()
            assert [(row["participant_id"], row["simulated"]) for row in rows] == [(wanted, simulated)]
    usual = vivavoce("export", tmp_path, "--into", tmp_path / "usual")
    assert "of people into" in usual.stderr
    assert "1 still in progress" in usual.stderr
    assert "left out: 1 visit of simulated users" in usual.stderr
    vivavoce("measure", tmp_path / "usual")
    programs = vivavoce("export", tmp_path, "--into", tmp_path / "programs", "--only", "simulated")
    assert "of simulated users into" in programs.stderr
    for folder, scope in (("usual", "people"), ("programs", "simulated")):
        manifest = json.loads((tmp_path / folder / "dataset.json").read_text(encoding="utf-8"))
        assert manifest["source"]["scope"] == scope and manifest["tables"]["dialogues"]["rows"] == 1
    both = vivavoce("export", tmp_path, "--into", tmp_path / "both", "--only", "both")
    assert "of people and of simulated users" in both.stderr
    vivavoce("measure", tmp_path / "both", code=2)
