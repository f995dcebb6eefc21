"""Any bot with a WebSocket: one connection for each conversation, a frame of JSON or text for each message.

Wire    a frame made by the template `send`; frames come back until `turn_end` is true in one, or until none
        came for `idle_s`
Memory  in the system, as long as the connection lives
Retry   when the connection was never made
"""

from typing import ClassVar

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.framed_sockets import FramedSettings, FramedSocket


class WebSocketSettings(FramedSettings):
    """Settings of a system with `connect: websocket`."""


class WebSocketConnector(FramedSocket[WebSocketSettings]):
    """A system under test behind a WebSocket."""

    name: ClassVar[str] = "websocket"
    summary: ClassVar[str] = "any WebSocket interface, with frame templates"
    settings: ClassVar[type[ConnectorSettings]] = WebSocketSettings
