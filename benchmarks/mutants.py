"""How many small faults in the code the tests notice.

    python -m benchmarks mutants --seed 1 [--draw 150] [--rooms measures stats ...]
                                 [--modules log/timing.py ...] [--processes 2]
                                 [--tests tests/unit/stats ...] [--coverage FILE] [--limit SECONDS]
                                 [--control 15]

Draws places at which a comparison, an arithmetic operator or a connective (`and`, `or`) stands, in rooms or
only in those of their modules whose paths end so, turns each in a copy of the sources, and runs the tests
that come by that place, those of the module's own name first.
Which these are is measured once, by running all tests (`--tests`: only some); `--coverage` keeps that
measurement in a file, and reads it where it is there already: it holds for the sources as they were, and
knows no test written since. Tests are collected once (`_forked_tests`); a place that runs at import costs a
new process. Prints a line for each mutant, and JSON with the share that was noticed. `late` are those whose
tests took longer than the limit: they may hang, or the machine was busy, so they are not counted as noticed.
`--control` tries so many of the places with nothing turned: where their tests fail too, they fail for another
reason, and the share is too good.
A mutant that changes nothing a user could see is still counted as outliving: who reads the list says so.
"""

import argparse
import ast
import compileall
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from typing import Any, Final, Self

from benchmarks._forked_tests import ENVIRONMENT, FRESH, LATE, NOTICED, OUTLIVED, turned
from coverage import CoverageData

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = ("measures", "stats", "log", "trial", "study", "connectors")
TIMEOUT_S: Final = 3600  # of the tests of one mutant
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
    text: str

    def source(self, original: bytes) -> bytes:
        return original[: self.start] + self.after.encode() + original[self.end :]

    def unturned(self) -> "Mutant":
        return replace(self, after=self.before)

    def __str__(self) -> str:
        if self.after == self.before:
            return f"{self.path}:{self.line}: nothing turned in: {self.text}"
        return f"{self.path}:{self.line}: {self.before!r} turned to {self.after!r} in: {self.text}"


def find_mutants(path: Path) -> list[Mutant]:
    """Every operator of a file that can be turned, but for texts put together and what only scripts ask."""
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
            stands = text.splitlines()[line - 1].strip().decode()
            found.append(
                Mutant(path, line, lines, place, place + len(before.encode()), before, after, stands)
            )
    return found


def _operations(tree: ast.AST) -> Iterator[tuple[Any, ast.AST, Any]]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=ast.Name(id="__name__")):
                pass
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
    """A copy of sources and tests, and a process that has collected them and tries a mutant at a time."""

    def __init__(self, folder: Path, paths: list[str]) -> None:
        self.root = folder / "copy"
        self._paths = paths
        for name in ("src", "tests", "examples", "docs", "benchmarks", "deploy", "scripts"):
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, self.root)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (folder / "shared").symlink_to(shared)
        compileall.compile_dir(self.root / "src", quiet=1)

    def measure(self, kept: Path, rooms: list[str], processes: int) -> None:
        """Run the tests, and keep which of them come by which line of the rooms."""
        sources = [f"--cov=src/vivavoce/{room}" for room in rooms]
        options = ("--dist", "loadfile", *sources, "--cov-context=test", "--cov-report=")
        self._start("-n", str(processes), *options, *self._paths).wait()
        shutil.copy(self.root / ".coverage", kept)

    def __enter__(self) -> Self:
        (their_in, ours_out), (ours_in, their_out) = os.pipe(), os.pipe()
        told = {ENVIRONMENT: f"{their_in} {their_out}"}
        options = ("-x", "-n", "0", "-p", "benchmarks._forked_tests", *self._paths)
        self._collector = self._start(*options, pass_fds=(their_in, their_out), **told)
        os.close(their_in)
        os.close(their_out)
        self._asked, self._told = os.fdopen(ours_out, "w"), os.fdopen(ours_in)
        return self

    def __exit__(self, *_: object) -> None:
        self._asked.close()
        self._told.close()
        self._collector.wait()

    def outcome(self, mutant: Mutant, tests: list[str], *, at_import: bool, limit_s: float) -> str:
        """How the tests end with the mutant in place."""
        target = self.root / mutant.path
        source = mutant.source(target.read_bytes())
        request = {"path": str(target), "source": source.decode(), "tests": tests, "at_import": at_import}
        print(json.dumps({**request, "limit_s": limit_s}), file=self._asked, flush=True)
        outcome = self._told.readline().strip()
        if not outcome:
            raise RuntimeError(
                f"the tests cannot be collected:\n{(self.root / 'pytest.log').read_text()[-3000:]}"
            )
        if outcome != FRESH:
            return outcome
        with turned(target, source):
            return self._start_anew(tests, limit_s)

    def _start_anew(self, tests: list[str], limit_s: float) -> str:
        """Some tests in a new process; all of a name where a parameter cannot be said on a command line."""
        named = self.root / "tests.txt"
        code = NOT_FOUND
        for chosen in (tests, list(dict.fromkeys(test.partition("[")[0] for test in tests))):
            named.write_text("\n".join(chosen))
            running = self._start("-x", "-n", "0", f"@{named}")
            try:
                code = running.wait(limit_s)
            except subprocess.TimeoutExpired:
                running.kill()
                return LATE
            if code != NOT_FOUND:
                break
        return OUTLIVED if code in (0, 5) else NOTICED

    def _start(self, *options: str, pass_fds: tuple[int, ...] = (), **told: str) -> subprocess.Popen[bytes]:
        """pytest on the copy; what it prints is kept in a file."""
        fixed = ("-q", "-p", "no:cacheprovider", "-m", "not long", "--timeout", "150")
        places = os.pathsep.join((str(self.root / "src"), str(self.root)))
        environment = {**os.environ, "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1", **told}
        command = [sys.executable, "-m", "pytest", *fixed, *options]
        with (self.root / "pytest.log").open("w") as log:
            return subprocess.Popen(
                command,
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=pass_fds,
            )


