"""`make bench`: every row of the table, ours and its peer side by side, one row after the other.

    python -m benchmarks.speed [--only ROW...] [--quick]

Writes benchmarks/results/speed.json and docs/explanation/speed.md with its figures; rows that are not run
keep what they had, and so does `cluster`, which takes a quarter of an hour, unless it is named. --quick:
small inputs and few rounds, to see that all goes; it writes nothing. Rows run independently: a row whose
library is missing is skipped, and a row that fails does not stop the others. Exit code 1: a row failed.
"""

import argparse
import sys
from typing import Any

from benchmarks.speed import page, results

WHAT = (__doc__ or "").partition("\n")[0]


def main() -> int:
    known = results.rows()
    usual = [name for name, row in known.items() if not row.apart]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=WHAT)
    parser.add_argument("--only", nargs="+", metavar="ROW", choices=list(known), default=usual)
    parser.add_argument("--quick", action="store_true", help="small inputs, few rounds; writes nothing")
    chosen = parser.parse_args()
    found = results.read()
    for name in chosen.only:
        print(f"# {name}: {known[name].work}", file=sys.stderr, flush=True)
        if known[name].skipped:
            print(f"  skipped: {known[name].skipped}", flush=True)
            continue
        row = results.measured(known[name], chosen.quick)
        found["rows"][name] = row
        print("\n".join(told(row)), flush=True)
        if not chosen.quick:
            found["machine"] = results.machine()
            results.write(found)  # after each row: what was measured is kept if the next one never ends
            page.write(results.read())
    return int(any("failed" in found["rows"][name] for name in chosen.only if not known[name].skipped))


def told(row: dict[str, Any]) -> list[str]:
    """A row for the terminal."""
    end = f"  {row['seconds']:.0f} s, load {row['load']}, {row['others_cores']} cores worked for others"
    if "failed" in row:
        return [f"  failed: {row['failed']}", end]
    return [*(f"  {line}" for line in (*map(page.line, row["figures"]), *row["notes"])), end]


if __name__ == "__main__":
    sys.exit(main())
