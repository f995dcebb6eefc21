"""A plugin of pytest that collects once and then tries one fault after another, each in a child process.

Started with `-p benchmarks._forked_tests` and the numbers of two inherited pipes in VIVAVOCE_MUTANTS. It
takes requests from the first, a line of JSON each: `path`, `source` (the file with the fault), `tests` (in
their order), `at_import` (whether the place also runs then), `limit_s`. On the second it says how each ended.
A child puts the fault into the functions in memory; the file has it meanwhile too, for modules and processes
that start later. The parent only collects, so that no child inherits a thread, a server or a fixture.
"""

import gc
import json
import os
import random
import shutil
import signal
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final

import pytest

ENVIRONMENT: Final = "VIVAVOCE_MUTANTS"
OUTLIVED: Final = "outlived"
NOTICED: Final = "noticed"
LATE: Final = "late"  # its tests took longer than the limit
FRESH: Final = "fresh"  # the fault runs at import: only a process that starts anew sees it

Swaps = list[tuple[FunctionType, CodeType]]


def pytest_runtestloop(session: pytest.Session) -> bool:
    """In place of running tests: answer requests until there are no more."""
    functions = _functions_by_file()
    items = {item.nodeid: item for item in session.items}
    numbers = os.environ.pop(ENVIRONMENT).split()
    asked, told = (os.fdopen(int(number), mode) for number, mode in zip(numbers, "rw", strict=True))
    for line in asked:
        request = json.loads(line)
        path, source = Path(request["path"]), request["source"].encode()
        swaps = _swaps(functions[str(path)], path, source)
        untouched = source == path.read_bytes()
        if request["at_import"] or (functions[str(path)] and not swaps and not untouched):
            outcome = FRESH
        else:
            tests = [items[name] for name in request["tests"] if name in items]
            with turned(path, source):
                outcome = _try_in_child(session, swaps, tests, request["limit_s"])
        print(outcome, file=told, flush=True)
    return True


@contextmanager
def turned(path: Path, source: bytes) -> Iterator[None]:
    """A file with other bytes for a while; then its time is as before, so that what was compiled holds."""
    original, status = path.read_bytes(), path.stat()
    path.write_bytes(source)
    try:
        yield
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _functions_by_file() -> dict[str, list[FunctionType]]:
    found: dict[str, list[FunctionType]] = defaultdict(list)
    gc.unfreeze()  # what is frozen, as our tests are once they are collected, is not among the objects
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            found[thing.__code__.co_filename].append(thing)
    gc.freeze()  # children share these pages for longer
    return found


def _swaps(functions: list[FunctionType], path: Path, source: bytes) -> Swaps:
    """The functions that a fault is in, with the code that they then have."""
    before, after = (
        compile(one, str(path), "exec", dont_inherit=True) for one in (path.read_bytes(), source)
    )
    codes = {_identity(old): new for old, new in _changed(before, after)}
    return [(one, codes[key]) for one in functions if (key := _identity(one.__code__)) in codes]


def _identity(code: CodeType) -> tuple[object, ...]:
    return code.co_code, *code.co_positions()


def _changed(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Pieces of code that differ, from the module inwards."""
    if before != after:
        yield before, after
        for old, new in zip(before.co_consts, after.co_consts, strict=False):
            if isinstance(old, CodeType) and isinstance(new, CodeType):
                yield from _changed(old, new)


def _try_in_child(session: pytest.Session, swaps: Swaps, tests: list[pytest.Item], limit_s: float) -> str:
    folder = Path(tempfile.mkdtemp(prefix="mutant-"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of numerical libraries, which mend themselves in a child
        child = os.fork()
    if not child:
        code = 1
        with suppress(BaseException):
            os.setsid()
            random.seed()
            session.config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
            for function, changed in swaps:
                function.__code__ = changed
            code = int(_fails(session, tests))
        os._exit(code)
    try:
        return _wait(child, limit_s)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def _fails(session: pytest.Session, tests: list[pytest.Item]) -> bool:
    """Run tests until one fails."""
    try:
        for item, following in zip(tests, [*tests[1:], None], strict=False):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break
        return bool(session.testsfailed)
    finally:
        session._setupstate.teardown_exact(None)  # servers of fixtures end


def _wait(child: int, limit_s: float) -> str:
    """How the tests of a child end."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return NOTICED if status else OUTLIVED
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return LATE
