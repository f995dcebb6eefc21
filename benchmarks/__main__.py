"""`python -m benchmarks [NAME... [--OPTION...]]`: run all benchmarks, or those named; each prints JSON.

Options behind the names go to each benchmark named: `python -m benchmarks mutants --seed 1`.
"""

import runpy
import sys
from pathlib import Path

# they take an hour, or need to be told what: run where they are named
ONLY_NAMED = ("mutants", "published_evaluator", "reliability")


def main() -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    given = sys.argv[1:]
    options = next((place for place, word in enumerate(given) if word.startswith("-")), len(given))
    wanted = given[:options] or [name for name in known if name not in ONLY_NAMED]
    strange = [name for name in wanted if name not in known]
    if strange:
        sys.exit(f"unknown benchmark {strange[0]!r}; known: {', '.join(known)}")
    sys.argv = [sys.argv[0], *given[options:]]
    for name in wanted:
        print(f"# {name}", file=sys.stderr, flush=True)
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")


if __name__ == "__main__":
    main()
