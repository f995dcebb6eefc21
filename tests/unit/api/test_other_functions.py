"""The functions power, report, simulate, export_log and import_log, and the objects `Dataset` and `Study`."""

import asyncio
import csv
import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
import vl_convert
from typer.testing import CliRunner

import vivavoce as vv
from scenes.callers import told_by_caller
from scenes.engines import carrying
from scenes.shops import CURT, shops
from vivavoce.cli.main import app
from vivavoce.log.store import Log
from vivavoce.log.verification import rebuild, verify


def command(*words: object) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.long
def test_power_is_that_of_the_command_line() -> None:
    found = vv.power("two-rates", 0.2, 0.8, calls_per_participant=3, seed=2)
    printed = command("power", "two-rates", ".2", ".8", "--calls-per-participant", 3, "--seed", 2)
    assert found.to_dict() == printed
    assert [one.by for one in found] == ["independent", "design_effect", "simulation"]
    last, told = found.rows[-1], printed["clustered"]
    assert (last.n, last.participants, last.analysis_unit) == (
        told["per_group"],
        told["participants"],
        "participant",
    )
    assert (last.power, last.alpha) == (printed["simulated"]["power"], 0.05)
    assert found.to_pandas()["participants"].isna().tolist() == [True, False, False]
    assert "design effect" in repr(found) and "<table" in found._repr_html_()
    assert ">cases of each group<" in vl_convert.vegalite_to_svg(found.plot().to_dict())
    assert "ICC 0.2" in found.assumptions[0] and "--icc" not in repr(found)


def test_power_of_a_pilot_says_who_the_pilot_was(tmp_path: Path) -> None:
    pilot = shops(tmp_path / "pilot", people=6, simulated=6)
    found = vv.power("one-rate", 0.6, 0.5, pilot=pilot)
    assert found.to_dict()["pilot_simulated"] is True and any("programs" in one for one in found.assumptions)
    with pytest.raises(vv.InputError, match="1 numbers after two-rates"):
        vv.power("two-rates", 0.5)


def test_a_report_is_looked_at_and_written(tmp_path: Path) -> None:
    made = vv.report(shops(tmp_path / "shops"), language="it", sections="results")
    assert "Report of shops: Risultati" in repr(made) and CURT in made.html
    frame = made._repr_html_()
    assert frame.count("<") == 2 and 'srcdoc="' in frame  # the page inside is escaped
    printed = tmp_path / "printed.html"
    words = ["report", tmp_path / "shops", "--language", "it", "--sections", "results", "--out", printed]
    assert CliRunner().invoke(app, list(map(str, words))).exit_code == 0
    assert made.save(tmp_path / "made.html").read_bytes() == printed.read_bytes()
    assert made.save_tables(tmp_path / "tables")
    with pytest.raises(vv.InputError, match=r"ends in .html"):
        made.save(tmp_path / "made.odt")
    with pytest.raises(vv.InputError, match="sections: unknown section 'reslts'"):
        vv.report(tmp_path / "shops", sections="reslts")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    done = CliRunner().invoke(app, ["init", str(tmp_path / "study"), "--protocol", "cambridge-2011"])
    assert done.exit_code == 0, done.output
    file = tmp_path / "study" / "study.yaml"
    systems = "systems:\n  house: {connect: scripted, greeting: Hello., otherwise: Bye.}\n"
    file.write_text(
        f"study: lamp\nlanguages: [en]\n{systems}ontology: restaurants.yaml\n"
        "tasks: {generate: 4, constraints: 1..2, requests: 1..1, seed: 7}\n"
        "visit:\n  - dialogue: {repeat: 1, gate: none}\n",
        encoding="utf-8",
    )
    return file.parent


def test_a_simulation_runs_where_a_loop_is_running_already(study: Path, tmp_path: Path) -> None:
    """As in a notebook."""

    async def in_a_notebook() -> vv.Simulation:
        return vv.simulate(study, dialogues=3, seed=5)

    went = asyncio.run(in_a_notebook())
    assert (went.held, went.unit, went.failed, went.seed) == (3, "dialogue", 0, 5)
    data = vv.export_log(vv.load_study(study), tmp_path / "data")
    assert data.simulated and data.holdings()["dialogue"] == 3
    assert repr(data) == f"<Dataset lamp in {str(tmp_path / 'data')!r}: 3 dialogues, 3 participants>"
    with pytest.raises(vv.InputError, match="already contains the dataset of lamp"):
        vv.export_log(study, tmp_path / "data", only="simulated")
    assert vv.export_log(study, tmp_path / "data", replace=True).hash == data.hash
    with pytest.raises(vv.InputError, match="already contains the dataset of lamp"):
        vv.export_log(study, tmp_path / "data")  # once is not for ever


