"""Processes that run bots: their environment, last output and termination."""

import asyncio
import os
import signal
from collections.abc import Mapping

from vivavoce.connectors.secrets import Vault

_INHERITED = {
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "SSL_CERT_FILE",
}
_LAST_WORDS = 2_000


def child_environment(extra: Mapping[str, str], vault: Vault) -> dict[str, str]:
    """The environment of a bot's process: the harmless part of ours, and what its settings name.

    The server's own secrets are not passed on.
    """
    inherited = {
        name: value for name, value in os.environ.items() if name in _INHERITED or name.startswith("LC_")
    }
    return {**inherited, **{name: vault.expand(value) for name, value in extra.items()}}


async def tail(stream: asyncio.StreamReader | None, buffer: bytearray) -> None:
    """Read a stream to its end and keep its last words in `buffer`."""
    if stream is None:
        return
    while piece := await stream.read(4096):
        buffer += piece
        del buffer[:-_LAST_WORDS]


def kill_group(process: asyncio.subprocess.Process, how: signal.Signals = signal.SIGKILL) -> None:
    """Signal the process and all its children; nothing happens when it is gone."""
    try:
        os.killpg(process.pid, how)
    except ProcessLookupError:
        pass