def _unparametrised(test: str) -> str:
    return test.partition("[")[0]


class Coverage:
    """Which tests come by which line, as a run of the tests has left it in a file."""

    def __init__(self, file: Path) -> None:
        self._data = CoverageData(str(file))
        self._data.read()
        self._files = {name.partition("/src/")[2]: name for name in self._data.measured_files()}
        self._tests = {context.rpartition("|")[0] for context in self._data.measured_contexts()}
        self._by_line: dict[Path, dict[int, list[str]]] = {}

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests that come by a mutant's lines, or for one that runs at import, by any of its file.

        Behind them stand those that may see what only the first of them came by: other parameters of a test,
        where something is cached; other tests of a file, where a fixture makes it.
        """
        by_line = self._contexts(mutant.path)
        by = {test for line in mutant.lines for test in by_line.get(line, []) if test}
        if not by:  # at import, or unmeasured
            room = f"tests/unit/{mutant.path.parts[2]}/"
            by = {test for tests in by_line.values() for test in tests if test}
            by |= {test for test in self._data.measured_contexts() if test.startswith(room)}
        here = {test.rpartition("|")[0] for test in by}
        alike = {_unparametrised(test) for test in here}
        made = {test.partition("::")[0] for test in by if test.endswith("|setup")}
        every = here | {
            test for test in self._tests if _unparametrised(test) in alike or test.partition("::")[0] in made
        }
        return sorted(every, key=lambda test: (test not in here, *self._distance(test, mutant)))[:AT_MOST]

    def at_import(self, mutant: Mutant) -> bool:
        """Whether a line of the mutant also ran outside tests, as what modules do when they are imported."""
        return any("" in self._contexts(mutant.path).get(line, []) for line in mutant.lines)

    def _contexts(self, path: Path) -> dict[int, list[str]]:
        if path not in self._by_line:
            name = self._files.get(str(Path(*path.parts[1:])))
            self._by_line[path] = self._data.contexts_by_lineno(name) if name else {}
        return self._by_line[path]

    @staticmethod
    def _distance(test: str, mutant: Mutant) -> tuple[bool, bool, bool, str]:
        own = f"test_{mutant.path.stem}" in test
        room = test.startswith(f"tests/unit/{mutant.path.parts[2]}/")
        return not own, not room, not test.startswith("tests/unit/"), test


def draw(rooms: list[str], modules: list[str], number: int, seed: int) -> list[Mutant]:
    """So many mutants at random, each place in the rooms, or these of their modules, as likely as another."""
    sources = sorted(path for room in rooms for path in (ROOT / "src" / "vivavoce" / room).rglob("*.py"))
    for module in modules:
        if not any(path.match(module) for path in sources):
            raise SystemExit(f"--modules: no module {module} in the rooms {' '.join(rooms)}")
    if modules:
        sources = [path for path in sources if any(path.match(module) for module in modules)]
    found = [mutant for path in sources for mutant in find_mutants(path.relative_to(ROOT))]
    return random.Random(seed).sample(found, min(number, len(found)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks mutants", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--draw", type=int, default=150)
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), metavar="ROOM")
    parser.add_argument("--modules", nargs="+", default=[], metavar="MODULE")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--coverage", type=Path, metavar="FILE")
    parser.add_argument("--tests", nargs="+", default=["tests"], metavar="PATH")
    parser.add_argument("--limit", type=float, default=TIMEOUT_S, metavar="SECONDS")
    parser.add_argument("--control", type=int, default=0, metavar="NUMBER")
    asked = parser.parse_args()
    mutants = draw(asked.rooms, asked.modules, asked.draw, asked.seed)
    controls = [one.unturned() for one in mutants[: asked.control]]
    survivors: list[Mutant] = []
    failed: list[Mutant] = []  # with nothing turned
    endings = Counter[str]()
    tried = [*controls, *mutants]
    with tempfile.TemporaryDirectory() as folder:
        kept = asked.coverage or Path(folder) / "coverage"
        if not kept.exists():
            Copy(Path(folder) / "measured", asked.tests).measure(kept, asked.rooms, 2 * asked.processes)
        coverage = Coverage(kept)
        with ExitStack() as started, ThreadPoolExecutor(asked.processes) as pool:
            copies: Queue[Copy] = Queue()
            for number in range(asked.processes):
                copies.put(started.enter_context(Copy(Path(folder) / str(number), asked.tests)))

            def outcome(mutant: Mutant) -> str:
                copy = copies.get()
                try:
                    tests, at_import = coverage.tests(mutant), coverage.at_import(mutant)
                    return copy.outcome(mutant, tests, at_import=at_import, limit_s=asked.limit)
                finally:
                    copies.put(copy)

            for number, (mutant, ended) in enumerate(zip(tried, pool.map(outcome, tried), strict=True), 1):
                print(f"{number} of {len(tried)} {ended} {mutant}", file=sys.stderr, flush=True)
                if number <= len(controls):
                    failed += [mutant] if ended == NOTICED else []
                    continue
                survivors += [mutant] if ended == OUTLIVED else []
                endings[ended] += 1
    noticed = endings[NOTICED]
    print(
        json.dumps(
            {
                "seed": asked.seed,
                "rooms": asked.rooms,
                "drawn": len(mutants),
                "noticed": noticed,
                "late": endings[LATE],
                "share": round(noticed / len(mutants), 3),
                "outlived": [str(one) for one in survivors],
                "controls": len(controls),
                "controls_failed": [str(one) for one in failed],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
