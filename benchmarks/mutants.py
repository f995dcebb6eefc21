"""How many small faults in the code the unit tests of its room notice.

    python -m benchmarks mutants --seed 1 [--draw 150] [--rooms measures analysis ...] [--processes 2]

Draws places at which a comparison, an arithmetic operator or a connective (`and`, `or`) stands, turns each
in a copy of the sources, and runs unit tests against the copy: first those of the module's own name, then
those that import the module, then the rest of its room. Prints a line for each mutant and JSON with the
share that was noticed.
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

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = ("measures", "analysis", "log", "session", "study", "connectors")
TIMEOUT_S: Final = 900

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
    """One operator of a file turned: `start` and `end` are places in the file's bytes."""

    path: Path
    line: int
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
            found.append(Mutant(path, line, place, place + len(before.encode()), before, after))
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
        for name in ("src", "tests", "examples", "docs"):
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", self.root)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (folder / "shared").symlink_to(shared)

    def outlives(self, mutant: Mutant) -> bool:
        """Whether the unit tests of the room pass with the mutant in place."""
        target = self.root / mutant.path
        original = target.read_bytes()
        target.write_bytes(mutant.source())
        try:
            return all(self._pass(tests) for tests in self._stages(mutant.path))
        finally:
            target.write_bytes(original)

    def _stages(self, path: Path) -> list[list[str]]:
        unit = self.root / "tests" / "unit"
        room = unit / path.parts[2]
        module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
        own = sorted(room.rglob(f"test_{path.stem}*.py"))
        users = [one for one in sorted(unit.rglob("test_*.py")) if f"{module} import" in one.read_text()]
        users = [one for one in users if one not in own]
        rest = [str(room), *(f"--ignore={one}" for one in (*own, *users))]
        return [stage for stage in ([*map(str, own)], [*map(str, users)], rest) if stage]

    def _pass(self, tests: list[str]) -> bool:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider",
                   "--timeout", "60", "-m", "not long and not realtime and not browser", *tests]  # fmt: skip
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
            return False
        if done.returncode not in (0, 1, 2, 5):
            raise RuntimeError(
                f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        return done.returncode in (0, 5)


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
    asked = parser.parse_args()
    mutants = draw(asked.rooms, asked.draw, asked.seed)
    survivors: list[Mutant] = []
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Copy] = Queue()
        for number in range(asked.processes):
            copies.put(Copy(Path(folder) / str(number)))

        def outlives(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                return copy.outlives(mutant)
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
