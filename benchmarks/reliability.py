"""The promises and the figures of `make faults`.

    python -m benchmarks reliability --results JUNIT.xml ...

Reads the results of tests, of which each notes a promise and its figures, and writes
`results/reliability.json` and the table of `docs/explanation/what-we-promise.md`. Of several results of a
test the last counts. Tests that were not run are listed below the table.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "reliability.json"
PAGE: Final = ROOT / "docs" / "explanation" / "what-we-promise.md"
BEGIN, END = "<!-- figures: python -m benchmarks reliability -->\n", "<!-- end of figures -->\n"
WORDS: Final = {"kept": "yes", "failed": "**no**", "skipped": "not tried"}


def read_results(path: Path) -> dict[str, dict[str, Any]]:
    """Each test in a file of results: promise, test, outcome (kept, failed, skipped), seconds, figures."""
    rows = {}
    for case in ElementTree.parse(path).iter("testcase"):
        noted = {one.get("name"): one.get("value", "") for one in case.iter("property")}
        test = f"{str(case.get('classname')).replace('.', '/')}.py::{case.get('name')}"
        failed = case.find("failure") is not None or case.find("error") is not None
        outcome = "failed" if failed else "skipped" if case.find("skipped") is not None else "kept"
        rows[test] = {
            "promise": noted.get("promise") or str(case.get("name")).partition("[")[0].replace("_", " "),
            "test": test,
            "outcome": outcome,
            "seconds": round(float(case.get("time", 0))),
            "figures": json.loads(noted.get("figures", "{}")),
        }
    return rows


def tests_of_promises() -> list[str]:
    """Every test with the mark `reliability`, as pytest names it."""
    files = [
        file for file in (ROOT / "tests").rglob("test_*.py") if "mark.reliability" in file.read_text("utf-8")
    ]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "reliability", *map(str, files)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [line for line in told.splitlines() if "::" in line]


def table(rows: list[dict[str, Any]]) -> str:
    """One row a promise: how many tests, the figures of the largest, and whether all kept it."""
    lines = ["| promise | tests | figures of the largest | kept |", "| --- | --- | --- | --- |"]
    for promise, group in groupby(rows, key=lambda row: row["promise"]):
        tests = list(group)
        figures = max((row["figures"] for row in tests), key=_size)
        largest = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())
        kept = ", ".join(sorted({WORDS[row["outcome"]] for row in tests}))
        lines.append(f"| {promise} | {len(tests)} | {largest} | {kept} |")
    return "\n".join(lines) + "\n"


def _size(figures: dict[str, Any]) -> float:
    return sum(value for value in figures.values() if isinstance(value, int | float))


def not_run_told(tests: list[str]) -> str:
    if not tests:
        return "All tests were run.\n"
    return "Not run:\n\n" + "".join(f"- `{test}`\n" for test in tests)


def written(page: str, rows: list[dict[str, Any]], missing: list[str]) -> str:
    """The page with its table regenerated."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{table(rows)}\n{not_run_told(missing)}\n{END}{after}"


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks reliability", description=__doc__)
    parser.add_argument("--results", type=Path, nargs="+", required=True, metavar="JUNIT.xml")
    found: dict[str, dict[str, Any]] = {}
    for path in parser.parse_args(words).results:
        found |= read_results(path)
    wanted = tests_of_promises()
    rows = sorted(
        (found[one] for one in wanted if one in found), key=lambda row: (row["promise"], row["test"])
    )
    if not rows:
        parser.error("no test in it is one of a promise; run make faults")
    missing = [test for test in wanted if test not in found]
    facts = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "tried": rows,
        "not_run": missing,
    }
    RESULTS.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text("utf-8"), rows, missing), encoding="utf-8")
    print(json.dumps({row["test"]: row["outcome"] for row in rows}, indent=1))


if __name__ == "__main__":
    main()
