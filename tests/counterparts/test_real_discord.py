"""A real Discord bot, on discord.py, takes us for Discord: buttons, menus, cards, edits, late answers."""

import asyncio
import subprocess

import pytest

from scenes.installed import installed
from scenes.patience import PATIENCE_S
from scenes.platform_bots import texts, titles, told
from scenes.processes import free_port
from scenes.third_party import SCRIPTS
from vivavoce.connectors.base import Conversation
from vivavoce.connectors.factory import make_connector

pytestmark = [pytest.mark.counterpart, pytest.mark.long]


def test_an_unmodified_bot_answers_with_buttons_menus_cards_and_edits() -> None:
    python, port = installed("third-party", "discord.py", "bin", "python"), free_port()
    settings = {"connect": "discord", "port": port, "idle_s": 0.7, "connect_timeout_s": PATIENCE_S}

    async def run() -> None:
        connector = make_connector({**settings, "first_output_timeout_s": PATIENCE_S}, {})
        await connector.start()
        bot = subprocess.Popen([str(python), str(SCRIPTS / "discord_py_bot.py"), f"http://127.0.0.1:{port}"])
        try:
            here, there = Conversation("here"), Conversation("there")
            assert texts(await told(connector, here, "one")) == ["first was one"]
            asked = await told(connector, here, "where")
            assert texts(asked) == ["Where to?"]
            assert titles(asked[0]) == [("North", "n"), ("South", "s"), ("Up", "e=u")]
            assert texts(await told(connector, here, "North", "n")) == ["picked north"]
            assert texts(await told(connector, here, "South", "s")) == ["picked south"]
            assert texts(await told(connector, here, "Up", "e=u")) == ["went u"]
            assert texts(await told(connector, here, "card")) == ["Soup\nhot\nPrice: 4"]
            assert texts(await told(connector, here, "edit")) == ["thought"]
            assert texts(await told(connector, here, "late")) == ["here at last"]
            both = await asyncio.gather(told(connector, here, "x"), told(connector, there, "y"))
            assert [texts(outputs) for outputs in both] == [["first was one"], ["first was y"]]
        finally:
            bot.kill()
            bot.wait()
            await connector.shut_down()

    asyncio.run(run())
