"""The guide to connectors: every setting of its examples exists, and every connector has its section."""

import re
from importlib.util import find_spec
from pathlib import Path

from ruamel.yaml import YAML

from vivavoce.connectors.factory import CONNECTORS, make_connector

GUIDE = (Path(__file__).resolve().parents[3] / "docs" / "how-to" / "connect-a-bot.md").read_text("utf-8")
SECRETS = {"BOT_KEY": "secret1", "OPENAI_API_KEY": "secret2", "MODEL_KEY": "secret3"}
SECRETS |= {
    "RASA_TOKEN": "secret4",
    "TELEGRAM_TOKEN": "1:secret5",
    "DISCORD_TOKEN": "secret6",
    "DIRECT_LINE_SECRET": "secret6",
    "DIALOGFLOW_TOKEN": "s7",
    "SLACK_SIGNING_SECRET": "secret8",
    "META_APP_SECRET": "secret9",
    "META_VERIFY_TOKEN": "secret10",
}


def examples() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for block in re.findall(r"```yaml\n(.*?)```", GUIDE, re.S):
        text = block if block.startswith("systems:") else "systems:\n" + block
        found |= YAML(typ="safe", pure=True).load(text)["systems"]
    return found


def test_the_settings_of_every_example_are_accepted() -> None:
    for settings in examples().values():
        if settings["connect"] != "webrtc" or find_spec("aiortc"):
            assert make_connector(settings, SECRETS).capabilities, settings


def test_every_connector_has_an_example_and_a_section() -> None:
    assert {settings["connect"] for settings in examples().values()} == set(CONNECTORS.names())
    for name in CONNECTORS.names():
        assert f"## `{name}`:" in GUIDE


def test_every_variable_of_a_template_is_explained() -> None:
    from vivavoce.connectors.http import VARIABLES

    assert all(f"`{name}`" in GUIDE for name in VARIABLES)
