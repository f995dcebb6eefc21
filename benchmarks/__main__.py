"""`python -m benchmarks [NAME...]`: run all benchmarks, or those named, each printing JSON with ratios."""

import runpy
import sys
from pathlib import Path


def main() -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    wanted = sys.argv[1:] or known
    strange = [name for name in wanted if name not in known]
    if strange:
        sys.exit(f"unknown benchmark {strange[0]!r}; known: {', '.join(known)}")
    sys.argv = sys.argv[:1]
    for name in wanted:
        print(f"# {name}", file=sys.stderr, flush=True)
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")


if __name__ == "__main__":
    main()
