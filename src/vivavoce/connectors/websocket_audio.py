"""A bot that is spoken to through a WebSocket: raw sound both ways, and frames of JSON beside it.

Wire    binary frames of samples, or base64 in JSON frames (`sound`, `sound_at`); `turn_done` says that the
        participant has finished; sound comes back until `turn_end` is true in a frame, until none came for
        `idle_s`, or until the connection is closed
Memory  in the system, as long as the connection lives
Retry   when the connection was never made
"""

import asyncio
import base64
import binascii
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from io import BytesIO
from typing import Any, ClassVar, Final, Literal

import numpy as np
import soundfile
from pydantic import Field
from websockets.asyncio.client import ClientConnection

from vivavoce.connectors.answers import bad_answer, read_json
from vivavoce.connectors.base import (
    Audio,
    Capabilities,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.expressions import Expression, Path
from vivavoce.connectors.framed_sockets import FramedSettings, FramedSocket
from vivavoce.connectors.idle_timeout import Item
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.sockets import socket_reported
from vivavoce.connectors.system_connector import VARIABLES
from vivavoce.connectors.templates import compile_template
from vivavoce.core.errors import SystemUnderTestError

SampleFormat = Literal["pcm16", "mu-law", "a-law"]

_PIECE_S: Final = 0.1
_CODECS: Final = {"mu-law": "ULAW", "a-law": "ALAW"}
_CLOSED_WELL: Final = 1000


class WebSocketAudioSettings(FramedSettings):
    """Settings of a system with `connect: websocket-audio`."""

    sample_format: SampleFormat = Field("pcm16", description="16-bit little-endian, or G.711")
    rate_hz: int = Field(16_000, ge=8000, le=48_000, description="sample rate, both ways")
    sound: Any = Field(
        None, description="template of a frame with {{ sound }} in base64 (default: binary frames)"
    )
    sound_at: Path | None = Field(None, description="path to sound in base64 in a JSON frame")
    begin: Any = Field(None, description="template of the frame that starts the conversation")
    turn_done: Any = Field(None, description="template of the frame after the participant's turn")
    silence_s: float = Field(
        0, ge=0, le=10, description="silence sent after it, for systems that wait for a pause"
    )
    paced: bool = Field(False, description="send sound in real time")
    interrupt: Any = Field(None, description="template of the frame at a barge-in; {{ played_ms }}")
    send: Any = Field(None, description="template of the frame for a typed turn (default: speech only)")
    heard: Path | None = Field(
        None, description=("path to the transcript of the participant's speech in a frame")
    )
    close_ends: bool = Field(False, description="closing the connection ends its turn, and the dialogue")
    longest_answer_bytes: int = Field(4_000_000, gt=0, le=50_000_000, description="longest frame")


class WebSocketAudioConnector(FramedSocket[WebSocketAudioSettings]):
    """A system under test that is spoken to through a WebSocket."""

    name: ClassVar[str] = "websocket-audio"
    summary: ClassVar[str] = "raw sound over a WebSocket, with JSON frames by templates"
    settings: ClassVar[type[ConnectorSettings]] = WebSocketAudioSettings

    def __init__(self, settings: WebSocketAudioSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._sound = compile_template(settings.sound, VARIABLES | {"sound"}, place="sound")
        self._begin = compile_template(settings.begin, VARIABLES, place="begin")
        self._done = compile_template(settings.turn_done, VARIABLES, place="turn_done")
        self._stop = compile_template(settings.interrupt, VARIABLES | {"played_ms"}, place="interrupt")
        self._sound_at = Expression(settings.sound_at) if settings.sound_at else None
        self._heard = Expression(settings.heard) if settings.heard else None

    @property
    def capabilities(self) -> Capabilities:
        settings = self._settings
        return Capabilities(
            streaming=True,
            audio=True,
            audio_rate_hz=settings.rate_hz,
            writing=settings.send is not None,
            memory="process",
            greets=settings.greets,
        )

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        if turn.audio is None and self._settings.send is None:
            problem = "this system accepts only speech, not typed turns"
            raise SystemUnderTestError("refused", problem, reached=False)
        connection = await self._socket(conversation)
        if turn.audio is None:
            await self._tell(conversation, connection, self._frame(self._variables(conversation, turn)))
        else:
            await self._speak(conversation, connection, turn, turn.audio)
            yield SystemOutput(kind="sent")
        async for output in self._listen(conversation, connection):
            yield output

    async def interrupt(self, conversation: Conversation, played_s: float) -> None:
        """Send the frame that stops the answer, where there is one."""
        connection = self._open_one(conversation)
        if connection is None or self._settings.interrupt is None:
            return
        variables = self._variables(conversation) | {"played_ms": round(played_s * 1000)}
        with suppress(SystemUnderTestError):
            await self._tell(conversation, connection, self._stop(variables))

    async def _socket(self, conversation: Conversation) -> ClientConnection:
        current = self._open_one(conversation)
        connection = current or await super()._socket(conversation)
        if current is None and self._settings.begin is not None:
            await self._tell(conversation, connection, self._begin(self._variables(conversation)))
        return connection

    async def _speak(
        self, conversation: Conversation, connection: ClientConnection, turn: UserTurn, audio: Audio
    ) -> None:
        """Send the participant's audio and the end of the turn."""
        settings, variables = self._settings, self._variables(conversation, turn)
        if audio.rate_hz != settings.rate_hz:
            problem = f"sound has {audio.rate_hz} samples per second where {settings.rate_hz} are expected"
            raise SystemUnderTestError("refused", problem, reached=False)
        samples = audio.samples + bytes(2 * round(settings.silence_s * settings.rate_hz))
        step = 2 * round(_PIECE_S * settings.rate_hz)
        for start in range(0, len(samples), step):
            piece = self._encoded(samples[start : start + step])
            if settings.sound is not None:
                encoded = base64.b64encode(piece).decode()
                await self._tell_sound(
                    conversation, connection, self._sound({**variables, "sound": encoded}), piece
                )
            else:
                await self._tell_sound(conversation, connection, piece, piece)
            if settings.paced:
                await asyncio.sleep(_PIECE_S)
        if settings.turn_done is not None:
            await self._tell(conversation, connection, self._done(variables))

    async def _tell_sound(
        self, conversation: Conversation, connection: ClientConnection, frame: Any, sound: bytes
    ) -> None:
        self._wire.sent("frame", f"{len(sound)} bytes of sound")
        try:
            with socket_reported(self._vault):
                await connection.send(frame if isinstance(frame, (bytes, str)) else json.dumps(frame))
        except SystemUnderTestError:
            await self.close(conversation)
            raise

    # --- what comes back ------------------------------------------------------------------------------

    def _broken(self, connection: ClientConnection, error: SystemUnderTestError) -> list[Item]:
        if self._settings.close_ends and error.failure == "closed" and connection.close_code == _CLOSED_WELL:
            return [SystemOutput(kind="end"), None]
        return [error]

    def _take(self, came: str | bytes, arriving: "asyncio.Queue[Item]", raw: list[str]) -> bool:
        if isinstance(came, bytes):
            self._add_sound(came, arriving, raw)
            return False
        if self._settings.plain:
            return super()._take(came, arriving, raw)
        answer = self._vault.redact(read_json(came))
        sound = self._sound_at.search(answer) if self._sound_at is not None else None
        if sound is not None:
            self._add_sound(_of_base64(sound), arriving, raw)
        else:
            raw.append(came)
            for output in self._reader.read_beside(answer, heard=self._heard, delta=self._delta):
                arriving.put_nowait(output)
        return self._end is not None and self._end.search(answer) is True

    def _add_sound(self, sound: bytes, arriving: "asyncio.Queue[Item]", raw: list[str]) -> None:
        raw.append(f"{len(sound)} bytes of sound")
        if sound:
            audio = Audio(self._decoded(sound), self._settings.rate_hz)
            arriving.put_nowait(SystemOutput(kind="audio", audio=audio))

    # --- samples --------------------------------------------------------------------------------------

    def _encoded(self, pcm: bytes) -> bytes:
        codec = _CODECS.get(self._settings.sample_format)
        if codec is None:
            return pcm
        buffer = BytesIO()
        samples = np.frombuffer(pcm, "<i2")
        soundfile.write(buffer, samples, self._settings.rate_hz, format="RAW", subtype=codec)
        return buffer.getvalue()

    def _decoded(self, sound: bytes) -> bytes:
        codec = _CODECS.get(self._settings.sample_format)
        if codec is None:
            return sound
        samples, _ = soundfile.read(
            BytesIO(sound),
            dtype="int16",
            channels=1,
            samplerate=self._settings.rate_hz,
            format="RAW",
            subtype=codec,
        )
        return np.asarray(samples, "<i2").tobytes()


def _of_base64(encoded: Any) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise bad_answer("a piece of speech is not base64") from None
