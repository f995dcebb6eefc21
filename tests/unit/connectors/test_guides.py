"""The guides by kind of bot: their snippets run as they stand, against counterparts on other ports."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from scenes.connecting import PATIENT
from scenes.counterparts import FOLDER, Counterparts
from scenes.patience import PATIENCE_S
from scenes.processes import free_port
from vivavoce.connectors.base import Audio, Connector, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector

GUIDES = Path(__file__).resolve().parents[3] / "docs" / "how-to"
KINDS, PLATFORMS = "connect-by-kind.md", "evaluate-your-bot-on-a-message-platform.md"
VOICE = "evaluate-your-voice-bot.md"


@pytest.fixture(scope="module")
def counterparts() -> Iterator[Counterparts]:
    running = Counterparts()
    yield running
    running.stop()


def systems(guide: str, section: str = "") -> dict[str, dict[str, Any]]:
    """The systems of a guide, or of the section of this heading."""
    found: dict[str, dict[str, Any]] = {}
    text = (GUIDES / guide).read_text("utf-8")
    if section:
        text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    for block in re.findall(r"```yaml\n(.*?)```", text, re.S):
        text = block if block.startswith("systems:") else "systems:\n" + block
        found |= YAML(typ="safe", pure=True).load(text)["systems"]
    return found


def at(settings: Any, server: str) -> Any:
    """The settings with their addresses moved to where the counterpart is."""
    if isinstance(settings, str):
        return re.sub(r"127\.0\.0\.1:\d+", server, settings)
    if isinstance(settings, dict):
        return {name: at(value, server) for name, value in settings.items()}
    return settings


def reached(settings: dict[str, Any], server: str) -> Connector:
    """A connector with the settings of a guide, patient with a busy machine."""
    return make_connector(PATIENT | at(settings, server), {})


def conversation_with(connector: Connector, *texts: str) -> list[str]:
    async def run() -> list[str]:
        conversation = Conversation(f"guide-{id(connector)}")
        heard = [one async for one in connector.open(conversation)]
        for number, text in enumerate(texts, 1):
            turn = UserTurn(key=f"k{number}", number=number, text=text)
            heard += [one async for one in connector.send(conversation, turn)]
        await connector.close(conversation)
        await connector.shut_down()
        return [one.text for one in heard if one.kind == "message"]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("section", "heard"),
    [
        ("HTTP API", ["hi", "so far:", "hello", "so far:", "hello, again"]),
        ("OpenAI-compatible agent", ["first was hello", "first was again"]),
    ],
)
def test_the_systems_of_a_section_answer(section: str, heard: list[str], counterparts: Counterparts) -> None:
    found = systems(KINDS, section)
    assert found
    for settings in found.values():
        connector = reached(settings, counterparts.server("chat_server.py"))
        assert conversation_with(connector, "hello", "again") == heard


def test_the_systems_of_the_guide_to_rasa_answer(counterparts: Counterparts) -> None:
    servers = {
        "rasa": counterparts.server("chat_server.py"),
        "rasa-socketio": counterparts.server("rasa_socketio_server.py", "persistent"),
    }
    for settings in systems(KINDS, "Rasa bot").values():
        connector = reached(settings, servers[settings["connect"]])
        assert conversation_with(connector, "hello", "again") == ["first was hello", "first was hello"]


def test_the_systems_of_the_guide_to_mcp_answer(counterparts: Counterparts) -> None:
    found = systems(KINDS, "MCP tool")
    server = counterparts.server("mcp_server.py")
    heard = [conversation_with(reached(one, server), "hello", "again") for one in found.values()]
    assert heard == [["first was hello", "first was hello"], ["You said hello.", "You said again."]]


def test_the_systems_of_the_guide_to_realtime_answer(counterparts: Counterparts) -> None:
    found = systems(VOICE, "Realtime model")
    server = counterparts.server("realtime_server.py")
    for one in found.values():
        heard = conversation_with(reached(one, server), "hello", "again")
        assert heard == ["first was hello", "first was hello"]


def test_the_systems_of_the_guide_to_voice_bots_say_again_what_they_heard(counterparts: Counterparts) -> None:
    server, sound = counterparts.server("audio_server.py"), Audio(b"\x01\x02" * 4000, 16_000)

    async def spoken(connector: Connector) -> list[SystemOutput]:
        turn = UserTurn(key="k", number=1, text="", audio=sound)
        outputs = [one async for one in connector.send(Conversation("guide"), turn)]
        await connector.shut_down()
        return outputs

    for one in systems(VOICE, "WebSocket").values():
        outputs = asyncio.run(spoken(reached(one, server)))
        assert b"".join(one.audio.samples for one in outputs if one.audio) == sound.samples
        assert [one.text for one in outputs if one.kind == "message"] == ["that was it"]


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: make test installs it")
def test_the_systems_of_the_guide_to_widgets_answer(counterparts: Counterparts) -> None:
    found = systems(KINDS, "Web widget")
    server = counterparts.server("widget_page.py")
    for one in found.values():
        assert conversation_with(reached(one, server), "hello") == ["first was hello"]


def test_the_system_of_the_guide_to_skills_is_accepted_and_is_opened() -> None:
    (skill,) = systems(KINDS, "Alexa skill").values()
    assert make_connector(skill, {}).capabilities.greets


def test_the_systems_of_the_guide_to_wizards_are_accepted() -> None:
    found = systems("run-a-wizard-of-oz-study.md")
    assert [make_connector(one, {}).capabilities.greets for one in found.values()] == [True, False]


def test_the_lines_of_the_guide_to_message_platforms_are_those_of_our_bots() -> None:
    text = (GUIDES / PLATFORMS).read_text("utf-8")
    for bot, call in (
        ("telegram_ptb", ".base_url("),
        ("telegram_aiogram", "TelegramAPIServer.from_base("),
        ("telegram_telebot", "apihelper.API_URL = "),
        ("slack_bolt_bot", "WebClient(token="),
    ):
        assert call in text
        assert call in (FOLDER / f"{bot}.py").read_text("utf-8")


@pytest.mark.parametrize("system", ["on-telegram", "on-telegram-unchanged"])
def test_the_systems_for_telegram_reach_a_real_bot(system: str, tmp_path: Path) -> None:
    settings = systems(PLATFORMS)[system]
    ports = {name: free_port() for name in ("port", "proxy_port") if name in settings}
    patient = {"connect_timeout_s": PATIENCE_S, "greeting_s": PATIENCE_S}
    connector = make_connector(settings | ports | patient, {}, folder=tmp_path)
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    address = f"http://127.0.0.1:{ports['port']}"
    if "proxy_port" in ports:
        certificate = str(tmp_path / "telegram-ca.pem")
        proxy = f"http://127.0.0.1:{ports['proxy_port']}"
        environment |= {"HTTPS_PROXY": proxy, "SSL_CERT_FILE": certificate}
        address = "unmodified"

    async def run() -> list[str]:
        await connector.start()
        command = [sys.executable, str(FOLDER / "telegram_ptb.py"), address]
        process = subprocess.Popen(command, env=environment)
        try:
            conversation = Conversation("guide")
            heard = [one async for one in connector.open(conversation)]
            heard += [
                one async for one in connector.send(conversation, UserTurn(key="k", number=1, text="hi"))
            ]
            return [one.text for one in heard if one.kind == "message"]
        finally:
            process.kill()
            process.wait()
            await connector.shut_down()

    assert asyncio.run(run()) == ["Where to?", "first was hi"]


def test_the_systems_of_the_guide_to_message_platforms_are_accepted() -> None:
    named = (
        "SLACK_SIGNING_SECRET",
        "WHATSAPP_APP_SECRET",
        "WHATSAPP_VERIFY_TOKEN",
        "MESSENGER_APP_SECRET",
        "DISCORD_TOKEN",
    )
    found = systems(PLATFORMS)
    ports = [one[key] for one in found.values() for key in ("port", "proxy_port") if key in one]
    assert len(set(ports)) == len(ports)
    for settings in found.values():
        assert make_connector(settings, dict.fromkeys(named, "hunter2")).capabilities.choices
