"""Bots on message platforms: programs that take a connector of ours for their platform."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from scenes.counterparts import FOLDER
from scenes.patience import PATIENCE_S
from scenes.processes import free_port
from vivavoce.connectors.base import Connector, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector

SECRET = "hunter2secret"


@asynccontextmanager
async def platform_bot(
    connect: str, script: str, *more: str, path: str = "/", folder: Path | None = None, **settings: Any
) -> AsyncIterator[Any]:
    """A connector that listens, and a bot of the folder that is started with its own port and our address.

    With a folder the bot is told nothing of us: it calls its platform, and we are its proxy.
    """
    ours, theirs = free_port(), free_port()
    chosen: dict[str, Any] = {"connect": connect, "port": ours, "idle_s": 0.2, "allow_private": True}
    chosen |= {"connect_timeout_s": PATIENCE_S, "first_output_timeout_s": PATIENCE_S}
    chosen |= {"url": f"http://127.0.0.1:{theirs}{path}", **settings}
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    arguments = [str(theirs), *more, f"http://127.0.0.1:{ours}"]
    if folder is not None:
        chosen["proxy_port"] = free_port()
        certificate = str(folder / f"{connect}-ca.pem")
        proxy = {"HTTPS_PROXY": f"http://127.0.0.1:{chosen['proxy_port']}", "SSL_CERT_FILE": certificate}
        environment |= {**proxy, "REQUESTS_CA_BUNDLE": certificate}
        arguments = [str(theirs), *more]
    connector = make_connector(chosen, {"SECRET": SECRET}, folder=folder)
    await connector.start()
    process = subprocess.Popen([sys.executable, str(FOLDER / script), *arguments], env=environment)
    try:
        yield connector
    finally:
        process.kill()
        process.wait()
        await connector.shut_down()


async def told(
    connector: Connector, conversation: Conversation, text: str, payload: str | None = None
) -> list[SystemOutput]:
    """What the bot makes of a turn."""
    turn = UserTurn(key=f"{conversation.key}-{text}", number=1, text=text, payload=payload)
    return [output async for output in connector.send(conversation, turn)]


def texts(outputs: list[SystemOutput]) -> list[str]:
    return [output.text for output in outputs if output.kind == "message"]


def titles(output: SystemOutput) -> list[tuple[str, str]]:
    return [(choice.title, choice.payload) for choice in output.choices]
