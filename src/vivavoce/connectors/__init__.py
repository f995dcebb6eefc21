"""The system under test behind one small protocol; each connector is one file with its facts.

A connector's file is imported when a study first names it: together they take a third of a second.
"""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from vivavoce.core.registry import Registry

if TYPE_CHECKING:
    from vivavoce.connectors.base import ConnectorKind

CONNECTORS: "Registry[ConnectorKind]" = Registry("connector")

_KINDS: Final = {
    "a2a": "a2a.A2AConnector",
    "browser": "browser.BrowserConnector",
    "dialogflow": "dialogflow.DialogflowConnector",
    "directline": "directline.DirectLineConnector",
    "http": "http.HttpConnector",
    "lex": "lex.LexConnector",
    "mcp": "mcp.MCPConnector",
    "openai": "openai.OpenAIConnector",
    "openai-realtime": "realtime.RealtimeConnector",
    "phone": "phone.PhoneConnector",
    "python": "python.PythonConnector",
    "rasa": "rasa.RasaConnector",
    "rasa-socketio": "rasa_socketio.RasaSocketConnector",
    "scripted": "scripted.ScriptedConnector",
    "sse": "sse.EventStreamConnector",
    "stdio": "stdio.StdioConnector",
    "telegram": "telegram.TelegramConnector",
    "webrtc": "webrtc.WebRTCConnector",
    "websocket": "websocket.WebSocketConnector",
    "websocket-audio": "websocket_audio.WebSocketAudioConnector",
    "wizard": "wizard.WizardConnector",
}


def _imported(written: str) -> "ConnectorKind":
    module, kind = written.split(".")
    return getattr(import_module(f"{__name__}.{module}"), kind)


for _name, _written in _KINDS.items():
    CONNECTORS.add_later(_name, partial(_imported, _written))
