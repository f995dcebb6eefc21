"""Faults that are tried in children of one process: what each outcome stands for."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.patience import PATIENCE_S

pytestmark = pytest.mark.long  # the tool of a benchmark, not the product
ROOT = Path(__file__).resolve().parents[2]
CODE = """LIMIT = 2 * 3


def keep(function):
    return lambda *given: function(*given)


@keep
def largest(numbers):
    best = None
    for one in numbers:
        if best is None or one > best:
            best = one
    return best


def same(number):
    return number + 0


def halved(number):
    while number > 1:
        number = number // 2
    return number
"""
TESTS = """from small import LIMIT, halved, largest, same


def test_limit():
    assert LIMIT == 6


def test_largest():
    assert largest([1, 3, 2]) == 3


def test_same():
    assert same(4) == 4


def test_halved():
    assert halved(9) == 1
"""
CONFTEST = """import gc


def pytest_collection_finish():
    gc.freeze()  # as ours does
"""
FAULTS = {
    "noticed": ("one > best", "one < best", "test_small.py::test_largest"),
    "outlived": ("number + 0", "number - 0", "test_small.py::test_same"),
    "fresh": ("2 * 3", "2 / 3", "test_small.py::test_limit"),
    "late": ("number // 2", "number / 1", "test_small.py::test_halved"),
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """Asks a process that has collected the tests of a small module about it with a change."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.py").write_text(CODE, encoding="utf-8")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_small.py").write_text(TESTS, encoding="utf-8")
    (their_in, ours_out), (ours_in, their_out) = os.pipe(), os.pipe()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "VIVAVOCE_MUTANTS": f"{their_in} {their_out}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "benchmarks._forked_tests",
    ]
    running = subprocess.Popen(
        command, cwd=folder, env=environment, pass_fds=(their_in, their_out), stdout=subprocess.DEVNULL
    )
    os.close(their_in)
    os.close(their_out)
    with os.fdopen(ours_out, "w") as asked, os.fdopen(ours_in) as told:

        def outcome(before: str, after: str, test: str, *, at_import: bool = False) -> str:
            assert CODE.count(before) == 1
            request = {
                "path": str(folder / "small.py"),
                "source": CODE.replace(before, after),
                "tests": [test],
                "at_import": at_import,
                "limit_s": 1 if "halved" in test else PATIENCE_S,
            }
            print(json.dumps(request), file=asked, flush=True)
            return told.readline().strip()

        yield outcome
    assert running.wait() in (0, 5)
    assert (folder / "small.py").read_text(encoding="utf-8") == CODE


@pytest.mark.parametrize("expected", FAULTS)
def test_a_fault_ends_as_its_tests_do(ask, expected: str) -> None:
    assert ask(*FAULTS[expected]) == expected


def test_a_fault_is_gone_when_the_next_one_is_tried(ask) -> None:
    assert ask(*FAULTS["noticed"]) == "noticed"
    assert ask("number + 0", "number - 0", "test_small.py::test_largest") == "outlived"


def test_a_place_where_nothing_was_turned_is_outlived(ask) -> None:
    assert ask("number + 0", "number + 0", "test_small.py::test_same") == "outlived"


def test_a_place_that_also_runs_at_import_is_left_to_a_new_process(ask) -> None:
    assert ask(*FAULTS["noticed"], at_import=True) == "fresh"


def test_tests_that_come_by_a_line_are_tried_first_and_then_their_other_parameters(tmp_path: Path) -> None:
    """The first of two examples fills a cache, and of a file the first test has a fixture made for all."""
    script = (
        "import sys; from pathlib import Path; from coverage import CoverageData\n"
        "from benchmarks import mutants\n"
        "data, room = CoverageData(sys.argv[1]), 'tests/unit/log/'\n"
        "source = '/x/src/vivavoce/log/small.py'\n"
        "for name, lines in (('test_small.py::b[1]|run', [1, 2]), ('test_small.py::b[2]|run', [1]),\n"
        "                    ('test_small.py::c|run', [1]), ('test_small.py::a|run', [2]),\n"
        "                    ('test_x.py::d|setup', [2]), ('test_x.py::e|run', [1])):\n"
        "    data.set_context(room + name); data.add_lines({source: lines})\n"
        "data.write(); found = mutants.Coverage(Path(sys.argv[1]))\n"
        "one = mutants.Mutant(Path('src/vivavoce/log/small.py'), 2, range(2, 3), 0, 1, '<', '<=', '')\n"
        "print([test.removeprefix(room) for test in found.tests(one)])"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "coverage")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert ast.literal_eval(shown) == [
        "test_small.py::a",
        "test_small.py::b[1]",
        "test_x.py::d",
        "test_small.py::b[2]",
        "test_x.py::e",
    ]


def test_operators_are_found_where_they_stand_and_texts_are_left_alone(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path; from benchmarks import mutants; mutants.ROOT = Path('/'); import sys;"
        "print([(m.before, m.after, m.source(Path(sys.argv[1]).read_bytes()).decode()) "
        "for m in mutants.find_mutants(Path(sys.argv[1]))])"
    )
    code = 'a = (b) <= c  # == \nd = "x" + e\nif __name__ == "__main__":\n    f = g or h\n'
    (tmp_path / "m.py").write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, str(tmp_path / "m.py")]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    found = ast.literal_eval(shown)
    turned = [("<=", "<", code.replace("<=", "<")), ("or", "and", code.replace("g or h", "g and h"))]
    assert sorted(found) == sorted(turned)
