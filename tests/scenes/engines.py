"""An engine that does work as another machine would: all goes there and back as bytes, in any order."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from vivavoce.core import executor as engines


class Carrying(engines.Engine):
    """Pickles work, pieces and results; does the last piece first, each by a worker that knows no other."""

    def __init__(self) -> None:
        self.pieces = 0

    def map(self, work: Callable[[Any], Any], pieces: Sequence[Any]) -> Iterator[Any]:
        held, found = pickle.dumps(work), dict[int, bytes]()
        for place in reversed(range(len(pieces))):
            (result,) = engines.Engine().map(_read(held), [_read(pickle.dumps(pieces[place]))])
            found[place] = pickle.dumps(result)
        self.pieces += len(pieces)
        yield from (_read(found[place]) for place in range(len(pieces)))


def _read(made: bytes) -> Any:
    return pickle.loads(made)  # noqa: S301 - made here


@contextmanager
def carrying() -> Iterator[Carrying]:
    """Whatever falls into pieces goes such a way meanwhile."""
    engine = Carrying()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engines, "read_engine", lambda _: engine)
        with engines.working_on("carrying"):
            yield engine
