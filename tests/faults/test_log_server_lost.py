"""The database server goes away in the middle of a trial: callers wait, and each thing happens once."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from vivavoce.core.errors import LogError
from vivavoce.log.events import TRIAL, TrialResumed
from vivavoce.log.store import Log

pytestmark = [pytest.mark.postgresql, pytest.mark.long]

RESUMED = TrialResumed(by="b")


class Proxy:
    """Stands between client and server; told so, it cuts the line at the next COMMIT.

    cut  before: COMMIT never reaches the server; after: the server's answer to it never comes back
    """

    def __init__(self, folder: Path, server: str) -> None:
        self.server, self.cut = server, ""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.server)
                threading.Thread(target=self._to_server, args=(client, server), daemon=True).start()
                threading.Thread(target=self._to_client, args=(client, server), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                cut = self.cut if b"COMMIT\0" in data else ""
                if cut:
                    self.cut = ""
                    client.shutdown(socket.SHUT_RDWR)  # from here on no answer reaches the client
                    if cut == "before":
                        break
                server.sendall(data)
                if cut:
                    time.sleep(0.5)
                    break
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)

    def _to_client(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
        client.close()
        server.close()


@contextmanager
def through_proxy(url: str, folder: Path) -> Iterator[tuple[Proxy, str]]:
    (server_folder,) = parse_qs(urlsplit(url).query)["host"]
    (server,) = (path for path in Path(server_folder).iterdir() if path.name == ".s.PGSQL.5432")
    proxy = Proxy(folder, str(server))
    yield proxy, url.replace(server_folder, str(folder))
    proxy.close()


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_lost_answer_to_commit_neither_loses_nor_doubles(
    postgresql_url: str, tmp_path_factory: pytest.TempPathFactory, cut: str
) -> None:
    with through_proxy(postgresql_url, tmp_path_factory.mktemp("p")) as (proxy, url), Log.open(url) as log:
        ran: list[int] = []

        def append(tx: Any) -> int:
            ran.append(1)
            return tx.append(TRIAL, RESUMED).seq  # without a client key: the log alone must keep it single

        assert log.transact_now(append) == 1
        proxy.cut = cut
        assert log.transact_now(append) == 2
        assert proxy.cut == ""  # the line really was cut
        assert len(ran) == {"before": 3, "after": 2}[cut]
        assert log.transact_now(append) == 3
        assert len(log.trial_events()) == 3


def test_a_server_killed_under_fifty_talkers_loses_and_doubles_nothing(own_postgresql: Any) -> None:
    said: list[list[int]] = [[] for _ in range(50)]
    stop = threading.Event()

    async def talk(log: Log, talker: int) -> None:
        while not stop.is_set():
            stored = await log.transact(lambda tx: tx.append(f"v{talker}", RESUMED))
            said[talker].append(stored.seq)
            await asyncio.sleep(0.01)

    async def everybody_said(turns: int) -> None:
        enough = min(map(len, said)) + turns
        while min(map(len, said)) < enough:
            await asyncio.sleep(0.02)

    async def trial(log: Log) -> None:
        talkers = [asyncio.ensure_future(talk(log, number)) for number in range(50)]
        for _ in range(3):
            await everybody_said(5)
            own_postgresql.kill()
            await asyncio.sleep(0.3)  # the talkers find the server gone
            await asyncio.to_thread(own_postgresql.start)
        await everybody_said(5)
        stop.set()
        await asyncio.gather(*talkers)

    with Log.open(own_postgresql.url, patience_s=120) as log:
        asyncio.run(trial(log))
        for talker, seqs in enumerate(said):
            stored = [event.seq for event in log.events(f"v{talker}")]
            assert stored == seqs == list(range(1, len(seqs) + 1))


def test_reads_and_writes_say_so_when_the_server_stays_away(own_postgresql: Any) -> None:
    with Log.open(own_postgresql.url, patience_s=1.0) as log:
        log.transact_now(lambda tx: tx.append(TRIAL, RESUMED))
        own_postgresql.kill()
        begun_s = time.monotonic()
        with pytest.raises(LogError, match=r"nothing was saved: .* \(waited 1 s\)"):
            log.transact_now(lambda tx: tx.append(TRIAL, RESUMED))
        assert time.monotonic() - begun_s >= 1.0
        with pytest.raises(LogError, match="cannot read the log"):
            log.trial_events()
        own_postgresql.start()
        assert log.transact_now(lambda tx: tx.append(TRIAL, RESUMED)).seq == 2
        assert len(log.trial_events()) == 2
