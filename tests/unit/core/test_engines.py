"""Work in pieces is done wherever it is asked for, and what is no engine is told in a line."""

import gc
import os
import pickle
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from scenes.engines import Carrying
from scenes.patience import PATIENCE_S
from vivavoce.core.errors import InputError, SystemUnderTestError, UnknownName
from vivavoce.core.executor import Processes, in_pieces, read_engine, uncollected, working_on


def double(number: int) -> int:
    return 2 * number


def die_once(path: str) -> int:
    """Ends its process the first time that anybody asks for this path."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def threads(_: int) -> set[int]:
    """How many threads each library of linear algebra may take."""
    assert np.eye(2) @ np.eye(2) is not None
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def refuse(name: str) -> None:
    raise UnknownName("fruit", name, ["apple"], place="basket")


def test_sums_of_a_piece_are_not_split_over_threads() -> None:
    assert list(in_pieces(threads, [1, 2])) == [{1}, {1}]


def test_work_goes_where_it_was_said_until_the_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Carrying()
    monkeypatch.setattr("vivavoce.core.executor.read_engine", lambda _: engine)
    assert list(in_pieces(double, [1, 2])) == [2, 4] and engine.pieces == 0
    with working_on("there"):
        assert list(in_pieces(double, [1, 2])) == [2, 4] and engine.pieces == 2
        assert list(in_pieces(double, [3])) == [6] and engine.pieces == 2, "one piece needs nobody else"
        with working_on(None):
            assert list(in_pieces(double, [1, 2, 3])) == [2, 4, 6] and engine.pieces == 5
    assert list(in_pieces(double, [1, 2])) == [2, 4] and engine.pieces == 5


def test_a_mistake_found_elsewhere_is_told_as_here() -> None:
    found = SystemUnderTestError("closed", "gone", reached=False)
    lost = pickle.loads(pickle.dumps(found))  # noqa: S301 - made here
    assert (lost.failure, lost.reached, str(lost)) == ("closed", False, "closed: gone")
    with Processes(1) as engine, pytest.raises(UnknownName, match=r"basket: unknown fruit 'aple'.*'apple'"):
        list(engine.map(refuse, ["aple", "aple"]))


def test_what_a_killed_process_had_is_done_again(tmp_path: Path) -> None:
    paths = [str(tmp_path / str(number)) for number in range(2)]
    with Processes(2) as engine:
        found = list(engine.map(die_once, paths))
    assert all(found) and len(found) == 2 and os.getpid() not in found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("spark", "unknown engine 'spark'. Known: dask, dask://HOST:PORT, here, processes"),
        ("processes:many", "'many' is not a number of processes.*such as processes:4"),
        ("processes:0", "'0' is not a number of processes"),
        ("dask://nowhere", "'dask://nowhere' is not an address.*dask://node7:8786"),
        ("dask:node7:8786", "is not an address"),
    ],
)
def test_what_is_no_engine_is_told_in_a_line(text: str, told: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match=told) as caught:
        read_engine(text)
    assert str(caught.value).startswith("--engine") and "\n" not in str(caught.value)


def test_without_dask_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.core.extras.find_spec", lambda module: None)
    with pytest.raises(InputError, match=r"needs the package distributed.*\[cluster\]"):
        read_engine("dask")


def test_no_scheduler_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("vivavoce.core.executor.PATIENCE_S", 0.2)
    with pytest.raises(InputError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        list(read_engine("dask://127.0.0.1:9").map(double, [1]))


def test_the_collector_is_on_again_when_the_last_of_several_threads_needs_it_off_no_more() -> None:
    inside, may_leave = threading.Barrier(3), threading.Event()

    def work() -> None:
        with uncollected():
            inside.wait(PATIENCE_S)
            may_leave.wait(PATIENCE_S)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait(PATIENCE_S)
    assert not gc.isenabled()
    may_leave.set()
    for thread in threads:
        thread.join()
    assert gc.isenabled()
