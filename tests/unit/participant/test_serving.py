"""Who stops the service by Ctrl-C is told so by its exit, whatever becomes of the server's own exception."""

import os
import signal
import threading

import pytest
from fastapi import FastAPI

from scenes.patience import eventually
from scenes.processes import free_port
from vivavoce.participant.serving import PageServer


class Site:
    def close(self) -> None:
        """Nobody waits for news."""


def test_ctrl_c_is_an_interruption_also_where_the_servers_own_was_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = FastAPI()
    app.state.site = Site()
    server = PageServer(app, port=free_port(), lifespan="off")
    monkeypatch.setattr(signal, "raise_signal", lambda _: None)

    def press() -> None:
        eventually(lambda: server.started)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        server.run()
