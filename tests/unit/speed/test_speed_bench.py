"""The harness of `make bench`: verdicts, growth, rows that fail, peers that cannot be had, the page."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks.speed import __main__ as bench  # noqa: E402
from benchmarks.speed import inputs, page, peers, results  # noqa: E402
from benchmarks.speed.inputs import write_dataset, write_messages, write_table  # noqa: E402
from benchmarks.speed.programs.score_commands import Reader, align  # noqa: E402
from benchmarks.speed.row import Figure, Measured, Row, compared, exponent, in_turns, limited  # noqa: E402

from vivavoce.dataset.reader import Dataset  # noqa: E402


def test_a_ratio_says_how_many_times_as_fast_we_are_where_more_is_better() -> None:
    figure = compared(
        "seconds", [1.0, 2.0, 1.0], [5.0, 12.0, 7.0], against="peer", unit="s", aim=5, direction="at least"
    )
    assert (figure.ratio, figure.low, figure.high, figure.met) == (6.0, 5.0, 7.0, True)
    rates = compared(
        "rate", [30.0], [10.0], against="peer", unit="/s", aim=5, direction="at least", rate=True
    )
    assert (rates.ratio, rates.low, rates.met) == (3.0, None, False)


def test_a_ratio_says_how_much_more_we_take_where_less_is_better() -> None:
    figure = compared("seconds", [3.0], [2.0], against="peer", unit="s", aim=1.5)
    assert (figure.ratio, figure.met) == (1.5, True)
    assert limited("memory", [3000.0], 2000.0, unit="MB").met is False
    assert compared("no aim", [3.0], [2.0], against="peer", unit="s").met is None


def test_rounds_go_in_turns() -> None:
    seen: list[str] = []
    works = {name: lambda name=name: float(seen.append(name) is None) for name in ("ours", "peer")}
    assert in_turns(works, 3) == {"ours": [1.0] * 3, "peer": [1.0] * 3}
    assert seen == ["ours", "peer", "peer", "ours", "ours", "peer"]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_starts_cost_does_not_flatten_growth(power: float) -> None:
    points = [{"size": size, "cpu_s": 3 + 0.01 * size**power} for size in (10.0, 100.0, 1000.0)]
    assert exponent(points) == pytest.approx(power)


def test_growth_is_unknown_for_two_sizes_or_where_more_costs_less() -> None:
    assert exponent([{"size": 1, "cpu_s": 1}, {"size": 10, "cpu_s": 2}]) is None
    assert exponent([{"size": 10.0**at, "cpu_s": one} for at, one in enumerate((1.0, 3.0, 2.0))]) is None


def test_a_row_that_fails_says_so_without_places_of_this_machine(tmp_path: Path) -> None:
    failing = [sys.executable, "-c", f"raise SystemExit('nothing in {tmp_path}/deep')"]
    assert results._run(failing, 60, tmp_path / "found.json") == {"failed": "nothing in deep"}


def test_what_a_row_raises_is_why_it_failed_whatever_is_printed_afterwards(tmp_path: Path) -> None:
    def breaks(quick: bool) -> Measured:
        raise peers.MissingPeer(f"otree could not be installed: no {tmp_path}/pip\nand more")

    failed = results._found(Row("pages", "pages", "oTree", breaks), quick=True)
    assert failed == {"failed": "MissingPeer: otree could not be installed: no pip"}


def test_a_row_that_never_ends_is_stopped(tmp_path: Path) -> None:
    endless = [sys.executable, "-c", "import threading; threading.Event().wait()"]
    assert results._run(endless, 0.01, tmp_path / "found.json") == {"failed": "it was stopped after 0 s"}


def test_a_peer_that_cannot_be_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(peers.sys, "executable", "/bin/false")
    with pytest.raises(peers.MissingPeer, match="otree could not be installed"):
        peers.python("otree")
    assert not (tmp_path / "vivavoce" / "bench" / "otree" / "pinned.txt").exists()


def test_a_peer_that_is_there_with_its_versions_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(peers.sys, "executable", "/bin/false")
    folder = tmp_path / "vivavoce" / "bench" / "jiwer"
    folder.mkdir(parents=True)
    (folder / "pinned.txt").write_text("\n".join(peers.PINNED["jiwer"]) + "\n", "utf-8")
    assert peers.python("jiwer") == folder / "bin" / "python"
    (folder / "pinned.txt").write_text("jiwer==3.0.0\n", "utf-8")
    with pytest.raises(peers.MissingPeer):
        peers.python("jiwer")


def test_every_row_can_be_loaded_and_its_peers_have_pinned_versions() -> None:
    known = results.rows()
    modules = [path.stem for path in (ROOT / "benchmarks" / "speed" / "rows").glob("*.py")]
    assert sorted(results.MODULES.values()) == sorted(modules) and len(known) == len(modules)
    assert {row.name: row.skipped for row in known.values()} == dict.fromkeys(results.MODULES, "")
    of_profiles = {"py-spy"}
    assert {name for row in known.values() for name in row.peers} | of_profiles == set(peers.PINNED)
    assert [pin for pins in peers.PINNED.values() for pin in pins if pin.count("==") != 1] == []
    assert sum(row.limit_s for row in known.values() if not row.apart) <= 80 * 60


def test_nothing_of_ours_imports_a_peer() -> None:
    """But for data frames: a result becomes one of polars where somebody has it."""
    importing = re.compile(r"^\s*(?:import|from) (otree|jiwer|polars|typer)\b", re.M)
    texts = {path: path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")}
    found = {(path.parent.name, name) for path, text in texts.items() for name in importing.findall(text)}
    assert ("cli", "typer") in found
    assert {one for one in found if one[1] != "typer"} == {("api", "polars")}


def found(**rows: dict[str, Any]) -> dict[str, Any]:
    never = {"failed": results.NOT_MEASURED}
    return {
        "machine": results.machine(),
        "rows": {name: rows.get(name.replace("-", "_"), never) for name in results.rows()},
    }


def row(*figures: Figure, **facts: Any) -> dict[str, Any]:
    told = {"seconds": 1.0, "load": 3.5, "others_cores": 0.5, "versions": {}}
    return {**Measured(list(figures)).facts(), **told, **facts}


def test_the_page_says_of_each_row_whether_its_aim_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    better = Figure("pages", "oTree", 200.0, 20.0, "pages/s", 10.0, 3, 9.0, 11.0, 5, "at least")
    worse = Figure("a <turn>", "bare relay", 3.0, 1.0, "ms", 3.0, 1, aim=1.5)
    made = found(
        pages=row(better), relay=row(worse), report={"failed": "no fonts", "load": 1.0}, starts=row()
    )
    told = page.text(made)
    assert "| pages | 200 pages/s | 20 pages/s (oTree) | 10 (9 to 11) | at least 5: met |" in told
    assert "| a <turn> | 3 ms | 1 ms (bare relay) | 3 | at most 1.5: missed |" in told
    assert "failed: no fonts" in told and re.search(r"not measured yet: .*crowd", told)
    picture = page.aims_picture(made)
    assert picture.count('class="met"') == 1 and picture.count('class="missed"') == 1
    assert "a &lt;turn&gt;" in picture and ">0.5<" in picture and ">2<" in picture


def test_the_page_and_its_pictures_are_those_of_the_results() -> None:
    kept = results.read()
    assert page.PAGE.read_text("utf-8") == page.text(kept)
    assert page.AIMS.read_text("utf-8") == page.aims_picture(kept)
    assert page.GROWTH.read_text("utf-8") == page.growth_picture(kept)


def test_rows_that_are_not_run_keep_what_they_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "speed.json"
    limit = row(limited("HTML", [2.0], 5.0, unit="s"))
    kept.write_text(json.dumps({"machine": {}, "rows": {"report": limit, "gone": {}}}), "utf-8")
    monkeypatch.setattr(results.read, "__defaults__", (kept,))
    monkeypatch.setattr(results.write, "__defaults__", (kept,))
    for name in ("PAGE", "AIMS", "GROWTH"):
        monkeypatch.setattr(page, name, tmp_path / name)
    fails = {"failed": "no network", "seconds": 1.0, "load": 1.0, "others_cores": 0.0, "versions": {}}
    monkeypatch.setattr(
        results, "measured", lambda row, _: fails if row.name == "pages" else globals()["row"]()
    )
    monkeypatch.setattr(sys, "argv", ["bench", "--only", "pages", "relay"])
    assert bench.main() == 1
    rows = json.loads(kept.read_text("utf-8"))["rows"]
    assert rows["report"]["figures"][0]["ratio"] == 0.4 and rows["pages"] == fails and "gone" not in rows
    assert rows["relay"]["figures"] == [] and rows["crowd"] == {"failed": results.NOT_MEASURED}
    assert "failed: no network" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["bench", "--only", "report", "--quick"])
    assert bench.main() == 0
    assert json.loads(kept.read_text("utf-8"))["rows"]["report"]["figures"]


def test_a_row_with_a_missing_library_is_skipped_and_the_others_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "benchmarks.speed.rows.telephone", None)
    monkeypatch.setattr(results, "measured", lambda *_: row(limited("HTML", [2.0], 5.0, unit="s")))
    monkeypatch.setattr(sys, "argv", ["bench", "--only", "telephone", "starts", "--quick"])
    assert bench.main() == 0
    told = capsys.readouterr().out
    assert "skipped: ModuleNotFoundError" in told and "HTML: 0.4" in told


def test_inputs_are_those_of_the_seed_and_can_be_read(tmp_path: Path) -> None:
    first, again = (Dataset(write_dataset(tmp_path / name, 41)) for name in ("first", "again"))
    assert first.holdings() == {"participant": 3, "dialogue": 41}
    assert first.read("acts").num_rows == 41 * 15 and first.read("turns").num_rows == 410
    assert all(first.read(name).equals(again.read(name)) for name in ("turns", "acts", "ratings"))
    other = Dataset(write_dataset(tmp_path / "other", 41, seed=1))
    assert not other.read("turns").equals(first.read("turns"))
    for number, write in enumerate((write_table, write_messages)):
        lines = write(tmp_path / f"{number}.jsonl", 3).read_text("utf-8").splitlines()
        assert len(lines) == (30, 3)[number] and all(map(json.loads, lines))


def test_a_bucket_is_a_row_group_of_whole_dialogues_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "CHUNK", 20)
    folder = write_dataset(tmp_path / "several", 41)
    assert json.loads((folder / "dataset.json").read_text("utf-8"))["buckets"] == 3
    for name in ("dialogues", "acts"):
        file = pq.ParquetFile(folder / f"{name}.parquet")
        groups = [file.read_row_group(number)["dialogue_id"].to_pylist() for number in range(3)]
        assert [len(set(keys)) for keys in groups] == [20, 20, 1]
        keys = file.read(["dialogue_id"])["dialogue_id"].to_pylist()
        assert keys == sorted(keys)


def test_the_plain_program_knows_the_notation() -> None:
    """Otherwise it would be quick because it leaves something out."""
    said = Reader("[prendere(1/2 kg, [farina, uova], *ciotola*/padella), #]").annotation()
    options = [("ciotola", True), ("padella", False)]
    listed = [("argument", [("farina", False)]), ("argument", [("uova", False)])]
    arguments = [("argument", [("1/2 kg", False)]), ("argument", [(listed, False)]), ("argument", options)]
    assert said == [("prendere", arguments, False), ("#", [], False)]
    assert align(arguments, arguments[:1]) == (2, 2)
