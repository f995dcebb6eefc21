"""The size gate: figures of size.toml against the code. `make house` prints them."""

import importlib.util
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
GATE = tomllib.loads((ROOT / "tests" / "architecture" / "size.toml").read_text(encoding="utf-8"))
SLACK_NODES = 200
TURN_TOLERANCE = 1.05


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "scripts" / "house.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def figures(house: ModuleType) -> dict[str, dict[str, float]]:
    return house.measure_house()


def exceeded(allowed: dict[str, float], measured: dict[str, float]) -> list[str]:
    """The figures above their limit, one line each."""
    return [
        f"{name}: {figure:g}, allowed {allowed.get(name, 0):g}"
        for name, figure in measured.items()
        if figure > allowed.get(name, 0)
    ]


@pytest.mark.parametrize("table", ["nodes", "words", "beside", "ceilings"])
def test_nothing_exceeds_its_figure(table: str, figures: dict[str, dict[str, float]]) -> None:
    too_large = exceeded(GATE[table], figures[table])
    assert not too_large, "remove code, or raise the figure in size.toml with the user need that pays for it"


def test_figures_follow_the_code_downwards(figures: dict[str, dict[str, float]]) -> None:
    measured = figures["nodes"]
    loose = [
        name
        for name, figure in GATE["nodes"].items()
        if name != "all" and measured.get(name, 0) < figure - SLACK_NODES
    ]
    assert not loose, "run `make house ARGS=--write`"


def test_500_nodes_more_in_a_room_exceed_its_figure(house: ModuleType, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "vivavoce" / "core", tmp_path / "vivavoce" / "core")
    assert not exceeded(
        GATE["nodes"], {"vivavoce/core": house.measure_rooms(tmp_path)["vivavoce/core"]["nodes"]}
    )
    added = "\n".join(f"x{number} = {number}" for number in range(167))
    (tmp_path / "vivavoce" / "core" / "added.py").write_text(added, encoding="utf-8")
    assert exceeded(GATE["nodes"], {"vivavoce/core": house.measure_rooms(tmp_path)["vivavoce/core"]["nodes"]})


def test_a_turn_and_a_study_file_go_through_no_more_files_and_calls(tmp_path: Path) -> None:
    out = tmp_path / "trace.json"
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "turn_trace",
        "--only",
        "scripted",
        "--turns",
        "6",
        "--out",
        str(out),
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    traced = json.loads(out.read_text(encoding="utf-8"))["scripted"]
    measured = {
        "turn_files": traced["page -> log"]["files"],
        "turn_hops": traced["page -> log"]["hops"],
        "report_files": traced["log -> report"]["files"],
        "load_study_files": traced["load_study"]["files"],
        "load_study_hops": traced["load_study"]["hops"],
    }
    limits = {name: TURN_TOLERANCE * GATE["ceilings"][name] for name in measured}
    assert not exceeded(limits, measured)
