"""How many small faults in the code the tests notice.

    python -m benchmarks mutants --seed 1 [--draw 150] [--rooms measures analysis ...] [--processes 2]
                                 [--coverage FILE]

Draws places at which a comparison, an arithmetic operator or a connective (`and`, `or`) stands, turns each
in a copy of the sources, and runs the tests that come by that place, those of the module's own name first.
Which these are is measured once, by running all tests; `--coverage` keeps that measurement in a file, and
reads it where it is there already: it holds for the sources as they were, and knows no test written since.
Prints a line for each mutant and JSON with the share that was noticed.
A mutant that changes nothing a user could see is still counted as outliving: who reads the list says so.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Any, Final

from coverage import CoverageData

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = ("measures", "analysis", "log", "session", "study", "connectors")
TIMEOUT_S: Final = 3600  # of all tests, or of those of one mutant
NOT_FOUND: Final = 4  # pytest's code for a test that is not there, or an option that is none
AT_MOST: Final = 400  # tests of one mutant

TURNED: Final[dict[type[ast.AST], tuple[str, str]]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}


@dataclass(frozen=True)
class Mutant:
    """One operator of a file turned: with places in the file's bytes, and the lines of its operands."""

    path: Path
    line: int
    lines: range
    start: int
    end: int
    before: str
    after: str

    def source(self) -> bytes:
        text = (ROOT / self.path).read_bytes()
        return text[: self.start] + self.after.encode() + text[self.end :]

    def __str__(self) -> str:
        line = (ROOT / self.path).read_text().splitlines()[self.line - 1].strip()
        return f"{self.path}:{self.line}: {self.before!r} turned to {self.after!r} in: {line}"


def find_mutants(path: Path) -> list[Mutant]:
    """Every operator of a file that can be turned. Texts put together with + or % are left alone."""
    text = (ROOT / path).read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []
    for left, operator, right in _operations(ast.parse(text)):
        before, after = TURNED.get(type(operator), ("", ""))
        begin = starts[left.end_lineno - 1] + left.end_col_offset
        end = starts[right.lineno - 1] + right.col_offset
        place = text.find(before.encode(), begin, end) if before else -1
        if place >= 0:
            line = text.count(b"\n", 0, place) + 1
            lines = range(left.lineno, right.end_lineno + 1)
            found.append(Mutant(path, line, lines, place, place + len(before.encode()), before, after))
    return found


def _operations(tree: ast.AST) -> Iterator[tuple[Any, ast.AST, Any]]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
                yield from zip(operands, node.ops, operands[1:], strict=False)
            case ast.BoolOp():
                yield from ((a, node.op, b) for a, b in zip(node.values, node.values[1:], strict=False))
            case ast.BinOp() if not (_is_text(node.left) or _is_text(node.right)):
                yield node.left, node.op, node.right


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


class Copy:
    """A copy of sources and tests in which one mutant at a time is tried."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "copy"
        for name in ("src", "tests", "examples", "docs", "benchmarks"):
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, self.root)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (folder / "shared").symlink_to(shared)

    def measure(self, kept: Path, rooms: list[str], processes: int) -> None:
        """Run all tests, and keep which of them come by which line of the rooms."""
        sources = [f"--cov=src/vivavoce/{room}" for room in rooms]
        self._pytest(
            "-n", str(processes), "--dist", "loadfile", *sources, "--cov-context=test", "--cov-report="
        )
        shutil.copy(self.root / ".coverage", kept)

    def outlives(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether the tests pass with the mutant in place."""
        target = self.root / mutant.path
        original = target.read_bytes()
        target.write_bytes(mutant.source())
        try:
            return not tests or self._run(tests) in (0, 5)
        finally:
            target.write_bytes(original)

    def _run(self, tests: list[str]) -> int:
        """Some tests until one fails; all of a name where a parameter cannot be said on a command line."""
        named = self.root / "tests.txt"
        for chosen in (tests, list(dict.fromkeys(test.partition("[")[0] for test in tests))):
            named.write_text("\n".join(chosen))
            code = self._pytest("-x", "-n", "0", "--timeout", "150", f"@{named}")
            if code != NOT_FOUND:
                break
        return code

    def _pytest(self, *options: str) -> int:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long", *options]
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=environment,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 1
        if done.returncode not in (0, 1, 2, NOT_FOUND, 5):
            raise RuntimeError(
                f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        return done.returncode


class Coverage:
    """Which tests come by which line, as a run of all tests has left it in a file."""

    def __init__(self, file: Path) -> None:
        self._data = CoverageData(str(file))
        self._data.read()
        self._files = {name.partition("/src/")[2]: name for name in self._data.measured_files()}

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests that come by a mutant's lines, or for one that runs at import, by any of its file."""
        name = self._files.get(str(Path(*mutant.path.parts[1:])))
        by_line = self._data.contexts_by_lineno(name) if name else {}
        by = {test for line in mutant.lines for test in by_line.get(line, []) if test}
        by = by or {test for tests in by_line.values() for test in tests if test}
        here = {test.rpartition("|")[0] for test in by}
        return sorted(here, key=lambda test: self._distance(test, mutant))[:AT_MOST]

    @staticmethod
    def _distance(test: str, mutant: Mutant) -> tuple[bool, bool, bool, str]:
        own = f"test_{mutant.path.stem}" in test
        room = test.startswith(f"tests/unit/{mutant.path.parts[2]}/")
        return not own, not room, not test.startswith("tests/unit/"), test


def draw(rooms: list[str], number: int, seed: int) -> list[Mutant]:
    """So many mutants at random, every place in the rooms as likely as any other."""
    sources = sorted(path for room in rooms for path in (ROOT / "src" / "vivavoce" / room).rglob("*.py"))
    found = [mutant for path in sources for mutant in find_mutants(path.relative_to(ROOT))]
    return random.Random(seed).sample(found, min(number, len(found)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks mutants", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--draw", type=int, default=150)
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), metavar="ROOM")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--coverage", type=Path, metavar="FILE")
    asked = parser.parse_args()
    mutants = draw(asked.rooms, asked.draw, asked.seed)
    survivors: list[Mutant] = []
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Copy] = Queue()
        for number in range(asked.processes):
            copies.put(Copy(Path(folder) / str(number)))
        kept = asked.coverage or Path(folder) / "coverage"
        if not kept.exists():
            Copy(Path(folder) / "measured").measure(kept, asked.rooms, 2 * asked.processes)
        coverage = Coverage(kept)

        def outlives(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                return copy.outlives(mutant, coverage.tests(mutant))
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(asked.processes) as pool:
            for number, (mutant, alive) in enumerate(
                zip(mutants, pool.map(outlives, mutants), strict=True), 1
            ):
                print(
                    f"{number} of {len(mutants)} {'OUTLIVED' if alive else 'noticed'} {mutant}",
                    file=sys.stderr,
                )
                survivors += [mutant] if alive else []
    noticed = len(mutants) - len(survivors)
    print(json.dumps({"seed": asked.seed, "rooms": asked.rooms, "drawn": len(mutants), "noticed": noticed,
                      "share": round(noticed / len(mutants), 3), "outlived": [str(one) for one in survivors]},
                     indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
