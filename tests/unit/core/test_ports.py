"""Ports that somebody asked for, and ports that nobody did."""

import socket
from collections.abc import Iterator

import pytest

from vivavoce.core.errors import InputError
from vivavoce.core.ports import choose_port


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_port_that_was_asked_for_is_refused_where_it_is_taken(taken: int) -> None:
    with pytest.raises(InputError, match=rf"--port: cannot listen on 127\.0\.0\.1:{taken} .* choose another"):
        choose_port(taken, 8000, "--port")


def test_a_port_that_nobody_asked_for_is_another_where_it_is_taken(taken: int) -> None:
    assert choose_port(None, taken, "--port") != taken