def test_callers_elsewhere_say_the_same_words(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.api.callers_elsewhere._PIECE", 1)
    few = Random(1)  # so few codes that two logs have the same ones
    monkeypatch.setattr("vivavoce.trial.codes.earned_code", lambda _: f"{1000 + few.randrange(12)}")
    file, moved = study / "study.yaml", list[tuple[int, int]]()
    file.write_text(
        file.read_text("utf-8").replace("gate: none", "gate: code").replace("repeat: 1", "repeat: 1..3"),
        encoding="utf-8",
    )
    other = Path(shutil.copytree(study, study.with_name("other")))
    here = vv.simulate(study, dialogues=8, seed=5)
    with carrying() as engine:
        assert vv.simulate(other, dialogues=8, seed=5, progress=lambda *one: moved.append(one)) == here
    assert engine.pieces > 1 and moved[-1] == (8, 8)
    assert told_by_caller(other) == told_by_caller(study)
    with Log.open(f"sqlite:///{other / 'log.sqlite'}") as log:
        assert verify(log).problems == [] and rebuild(log).mended == {}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("allocation: balanced", "systems are balanced over everybody's dialogues"),
        ("quotas: {participants: 3}", "quotas count everybody's places"),
    ],
)
def test_callers_who_depend_on_each_other_are_kept_together(study: Path, words: str, why: str) -> None:
    file = study / "study.yaml"
    file.write_text(f"{file.read_text('utf-8')}{words}\n", encoding="utf-8")
    with carrying(), pytest.raises(vv.InputError, match=f"^engine: .*{why}. Remove engine"):
        vv.simulate(study, dialogues=4)
    assert vv.simulate(study, dialogues=2).held == 2


def test_a_study_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    for function in (vv.simulate, lambda path: vv.power(study=path)):
        with pytest.raises(vv.InputError, match="no study file in this folder"):
            function(tmp_path)


def test_a_log_of_ones_own_is_imported_without_a_package(tmp_path: Path) -> None:
    def read(paths: list[Path], into: Path, **_options: Any) -> vv.ImportResult:
        with vv.DatasetWriter(into, study={"name": "desk"}, source={"kind": "csv"}) as writer:
            for path in paths:
                facts = {
                    "dialogue_id": path.stem,
                    "study": "desk",
                    "system": "a",
                    "condition": "a",
                    "channel": "text",
                    "language": "en",
                    "simulated": False,
                }
                writer.add("dialogues", [facts])
                rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
                writer.add(
                    "turns",
                    [
                        {"dialogue_id": path.stem, "turn_index": n, "party": row["who"], "text": row["said"]}
                        for n, row in enumerate(rows)
                    ],
                )
            return vv.ImportResult(writer.close(), len(paths), [])

    (tmp_path / "one.csv").write_text("who,said\nsystem,Hello\nuser,Hi\n", encoding="utf-8")
    mine = vv.Importer(name="desk", title="Chats of a desk", layout="CSV: who,said", read=read)
    found = vv.import_log(mine, tmp_path / "one.csv", tmp_path / "data")
    assert found.calls == 1 and found.dataset.holdings() == {"dialogue": 1}
    (row, _) = vv.measure(found.dataset, only="turns", exclude="none").rows
    assert row.value == 2
    with pytest.raises(vv.UnknownName, match=r"unknown format 'dstc3'. Did you mean 'dstc2'"):
        vv.import_log("dstc3", tmp_path, tmp_path / "other")


def test_a_dataset_is_opened_with_rules_in_words(tmp_path: Path) -> None:
    folder = shops(tmp_path / "shops")
    assert len(vv.Dataset(folder, exclude=f"system = {CURT}").read("dialogues")) == 16
    strict = vv.Dataset(folder, exclude=["user_turns < 2", "trivial"])
    assert strict.excluded["dialogues"] > 0
    assert vv.measure(strict, only="turns").to_dict()["excluded"] == strict.excluded
    with pytest.raises(vv.InputError, match="exclude: 'system = crt': unknown system 'crt'"):
        vv.measure(folder, exclude="system = crt")
