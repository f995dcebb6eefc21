"""The system under test behind one small protocol; each connector is one file with its facts."""

from vivavoce.connectors.a2a import A2AConnector
from vivavoce.connectors.base import ConnectorKind
from vivavoce.connectors.browser import BrowserConnector
from vivavoce.connectors.dialogflow import DialogflowConnector
from vivavoce.connectors.directline import DirectLineConnector
from vivavoce.connectors.http import HttpConnector
from vivavoce.connectors.lex import LexConnector
from vivavoce.connectors.mcp import MCPConnector
from vivavoce.connectors.openai import OpenAIConnector
from vivavoce.connectors.phone import PhoneConnector
from vivavoce.connectors.python import PythonConnector
from vivavoce.connectors.rasa import RasaConnector
from vivavoce.connectors.rasa_socketio import RasaSocketConnector
from vivavoce.connectors.realtime import RealtimeConnector
from vivavoce.connectors.scripted import ScriptedConnector
from vivavoce.connectors.sse import EventStreamConnector
from vivavoce.connectors.stdio import StdioConnector
from vivavoce.connectors.telegram import TelegramConnector
from vivavoce.connectors.webrtc import WebRTCConnector
from vivavoce.connectors.websocket import WebSocketConnector
from vivavoce.connectors.websocket_audio import WebSocketAudioConnector
from vivavoce.connectors.wizard import WizardConnector
from vivavoce.core.registry import Registry

CONNECTORS: Registry[ConnectorKind] = Registry("connector")

_KINDS: tuple[ConnectorKind, ...] = (
    A2AConnector, BrowserConnector, DialogflowConnector, DirectLineConnector, EventStreamConnector,
    HttpConnector, LexConnector, MCPConnector, OpenAIConnector, PhoneConnector, PythonConnector,
    RasaConnector, RasaSocketConnector, RealtimeConnector, ScriptedConnector, StdioConnector,
    TelegramConnector, WebRTCConnector, WebSocketAudioConnector, WebSocketConnector, WizardConnector,
)  # fmt: skip

for _kind in _KINDS:
    CONNECTORS.add(_kind.name, _kind)
