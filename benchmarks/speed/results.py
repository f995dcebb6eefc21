"""Running rows, each in a process of its own, and keeping what they found."""

import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Final

from benchmarks.speed import peers
from benchmarks.speed.row import Measured, Row

ROOT: Final = Path(__file__).resolve().parents[2]
RESULTS: Final = ROOT / "benchmarks" / "results" / "speed.json"
MODULES: Final = {
    "pages": "pages",
    "relay": "relay",
    "crowd": "crowd",
    "measures": "measures",
    "cluster": "cluster",
    "word-errors": "word_errors",
    "bootstrap": "bootstrap",
    "commands": "commands",
    "report": "report",
    "import": "importing",
    "starts": "starts",
    "commits": "commits",
    "reads": "reads",
    "streaming": "streaming",
    "training": "training",
    "listing": "listing",
    "telephone": "telephone",
}
NOT_MEASURED: Final = "not measured"


def rows() -> dict[str, Row]:
    """All rows by name, in the order of the table; a row that cannot be loaded has `skipped` set."""
    return {name: row(name) for name in MODULES}


def row(name: str) -> Row:
    """One row. A missing library, or any other error in its module, concerns this row alone."""
    try:
        return import_module(f"benchmarks.speed.rows.{MODULES[name]}").ROW
    except Exception as error:
        return Row(name, name, "", _nothing, skipped=without_places(f"{type(error).__name__}: {error}"))


def _nothing(_: bool) -> Measured:
    return Measured()


def measured(row: Row, quick: bool) -> dict[str, Any]:
    """What a row found in a process of its own, or why it failed, with what the machine did meanwhile.

    Output  figures, growth, notes; or `failed`. Then seconds, load, others_cores: how many cores worked for
            others meanwhile; versions
    """
    begun, busy, own = time.monotonic(), _busy_s(), _own_s()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "found.json"
        words = [
            sys.executable,
            "-m",
            "benchmarks.speed.results",
            row.name,
            str(into),
            *["quick"][: int(quick)],
        ]
        found = _run(words, row.limit_s, into)
    seconds = time.monotonic() - begun
    others = max(0.0, _busy_s() - busy - (_own_s() - own)) / seconds
    pins = dict(pin.split("==") for name in row.peers for pin in peers.PINNED[name])
    return {
        **found,
        "seconds": round(seconds, 1),
        "load": round((load + os.getloadavg()[0]) / 2, 1),
        "others_cores": round(others, 1),
        "versions": {"vivavoce": metadata.version("vivavoce"), **pins},
    }


def _run(words: list[str], limit_s: float, into: Path) -> dict[str, Any]:
    kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as installed programs are: compiled once
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=kept,
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=told,
            start_new_session=True,
        )
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return {"failed": f"it was stopped after {limit_s:.0f} s"}
        finally:  # servers of a row that failed, too
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        if code == 0 and into.is_file():
            return json.loads(into.read_text(encoding="utf-8"))
        told.seek(0)
        lines = told.read().decode(errors="replace").strip().splitlines()
    return {"failed": without_places(lines[-1] if lines else f"it ended with {code}")}


def without_places(line: str) -> str:
    """A line that may be published: paths of this machine are its last part alone."""
    return " ".join(word if "://" in word else _last_part(word) for word in line.split())[:300]


def _last_part(word: str) -> str:
    return word.rpartition("/")[2] if word.strip("'\"(").startswith(("/", "~")) else word


def _busy_s() -> float:
    """How long all cores together have worked since the machine began."""
    facts = [int(one) for one in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return (sum(facts[:3]) + sum(facts[5:8])) / os.sysconf("SC_CLK_TCK")


def _own_s() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def machine() -> dict[str, Any]:
    """What ratios may depend on; no names."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(memory),
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
    }


def read(path: Path = RESULTS) -> dict[str, Any]:
    """What was found before; every row is there, `failed` with NOT_MEASURED where it never ran."""
    found = (
        json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"machine": machine(), "rows": {}}
    )
    kept = found["rows"]
    found["rows"] = {name: kept.get(name, {"failed": NOT_MEASURED}) for name in rows()}
    return found


def write(found: dict[str, Any], path: Path = RESULTS) -> None:
    text = json.dumps(_rounded(found), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    """Numbers to four significant digits: more say nothing here."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def missed(found: dict[str, Any], names: Iterable[str]) -> list[str]:
    """Rows of these that failed, or miss an aim."""
    chosen = {name: found["rows"][name] for name in names}
    return [
        name
        for name, row in chosen.items()
        if "failed" in row or any(one["met"] is False for one in row["figures"])
    ]


def _found(row: Row, quick: bool) -> dict[str, Any]:
    """What a row found, or why it failed: what is printed when it ends may be of something else."""
    try:
        return row.measure(quick).facts()
    except Exception as error:
        traceback.print_exc()
        told = str(error).strip().splitlines()[:1] or ["no reason was given"]
        return {"failed": without_places(f"{type(error).__name__}: {told[0]}")}


if __name__ == "__main__":
    name, path, *how = sys.argv[1:]
    found = _found(row(name), how == ["quick"])
    Path(path).write_text(json.dumps(found), encoding="utf-8")
