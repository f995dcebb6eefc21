"""How our promises were tried, and what was found: the figures of `make faults`.

    python -m benchmarks reliability JUNIT.xml

Reads the results of tests, of which each notes a promise and its figures, and writes
`results/reliability.json` and the table of `docs/explanation/what-we-promise.md`. A promise of which a test
failed says so.
"""

import argparse
import json
import platform
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

RESULTS: Final = Path(__file__).parent / "results" / "reliability.json"
PAGE: Final = Path(__file__).parents[1] / "docs" / "explanation" / "what-we-promise.md"
BEGIN, END = "<!-- figures: python -m benchmarks reliability -->\n", "<!-- end of figures -->\n"


def read_results(path: Path) -> list[dict[str, Any]]:
    """A row for each test that notes a promise: promise, test, passed, seconds, figures."""
    rows = []
    for case in ElementTree.parse(path).iter("testcase"):
        noted = {one.get("name"): one.get("value", "") for one in case.iter("property")}
        if "promise" in noted:
            failed = case.find("failure") is not None or case.find("error") is not None
            file = str(case.get("classname")).replace(".", "/")
            rows.append(
                {
                    "promise": noted["promise"],
                    "test": f"{file}.py::{case.get('name')}",
                    "passed": not failed,
                    "seconds": round(float(case.get("time", 0))),
                    "figures": json.loads(noted["figures"]),
                }
            )
    return sorted(rows, key=lambda row: (row["promise"], row["test"]))


def table(rows: list[dict[str, Any]]) -> str:
    lines = ["| tried | figures | seconds | kept |", "| --- | --- | --- | --- |"]
    for row in rows:
        figures = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in row["figures"].items())
        lines.append(
            f"| {row['promise']} | {figures} | {row['seconds']} | {'yes' if row['passed'] else '**no**'} |"
        )
    return "\n".join(lines) + "\n"


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks reliability", description=__doc__)
    parser.add_argument("results", type=Path, metavar="JUNIT.xml")
    rows = read_results(parser.parse_args(words).results)
    if not rows:
        parser.error("no test in it notes a promise; run make faults")
    found = {"python": platform.python_version(), "machine": platform.machine(), "tried": rows}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{after}", encoding="utf-8")
    print(json.dumps({row["promise"]: row["passed"] for row in rows}))


if __name__ == "__main__":
    main()
