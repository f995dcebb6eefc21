"""What goes wrong on a WebSocket, in words that say whose fault it is."""

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.sockets import socket_reported
from vivavoce.core.errors import SystemUnderTestError


@pytest.mark.parametrize(
    ("code", "failure", "said"),
    [
        (1009, "bad_answer", "the answer is too large"),
        (1007, "bad_answer", "the answer is not UTF-8 text"),
        (1011, "closed", "internal error"),
    ],
)
def test_what_made_us_close_the_connection_is_said(code: int, failure: str, said: str) -> None:
    with pytest.raises(SystemUnderTestError, match=said) as refused, socket_reported(Vault([], {})):
        raise ConnectionClosedError(None, Close(code, ""), None)
    assert refused.value.failure == failure
